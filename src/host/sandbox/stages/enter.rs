//! The last steps before every bot: giving up the privileges that a bot must not have, and becoming the bot.
//!
//! With namespaces, a thread of pid 1 gives up its privileges and starts the bot, which inherits only the remaining
//! privileges. Without namespaces, a separate stage becomes the bot.

use std::fs;
use std::io;
use std::io::ErrorKind::PermissionDenied;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::sys::signal::{SigSet, Signal};
use nix::unistd::Pid;
use rustix::process::{Gid, Resource, Rlimit, Uid, chdir, set_parent_process_death_signal, setrlimit, setsid};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, set_capabilities, set_capabilities_secure_bits,
    set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};
use serde::{Deserialize, Serialize};

use crate::base::machine::is_by_program;
use crate::base::sanitise::Shown as _;
use crate::host::sandbox::control_messages::{Blame, Failed, InStep, receive, send};
use crate::host::sandbox::order::Order;
use crate::host::sandbox::{HOME, Policy, Tier, bind, landlock, procfs, seccomp};
use crate::host::shortage::oom_score;

/// The number of bytes by which a file may exceed the limit before the kernel prevents it from growing further. This
/// gives the watch time to notice the excess.
const SLACK: u64 = 64 << 20;

/// How many processes the arena's user can start elsewhere while one of the user's bots runs.
const MARGIN: u64 = 1024;

/// A message from this stage over the control socket. It is `None` when the stage is ready to become the bot. After
/// permission has been given, either the socket is closed, because the stage has become the bot, or a second message
/// contains the reason why it could not become the bot.
pub(super) type Said = Option<Failed>;

/// The warden's permission to become the bot. Without this permission, the arena might not know about the bot, and
/// nothing would kill the bot if the warden died.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GoAhead;

/// Becomes the bot.
pub(super) fn run() -> u8 {
    let tell = |socket: BorrowedFd<'_>, failed| {
        // An error means that the warden is no longer listening.
        let _ = send(socket, &Said::Some(failed), &[]);
        1
    };
    // This copy of the socket is closed when the stage becomes the bot. On stdin, the bot's own stdin replaces the
    // socket.
    match io::stdin().as_fd().try_clone_to_owned().step("share the control socket") {
        Ok(control) => become_bot(&control).map_or_else(|failed| tell(control.as_fd(), failed), |()| 1),
        Err(failed) => tell(io::stdin().as_fd(), failed),
    }
}

/// Carries out the order and becomes the bot. Returns only if there is no order, or if something goes wrong.
fn become_bot(control: &OwnedFd) -> Result<(), Failed> {
    let Some(Order { policy, stdin, .. }) = Order::receive(control).step("receive the order")? else { return Ok(()) };
    match stdin {
        Some(stdin) => rustix::stdio::dup2_stdin(&stdin).step("take over stdin")?,
        None => {
            let null = fs::File::open("/dev/null").step("open /dev/null")?;
            rustix::stdio::dup2_stdin(&null).step("release the control socket")?;
        }
    }
    setsid().step("start a session")?;
    oom_score::raise("/proc/self");
    limit(&policy)?;
    give_up(&policy)?;
    // If the warden and the arena are both killed, the kernel still kills the bot's own process.
    set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).step("tie the bot to its warden")?;
    match allowed(control)? {
        Some(leave) => Err(replace(&policy, leave)),
        None => Ok(()),
    }
}

/// Tells the warden that this stage is ready, and waits for permission; `None` if the warden has ended.
fn allowed(control: &OwnedFd) -> Result<Option<GoAhead>, Failed> {
    send(control, &Said::None, &[]).step("report")?;
    Ok(receive::<GoAhead>(control).step("wait for permission to start")?.map(|(leave, _)| leave))
}

/// Replaces this process with the bot. Returns only if that fails, with the reason.
fn replace(policy: &Policy, GoAhead: GoAhead) -> Failed {
    not_run(policy, &program(policy).exec())
}

/// Starts the bot from this process, pid 1 of its namespace, and returns its process id.
///
/// Identity, privileges, Landlock and seccomp are properties of a thread, and are inherited by the processes that the
/// thread starts. A thread therefore gives up its privileges, starts the bot, and ends. Resource limits also apply to
/// this process, but it needs few resources.
pub(super) fn spawn(policy: &Policy, stdin: Option<OwnedFd>) -> Result<Pid, Failed> {
    limit(policy)?;
    let start = || {
        give_up(policy)?;
        let mut command = program(policy);
        command.process_group(0).stdin(stdin.map_or_else(Stdio::null, Stdio::from));
        command.spawn().map_err(|error| not_run(policy, &error))
    };
    let started = std::thread::scope(|scope| {
        let starting = std::thread::Builder::new().spawn_scoped(scope, start).step("start the bot")?;
        starting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    Ok(Pid::from_raw(i32::try_from(started?.id()).unwrap_or_default()))
}

/// The command that runs the bot's own program. `HOME` and `TMPDIR` are always in its scratch space.
fn program(policy: &Policy) -> Command {
    let start = &policy.start;
    let mut command = Command::new(&start.program);
    command.args(&start.args).env_clear().envs(start.env.iter().map(|(name, value)| (name, value)));
    command.env("HOME", policy.tmp().join(HOME)).env("TMPDIR", policy.tmp());
    command
}

/// The failure to run the program, given the system's `error`.
fn not_run(policy: &Policy, error: &io::Error) -> Failed {
    // The arena's user may have access to files of the host that are inaccessible to the bot's own user.
    let kept_off = policy.tier == Tier::C && policy.uid.is_some() && error.kind() == PermissionDenied;
    let step = if kept_off { "run the program as a separate user" } else { "run the program" };
    let blame = if is_by_program(error) && !kept_off { Blame::Program } else { Blame::Machine };
    Failed { step: step.to_owned(), errno: error.raw_os_error(), blame }
}

/// Enters the bot's directory, and sets the resource limits of the whole process.
fn limit(policy: &Policy) -> Result<(), Failed> {
    chdir(policy.workdir()).step("enter the working directory")?;
    let resources = policy.start.resources;
    // In namespaces, the scratch space has its own size limit.
    let largest = match policy.start.build_copy() {
        Some(copy) => Some(copy.max_bytes),
        None => (policy.tier == Tier::C).then_some(resources.scratch),
    };
    // The kernel allows a few more processes than the bot's limit, so that the watch notices when the bot exceeds the
    // limit.
    let mut processes = resources.processes.saturating_add(16);
    if policy.tier == Tier::C && policy.uid.is_none() {
        // The kernel counts all processes of the user, inside and outside the confinement, so this limit can do no more
        // than stop a fork bomb.
        let user = rustix::process::getuid().as_raw();
        processes = processes.saturating_add(procfs::processes_of(user)).saturating_add(MARGIN);
    }
    for (resource, most) in [
        // The kernel's limit exceeds the bot's memory limit by slightly more than a quarter. This is enough for the
        // watch to notice the excess, and too little to harm the machine between two checks.
        (Resource::Data, resources.memory.saturating_add(resources.memory / 4).saturating_add(16 << 20)),
        (Resource::Nofile, resources.open_files),
        (Resource::Core, 0),
        (Resource::Memlock, 0),
        (Resource::Nproc, processes),
    ]
    .into_iter()
    .chain(largest.map(|largest| (Resource::Fsize, largest.saturating_add(SLACK))))
    {
        let current = rustix::process::getrlimit(resource);
        let most = current.maximum.map_or(most, |maximum| maximum.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).step("set resource limits")?;
    }
    Ok(())
}

/// Permanently gives up this thread's privileges.
fn give_up(policy: &Policy) -> Result<(), Failed> {
    if let Some(cpus) = &policy.start.cpus {
        bind(None, cpus);
    }
    // With the signal blocked, a write beyond the size limit of a file fails with an error, and the bot continues until
    // the watch notices the excess.
    SigSet::from(Signal::SIGXFSZ).thread_block().map_err(io::Error::from).step("block a signal")?;
    if let Some(id) = policy.uid {
        let (uid, gid) = (Uid::from_raw(id), Gid::from_raw(id));
        set_thread_groups(&[]).step("leave all groups")?;
        set_thread_res_gid(gid, gid, gid).step("change the group")?;
        set_thread_res_uid(uid, uid, uid).step("change the user")?;
        if policy.tier == Tier::C {
            // The working directory belongs to the host, and this user may be unable to enter it.
            let dir = policy.workdir();
            chdir(&dir).step(&format!("enter `{}` as a separate user", dir.shown()))?;
        }
    } else {
        let bits = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
        let given_up = set_capabilities_secure_bits(bits);
        // Outside its own user namespace, an ordinary user has no privileges to give up.
        if policy.tier != Tier::C {
            given_up.step("give up root's rights")?;
        }
        let none = CapabilitySet::empty();
        set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
            .step("give up capabilities")?;
    }
    set_no_new_privs(true).step("rule out new privileges")?;
    landlock::apply(policy).map_err(|error| Failed::by_machine(format!("apply Landlock: {error}")))?;
    seccomp::apply(policy).map_err(|error| Failed::by_machine(format!("apply seccomp: {error}")))
}

#[cfg(test)]
mod tests {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    use super::*;

    #[test]
    fn nothing_becomes_the_bot_without_the_wardens_leave() {
        for is_allowed in [true, false] {
            let (warden, stage) =
                socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).expect("a pair");
            let waiting = std::thread::spawn(move || allowed(&stage));
            let (ready, _) = receive::<Said>(&warden).expect("heard").expect("a message");
            assert_eq!(ready, None);
            if is_allowed {
                send(&warden, &GoAhead, &[]).expect("sent");
            }
            drop(warden);
            assert_eq!(waiting.join().expect("it ends"), Ok(is_allowed.then_some(GoAhead)));
        }
    }
}
