//! Where there are no namespaces: a child subreaper over one bot, whose processes it tells by their group.
//!
//! Seccomp refuses the bot setsid(2) and setpgid(2), so whatever it starts stays in the group that it was born into; and a
//! signal to a group is atomic with regard to fork(2), so that no bomb outruns it. Orphans become this process's children,
//! so that it knows when nobody is left.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, getpgid};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::cgroup::Inside;
use super::control::{Failed, Report, Step, receive, send};
use super::enter::Said;
use super::init::{enter_group, let_go_of_outputs, oversee};
use super::order::{Order, Written};
use super::watch::{Ground, all_processes};
use super::workplace::Filling;
use super::{COPY, HOME, Policy, scratch};

/// How long to wait for the killed to be gone, between two looks.
const PAUSE: Duration = Duration::from_millis(1);

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
    let control = io::stdin();
    let Some(Order { policy, claim: _claim, .. }) = Order::receive(&control).step("hear the policy")? else {
        return Ok(());
    };
    nix::sys::prctl::set_child_subreaper(true).map_err(io::Error::from).step("become a subreaper")?;
    let (inside, account) = enter_group(&policy)?;
    furnish(&policy)?;
    send(&control, &Report::Ready, &[]).step("report")?;
    let Some(Order { stdin, .. }) = Order::receive(&control).step("hear the policy")? else { return Ok(()) };
    let policy = absolute(policy).step("find the bot's directories")?;
    let (limits, dir) = (policy.limits, policy.root.clone());
    let overseen = oversee(limits, account, || {
        let bot = start(&policy, stdin)?;
        inside.map_or(Ok(()), Inside::leave)?;
        // Nobody listens any more: then the end of the socket is near.
        let _ = send(&control, &Report::Started { group: bot.as_raw() }, &[]);
        let copy = policy.workplace.as_ref().map(|workplace| Filling::new(workplace, policy.workdir()));
        Ok((bot, Group { copy, ..Group::new(bot, dir.clone(), limits.scratch) }))
    });
    if overseen.is_err() {
        // The arena is gone, and does not clean up.
        let _ = fs::remove_dir_all(&dir);
    }
    overseen
}

/// Starts the bot, and waits until it is one. Returns its process id.
fn start(policy: &Policy, stdin: Option<OwnedFd>) -> Result<Pid, Failed> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .step("make a control socket")?;
    let mut command = Command::new("/proc/self/exe");
    command.args(["confine", "enter"]).env_clear().stdin(Stdio::from(theirs));
    let child = command.spawn().step("start the bot")?;
    // With the command goes this stage's copy of their end, so that its end is seen.
    drop(command);
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default());
    let_go_of_outputs()?;
    let order = Written::new(policy).step("write the order")?;
    order.send(&ours, None, stdin.as_ref().map(AsFd::as_fd)).step("give the order")?;
    drop((order, stdin));
    let mut is_about_to = false;
    while let Some((said, _)) = receive::<Said>(&ours).step("hear whether the bot starts")? {
        match said {
            None => is_about_to = true,
            Some(failed) => return Err(failed),
        }
    }
    if is_about_to { Ok(pid) } else { Err(Failed::by_arena("start the bot: its stage has ended")) }
}

/// The policy with paths that mean the same in every directory.
fn absolute(policy: Policy) -> io::Result<Policy> {
    let read = policy.read.iter().map(std::path::absolute).collect::<io::Result<_>>()?;
    Ok(Policy {
        program: std::path::absolute(&policy.program)?,
        dir: std::path::absolute(&policy.dir)?,
        read,
        ..policy
    })
}

/// Makes the bot's scratch space.
fn furnish(policy: &Policy) -> Result<(), Failed> {
    let home = policy.root.join(HOME);
    fs::create_dir(&home).step("make a home")?;
    for dir in [&home, &policy.root] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).step("make the scratch space private")?;
        if policy.uid.is_some() {
            chown(dir, policy.uid, policy.uid).step("give the scratch space away")?;
        }
    }
    if let Some(workplace) = &policy.workplace {
        workplace.give_to(policy.uid).step("give the copy of its directory away")?;
    }
    policy.copy_dir(&policy.root.join(COPY))
}

/// The processes of one group, and a directory.
struct Group {
    id: Pid,
    dir: PathBuf,
    /// How many bytes the directory may hold.
    most: u64,
    /// What was last seen in it, in bytes, if it lies in memory.
    in_memory: Option<AtomicU64>,
    /// The copy in which a build works, if it is one.
    copy: Option<Filling>,
}

impl Group {
    fn new(id: Pid, dir: PathBuf, most: u64) -> Self {
        let is_in_memory = is_in_memory(&dir);
        Self { id, dir, most, in_memory: is_in_memory.then(AtomicU64::default), copy: None }
    }
}

/// Whether a directory lies in memory.
pub(super) fn is_in_memory(dir: &Path) -> bool {
    const TMPFS: rustix::fs::FsWord = 0x0102_1994;
    rustix::fs::statfs(dir).is_ok_and(|system| system.f_type == TMPFS)
}

/// The processes of a group, dead or alive.
pub(super) fn members(group: Pid) -> impl Iterator<Item = u32> {
    let is_member = move |pid: &u32| {
        let pid = i32::try_from(*pid).ok().map(Pid::from_raw);
        pid.is_some_and(|pid| getpgid(Some(pid)) == Ok(group))
    };
    all_processes().filter(is_member)
}

impl Ground for Group {
    fn processes(&self) -> Vec<u32> {
        members(self.id).collect()
    }

    fn scratch(&self, deleted: u64) -> (u64, bool) {
        let held = scratch::held(&self.dir);
        let bytes = held.bytes.saturating_add(deleted);
        self.in_memory.as_ref().inspect(|seen| seen.store(bytes, Relaxed));
        match self.copy.as_ref().map(Filling::look) {
            Some((bytes, true)) => (bytes, true),
            _ => (bytes, bytes > self.most || held.unmanageable),
        }
    }

    fn hides_deleted(&self) -> bool {
        true
    }

    fn scratch_in_memory(&self) -> u64 {
        let own = self.in_memory.as_ref().map_or(0, |seen| seen.load(Relaxed));
        own + self.copy.as_ref().map_or(0, Filling::in_memory)
    }

    fn signal_all(&self, signal: Signal) {
        // Once nobody is left the id could be given anew.
        if members(self.id).next().is_some() {
            let _ = killpg(self.id, signal);
        }
    }

    fn kill_all(&self) {
        // The dead of the group are reaped meanwhile by the main thread; while there is one left, its id is not given anew.
        while members(self.id).next().is_some() {
            let _ = killpg(self.id, Signal::SIGKILL);
            std::thread::sleep(PAUSE);
        }
    }
}
