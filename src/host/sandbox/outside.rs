//! The arena's side of confinement.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, socketpair};
use thiserror::Error;
use tokio::io::Interest;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::process::Command;
use tokio::sync::watch;

use super::cgroup::{Accounting, Lease};
use super::control::{Exceeded, Failed, Fault, Report, Request, receive_with, send};
use super::order::Written;
use super::uids::{Slot, Uids};
use super::{HOME, Policy, Tier, Workplace, peer, scratch_dir, warden};
use crate::base::files::Scratch;
use crate::base::machine::{explained, is_shortage};
use crate::base::time::{now, timeout_at};
use crate::referee::usage::Usage;
use crate::referee::wire::BASE_PORT;
use crate::tournament::file::Resources;

/// How long it may take until a bot is confined; far more than any machine needs.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a bot could not be confined.
#[derive(Debug, Error)]
pub enum CageError {
    /// The system would not.
    #[error("{0}")]
    Failed(Failed),
    /// Something of the arena's own.
    #[error("could not {step}: {}", explained(source))]
    Io {
        /// What was to be done.
        step: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// It did not answer.
    #[error("confinement did not come about within {} s", PATIENCE.as_secs())]
    Late,
}

impl CageError {
    /// Whether this machine can't confine in this way: what it only lacks at the moment and a mistake of the arena's say nothing
    /// about that.
    pub fn is_inability(&self) -> bool {
        match self {
            Self::Failed(failed) => {
                failed.fault == Fault::Machine && !failed.error().is_some_and(|error| is_shortage(&error))
            }
            Self::Io { source, .. } => source.raw_os_error().is_some() && !is_shortage(source),
            Self::Late => false,
        }
    }
}

/// Confinement as this run uses it.
#[derive(Debug)]
pub struct Cage {
    tier: Tier,
    accounting: Accounting,
    /// The user ids that bots get, if they can have their own.
    uids: Option<Arc<Uids>>,
}

/// What is to be confined.
#[derive(Debug)]
pub struct Inmate<'a> {
    /// The program, absolute.
    pub program: &'a Path,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory.
    pub dir: &'a Path,
    /// Whether it runs in a copy of that.
    pub writable: bool,
    /// What is different for a build, if it is one.
    pub workplace: Option<Workplace>,
    /// Its environment; HOME and TMPDIR are set here.
    pub env: Vec<(OsString, OsString)>,
    /// What it may read.
    pub read: Vec<PathBuf>,
    /// An empty directory of the arena's.
    pub root: &'a Path,
    /// Whether it gets a seat on its loopback.
    pub listens: bool,
    /// Where its seat is on the host's, in tier C.
    pub port: Option<u16>,
    /// What it may use up.
    pub limits: Resources,
    /// The CPUs that it runs on; `None` is all.
    pub cpus: Option<Vec<u32>>,
    /// Whether it is stopped now and then.
    pub freezable: bool,
    /// What it reads as stdin; `None` is nothing.
    pub stdin: Option<OwnedFd>,
}

/// What is known of a confined bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// How the bot's own process ended: by exit code or signal.
    pub gone: Option<(Option<i32>, Option<i32>)>,
    /// Why it could not be started.
    pub failed: Option<Failed>,
    /// The limit that it exceeded.
    pub exceeded: Option<Exceeded>,
    /// Whether no process of the bot is left.
    pub alone: bool,
    /// How many requests have been answered.
    pub answered: u64,
    /// The CPU time that its processes had used when that was last asked for, in nanoseconds.
    pub cpu_nanos: u64,
    /// The process group that holds it, in tier C.
    pub group: Option<i32>,
    /// What all its processes used, without the wall time.
    pub used: Option<Usage>,
    /// Whether init is gone.
    pub over: bool,
}

impl State {
    /// Whether nothing runs there any more.
    pub const fn is_alone(&self) -> bool {
        self.alone || self.over || self.failed.is_some()
    }

    /// Whether the confinement has ended by itself: it said neither that its bot has ended, nor that the bot could not be started
    /// or exceeded a limit. No bot can bring that about. The kernel does when it runs out of memory, and so does the machine's
    /// owner.
    pub const fn is_lost(&self) -> bool {
        self.over && self.gone.is_none() && self.failed.is_none() && self.exceeded.is_none()
    }
}

/// A bot in its confinement.
#[derive(Debug)]
pub struct Confined {
    control: Arc<UnixStream>,
    state: watch::Receiver<State>,
    listening: tokio::task::AbortHandle,
    /// How many requests have been made.
    asked: u64,
    tier: Tier,
    slot: Option<Slot>,
    /// Its memory group, which is removed with it.
    _lease: Option<Lease>,
}

impl Cage {
    /// Confinement by this tier, with memory counted like this; [`detect`] has found both to work.
    ///
    /// # Errors
    /// When its bots need user ids of their own and there are none to be had.
    pub fn new(tier: Tier, accounting: Accounting) -> Result<Self, CageError> {
        Ok(Self { tier, accounting, uids: Uids::of(tier).map_err(CageError::Failed)? })
    }

    /// The tier.
    pub const fn tier(&self) -> Tier {
        self.tier
    }

    /// Confines and starts a bot. `stdio` is what it has for stdout and stderr. Returns the launched process, which is the
    /// first stage's, the bot, and its seat's listener.
    ///
    /// # Errors
    /// When the machine would not, or the program can't be run.
    pub async fn start(
        &self,
        inmate: Inmate<'_>,
        stdio: [Stdio; 2],
    ) -> Result<(tokio::process::Child, Confined, Option<TcpListener>), CageError> {
        let io_error = |step| move |source: io::Error| CageError::Io { step, source };
        let slot = self.uids.as_ref().map(Uids::take).transpose().map_err(CageError::Failed)?;
        let lease = self.accounting.lease(&inmate.limits).map_err(io_error("make a memory group"))?;
        let mut env = inmate.env;
        env.retain(|(name, _)| name != "HOME" && name != "TMPDIR");
        let tmp = scratch_dir(self.tier, inmate.root);
        for (name, dir) in [("HOME", &*tmp.join(HOME)), ("TMPDIR", tmp)] {
            env.push((name.into(), dir.into()));
        }
        let policy = Policy {
            tier: self.tier,
            program: inmate.program.to_owned(),
            args: inmate.args,
            dir: inmate.dir.to_owned(),
            writable: inmate.writable,
            workplace: inmate.workplace,
            env,
            read: inmate.read,
            root: inmate.root.to_owned(),
            uid: slot.as_ref().map(|slot| slot.uid),
            listens: inmate.listens,
            port: inmate.port,
            limits: inmate.limits,
            memory_group: lease.as_ref().map(|lease| lease.group().clone()),
            cpus: inmate.cpus,
            freezable: inmate.freezable,
        };
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(|error| io_error("make a control socket")(error.into()))?;
        let order = Written::new(&policy).map_err(io_error("write the order"))?;
        let [stdout, stderr] = stdio;
        let mut command = Command::new("/proc/self/exe");
        let first = if self.tier.has_namespaces() { "namespaces" } else { "warden" };
        command.args(["confine", first]).env_clear().stdin(Stdio::from(theirs)).stdout(stdout).stderr(stderr);
        // A warden ends with the control socket, and only when it has ended everybody else.
        command.process_group(0).kill_on_drop(self.tier.has_namespaces());
        let child = command.spawn().map_err(io_error("start the confinement"))?;
        // With the command goes the arena's copy of their end, so that its end is seen.
        drop(command);
        let claim = slot.as_ref().map(Slot::claim);
        for stdin in [None, inmate.stdin.as_ref()] {
            match order.send(&ours, claim, stdin.map(AsFd::as_fd)) {
                // It has failed already, and has said why.
                Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {
                    break;
                }
                sent => sent.map_err(io_error("tell the confinement what to do"))?,
            }
        }
        drop((order, inmate.stdin));
        // It keeps packets apart, which makes no difference to how it is waited for.
        let ours = std::os::unix::net::UnixStream::from(ours);
        ours.set_nonblocking(true).map_err(io_error("watch the confinement"))?;
        let control = UnixStream::from_std(ours).map_err(io_error("watch the confinement"))?;
        let deadline = now() + PATIENCE;
        let first = timeout_at(deadline, next(&control)).await.map_err(|_| CageError::Late)?;
        let listener = match first.map_err(io_error("hear from the confinement"))? {
            Some((Report::Ready, listener)) => listener.into_iter().next(),
            Some((Report::Failed(failed), _)) => return Err(CageError::Failed(failed)),
            _ => return Err(CageError::Failed(lost())),
        };
        let listener = listener.map(std::net::TcpListener::from).map(|listener| {
            listener.set_nonblocking(true)?;
            TcpListener::from_std(listener)
        });
        let listener = listener.transpose().map_err(io_error("use the seat's listener"))?;
        let control = Arc::new(control);
        let (sender, state) = watch::channel(State::default());
        let listening = tokio::spawn(listen(Arc::clone(&control), sender)).abort_handle();
        Ok((child, Confined { control, state, listening, asked: 0, tier: self.tier, slot, _lease: lease }, listener))
    }
}

fn lost() -> Failed {
    Failed::by_arena("hear from the confinement, which has ended")
}

async fn next(control: &UnixStream) -> io::Result<Option<(Report, Vec<OwnedFd>)>> {
    control.async_io(Interest::READABLE, || receive_with(control, RecvFlags::DONTWAIT)).await
}

/// Notes what is reported, until there is no more.
async fn listen(control: Arc<UnixStream>, state: watch::Sender<State>) {
    while let Ok(Some((report, _))) = next(&control).await {
        state.send_modify(|state| match report {
            Report::Ready => {}
            Report::Alone => state.alone = true,
            Report::Done => state.answered += 1,
            Report::Cpu(nanos) => {
                state.answered += 1;
                // Who is going at the moment of asking is not seen for a moment.
                state.cpu_nanos = state.cpu_nanos.max(nanos);
            }
            Report::Started { group } => state.group = Some(group),
            Report::Failed(failed) => state.failed = Some(failed),
            Report::Gone { code, signal } => state.gone = Some((code, signal)),
            Report::Exceeded(exceeded) => state.exceeded = Some(exceeded),
            Report::Used { user_micros, system_micros, peak_memory, processes, written } => {
                let (user, system) = (Duration::from_micros(user_micros), Duration::from_micros(system_micros));
                state.used = Some(Usage { user, system, wall: Duration::ZERO, peak_memory, processes, written });
            }
        });
    }
    state.send_modify(|state| state.over = true);
}

impl Confined {
    /// What is known now.
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Waits until the bot's own process is gone, or could not be started.
    pub async fn gone(&mut self) -> State {
        let done = |state: &State| state.gone.is_some() || state.failed.is_some() || state.over;
        // The sender goes only after it has said that it is over.
        self.state.wait_for(done).await.map_or_else(|_| State::default(), |state| state.clone())
    }

    /// Waits until the confinement shows that it lives, or is known to be over. Its bot dies with it, and a little earlier.
    pub async fn respond(&mut self) {
        self.ask(Request::Cpu).await;
    }

    /// Waits until no process of the bot is left.
    pub async fn deserted(&mut self) {
        let _ = self.state.wait_for(State::is_alone).await;
    }

    /// Stops all processes of the bot, or lets them go on.
    pub async fn freeze(&mut self, stop: bool) {
        self.ask(if stop { Request::Stop } else { Request::Continue }).await;
    }

    /// The CPU time that all its processes have used so far.
    pub async fn cpu(&mut self) -> Duration {
        self.ask(Request::Cpu).await;
        Duration::from_nanos(self.state.borrow().cpu_nanos)
    }

    /// Asks, and waits for the answer or for the end.
    async fn ask(&mut self, request: Request) {
        // The socket has room for far more than the one request that is unanswered; else the bot has come to its end.
        if send(&*self.control, &request, &[]).is_ok() {
            self.asked += 1;
            let asked = self.asked;
            let _ = self.state.wait_for(|state| state.answered >= asked || state.over).await;
        }
    }

    /// Whether the end of the first stage ends everything else.
    pub const fn ends_with_its_first_stage(&self) -> bool {
        self.tier.has_namespaces()
    }

    /// Whether a connection to the bot's seat comes from the bot itself. Where it has a loopback of its own, nobody else could.
    pub async fn owns(&mut self, connection: &TcpStream) -> bool {
        if self.tier.has_namespaces() {
            return true;
        }
        let (Ok(SocketAddr::V4(seat)), Ok(SocketAddr::V4(from))) = (connection.local_addr(), connection.peer_addr())
        else {
            return false;
        };
        let Ok(owner) = peer::owner(from, seat) else { return false };
        match &self.slot {
            // One that is closed already belongs to user 0.
            Some(slot) => owner.uid == slot.uid,
            None => {
                let known = |state: &State| state.group.is_some() || state.over;
                let group = self.state.wait_for(known).await.ok().and_then(|state| state.group);
                group.is_some_and(|group| peer::is_held(owner.inode, warden::members(Pid::from_raw(group))))
            }
        }
    }

    /// What ends everything in the confinement when it is called.
    pub fn ender(&self) -> impl Fn() + Send + Sync + use<> {
        let control = Arc::clone(&self.control);
        move || {
            // An error means that it has ended already.
            let _ = rustix::net::shutdown(&*control, rustix::net::Shutdown::Write);
        }
    }

    /// Ends everything in the confinement, and waits for the last report until `patience`.
    pub async fn end(&mut self, patience: crate::base::time::Instant) -> State {
        (self.ender())();
        let _ = timeout_at(patience, self.state.wait_for(|state| state.over)).await;
        self.state()
    }
}

impl Drop for Confined {
    fn drop(&mut self) {
        (self.ender())();
        let state = self.state();
        if let Some(group) = state.group.filter(|_| state.is_lost()) {
            // Without its warden, the bot lives on. An error means that it does not.
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        self.listening.abort();
    }
}

/// What keeps the arena from finding out whether a tier works.
#[derive(Debug, Error)]
#[error("could not find out whether tier {tier} of confinement works here: {error}")]
pub struct Undecided {
    /// The tier.
    pub tier: Tier,
    /// What went wrong.
    pub error: CageError,
}

/// The best confinement that works here.
#[derive(Debug)]
pub struct Detected {
    /// The tier.
    pub tier: Tier,
    /// How the memory of bots is counted in it.
    pub accounting: Accounting,
    /// Why each better tier does not work.
    pub failures: Vec<(Tier, CageError)>,
}

/// The best tier that works here, found by confining a program that does nothing in `dir`.
///
/// # Errors
/// What went wrong, where that does not mean that the machine can't confine: a worse tier is no answer to that.
pub async fn detect(dir: &Path) -> Result<Detected, Undecided> {
    let mut accounting = Accounting::best();
    let mut failures = Vec::new();
    for tier in [Tier::A, Tier::B, Tier::C] {
        match try_out(tier, &mut accounting, dir).await {
            Ok(()) => return Ok(Detected { tier, accounting, failures }),
            Err(error) if error.is_inability() => failures.push((tier, error)),
            Err(error) => return Err(Undecided { tier, error }),
        }
    }
    Ok(Detected { tier: Tier::D, accounting, failures })
}

/// Confines a program that does nothing by this tier. Where that works but for the `accounting`, memory is counted by the
/// watch from there on.
///
/// # Errors
/// What is in the way.
pub async fn try_out(tier: Tier, accounting: &mut Accounting, dir: &Path) -> Result<(), CageError> {
    let Err(error) = try_out_with(tier, accounting, dir).await else { return Ok(()) };
    if matches!(accounting, Accounting::Watch { .. }) {
        return Err(error);
    }
    let watch = Accounting::Watch { why: error.to_string() };
    try_out_with(tier, &watch, dir).await?;
    *accounting = watch;
    Ok(())
}

async fn try_out_with(tier: Tier, accounting: &Accounting, dir: &Path) -> Result<(), CageError> {
    let shared = !tier.has_namespaces();
    if shared {
        let untold = |error: io::Error| Failed {
            step: "tell whose a connection is".to_owned(),
            errno: error.raw_os_error(),
            fault: Fault::Machine,
        };
        peer::check().map_err(|error| CageError::Failed(untold(error)))?;
    }
    let root = Scratch::new().map_err(|source| CageError::Io { step: "make a directory", source })?;
    let inmate = Inmate {
        program: Path::new("/bin/true"),
        args: Vec::new(),
        // Where a bot has a view of its own, whatever is shown to it can be reached.
        dir: if shared { dir } else { Path::new("/") },
        writable: false,
        workplace: None,
        env: Vec::new(),
        read: Vec::new(),
        root: root.path(),
        listens: !shared,
        port: shared.then_some(BASE_PORT),
        limits: Resources::default(),
        cpus: None,
        freezable: false,
        stdin: None,
    };
    let (mut child, mut confined, _listener) =
        Cage::new(tier, accounting.clone())?.start(inmate, [Stdio::null(), Stdio::null()]).await?;
    let state = timeout_at(now() + PATIENCE, confined.gone()).await.map_err(|_| CageError::Late)?;
    confined.end(now() + PATIENCE).await;
    let _ = child.kill().await;
    match state {
        State { failed: Some(failed), .. } => Err(CageError::Failed(failed)),
        State { gone: Some((Some(0), _)), .. } => Ok(()),
        _ => Err(CageError::Failed(lost())),
    }
}
