//! Measures how long a thread has waited for a core, including the current wait.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::base::time::{Instant, Spent, now, schedstat};

/// How long threads have run and waited. The system counts a wait only when it is over, so this keeps track of when a
/// thread began to wait.
#[derive(Debug, Default)]
pub(in crate::host) struct ThreadWaits(HashMap<u32, LastWait>);

/// The state of a thread as of the last sample.
#[derive(Clone, Copy, Debug)]
struct LastWait {
    told: Spent,
    /// When the thread was first found ready to run, if the system's figures for the thread have not changed since.
    ready_since: Option<Instant>,
    /// When the sample was taken.
    looked: Instant,
}

impl ThreadWaits {
    /// Returns the time that the thread `id`, which `dir` in /proc describes, has spent so far. `None` if the system
    /// does not report it, or if the thread is gone.
    pub(in crate::host) fn look(&mut self, id: u32, dir: &Path) -> Option<Spent> {
        let told = schedstat(&dir.join("schedstat"))?;
        let is_ready = fs::read_to_string(dir.join("stat")).is_ok_and(|stat| is_ready(&stat));
        Some(self.take(id, told, is_ready, now()))
    }

    /// Whether the thread `id` was ready to run at the last look, and may not have had a core. If the look before that
    /// was a moment ago (`is_soon`), a thread that has a core has run in between.
    pub(in crate::host) fn may_be_waiting(&self, id: u32, is_soon: bool) -> bool {
        self.0.get(&id).is_some_and(|last| last.ready_since.is_some_and(|since| !is_soon || since < last.looked))
    }

    /// Records the figures that the system reported for a thread at `time`.
    fn take(&mut self, id: u32, told: Spent, is_ready: bool, time: Instant) -> Spent {
        let before = self.0.get(&id).filter(|before| before.told == told);
        // If the thread ran since the last look, its run time has increased.
        let since = before.and_then(|before| before.ready_since).or(Some(time)).filter(|_| is_ready);
        self.0.insert(id, LastWait { told, ready_since: since, looked: time });
        let unfinished = since.map(|since| time.saturating_duration_since(since)).unwrap_or_default();
        Spent { waiting: told.waiting + unfinished, ..told }
    }
}

/// Whether a `stat` file shows a thread that is running or ready to run.
fn is_ready(stat: &str) -> bool {
    // The thread's name, which can contain any character, is followed by the state.
    stat.rsplit(')').next().is_some_and(|fields| fields.trim_start().starts_with('R'))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_wait_counts_before_it_is_over_and_only_once() {
        let ms = Duration::from_millis;
        let spent = |running, waiting| Spent { running: ms(running), waiting: ms(waiting) };
        let (begun, mut waits) = (now(), ThreadWaits::default());
        let mut look = |at, told, is_ready| waits.take(7, told, is_ready, begun + ms(at));
        for (at, told, is_ready, expected) in [
            (0, spent(1, 0), false, spent(1, 0)),
            // The thread has become ready to run, and waits.
            (100, spent(1, 0), true, spent(1, 0)),
            (200, spent(1, 0), true, spent(1, 100)),
            (900, spent(1, 0), true, spent(1, 800)),
            // The thread has run, so the system has counted the wait by now.
            (1000, spent(2, 870), true, spent(2, 870)),
            // The thread sleeps, and then runs.
            (1100, spent(3, 870), false, spent(3, 870)),
            (1200, spent(3, 870), false, spent(3, 870)),
            (1300, spent(50, 870), true, spent(50, 870)),
            (1400, spent(150, 870), true, spent(150, 870)),
        ] {
            assert_eq!(look(at, told, is_ready), expected, "{at}");
        }
    }

    #[test]
    fn a_thread_that_has_a_core_is_told_from_one_that_waits_by_a_second_look() {
        let (begun, mut waits) = (now(), ThreadWaits::default());
        let mut is_waiting = |at, running, is_ready| {
            let told = Spent { running: Duration::from_millis(running), waiting: Duration::ZERO };
            waits.take(7, told, is_ready, begun + Duration::from_millis(at));
            [false, true].map(|is_soon| waits.may_be_waiting(7, is_soon))
        };
        assert_eq!(is_waiting(0, 1, true), [true, false], "it may be doing either");
        assert_eq!(is_waiting(5, 6, true), [true, false], "it has run");
        assert_eq!(is_waiting(10, 6, true), [true, true], "it has not");
        assert_eq!(is_waiting(15, 6, false), [false, false], "it sleeps");
    }

    #[test]
    fn the_state_stands_behind_the_name() {
        assert!(is_ready("7 (a) S 1) R 1 7 7"));
        assert!(!is_ready("7 (a) R 1) S 1 7 7"));
        assert!(!is_ready(""));
    }
}
