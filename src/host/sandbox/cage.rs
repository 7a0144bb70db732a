//! Starts the bots of a run in confinement.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use tokio::net::{TcpListener, UnixStream};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use super::cage_error::{CageError, io_error};
use super::cgroup::{Accounting, GroupLease};
use super::confined::{Confined, Holder, lost, next};
use super::control_messages::StageReport;
use super::kept_networks::KeptNetwork;
use super::namespace_thread::{self, Entered};
use super::namespaces::OwnNetwork;
use super::order::WrittenOrder;
use super::uids::{Slot, Uids};
use super::{Policy, Tier};
use crate::base::time::{now, timeout_at};
use crate::host::start::Start;
use crate::host::starvation::is_measurable_by_threads;

/// The time limit for confining a bot, far longer than any machine needs.
pub(super) const TIMEOUT: Duration = Duration::from_secs(20);

/// The confinement of a run's bots.
#[derive(Clone, Debug)]
pub struct Cage {
    tier: Tier,
    accounting: Accounting,
    /// The user ids for bots, if each bot can have its own.
    uids: Option<Arc<Uids>>,
}

impl Cage {
    /// Creates a confinement by `tier`, with memory counted by `accounting`. [`detect`](super::detect()) must have
    /// found that both work.
    ///
    /// # Errors
    /// Fails if bots need their own user ids and none are left.
    pub fn new(tier: Tier, accounting: Accounting) -> Result<Self, CageError> {
        Ok(Self { tier, accounting, uids: Uids::of(tier).map_err(CageError::Failed)? })
    }

    /// The tier.
    pub const fn tier(&self) -> Tier {
        self.tier
    }

    /// Whether the arena can measure how long a bot in this cage is starved.
    pub fn tells_starvation(&self) -> bool {
        self.accounting.tells_starvation() || is_measurable_by_threads()
    }

    /// Confines and starts a bot. `root` is an empty directory of the arena, `stdin` is the bot's stdin (`None` for an
    /// empty input), and `outputs` are its stdout and stderr. Returns the launched process, which is the first stage,
    /// along with the bot and its seat's listener.
    ///
    /// # Errors
    /// Fails if the machine cannot confine the bot, or the program cannot be run.
    pub async fn start(
        &self,
        start: Start,
        root: &Path,
        stdin: Option<OwnedFd>,
        outputs: [Stdio; 2],
    ) -> Result<(Child, Confined, Option<TcpListener>), CageError> {
        let Starting { first, ours, slot, lease } = self.begin(start, root, stdin.as_ref(), outputs)?;
        // This closes the arena's copy of the bot's stdin.
        drop(stdin);
        // The socket carries packets, not a stream, but waiting for data works in the same way.
        let ours = std::os::unix::net::UnixStream::from(ours);
        ours.set_nonblocking(true).map_err(io_error("watch the confinement"))?;
        let control = UnixStream::from_std(ours).map_err(io_error("watch the confinement"))?;
        let (leader, network) = match first {
            FirstStep::Thread(entered) => {
                let entered = timeout_at(now() + TIMEOUT, entered).await.map_err(|_| CageError::Late(TIMEOUT))?;
                entered.unwrap_or_else(|_| Err(CageError::Failed(lost())))?
            }
            FirstStep::Process(stage) => (stage, ready(&control).await?),
        };
        let holder = Holder::of(self.tier, &leader);
        let (namespace, listener) = network.map(|network| (network.namespace, network.listener)).unzip();
        let listener = listener.flatten();
        let confined = Confined::new(control, holder, slot, lease, namespace.map(KeptNetwork::new));
        Ok((leader, confined, listener.map(in_runtime).transpose().map_err(io_error("use the seat's listener"))?))
    }

    /// Starts whatever comes first, and sends the order to the stages.
    fn begin(
        &self,
        start: Start,
        root: &Path,
        stdin: Option<&OwnedFd>,
        outputs: [Stdio; 2],
    ) -> Result<Starting, CageError> {
        let slot = self.uids.as_ref().map(Uids::take).transpose().map_err(CageError::Failed)?;
        let lease = self.accounting.lease(&start.resources).map_err(io_error("create a memory group"))?;
        let policy = Policy {
            start,
            tier: self.tier,
            root: root.to_owned(),
            uid: slot.as_ref().map(|slot| slot.uid),
            memory_group: lease.as_ref().map(|lease| lease.group().clone()),
        };
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(|error| io_error("create a control socket")(error.into()))?;
        let order = WrittenOrder::new(&policy).map_err(io_error("write the order"))?;
        let first = if self.tier == Tier::A {
            FirstStep::Thread(namespace_thread::start(policy, stage("init", theirs, outputs))?)
        } else {
            let has_namespaces = self.tier.has_namespaces();
            let mut first = stage(if has_namespaces { "namespaces" } else { "warden" }, theirs, outputs);
            // A warden exits when the control socket is closed, but only after it has ended all other processes.
            first.process_group(0).kill_on_drop(has_namespaces);
            let first = first.spawn().map_err(io_error("start the confinement"))?;
            // This is for the first stage. The order to start the bot is for the next stage or the warden's next step.
            give(&order, &ours, slot.as_ref(), None)?;
            FirstStep::Process(first)
        };
        // The socket keeps the order until the stage is there.
        give(&order, &ours, slot.as_ref(), stdin)?;
        Ok(Starting { first, ours, slot, lease })
    }
}

/// A confinement that has been started.
struct Starting {
    first: FirstStep,
    /// The arena's end of the control socket.
    ours: OwnedFd,
    slot: Option<Slot>,
    lease: Option<GroupLease>,
}

/// What comes first in a confinement.
enum FirstStep {
    /// A thread of the arena, which starts `init`.
    Thread(oneshot::Receiver<Entered>),
    /// The first stage.
    Process(Child),
}

/// The command that starts the stage `name` with `control` as its stdin.
///
/// Drop the command once the stage has started: this closes the arena's copy of the stage's socket, so that the arena
/// notices when the stage closes its copy.
fn stage(name: &str, control: OwnedFd, [stdout, stderr]: [Stdio; 2]) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.args(["confine", name]).env_clear().stdin(Stdio::from(control)).stdout(stdout).stderr(stderr);
    command
}

/// The runtime's form of `listener`.
fn in_runtime(listener: std::net::TcpListener) -> io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// Sends `order` to the next stage that waits for one, with the bot's `stdin` if the stage starts the bot.
fn give(order: &WrittenOrder, ours: &OwnedFd, slot: Option<&Slot>, stdin: Option<&OwnedFd>) -> Result<(), CageError> {
    match order.send(ours, slot.map(Slot::claim), stdin.map(AsFd::as_fd)) {
        // The stage, or the thread that starts it, has already failed and says why.
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => Ok(()),
        sent => sent.map_err(io_error("tell the confinement what to do")),
    }
}

/// Waits until the first stage is ready. Returns the bot's network, if it has one.
async fn ready(control: &UnixStream) -> Result<Option<OwnNetwork>, CageError> {
    let first = timeout_at(now() + TIMEOUT, next(control)).await.map_err(|_| CageError::Late(TIMEOUT))?;
    match first.map_err(io_error("read from the confinement"))? {
        Some((StageReport::Ready, descriptors)) => Ok(OwnNetwork::from_descriptors(descriptors)),
        Some((StageReport::Failed(failed), _)) => Err(CageError::Failed(failed)),
        _ => Err(CageError::Failed(lost())),
    }
}
