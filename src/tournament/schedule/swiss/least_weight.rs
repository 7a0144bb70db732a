//! Draws a round whose pairings have the least weight.
//!
//! The weight of a round is a list of numbers, each of which matters more than all later ones together: first the
//! things that must be avoided whenever possible, then the differences in score, then colours, and finally a random
//! number. Each number is a sum over the pairings, so the round with the least weight is a minimum-cost perfect
//! matching.

use std::cmp::Reverse;

use super::{DrawnPairing, Swiss};
use crate::base::random::{SplitMix64, mix};
use crate::game::{BySide, Side};
use crate::tournament::Legs;
use crate::tournament::schedule::PlayerIndex;
use crate::tournament::schedule::min_weight::{Cost, mates};

/// The numbers that a pairing adds to the weight of its round, most important first.
type Weight = [u64; 9];

/// Lots are below this number. It is so large that two rounds whose weights are otherwise equal rarely have equal lots.
const LOTS: u64 = 1 << 16;

/// The most that a squared balance of colours can count, so that the weights in a long tournament stay bounded.
const WORST_BALANCE: u64 = 16;

/// Draws the round of `swiss`, and lists the pairings of the best players first.
pub(super) fn draw(swiss: &Swiss) -> Vec<DrawnPairing> {
    let order = swiss.order();
    let weights = RoundWeights::new(swiss);
    let bye = swiss.players.len();
    let vertices = bye.next_multiple_of(2);
    let units = units(vertices, |one, other| weights.of(one, other));
    let cost = |one: usize, other: usize| {
        weights.of(one, other).into_iter().zip(units).map(|(number, unit)| Cost::from(number) * unit).sum()
    };
    let mates = mates(vertices, cost);
    let mut places = vec![0; vertices];
    order.iter().enumerate().for_each(|(place, &player)| places[player] = place);
    let first = |player: &PlayerIndex| mates[*player] == bye || places[*player] < places[mates[*player]];
    let drawn = order.iter().copied().filter(first).map(|player| match mates[player] {
        mate if mate == bye => DrawnPairing::Bye(player),
        mate => DrawnPairing::Meeting { sides: weights.sides(player, mate).0, winner: None },
    });
    drawn.collect()
}

/// For each number of a weight, the factor by which its sum over the pairings of a round has to be multiplied so that
/// it matters more than all later numbers together.
fn units(vertices: usize, weight: impl Fn(usize, usize) -> Weight) -> [Cost; 9] {
    let mut most = Weight::default();
    for one in 0..vertices {
        for other in 0..one {
            for (most, number) in most.iter_mut().zip(weight(one, other)) {
                *most = number.max(*most);
            }
        }
    }
    let mut units = [1; 9];
    for later in (1..units.len()).rev() {
        let pairs = if BYE.contains(&later) { 1 } else { vertices as Cost / 2 };
        units[later - 1] = units[later] * (pairs * Cost::from(most[later]) + 1);
    }
    units
}

/// The indices of the numbers in a weight that come only from the pairing with the bye.
const BYE: [usize; 2] = [0, 4];

/// The weights of the pairings of a round.
struct RoundWeights<'s> {
    swiss: &'s Swiss,
    /// A random number for each player, and one for the bye.
    lots: Vec<u64>,
}

/// The numbers that a game adds to a weight because of its players' colours, most important first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct ColourWeight {
    /// The number of players that get the same colour for the third time in a row.
    thirds: u64,
    /// The number of players for whom the numbers of games with the two colours differ by more than two.
    beyond_two: u64,
    /// The sum of the squares of the players' balances after the game.
    balance: u64,
    /// The number of players that get the colour of their last game again.
    repeated: u64,
}

impl<'s> RoundWeights<'s> {
    fn new(swiss: &'s Swiss) -> Self {
        let lot = swiss.lot();
        let lots = swiss.slugs.iter().map(|slug| mix(lot, slug)).chain([lot]).collect();
        Self { swiss, lots }
    }

    /// The numbers that the pairing of `one` with `other` adds to the weight of the round. One of the two can be the
    /// bye.
    fn of(&self, one: PlayerIndex, other: PlayerIndex) -> Weight {
        let lot = SplitMix64::new(self.lots[one] ^ self.lots[other]).next_u64() % LOTS;
        let players = &self.swiss.players;
        let (lower, upper) = (one.min(other), one.max(other));
        if upper == players.len() {
            let sitting = players[lower];
            return [sitting.byes.into(), 0, 0, 0, sitting.half_points.into(), 0, 0, 0, lot];
        }
        let (_, ColourWeight { thirds, beyond_two, balance, repeated }) = self.sides(one, other);
        let apart = players[one].half_points.abs_diff(players[other].half_points);
        let met = self.swiss.times_met(one, other);
        [0, met.into(), thirds, beyond_two, 0, apart.into(), balance, repeated, lot]
    }

    /// Determines which of the two players has black in their first game. Returns the sides and the resulting weight.
    fn sides(&self, one: PlayerIndex, other: PlayerIndex) -> (BySide<PlayerIndex>, ColourWeight) {
        let options = [(one, other), (other, one)].map(|(black, white)| {
            let sides = BySide { black, white };
            (sides, self.of_colours(sides))
        });
        let [first, second] = options;
        let by_lot = |sides: BySide<PlayerIndex>| Reverse((self.lots[sides.black], sides.black));
        if (first.1, by_lot(first.0)) <= (second.1, by_lot(second.0)) { first } else { second }
    }

    fn of_colours(&self, sides: BySide<PlayerIndex>) -> ColourWeight {
        if self.swiss.legs == Legs::Two {
            // Both players get each colour once.
            return ColourWeight::default();
        }
        let mut weight = ColourWeight::default();
        for side in Side::BOTH {
            let player = &self.swiss.players[sides[side]];
            let after = u64::from(player.colours_after(side).unsigned_abs());
            weight.thirds += u64::from(player.would_be_third(side));
            weight.beyond_two += u64::from(after > 2);
            weight.balance += (after * after).min(WORST_BALANCE);
            weight.repeated += u64::from(player.last[0] == Some(side));
        }
        weight
    }
}
