//! Information about processes from /proc: which processes exist, and the resources that they use.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::unistd::{Pid, getpgid};

/// The ids of all processes that this process can see.
pub(super) fn all_processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The id of the last process or thread that was started in the process namespace of this process, from the text of
/// `/proc/loadavg`.
pub(super) fn last_id(loadavg: &str) -> Option<u64> {
    loadavg.split_whitespace().last()?.parse().ok()
}

/// The processes of a group, dead or alive.
pub(super) fn members(group: Pid) -> impl Iterator<Item = u32> {
    let is_member = move |pid: &u32| {
        let pid = i32::try_from(*pid).ok().map(Pid::from_raw);
        pid.is_some_and(|pid| getpgid(Some(pid)) == Ok(group))
    };
    all_processes().filter(is_member)
}

/// How many processes and threads the user `uid` has now. `RLIMIT_NPROC` limits this number.
pub(super) fn processes_of(uid: u32) -> u64 {
    let own = all_processes().filter(|pid| fs::metadata(format!("/proc/{pid}")).is_ok_and(|of| of.uid() == uid));
    own.map(|pid| fs::read_dir(format!("/proc/{pid}/task")).map_or(0, |threads| threads.count() as u64)).sum()
}

/// The user ids of all processes that this process can see: real, effective and saved.
pub(super) fn users() -> Vec<u32> {
    let statuses = all_processes().filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/status")).ok());
    let lines =
        statuses.filter_map(|status| Some(status.lines().find_map(|line| line.strip_prefix("Uid:"))?.to_owned()));
    lines.flat_map(|line| line.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

/// The state and the resources of a process at one moment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ProcessSnapshot {
    /// CPU time in clock ticks, including the CPU time of the children that the process has waited for, which /proc
    /// shows nowhere else.
    ticks: u64,
    /// Live threads. A process that has ended has none, even if its parent has not waited for it yet.
    pub(super) threads: u64,
    /// Bytes of resident memory.
    pub(super) memory: u64,
    /// The directory that describes a living thread of the process. The first thread may have ended before the others.
    pub(super) dir: PathBuf,
}

impl ProcessSnapshot {
    /// Takes a snapshot of the process `pid`. The snapshot is empty if the process is gone.
    pub(super) fn of(pid: u32) -> Self {
        let dir = PathBuf::from(format!("/proc/{pid}"));
        let mut now = Self::of_thread(&dir);
        if now.threads > 0 && now.memory == 0 {
            // The first thread has ended and no longer shows the process's memory, but the other threads do.
            let others = fs::read_dir(dir.join("task")).into_iter().flatten().flatten();
            let living = others.map(|thread| Self::of_thread(&thread.path())).find(|thread| thread.memory > 0);
            (now.memory, now.dir) = living.map_or((0, dir), |living| (living.memory, living.dir));
        }
        now
    }

    /// Takes a snapshot of the thread that `dir` describes.
    pub(super) fn of_thread(dir: &Path) -> Self {
        let stat = fs::read_to_string(dir.join("stat")).unwrap_or_default();
        Self { dir: dir.to_owned(), ..Self::parse(&stat) }
    }

    /// Parses the `stat` file of a process, or of a thread as if it were a process.
    fn parse(stat: &str) -> Self {
        // The process name, which can contain any character, is followed by field 3, the state.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        let is_dead = fields.first().is_some_and(|state| ["Z", "X"].contains(state));
        Self {
            ticks: (14..=17).map(field).sum(),
            threads: field(20).saturating_sub(is_dead.into()),
            memory: field(24) * rustix::param::page_size() as u64,
            dir: PathBuf::new(),
        }
    }

    /// The CPU time in milliseconds.
    pub(super) fn cpu_millis(&self) -> u64 {
        self.ticks * (1000 / rustix::param::clock_ticks_per_second().max(1))
    }
}

/// Converts a time reported by getrusage(2).
pub(super) fn duration(time: nix::sys::time::TimeVal) -> Duration {
    Duration::new(time.tv_sec().unsigned_abs(), 0) + Duration::from_micros(time.tv_usec().unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The `stat` file of a process named `a) Z 1` in the given `state`, with the given numbers of `threads` and
    /// `pages`.
    fn stat(state: char, threads: u32, pages: u32) -> String {
        format!(
            "7 (a) Z 1) {state} 1 7 7 0 -1 4 5 6 7 8 100 20 3 4 20 0 {threads} 0 99 123456 {pages} 18446744073709551615"
        )
    }

    #[test]
    fn a_process_has_its_threads_memory_and_time() {
        let page = rustix::param::page_size() as u64;
        assert_eq!(
            ProcessSnapshot::parse(&stat('S', 3, 50)),
            ProcessSnapshot { ticks: 127, threads: 3, memory: 50 * page, dir: PathBuf::new() }
        );
    }

    #[test]
    fn the_last_id_is_the_last_field() {
        assert_eq!(last_id("9.77 10.01 9.06 4/321 4711\n"), Some(4711));
        assert_eq!(last_id(""), None);
        assert!(last_id(&fs::read_to_string("/proc/loadavg").expect("read")).is_some_and(|id| id > 0));
    }

    #[test]
    fn a_process_that_has_ended_counts_for_nothing_but_time() {
        let ended = ProcessSnapshot { ticks: 127, ..ProcessSnapshot::default() };
        assert_eq!(ProcessSnapshot::parse(&stat('Z', 1, 0)), ended);
        assert_eq!(ProcessSnapshot::parse(&stat('X', 0, 0)).threads, 0);
    }

    #[test]
    fn threads_live_on_after_the_first() {
        assert_eq!(ProcessSnapshot::parse(&stat('Z', 3, 0)).threads, 2);
    }

    #[test]
    fn text_that_is_not_a_stat_file_is_nothing() {
        for text in ["", "7", "7 (a", "7 (a)", "7 (a) S x"] {
            assert_eq!(ProcessSnapshot::parse(text), ProcessSnapshot::default(), "{text}");
        }
    }
}
