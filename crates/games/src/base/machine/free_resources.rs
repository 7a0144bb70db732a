//! How much disk space, how many processes and how much memory the machine still has for programs.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::process::{Resource, geteuid, getrlimit};

use super::groups::groups_of;
use crate::base::sanitise::Shown as _;

/// How much of a resource is left, and what limits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomLeft {
    /// The amount left, in bytes or as a number of processes and threads.
    pub amount: u64,
    /// A printable description of the limit.
    pub bound: String,
}

/// The resources that the machine has left for the programs that this process starts. `None` means that the system does
/// not report a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineRoom {
    /// Bytes in the directory for temporary files.
    pub disk: Option<RoomLeft>,
    /// Processes and threads.
    pub processes: Option<RoomLeft>,
    /// Bytes of memory that are available without swapping.
    pub memory: Option<RoomLeft>,
}

impl MachineRoom {
    /// Returns the resources that are left at this moment. Other programs can use them up at any time.
    pub fn now() -> Self {
        let of_pids = groups_of("pids").into_iter().filter_map(|group| processes_in(&group));
        Self {
            disk: disk_at(&std::env::temp_dir()),
            processes: least(of_pids.chain(processes_of_user())),
            memory: memory(),
        }
    }
}

/// Returns how many bytes of memory the machine has left at this moment for the programs that this process starts, as
/// [`MachineRoom::memory`]; `None` if the system does not report it.
pub fn memory_left() -> Option<u64> {
    memory().map(|left| left.amount)
}

/// Returns how many bytes an ordinary user can still write to the file system of `dir`; `None` if the system does not
/// report it.
pub fn disk_left(dir: &Path) -> Option<u64> {
    disk_at(dir).map(|left| left.amount)
}

fn memory() -> Option<RoomLeft> {
    let of_groups = groups_of("memory").into_iter().filter_map(|group| memory_in(&group));
    least(of_groups.chain(memory_of_machine()))
}

fn least(all: impl Iterator<Item = RoomLeft>) -> Option<RoomLeft> {
    all.min_by_key(|left| left.amount)
}

/// How much an ordinary user can still write to the file system of `dir`.
fn disk_at(dir: &Path) -> Option<RoomLeft> {
    let figures = rustix::fs::statvfs(dir).ok()?;
    let amount = figures.f_bavail.saturating_mul(figures.f_frsize);
    Some(RoomLeft { amount, bound: format!("the file system of `{}` (TMPDIR)", dir.shown()) })
}

/// The number in a file of a control group; `None` if the file is missing or contains `max`.
fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// How many processes and threads the control group at `group` may still have.
fn processes_in(group: &Path) -> Option<RoomLeft> {
    let file = group.join("pids.max");
    let amount = number(&file)?.saturating_sub(number(&group.join("pids.current"))?);
    Some(RoomLeft { amount, bound: format!("`{}`", file.shown()) })
}

/// How many processes and threads this user may still have according to `ulimit -u`, which does not apply to root.
fn processes_of_user() -> Option<RoomLeft> {
    let user = geteuid();
    let most = getrlimit(Resource::Nproc).current.filter(|_| !user.is_root())?;
    let threads = |process: &Path| {
        let status = fs::read_to_string(process.join("status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("Threads:")?.trim().parse::<u64>().ok())
    };
    let own = fs::read_dir("/proc").ok()?.flatten().filter(|entry| {
        let name = entry.file_name();
        let is_process = name.to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
        is_process && entry.metadata().is_ok_and(|metadata| metadata.uid() == user.as_raw())
    });
    let taken: u64 = own.filter_map(|entry| threads(&entry.path())).sum();
    Some(RoomLeft { amount: most.saturating_sub(taken), bound: "`ulimit -u`".to_owned() })
}

/// How much memory the control group at `group` may still use, in either version of the interface. Its page cache is
/// reclaimed when needed, and thus counts as free.
fn memory_in(group: &Path) -> Option<RoomLeft> {
    let versions = [
        ("memory.max", "memory.current", ["inactive_file ", "active_file "]),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", ["total_inactive_file ", "total_active_file "]),
    ];
    versions.into_iter().find_map(|(limit, usage, cached)| {
        let file = group.join(limit);
        let (most, used) = (number(&file)?, number(&group.join(usage))?);
        let counts = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let cached: u64 = cached.into_iter().filter_map(|name| figure(&counts, name)).sum();
        let amount = most.saturating_sub(used.saturating_sub(cached));
        Some(RoomLeft { amount, bound: format!("`{}`", file.shown()) })
    })
}

/// How much memory the whole machine has left, not counting swap.
fn memory_of_machine() -> Option<RoomLeft> {
    let figures = fs::read_to_string("/proc/meminfo").ok()?;
    let amount = figure(&figures, "MemAvailable:")?.saturating_mul(1024);
    Some(RoomLeft { amount, bound: "this machine's memory".to_owned() })
}

/// The number after `name` at the start of a line of `figures`.
fn figure(figures: &str, name: &str) -> Option<u64> {
    let rest = figures.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a directory like that of a control group, with the given names and contents of files.
    fn group(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, content) in files {
            fs::write(dir.path().join(name), content).expect("written");
        }
        dir
    }

    fn amount(left: Option<RoomLeft>) -> Option<u64> {
        left.map(|left| left.amount)
    }

    #[test]
    fn a_group_has_what_its_limit_leaves() {
        let of = |files| amount(processes_in(group(files).path()));
        assert_eq!(of(&[("pids.max", "40\n"), ("pids.current", "4\n")]), Some(36));
        assert_eq!(of(&[("pids.max", "3\n"), ("pids.current", "4\n")]), Some(0));
        assert_eq!(of(&[("pids.max", "max\n"), ("pids.current", "4\n")]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn files_in_memory_count_as_free_in_both_versions() {
        let of = |files| amount(memory_in(group(files).path()));
        let second = [
            ("memory.max", "1000\n"),
            ("memory.current", "700\n"),
            ("memory.stat", "anon 100\ninactive_file 300\nactive_file 50\n"),
        ];
        assert_eq!(of(&second), Some(650));
        let first = [
            ("memory.limit_in_bytes", "1000\n"),
            ("memory.usage_in_bytes", "700\n"),
            ("memory.stat", "inactive_file 9\ntotal_inactive_file 300\ntotal_active_file 50\n"),
        ];
        assert_eq!(of(&first), Some(650));
        assert_eq!(of(&[("memory.max", "max\n"), ("memory.current", "700\n")]), None);
    }

    #[test]
    fn every_machine_says_how_much_memory_and_disk_it_has() {
        let room = MachineRoom::now();
        assert!(amount(room.memory).is_some_and(|bytes| bytes > 0));
        assert!(room.disk.is_some_and(|left| left.bound.contains("TMPDIR")));
    }
}
