//! Whether the arena itself stood still: stopped by a signal or a debugger, or frozen with its machine.
//!
//! A busy machine makes a thread wait too, but the system knows of that waiting. What it does not account for is a stop.

use std::time::Duration;

use crate::base::time::{Instant, Spent, now, spent, uptime};

/// How often a game looks at the least. A stop is found to within this.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// What is no stop yet: starting a program for another game may hold a thread up for so long.
const LEAST: Duration = Duration::from_millis(100);

/// What a machine may take that does not tell how long a thread has waited for its turn on the CPU.
const MOST_UNTOLD: Duration = Duration::from_secs(5);

/// A line that was received so shortly before the arena was seen to run again may be of a bot that was stopped with it.
const MARGIN: Duration = Duration::from_millis(250);

/// Finds out how long its thread stood still.
#[derive(Debug)]
pub(super) struct StallWatch {
    /// What the thread had spent at the last look, and when that was.
    before: (Duration, Option<Spent>),
    /// When it had last waited.
    since: Duration,
}

impl StallWatch {
    pub(super) fn begin() -> Self {
        Self { before: (uptime(), spent()), since: uptime() }
    }

    /// The thread has waited for others, whom nobody can hold to a time.
    pub(super) fn has_waited(&mut self) {
        self.since = uptime();
        self.before = (self.since, spent());
    }

    /// It has waited once more, for at most [`TICK`]. Returns how long it stood still since the last time, beyond what a busy
    /// machine accounts for; zero as a rule.
    pub(super) fn wait_ends(&mut self) -> Duration {
        let time = uptime();
        let late = time.saturating_sub(self.since).saturating_sub(TICK);
        self.since = time;
        if late <= LEAST {
            if time.saturating_sub(self.before.0) > TICK {
                self.before = (time, spent());
            }
            return Duration::ZERO;
        }
        let after = spent();
        let stalled = unaccounted(late, self.before.1, after);
        self.before = (time, after);
        stalled
    }
}

/// What of being `late` is neither running nor waiting to run.
fn unaccounted(late: Duration, before: Option<Spent>, after: Option<Spent>) -> Duration {
    let accounted = match (before, after) {
        (Some(before), Some(after)) => after.since(before),
        _ => MOST_UNTOLD,
    };
    let stalled = late.saturating_sub(accounted);
    if stalled > LEAST { stalled } else { Duration::ZERO }
}

/// The times at which the arena stood still in one turn.
#[derive(Debug, Default)]
pub(super) struct Stalls(Vec<(Instant, Duration)>);

impl Stalls {
    /// It has stood still for so long until now.
    pub(super) fn add(&mut self, stalled: Duration) {
        if !stalled.is_zero() {
            self.0.push((now(), stalled));
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// How long in all.
    pub(super) fn total(&self) -> Duration {
        self.0.iter().map(|(_, stalled)| *stalled).sum()
    }

    /// How long before a line that arrived at `at`. A stop in which the line came is none of these: its player ran on.
    pub(super) fn before(&self, at: Instant) -> Duration {
        self.0.iter().filter(|(until, _)| *until <= at + MARGIN).map(|(_, stalled)| *stalled).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    const fn spent(running: Duration, waiting: Duration) -> Spent {
        Spent { running, waiting }
    }

    #[test]
    fn what_the_system_accounts_for_is_no_stop() {
        let before = Some(spent(SECOND, SECOND));
        for after in [spent(4 * SECOND, SECOND), spent(SECOND, 4 * SECOND), spent(2 * SECOND, 3 * SECOND)] {
            assert_eq!(unaccounted(3 * SECOND, before, Some(after)), Duration::ZERO);
            assert_eq!(unaccounted(7 * SECOND, before, Some(after)), 4 * SECOND);
        }
        assert_eq!(unaccounted(LEAST, before, before), Duration::ZERO);
        assert_eq!(unaccounted(3 * SECOND, None, before), Duration::ZERO);
        assert_eq!(unaccounted(9 * SECOND, before, None), 4 * SECOND);
    }

    #[test]
    fn a_line_that_came_during_a_stop_was_not_held_up_by_it() {
        let mut stalls = Stalls::default();
        let begun = now();
        stalls.add(2 * SECOND);
        stalls.add(Duration::ZERO);
        let found = now();
        assert_eq!(stalls.before(found), 2 * SECOND);
        assert_eq!(stalls.total(), 2 * SECOND);
        assert_eq!(begun.checked_sub(SECOND).map(|at| stalls.before(at)), Some(Duration::ZERO));
    }
}
