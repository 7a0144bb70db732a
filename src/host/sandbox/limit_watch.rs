//! The watch, which periodically examines the processes and files of a bot, and kills all processes when the bot
//! exceeds a limit.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::Signal;
use nix::unistd::Pid;

use super::cgroup::MemoryMeter;
use super::control_messages::{StageReport, send};
use super::descriptors::{OpenDescriptors, Unmanageable};
use super::exceeded::Exceeded;
use super::memory_estimate::{beside_resident, held_by};
use super::procfs::{ProcessSnapshot, duration};
use super::scratch_fill::Fill;
use crate::base::time::{cpu_used, now};
use crate::host::shortage::{DeathWatch, FullDisk, Observed};
use crate::tournament::Resources;

/// The interval at which to check memory, processes and CPU time.
const WATCH: Duration = Duration::from_millis(20);

/// The niceness of the watch, if the system lets it choose one: a bot with many busy processes must not keep the watch
/// waiting.
const NICE: i32 = -15;

/// A bot's processes and files. The processes are all the processes of a namespace, or some of the host's processes.
pub(super) trait BotProcesses: Send + Sync + 'static {
    /// The ids of the processes, dead or alive.
    fn processes(&self) -> Vec<u32>;
    /// How full the bot's scratch space is. `deleted` is the total size in bytes of files that are deleted but still
    /// open.
    fn scratch(&self, deleted: u64) -> Fill;
    /// Whether the scratch space does not account for files that are deleted but still open.
    fn hides_deleted(&self) -> bool;
    /// The number of bytes in those parts of the scratch space that are in memory and have their own limit.
    fn scratch_in_memory(&self) -> u64;
    /// The disk to which the bot can write, if it is full.
    fn full_disk(&self) -> Option<FullDisk>;
    /// The id of the last process or thread that was started, if ids are assigned in order and only to the bot.
    fn last_id() -> Option<u64>;
    /// Sends a signal to all processes, if there are any.
    fn signal_all(&self, signal: Signal);
    /// Kills all processes. At least one must exist.
    fn kill_all(&self);
}

/// How the memory of a bot is counted.
#[derive(Debug)]
pub(super) enum KillTally {
    /// Memory is counted by the kernel, in the bot's own control group.
    Group(MemoryMeter),
    /// Memory is counted process by process.
    Processes(DeathWatch),
}

/// The watch's observations of the bot's processes.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Reads the figures of the bot's memory group, if there is one.
    meter: Option<MemoryMeter>,
    /// Detects processes that the kernel has killed for lack of memory, if there is no memory group.
    deaths: Option<DeathWatch>,
    /// The state of the disk when it was last full, with the highest number of bytes that the bot ever used while the
    /// disk was full.
    full_disk: Mutex<Option<FullDisk>>,
    /// Whether the arena itself has begun to kill processes.
    ending: AtomicBool,
    memory: AtomicU64,
    /// Memory that was not resident as of the last check: page tables, swapped-out memory, and the possible contents of
    /// channels.
    beside_resident: AtomicU64,
    processes: AtomicU64,
    starts: Mutex<Starts>,
    /// Whether no process is left, so there is nothing to kill.
    alone: AtomicBool,
    over: AtomicBool,
    /// Whether the arena has been notified of a limit that the bot exceeded.
    told: AtomicBool,
    /// Whether all processes should be stopped. Locked while the signal is being sent.
    stopped: Mutex<bool>,
}

/// Keeps track of how many processes and threads there may have been between two checks.
#[derive(Debug, Default)]
struct Starts {
    /// The last assigned id as of the last check.
    last_id: u64,
    /// The number of processes and threads that were alive at the last check.
    living: u64,
    /// The highest number of processes and threads that may have existed at the same time.
    most: u64,
}

impl Starts {
    /// Records the number of living processes and threads, and the last id, which must have been read before the count.
    fn note(&mut self, living: u64, last_id: u64) {
        // Ids wrap around after the largest one.
        let started = last_id.checked_sub(self.last_id).unwrap_or(last_id);
        self.most = self.most.max(living).max(self.living.saturating_add(started));
        (self.living, self.last_id) = (living, last_id);
    }
}

impl Seen {
    /// Creates an empty record of observations.
    pub(super) fn new(tally: KillTally) -> Self {
        match tally {
            KillTally::Group(meter) => Self { meter: Some(meter), ..Self::default() },
            KillTally::Processes(deaths) => Self { deaths: Some(deaths), ..Self::default() },
        }
    }

    /// What the machine has lacked so far.
    pub(super) fn observed(&self) -> Observed {
        let lost_in_group = self.meter.as_ref().and_then(MemoryMeter::last_loss);
        Observed {
            memory: lost_in_group.or_else(|| self.deaths.as_ref()?.last_hit()),
            disk: *self.full_disk.lock().unwrap_or_else(PoisonError::into_inner),
            most_processes: self.starts().most,
        }
    }

    fn starts(&self) -> MutexGuard<'_, Starts> {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to count the processes and threads that are started. Call this before the bot may start any.
    pub(super) fn begin_starts<B: BotProcesses>(&self) {
        self.starts().last_id = B::last_id().unwrap_or(0);
    }

    /// Notes that `process` has ended, and whether it was killed by SIGKILL.
    pub(super) fn one_has_ended(&self, process: Pid, is_killed: bool) {
        let by_others = is_killed && !self.ending.load(SeqCst);
        if let Some((deaths, process)) = self.deaths.as_ref().zip(u32::try_from(process.as_raw()).ok()) {
            deaths.one_has_ended(process, by_others);
        }
    }

    /// Examines everything that may disappear with the bot's own process, before the arena learns that the process has
    /// ended.
    pub(super) fn look_at_end<B: BotProcesses>(&self, bot: &B) {
        let last_id = B::last_id();
        let snapshots: Vec<(u32, ProcessSnapshot)> =
            bot.processes().into_iter().map(|pid| (pid, ProcessSnapshot::of(pid))).collect();
        self.note_threads(snapshots.iter().map(|(_, now)| now.threads).sum(), last_id);
        self.note_living(
            snapshots.iter().filter(|(_, now)| now.threads > 0).map(|(pid, now)| (*pid, now.memory)).collect(),
        );
        if bot.full_disk().is_some() {
            // Data that the bot has just written must count as its own.
            let _ = bot.scratch(0);
            self.look_at_disk(bot);
        }
    }

    /// Records the number of processes and threads, and the last id, which must have been read before the count.
    fn note_threads(&self, threads: u64, last_id: Option<u64>) {
        self.processes.fetch_max(threads, Relaxed);
        if let Some(last_id) = last_id {
            self.starts().note(threads, last_id);
        }
    }

    /// Records the processes that were alive a moment ago, and the memory of each.
    fn note_living(&self, living: BTreeMap<u32, u64>) {
        // A process that the arena itself kills disappears only after `ending` has been set.
        if let Some(deaths) = self.deaths.as_ref().filter(|_| !self.ending.load(SeqCst)) {
            deaths.look(living);
        }
    }

    fn look_at_disk(&self, bot: &impl BotProcesses) {
        if let Some(found) = bot.full_disk() {
            let mut full = self.full_disk.lock().unwrap_or_else(PoisonError::into_inner);
            let held = full.map_or(found.held, |full| full.held.max(found.held));
            *full = Some(FullDisk { held, ..found });
        }
    }

    /// The current memory of the bot's processes, of which `resident` bytes are resident.
    fn memory_of(&self, resident: u64, bot: &impl BotProcesses) -> u64 {
        match &self.meter {
            Some(meter) => counted(meter, bot),
            None => resident + self.beside_resident.load(Relaxed),
        }
    }

    /// Records the current memory of the bot's processes.
    fn note_memory(&self, bot: &impl BotProcesses) {
        let resident = || bot.processes().into_iter().map(|pid| ProcessSnapshot::of(pid).memory).sum();
        let resident = if self.meter.is_some() { 0 } else { resident() };
        self.memory.fetch_max(self.memory_of(resident, bot), Relaxed);
    }

    /// The highest observed memory, in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.memory.load(Relaxed)
    }

    /// The highest observed number of simultaneous processes and threads.
    pub(super) fn processes(&self) -> u64 {
        self.processes.load(Relaxed)
    }

    /// Stops all processes of the bot.
    pub(super) fn freeze(&self, bot: &impl BotProcesses) {
        let mut stopped = self.stopped();
        *stopped = true;
        bot.signal_all(Signal::SIGSTOP);
    }

    /// Resumes all processes of the bot.
    pub(super) fn thaw(&self, bot: &impl BotProcesses) {
        let mut stopped = self.stopped();
        *stopped = false;
        bot.signal_all(Signal::SIGCONT);
    }

    /// Stops all processes again, if they should be stopped: the end of one process may have resumed others.
    fn freeze_again(&self, bot: &impl BotProcesses) {
        let stopped = self.stopped();
        if *stopped {
            bot.signal_all(Signal::SIGSTOP);
        }
    }

    fn stopped(&self) -> MutexGuard<'_, bool> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that no process is left.
    pub(super) fn be_alone(&self) {
        self.alone.store(true, SeqCst);
    }

    /// Notes that the watching threads can stop.
    pub(super) fn be_over(&self) {
        self.over.store(true, Relaxed);
    }

    /// Waits for `pause`, and returns whether the watching threads have to go on. The threads also wait before their
    /// first check, so that it does not disturb a game's first moves.
    fn goes_on_after(&self, pause: Duration) -> bool {
        std::thread::sleep(pause);
        !self.over.load(Relaxed)
    }

    /// Kills all processes, unless none is left.
    pub(super) fn kill_all(&self, bot: &impl BotProcesses) {
        self.ending.store(true, SeqCst);
        if !self.alone.load(SeqCst) {
            bot.kill_all();
        }
    }

    /// Reports an exceeded limit to the arena, but only the first time.
    fn tell(&self, exceeded: Exceeded) {
        if !self.told.swap(true, SeqCst) {
            // An error means that the arena is no longer listening.
            let _ = send(io::stdin(), &StageReport::Exceeded(exceeded), &[]);
        }
    }

    /// If the kernel has killed a process because the group was full, reports this before the arena learns that the
    /// process has ended.
    pub(super) fn tell_if_full(&self) {
        if let Some(meter) = self.meter.as_ref().filter(|meter| meter.was_full()) {
            self.tell(Exceeded::Memory(meter.most()));
        }
    }
}

/// The total memory of all processes, as counted by their group, without the contents of the scratch space.
fn counted(meter: &MemoryMeter, bot: &impl BotProcesses) -> u64 {
    // Anything that the bot deletes or writes between the two readings must not count as memory.
    let before = bot.scratch_in_memory();
    let used = meter.used().unwrap_or(0);
    used.saturating_sub(before.max(bot.scratch_in_memory()))
}

/// Checks memory, processes and CPU time until the bot has ended.
pub(super) fn watch(allowed: Resources, seen: &Seen, bot: &impl BotProcesses) {
    let _ = rustix::process::setpriority_process(None, NICE);
    // A game can be over before the first check.
    seen.note_memory(bot);
    while seen.goes_on_after(WATCH) {
        seen.freeze_again(bot);
        if let Some(exceeded) = look(allowed, seen, bot) {
            seen.tell(exceeded);
            seen.kill_all(bot);
            return;
        }
    }
}

/// Checks files and descriptors until the bot has ended. There can be a great many of them, so [`watch`] must not wait
/// for these checks. After each check, the thread pauses for as long as the check took, since other bots need the
/// machine as well.
pub(super) fn watch_files(seen: &Seen, bot: &impl BotProcesses) {
    let mut pause = WATCH;
    while seen.goes_on_after(pause) {
        let begun = now();
        if let Some(exceeded) = look_at_files(seen, bot) {
            seen.tell(exceeded);
            seen.kill_all(bot);
            return;
        }
        pause = WATCH.max(now() - begun);
    }
}

fn look_at_files(seen: &Seen, bot: &impl BotProcesses) -> Option<Exceeded> {
    let is_counted = seen.meter.is_some();
    let open = if is_counted && !bot.hides_deleted() {
        OpenDescriptors::default()
    } else {
        match OpenDescriptors::of(bot.processes()) {
            Ok(open) => open,
            Err(Unmanageable(number)) => return Some(Exceeded::Descriptors(number)),
        }
    };
    let beside = || bot.processes().into_iter().map(|pid| beside_resident(&ProcessSnapshot::of(pid).dir)).sum::<u64>();
    let beside = if is_counted { 0 } else { beside() + held_by(open.channels()) };
    seen.beside_resident.store(beside, Relaxed);
    let fill = bot.scratch(open.deleted_bytes());
    fill.is_full.then_some(Exceeded::Scratch(fill.bytes))
}

/// Checks memory, processes and CPU time once. However many processes the bot has, this never takes longer than for the
/// allowed number of processes.
fn look<B: BotProcesses>(allowed: Resources, seen: &Seen, bot: &B) -> Option<Exceeded> {
    let (mut resident, mut processes, mut cpu) = (0, 0, reaped().as_millis());
    let mut living = BTreeMap::new();
    let last_id = B::last_id();
    for pid in bot.processes() {
        let now = ProcessSnapshot::of(pid);
        cpu += u128::from(now.cpu_millis());
        processes += now.threads;
        if now.threads > 0 {
            living.insert(pid, now.memory);
        }
        resident += now.memory;
        if processes > allowed.processes {
            // There is no need to examine the remaining processes.
            break;
        }
    }
    seen.note_threads(processes, last_id);
    if processes <= allowed.processes {
        seen.note_living(living);
    }
    seen.look_at_disk(bot);
    let memory = seen.memory_of(resident, bot);
    seen.memory.fetch_max(memory, Relaxed);
    if processes > allowed.processes {
        Some(Exceeded::Processes(processes))
    } else if memory > allowed.memory {
        Some(Exceeded::Memory(memory))
    } else if let Some(meter) = seen.meter.as_ref().filter(|meter| meter.was_full()) {
        Some(Exceeded::Memory(meter.most()))
    } else if allowed.cpu.is_some_and(|most| cpu > most.as_millis()) {
        Some(Exceeded::Cpu(u64::try_from(cpu).unwrap_or(u64::MAX)))
    } else {
        None
    }
}

/// The CPU time of the processes that have been reaped.
fn reaped() -> Duration {
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or(Duration::ZERO, |usage| duration(usage.user_time()) + duration(usage.system_time()))
}

/// The CPU time that all processes have used, including those that are gone.
pub(super) fn cpu_of_all(bot: &impl BotProcesses) -> Duration {
    // Count the reaped processes first. A process that ends in the meantime may be missed for a moment, but is never
    // counted twice.
    let reaped = reaped();
    let living = bot.processes().into_iter().filter_map(|pid| cpu_used(i32::try_from(pid).ok()?));
    living.fold(reaped, |sum, used| sum + used)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The highest number of processes that a program may have had at the same time. Each of `looks` contains the
    /// number of processes that were alive, and the last id that had been assigned.
    fn most(looks: &[(u64, u64)]) -> u64 {
        let mut starts = Starts { last_id: 4, ..Starts::default() };
        for &(living, last_id) in looks {
            starts.note(living, last_id);
        }
        starts.most
    }

    #[test]
    fn what_lived_between_two_looks_counts_by_its_ids() {
        assert_eq!(most(&[(1, 6)]), 2, "one process is gone");
        assert_eq!(most(&[(10, 14), (10, 14)]), 10);
        assert_eq!(most(&[(1, 5), (1, 6), (1, 7), (1, 8)]), 2, "one process after another");
        assert_eq!(most(&[(1, 5), (0, 205)]), 201, "a burst");
        assert_eq!(most(&[(1, 5), (150, 155), (1, 155), (1, 160)]), 151);
        let mut starts = Starts { last_id: 32_760, living: 3, most: 3 };
        starts.note(3, 310);
        assert_eq!(starts.most, 313, "the ids have wrapped around");
    }
}
