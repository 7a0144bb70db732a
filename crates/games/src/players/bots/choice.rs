//! A random choice among the best of many values.

use crate::base::random::SplitMix64;

/// Returns one of the values with the highest score, chosen at random, and its score; `None` if there are no values.
pub(super) fn one_of<T: Copy>(scored: impl Iterator<Item = (i32, T)>, random: &mut SplitMix64) -> Option<(i32, T)> {
    let mut choice = Choice::default();
    for (score, value) in scored {
        choice.offer(score, value, random);
    }
    choice.best
}

/// A random choice among the best of the values that are offered one by one.
pub(super) struct Choice<T> {
    pub(super) best: Option<(i32, T)>,
    /// How many of the values offered so far are as good as the best.
    equals: u64,
}

impl<T> Default for Choice<T> {
    fn default() -> Self {
        Self { best: None, equals: 0 }
    }
}

impl<T: Copy> Choice<T> {
    /// Returns the best score so far.
    pub(super) fn score(&self) -> Option<i32> {
        self.best.map(|(score, _)| score)
    }

    /// Chooses `value` if it is better than the best so far, or with probability 1/n if it is the n-th of the best
    /// values.
    pub(super) fn offer(&mut self, score: i32, value: T, random: &mut SplitMix64) {
        self.equals = match self.score() {
            Some(best) if score < best => return,
            Some(best) if score == best => self.equals + 1,
            _ => 1,
        };
        if random.below(self.equals) == 0 {
            self.best = Some((score, value));
        }
    }
}
