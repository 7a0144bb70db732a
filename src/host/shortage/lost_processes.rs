//! Whether the kernel has killed a process of a program for lack of memory, where no control group of the program's own counts
//! this.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::base::machine::KillCount;
use crate::base::time::{Instant, now};

/// How long after the kernel has counted a kill the killed process may still be there: it has to free its memory first.
const DYING: Duration = Duration::from_secs(2);

/// Watches the processes of one program. A process that goes when the kernel has just killed one counts as killed.
#[derive(Debug)]
pub(crate) struct DeathWatch {
    count: Option<KillCount>,
    seen: Mutex<LivingProcesses>,
}

#[derive(Debug)]
struct LivingProcesses {
    /// The processes that lived at the last look.
    living: BTreeSet<u32>,
    /// How many processes the kernel had killed by then.
    kills: u64,
    /// When the last kill was seen.
    last_kill: Option<Instant>,
    /// Whether one of the program's processes was killed.
    is_hit: bool,
}

impl DeathWatch {
    /// Begins before the program starts, and before this process moves where it cannot see the system's counts.
    pub(crate) fn begin() -> Self {
        let count = KillCount::open();
        let kills = count.as_ref().map_or(0, KillCount::so_far);
        let seen = LivingProcesses { living: BTreeSet::new(), kills, last_kill: None, is_hit: false };
        Self { count, seen: Mutex::new(seen) }
    }

    /// Notes which processes of the program lived a moment ago.
    pub(crate) fn look(&self, living: BTreeSet<u32>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // A kill is counted before its victim is gone, so this must be read after the processes.
        let kills = self.count.as_ref().map_or(0, KillCount::so_far);
        seen.note(living, kills, now());
    }

    /// Notes that a process has died of SIGKILL, which the arena has not sent. It may have been too young to be seen before.
    pub(crate) fn one_was_killed(&self) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let kills = self.count.as_ref().map_or(0, KillCount::so_far);
        seen.note_kills(kills, now());
        seen.is_hit |= seen.is_recent(now());
    }

    /// Whether the kernel has killed a process of the program.
    pub(crate) fn is_hit(&self) -> bool {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).is_hit
    }
}

impl LivingProcesses {
    fn note(&mut self, living: BTreeSet<u32>, kills: u64, at: Instant) {
        self.note_kills(kills, at);
        let has_lost = self.living.difference(&living).next().is_some();
        self.is_hit |= has_lost && self.is_recent(at);
        self.living = living;
    }

    fn note_kills(&mut self, kills: u64, at: Instant) {
        if kills > self.kills {
            (self.kills, self.last_kill) = (kills, Some(at));
        }
    }

    fn is_recent(&self, at: Instant) -> bool {
        self.last_kill.is_some_and(|kill| at.saturating_duration_since(kill) <= DYING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a program counts as hit that was seen with these processes and kills, at these milliseconds.
    fn is_hit(looks: &[(&[u32], u64, u64)]) -> bool {
        let begun = now();
        let mut seen = LivingProcesses { living: BTreeSet::new(), kills: 5, last_kill: None, is_hit: false };
        for &(living, kills, millis) in looks {
            seen.note(living.iter().copied().collect(), kills, begun + Duration::from_millis(millis));
        }
        seen.is_hit
    }

    #[test]
    fn only_a_process_that_goes_with_a_kill_was_killed() {
        assert!(is_hit(&[(&[7, 8], 5, 0), (&[7], 6, 20)]));
        assert!(is_hit(&[(&[7, 8], 5, 0), (&[7, 8], 6, 20), (&[7], 6, 500)]), "a large process takes time to go");
        assert!(!is_hit(&[(&[7, 8], 5, 0), (&[7], 5, 20)]), "it left by itself");
        assert!(!is_hit(&[(&[7, 8], 5, 0), (&[7, 8], 6, 20)]), "another program was killed");
        assert!(!is_hit(&[(&[7, 8], 5, 0), (&[7], 5, 20), (&[7], 6, 40)]), "it left before the kill");
        assert!(!is_hit(&[(&[7, 8], 5, 0), (&[7, 8], 6, 20), (&[7], 6, 2500)]), "it left long after the kill");
        assert!(!is_hit(&[(&[7], 5, 0), (&[7, 8], 6, 20)]), "a process has come");
    }
}
