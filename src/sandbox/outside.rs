//! The arena's side of confinement.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, socketpair};
use thiserror::Error;
use tokio::io::Interest;
use tokio::net::{TcpListener, UnixStream};
use tokio::process::Command;
use tokio::sync::watch;

use super::control::{Exceeded, Failed, Report, receive_with, send};
use super::{HOME, Policy, TMP, Tier};
use crate::time::{now, timeout_at};
use crate::tournament::Resources;
use crate::usage::Usage;

/// How long it may take until a bot is confined; far more than any machine needs.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a bot could not be confined.
#[derive(Debug, Error)]
pub enum CageError {
    /// The system would not.
    #[error("{0}")]
    Failed(Failed),
    /// Something of the arena's own.
    #[error("could not {step}: {source}")]
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

/// Confinement as this run uses it.
#[derive(Debug)]
pub struct Cage {
    tier: Tier,
    /// The user ids that are in use.
    uids: Arc<Mutex<BTreeSet<u32>>>,
}

/// The user ids that bots have in tier A: far from any that a distribution gives out.
const FIRST_UID: u32 = 0x6774_0000;

/// A user id for one bot in one game, which it has to itself.
#[derive(Debug)]
struct Slot {
    uid: u32,
    uids: Arc<Mutex<BTreeSet<u32>>>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.uids.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.uid);
    }
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
    /// Its environment; HOME and TMPDIR are set here.
    pub env: Vec<(String, String)>,
    /// What it may read.
    pub read: Vec<PathBuf>,
    /// An empty directory of the arena's.
    pub root: &'a Path,
    /// Whether it gets a seat on its loopback.
    pub listens: bool,
    /// What it may use up.
    pub limits: Resources,
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
    /// What all its processes used, without the wall time.
    pub used: Option<Usage>,
    /// Whether init is gone.
    pub over: bool,
}

impl State {
    /// Whether nothing runs there any more.
    pub const fn is_alone(&self) -> bool {
        self.alone || self.over
    }
}

/// A bot in its confinement.
#[derive(Debug)]
pub struct Confined {
    control: Arc<UnixStream>,
    state: watch::Receiver<State>,
    listening: tokio::task::AbortHandle,
    _slot: Slot,
}

impl Cage {
    /// Confinement by this tier, which [`detect`] has found to work.
    pub fn new(tier: Tier) -> Self {
        Self { tier, uids: Arc::default() }
    }

    /// The tier.
    pub const fn tier(&self) -> Tier {
        self.tier
    }

    fn slot(&self) -> Slot {
        let mut uids = self.uids.lock().unwrap_or_else(PoisonError::into_inner);
        // There are more numbers than games at a time.
        let uid = (FIRST_UID..u32::MAX).find(|uid| !uids.contains(uid)).unwrap_or(FIRST_UID);
        uids.insert(uid);
        Slot { uid, uids: Arc::clone(&self.uids) }
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
        let slot = self.slot();
        let mut env = inmate.env;
        env.retain(|(name, _)| name != "HOME" && name != "TMPDIR");
        env.extend([("HOME".to_owned(), HOME.to_owned()), ("TMPDIR".to_owned(), TMP.to_owned())]);
        let policy = Policy {
            tier: self.tier,
            program: inmate.program.to_owned(),
            args: inmate.args,
            dir: inmate.dir.to_owned(),
            env,
            read: inmate.read,
            root: inmate.root.to_owned(),
            uid: slot.uid,
            listens: inmate.listens,
            limits: inmate.limits,
        };
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(|error| io_error("make a control socket")(error.into()))?;
        let [stdout, stderr] = stdio;
        let mut command = Command::new("/proc/self/exe");
        command.args(["confine", "namespaces"]).env_clear().stdin(Stdio::from(theirs)).stdout(stdout).stderr(stderr);
        command.process_group(0).kill_on_drop(true);
        let child = command.spawn().map_err(io_error("start the confinement"))?;
        // With the command goes the arena's copy of their end, so that its end is seen.
        drop(command);
        for stdin in [None, inmate.stdin.as_ref()] {
            match send(&ours, &policy, stdin.map(AsFd::as_fd)) {
                // It has failed already, and has said why.
                Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {
                    break;
                }
                sent => sent.map_err(io_error("tell the confinement what to do"))?,
            }
        }
        drop(inmate.stdin);
        // It keeps packets apart, which makes no difference to how it is waited for.
        let ours = std::os::unix::net::UnixStream::from(ours);
        ours.set_nonblocking(true).map_err(io_error("watch the confinement"))?;
        let control = UnixStream::from_std(ours).map_err(io_error("watch the confinement"))?;
        let deadline = now() + PATIENCE;
        let first = timeout_at(deadline, next(&control)).await.map_err(|_| CageError::Late)?;
        let listener = match first.map_err(io_error("hear from the confinement"))? {
            Some((Report::Ready, listener)) => listener,
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
        Ok((child, Confined { control, state, listening, _slot: slot }, listener))
    }
}

fn lost() -> Failed {
    Failed { step: "hear from the confinement, which has ended".to_owned(), errno: None, by_program: false }
}

async fn next(control: &UnixStream) -> io::Result<Option<(Report, Option<OwnedFd>)>> {
    control.async_io(Interest::READABLE, || receive_with(control, RecvFlags::DONTWAIT)).await
}

/// Notes what is reported, until there is no more.
async fn listen(control: Arc<UnixStream>, state: watch::Sender<State>) {
    while let Ok(Some((report, _))) = next(&control).await {
        state.send_modify(|state| match report {
            Report::Ready => {}
            Report::Alone => state.alone = true,
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

    /// Ends everything in the confinement, and waits for the last report until `patience`.
    pub async fn end(&mut self, patience: crate::time::Instant) -> State {
        let _ = rustix::net::shutdown(&*self.control, rustix::net::Shutdown::Write);
        let _ = timeout_at(patience, self.state.wait_for(|state| state.over)).await;
        self.state()
    }
}

impl Drop for Confined {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// The best tier that works here, found by confining a program that does nothing; with why each better one does not.
pub async fn detect() -> (Tier, Vec<(Tier, CageError)>) {
    let mut failures = Vec::new();
    for tier in [Tier::A, Tier::B] {
        match try_out(tier).await {
            Ok(()) => return (tier, failures),
            Err(error) => failures.push((tier, error)),
        }
    }
    (Tier::D, failures)
}

async fn try_out(tier: Tier) -> Result<(), CageError> {
    let root = tempfile::tempdir().map_err(|source| CageError::Io { step: "make a directory", source })?;
    let inmate = Inmate {
        program: Path::new("/bin/true"),
        args: Vec::new(),
        dir: Path::new("/"),
        env: Vec::new(),
        read: Vec::new(),
        root: root.path(),
        listens: true,
        limits: Resources::default(),
        stdin: None,
    };
    let (mut child, mut confined, _listener) = Cage::new(tier).start(inmate, [Stdio::null(), Stdio::null()]).await?;
    let state = timeout_at(now() + PATIENCE, confined.gone()).await.map_err(|_| CageError::Late)?;
    confined.end(now() + PATIENCE).await;
    let _ = child.kill().await;
    match state {
        State { failed: Some(failed), .. } => Err(CageError::Failed(failed)),
        State { gone: Some((Some(0), _)), .. } => Ok(()),
        _ => Err(CageError::Failed(lost())),
    }
}
