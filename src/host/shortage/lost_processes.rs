//! Whether the kernel has killed a process of a program for lack of memory. This is used for programs without their own
//! control group, which would count kills.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::base::machine::KillCount;
use crate::base::time::uptime;

/// How long a killed process can still exist after the kernel has counted the kill. The process has to free its memory
/// first.
const DYING: Duration = Duration::from_secs(2);

/// Watches the processes of one program. A process that disappears just after the kernel has killed some process counts
/// as killed if it may have been the victim.
///
/// The kernel chooses the process with the most memory, so a process does not count if another process of the program
/// was larger, or if the process itself is known to have ended in some other way than by SIGKILL.
#[derive(Debug)]
pub(crate) struct DeathWatch {
    count: Option<KillCount>,
    seen: Mutex<LivingProcesses>,
}

/// The observations of the processes, by id. Times are those of [`uptime`].
#[derive(Debug, Default)]
struct LivingProcesses {
    /// The processes that were alive at the last check, with the highest number of bytes of memory that each was ever
    /// seen to use.
    living: BTreeMap<u32, u64>,
    /// The number of processes that the kernel had killed by the last check.
    kills: u64,
    /// When the last kill was seen.
    last_kill: Option<Duration>,
    /// The processes of the program that were killed, and when each kill was seen.
    hit: BTreeMap<u32, Duration>,
}

impl DeathWatch {
    /// Starts to watch. Call this before the program starts, and before this process enters an environment in which it
    /// cannot see the system's counts.
    pub(crate) fn begin() -> Self {
        let count = KillCount::open();
        let kills = count.as_ref().map_or(0, KillCount::so_far);
        Self { count, seen: Mutex::new(LivingProcesses { kills, ..LivingProcesses::default() }) }
    }

    fn seen(&self) -> MutexGuard<'_, LivingProcesses> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records which processes of the program were alive a moment ago, and how many bytes of memory each of them had.
    pub(crate) fn look(&self, living: BTreeMap<u32, u64>) {
        let mut seen = self.seen();
        // A kill is counted before the victim is gone, so the count must be read after the processes.
        let kills = self.count.as_ref().map_or(0, KillCount::so_far);
        seen.note(living, kills, uptime());
    }

    /// Records that `process` has ended, and whether it was killed by a SIGKILL that the arena did not send. The
    /// process may have been too short-lived for any check to see it.
    pub(crate) fn one_has_ended(&self, process: u32, is_killed: bool) {
        let mut seen = self.seen();
        let kills = self.count.as_ref().map_or(0, KillCount::so_far);
        seen.note_end(process, is_killed, kills, uptime());
    }

    /// When the kernel last killed a process of the program.
    pub(crate) fn last_hit(&self) -> Option<Duration> {
        self.seen().hit.values().max().copied()
    }
}

impl LivingProcesses {
    fn note(&mut self, mut living: BTreeMap<u32, u64>, kills: u64, at: Duration) {
        self.note_kills(kills, at);
        if self.is_recent(at) {
            let largest = self.living.values().max().copied().unwrap_or(0);
            let gone = self.living.iter().filter(|&(process, &held)| !living.contains_key(process) && held == largest);
            self.hit.extend(gone.map(|(&process, _)| (process, at)));
        }
        // A process that is about to disappear no longer has any memory.
        for (process, held) in &mut living {
            *held = self.living.get(process).map_or(*held, |before| (*before).max(*held));
        }
        self.living = living;
    }

    fn note_end(&mut self, process: u32, is_killed: bool, kills: u64, at: Duration) {
        self.note_kills(kills, at);
        self.living.remove(&process);
        // An earlier check may already have noticed that the process was missing.
        self.hit.remove(&process);
        if is_killed && self.is_recent(at) {
            self.hit.insert(process, at);
        }
    }

    fn note_kills(&mut self, kills: u64, at: Duration) {
        if kills > self.kills {
            (self.kills, self.last_kill) = (kills, Some(at));
        }
    }

    fn is_recent(&self, at: Duration) -> bool {
        self.last_kill.is_some_and(|kill| at.saturating_sub(kill) <= DYING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with two processes of 20 and 30 bytes. The kernel has already killed five other processes.
    fn program() -> LivingProcesses {
        LivingProcesses { living: [(7, 20), (8, 30)].into(), kills: 5, ..LivingProcesses::default() }
    }

    /// When the kernel killed a process of the program. Each of `looks` contains the processes that were alive, the
    /// number of kills, and the time in milliseconds.
    fn hit(looks: &[(&[u32], u64, u64)]) -> Option<u64> {
        let mut seen = program();
        for &(living, kills, millis) in looks {
            let living = living.iter().map(|&process| (process, if process == 7 { 20 } else { 30 })).collect();
            seen.note(living, kills, Duration::from_millis(millis));
        }
        seen.hit.values().max().map(|at| u64::try_from(at.as_millis()).expect("few"))
    }

    #[test]
    fn only_the_largest_process_that_goes_with_a_kill_was_killed() {
        assert_eq!(hit(&[(&[7], 6, 20)]), Some(20));
        assert_eq!(hit(&[(&[7, 8], 6, 20), (&[7], 6, 500)]), Some(500), "a large process takes time to disappear");
        assert_eq!(hit(&[(&[7], 6, 20), (&[7], 6, 9000), (&[], 7, 9500)]), Some(9500), "the last one counts");
        assert_eq!(hit(&[(&[7], 5, 20)]), None, "it exited");
        assert_eq!(hit(&[(&[7, 8], 6, 20)]), None, "another program was killed");
        assert_eq!(hit(&[(&[7], 5, 20), (&[7], 6, 40)]), None, "it exited before the kill");
        assert_eq!(hit(&[(&[7, 8], 6, 20), (&[7], 6, 2500)]), None, "it exited long after the kill");
        assert_eq!(hit(&[(&[7, 8, 9], 6, 20)]), None, "a process was added");
        assert_eq!(hit(&[(&[8], 6, 20)]), None, "the kernel would have killed the larger one");
    }

    #[test]
    fn a_process_that_has_freed_its_memory_and_is_still_there_counts_with_what_it_had() {
        let mut seen = program();
        seen.note([(7, 20), (8, 0)].into(), 6, Duration::from_millis(20));
        seen.note([(7, 20)].into(), 6, Duration::from_millis(40));
        assert_eq!(seen.hit.keys().collect::<Vec<_>>(), [&8]);
    }

    #[test]
    fn a_process_that_ended_otherwise_was_not_killed_whoever_sees_that_first() {
        let at = Duration::from_millis;
        for is_killed in [false, true] {
            for is_missed_first in [false, true] {
                let mut seen = program();
                if is_missed_first {
                    seen.note([(7, 20)].into(), 6, at(20));
                }
                seen.note_end(8, is_killed, 6, at(21));
                seen.note([(7, 20)].into(), 6, at(40));
                assert_eq!(!seen.hit.is_empty(), is_killed, "{is_missed_first}");
            }
        }
        let mut young = program();
        young.note_end(99, true, 6, at(20));
        assert_eq!(young.hit.len(), 1, "the process was too young to be seen");
        let mut other = program();
        other.note_end(8, true, 5, at(20));
        assert!(other.hit.is_empty(), "the signal came from elsewhere");
    }
}
