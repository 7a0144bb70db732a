//! Detects periods in which the arena itself was not running: it was stopped by a signal or a debugger, or frozen with
//! its machine.
//!
//! On a busy machine, threads have to wait, too, but the system accounts for that waiting. Any other time during which
//! a thread did not run counts as a stop.

use std::time::Duration;

use crate::base::time::{Instant, Spent, now, spent, uptime};

/// The maximum interval between two readings of the time. It limits the error of a stop's measured length.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// The longest delay that is not yet considered a stop: starting a program for another game may delay a thread by this
/// much.
const LEAST: Duration = Duration::from_millis(100);

/// The longest delay that is not yet considered a stop on a machine that does not report how long a thread has waited
/// for the CPU.
const MOST_UNTOLD: Duration = Duration::from_secs(5);

/// If a line was received less than this long before the arena noticed that it was running again, the bot that sent the
/// line may have been stopped together with the arena.
const MARGIN: Duration = Duration::from_millis(250);

/// Measures how long its thread was stopped.
#[derive(Debug)]
pub(super) struct StallWatch {
    /// The time of the last reading, and what the thread had spent by then.
    before: (Duration, Option<Spent>),
    /// When the thread's last wait ended.
    since: Duration,
}

impl StallWatch {
    pub(super) fn begin() -> Self {
        Self { before: (uptime(), spent()), since: uptime() }
    }

    /// Records that the thread has waited for other processes, which can take any amount of time.
    pub(super) fn has_waited(&mut self) {
        self.since = uptime();
        self.before = (self.since, spent());
    }

    /// Records that the thread's next wait, of at most [`TICK`], has ended. Returns how long the thread was stopped
    /// since the last wait, beyond what a busy machine explains; usually zero.
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

/// The part of `late` in which the thread neither ran nor waited to run.
fn unaccounted(late: Duration, before: Option<Spent>, after: Option<Spent>) -> Duration {
    let accounted = match (before, after) {
        (Some(before), Some(after)) => after.since(before),
        _ => MOST_UNTOLD,
    };
    let stalled = late.saturating_sub(accounted);
    if stalled > LEAST { stalled } else { Duration::ZERO }
}

/// The periods for which the arena was stopped in one turn.
#[derive(Debug, Default)]
pub(super) struct Stalls(Vec<(Instant, Duration)>);

impl Stalls {
    /// Records that the arena was stopped for `stalled` until now.
    pub(super) fn add(&mut self, stalled: Duration) {
        if !stalled.is_zero() {
            self.0.push((now(), stalled));
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// How long the arena was stopped in total.
    pub(super) fn total(&self) -> Duration {
        self.0.iter().map(|(_, stalled)| *stalled).sum()
    }

    /// How long the arena was stopped before a line that arrived at `at`. A stop during which the line arrived does not
    /// count, because its player was running.
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
    fn time_that_the_system_accounts_for_is_not_a_stop() {
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
    fn a_line_that_arrived_during_a_stop_was_not_held_up_by_it() {
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
