//! The cores that this process may use, and how many games can be played at the same time on them.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

/// Returns how many physical cores this process may use: the cores of the CPUs that it may run on, but no more than its
/// share of CPU time allows. If the system does not report this, the result is the number of threads that can run at
/// the same time.
pub fn physical_cores() -> NonZeroUsize {
    let threads = available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let cores = cores_of_this_process().and_then(|cores| NonZeroUsize::new(cores.len()));
    cores.map_or(threads, |cores| cores.min(threads))
}

/// Returns how many games to play at the same time by default, if `thinkers` bots of each game may think at the same
/// time. Each of these bots gets a core, and one core is left for the arena.
pub fn default_concurrency(thinkers: NonZeroUsize) -> NonZeroUsize {
    concurrency_on(physical_cores(), thinkers)
}

fn concurrency_on(cores: NonZeroUsize, thinkers: NonZeroUsize) -> NonZeroUsize {
    NonZeroUsize::new((cores.get() - 1) / thinkers.get()).unwrap_or(NonZeroUsize::MIN)
}

/// A core that this process may run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PhysicalCore {
    /// The list of all its CPUs, such as `0,4`. It is the same for every process on the machine.
    pub(super) name: String,
    /// The CPUs of the core that this process may run on.
    pub(super) cpus: Vec<u32>,
}

/// Returns the cores that this process may run on, from Linux's /proc and /sys.
pub(super) fn cores_of_this_process() -> Option<Vec<PhysicalCore>> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let mut cores: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for cpu in cpus(allowed)? {
        cores.entry(siblings(cpu)?).or_default().push(cpu);
    }
    Some(cores.into_iter().map(|(name, cpus)| PhysicalCore { name, cpus }).collect())
}

/// Returns the CPUs that share a core with `cpu`, as listed by the system. The text is the same for each of these CPUs.
fn siblings(cpu: u32) -> Option<String> {
    // Kernels before 5.3 use the second name.
    ["core_cpus_list", "thread_siblings_list"].into_iter().find_map(|file| {
        let list = fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/{file}")).ok()?;
        Some(list.trim().to_owned())
    })
}

/// Parses a list of numbers such as `0-3,8`; `None` if `text` is not such a list.
fn cpus(text: &str) -> Option<Vec<u32>> {
    // Kernels cannot be built for this many CPUs.
    const TOO_MANY: u32 = 1 << 16;
    let mut cpus = Vec::new();
    for range in text.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last >= TOO_MANY {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus_are_read() {
        assert_eq!(cpus("\t0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(cpus("5"), Some(vec![5]));
        for list in ["", "a", "1-", "0-4294967295"] {
            assert_eq!(cpus(list), None, "{list:?}");
        }
    }

    #[test]
    fn one_core_is_left_to_the_arena_and_two_go_to_each_game() {
        let number = |number| NonZeroUsize::new(number).unwrap();
        let games = |cores| concurrency_on(number(cores), number(2)).get();
        assert_eq!([1, 2, 3, 4, 5, 8, 16].map(games), [1, 1, 1, 1, 2, 3, 7]);
        // If a bot is stopped during its opponent's turn, only one bot of a game thinks at any time.
        let games = |cores| concurrency_on(number(cores), number(1)).get();
        assert_eq!([1, 2, 3, 4].map(games), [1, 1, 2, 3]);
    }

    #[test]
    fn there_are_no_more_cores_than_threads() {
        assert!(physical_cores() <= available_parallelism().unwrap());
    }
}
