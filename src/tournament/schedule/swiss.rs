//! Players with similar scores meet, round by round and without rematches.

use std::collections::HashSet;
use std::sync::Arc;

use super::matching::Matching;
use super::{Decided, Fixture, KnownResult, PlayerIndex, Step};
use crate::base::random::mix;
use crate::game::rules::{BySide, Side};
use crate::tournament::file::Legs;

/// A Swiss tournament.
///
/// Each round pairs the players from the best score down, with equal ones in an order that is drawn for the round. Each
/// player meets the first opponent, by nearness in score and then by suitable colours, that leaves the rest of the
/// round possible. With an odd number of players, the last player that has had no bye gets one, which counts as if the
/// player had won all its games.
///
/// There are no rematches and no second byes as long as a round can be made up without them. This is certain up to the
/// round whose number is half the number of players: a graph in which every vertex has an edge to at least half of the
/// others has a perfect matching, by Dirac's theorem. If possible, no two players meet that have both had the same colour
/// in at least two games more than the other colour.
#[derive(Clone, Debug)]
pub(super) struct Swiss {
    slugs: Arc<[String]>,
    rounds: u32,
    legs: Legs,
    seed: u64,
    /// The round, starting from 1; 0 before the first round is drawn.
    round: u32,
    /// The games of the round.
    fixtures: Vec<Fixture>,
    /// How many of them have been handed out.
    taken: usize,
    players: Vec<Standing>,
    /// Which players have met, as pairs with the smaller index first.
    met: HashSet<(PlayerIndex, PlayerIndex)>,
}

/// Where a player stands in the tournament.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    half_points: u32,
    /// Games with black minus games with white.
    colours: i32,
    had_bye: bool,
}

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

impl Swiss {
    pub(super) fn new(slugs: Arc<[String]>, rounds: u32, legs: Legs, seed: u64) -> Self {
        let players = vec![Standing::default(); slugs.len()];
        Self { slugs, rounds, legs, seed, round: 0, fixtures: Vec::new(), taken: 0, players, met: HashSet::new() }
    }

    pub(super) fn games(&self) -> u64 {
        self.slugs.len() as u64 / 2 * u64::from(self.rounds) * u64::from(self.legs.games())
    }

    pub(super) fn next(&mut self, known: KnownResult<'_>) -> Step<Fixture> {
        if self.taken == self.fixtures.len() {
            if self.round == self.rounds {
                return Step::Done;
            }
            let results: Option<Vec<Decided>> = self.fixtures.iter().map(known).collect();
            let Some(results) = results else { return Step::Wait };
            self.count(&results);
            self.draw();
        }
        let fixture = self.fixtures[self.taken];
        self.taken += 1;
        Step::Game(fixture)
    }

    /// Counts the results of a round.
    fn count(&mut self, results: &[Decided]) {
        for (fixture, decided) in self.fixtures.iter().zip(results) {
            for side in Side::BOTH {
                let player = &mut self.players[fixture.players[side]];
                player.half_points += u32::from(decided.half_points(side));
                player.colours += if side == Side::Black { 1 } else { -1 };
            }
        }
    }

    /// Draws the next round.
    fn draw(&mut self) {
        self.round += 1;
        self.taken = 0;
        self.fixtures = self.pairs().into_iter().filter_map(|(one, other)| self.meet(one, other)).collect();
        if self.legs == Legs::Two {
            for leg in 0..self.fixtures.len() {
                let Fixture { players: BySide { black, white }, .. } = self.fixtures[leg];
                self.fixtures.push(Fixture { players: BySide { black: white, white: black }, ..self.fixtures[leg] });
            }
        }
    }

    /// Returns the game of these two players, or `None` if one of them is the bye.
    fn meet(&mut self, one: PlayerIndex, other: PlayerIndex) -> Option<Fixture> {
        let bye = self.players.len();
        if one == bye || other == bye {
            let player = &mut self.players[one.min(other)];
            player.had_bye = true;
            player.half_points += 2 * self.legs.games();
            return None;
        }
        self.met.insert((one.min(other), one.max(other)));
        // The player that had black less often gets it; if both are equal, the player that comes first in this round's
        // order gets it.
        let one_is_black = self.players[one].colours <= self.players[other].colours;
        let (black, white) = if one_is_black { (one, other) } else { (other, one) };
        Some(Fixture { round: self.round, nth: 1, players: BySide { black, white } })
    }

    /// Returns the pairings of this round, the best players first. A bye appears as a pairing with the index after the
    /// last player.
    fn pairs(&self) -> Vec<(PlayerIndex, PlayerIndex)> {
        let order = self.order();
        let bye = self.players.len();
        let vertices = bye.next_multiple_of(2);
        let matching = |rigour| Some((rigour, Matching::perfect(vertices, move |a, b| self.allows(rigour, a, b))?));
        let Some((rigour, mut matching)) = Rigour::ALL.into_iter().find_map(matching) else { return Vec::new() };
        let mut pairs = Vec::with_capacity(vertices / 2);
        if vertices > bye {
            // Once byes come round again, players without one come first.
            let mut last_first: Vec<PlayerIndex> = order.iter().rev().copied().collect();
            last_first.sort_by_key(|&player| self.players[player].had_bye);
            pairs.extend(matching.settle(bye, last_first).map(|player| (player, bye)));
        }
        for &player in &order {
            if matching.is_settled(player) {
                continue;
            }
            let mut others: Vec<PlayerIndex> =
                order.iter().copied().filter(|&other| other != player && !matching.is_settled(other)).collect();
            others.sort_by_key(|&other| {
                (rigour == Rigour::Any && self.have_met(player, other), self.unlike(player, other))
            });
            pairs.extend(matching.settle(player, others).map(|other| (player, other)));
        }
        pairs
    }

    /// Returns the players, the best first, with equal ones in an order that is drawn for this round.
    fn order(&self) -> Vec<PlayerIndex> {
        let draw = mix(self.seed, &format!("swiss round {}", self.round));
        let mut order: Vec<PlayerIndex> = (0..self.players.len()).collect();
        order.sort_by_cached_key(|&player| {
            (std::cmp::Reverse(self.players[player].half_points), mix(draw, &self.slugs[player]), player)
        });
        order
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
            return !self.players[one.min(other)].had_bye;
        }
        let (a, b) = (self.players[one].colours, self.players[other].colours);
        let clash = a.abs() >= 2 && b.abs() >= 2 && (a > 0) == (b > 0);
        let clash = clash && rigour == Rigour::NewPairingsWithColours;
        !clash && !self.have_met(one, other)
    }

    fn have_met(&self, one: PlayerIndex, other: PlayerIndex) -> bool {
        self.met.contains(&(one.min(other), one.max(other)))
    }

    /// Returns how badly two players suit each other: first by their scores, then by their colours.
    fn unlike(&self, one: PlayerIndex, other: PlayerIndex) -> (u32, u32) {
        let (one, other) = (self.players[one], self.players[other]);
        let worse_colours = (one.colours + other.colours).unsigned_abs();
        (one.half_points.abs_diff(other.half_points), if self.legs == Legs::One { worse_colours } else { 0 })
    }
}
