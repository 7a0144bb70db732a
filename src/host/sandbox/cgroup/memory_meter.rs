//! How much memory a bot's group holds, and whether it was full: the files of the group that say so.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::{CgroupVersion, MemoryGroup};

/// More bytes than any file of a group has.
const LONGEST: usize = 16 << 10;

/// Reads what a group holds, from files that are open already.
#[derive(Debug)]
pub(crate) struct MemoryMeter {
    usage: File,
    stat: File,
    events: File,
    /// In version 1, how often the group itself was full, which `events` does not say.
    failures: Vec<File>,
    /// What `usage` leaves out: in version 1 the memory of TCP, in version 2 what is swapped out.
    aside: Option<File>,
    most: u64,
}

impl MemoryMeter {
    pub(super) fn open(group: &MemoryGroup) -> io::Result<Self> {
        let open = |name: &str| File::open(group.dir.join(name));
        let [usage, events, aside] = match group.version {
            CgroupVersion::One => ["memory.usage_in_bytes", "memory.oom_control", "memory.kmem.tcp.usage_in_bytes"],
            CgroupVersion::Two => ["memory.current", "memory.events", "memory.swap.current"],
        };
        Ok(Self {
            usage: open(usage)?,
            stat: open("memory.stat")?,
            events: open(events)?,
            failures: match group.version {
                CgroupVersion::One => {
                    ["memory.failcnt", "memory.memsw.failcnt"].iter().flat_map(|name| open(name)).collect()
                }
                CgroupVersion::Two => Vec::new(),
            },
            aside: open(aside).ok(),
            most: group.most,
        })
    }

    /// The bytes that the group holds: what programs have allocated and shared, swapped out or not, files in memory, and what
    /// the kernel keeps for them. Copies of what is on a disk do not count, since they go when room is needed.
    pub(crate) fn used(&self) -> io::Result<u64> {
        let number = |file| Ok::<u64, io::Error>(text(file)?.trim().parse().unwrap_or(0));
        let aside = self.aside.as_ref().map_or(Ok(0), number)?;
        Ok(used(number(&self.usage)?, &text(&self.stat)?).saturating_add(aside))
    }

    /// Whether the kernel had to kill a process because the group was full. When the machine is short of memory, or a group
    /// above, the kernel may also kill a process of a group that is not full.
    pub(crate) fn was_full(&self) -> bool {
        let failures: Vec<u64> =
            self.failures.iter().flat_map(text).filter_map(|number| number.trim().parse().ok()).collect();
        text(&self.events).is_ok_and(|events| was_full(&events, &failures))
    }

    /// Whether the kernel has killed a process of the group although the group was not full: the machine or a group above had no
    /// memory left.
    pub(crate) fn has_lost_one(&self) -> bool {
        let is_killed = text(&self.events).is_ok_and(|events| field(&events, "oom_kill") > 0);
        is_killed && !self.was_full()
    }

    /// How many bytes the group may hold.
    pub(crate) const fn most(&self) -> u64 {
        self.most
    }
}

/// Whether a process was killed because the group was full. `events` is the group's file of events, and `failures` is how often
/// the group has failed to get memory, if that is counted.
fn was_full(events: &str, failures: &[u64]) -> bool {
    let full =
        if failures.is_empty() { field(events, "oom") > 0 } else { failures.iter().any(|&failures| failures > 0) };
    field(events, "oom_kill") > 0 && full
}

/// The bytes that a group holds, by its `usage` in bytes and its file `memory.stat`.
fn used(usage: u64, stat: &str) -> u64 {
    // Version 1 has the first and the last name, version 2 the second. Files in memory are part of the cache as well.
    let cache = field(stat, "cache") + field(stat, "file");
    usage.saturating_sub(cache).saturating_add(field(stat, "shmem")).saturating_add(field(stat, "swap"))
}

/// The number that follows this name; 0 if there is none.
fn field(text: &str, name: &str) -> u64 {
    let find = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok();
    text.lines().find_map(find).unwrap_or(0)
}

/// What the file says now.
fn text(file: &File) -> io::Result<String> {
    let mut bytes = vec![0; LONGEST];
    let length = file.read_at(&mut bytes, 0)?;
    bytes.truncate(length);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_what_is_on_a_disk_do_not_count() {
        let one = "cache 700\nrss 100\nshmem 300\nswap 50\ntotal_cache 9000\ntotal_shmem 9000\n";
        assert_eq!(used(1000, one), 1000 - 700 + 300 + 50);
        let two = "anon 100\nfile 700\nkernel 200\nshmem 300\nfile_mapped 9000\nshmem_thp 9000\n";
        assert_eq!(used(1000, two), 1000 - 700 + 300);
        // The parts are not counted at the same moment.
        assert_eq!(used(100, one), 350);
    }

    #[test]
    fn a_kill_is_told_from_a_group_that_is_short() {
        let two = |oom, kills| format!("low 0\nhigh 0\nmax 3\noom {oom}\noom_kill {kills}\noom_group_kill 7\n");
        let one = |kills| format!("oom_kill_disable 0\nunder_oom 0\noom_kill {kills}\n");
        assert!(was_full(&two(2, 1), &[]) && was_full(&one(2), &[0, 1]));
        assert!(!was_full(&two(2, 0), &[]) && !was_full(&one(0), &[1, 1]), "no process was killed");
        assert!(!was_full(&two(0, 1), &[]) && !was_full(&one(2), &[0, 0]), "the machine was short, not the group");
    }
}
