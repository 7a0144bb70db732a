//! How many times the system has refused a process or a thread to this process and its neighbours, or killed one of them
//! for lack of memory.

use std::fs;
use std::path::{Path, PathBuf};

use super::groups::{Hierarchy, Place};

/// How many times the machine has run short so far, as far as the system counts this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortages {
    /// Processes and threads that were refused because a control group has as many as its `pids.max` allows.
    pub forks: u64,
    /// Processes that the kernel killed for lack of memory, including those that exceeded a limit of their own.
    pub kills: u64,
}

impl Shortages {
    /// Returns the counts up to now.
    pub fn so_far() -> Self {
        let counts = fs::read_to_string("/proc/vmstat").unwrap_or_default();
        let kills = counts.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
        Self { forks: refused_forks(), kills: kills.unwrap_or(0) }
    }
}

/// Returns how many times a process or thread was refused because this process's control group, or one above it, has as
/// many as `pids.max` allows; 0 if the system does not count this. A bot's own limit is a different one, and does not
/// count here.
fn refused_forks() -> u64 {
    let read = |name: &str| fs::read_to_string(Path::new("/proc/self").join(name)).unwrap_or_default();
    let groups = groups(&read("cgroup"), &read("mountinfo"));
    groups.iter().filter_map(|dir| refusals(&fs::read_to_string(dir.join("pids.events")).ok()?)).sum()
}

/// Parses the number of refusals in a `pids.events` file.
fn refusals(events: &str) -> Option<u64> {
    events.lines().find_map(|line| line.strip_prefix("max ")?.trim().parse().ok())
}

/// Returns the directories of the control groups that may count this process: its own groups and those above them.
/// `cgroup` and `mountinfo` are the contents of the files with these names in a process's directory in /proc.
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
}
