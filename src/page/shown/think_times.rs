//! The think times of a player.

use std::collections::BTreeMap;
use std::time::Duration;

/// The number of a player's moves with each think time. Times are coded in steps, and only about two thousand steps
/// occur, so there are no more entries than that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ThinkTimes(BTreeMap<Duration, u64>);

/// One bin of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ThinkTimeBin {
    /// The bin begins at ten to the power of `half_power` / 2, in microseconds. The first bin also contains all shorter
    /// times.
    pub(super) half_power: u32,
    /// The number of moves in the bin.
    pub(super) moves: u64,
}

impl ThinkTimes {
    /// Adds a move that took `time`.
    pub(super) fn add(&mut self, time: Duration) {
        *self.0.entry(time).or_default() += 1;
    }

    /// The number of moves.
    pub(super) fn moves(&self) -> u64 {
        self.0.values().sum()
    }

    /// The median time; if there are two middle times, the longer one.
    pub(super) fn median(&self) -> Option<Duration> {
        let half = self.moves() / 2;
        let mut shorter = 0;
        let is_past = |(_, moves): &(&Duration, &u64)| {
            shorter += **moves;
            shorter > half
        };
        self.0.iter().find(is_past).map(|(&time, _)| time)
    }

    /// The longest time.
    pub(super) fn longest(&self) -> Option<Duration> {
        self.0.last_key_value().map(|(&time, _)| time)
    }

    /// The histogram in steps of half a power of ten, including empty bins.
    pub(super) fn bins(&self) -> Vec<ThinkTimeBin> {
        let mut found: BTreeMap<u32, u64> = BTreeMap::new();
        for (&time, moves) in &self.0 {
            *found.entry(half_power(time)).or_default() += moves;
        }
        let (Some((&first, _)), Some((&last, _))) = (found.first_key_value(), found.last_key_value()) else {
            return Vec::new();
        };
        let bin = |half_power| ThinkTimeBin { half_power, moves: found.get(&half_power).copied().unwrap_or(0) };
        (first..=last).map(bin).collect()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number that is not negative")]
fn half_power(time: Duration) -> u32 {
    (2.0 * (1e6 * time.as_secs_f64()).max(1.0).log10()).floor() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(micros: &[u64]) -> ThinkTimes {
        let mut times = ThinkTimes::default();
        for &micros in micros {
            times.add(Duration::from_micros(micros));
        }
        times
    }

    #[test]
    fn bins_are_half_powers_of_ten_without_a_gap() {
        let bins = |micros: &[u64]| -> Vec<(u32, u64)> {
            times(micros).bins().into_iter().map(|bin| (bin.half_power, bin.moves)).collect()
        };
        assert!(bins(&[]).is_empty());
        assert_eq!(bins(&[0, 1, 3]), [(0, 3)]);
        assert_eq!(bins(&[4, 400, 100]), [(1, 1), (2, 0), (3, 0), (4, 1), (5, 1)]);
    }

    #[test]
    fn the_median_has_as_many_shorter_times_as_longer_ones() {
        let median = |micros: &[u64]| times(micros).median().map(|time| time.as_micros());
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7]), Some(7));
        assert_eq!(median(&[9, 1, 9, 2, 3]), Some(3));
        assert_eq!(median(&[4, 1, 2, 3]), Some(3));
        assert_eq!(times(&[4, 1, 2]).longest(), Some(Duration::from_micros(4)));
        assert_eq!(times(&[4, 4, 2]).moves(), 3);
    }
}
