//! The numbers of the games that have a result.

use std::collections::{BTreeSet, HashSet};

/// A set of game numbers. The numbers below a limit take no memory.
#[derive(Clone, Debug, Default)]
pub struct FinishedNumbers {
    /// All numbers below this one are in the set, except those in `except`.
    below: u64,
    except: BTreeSet<u64>,
    others: HashSet<u64>,
}

impl FinishedNumbers {
    /// All games below `below` except those in `except`.
    pub(super) fn all_below(below: u64, except: impl Iterator<Item = u64>) -> Self {
        Self { below, except: except.collect(), others: HashSet::new() }
    }

    /// Whether game `number` is in the set.
    pub fn contains(&self, number: u64) -> bool {
        number < self.below && !self.except.contains(&number) || self.others.contains(&number)
    }

    /// Adds game `number`.
    pub fn insert(&mut self, number: u64) {
        if !self.except.remove(&number) && number >= self.below {
            self.others.insert(number);
        }
    }
}

impl FromIterator<u64> for FinishedNumbers {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        Self { others: numbers.into_iter().collect(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_in_the_set_once_it_was_added_or_if_it_is_below_the_limit_and_no_exception() {
        let mut games = FinishedNumbers::all_below(5, [1, 3].into_iter());
        games.insert(3);
        games.insert(9);
        assert!((0..12).filter(|&number| games.contains(number)).eq([0, 2, 3, 4, 9]));
        let listed: FinishedNumbers = [7, 2].into_iter().collect();
        assert!((0..9).filter(|&number| listed.contains(number)).eq([2, 7]));
    }
}
