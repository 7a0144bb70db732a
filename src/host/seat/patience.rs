//! How long to wait for a program's hello. Only the program's own time counts, not the time that the machine keeps it waiting.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::base::time::{now, schedstat, sleep_until, uptime};
use crate::referee::result::Void;

/// How often to count the time.
const TICK: Duration = Duration::from_millis(100);

/// The machine counts as too busy for the game after this many times the deadline, by the arena's clock.
const LONGEST: u32 = 10;

/// How many processes of a program to ask, and how many threads of each.
const MOST_ASKED: usize = 64;

/// What is left of the time in which a program has to say hello.
///
/// Time does not count while the program's processes are ready to run but have no CPU, or while the arena itself is stopped or
/// has no CPU. So neither many programs that start at once nor a busy machine can make a player a no-show.
#[derive(Debug)]
pub(super) struct Patience {
    timeout: Duration,
    left: Duration,
    waited: Duration,
    starvation: Option<Starvation>,
}

/// Why the wait is over.
#[derive(Debug)]
pub(super) enum Impatience {
    /// The program has had all its time.
    Late,
    /// The machine had no time for it.
    Busy(Void),
}

impl Patience {
    /// Waits for the program whose process is `pid`, for `timeout` of its own time.
    pub(super) fn new(timeout: Duration, pid: Option<u32>) -> Self {
        let starvation = pid.map(|pid| Starvation { root: pid, waited: HashMap::new() });
        Self { timeout, left: timeout, waited: Duration::ZERO, starvation }
    }

    /// Waits until the time is over. Cancelling loses a tick at most.
    pub(super) async fn run_out(&mut self) -> Impatience {
        while self.waited < self.timeout.saturating_mul(LONGEST) {
            let nap = TICK.min(self.left);
            let begun = uptime();
            sleep_until(now() + nap).await;
            let passed = uptime().saturating_sub(begun);
            let starved = self.starvation.as_mut().map(Starvation::more).unwrap_or_default();
            self.waited += nap;
            self.left = self.left.saturating_sub(counted(nap, passed, starved));
            if self.left.is_zero() {
                return Impatience::Late;
            }
        }
        let waited = humantime::format_duration(self.timeout.saturating_mul(LONGEST));
        Impatience::Busy(Void {
            reason: format!(
                "the machine was too busy: within {waited}, a starting bot did not get its `hello_timeout` of CPU time or rest"
            ),
        })
    }
}

/// How much of `nap` counts, which took `passed` by the clock, and during which the program was `starved`.
fn counted(nap: Duration, passed: Duration, starved: Duration) -> Duration {
    // An arena that is so late has not even checked for a hello.
    if passed > nap + TICK { Duration::ZERO } else { nap.saturating_sub(starved) }
}

/// How long the processes of a program have been ready to run without a CPU.
#[derive(Debug)]
struct Starvation {
    root: u32,
    /// For each process that has been seen, the time of the thread that waited longest.
    waited: HashMap<u32, Duration>,
}

impl Starvation {
    /// How much longer it is than at the last look, all processes together.
    fn more(&mut self) -> Duration {
        let mut more = Duration::ZERO;
        let mut processes = vec![self.root];
        let mut asked = 0;
        while let Some(process) = processes.pop().filter(|_| asked < MOST_ASKED) {
            asked += 1;
            let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
            let mut longest = Duration::ZERO;
            for task in tasks.take(MOST_ASKED) {
                let task = task.path();
                longest = longest.max(schedstat(&task.join("schedstat")).map_or(Duration::ZERO, |spent| spent.waiting));
                processes.extend(children(&task));
            }
            let before = self.waited.entry(process).or_default();
            more += longest.saturating_sub(*before);
            *before = longest.max(*before);
        }
        more
    }
}

/// The children of a task.
fn children(task: &Path) -> Vec<u32> {
    let text = fs::read_to_string(task.join("children")).unwrap_or_default();
    text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn neither_starving_nor_what_the_arena_missed_counts() {
        assert_eq!(counted(TICK, TICK, Duration::ZERO), TICK);
        assert_eq!(counted(TICK, TICK + TICK / 2, TICK / 4), TICK * 3 / 4);
        assert_eq!(counted(TICK, TICK, SECOND), Duration::ZERO);
        assert_eq!(counted(TICK, 60 * SECOND, Duration::ZERO), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_for_a_silent_program_is_as_long_as_its_timeout() {
        let begun = now();
        assert!(matches!(Patience::new(SECOND, None).run_out().await, Impatience::Late));
        // It takes longer where the machine keeps the test from running.
        assert!(now() - begun >= SECOND && now() - begun < SECOND * LONGEST, "{:?}", now() - begun);
    }

    /// Processes that do nothing but run, killed when this is dropped.
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
        let mut starvation = Starvation { root: busy.0[0].id(), waited: HashMap::new() };
        let deadline = std::time::Instant::now() + 60 * SECOND;
        let mut waited = Duration::ZERO;
        while waited < Duration::from_millis(20) {
            waited += starvation.more();
            assert!(std::time::Instant::now() < deadline, "{starvation:?}");
        }
        let root = starvation.root;
        assert!(starvation.waited.iter().any(|(process, waited)| *process != root && !waited.is_zero()));
        // The child would outlive its parent.
        for process in starvation.waited.keys().filter(|process| **process != root) {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
        let other = Starvation { root: busy.0[1].id(), waited: HashMap::new() };
        for process in children(Path::new(&format!("/proc/{0}/task/{0}", other.root))) {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
    }
}
