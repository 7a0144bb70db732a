//! The plies with which games start, so that deterministic players do not repeat their games.

use super::gcd::gcd;
use crate::base::random::{SplitMix64, mix};
use crate::exact::balanced_openings::Balanced;
use crate::game::{BySide, Move, Ruleset};

/// Draws openings.
///
/// An opening is a number in a mixed radix. It has one digit for each ply, which selects one of the legal placements.
/// The radix of a digit is the number of placements on the empty board, minus one for each earlier ply. A pair of
/// players goes through these numbers with a step size that has no factor in common with their count, so that each
/// number is used once before any is used again. From the third ply on, some digits exceed the number of legal
/// placements; these wrap around to the first placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Openings {
    ruleset: Ruleset,
    plies: u32,
    /// How many placements the empty board offers.
    placements: u64,
    /// How many numbers there are.
    numbers: u64,
    /// The openings that the numbers select; `None` means all openings.
    chosen: Option<&'static Balanced>,
}

impl Openings {
    /// Draws openings of `plies` plies; `None` if `plies` is 0.
    pub(super) fn new(ruleset: Ruleset, plies: u32) -> Option<Self> {
        if plies == 0 {
            return None;
        }
        let start = ruleset.start();
        let placements = start.legal_moves().iter().filter(|played| !played.is_pass()).count() as u64;
        // On a large board, there are more numbers than fit into a `u64`; only those that fit are then used.
        let radices = (0..u64::from(plies)).map(|ply| radix(placements, ply));
        let numbers = radices.fold(1_u64, u64::saturating_mul);
        Some(Self { ruleset, plies, placements, numbers, chosen: None })
    }

    /// Draws only from the openings in `chosen`.
    pub(super) fn among(self, chosen: &'static Balanced) -> Self {
        Self { numbers: chosen.openings().len() as u64, chosen: Some(chosen), ..self }
    }

    /// Returns the opening of game `nth` (from 1) between two players, given by their slugs, in round `round` (from 1).
    /// The colours of the players make no difference.
    pub(super) fn of(&self, seed: u64, slugs: BySide<&str>, round: u32, nth: u32) -> Vec<Move> {
        let (one, other) = (slugs.black.min(slugs.white), slugs.black.max(slugs.white));
        let mut random = SplitMix64::new(mix(seed, &format!("openings-{one}-{other}")));
        let start = random.below(self.numbers);
        let step = self.step(&mut random);
        // Players who meet more than once in a round meet in no other round, so the sum is different for each of their
        // games.
        let place = u64::from(round) + u64::from(nth) - 2;
        let number = (u128::from(start) + u128::from(place) * u128::from(step)) % u128::from(self.numbers);
        self.moves(u64::try_from(number).unwrap_or(0))
    }

    /// Draws a step size with which all numbers are reached.
    fn step(&self, random: &mut SplitMix64) -> u64 {
        loop {
            let step = 1 + random.below(self.numbers);
            if gcd(step, self.numbers) == 1 {
                return step;
            }
        }
    }

    /// Returns the opening with this number. It never ends the game, and it has fewer plies only if no placement is
    /// left.
    fn moves(&self, number: u64) -> Vec<Move> {
        if let Some(chosen) = self.chosen {
            return usize::try_from(number)
                .ok()
                .and_then(|number| chosen.openings().get(number))
                .cloned()
                .unwrap_or_default();
        }
        let mut position = self.ruleset.start();
        let mut number = number;
        let mut moves = Vec::new();
        for ply in 0..u64::from(self.plies) {
            let legal: Vec<Move> = position.legal_moves().into_iter().filter(|played| !played.is_pass()).collect();
            let radix = radix(self.placements, ply);
            let digit = usize::try_from(number % radix).unwrap_or(0);
            number /= radix;
            if legal.is_empty() {
                break;
            }
            let played = legal[digit % legal.len()];
            if position.play(played.as_str()).is_err() || position.outcome().is_some() {
                break;
            }
            moves.push(played);
        }
        moves
    }
}

/// Returns how many different digits the ply with this index can have.
fn radix(placements: u64, ply: u64) -> u64 {
    placements.saturating_sub(ply).max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use super::*;
    use crate::game::Side;

    /// Returns the openings of two plies on the same file of the board.
    fn some() -> &'static Balanced {
        let chosen = Balanced::by(2, &|game| {
            let board = game.board();
            let file = |side| board.stones(side).trailing_zeros() % 6;
            let nearest = file(Side::Black) == file(Side::White);
            if nearest { 1 } else { 2 }
        });
        Box::leak(Box::new(chosen))
    }

    #[test]
    fn every_chosen_opening_is_used_before_any_is_used_again() {
        let chosen = some();
        let count = chosen.openings().len();
        assert_eq!(count, 25 * 4);
        let openings = Openings::new(Ruleset::Gothello, 2).expect("more than none").among(chosen);
        for seed in 0..20 {
            let slugs = BySide { black: "a", white: "b" };
            let round = |round: usize| openings.of(seed, slugs, u32::try_from(round).expect("small"), 1);
            let drawn: BTreeSet<String> = (1..=count).map(|nth| format!("{:?}", round(nth))).collect();
            let all: BTreeSet<String> = chosen.openings().iter().map(|opening| format!("{opening:?}")).collect();
            assert_eq!(drawn, all);
            assert_eq!(round(1), round(count + 1));
            let swapped = BySide { black: "b", white: "a" };
            assert_eq!(openings.of(seed, swapped, 3, 1), round(3));
        }
    }

    #[test]
    fn each_seed_draws_in_an_order_of_its_own() {
        let openings = Openings::new(Ruleset::Gothello, 2).expect("more than none").among(some());
        let mut firsts: HashMap<String, u32> = HashMap::new();
        for seed in 0..100 {
            *firsts.entry(format!("{:?}", openings.of(seed, BySide { black: "a", white: "b" }, 1, 1))).or_default() +=
                1;
        }
        assert!(firsts.len() > 40, "{firsts:?}");
    }
}
