//! The work of the last stage while the bot runs, in every tier: it reaps processes, enforces the limits, and answers
//! requests from the arena.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::Pid;

use super::Policy;
use super::cgroup::Inside;
use super::control_messages::{Failed, InStep, StageReport, StageRequest, receive, send};
use super::limit_watch::{BotProcesses, KillTally, Seen, cpu_of_all, watch, watch_files};
use super::procfs::duration;
use crate::host::shortage::DeathWatch;
use crate::host::start::ProcessEnd;
use crate::tournament::Resources;

/// Moves this process into the bot's memory group, if the bot has one. Call this while the process still sees the
/// host's files.
pub(super) fn enter_group(policy: &Policy) -> Result<(Option<Inside>, KillTally), Failed> {
    Ok(match &policy.memory_group {
        Some(group) => {
            let (inside, meter) = Inside::enter(group)?;
            (Some(inside), KillTally::Group(meter))
        }
        None => (None, KillTally::Processes(DeathWatch::begin())),
    })
}

/// Starts the bot with `start`, then reaps processes, watches and reports until the control socket is closed and no
/// process is left.
pub(super) fn oversee<B: BotProcesses>(
    allowed: Resources,
    tally: KillTally,
    start: impl FnOnce() -> Result<(Pid, B), Failed>,
) -> Result<(), Failed> {
    let listen_again = io::stdin().as_fd().try_clone_to_owned().step("share the control socket")?;
    let seen = Arc::new(Seen::new(tally));
    // The threads must start before the bot does, since the bot can use up all available threads.
    let answering = thread_for("control", {
        let seen = Arc::clone(&seen);
        move |bot: &B| {
            while let Ok(Some((request, _))) = receive::<StageRequest>(&listen_again) {
                // An error means that the arena is no longer listening. The socket will be closed soon.
                let _ = send(&listen_again, &answer(request, &seen, bot), &[]);
            }
            seen.kill_all(bot);
        }
    })?;
    let watching = thread_for("watch", {
        let seen = Arc::clone(&seen);
        move |bot: &B| watch(allowed, &seen, bot)
    })?;
    let watching_files = thread_for("files", {
        let seen = Arc::clone(&seen);
        move |bot: &B| watch_files(&seen, bot)
    })?;
    seen.begin_starts::<B>();
    let (first, bot) = start()?;
    let written_before = written();
    let bot = Arc::new(bot);
    // Each thread waits until it has received the bot, so sending cannot fail.
    let _ = answering.bot.send(Arc::clone(&bot));
    let _ = watching.bot.send(Arc::clone(&bot));
    let _ = watching_files.bot.send(Arc::clone(&bot));
    reap(first, &seen, &*bot);
    seen.be_alone();
    // At this point, the game is over.
    let _ = send(io::stdin(), &StageReport::Alone, &[]);
    let _ = answering.thread.join();
    seen.be_over();
    send(io::stdin(), &used(&seen, written_before)?, &[]).step("report")
}

/// A thread that waits for the bot that it will watch.
struct WaitingThread<B> {
    bot: mpsc::Sender<Arc<B>>,
    thread: JoinHandle<()>,
}

fn thread_for<B: BotProcesses>(name: &str, work: impl FnOnce(&B) + Send + 'static) -> Result<WaitingThread<B>, Failed> {
    let (bot, given) = mpsc::channel::<Arc<B>>();
    let wait = move || {
        if let Ok(bot) = given.recv() {
            work(&bot);
        }
    };
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(wait).step("start a thread")?;
    Ok(WaitingThread { bot, thread })
}

/// The usage of all processes of the bot, which must all have been reaped.
fn used(seen: &Seen, written_before: u64) -> Result<StageReport, Failed> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).step("query the resource usage")?;
    let micros = |time| u64::try_from(duration(time).as_micros()).unwrap_or(u64::MAX);
    Ok(StageReport::Used {
        user_micros: micros(usage.user_time()),
        system_micros: micros(usage.system_time()),
        peak_memory: seen.memory().max(largest_process(&usage)),
        processes: seen.processes().max(1),
        written: written().saturating_sub(written_before),
        observed: seen.observed(),
    })
}

/// The number of bytes that this process and all processes that it has reaped have written to files, pipes and outputs.
/// The kernel does not count bytes sent over sockets, so the reports of this process to the arena are not included.
fn written() -> u64 {
    let io = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let written = io.lines().find_map(|line| line.strip_prefix("wchar:"));
    written.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

/// The memory of the largest reaped process, in bytes, which the watch may have missed. Returns 0 if the process may
/// have used that memory while it was still this program, before it became the bot.
fn largest_process(usage: &nix::sys::resource::Usage) -> u64 {
    let bytes = |usage: &nix::sys::resource::Usage| u64::try_from(usage.max_rss()).unwrap_or(0).saturating_mul(1024);
    let own = peak_memory_of_this_process().unwrap_or(u64::MAX);
    let largest = bytes(usage);
    if largest > own.saturating_add(own / 4) { largest } else { 0 }
}

/// The largest memory of this process since it became this program, in bytes. A process that it starts begins with this
/// figure. `getrusage` is of no use here, since it includes what the process had before.
fn peak_memory_of_this_process() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Releases stdout and stderr. From then on, they are open only in the bot, so the arena notices when the bot closes
/// them.
pub(super) fn let_go_of_outputs() -> Result<(), Failed> {
    let null = fs::File::options().write(true).open("/dev/null").step("open /dev/null")?;
    rustix::stdio::dup2_stdout(&null).step("release stdout")?;
    rustix::stdio::dup2_stderr(&null).step("release stderr")
}

/// Reaps processes until none is left, and reports the end of `first`, the bot's own process.
fn reap(first: Pid, seen: &Seen, bot: &impl BotProcesses) {
    loop {
        let ended = wait();
        seen.tell_if_full();
        if let Ok(process) = ended.as_ref().map_err(|_| ()).and_then(|ended| ended.pid().ok_or(())) {
            seen.one_has_ended(process, matches!(ended, Ok(WaitStatus::Signaled(_, Signal::SIGKILL, _))));
        }
        let end = match ended {
            Ok(WaitStatus::Exited(pid, code)) if pid == first => ProcessEnd::Code(code),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == first => ProcessEnd::Signal(signal as i32),
            Ok(_) | Err(nix::errno::Errno::EINTR) => continue,
            Err(_) => return,
        };
        seen.look_at_end(bot);
        // An error means that the arena is no longer listening.
        let _ = send(io::stdin(), &StageReport::Gone(end), &[]);
    }
}

/// Carries out a request from the arena.
fn answer(request: StageRequest, seen: &Seen, bot: &impl BotProcesses) -> StageReport {
    match request {
        StageRequest::Stop => seen.freeze(bot),
        StageRequest::Continue => seen.thaw(bot),
        StageRequest::Cpu => {
            return StageReport::Cpu(u64::try_from(cpu_of_all(bot).as_nanos()).unwrap_or(u64::MAX));
        }
    }
    StageReport::Done
}
