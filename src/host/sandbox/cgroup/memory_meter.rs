//! Reads from the files of a bot's group how much memory the group uses, and whether the group was full.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{CgroupVersion, MemoryGroup};
use crate::base::time::uptime;

/// An upper bound on the size of each of a group's files, in bytes.
const LONGEST: usize = 16 << 10;

/// Reads how much memory a group uses, from files that are already open.
#[derive(Debug)]
pub(crate) struct MemoryMeter {
    usage: File,
    stat: File,
    events: File,
    /// In version 1, the files with the number of times that the group itself was full, which is not in `events`.
    failures: Vec<File>,
    /// The file that reports the memory that `usage` leaves out: TCP memory in version 1, swapped-out memory in version
    /// 2.
    aside: Option<File>,
    most: u64,
    kills: Mutex<KillLog>,
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
            kills: Mutex::default(),
        })
    }

    /// The number of bytes that the group uses: allocated and shared memory, swapped out or not, files in memory, and
    /// the kernel's own data for the group. Cached file contents do not count, since they are reclaimed when memory is
    /// needed.
    pub(crate) fn used(&self) -> io::Result<u64> {
        let number = |file| Ok::<u64, io::Error>(text(file)?.trim().parse().unwrap_or(0));
        let aside = self.aside.as_ref().map_or(Ok(0), number)?;
        Ok(used(number(&self.usage)?, &text(&self.stat)?).saturating_add(aside))
    }

    /// Checks whether the kernel has killed processes of the group since the last check. Only regular checks can show
    /// whether the group was full at that time.
    fn look(&self) -> KillLog {
        let mut kills = self.kills.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(events) = text(&self.events) {
            // A group is full before the kernel kills any of its processes, so the failures must be read after the
            // events.
            let failures = self.failures.iter().flat_map(text).filter_map(|number| number.trim().parse::<u64>().ok());
            let failures = failures.sum::<u64>().saturating_add(field(&events, "oom"));
            kills.note(field(&events, "oom_kill"), failures, uptime());
        }
        *kills
    }

    /// Whether the kernel has killed a process because the group was full. When the machine or a parent group is short
    /// of memory, the kernel can also kill a process of a group that is not full.
    pub(crate) fn was_full(&self) -> bool {
        self.look().was_full
    }

    /// When the kernel last killed a process of the group although the group was not full: the machine or a parent
    /// group had run out of memory.
    pub(crate) fn last_loss(&self) -> Option<Duration> {
        self.look().last_loss
    }

    /// How many bytes the group may use.
    pub(crate) const fn most(&self) -> u64 {
        self.most
    }
}

/// The maximum time between a group's failure to allocate memory and the resulting kill. In version 1 of the interface,
/// a group also counts a failure when it is full of cached files, although the allocation succeeds once some of the
/// cache has been reclaimed.
const FAILING: Duration = Duration::from_secs(1);

/// The kills seen in a group. Times are as returned by [`uptime`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct KillLog {
    /// How many processes of the group the kernel has killed.
    kills: u64,
    /// How many times the group has failed to allocate memory.
    failures: u64,
    /// When the group last failed to allocate memory.
    last_failure: Option<Duration>,
    /// Whether the kernel has killed a process because the group was full.
    was_full: bool,
    /// When the kernel last killed a process although the group was not full.
    last_loss: Option<Duration>,
}

impl KillLog {
    /// Records the counts of the group at the time `at`.
    fn note(&mut self, kills: u64, failures: u64, at: Duration) {
        if failures > self.failures {
            (self.failures, self.last_failure) = (failures, Some(at));
        }
        if kills > self.kills {
            self.kills = kills;
            if self.last_failure.is_some_and(|failure| at.saturating_sub(failure) <= FAILING) {
                self.was_full = true;
            } else {
                self.last_loss = Some(at);
            }
        }
    }
}

/// The number of bytes that a group uses, computed from its `usage` in bytes and `stat`, its file `memory.stat`.
fn used(usage: u64, stat: &str) -> u64 {
    // Version 1 has `cache` and `swap`, and version 2 has `file`. Files in memory are part of the cache as well.
    let cache = field(stat, "cache") + field(stat, "file");
    usage.saturating_sub(cache).saturating_add(field(stat, "shmem")).saturating_add(field(stat, "swap"))
}

/// The number that follows `name` at the beginning of a line of `text`; 0 if there is none.
fn field(text: &str, name: &str) -> u64 {
    let find = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok();
    text.lines().find_map(find).unwrap_or(0)
}

/// The current text of `file`.
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
        // The kernel does not sample all parts at the same moment.
        assert_eq!(used(100, one), 350);
    }

    #[test]
    fn a_kill_in_a_full_group_is_distinguished_from_one_on_a_machine_short_of_memory() {
        // Each entry consists of the number of kills, the number of failures, and the time in milliseconds.
        type Looks<'a> = &'a [(u64, u64, u64)];
        let full: [Looks<'_>; 3] =
            [&[(1, 2, 20)], &[(0, 1, 20), (1, 1, 500)], &[(0, 1, 20), (0, 9, 5000), (1, 9, 5020)]];
        let not_full: [(Looks<'_>, Option<u64>); 5] = [
            (&[(0, 2, 20), (0, 2, 5000)], None),
            (&[(1, 0, 20)], Some(20)),
            (&[(0, 7, 20), (1, 7, 5000)], Some(5000)),
            (&[(1, 0, 20), (1, 1, 40)], Some(20)),
            (&[(1, 0, 20), (1, 0, 400), (3, 0, 900)], Some(900)),
        ];
        let all = full.into_iter().map(|looks| (looks, true, None));
        for (looks, was_full, lost) in all.chain(not_full.into_iter().map(|(looks, lost)| (looks, false, lost))) {
            let mut log = KillLog::default();
            for &(kills, failures, millis) in looks {
                log.note(kills, failures, Duration::from_millis(millis));
            }
            assert_eq!((log.was_full, log.last_loss), (was_full, lost.map(Duration::from_millis)), "{looks:?}");
        }
    }

    #[test]
    fn the_counts_have_their_names_in_both_versions() {
        let two = "low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\noom_group_kill 7\n";
        assert_eq!((field(two, "oom"), field(two, "oom_kill")), (2, 1));
        let one = "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n";
        assert_eq!((field(one, "oom"), field(one, "oom_kill")), (0, 4));
    }
}
