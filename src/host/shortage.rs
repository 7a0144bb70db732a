//! Whether the machine ran short of something that a program needed. Only this module decides that question, for bots
//! and builds, in games and in drills, and in every tier.
//!
//! The decision is available as [`Remains::lack`](super::process::Remains::lack) when a program started through
//! [`ChildProcess`](super::process::ChildProcess) ends. A program that seems to be at fault but has a [`MachineLack`]
//! has not failed: its game, its scenario or its build is void. [`MachineLack::excuses`] defines the terminations to
//! which this applies.
//!
//! A program can send itself any signal, exit with any code and print any message, so none of these is evidence. Only
//! the machine's own figures for the time and the place in which the program ran count ([`Observed`], and the counts of
//! a [`Vigil`]), only the figures from shortly before the failure, and only if the program stayed within its limits. A
//! program that has caused the shortage itself is not excused; for the rule, see [`Vigil::lack`].
//!
//! | room | contents |
//! | --- | --- |
//! | `full_disk` | whether the file system to which a program writes is full, and how much of it the program uses |
//! | `lost_processes` | for programs without a control group: whether the kernel killed a process for lack of memory |
//! | `oom_score` | lets the kernel kill programs rather than the arena for lack of memory |

mod full_disk;
mod lost_processes;
pub(crate) mod oom_score;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::machine::{Shortages, has_free_core, memory_left, most_processes};
use crate::base::time::{now, sleep_until, uptime};
use crate::base::tree::MOST_BYTES;
use crate::referee::result::Termination;
use crate::referee::starvation::Starvation;
use crate::referee::usage::Usage;
use crate::tournament::Resources;

pub(crate) use full_disk::{DiskWatch, FullDisk};
pub(crate) use lost_processes::DeathWatch;

/// A resource that the machine lacked although the program that needed it stayed within its limits.
///
/// It is displayed as a sentence without its subject, which is the program, and with advice on what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineLack {
    /// The kernel killed a process of the program because the machine, or a container around the arena, had no memory
    /// left.
    Memory,
    /// A control group around the arena refused processes or threads.
    Processes,
    /// The disk to which the program writes was full.
    Disk,
    /// While its clock was running, the program waited for a free core for longer than it ran.
    Core(Starvation),
}

impl fmt::Display for MachineLack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Core(Starvation { starved, ran, of }) => {
                let [starved, ran, of] = [starved, ran, of].map(Duration::as_secs_f64);
                return write!(
                    f,
                    "ran out of time while the machine was busy: in the {of:.1} s of its turns, it waited \
                     {starved:.1} s for a core and ran for {ran:.1} s; play fewer games at a time, or wait until the \
                     machine is quieter"
                );
            }
            Self::Memory => {
                "was killed within its limits while the machine was out of memory: play fewer games at a time, or \
                 lower `memory`"
            }
            Self::Processes => {
                "ended after the machine had refused it processes or threads: play fewer games at a \
                 time, or allow more (`pids.max` of the container or service)"
            }
            Self::Disk => {
                "failed within its limits while the disk was full: free some space in the directory for temporary \
                 files, or set `TMPDIR` to one with more space"
            }
        })
    }
}

impl MachineLack {
    /// Returns [`Self::Core`] if `starvation`, a shortage of CPU time, explains why a program lost on time. This is
    /// used only in the games of `check` and `grade`: in a tournament, a loss on time is always a loss.
    pub fn of_core(starvation: Option<Starvation>) -> Option<Self> {
        starvation.filter(|starvation| starvation.explains_time_loss()).map(Self::Core)
    }

    /// Whether this lack may be why a player lost with `termination`.
    ///
    /// A launcher whose engine was killed can fail in any way. A program that is denied a process or disk space gives
    /// up, crashes, or waits.
    pub const fn excuses(self, termination: Termination) -> bool {
        use Termination::{Crash, Disconnect, DoubleForfeit, Limit, NoShow, Time};
        match self {
            Self::Memory => termination.is_forfeit() && !matches!(termination, Limit(_)),
            Self::Processes | Self::Disk => matches!(termination, NoShow | Crash | Disconnect | DoubleForfeit | Time),
            Self::Core(_) => matches!(termination, Time),
        }
    }
}

/// How often to check whether the machine has become quieter.
const QUIET_PAUSE: Duration = Duration::from_millis(100);

/// The number of consecutive checks in which a core must be free for the machine to count as quieter.
const QUIET_LOOKS: u32 = 5;

/// Waits until the machine has become quieter (a core has been free for half a second), but for at most `most`. Call
/// this before repeating something that failed because of the machine.
pub(crate) async fn quieter(most: Duration) {
    let latest = now() + most;
    let mut free = 0;
    while free < QUIET_LOOKS && now() < latest {
        sleep_until((now() + QUIET_PAUSE).min(latest)).await;
        free = if has_free_core() { free + 1 } else { 0 };
    }
}

/// The machine's shortages, as observed by the process that watched a program: the last stage of its confinement or,
/// without confinement, the arena. Times are those of [`uptime`], which is the same for all processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// When the kernel last killed a process of the program for lack of memory, although the program's own limit was
    /// not reached.
    pub memory: Option<Duration>,
    /// The disk to which the program writes, if the disk was full at some time.
    pub disk: Option<FullDisk>,
    /// How many simultaneous processes and threads the program may have had between two checks; 0 if unknown.
    pub most_processes: u64,
}

/// The state of the machine when a program was started and while it ran, and the resources that the program may use.
#[derive(Clone, Debug)]
pub(crate) struct Vigil {
    /// The state of the machine at two times at which the program was working: the latest recorded time, and the one
    /// before.
    marks: [ShortageMark; 2],
    /// How many bytes of memory the machine had left when the program was started, if the system reports it.
    memory: Option<u64>,
    limits: Resources,
    is_build: bool,
}

/// The state of the machine at one moment.
#[derive(Clone, Copy, Debug)]
struct ShortageMark {
    /// The moment, measured like [`uptime`].
    at: Duration,
    shortages: Shortages,
}

impl ShortageMark {
    fn now() -> Self {
        Self { at: uptime(), shortages: Shortages::so_far() }
    }
}

/// The minimum time between two marks. A shortage that occurred within this time before the program was last known to
/// be working may still have harmed the program.
const RECENT: Duration = Duration::from_secs(2);

/// A program with at most this many processes and threads is never considered the cause of a shortage of processes.
/// Runtimes such as Java start this many before a program has done anything.
const FEW_PROCESSES: u64 = 48;

/// A build that used at most this much disk space, in bytes, is never considered the cause of a lack of disk space. Few
/// builds need this much.
pub(crate) const MUCH_FOR_BUILD: u64 = 512 << 20;

impl Vigil {
    /// Begins a vigil. Call this just before the start of a program that may use up to `limits`.
    pub(crate) fn begin(limits: Resources, is_build: bool) -> Self {
        Self { marks: [ShortageMark::now(); 2], memory: memory_left(), limits, is_build }
    }

    /// Notes that the program is working: it has just made a move, or its turn is beginning. A shortage that was over
    /// by then cannot be the reason for a later failure. Never call this while a clock is running, since it may read
    /// some files.
    pub(crate) fn is_well(&mut self) {
        if uptime().saturating_sub(self.marks[0].at) >= RECENT {
            self.marks = [ShortageMark::now(), self.marks[0]];
        }
    }

    /// The mark since which shortages count.
    const fn since(&self) -> &ShortageMark {
        &self.marks[1]
    }

    /// Whether the kernel has killed any process for lack of memory since the earlier mark, as far as the arena itself
    /// can see.
    pub(crate) fn has_seen_kills(&self) -> bool {
        Shortages::so_far().kills > self.since().shortages.kills
    }

    /// Returns the resource that the machine lacked shortly before the program ended, if the program did not cause the
    /// shortage itself. Call this only for a program that has not exceeded a limit. `usage` is the usage of all its
    /// processes.
    ///
    /// A program is considered the cause of a shortage
    /// - of processes, if it had more than 48 and either more than half of its `processes` or, if it is a bot, more
    ///   than a quarter of what `pids.max` allows;
    /// - of memory, if it used more than half of its `memory` and more than half of what was left when it started;
    /// - of disk space, if it used more than half of what was free when it started, and more than half of its `scratch`
    ///   or, if it is a build, more than [`MUCH_FOR_BUILD`].
    ///
    /// Few programs need many processes, but a program that stays far below its limits can well need most of the memory
    /// or disk space of a small machine.
    pub(crate) fn lack(&self, observed: Observed, usage: Option<&Usage>) -> Option<MachineLack> {
        self.lack_shown(observed, usage, Shortages::so_far(), most_processes())
    }

    /// The lack that follows from the shortages `shown`, if the machine's control groups allow `most` processes.
    fn lack_shown(
        &self,
        observed: Observed,
        usage: Option<&Usage>,
        shown: Shortages,
        most: Option<u64>,
    ) -> Option<MachineLack> {
        let used = usage.copied().unwrap_or_default();
        let ShortageMark { at, shortages } = *self.since();
        if observed.memory.is_some_and(|killed| killed >= at) && !self.has_caused_lack_of_memory(used.peak_memory) {
            return Some(MachineLack::Memory);
        }
        if observed.disk.is_some_and(|disk| disk.at >= at && !self.has_filled(disk)) {
            return Some(MachineLack::Disk);
        }
        let is_refused = shown.forks > shortages.forks;
        let had = used.processes.max(observed.most_processes);
        (is_refused && !self.has_caused_lack_of_processes(had, most)).then_some(MachineLack::Processes)
    }

    fn has_caused_lack_of_memory(&self, peak: u64) -> bool {
        peak > self.limits.memory / 2 && self.memory.is_some_and(|left| peak > left / 2)
    }

    fn has_caused_lack_of_processes(&self, had: u64, most: Option<u64>) -> bool {
        let is_large_share = !self.is_build && most.is_some_and(|most| had > most / 4);
        had > FEW_PROCESSES && (had > self.limits.processes / 2 || is_large_share)
    }

    fn has_filled(&self, disk: FullDisk) -> bool {
        let scratch = self.limits.scratch;
        let much = if self.is_build { MUCH_FOR_BUILD.min(scratch.saturating_add(MOST_BYTES) / 2) } else { scratch / 2 };
        disk.held > much && disk.held > disk.before / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::result::Limit;

    const MIB: u64 = 1 << 20;

    fn vigil(is_build: bool) -> Vigil {
        let limits = Resources { memory: 1000 * MIB, processes: 256, scratch: 100 * MIB, ..Resources::default() };
        Vigil { marks: [mark(0); 2], memory: None, limits, is_build }
    }

    /// A mark at the time `second`, before any shortage.
    fn mark(second: u64) -> ShortageMark {
        ShortageMark { at: Duration::from_secs(second), shortages: Shortages::default() }
    }

    #[test]
    fn a_program_with_many_processes_has_caused_their_shortage() {
        for (is_build, had, most, caused) in [
            (false, 48, Some(50), false),
            (false, 49, Some(50), true),
            (false, 49, Some(150), true),
            (false, 49, Some(1000), false),
            (false, 128, Some(1000), false),
            (false, 129, Some(1000), true),
            (false, 129, None, true),
            (true, 60, Some(80), false),
            (true, 129, Some(140), true),
        ] {
            let vigil = vigil(is_build);
            assert_eq!(vigil.has_caused_lack_of_processes(had, most), caused, "{is_build} {had} of {most:?}");
        }
    }

    #[test]
    fn a_program_that_held_most_of_both_has_caused_the_lack_of_memory() {
        for (peak, left, caused) in [
            (300, Some(310), false),
            (501, Some(900), true),
            (501, Some(1100), false),
            (501, None, false),
            (0, Some(0), false),
        ] {
            let vigil = Vigil { memory: left.map(|left| left * MIB), ..vigil(false) };
            assert_eq!(vigil.has_caused_lack_of_memory(peak * MIB), caused, "{peak} of {left:?}");
        }
    }

    #[test]
    fn a_program_that_takes_what_is_left_of_a_large_machine_has_caused_the_lack_of_memory() {
        let vigil = Vigil::begin(Resources::default(), false);
        let left = memory_left().expect("every machine reports how much memory it has left");
        // Other processes allocate and free memory in the meantime.
        let vigil = Vigil { limits: Resources { memory: left, ..vigil.limits }, ..vigil };
        assert!(vigil.has_caused_lack_of_memory(left / 4 * 3));
    }

    #[test]
    fn a_program_that_held_most_of_both_has_filled_the_disk() {
        for (is_build, held, before, caused) in [
            (false, 3, 3, false),
            (false, 50, 60, false),
            (false, 51, 60, true),
            (false, 51, 103, false),
            (true, 512, 512, false),
            (true, 513, 1025, true),
            (true, 1500, 1500, true),
            (true, 1500, 3001, false),
        ] {
            let disk = FullDisk { held: held * MIB, before: before * MIB, at: Duration::ZERO };
            assert_eq!(vigil(is_build).has_filled(disk), caused, "{is_build}: {held} of {before}");
        }
    }

    #[test]
    fn a_lack_of_a_core_excuses_a_loss_on_time_alone_and_only_of_a_bot_that_was_starved() {
        let figures = |starved| {
            let [starved, ran, of] = [starved, 400, 1000].map(Duration::from_millis);
            Some(Starvation { starved, ran, of })
        };
        assert_eq!([None, figures(300), figures(400)].map(MachineLack::of_core), [None; 3]);
        let lack = MachineLack::of_core(figures(500)).expect("a lack");
        for end in Termination::ALL {
            assert_eq!(lack.excuses(end), end == Termination::Time, "{end}");
        }
    }

    #[test]
    fn a_shortage_excuses_a_program_that_fails_soon_and_not_one_that_played_on() {
        let vigil = Vigil { marks: [mark(70), mark(60)], ..vigil(false) };
        for (second, excused) in [(5, false), (59, false), (60, true), (65, true), (71, true)] {
            let at = Duration::from_secs(second);
            let killed = Observed { memory: Some(at), ..Observed::default() };
            let lack = |observed| vigil.lack_shown(observed, None, Shortages::default(), None);
            assert_eq!(lack(killed) == Some(MachineLack::Memory), excused, "memory at {second}");
            let full = Observed { disk: Some(FullDisk { held: 0, before: 0, at }), ..Observed::default() };
            assert_eq!(lack(full) == Some(MachineLack::Disk), excused, "disk at {second}");
        }
    }

    #[test]
    fn a_move_puts_what_was_before_the_last_one_behind() {
        let old = Vigil { marks: [mark(0); 2], ..vigil(false) };
        let mut moved = old.clone();
        let begun = uptime();
        assert!(begun >= RECENT, "the machine has just been started");
        moved.is_well();
        assert!(moved.marks[0].at >= begun && moved.marks[1].at == old.marks[0].at);
        let [last, before] = moved.marks;
        moved.is_well();
        if uptime() < last.at + RECENT {
            assert_eq!(moved.marks.map(|mark| mark.at), [last.at, before.at], "marks are no closer together");
        }
        moved.marks[0].at = uptime().saturating_sub(RECENT);
        let well = moved.marks[0].at;
        moved.is_well();
        assert_eq!(moved.since().at, well);
    }

    #[test]
    fn processes_that_nobody_saw_count_for_the_program_that_may_have_had_them() {
        let vigil = vigil(false);
        for (forks, most_processes, lack) in
            [(0, 0, None), (1, 0, Some(MachineLack::Processes)), (1, 49, Some(MachineLack::Processes)), (1, 129, None)]
        {
            let observed = Observed { most_processes, ..Observed::default() };
            let shown = Shortages { forks, kills: 0 };
            assert_eq!(vigil.lack_shown(observed, None, shown, None), lack, "{forks} {most_processes}");
        }
    }

    #[test]
    fn a_lost_process_excuses_every_forfeit_but_a_limit_and_the_rest_what_ends_a_program_or_keeps_it_waiting() {
        use Termination::{Crash, Disconnect, DoubleForfeit, Illegal, NoShow, Normal, Protocol, Resignation, Time};
        for lack in [MachineLack::Memory, MachineLack::Processes, MachineLack::Disk] {
            assert!([NoShow, Crash, Disconnect, DoubleForfeit, Time].iter().all(|&end| lack.excuses(end)), "{lack:?}");
            let never = [Normal, Resignation, Termination::Limit(Limit::Memory), Termination::Limit(Limit::Scratch)];
            assert!(!never.iter().any(|&end| lack.excuses(end)), "{lack:?}");
            assert!(
                [Illegal, Protocol].iter().all(|&end| lack.excuses(end) == (lack == MachineLack::Memory)),
                "{lack:?}"
            );
        }
    }
}
