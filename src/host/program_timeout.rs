//! How long to wait for a program: for a bot's hello or exit, or for the end of a build. Only the program's own time
//! counts, not the time that it has to wait for the machine.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::starvation::ThreadWaits;
use crate::base::time::{Spent, cpu_used, now, sleep_until, uptime};

/// The interval at which time is counted.
const TICK: Duration = Duration::from_millis(100);

/// The interval at which to look again if the time would be up, but a thread may still be waiting for a core.
const GLANCE: Duration = Duration::from_millis(5);

/// How many ticks to judge together at most, while waits for a core that have begun are not over and time is left.
const TICKS_TOGETHER: u32 = 3;

/// The multiple of the timeout, by the arena's clock, after which the machine is considered too busy for the program.
/// The caller can set another limit.
const LONGEST: u32 = 10;

/// How many threads of a program to check, across all its processes. A program with more threads gets no extra time on
/// a busy machine.
const MOST_ASKED: usize = 512;

/// The remaining time of a program.
///
/// Time does not count while the program's processes are ready to run but have no CPU, or while the arena itself is
/// stopped or has no CPU. Therefore, neither a busy machine nor many programs that start at the same time can turn a
/// player into a no-show or make a build fail. A program whose own processes keep each other waiting gets no extra time
/// for that, and a program with a great many threads gets no extra time at all.
#[derive(Debug)]
pub(crate) struct ProgramTimeout {
    left: Duration,
    longest: Duration,
    waited: Duration,
    spending: Option<ProgramSpending>,
    /// The time that has passed but has not been deducted from `left` yet. It is on the heap, since the futures that wait
    /// are large enough without it.
    open: Box<OpenSpan>,
    /// How many cores this process, and thus the program, may use.
    cores: u32,
}

/// The reason why a wait has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TimeoutReason {
    /// The program has used up its time.
    Late,
    /// The machine was too busy to run the program.
    Busy {
        /// How long the wait lasted.
        within: Duration,
    },
}

impl ProgramTimeout {
    /// Begins to wait for the program whose process is `pid`, for `timeout` of its own time.
    pub(crate) fn new(timeout: Duration, pid: Option<u32>) -> Self {
        let cores =
            std::thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX));
        Self {
            left: timeout,
            longest: timeout.saturating_mul(LONGEST),
            waited: Duration::ZERO,
            spending: pid.map(ProgramSpending::of),
            open: Box::default(),
            cores,
        }
    }

    /// Considers the machine too busy after `longest` by the arena's clock, instead of ten times the timeout.
    pub(crate) fn at_most(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }

    /// Waits until the time is up. Cancelling loses at most one tick.
    pub(crate) async fn run_out(&mut self) -> TimeoutReason {
        while self.waited < self.longest {
            let left = self.left.saturating_sub(self.open.counted(Duration::ZERO, self.cores));
            let nap = if left.is_zero() { GLANCE } else { TICK.min(left) };
            let begun = uptime();
            sleep_until(now() + nap).await;
            let passed = uptime().saturating_sub(begun);
            let sample = self.spending.as_mut().and_then(|spending| spending.more(nap < TICK)).unwrap_or_default();
            self.waited += nap;
            self.open.add(nap, passed, sample.spent, self.cores);
            if sample.is_unsettled && self.may_be_excused() {
                continue;
            }
            self.left = self.left.saturating_sub(std::mem::take(&mut *self.open).counted(Duration::ZERO, self.cores));
            if self.left.is_zero() {
                return TimeoutReason::Late;
            }
        }
        TimeoutReason::Busy { within: self.longest }
    }

    /// Whether the program could still have time if a thread has been waiting for a core for as much as a tick that the
    /// system has not counted yet. If there is much time left, a few ticks are judged together.
    fn may_be_excused(&self) -> bool {
        let is_up = self.left <= self.open.counted(Duration::ZERO, self.cores);
        if is_up { self.open.counted(TICK, self.cores) < self.left } else { self.open.nap < TICK * TICKS_TOGETHER }
    }
}

/// A span of time that is judged as a whole, because a wait for a core counts only once it is over.
#[derive(Clone, Copy, Debug, Default)]
struct OpenSpan {
    nap: Duration,
    spent: Spent,
    /// What the program lost if each nap is judged on its own.
    lost_apart: Duration,
}

impl OpenSpan {
    /// Adds a nap that took `passed` by the clock, in which the program `spent` this time.
    fn add(&mut self, nap: Duration, passed: Duration, spent: Spent, cores: u32) {
        // An arena that is this late has not even been able to check for a hello.
        if passed <= nap + TICK {
            self.nap += nap;
            self.spent.running += spent.running;
            self.spent.waiting += spent.waiting;
            self.lost_apart += lost(nap, spent, cores);
        }
    }

    /// How much of the span counts if a thread has also been waiting for `uncounted`.
    fn counted(self, uncounted: Duration, cores: u32) -> Duration {
        let spent = Spent { waiting: self.spent.waiting + uncounted, ..self.spent };
        self.nap.saturating_sub(lost(self.nap, spent, cores).max(self.lost_apart))
    }
}

/// How much of `nap` a program lost if it `spent` this time on a machine with the given number of `cores`.
///
/// At best, the program runs on all cores whenever it is ready to run. The difference between this and the time that it
/// actually ran is lost. If the program could keep more than one core busy, the loss is scaled down to one core.
fn lost(nap: Duration, spent: Spent, cores: u32) -> Duration {
    let best = (spent.running + spent.waiting).min(nap.saturating_mul(cores));
    let lost = best.saturating_sub(spent.running);
    if best > nap { lost.mul_f64(nap.as_secs_f64() / best.as_secs_f64()) } else { lost }
}

/// How long the processes of a program have run, and how long they have been ready to run but had no CPU.
#[derive(Debug)]
struct ProgramSpending {
    root: u32,
    /// The total running time of all processes as of the last sample, including processes that had ended and been
    /// waited for.
    ran: Duration,
    /// For each process that has been sampled, the waiting time of the thread that waited longest.
    waited: HashMap<u32, Duration>,
    waits: ThreadWaits,
}

impl ProgramSpending {
    /// Starts to measure the program whose process is `root`.
    fn of(root: u32) -> Self {
        Self { root, ran: Duration::ZERO, waited: HashMap::new(), waits: ThreadWaits::default() }
    }

    /// The increase since the last sample, over all processes. `None` if there are too many threads to check all of
    /// them, since some may be waiting for the others. `is_soon` says that the last sample was taken a moment ago, so a
    /// thread that is running has run since.
    fn more(&mut self, is_soon: bool) -> Option<ProgramSample> {
        let mut is_unsettled = false;
        let (mut ran, mut waiting) = (Duration::ZERO, Duration::ZERO);
        let mut processes = vec![self.root];
        let mut asked = 0;
        while let Some(process) = processes.pop() {
            ran += i32::try_from(process).ok().and_then(cpu_used).unwrap_or_default();
            let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
            let mut waited = Duration::ZERO;
            for task in tasks {
                asked += 1;
                if asked > MOST_ASKED {
                    return None;
                }
                let id = task.file_name().to_str().and_then(|name| name.parse().ok());
                let task = task.path();
                let spent = id.and_then(|id| self.waits.look(id, &task)).unwrap_or_default();
                waited = waited.max(spent.waiting);
                is_unsettled |= id.is_some_and(|id| self.waits.may_be_waiting(id, is_soon));
                processes.extend(children(&task));
            }
            let before = self.waited.entry(process).or_default();
            waiting += waited.saturating_sub(*before);
            *before = waited.max(*before);
        }
        let running = ran.saturating_sub(self.ran);
        // The total can be less than before if a process that was never waited for has ended.
        self.ran = ran;
        Some(ProgramSample { spent: Spent { running, waiting }, is_unsettled })
    }
}

/// What a program has done since the last sample.
#[derive(Clone, Copy, Debug, Default)]
struct ProgramSample {
    spent: Spent,
    /// Whether a thread may be waiting for a core, in which case part of the wait is not counted yet.
    is_unsettled: bool,
}

/// The children of a task.
fn children(task: &Path) -> Vec<u32> {
    let text = fs::read_to_string(task.join("children")).unwrap_or_default();
    text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn neither_starving_nor_what_the_arena_missed_counts() {
        let counted = |passed, waiting| {
            let mut span = OpenSpan::default();
            span.add(TICK, passed, Spent { running: Duration::ZERO, waiting }, 2);
            span.counted(Duration::ZERO, 2)
        };
        assert_eq!(counted(TICK, Duration::ZERO), TICK);
        assert_eq!(counted(TICK + TICK / 2, TICK / 4), TICK * 3 / 4);
        assert_eq!(counted(TICK, SECOND), Duration::ZERO);
        assert_eq!(counted(60 * SECOND, Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn a_wait_that_is_counted_late_counts_in_full() {
        let mut span = OpenSpan::default();
        span.add(TICK, TICK, Spent { running: TICK / 10, waiting: Duration::ZERO }, 2);
        assert_eq!(span.counted(Duration::ZERO, 2), TICK, "the system counts the wait when it is over");
        assert_eq!(span.counted(TICK * 9 / 10, 2), TICK / 10);
        span.add(TICK, TICK, Spent { running: TICK / 10, waiting: TICK * 18 / 10 }, 2);
        assert_eq!(span.counted(Duration::ZERO, 2), TICK * 2 / 10);
        let mut span = OpenSpan::default();
        span.add(TICK, TICK, Spent { running: Duration::ZERO, waiting: TICK }, 2);
        span.add(TICK, TICK, Spent { running: TICK * 2, waiting: Duration::ZERO }, 2);
        assert_eq!(
            span.counted(Duration::ZERO, 2),
            TICK,
            "it lost the first nap, although it used both cores afterwards"
        );
    }

    #[test]
    fn time_is_not_up_while_a_wait_for_a_core_may_explain_it() {
        let excused = |nap, running, waiting| {
            let mut timeout = ProgramTimeout::new(TICK * 2, None);
            timeout.cores = 2;
            timeout.open.add(nap, nap, Spent { running, waiting }, 2);
            timeout.may_be_excused()
        };
        assert!(excused(TICK * 2, TICK, Duration::ZERO), "its one thread may have waited for the rest of the time");
        assert!(!excused(TICK * 4, TICK * 8, TICK * 8), "its threads wait for each other");
        assert!(!excused(TICK * 4, TICK, Duration::ZERO), "one wait cannot be that long");
        assert!(!excused(TICK * 3, TICK, TICK * 2), "much time is left");
    }

    #[test]
    fn a_program_loses_what_others_take_from_it_and_not_what_it_takes_from_itself() {
        let lost = |running, waiting| {
            let (running, waiting) = (TICK * running / 100, TICK * waiting / 100);
            lost(TICK, Spent { running, waiting }, 2) * 100
        };
        for (running, waiting, expected) in [
            (0, 0, 0),
            (100, 0, 0),
            (30, 70, 70),
            (5, 5, 5),
            // Eight busy processes have both cores to themselves, or half of each.
            (200, 600, 0),
            (100, 700, 50),
        ] {
            assert_eq!(lost(running, waiting), TICK * expected, "{running} {waiting}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_for_a_silent_program_is_as_long_as_its_timeout() {
        let begun = now();
        assert!(matches!(ProgramTimeout::new(SECOND, None).run_out().await, TimeoutReason::Late));
        // The wait takes longer if the machine keeps the test from running.
        assert!(now() - begun >= SECOND && now() - begun < SECOND * LONGEST, "{:?}", now() - begun);
    }

    /// Processes that do nothing but use the CPU. They are killed on drop.
    struct Busy(Vec<Child>);

    impl Drop for Busy {
        fn drop(&mut self) {
            for child in &mut self.0 {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }

    #[test]
    fn waiting_for_a_cpu_shows_in_a_process_and_in_its_child() {
        let run = |script: &str| Command::new("sh").args(["-c", script]).spawn().expect("sh starts");
        let busy = Busy((0..2).map(|_| run("sh -c 'while :; do :; done' & wait")).collect());
        let others = std::thread::available_parallelism().map_or(1, usize::from);
        let _others = Busy((0..others).map(|_| run("exec sh -c 'while :; do :; done'")).collect());
        let mut spending = ProgramSpending::of(busy.0[0].id());
        let deadline = std::time::Instant::now() + 60 * SECOND;
        let root = spending.root;
        let (mut waited, mut child_waits) = (Duration::ZERO, false);
        while waited < Duration::from_millis(20) || !child_waits {
            waited += spending.more(false).expect("few threads").spent.waiting;
            child_waits = spending.waited.iter().any(|(process, waited)| *process != root && !waited.is_zero());
            assert!(std::time::Instant::now() < deadline, "{spending:?}");
        }
        // Kill the child as well, or else it would outlive its parent.
        for process in spending.waited.keys().filter(|process| **process != root) {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
        let other = busy.0[1].id();
        for process in children(Path::new(&format!("/proc/{other}/task/{other}"))) {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
    }

    /// A shell script with all its processes, which are killed on drop.
    struct Script(Child);

    impl Script {
        fn start(script: &str) -> Self {
            Self(Command::new("sh").args(["-c", script]).process_group(0).spawn().expect("sh starts"))
        }
    }

    impl Drop for Script {
        fn drop(&mut self) {
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.wait();
        }
    }

    /// A process and its descendants.
    fn processes_below(root: u32) -> Vec<i32> {
        let below = children(Path::new(&format!("/proc/{root}/task/{root}"))).into_iter().flat_map(processes_below);
        std::iter::once(root.cast_signed()).chain(below).collect()
    }

    /// Polls `ask` until it returns an answer.
    fn awaited<T>(mut ask: impl FnMut() -> Option<T>) -> T {
        let deadline = std::time::Instant::now() + 60 * SECOND;
        loop {
            if let Some(answer) = ask() {
                return answer;
            }
            assert!(std::time::Instant::now() < deadline, "no answer in time");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn what_processes_have_run_that_are_gone_or_hidden_behind_many_others_counts() {
        let brief = "while :; do sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done'; done";
        let hidden = "while :; do :; done & i=0; while [ $i -lt 80 ]; do sleep 600 & i=$((i + 1)); done; wait";
        for script in [brief, hidden] {
            let program = Script::start(script);
            let used = || processes_below(program.0.id()).into_iter().filter_map(cpu_used).sum::<Duration>();
            let used = awaited(|| Some(used()).filter(|used| *used > SECOND / 2));
            let ran = ProgramSpending::of(program.0.id()).more(false).expect("few threads").spent.running;
            assert!(ran + SECOND / 10 >= used, "{ran:?} of {used:?}: {script}");
        }
    }

    #[test]
    fn a_program_with_too_many_threads_to_ask_loses_nothing_to_others() {
        let many = Script::start("i=0; while [ $i -lt 520 ]; do sleep 600 & i=$((i + 1)); done; wait");
        let mut starvation = ProgramSpending::of(many.0.id());
        awaited(|| starvation.more(false).is_none().then_some(()));
        let few = Script::start("sleep 600 & sleep 600 & wait");
        assert!(ProgramSpending::of(few.0.id()).more(false).is_some());
    }
}
