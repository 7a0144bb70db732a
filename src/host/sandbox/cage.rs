//! Starts the bots of a run in confinement.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use thiserror::Error;
use tokio::net::{TcpListener, UnixStream};
use tokio::process::{Child, Command};

use super::cgroup::Accounting;
use super::confined::{Confined, Holder, lost, next};
use super::control_messages::{Blame, Failed, StageReport};
use super::order::WrittenOrder;
use super::uids::{Slot, Uids};
use super::{Policy, Tier};
use crate::base::machine::{explained, is_shortage};
use crate::base::time::{now, timeout_at};
use crate::host::start::Start;
use crate::host::starvation::is_measurable_by_threads;

/// The time limit for confining a bot, far longer than any machine needs.
pub(super) const TIMEOUT: Duration = Duration::from_secs(20);

/// The reason why a bot could not be confined.
#[derive(Debug, Error)]
pub enum CageError {
    /// A stage has reported a failure.
    #[error("{0}")]
    Failed(Failed),
    /// The arena's own part has failed.
    #[error("could not {step}: {}", explained(source))]
    Io {
        /// The step that the arena tried.
        step: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// In the confinement, the self-test did something that a bot must not be able to do, or could not do something
    /// that a bot needs.
    #[error("{0}")]
    Breached(String),
    /// The stages did not answer.
    #[error("confinement was not ready within {} s", TIMEOUT.as_secs())]
    Late,
}

impl CageError {
    /// Whether the error shows that this machine is unable to confine bots by this tier. Temporary shortages and bugs
    /// in the arena do not count.
    pub fn is_inability(&self) -> bool {
        match self {
            Self::Failed(failed) => {
                failed.blame == Blame::Machine && !failed.error().is_some_and(|error| is_shortage(&error))
            }
            Self::Io { source, .. } => source.raw_os_error().is_some() && !is_shortage(source),
            Self::Breached(_) => true,
            Self::Late => false,
        }
    }
}

/// Returns a function that wraps an error in the arena's own `step`.
pub(super) fn io_error(step: &'static str) -> impl Fn(io::Error) -> CageError {
    move |source| CageError::Io { step, source }
}

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
        let leader = self.start_first_stage(theirs, outputs)?;
        give(&order, &ours, slot.as_ref(), stdin.as_ref())?;
        // This also closes the arena's copy of the bot's stdin.
        drop((order, stdin));
        // The socket carries packets, not a stream, but waiting for data works in the same way.
        let ours = std::os::unix::net::UnixStream::from(ours);
        ours.set_nonblocking(true).map_err(io_error("watch the confinement"))?;
        let control = UnixStream::from_std(ours).map_err(io_error("watch the confinement"))?;
        let listener = ready(&control).await?;
        let holder = Holder::of(self.tier, &leader);
        Ok((leader, Confined::new(control, holder, slot, lease), listener))
    }

    /// Starts the first stage with `control` as its stdin.
    fn start_first_stage(&self, control: OwnedFd, [stdout, stderr]: [Stdio; 2]) -> Result<Child, CageError> {
        let mut command = Command::new("/proc/self/exe");
        let first = if self.tier.has_namespaces() { "namespaces" } else { "warden" };
        command.args(["confine", first]).env_clear().stdin(Stdio::from(control)).stdout(stdout).stderr(stderr);
        // A warden exits when the control socket is closed, but only after it has ended all other processes.
        command.process_group(0).kill_on_drop(self.tier.has_namespaces());
        // Dropping the command closes the arena's copy of the stage's socket, so that the arena notices when the stage
        // closes its copy.
        command.spawn().map_err(io_error("start the confinement"))
    }
}

/// Sends `order` to both stages, and the bot's `stdin` to the second stage.
fn give(order: &WrittenOrder, ours: &OwnedFd, slot: Option<&Slot>, stdin: Option<&OwnedFd>) -> Result<(), CageError> {
    let claim = slot.map(Slot::claim);
    for stdin in [None, stdin] {
        match order.send(ours, claim, stdin.map(AsFd::as_fd)) {
            // The stage has already failed and has reported why.
            Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => break,
            sent => sent.map_err(io_error("tell the confinement what to do"))?,
        }
    }
    Ok(())
}

/// Waits until the first stage is ready. Returns the seat's listener, if there is one.
async fn ready(control: &UnixStream) -> Result<Option<TcpListener>, CageError> {
    let first = timeout_at(now() + TIMEOUT, next(control)).await.map_err(|_| CageError::Late)?;
    let listener = match first.map_err(io_error("read from the confinement"))? {
        Some((StageReport::Ready, listener)) => listener.into_iter().next(),
        Some((StageReport::Failed(failed), _)) => return Err(CageError::Failed(failed)),
        _ => return Err(CageError::Failed(lost())),
    };
    let listener = listener.map(std::net::TcpListener::from).map(|listener| {
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    });
    listener.transpose().map_err(io_error("use the seat's listener"))
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;
    use crate::host::sandbox::control_messages::InStep as _;

    #[test]
    fn only_what_the_machine_cannot_do_is_an_inability() {
        let failed = |errno: Errno| CageError::Failed(Err::<(), _>(errno).step("receive the order").expect_err("one"));
        let by_arena = |errno: Errno| io_error("start the confinement")(errno.into());
        // A weaker tier would allow bots more than the user wants, so a transient failure must not lead to a weaker
        // tier.
        for shortage in [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM, Errno::NOSPC, Errno::NOBUFS] {
            assert!(!failed(shortage).is_inability() && !by_arena(shortage).is_inability(), "{shortage}");
        }
        for refusal in [Errno::PERM, Errno::NOSYS, Errno::INVAL] {
            assert!(failed(refusal).is_inability() && by_arena(refusal).is_inability(), "{refusal}");
        }
        assert!(CageError::Failed(Failed::by_machine("apply Landlock".to_owned())).is_inability());
        assert!(CageError::Breached("the self-test failed".to_owned()).is_inability());
        let by_bug = Err::<(), _>(io::Error::other("no order")).step("receive the order").expect_err("one");
        assert!(!CageError::Failed(by_bug).is_inability());
        assert!(!CageError::Failed(lost()).is_inability() && !CageError::Late.is_inability());
        let by_program = Failed { step: "run the program".to_owned(), errno: None, blame: Blame::Program };
        assert!(!CageError::Failed(by_program).is_inability());
    }
}
