//! How many times the system has refused a process or a thread to this process and the others in its control groups, or
//! killed one of them for lack of memory; and how many processes they may have in total.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::groups::{Hierarchy, Place, groups_of};

/// How many times the machine has run short so far, as far as the system counts such events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortages {
    /// Processes and threads that were refused because a control group had reached its `pids.max`.
    pub forks: u64,
    /// Processes that the kernel killed for lack of memory, as [`KillCount`] counts them.
    pub kills: u64,
}

impl Shortages {
    /// Returns the current counts.
    pub fn so_far() -> Self {
        Self { forks: refused_forks(), kills: KillCount::open().map_or(0, |count| count.so_far()) }
    }
}

/// How many processes the kernel has killed for lack of memory: in this process's own memory control group and, with
/// version 2 of the interface, in those below it. If no group counts them, this covers the whole machine.
///
/// The file stays open, so that a process can still read it when it can no longer see the groups.
#[derive(Debug)]
pub struct KillCount(File);

/// An upper bound on the size of the files with these counts, in bytes.
const LONGEST: usize = 64 << 10;

impl KillCount {
    /// Opens the best available count; `None` if this system does not count kills.
    pub fn open() -> Option<Self> {
        let own = |hierarchy, file: &str| Some(Place::here(hierarchy)?.own.join(file));
        let files = [
            own(Hierarchy::Of("memory"), "memory.oom_control"),
            own(Hierarchy::Unified, "memory.events"),
            Some(PathBuf::from("/proc/vmstat")),
        ];
        let mut counts = files.into_iter().flatten().filter_map(|file| Some(Self(File::open(file).ok()?)));
        counts.find(|count| count.read().is_some())
    }

    /// Returns the current count.
    pub fn so_far(&self) -> u64 {
        self.read().unwrap_or(0)
    }

    fn read(&self) -> Option<u64> {
        let mut text = vec![0; LONGEST];
        let length = self.0.read_at(&mut text, 0).ok()?;
        kills(&String::from_utf8_lossy(&text[..length]))
    }
}

/// Parses the number of kills in the text of a file, which can have any of the three formats.
fn kills(counts: &str) -> Option<u64> {
    counts.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

/// Returns how many processes and threads this process and the others in its control groups may have in total,
/// according to the lowest `pids.max`; `None` if there is no such limit.
pub fn most_processes() -> Option<u64> {
    let groups = groups_of("pids");
    groups.iter().filter_map(|group| fs::read_to_string(group.join("pids.max")).ok()?.trim().parse().ok()).min()
}

/// Returns how many times a process or thread was refused because this process's control group, or one above it, had
/// reached its `pids.max`; 0 if the system does not count this. A bot's own limit is separate and is not counted here.
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
    fn refusals_and_kills_are_read() {
        assert_eq!(refusals("max 17\n"), Some(17));
        assert_eq!(refusals("maximum 1\n"), None);
        assert_eq!(kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), Some(3));
        assert_eq!(kills("low 0\noom 4\noom_kill 2\noom_group_kill 1\n"), Some(2));
        assert_eq!(kills("oom_kill_disable 0\nunder_oom 0\n"), None, "kernels before 4.13");
    }

    #[test]
    fn every_machine_has_a_count_of_kills() {
        assert!(KillCount::open().is_some());
    }
}
