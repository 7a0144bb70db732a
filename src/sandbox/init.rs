//! The second stage: pid 1 of the bot's namespace. It reaps, watches the limits, and reports.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::Pid;
use rustix::process::{set_parent_process_death_signal, setsid};

use super::control::{Exceeded, Failed, Report, Request, Step, receive, send};
use super::order::Order;
use super::workplace::Filling;
use super::{TMP, enter, root};
use crate::time::cpu_used;
use crate::tournament::Resources;

/// How often the limits are looked at.
const WATCH: Duration = Duration::from_millis(20);

/// What was seen of the processes.
#[derive(Debug, Default)]
struct Seen {
    memory: AtomicU64,
    processes: AtomicU64,
    /// Nobody is left: there is nothing to kill.
    alone: AtomicBool,
    over: AtomicBool,
    /// Whether all of them are to be stopped; held while they are told so.
    stopped: Mutex<bool>,
}

impl Seen {
    /// Stops all processes of the bot, or lets them go on.
    fn stop(&self, stop: bool, ground: &impl Ground) {
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
}

/// Where a bot's processes and files are: a process namespace, or a part of the host.
pub(super) trait Ground: Send + Sync + 'static {
    /// The ids of its processes, dead or alive.
    fn processes(&self) -> Vec<u32>;
    /// The bytes in its scratch space, and whether that is full.
    fn scratch(&self) -> (u64, bool);
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

/// The process namespace of which this process is pid 1.
struct Namespace {
    copy: Option<Filling>,
}

impl Ground for Namespace {
    fn processes(&self) -> Vec<u32> {
        all_processes().filter(|&pid| pid != 1).collect()
    }

    fn scratch(&self) -> (u64, bool) {
        match self.copy.as_ref().map(Filling::look) {
            Some((bytes, true)) => (bytes, true),
            _ => rustix::fs::statvfs(TMP)
                .map_or((0, false), |stat| ((stat.f_blocks - stat.f_bfree) * stat.f_frsize, stat.f_bfree == 0)),
        }
    }

    fn signal_all(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(-1), signal);
    }

    fn kill_all(&self) {
        self.signal_all(Signal::SIGKILL);
    }
}

pub(super) fn run() -> u8 {
    match live() {
        Ok(()) => 0,
        Err(failed) => {
            let _ = send(io::stdin(), &Report::Failed(failed), &[]);
            1
        }
    }
}

fn live() -> Result<(), Failed> {
    // The first stage is killed to end all this, if nothing else does it.
    set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).step("be bound to the first stage")?;
    let Some(Order { policy, stdin }) = Order::receive(io::stdin()).step("hear the policy")? else { return Ok(()) };
    setsid().step("begin a session")?;
    root::build(&policy)?;
    oversee(policy.limits, || {
        let bot = enter::spawn(&policy, stdin)?;
        let_go_of_outputs()?;
        let copy = policy.workplace.as_ref().map(|workplace| Filling::new(workplace, policy.workdir()));
        Ok((bot, Namespace { copy }))
    })
}

/// Starts the bot; reaps, watches and reports until the control socket ends and nobody is left.
pub(super) fn oversee<G: Ground>(
    limits: Resources,
    start: impl FnOnce() -> Result<(Pid, G), Failed>,
) -> Result<(), Failed> {
    let listen_again = io::stdin().as_fd().try_clone_to_owned().step("share the control socket")?;
    let seen = Arc::new(Seen::default());
    // The threads are there before the bot, which may use up all that it can get.
    let ended = on_ground("control", {
        let seen = Arc::clone(&seen);
        move |ground: &G| {
            while let Ok(Some((request, _))) = receive::<Request>(&listen_again) {
                // Nobody listens any more: then the end comes next.
                let _ = send(&listen_again, &answer(request, &seen, ground), &[]);
            }
            if !seen.alone.load(SeqCst) {
                ground.kill_all();
            }
        }
    })?;
    let watching = on_ground("watch", {
        let seen = Arc::clone(&seen);
        move |ground: &G| watch(limits, &seen, ground)
    })?;
    let (bot, ground) = start()?;
    let written_before = written();
    let ground = Arc::new(ground);
    // Each is there until it has heard this.
    let _ = ended.ground.send(Arc::clone(&ground));
    let _ = watching.ground.send(ground);
    reap(bot);
    seen.alone.store(true, SeqCst);
    // What comes now is the end of the game.
    let _ = send(io::stdin(), &Report::Alone, &[]);
    let _ = ended.thread.join();
    seen.over.store(true, Relaxed);
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).step("ask for the usage")?;
    let micros = |time: nix::sys::time::TimeVal| {
        u64::try_from(time.tv_sec()).unwrap_or(0) * 1_000_000 + u64::try_from(time.tv_usec()).unwrap_or(0)
    };
    let peak_memory = seen.memory.load(Relaxed).max(largest_process(&usage));
    let used = Report::Used {
        user_micros: micros(usage.user_time()),
        system_micros: micros(usage.system_time()),
        peak_memory,
        processes: seen.processes.load(Relaxed).max(1),
        written: written().saturating_sub(written_before),
    };
    send(io::stdin(), &used, &[]).step("report")
}

/// A thread that waits for the ground that it works on.
struct Waiting<G> {
    ground: mpsc::Sender<Arc<G>>,
    thread: JoinHandle<()>,
}

fn on_ground<G: Ground>(name: &str, work: impl FnOnce(&G) + Send + 'static) -> Result<Waiting<G>, Failed> {
    let (ground, given) = mpsc::channel::<Arc<G>>();
    let wait = move || {
        if let Ok(ground) = given.recv() {
            work(&ground);
        }
    };
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(wait).step("start a thread")?;
    Ok(Waiting { ground, thread })
}

/// What this process has written and all that it has reaped, as the kernel counts it: to files, pipes and outputs, but not
/// what is sent over sockets, so that what is said to the arena is not in it.
fn written() -> u64 {
    let io = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let written = io.lines().find_map(|line| line.strip_prefix("wchar:"));
    written.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

/// The memory of the largest process that was reaped, in bytes, which a look now and then may have missed; 0 where that
/// may be what the process had before it became the bot, when it was this very program.
fn largest_process(usage: &nix::sys::resource::Usage) -> u64 {
    let bytes = |usage: &nix::sys::resource::Usage| u64::try_from(usage.max_rss()).unwrap_or(0).saturating_mul(1024);
    let own = getrusage(UsageWho::RUSAGE_SELF).map_or(u64::MAX, |own| bytes(&own));
    let largest = bytes(usage);
    if largest > own.saturating_add(own / 4) { largest } else { 0 }
}

/// Lets go of the outputs, which are the bot's own from here on, so that their ends are seen outside.
pub(super) fn let_go_of_outputs() -> Result<(), Failed> {
    let null = fs::File::options().write(true).open("/dev/null").step("open /dev/null")?;
    rustix::stdio::dup2_stdout(&null).step("let go of stdout")?;
    rustix::stdio::dup2_stderr(&null).step("let go of stderr")
}

/// Reaps until nobody is left. Reports the bot's own end.
fn reap(bot: Pid) {
    loop {
        let report = match wait() {
            Ok(WaitStatus::Exited(pid, code)) if pid == bot => Report::Gone { code: Some(code), signal: None },
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == bot => {
                Report::Gone { code: None, signal: Some(signal as i32) }
            }
            Ok(_) | Err(nix::errno::Errno::EINTR) => continue,
            Err(_) => return,
        };
        // Nobody listens any more: then nobody wants to know.
        let _ = send(io::stdin(), &report, &[]);
    }
}

/// Does what the arena asks for.
fn answer(request: Request, seen: &Seen, ground: &impl Ground) -> Report {
    match request {
        Request::Stop => seen.stop(true, ground),
        Request::Continue => seen.stop(false, ground),
        Request::Cpu => return Report::Cpu(u64::try_from(cpu_of_all(ground).as_nanos()).unwrap_or(u64::MAX)),
    }
    Report::Done
}

/// The CPU time that all processes have used, those that are gone among them.
fn cpu_of_all(ground: &impl Ground) -> Duration {
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

/// What a process has and holds at the moment.
#[derive(Debug, Default, PartialEq, Eq)]
struct Now {
    /// Of CPU time, that of its children among it for which it has waited: nobody else can be asked for that.
    ticks: u64,
    /// Those that live: a process that has ended counts for none, even if nobody has waited for it yet.
    threads: u64,
    /// Of memory.
    pages: u64,
}

impl Now {
    /// Nothing of one that is gone.
    fn of(pid: u32) -> Self {
        let stat = |path: String| fs::read_to_string(path).map_or_else(|_| Self::default(), |stat| Self::parse(&stat));
        let mut now = stat(format!("/proc/{pid}/stat"));
        if now.threads > 0 && now.pages == 0 {
            // The first thread has ended and knows of no memory any more, but the others have it still.
            let others = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
            let pages = others.map(|thread| stat(thread.path().join("stat").display().to_string()).pages);
            now.pages = pages.max().unwrap_or(0);
        }
        now
    }

    /// What a stat file says of a process, or of a thread as if it were one.
    fn parse(stat: &str) -> Self {
        // Behind the name, which may hold anything: state is field 3.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        let is_dead = fields.first().is_some_and(|state| ["Z", "X"].contains(state));
        Self { ticks: (14..=17).map(field).sum(), threads: field(20).saturating_sub(is_dead.into()), pages: field(24) }
    }
}

/// Looks at all processes again and again, and kills them when they exceed a limit.
fn watch(limits: Resources, seen: &Seen, ground: &impl Ground) {
    let page = rustix::param::page_size() as u64;
    let tick_millis = 1000 / rustix::param::clock_ticks_per_second().max(1);
    while !seen.over.load(Relaxed) {
        seen.stop_again(ground);
        let (mut memory, mut processes, mut ticks) = (0, 0, 0);
        for pid in ground.processes() {
            let now = Now::of(pid);
            ticks += now.ticks;
            processes += now.threads;
            memory += now.pages * page;
        }
        seen.memory.fetch_max(memory, Relaxed);
        seen.processes.fetch_max(processes, Relaxed);
        let reaped = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| {
            let millis = |time: nix::sys::time::TimeVal| time.tv_sec() * 1000 + time.tv_usec() / 1000;
            u64::try_from(millis(usage.user_time()) + millis(usage.system_time())).unwrap_or(0)
        });
        let cpu = reaped + ticks * tick_millis;
        let (scratch, full) = ground.scratch();
        let exceeded = if memory > limits.memory {
            Some(Exceeded::Memory(memory))
        } else if processes > limits.processes {
            Some(Exceeded::Processes(processes))
        } else if limits.cpu.is_some_and(|most| u128::from(cpu) > most.as_millis()) {
            Some(Exceeded::Cpu(cpu))
        } else if full {
            Some(Exceeded::Scratch(scratch))
        } else {
            None
        };
        if let Some(exceeded) = exceeded {
            let _ = send(io::stdin(), &Report::Exceeded(exceeded), &[]);
            if !seen.alone.load(SeqCst) {
                ground.kill_all();
            }
            return;
        }
        std::thread::sleep(WATCH);
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
        assert_eq!(Now::parse(&stat('S', 3, 50)), Now { ticks: 127, threads: 3, pages: 50 });
    }

    #[test]
    fn who_has_ended_counts_for_nothing_but_time() {
        assert_eq!(Now::parse(&stat('Z', 1, 0)), Now { ticks: 127, threads: 0, pages: 0 });
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
