//! The plies with which games start, so that players without chance of their own do not repeat themselves.

use super::gauntlet::gcd;
use crate::random::{SplitMix64, mix};
use crate::rules::{BySide, Move, Ruleset};

/// Draws openings.
///
/// An opening is a number in a mixed radix, a digit a ply, which picks one of the legal placements; the radix is what the
/// empty board offers, less one for each ply before. A pair of players goes through these numbers by steps of a size that
/// has no factor in common with how many there are, so that all of them come before any comes again. A digit beyond the
/// legal placements, of which there are a few from the third ply on, starts again from the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Openings {
    ruleset: Ruleset,
    plies: u32,
    /// How many placements the empty board offers.
    placements: u64,
    /// How many numbers there are.
    numbers: u64,
}

impl Openings {
    /// Openings of so many plies; `None` for 0.
    pub(super) fn new(ruleset: Ruleset, plies: u32) -> Option<Self> {
        if plies == 0 {
            return None;
        }
        let start = ruleset.start();
        let placements = start.legal_moves().iter().filter(|played| !played.is_pass()).count() as u64;
        // On a large board there are more numbers than fit: then any of those that fit will do.
        let radices = (0..u64::from(plies)).map(|ply| radix(placements, ply));
        let numbers = radices.fold(1_u64, u64::saturating_mul);
        Some(Self { ruleset, plies, placements, numbers })
    }

    /// The opening of the games between two players, given by their slugs, with this number in this round, both from 1.
    /// Which of them has which colour makes no difference.
    pub(super) fn of(&self, seed: u64, slugs: BySide<&str>, round: u32, nth: u32) -> Vec<Move> {
        let (one, other) = (slugs.black.min(slugs.white), slugs.black.max(slugs.white));
        let mut random = SplitMix64::new(mix(seed, &format!("openings-{one}-{other}")));
        let start = random.below(self.numbers);
        let step = self.step(&mut random);
        // Two players who meet more than once in a round meet in no other, so that the sum is a place of its own.
        let place = u64::from(round) + u64::from(nth) - 2;
        let number = (u128::from(start) + u128::from(place) * u128::from(step)) % u128::from(self.numbers);
        self.moves(u64::try_from(number).unwrap_or(0))
    }

    /// A step size that goes through all the numbers.
    fn step(&self, random: &mut SplitMix64) -> u64 {
        loop {
            let step = 1 + random.below(self.numbers);
            if gcd(step, self.numbers) == 1 {
                return step;
            }
        }
    }

    /// The opening with this number. It never ends the game, and is shorter only where no placement is left.
    fn moves(&self, number: u64) -> Vec<Move> {
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

/// How many digits there are for the ply with this index.
fn radix(placements: u64, ply: u64) -> u64 {
    placements.saturating_sub(ply).max(1)
}
