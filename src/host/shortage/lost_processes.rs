//! Whether the kernel has killed a process of a program for lack of memory, where no control group of the program's own counts
//! this.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::base::machine::KillCount;
use crate::base::time::uptime;

/// How long after the kernel has counted a kill the killed process may still be there: it has to free its memory first.
const DYING: Duration = Duration::from_secs(2);

/// Watches the processes of one program. A process that disappears when the kernel has just killed one counts as
/// killed, if the kernel may have chosen it.
///
/// The kernel chooses the process that holds the most, so a process does not count if it was smaller than another one
/// of the program. Nor does one that is known to have ended other than by SIGKILL.
#[derive(Debug)]
pub(crate) struct DeathWatch {
    count: Option<KillCount>,
    seen: Mutex<LivingProcesses>,
}

/// What has been seen of the processes, by id. Moments are those of [`uptime`].
#[derive(Debug, Default)]
struct LivingProcesses {
    /// The processes that lived at the last look, and the most bytes of memory that each was ever seen with.
    living: BTreeMap<u32, u64>,
    /// How many processes the kernel had killed by then.
    kills: u64,
    /// When the last kill was seen.
    last_kill: Option<Duration>,
    /// The processes of the program that were killed, and when that was seen.
    hit: BTreeMap<u32, Duration>,
}

impl DeathWatch {
    /// Begins before the program starts, and before this process moves to where it cannot see the system's counts.
    pub(crate) fn begin() -> Self {
        let count = KillCount::open();
        let kills = count.as_ref().map_or(0, KillCount::so_far);
        Self { count, seen: Mutex::new(LivingProcesses { kills, ..LivingProcesses::default() }) }
    }

    fn seen(&self) -> MutexGuard<'_, LivingProcesses> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes which processes of the program lived a moment ago, and how many bytes of memory each of them had.
    pub(crate) fn look(&self, living: BTreeMap<u32, u64>) {
        let mut seen = self.seen();
        // A kill is counted before the victim is gone, so this must be read after the processes.
        let kills = self.count.as_ref().map_or(0, KillCount::so_far);
        seen.note(living, kills, uptime());
    }

    /// Notes that the process has ended, and whether by a SIGKILL that the arena has not sent. It may have been too young to be
    /// seen before.
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
        // A process that is about to go no longer holds any.
        for (process, held) in &mut living {
            *held = self.living.get(process).map_or(*held, |before| (*before).max(*held));
        }
        self.living = living;
    }

    fn note_end(&mut self, process: u32, is_killed: bool, kills: u64, at: Duration) {
        self.note_kills(kills, at);
        self.living.remove(&process);
        // A look may already have missed the process.
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

    /// A program with two processes of 20 and 30 bytes; the kernel has killed five others before.
    fn program() -> LivingProcesses {
        LivingProcesses { living: [(7, 20), (8, 30)].into(), kills: 5, ..LivingProcesses::default() }
    }

    /// When a program was hit in which these processes were alive, with these kills, at these milliseconds.
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
        assert_eq!(hit(&[(&[7, 8], 6, 20), (&[7], 6, 500)]), Some(500), "a large process takes time to go");
        assert_eq!(hit(&[(&[7], 6, 20), (&[7], 6, 9000), (&[], 7, 9500)]), Some(9500), "the last one counts");
        assert_eq!(hit(&[(&[7], 5, 20)]), None, "it left by itself");
        assert_eq!(hit(&[(&[7, 8], 6, 20)]), None, "another program was killed");
        assert_eq!(hit(&[(&[7], 5, 20), (&[7], 6, 40)]), None, "it left before the kill");
        assert_eq!(hit(&[(&[7, 8], 6, 20), (&[7], 6, 2500)]), None, "it left long after the kill");
        assert_eq!(hit(&[(&[7, 8, 9], 6, 20)]), None, "a process has come");
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
        assert_eq!(young.hit.len(), 1, "it was too young to be seen");
        let mut other = program();
        other.note_end(8, true, 5, at(20));
        assert!(other.hit.is_empty(), "somebody else has sent the signal");
    }
}
