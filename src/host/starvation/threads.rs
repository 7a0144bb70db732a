//! Derives a program's starvation from the waits of all its threads.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::thread_waits::ThreadWaits;
use crate::base::time::{Instant, ProcessCpu, Spent, process_cpu, schedstat};
use crate::referee::starvation::Starvation;

/// How many processes of a program to examine. If there are more, the figures are unknown.
const MOST_PROCESSES: usize = 256;

/// How many threads of a program to examine. The run time of any further threads counts, but not their waits.
const MOST_THREADS: usize = 512;

/// A span in which the threads of a program are watched.
#[derive(Debug)]
pub(super) struct ThreadsWindow {
    root: u32,
    stages: usize,
    waits: ThreadWaits,
    ran: RunTime,
    /// The time that each thread had spent when the span began. Threads that did not exist at that time are missing.
    before: HashMap<u32, Spent>,
    /// The time that each thread had spent as of the last sample.
    last: HashMap<u32, Spent>,
    /// Whether a sample has failed.
    is_unknown: bool,
}

impl ThreadsWindow {
    /// Begins to watch the program below the process `root`, which is the first of `stages` stages.
    pub(super) fn begin(root: u32, stages: usize) -> Self {
        let mut window = Self {
            root,
            stages,
            waits: ThreadWaits::default(),
            ran: RunTime::default(),
            before: HashMap::new(),
            last: HashMap::new(),
            is_unknown: false,
        };
        match processes(root, stages) {
            Some(processes) => {
                // The measurement of the run time begins before the first sample of the waits and ends after the last
                // one, so that no thread appears to have waited while nothing ran.
                window.ran.begin(&processes);
                window.before = window.spent(&processes);
                window.last.clone_from(&window.before);
            }
            None => window.is_unknown = true,
        }
        window
    }

    /// Samples the threads again.
    pub(super) fn look(&mut self) {
        match processes(self.root, self.stages) {
            Some(processes) => {
                self.last = self.spent(&processes);
                self.ran.add(&processes);
            }
            None => self.is_unknown = true,
        }
    }

    /// The time that each thread of the program has spent.
    fn spent(&mut self, processes: &[FoundProcess]) -> HashMap<u32, Spent> {
        let threads = processes.iter().filter(|process| !process.is_stage).flat_map(|process| &process.threads);
        let look = |&(id, ref dir): &(u32, PathBuf)| Some((id, self.waits.look(id, dir)?));
        threads.take(MOST_THREADS).filter_map(look).collect()
    }

    /// Takes the last sample, at the end of the span that began at `begun`, and returns the starvation. `None` if the
    /// system has not reported everything.
    pub(super) fn end(mut self, begun: Instant) -> Option<Starvation> {
        self.look();
        let (of, ran) = (begun.elapsed(), self.ran.sum);
        let spent = self.last.iter().map(|(id, last)| {
            let before = self.before.get(id).copied().unwrap_or_default();
            Spent {
                running: last.running.saturating_sub(before.running),
                waiting: last.waiting.saturating_sub(before.waiting),
            }
        });
        let starved = starved(spent, ran).min(of);
        (!self.is_unknown).then_some(Starvation { starved, ran, of })
    }
}

/// A lower bound on how long a program was starved, given the times `spent` by its threads and the total run time
/// `ran`.
///
/// While a thread waited, the other threads ran for at most their total run time. During the rest of the wait, the
/// program was starved. Each thread yields such a bound, and the greatest one is used. For a program with a single
/// thread, the bound is exact.
fn starved(spent: impl Iterator<Item = Spent>, ran: Duration) -> Duration {
    let bounds = spent.map(|thread| thread.waiting.saturating_sub(ran.saturating_sub(thread.running)));
    bounds.max().unwrap_or_default()
}

/// A process of a program, or a stage above it.
struct FoundProcess {
    pid: u32,
    is_stage: bool,
    /// The ids of the process's threads, with the directories that describe them.
    threads: Vec<(u32, PathBuf)>,
}

/// The process `root` and all its living descendants. The first `stages` generations are stages. `None` if the system
/// does not list the processes, or if there are too many.
fn processes(root: u32, stages: usize) -> Option<Vec<FoundProcess>> {
    let mut found = Vec::new();
    let mut waiting = vec![(root, 0)];
    while let Some((pid, depth)) = waiting.pop() {
        if found.len() == MOST_PROCESSES {
            return None;
        }
        // A process that is gone has no directory and nothing to report.
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let mut threads = Vec::new();
        for task in tasks {
            let Some(id) = task.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let dir = task.path();
            match fs::read_to_string(dir.join("children")) {
                Ok(text) => waiting.extend(children(&text).map(|child| (child, depth + 1))),
                // Without this file, the children of the process would be missed.
                Err(_) if dir.exists() => return None,
                Err(_) => continue,
            }
            threads.push((id, dir));
        }
        found.push(FoundProcess { pid, is_stage: depth < stages, threads });
    }
    // The system reports on either all threads or none.
    let first = found.iter().flat_map(|process| &process.threads).next();
    let is_told = first.is_none_or(|(_, dir)| schedstat(&dir.join("schedstat")).is_some() || !dir.exists());
    is_told.then_some(found)
}

/// The ids in `text`, the contents of a `children` file.
fn children(text: &str) -> impl Iterator<Item = u32> {
    text.split_whitespace().filter_map(|number| number.parse().ok())
}

/// Whether the system reports the required figures, tested on this thread.
pub(super) fn is_measurable() -> bool {
    let dir = PathBuf::from("/proc/thread-self");
    schedstat(&dir.join("schedstat")).is_some() && dir.join("children").exists()
}

/// The total run time of a program's processes.
#[derive(Debug, Default)]
struct RunTime {
    /// The usage of each process as of the last sample.
    seen: HashMap<u32, ProcessCpu>,
    sum: Duration,
}

impl RunTime {
    fn begin(&mut self, processes: &[FoundProcess]) {
        self.seen = cpu(processes);
    }

    /// Adds the CPU time that `processes` have used since the last sample.
    fn add(&mut self, processes: &[FoundProcess]) {
        let now = cpu(processes);
        self.sum += grown(&self.seen, &now);
        self.seen = now;
    }
}

/// How much CPU time was used between two samples. The time of a process that has ended is known only up to the first
/// sample, and may since have been added to the process that waited for it.
fn grown(before: &HashMap<u32, ProcessCpu>, now: &HashMap<u32, ProcessCpu>) -> Duration {
    let (mut own, mut waited_for) = (Duration::ZERO, Duration::ZERO);
    for (pid, now) in now {
        let before = before.get(pid).copied().unwrap_or_default();
        own += now.own.saturating_sub(before.own);
        waited_for += now.waited_for.saturating_sub(before.waited_for);
    }
    let gone = before.iter().filter(|(pid, _)| !now.contains_key(pid));
    let counted: Duration = gone.map(|(_, gone)| gone.own + gone.waited_for).sum();
    own + waited_for.saturating_sub(counted)
}

/// The usage of each process. For a stage, only the time of the children for which it has waited belongs to the
/// program.
fn cpu(processes: &[FoundProcess]) -> HashMap<u32, ProcessCpu> {
    let used = |process: &FoundProcess| {
        let cpu = process_cpu(i32::try_from(process.pid).ok()?)?;
        Some((process.pid, if process.is_stage { ProcessCpu { own: Duration::ZERO, ..cpu } } else { cpu }))
    };
    processes.iter().filter_map(used).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn only_a_wait_in_which_no_other_thread_can_have_run_is_starving() {
        for (threads, ended, expected) in [
            // There is a single thread, all of whose waits count.
            (vec![(300, 700)], 0, 700),
            (vec![(0, 0)], 0, 0),
            // Eight threads share a whole core, and then half a core.
            (vec![(125, 875); 8], 0, 0),
            (vec![(62, 938); 8], 0, 504),
            // The other threads sleep.
            (vec![(300, 700), (0, 0), (0, 0)], 0, 700),
            // The first thread waits while another thread or process, which has since ended, runs.
            (vec![(300, 700)], 650, 50),
            (vec![(300, 700)], 900, 0),
        ] {
            let ran: u64 = threads.iter().map(|(running, _)| running).sum::<u64>() + ended;
            let spent = threads.iter().map(|&(running, waiting)| Spent { running: ms(running), waiting: ms(waiting) });
            assert_eq!(starved(spent, ms(ran)), ms(expected), "{threads:?} and {ended}");
        }
    }

    #[test]
    fn what_a_process_used_is_counted_once_whoever_waits_for_it() {
        let cpu = |own, waited_for| ProcessCpu { own: ms(own), waited_for: ms(waited_for) };
        let before = HashMap::from([(1, cpu(10, 5)), (2, cpu(300, 0)), (3, cpu(7, 0))]);
        for (now, expected, case) in [
            (vec![(1, cpu(12, 5)), (2, cpu(310, 0)), (3, cpu(7, 0))], 12, "all live"),
            (vec![(1, cpu(12, 345)), (3, cpu(7, 0))], 42, "2 was waited for"),
            (vec![(1, cpu(12, 5)), (3, cpu(8, 0))], 3, "no process has waited for 2"),
            (vec![(1, cpu(10, 5)), (2, cpu(300, 0)), (3, cpu(7, 0)), (4, cpu(90, 10))], 100, "4 is new"),
        ] {
            assert_eq!(grown(&before, &now.into_iter().collect()), ms(expected), "{case}");
        }
    }
}
