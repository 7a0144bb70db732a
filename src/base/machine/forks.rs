//! What the system has refused to this process and those beside it, or taken from them: processes, threads, memory.

use std::fs;
use std::path::{Path, PathBuf};

use super::groups::{Hierarchy, Place};

/// What programs say when they get no process or thread: Java, Python, Go, shells, and whoever prints what the system says.
const COMPLAINTS: [&str; 5] = [
    "unable to create native thread",
    "can't start new thread",
    "failed to create new OS thread",
    "annot fork",
    "Resource temporarily unavailable",
];

/// How often the machine was short so far, as far as the system counts that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortages {
    /// Of processes and threads, because a control group has as many as `pids.max` allows.
    pub forks: u64,
    /// Of memory, so that the kernel killed a process; also one that had exceeded a bound of its own.
    pub kills: u64,
}

impl Shortages {
    /// Those until now.
    pub fn so_far() -> Self {
        let counts = fs::read_to_string("/proc/vmstat").unwrap_or_default();
        let kills = counts.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
        Self { forks: refused_forks(), kills: kills.unwrap_or(0) }
    }
}

/// How often a process or thread was refused because the control group of this process, or one above it, has as many as
/// `pids.max` allows; 0 where the system does not count that. A bot's own limit is another one.
fn refused_forks() -> u64 {
    let read = |name: &str| fs::read_to_string(Path::new("/proc/self").join(name)).unwrap_or_default();
    let groups = groups(&read("cgroup"), &read("mountinfo"));
    groups.iter().filter_map(|dir| refusals(&fs::read_to_string(dir.join("pids.events")).ok()?)).sum()
}

/// Whether `stderr`, what a program said, complains of a missing process or thread.
pub fn lacks_a_fork(stderr: &str) -> bool {
    COMPLAINTS.iter().any(|complaint| stderr.contains(complaint))
}

/// The number of refusals in a file `pids.events`.
fn refusals(events: &str) -> Option<u64> {
    events.lines().find_map(|line| line.strip_prefix("max ")?.trim().parse().ok())
}

/// The directories of the groups that may count processes, by what the files `cgroup` and `mountinfo` of a process in /proc say:
/// its own ones and those above.
fn groups(cgroup: &str, mountinfo: &str) -> Vec<PathBuf> {
    let trees = [Hierarchy::Of("pids"), Hierarchy::Unified];
    let places = trees.into_iter().filter_map(|tree| Place::parse(tree, cgroup, mountinfo));
    places.flat_map(|place| place.groups().map(Path::to_owned).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_that_may_count_processes_are_found() {
        let two = "40 30 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
        let expected = ["/sys/fs/cgroup/user/one", "/sys/fs/cgroup/user", "/sys/fs/cgroup"].map(PathBuf::from);
        assert_eq!(groups("0::/user/one\n", two), expected);
        let one = "41 30 0:27 /box /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                   42 30 0:28 /box /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
        let expected = ["/sys/fs/cgroup/pids/one", "/sys/fs/cgroup/pids"].map(PathBuf::from);
        assert_eq!(groups("8:pids:/box/one\n4:memory:/box/one\n0::/\n", one), expected);
        assert!(groups("8:pids:/other\n", one).is_empty());
        assert!(groups("", "").is_empty());
    }

    #[test]
    fn refusals_are_read() {
        assert_eq!(refusals("max 17\n"), Some(17));
        assert_eq!(refusals("maximum 1\n"), None);
    }

    #[test]
    fn complaints_are_known() {
        for said in [
            "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or process/resource limits",
            "RuntimeError: can't start new thread",
            "runtime: failed to create new OS thread (have 5 already; errno=11)",
            "sh: 1: Cannot fork",
            "bash: fork: retry: Resource temporarily unavailable",
        ] {
            assert!(lacks_a_fork(said), "{said}");
        }
        assert!(!lacks_a_fork("java.lang.OutOfMemoryError: Java heap space"));
    }
}
