//! The pairing rule of earlier versions, by which runs that began under it continue.

use super::{DrawnPairing, Swiss};
use crate::game::BySide;
use crate::tournament::Legs;
use crate::tournament::schedule::PlayerIndex;
use crate::tournament::schedule::matching::Matching;

/// What a round must avoid. Each level allows more pairings than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rigour {
    NewPairingsWithColours,
    NewPairings,
    Any,
}

impl Rigour {
    const ALL: [Self; 3] = [Self::NewPairingsWithColours, Self::NewPairings, Self::Any];
}

/// Draws the round of `swiss`, the best players first: from the best score down, each player meets the first opponent, by
/// nearness in score and then by suitable colours, that leaves the rest of the round possible.
pub(super) fn draw(swiss: &Swiss) -> Vec<DrawnPairing> {
    let bye = swiss.players.len();
    let drawn = swiss.nearest().into_iter().map(|(one, other)| {
        if one == bye || other == bye {
            return DrawnPairing::Bye(one.min(other));
        }
        // The player that had black less often gets it; if both are equal, the player that comes first in this round's
        // order gets it.
        let one_is_black = swiss.players[one].colours <= swiss.players[other].colours;
        let (black, white) = if one_is_black { (one, other) } else { (other, one) };
        DrawnPairing::Meeting { sides: BySide { black, white }, winner: None }
    });
    drawn.collect()
}

impl Swiss {
    /// Returns the pairings of this round, the best players first. A bye appears as a pairing with the index after the
    /// last player.
    fn nearest(&self) -> Vec<(PlayerIndex, PlayerIndex)> {
        let order = self.order();
        let bye = self.players.len();
        let vertices = bye.next_multiple_of(2);
        let matching = |rigour| Some((rigour, Matching::perfect(vertices, move |a, b| self.allows(rigour, a, b))?));
        let Some((rigour, mut matching)) = Rigour::ALL.into_iter().find_map(matching) else { return Vec::new() };
        let mut pairs = Vec::with_capacity(vertices / 2);
        if vertices > bye {
            // Once byes come round again, players without one come first.
            let mut last_first: Vec<PlayerIndex> = order.iter().rev().copied().collect();
            last_first.sort_by_key(|&player| self.players[player].byes > 0);
            pairs.extend(matching.settle(bye, last_first).map(|player| (player, bye)));
        }
        for &player in &order {
            if matching.is_settled(player) {
                continue;
            }
            let mut others: Vec<PlayerIndex> =
                order.iter().copied().filter(|&other| other != player && !matching.is_settled(other)).collect();
            others.sort_by_key(|&other| {
                (rigour == Rigour::Any && (self.times_met(player, other) > 0), self.unlike(player, other))
            });
            pairs.extend(matching.settle(player, others).map(|other| (player, other)));
        }
        pairs
    }

    fn allows(&self, rigour: Rigour, one: PlayerIndex, other: PlayerIndex) -> bool {
        if one == other {
            return false;
        }
        let bye = self.players.len();
        if rigour == Rigour::Any {
            return true;
        }
        if one == bye || other == bye {
            return self.players[one.min(other)].byes == 0;
        }
        let (a, b) = (self.players[one].colours, self.players[other].colours);
        let clash = a.abs() >= 2 && b.abs() >= 2 && (a > 0) == (b > 0);
        let clash = clash && rigour == Rigour::NewPairingsWithColours;
        !clash && self.times_met(one, other) == 0
    }

    /// Returns how badly two players suit each other: first by their scores, then by their colours.
    fn unlike(&self, one: PlayerIndex, other: PlayerIndex) -> (u32, u32) {
        let (one, other) = (self.players[one], self.players[other]);
        let worse_colours = (one.colours + other.colours).unsigned_abs();
        (one.half_points.abs_diff(other.half_points), if self.legs == Legs::One { worse_colours } else { 0 })
    }
}
