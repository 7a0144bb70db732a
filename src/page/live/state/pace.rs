//! The progress of the run, and an estimate of the time that the rest will take.

use std::collections::VecDeque;
use std::time::Duration;

use serde::Serialize;

/// How many of the latest games determine the pace.
const WINDOW: usize = 200;

/// The number of games that must have ended, and the time that must have passed, before the pace is meaningful: the
/// games that end first are the short ones.
const LEAST_GAMES: usize = 5;
const LEAST_TIME: Duration = Duration::from_secs(10);

/// The progress of a run, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ProgressObject<'a> {
    done: u64,
    total: Option<u64>,
    most: bool,
    eta_s: Option<u64>,
    #[serde(flatten)]
    warnings: ProgressWarnings<'a>,
}

/// The information about a run to report in addition to the number of games that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ProgressWarnings<'a> {
    /// The progress of a sequential test, in words.
    pub(crate) test: Option<&'a str>,
    /// The number of workers, in words.
    pub(crate) workers: Option<&'a str>,
    /// The number of moves that the page has missed.
    pub(crate) missed: u64,
}

/// The pace of the games so far.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    done: u64,
    total: Option<u64>,
    /// Whether `total` is only a maximum.
    is_most: bool,
    /// When the window began, and when each of its games ended.
    since: Duration,
    ends: VecDeque<Duration>,
}

impl Pace {
    /// The pace of a run of `total` games, or, if `is_most` is set, of at most `total` games; `done` of them had ended
    /// at time zero.
    pub(crate) const fn new(done: u64, total: Option<u64>, is_most: bool) -> Self {
        Self { done, total, is_most, since: Duration::ZERO, ends: VecDeque::new() }
    }

    /// Records that another game has ended.
    pub(crate) fn add(&mut self, at: Duration) {
        self.done += 1;
        self.ends.push_back(at);
        if self.ends.len() > WINDOW {
            self.since = self.ends.pop_front().unwrap_or(self.since);
        }
    }

    /// The progress at the time `at`, together with the given `warnings`.
    pub(crate) fn progress<'a>(&self, at: Duration, warnings: ProgressWarnings<'a>) -> ProgressObject<'a> {
        let &Self { done, total, is_most: most, .. } = self;
        ProgressObject { done, total, most, eta_s: self.seconds_left(at), warnings }
    }

    /// The time that the remaining games will take at the pace of the latest ones; `None` while too few games have
    /// ended for an estimate.
    fn seconds_left(&self, at: Duration) -> Option<u64> {
        let left = self.total?.saturating_sub(self.done);
        let spent = at.saturating_sub(self.since);
        if self.ends.len() < LEAST_GAMES || at < LEAST_TIME {
            return None;
        }
        u64::try_from(spent.as_millis() * u128::from(left) / self.ends.len() as u128 / 1000).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eta(pace: &Pace, at: u64) -> Option<u64> {
        pace.progress(Duration::from_secs(at), ProgressWarnings::default()).eta_s
    }

    #[test]
    fn the_rest_takes_as_long_as_the_latest_games_did() {
        let mut pace = Pace::new(100, Some(1100), false);
        assert_eq!(eta(&pace, 10), None, "no game has ended yet");
        (6..=9).for_each(|second| pace.add(Duration::from_secs(second)));
        assert_eq!(eta(&pace, 60), None, "four games may be the short ones");
        pace.add(Duration::from_secs(10));
        assert_eq!(eta(&pace, 9), None, "nine seconds may be too few");
        assert_eq!(eta(&pace, 10), Some(1990), "five games in ten seconds");
        (15..=500).for_each(|second| pace.add(Duration::from_secs(second)));
        assert_eq!(eta(&pace, 500), Some(509), "a game a second");
        assert_eq!(eta(&pace, 700), Some(1018), "nothing has ended for a while");
        (0..509).for_each(|_| pace.add(Duration::from_secs(700)));
        assert_eq!(eta(&pace, 700), Some(0));
    }

    #[test]
    fn a_run_without_a_known_end_has_no_time_left() {
        let mut pace = Pace::new(0, None, false);
        pace.add(Duration::from_secs(1));
        assert_eq!(eta(&pace, 5), None);
    }
}
