//! The second stage: pid 1 of the bot's namespace. It reaps, watches the limits, and reports.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::Pid;
use rustix::process::{set_parent_process_death_signal, setsid};

use super::cgroup::{Account, Inside};
use super::control::{Failed, Report, Request, Step, receive, send};
use super::order::Order;
use super::watch::{Ground, Seen, all_processes, cpu_of_all, watch, watch_files};
use super::workplace::Filling;
use super::{Policy, TMP, enter, root};
use crate::tournament::file::Resources;

/// The process namespace of which this process is pid 1.
struct Namespace {
    copy: Option<Filling>,
}

impl Ground for Namespace {
    fn processes(&self) -> Vec<u32> {
        all_processes().filter(|&pid| pid != 1).collect()
    }

    fn scratch(&self, _deleted: u64) -> (u64, bool) {
        match self.copy.as_ref().map(Filling::look) {
            Some((bytes, true)) => (bytes, true),
            _ => in_scratch(),
        }
    }

    fn hides_deleted(&self) -> bool {
        false
    }

    fn scratch_in_memory(&self) -> u64 {
        in_scratch().0 + self.copy.as_ref().map_or(0, Filling::in_memory)
    }

    fn signal_all(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(-1), signal);
    }

    fn kill_all(&self) {
        self.signal_all(Signal::SIGKILL);
    }
}

/// The bytes in the scratch space, and whether that is full.
fn in_scratch() -> (u64, bool) {
    rustix::fs::statvfs(TMP)
        .map_or((0, false), |stat| ((stat.f_blocks - stat.f_bfree) * stat.f_frsize, stat.f_bfree == 0))
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
    let Some(Order { policy, claim: _claim, stdin }) = Order::receive(io::stdin()).step("hear the policy")? else {
        return Ok(());
    };
    setsid().step("begin a session")?;
    let (inside, account) = enter_group(&policy)?;
    root::build(&policy)?;
    oversee(policy.limits, account, || {
        let bot = enter::spawn(&policy, stdin)?;
        inside.map_or(Ok(()), Inside::leave)?;
        let_go_of_outputs()?;
        let copy = policy.workplace.as_ref().map(|workplace| Filling::new(workplace, policy.workdir()));
        Ok((bot, Namespace { copy }))
    })
}

/// Moves this process into the bot's memory group, if it has one.
pub(super) fn enter_group(policy: &Policy) -> Result<(Option<Inside>, Option<Account>), Failed> {
    Ok(policy.memory_group.as_ref().map(Inside::enter).transpose()?.unzip())
}

/// Starts the bot; reaps, watches and reports until the control socket ends and nobody is left.
pub(super) fn oversee<G: Ground>(
    limits: Resources,
    account: Option<Account>,
    start: impl FnOnce() -> Result<(Pid, G), Failed>,
) -> Result<(), Failed> {
    let listen_again = io::stdin().as_fd().try_clone_to_owned().step("share the control socket")?;
    let seen = Arc::new(Seen::new(account));
    // The threads are there before the bot, which may use up all that it can get.
    let ended = on_ground("control", {
        let seen = Arc::clone(&seen);
        move |ground: &G| {
            while let Ok(Some((request, _))) = receive::<Request>(&listen_again) {
                // Nobody listens any more: then the end comes next.
                let _ = send(&listen_again, &answer(request, &seen, ground), &[]);
            }
            seen.kill_all(ground);
        }
    })?;
    let watching = on_ground("watch", {
        let seen = Arc::clone(&seen);
        move |ground: &G| watch(limits, &seen, ground)
    })?;
    let filling = on_ground("files", {
        let seen = Arc::clone(&seen);
        move |ground: &G| watch_files(&seen, ground)
    })?;
    let (bot, ground) = start()?;
    let written_before = written();
    let ground = Arc::new(ground);
    // Each is there until it has heard this.
    let _ = ended.ground.send(Arc::clone(&ground));
    let _ = watching.ground.send(Arc::clone(&ground));
    let _ = filling.ground.send(ground);
    reap(bot, &seen);
    seen.be_alone();
    // What comes now is the end of the game.
    let _ = send(io::stdin(), &Report::Alone, &[]);
    let _ = ended.thread.join();
    seen.be_over();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).step("ask for the usage")?;
    let micros = |time: nix::sys::time::TimeVal| {
        u64::try_from(time.tv_sec()).unwrap_or(0) * 1_000_000 + u64::try_from(time.tv_usec()).unwrap_or(0)
    };
    let peak_memory = seen.memory().max(largest_process(&usage));
    let used = Report::Used {
        user_micros: micros(usage.user_time()),
        system_micros: micros(usage.system_time()),
        peak_memory,
        processes: seen.processes().max(1),
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
fn reap(bot: Pid, seen: &Seen) {
    loop {
        let ended = wait();
        seen.tell_if_full();
        let report = match ended {
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
