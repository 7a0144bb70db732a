//! Enumerates every set of players once, in a seeded order, without storing the sets.

use super::super::PlayerIndex;
use super::super::gcd::gcd;
use crate::base::random::{SplitMix64, mix};

/// The number of sets of `chosen` elements among `all`; `None` if the number does not fit into a `u64`.
pub(super) fn sets(all: u64, chosen: u64) -> Option<u64> {
    if chosen > all {
        return Some(0);
    }
    let product = (1..=chosen).try_fold(1_u128, |sets, factor| {
        // Each quotient is itself a number of sets, so the division leaves no remainder.
        sets.checked_mul(u128::from(all - chosen + factor)).map(|product| product / u128::from(factor))
    });
    u64::try_from(product?).ok()
}

/// Returns the players of the set with this number, starting from 0, in ascending order.
///
/// The sets are ordered by their largest player, then by the next largest, and so on (the colexicographic order). A set
/// therefore keeps its number if players are added.
pub(super) fn set(number: u64, chosen: u64, all: u64) -> Vec<PlayerIndex> {
    let mut rest = number;
    let mut largest = all;
    let mut players: Vec<PlayerIndex> = (1..=chosen)
        .rev()
        .map(|size| {
            let (mut low, mut high) = (size - 1, largest);
            while high - low > 1 {
                let middle = low.midpoint(high);
                if sets(middle, size).is_some_and(|sets| sets <= rest) { low = middle } else { high = middle }
            }
            rest -= sets(low, size).unwrap_or(0);
            largest = low;
            index(low)
        })
        .collect();
    players.reverse();
    players
}

/// An order of numbers in which numbers that are near each other are not adjacent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stride {
    start: u64,
    /// The distance between two consecutive numbers, which has no factor in common with `numbers`.
    step: u64,
    numbers: u64,
}

impl Stride {
    /// Draws an order of the numbers below `numbers` for a round, starting from 1.
    pub(super) fn draw(seed: u64, round: u32, numbers: u64) -> Self {
        let mut random = SplitMix64::new(mix(seed, &format!("all tables of round {round}")));
        let start = random.below(numbers);
        loop {
            let step = 1 + random.below(numbers);
            if gcd(step, numbers) == 1 {
                return Self { start, step, numbers };
            }
        }
    }

    /// Returns the number at `place`, starting from 0.
    pub(super) fn at(self, place: u64) -> u64 {
        let number = u128::from(self.start) + u128::from(place) * u128::from(self.step);
        u64::try_from(number % u128::from(self.numbers)).unwrap_or(0)
    }
}

/// Converts a player's number, which came from a `usize`.
#[expect(clippy::cast_possible_truncation, reason = "less than the number of players, which was a usize")]
const fn index(player: u64) -> PlayerIndex {
    player as PlayerIndex
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_set_has_one_number_and_keeps_it_when_players_are_added(chosen in 1_u64..7, more in 0_u64..6, added in 0_u64..9) {
            let all = chosen + more;
            let number = sets(all, chosen).expect("few");
            let found: BTreeSet<Vec<PlayerIndex>> = (0..number).map(|number| set(number, chosen, all)).collect();
            prop_assert_eq!(found.len() as u64, number);
            for players in &found {
                prop_assert!(players.is_sorted_by(|one, other| one < other));
                prop_assert!(players.len() as u64 == chosen && players.iter().all(|&player| (player as u64) < all));
            }
            for number in 0..number {
                prop_assert_eq!(set(number, chosen, all + added), set(number, chosen, all));
            }
        }

        #[test]
        fn a_stride_takes_every_number_once(seed: u64, round in 1_u32..9, numbers in 1_u64..300) {
            let stride = Stride::draw(seed, round, numbers);
            let taken: BTreeSet<u64> = (0..numbers).map(|place| stride.at(place)).collect();
            prop_assert!(taken.len() as u64 == numbers && taken.iter().all(|&number| number < numbers));
        }
    }

    #[test]
    fn numbers_of_sets_that_do_not_fit_are_none() {
        assert_eq!([sets(4, 4), sets(60, 4), sets(3, 4), sets(0, 0)], [Some(1), Some(487_635), Some(0), Some(1)]);
        assert_eq!(sets(1_000_000, 6), None);
    }
}
