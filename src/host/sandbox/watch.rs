//! Looks at the processes and files of a bot again and again, and kills all its processes when they exceed a limit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::Signal;

use super::cgroup::Account;
use super::control::{Exceeded, Report, send};
use super::descriptors::{Open, Unmanageable};
use super::unseen::{beside_resident, held_by};
use crate::base::time::{cpu_used, now};
use crate::tournament::file::Resources;

/// How often the limits are looked at.
const WATCH: Duration = Duration::from_millis(20);

/// The priority of who looks, where it may choose one: a bot with many busy processes must not keep it waiting.
const NICE: i32 = -15;

/// Where a bot's processes and files are: a process namespace, or a part of the host.
pub(super) trait Ground: Send + Sync + 'static {
    /// The ids of its processes, dead or alive.
    fn processes(&self) -> Vec<u32>;
    /// The bytes in the bot's scratch space, and whether the space is full. `deleted` is the size in bytes of deleted files
    /// that are still open.
    fn scratch(&self, deleted: u64) -> (u64, bool);
    /// Whether its scratch space does not show what is deleted and still open.
    fn hides_deleted(&self) -> bool;
    /// The bytes in its scratch space, as far as that is in memory and has a bound of its own.
    fn scratch_in_memory(&self) -> u64;
    /// Sends all its processes a signal, if there are any.
    fn signal_all(&self, signal: Signal);
    /// Kills all its processes, of which there is one at least.
    fn kill_all(&self);
}

/// The ids of all processes that can be seen.
pub(super) fn all_processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// What was seen of the processes.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The group that counts their memory, if there is one.
    account: Option<Account>,
    memory: AtomicU64,
    /// What is not resident, when that was last looked at: page tables, what is swapped out, and what channels may hold.
    beside_resident: AtomicU64,
    processes: AtomicU64,
    /// Nobody is left: there is nothing to kill.
    alone: AtomicBool,
    over: AtomicBool,
    /// Whether the arena has been told of a limit that was exceeded.
    told: AtomicBool,
    /// Whether all of them are to be stopped; held while they are told so.
    stopped: Mutex<bool>,
}

impl Seen {
    /// Nothing yet. Memory is counted by this account; without one, process by process.
    pub(super) fn new(account: Option<Account>) -> Self {
        Self { account, ..Self::default() }
    }

    /// The most memory that was seen, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.memory.load(Relaxed)
    }

    /// The most processes and threads that were seen.
    pub(super) fn processes(&self) -> u64 {
        self.processes.load(Relaxed)
    }

    /// Stops all processes of the bot, or lets them go on.
    pub(super) fn stop(&self, stop: bool, ground: &impl Ground) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        *stopped = stop;
        ground.signal_all(if stop { Signal::SIGSTOP } else { Signal::SIGCONT });
    }

    /// Stops them once more: the end of one may have had others continued.
    fn stop_again(&self, ground: &impl Ground) {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if *stopped {
            ground.signal_all(Signal::SIGSTOP);
        }
    }

    /// No process is left.
    pub(super) fn be_alone(&self) {
        self.alone.store(true, SeqCst);
    }

    /// Nobody needs to look any more.
    pub(super) fn be_over(&self) {
        self.over.store(true, Relaxed);
    }

    /// Kills all processes, unless none is left.
    pub(super) fn kill_all(&self, ground: &impl Ground) {
        if !self.alone.load(SeqCst) {
            ground.kill_all();
        }
    }

    /// Tells the arena of a limit that was exceeded, once.
    fn tell(&self, exceeded: Exceeded) {
        if !self.told.swap(true, SeqCst) {
            // Nobody listens any more: then nobody wants to know.
            let _ = send(io::stdin(), &Report::Exceeded(exceeded), &[]);
        }
    }

    /// Tells the arena if the kernel has killed a process for lack of room in the group: before it hears of that process's end.
    pub(super) fn tell_if_full(&self) {
        if let Some(account) = self.account.as_ref().filter(|account| account.was_full()) {
            self.tell(Exceeded::Memory(account.most()));
        }
    }
}

/// The memory that all processes have together, as their group counts it, without what is in the scratch space.
fn counted(account: &Account, ground: &impl Ground) -> u64 {
    // What is deleted or written between these must not count as memory.
    let before = ground.scratch_in_memory();
    let used = account.used().unwrap_or(0);
    used.saturating_sub(before.max(ground.scratch_in_memory()))
}

/// Looks at memory, processes and CPU time until it is over.
pub(super) fn watch(limits: Resources, seen: &Seen, ground: &impl Ground) {
    let _ = rustix::process::setpriority_process(None, NICE);
    while !seen.over.load(Relaxed) {
        seen.stop_again(ground);
        if let Some(exceeded) = look(limits, seen, ground) {
            seen.tell(exceeded);
            seen.kill_all(ground);
            return;
        }
        std::thread::sleep(WATCH);
    }
}

/// Looks at files and descriptors until it is over. There may be so many that what [`watch`] looks at must not wait for it,
/// and that it rests as long as each look takes: other bots need the machine, too.
pub(super) fn watch_files(seen: &Seen, ground: &impl Ground) {
    while !seen.over.load(Relaxed) {
        let begun = now();
        if let Some(exceeded) = look_at_files(seen, ground) {
            seen.tell(exceeded);
            seen.kill_all(ground);
            return;
        }
        std::thread::sleep(WATCH.max(now() - begun));
    }
}

fn look_at_files(seen: &Seen, ground: &impl Ground) -> Option<Exceeded> {
    let is_counted = seen.account.is_some();
    let open = if is_counted && !ground.hides_deleted() {
        Open::default()
    } else {
        match Open::by(ground.processes()) {
            Ok(open) => open,
            Err(Unmanageable(number)) => return Some(Exceeded::Descriptors(number)),
        }
    };
    let beside = || ground.processes().into_iter().map(|pid| beside_resident(&thread_of(pid))).sum::<u64>();
    let beside = if is_counted { 0 } else { beside() + held_by(open.channels()) };
    seen.beside_resident.store(beside, Relaxed);
    let (scratch, is_full) = ground.scratch(open.deleted_bytes());
    is_full.then_some(Exceeded::Scratch(scratch))
}

/// Looks once. What it takes is bounded, whatever the processes do, by the number that they may be.
fn look(limits: Resources, seen: &Seen, ground: &impl Ground) -> Option<Exceeded> {
    let tick_millis = 1000 / rustix::param::clock_ticks_per_second().max(1);
    let (mut resident, mut processes, mut ticks) = (0, 0, 0);
    for pid in ground.processes() {
        let now = Now::of(pid);
        ticks += now.ticks;
        processes += now.threads;
        resident += now.memory;
        if processes > limits.processes {
            // More there may be, and need not be looked at.
            break;
        }
    }
    seen.processes.fetch_max(processes, Relaxed);
    let memory = match &seen.account {
        Some(account) => counted(account, ground),
        None => resident + seen.beside_resident.load(Relaxed),
    };
    seen.memory.fetch_max(memory, Relaxed);
    let cpu = reaped_millis() + ticks * tick_millis;
    if processes > limits.processes {
        Some(Exceeded::Processes(processes))
    } else if memory > limits.memory {
        Some(Exceeded::Memory(memory))
    } else if let Some(account) = seen.account.as_ref().filter(|account| account.was_full()) {
        Some(Exceeded::Memory(account.most()))
    } else if limits.cpu.is_some_and(|most| u128::from(cpu) > most.as_millis()) {
        Some(Exceeded::Cpu(cpu))
    } else {
        None
    }
}

/// The CPU time of the processes that have been reaped, in milliseconds.
fn reaped_millis() -> u64 {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| {
        let millis = |time: nix::sys::time::TimeVal| time.tv_sec() * 1000 + time.tv_usec() / 1000;
        u64::try_from(millis(usage.user_time()) + millis(usage.system_time())).unwrap_or(0)
    })
}

/// The CPU time that all processes have used, those that are gone among them.
pub(super) fn cpu_of_all(ground: &impl Ground) -> Duration {
    // First those that are gone: one that goes meanwhile is missed for the moment, but never counted twice.
    let reaped = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(Duration::ZERO, |usage| {
        let time = |time: nix::sys::time::TimeVal| {
            Duration::new(time.tv_sec().unsigned_abs(), 0) + Duration::from_micros(time.tv_usec().unsigned_abs())
        };
        time(usage.user_time()) + time(usage.system_time())
    });
    let living = ground.processes().into_iter().filter_map(|pid| cpu_used(i32::try_from(pid).ok()?));
    living.fold(reaped, |sum, used| sum + used)
}

/// Where /proc describes a thread of the process that lives, if one does: the first may have ended before the others.
pub(super) fn thread_of(pid: u32) -> PathBuf {
    Now::of(pid).dir
}

/// Whether the thread that is described here has memory; one that is about to end has none, and can't be looked at either.
pub(super) fn has_memory(dir: &Path) -> bool {
    Now::stat(dir).memory > 0
}

/// What a process has and holds at the moment.
#[derive(Debug, Default, PartialEq, Eq)]
struct Now {
    /// Of CPU time, that of its children among it for which it has waited: nobody else can be asked for that.
    ticks: u64,
    /// Those that live: a process that has ended counts for none, even if nobody has waited for it yet.
    threads: u64,
    /// Of memory, in bytes.
    memory: u64,
    /// Where a thread of it that lives is described.
    dir: PathBuf,
}

impl Now {
    /// Nothing of one that is gone.
    fn of(pid: u32) -> Self {
        let dir = PathBuf::from(format!("/proc/{pid}"));
        let mut now = Self::stat(&dir);
        if now.threads > 0 && now.memory == 0 {
            // The first thread has ended and knows of no memory any more, but the others have it still.
            let others = fs::read_dir(dir.join("task")).into_iter().flatten().flatten();
            let living = others.map(|thread| Self::stat(&thread.path())).find(|thread| thread.memory > 0);
            (now.memory, now.dir) = living.map_or((0, dir), |living| (living.memory, living.dir));
        }
        now
    }

    fn stat(dir: &Path) -> Self {
        let stat = fs::read_to_string(dir.join("stat")).unwrap_or_default();
        Self { dir: dir.to_owned(), ..Self::parse(&stat) }
    }

    /// What a stat file says of a process, or of a thread as if it were one.
    fn parse(stat: &str) -> Self {
        // Behind the name, which may hold anything: state is field 3.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process named `a) Z 1` with that state, so many threads and pages.
    fn stat(state: char, threads: u32, pages: u32) -> String {
        format!(
            "7 (a) Z 1) {state} 1 7 7 0 -1 4 5 6 7 8 100 20 3 4 20 0 {threads} 0 99 123456 {pages} 18446744073709551615"
        )
    }

    #[test]
    fn a_process_has_its_threads_memory_and_time() {
        let page = rustix::param::page_size() as u64;
        assert_eq!(
            Now::parse(&stat('S', 3, 50)),
            Now { ticks: 127, threads: 3, memory: 50 * page, dir: PathBuf::new() }
        );
    }

    #[test]
    fn who_has_ended_counts_for_nothing_but_time() {
        assert_eq!(Now::parse(&stat('Z', 1, 0)), Now { ticks: 127, ..Now::default() });
        assert_eq!(Now::parse(&stat('X', 0, 0)).threads, 0);
    }

    #[test]
    fn threads_live_on_after_the_first() {
        assert_eq!(Now::parse(&stat('Z', 3, 0)).threads, 2);
    }

    #[test]
    fn what_is_no_stat_is_nothing() {
        for text in ["", "7", "7 (a", "7 (a)", "7 (a) S x"] {
            assert_eq!(Now::parse(text), Now::default(), "{text}");
        }
    }
}
