//! The second stage: pid 1 of the bot's namespace. It reaps, watches the limits, and reports.

use std::fs;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::Pid;
use rustix::io::FdFlags;
use rustix::pipe::{PipeFlags, pipe_with};

use super::control::{Exceeded, Failed, Report, Step, receive, send};
use super::enter::Order;
use super::{Policy, TMP, root};
use crate::tournament::Resources;

/// How often the limits are looked at.
const WATCH: Duration = Duration::from_millis(20);

/// What was seen of the processes.
#[derive(Debug, Default)]
struct Seen {
    memory: AtomicU64,
    processes: AtomicU64,
    over: AtomicBool,
}

pub(super) fn run() -> u8 {
    match live() {
        Ok(()) => 0,
        Err(failed) => {
            let _ = send(io::stdin(), &Report::Failed(failed), None);
            1
        }
    }
}

fn live() -> Result<(), Failed> {
    let Some((policy, stdin)) = receive::<Policy>(io::stdin()).step("hear the policy")? else { return Ok(()) };
    let listen_again = io::stdin().as_fd().try_clone_to_owned().step("share the control socket")?;
    root::build(&policy)?;
    let limits = policy.limits;
    let written_before = written();
    let bot = start(policy, stdin)?;
    let seen = Arc::new(Seen::default());
    let ended = std::thread::spawn(move || {
        // Nothing more is said: the end is what counts.
        while let Ok(Some(_)) = receive::<serde_json::Value>(&listen_again) {}
        kill_all();
    });
    let watcher = Arc::clone(&seen);
    std::thread::spawn(move || watch(limits, &watcher));
    reap(bot);
    // What comes now is the end of the game.
    let _ = send(io::stdin(), &Report::Alone, None);
    let _ = ended.join();
    reap(bot);
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
    send(io::stdin(), &used, None).step("report")
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

/// Starts the bot, and waits until it is one. Returns its process id.
fn start(policy: Policy, stdin: Option<OwnedFd>) -> Result<Pid, Failed> {
    let (said, saying) = pipe_with(PipeFlags::CLOEXEC).step("make a pipe")?;
    // This end is for the next stage, which closes it by becoming the bot.
    rustix::io::fcntl_setfd(&saying, FdFlags::empty()).step("make a pipe")?;
    let order = Order { policy, report: saying.as_raw_fd() };
    let order = serde_json::to_string(&order).map_err(io::Error::from).step("write the order")?;
    let mut command = Command::new("/proc/self/exe");
    command.args(["confine", "enter", &order]).env_clear().stdin(stdin.map_or_else(Stdio::null, Stdio::from));
    let child = command.spawn().step("start the bot")?;
    drop(saying);
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default());
    // Its outputs are its own from here on, so that their ends are seen outside.
    let null = fs::File::options().write(true).open("/dev/null").step("open /dev/null")?;
    rustix::stdio::dup2_stdout(&null).step("let go of stdout")?;
    rustix::stdio::dup2_stderr(&null).step("let go of stderr")?;
    let mut failure = Vec::new();
    fs::File::from(said).read_to_end(&mut failure).step("hear whether the bot starts")?;
    if failure.is_empty() {
        return Ok(pid);
    }
    let unreadable = |_| Failed { step: "start the bot".to_owned(), errno: None, by_program: false };
    Err(serde_json::from_slice(&failure).unwrap_or_else(unreadable))
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
        let _ = send(io::stdin(), &report, None);
    }
}

/// Kills every process of the namespace but this.
fn kill_all() {
    let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
}

/// Looks at all processes again and again, and kills them when they exceed a limit.
fn watch(limits: Resources, seen: &Seen) {
    let page = rustix::param::page_size() as u64;
    let tick_millis = 1000 / rustix::param::clock_ticks_per_second().max(1);
    while !seen.over.load(Relaxed) {
        let (mut memory, mut processes, mut ticks) = (0, 0, 0);
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()).filter(|&pid| pid != 1) else {
                continue;
            };
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            // Behind the name, which may hold anything: state is field 3.
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            let field = |number: usize| fields.get(number - 3).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
            ticks += field(14) + field(15);
            processes += field(20);
            memory += field(24) * page;
        }
        seen.memory.fetch_max(memory, Relaxed);
        seen.processes.fetch_max(processes, Relaxed);
        let reaped = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| {
            let millis = |time: nix::sys::time::TimeVal| time.tv_sec() * 1000 + time.tv_usec() / 1000;
            u64::try_from(millis(usage.user_time()) + millis(usage.system_time())).unwrap_or(0)
        });
        let cpu = reaped + ticks * tick_millis;
        let scratch = rustix::fs::statvfs(TMP)
            .map_or((0, 1), |stat| ((stat.f_blocks - stat.f_bfree) * stat.f_frsize, stat.f_bfree));
        let exceeded = if memory > limits.memory {
            Some(Exceeded::Memory(memory))
        } else if processes > limits.processes {
            Some(Exceeded::Processes(processes))
        } else if limits.cpu.is_some_and(|most| u128::from(cpu) > most.as_millis()) {
            Some(Exceeded::Cpu(cpu))
        } else if scratch.1 == 0 {
            Some(Exceeded::Scratch(scratch.0))
        } else {
            None
        };
        if let Some(exceeded) = exceeded {
            let _ = send(io::stdin(), &Report::Exceeded(exceeded), None);
            kill_all();
            return;
        }
        std::thread::sleep(WATCH);
    }
}
