//! The last stage if there are no namespaces: a child subreaper that identifies a bot's processes by their process
//! group.
//!
//! Seccomp denies setsid(2) and setpgid(2) to the bot, so every process that it starts stays in the group. A signal to
//! a group is atomic with respect to fork(2), so a fork bomb cannot escape it. Orphans become children of the warden,
//! so the warden knows when no process is left.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::enter::{GoAhead, Said};
use crate::host::sandbox::build_copy::{self, CopyWatch};
use crate::host::sandbox::cgroup::Inside;
use crate::host::sandbox::control_messages::{Failed, InStep, StageReport, receive, send};
use crate::host::sandbox::limit_watch::BotProcesses;
use crate::host::sandbox::order::{Order, WrittenOrder};
use crate::host::sandbox::oversee::{enter_group, let_go_of_outputs, oversee};
use crate::host::sandbox::procfs::members;
use crate::host::sandbox::scratch_fill::{self, Fill};
use crate::host::sandbox::{COPY, HOME, Policy};
use crate::host::shortage::{DiskWatch, FullDisk};
use crate::host::start::Start;

/// How often to check whether the killed processes are gone.
const PAUSE: Duration = Duration::from_millis(1);

pub(super) fn run() -> Result<(), Failed> {
    let control = io::stdin();
    let Some(Order { policy, claim: _claim, .. }) = Order::receive(&control).step("receive the order")? else {
        return Ok(());
    };
    nix::sys::prctl::set_child_subreaper(true).map_err(io::Error::from).step("become a subreaper")?;
    let (inside, tally) = enter_group(&policy)?;
    let disk = DiskWatch::begin(&policy.root, policy.start.build_copy().is_some());
    furnish(&policy)?;
    send(&control, &StageReport::Ready, &[]).step("report")?;
    let Some(Order { stdin, .. }) = Order::receive(&control).step("receive the order")? else { return Ok(()) };
    let policy = absolute(policy).step("find the bot's directories")?;
    let dir = policy.root.clone();
    let overseen = oversee(policy.start.resources, tally, || {
        let bot = start(&policy, stdin, |bot| {
            inside.map_or(Ok(()), Inside::leave)?;
            send(&control, &StageReport::Starting { group: bot.as_raw() }, &[]).step("report")
        })?;
        Ok((bot, BotGroup::new(bot, &policy, disk)))
    });
    if overseen.is_err() {
        // The arena is gone, so nothing else cleans up.
        let _ = fs::remove_dir_all(&dir);
    }
    overseen
}

/// Starts the bot, and waits until its stage has become the bot. Returns its process id, after passing it to
/// `announce`.
fn start(
    policy: &Policy,
    stdin: Option<OwnedFd>,
    announce: impl FnOnce(Pid) -> Result<(), Failed>,
) -> Result<Pid, Failed> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .step("create a control socket")?;
    let mut command = Command::new("/proc/self/exe");
    command.args(["confine", "enter"]).env_clear().stdin(Stdio::from(theirs));
    let child = command.spawn().step("start the bot")?;
    // Dropping the command closes this stage's copy of the other end, so that this stage notices when the bot's stage
    // closes its copy.
    drop(command);
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default());
    let_go_of_outputs()?;
    let order = WrittenOrder::new(policy).step("write the order")?;
    order.send(&ours, None, stdin.as_ref().map(AsFd::as_fd)).step("give the order")?;
    drop((order, stdin));
    lead(&ours, || announce(pid))?;
    Ok(pid)
}

/// Lets the stage at the other end of the socket `stage` become the bot. The bot starts only after `announce` has
/// succeeded.
fn lead(stage: &OwnedFd, announce: impl FnOnce() -> Result<(), Failed>) -> Result<(), Failed> {
    let failure = || Ok(receive::<Said>(stage).step("find out whether the bot starts")?.map(|(said, _)| said));
    match failure()? {
        Some(None) => {}
        Some(Some(failed)) => return Err(failed),
        None => return Err(Failed::by_arena("start the bot: its stage has ended")),
    }
    announce()?;
    send(stage, &GoAhead, &[]).step("let the bot start")?;
    match failure()? {
        Some(Some(failed)) => Err(failed),
        Some(None) | None => Ok(()),
    }
}

/// Returns the policy with absolute paths.
fn absolute(policy: Policy) -> io::Result<Policy> {
    let (program, dir) = (std::path::absolute(&policy.start.program)?, std::path::absolute(&policy.start.dir)?);
    Ok(Policy { start: Start { program, dir, ..policy.start }, ..policy })
}

/// Creates the bot's scratch space.
fn furnish(policy: &Policy) -> Result<(), Failed> {
    let home = policy.root.join(HOME);
    fs::create_dir(&home).step("create a home directory")?;
    for dir in [&home, &policy.root] {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).step("make the scratch space private")?;
        if policy.uid.is_some() {
            chown(dir, policy.uid, policy.uid).step("change the owner of the scratch space")?;
        }
    }
    if let Some(copy) = policy.start.build_copy() {
        build_copy::give_to(copy, policy.uid).step("change the owner of the copy of the build's directory")?;
    }
    policy.copy_dir(&policy.root.join(COPY))
}

/// The processes of one group, and a scratch directory.
struct BotGroup {
    id: Pid,
    scratch: PathBuf,
    /// The maximum number of bytes in the scratch directory.
    most: u64,
    /// The number of bytes that were in the scratch directory at the last check.
    held: AtomicU64,
    is_in_memory: bool,
    /// Watches the disk that contains the scratch directory and the copy.
    disk: DiskWatch,
    /// The copy in which the bot works, if it is a build.
    copy: Option<CopyWatch>,
}

impl BotGroup {
    fn new(id: Pid, policy: &Policy, disk: DiskWatch) -> Self {
        let scratch = policy.root.clone();
        let is_in_memory = scratch_fill::is_in_memory(&scratch);
        let (held, most) = (AtomicU64::default(), policy.start.resources.scratch);
        Self { id, scratch, most, held, is_in_memory, disk, copy: CopyWatch::of(policy) }
    }
}

impl BotProcesses for BotGroup {
    fn processes(&self) -> Vec<u32> {
        members(self.id).collect()
    }

    fn scratch(&self, deleted: u64) -> Fill {
        let mut held = scratch_fill::held(&self.scratch);
        held.bytes = held.bytes.saturating_add(deleted);
        self.held.store(held.bytes, Relaxed);
        let copy = self.copy.as_ref().map(CopyWatch::look).filter(|copy| copy.is_full);
        copy.unwrap_or_else(|| held.of(self.most))
    }

    fn hides_deleted(&self) -> bool {
        true
    }

    fn scratch_in_memory(&self) -> u64 {
        let own = if self.is_in_memory { self.held.load(Relaxed) } else { 0 };
        own + self.copy.as_ref().map_or(0, CopyWatch::in_memory)
    }

    fn full_disk(&self) -> Option<FullDisk> {
        let held = || self.held.load(Relaxed) + self.copy.as_ref().map_or(0, |copy| copy.look().bytes);
        self.disk.look(held)
    }

    fn last_id() -> Option<u64> {
        // The host's other processes get their ids from the same sequence.
        None
    }

    fn signal_all(&self, signal: Signal) {
        // Once no process is left, the id could be assigned to another group.
        if members(self.id).next().is_some() {
            let _ = killpg(self.id, signal);
        }
    }

    fn kill_all(&self) {
        // In the meantime, the main thread reaps the group's dead processes. As long as one process is left, no other
        // group can get the id.
        while members(self.id).next().is_some() {
            let _ = killpg(self.id, Signal::SIGKILL);
            std::thread::sleep(PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;
    use rustix::net::RecvFlags;

    use super::*;
    use crate::host::sandbox::control_messages::receive_with;

    fn pair() -> (OwnedFd, OwnedFd) {
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).expect("a pair")
    }

    #[test]
    fn the_arena_knows_of_the_bot_before_the_bot_may_start() {
        let (warden, stage) = pair();
        send(&stage, &Said::None, &[]).expect("sent");
        let announced = lead(&warden, || {
            let nothing = receive_with::<GoAhead>(&stage, RecvFlags::DONTWAIT).expect_err("no permission");
            assert_eq!(Errno::from_io_error(&nothing), Some(Errno::AGAIN));
            // At this point, the stage has become the bot.
            rustix::net::shutdown(&stage, rustix::net::Shutdown::Write).step("end")
        });
        assert_eq!(announced, Ok(()));
        assert!(receive::<GoAhead>(&stage).expect("heard").is_some());
    }

    #[test]
    fn a_bot_that_the_arena_does_not_know_of_is_not_started() {
        let (warden, stage) = pair();
        send(&stage, &Said::None, &[]).expect("sent");
        let failed = Failed::by_arena("report");
        assert_eq!(lead(&warden, || Err(failed.clone())), Err(failed));
        drop(warden);
        assert_eq!(receive::<GoAhead>(&stage).expect("heard").map(|_| ()), None);
    }

    #[test]
    fn a_stage_that_fails_says_why_before_and_after_it_may_start() {
        let why = Failed::by_machine("change the user".to_owned());
        let (warden, stage) = pair();
        send(&stage, &Said::Some(why.clone()), &[]).expect("sent");
        assert_eq!(lead(&warden, || panic!("it cannot start")), Err(why.clone()));
        let (warden, stage) = pair();
        send(&stage, &Said::None, &[]).expect("sent");
        send(&stage, &Said::Some(why.clone()), &[]).expect("sent");
        assert_eq!(lead(&warden, || Ok(())), Err(why));
        let (warden, stage) = pair();
        drop(stage);
        assert!(lead(&warden, || panic!("it cannot start")).is_err());
    }
}
