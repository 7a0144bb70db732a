//! Measures the arena's own lateness: the time between the arrival of a move in the system and its processing by the
//! arena.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::referee::record::LATENESS_TAG;

/// The arena's lateness for any number of moves, with an error of at most one sixteenth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// How many moves fall into each bucket; see [`bucket`].
    moves: BTreeMap<u64, u64>,
    max: Duration,
    sum: Duration,
}

impl Lateness {
    /// Adds a move.
    pub fn add(&mut self, late: Duration) {
        *self.moves.entry(bucket(micros(late))).or_default() += 1;
        self.max = self.max.max(late);
        self.sum = self.sum.saturating_add(late);
    }

    /// Adds the moves of another game.
    pub fn add_all(&mut self, other: &Self) {
        for (bucket, moves) in &other.moves {
            *self.moves.entry(*bucket).or_default() += moves;
        }
        self.max = self.max.max(other.max);
        self.sum = self.sum.saturating_add(other.sum);
    }

    /// The game log tag with these figures, unless there were no moves.
    pub fn tag(&self) -> Option<(String, String)> {
        (self.moves() > 0).then(|| (LATENESS_TAG.to_owned(), self.to_string()))
    }

    /// How many moves there were.
    pub fn moves(&self) -> u64 {
        self.moves.values().sum()
    }

    /// The 99th percentile of lateness. It is up to a sixteenth too high, and zero without moves.
    pub fn p99(&self) -> Duration {
        let rank = (self.moves() * 99).div_ceil(100);
        let mut below = 0;
        for (&bucket, moves) in &self.moves {
            below += moves;
            if below >= rank {
                return Duration::from_micros(highest(bucket)).min(self.max);
            }
        }
        Duration::ZERO
    }

    /// The maximum lateness.
    pub const fn max(&self) -> Duration {
        self.max
    }
}

/// `p99 0.000041 max 0.000358 sum 0.000614`, in seconds.
impl fmt::Display for Lateness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p99, max, sum] = [self.p99(), self.max, self.sum].map(|time| time.as_secs_f64());
        write!(f, "p99 {p99:.6} max {max:.6} sum {sum:.6}")
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The number of bits that distinguish numbers of the same magnitude.
const MANTISSA: u32 = 4;

/// The bucket of a number: the number itself if it is small, or else its magnitude and the bits that follow its leading
/// bit.
const fn bucket(micros: u64) -> u64 {
    let size = u64::BITS - micros.leading_zeros();
    match size.checked_sub(MANTISSA + 1) {
        None => micros,
        Some(dropped) => ((dropped as u64) << MANTISSA) + (micros >> dropped),
    }
}

/// The highest number in a bucket.
const fn highest(bucket: u64) -> u64 {
    match (bucket >> MANTISSA).checked_sub(1) {
        None => bucket,
        Some(dropped) => ((((bucket & ((1 << MANTISSA) - 1)) | (1 << MANTISSA)) + 1) << dropped).wrapping_sub(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_move_in_a_hundred_is_later() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.to_string(), "p99 0.000000 max 0.000000 sum 0.000000");
        for late in 1..=100 {
            lateness.add(Duration::from_micros(late));
        }
        assert_eq!(lateness.to_string(), "p99 0.000099 max 0.000100 sum 0.005050");
    }

    proptest! {
        #[test]
        fn numbers_in_a_bucket_are_a_sixteenth_apart_at_most(micros: u64) {
            let top = highest(bucket(micros));
            prop_assert!(top >= micros && top - micros <= micros / 16);
            prop_assert_eq!(bucket(top), bucket(micros));
            if let Some(next) = top.checked_add(1) {
                prop_assert_eq!(bucket(next), bucket(micros) + 1);
            }
        }

        #[test]
        fn games_add_up(games in proptest::collection::vec(proptest::collection::vec(0_u64..1 << 40, 0..40), 0..5)) {
            let of = |moves: &[u64]| {
                let mut lateness = Lateness::default();
                for &late in moves {
                    lateness.add(Duration::from_micros(late));
                }
                lateness
            };
            let mut sum = Lateness::default();
            for game in &games {
                sum.add_all(&of(game));
            }
            prop_assert_eq!(sum, of(&games.concat()));
        }
    }
}
