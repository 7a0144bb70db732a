//! A bot in its confinement, as seen by the arena.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use rustix::net::RecvFlags;
use tokio::io::Interest;
use tokio::net::{TcpStream, UnixStream};
use tokio::process::Child;
use tokio::sync::watch;

use super::cgroup::GroupLease;
use super::control_messages::{Failed, StageReport, StageRequest, receive_with, send};
use super::exceeded::Exceeded;
use super::kept_networks::KeptNetwork;
use super::uids::Slot;
use super::{Tier, connection_peer, procfs};
use crate::base::time::{Instant, timeout_at};
use crate::host::shortage::Observed;
use crate::host::start::ProcessEnd;
use crate::host::starvation::ProgramRoot;
use crate::referee::usage::Usage;

/// The state of a confined bot, as known to the arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfinedState {
    /// How the bot's own process ended.
    pub gone: Option<ProcessEnd>,
    /// The reason why the bot could not be started.
    pub failed: Option<Failed>,
    /// The limit that the bot exceeded.
    pub exceeded: Option<Exceeded>,
    /// Whether a stage has reported that no process of the bot is left.
    pub alone: bool,
    /// The number of requests that have been answered.
    pub answered: u64,
    /// The CPU time that the bot's processes had used at the last answer, in nanoseconds.
    pub cpu_nanos: u64,
    /// The process group of the bot, in tier C.
    pub group: Option<i32>,
    /// The usage of all the bot's processes, without the wall time.
    pub used: Option<Usage>,
    /// What the machine lacked while the bot ran; known once `used` is known.
    pub observed: Observed,
    /// Whether the last stage is gone.
    pub over: bool,
}

impl ConfinedState {
    /// Whether none of the bot's processes is running anymore.
    pub const fn is_alone(&self) -> bool {
        self.alone || self.over || self.failed.is_some()
    }

    /// Whether the confinement has ended unexpectedly, that is, without a report that the bot has ended, could not be
    /// started, or exceeded a limit. A bot cannot cause this, but the kernel can if it runs out of memory, and so can
    /// the machine's owner.
    pub const fn is_lost(&self) -> bool {
        self.over && self.gone.is_none() && self.failed.is_none() && self.exceeded.is_none()
    }

    /// Records a report of a stage.
    fn note(&mut self, report: StageReport) {
        match report {
            StageReport::Ready => {}
            StageReport::Alone => self.alone = true,
            StageReport::Done => self.answered += 1,
            StageReport::Cpu(nanos) => {
                self.answered += 1;
                // A process that ends during the request can be missing from the sum for a moment.
                self.cpu_nanos = self.cpu_nanos.max(nanos);
            }
            StageReport::Starting { group } => self.group = Some(group),
            StageReport::Failed(failed) => self.failed = Some(failed),
            StageReport::Gone(end) => self.gone = Some(end),
            StageReport::Exceeded(exceeded) => self.exceeded = Some(exceeded),
            StageReport::Used { user_micros, system_micros, peak_memory, processes, written, observed } => {
                self.observed = observed;
                let (user, system) = (Duration::from_micros(user_micros), Duration::from_micros(system_micros));
                self.used = Some(Usage { user, system, wall: Duration::ZERO, peak_memory, processes, written });
            }
        }
    }
}

/// The unit that contains the processes of a confined bot.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holder {
    /// Namespaces, which end with the first stage.
    Namespaces {
        /// The id of the first stage; `None` if the stage was gone before the id could be determined.
        first_stage: Option<Pid>,
        /// The number of stages above the bot.
        stages: usize,
    },
    /// A warden. Never kill the warden, since it has to end the bot's processes first.
    Warden,
}

impl Holder {
    /// The holder of the bot whose first stage is `first_stage`.
    pub(super) fn of(tier: Tier, first_stage: &Child) -> Self {
        if tier.has_namespaces() {
            let first_stage = first_stage.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
            // In tier B, a process creates the namespaces before pid 1 starts in them.
            Self::Namespaces { first_stage, stages: if tier == Tier::B { 2 } else { 1 } }
        } else {
            Self::Warden
        }
    }
}

/// A confined bot. All its processes are killed on drop.
#[derive(Debug)]
pub struct Confined {
    control: Arc<UnixStream>,
    state: watch::Receiver<ConfinedState>,
    listening: tokio::task::AbortHandle,
    /// The number of requests that have been sent.
    asked: u64,
    holder: Holder,
    slot: Option<Slot>,
    /// The bot's memory group, which is removed when the bot is gone.
    lease: Option<GroupLease>,
    /// The bot's own network, if it has one.
    _network: Option<KeptNetwork>,
}

/// The failure of a confinement that has ended without a report.
pub(super) fn lost() -> Failed {
    Failed::by_arena("read from the confinement, which has ended")
}

/// Receives the next report, with its descriptors; `None` once the other end is closed.
pub(super) async fn next(control: &UnixStream) -> io::Result<Option<(StageReport, Vec<OwnedFd>)>> {
    control.async_io(Interest::READABLE, || receive_with(control, RecvFlags::DONTWAIT)).await
}

/// Records all reports until the socket is closed.
async fn listen(control: Arc<UnixStream>, state: watch::Sender<ConfinedState>) {
    while let Ok(Some((report, _))) = next(&control).await {
        state.send_modify(|state| state.note(report));
    }
    state.send_modify(|state| state.over = true);
}

impl Confined {
    /// Creates the handle of a bot whose stages report over `control`.
    pub(super) fn new(
        control: UnixStream,
        holder: Holder,
        slot: Option<Slot>,
        lease: Option<GroupLease>,
        network: Option<KeptNetwork>,
    ) -> Self {
        let control = Arc::new(control);
        let (sender, state) = watch::channel(ConfinedState::default());
        let listening = tokio::spawn(listen(Arc::clone(&control), sender)).abort_handle();
        Self { control, state, listening, asked: 0, holder, slot, lease, _network: network }
    }

    /// The current state, as known to the arena.
    pub fn state(&self) -> ConfinedState {
        self.state.borrow().clone()
    }

    /// Waits until the bot's own process is gone, or could not be started.
    pub async fn gone(&mut self) -> ConfinedState {
        let done = |state: &ConfinedState| state.gone.is_some() || state.failed.is_some() || state.over;
        // The sender is dropped only after it has reported the end of the confinement.
        self.state.wait_for(done).await.map_or_else(|_| ConfinedState::default(), |state| state.clone())
    }

    /// Waits until the confinement responds, or is known to be over. The bot dies shortly before its confinement does.
    pub async fn respond(&mut self) {
        self.ask(StageRequest::Cpu).await;
    }

    /// Waits until no process of the bot is left.
    pub async fn deserted(&mut self) {
        let _ = self.state.wait_for(ConfinedState::is_alone).await;
    }

    /// Stops all processes of the bot.
    pub async fn freeze(&mut self) {
        self.ask(StageRequest::Stop).await;
    }

    /// Resumes all processes of the bot.
    pub async fn thaw(&mut self) {
        self.ask(StageRequest::Continue).await;
    }

    /// Returns the CPU time that all the bot's processes have used so far.
    pub async fn cpu(&mut self) -> Duration {
        self.ask(StageRequest::Cpu).await;
        Duration::from_nanos(self.state.borrow().cpu_nanos)
    }

    /// Sends a request, and waits for the answer or for the end of the confinement.
    async fn ask(&mut self, request: StageRequest) {
        // At most one request is unanswered, and the socket's buffer can hold far more. An error means that the bot has
        // ended.
        if send(&*self.control, &request, &[]).is_ok() {
            self.asked += 1;
            let asked = self.asked;
            let _ = self.state.wait_for(|state| state.answered >= asked || state.over).await;
        }
    }

    /// Whether the end of the first stage ends all other processes.
    pub const fn ends_with_its_first_stage(&self) -> bool {
        matches!(self.holder, Holder::Namespaces { .. })
    }

    /// Where to find the bot's processes, given the process id of the first stage.
    pub(in crate::host) fn program_root(&self, first_stage: u32) -> ProgramRoot {
        let stages = match self.holder {
            Holder::Namespaces { stages, .. } => stages,
            Holder::Warden => 1,
        };
        let group = self.lease.as_ref().and_then(|lease| lease.group().unified_dir());
        ProgramRoot { pid: first_stage, stages, group: group.map(Path::to_owned) }
    }

    /// Whether the bot itself made this connection to its seat. On the bot's own loopback, no other process can
    /// connect.
    pub async fn owns(&mut self, connection: &TcpStream) -> bool {
        if self.ends_with_its_first_stage() {
            return true;
        }
        let (Ok(SocketAddr::V4(seat)), Ok(SocketAddr::V4(from))) = (connection.local_addr(), connection.peer_addr())
        else {
            return false;
        };
        let Ok(owner) = connection_peer::owner(from, seat) else { return false };
        match &self.slot {
            // A connection that is already closed is attributed to user 0.
            Some(slot) => owner.uid == slot.uid,
            None => {
                let known = |state: &ConfinedState| state.group.is_some() || state.over;
                let group = self.state.wait_for(known).await.ok().and_then(|state| state.group);
                group.is_some_and(|group| connection_peer::is_held(owner.inode, procfs::members(Pid::from_raw(group))))
            }
        }
    }

    /// Returns a function that ends everything in the confinement.
    pub fn ender(&self) -> impl Fn() + Send + Sync + use<> {
        let control = Arc::clone(&self.control);
        move || {
            // An error means that the confinement has already ended.
            let _ = rustix::net::shutdown(&*control, rustix::net::Shutdown::Write);
        }
    }

    /// Ends everything in the confinement, and waits for the last report until `deadline`.
    pub async fn end(&mut self, deadline: Instant) -> ConfinedState {
        (self.ender())();
        let _ = timeout_at(deadline, self.state.wait_for(|state| state.over)).await;
        self.state()
    }
}

impl Drop for Confined {
    fn drop(&mut self) {
        (self.ender())();
        let state = self.state();
        // In either case, an error means that there is nothing left to kill.
        let _ = match self.holder {
            Holder::Namespaces { first_stage: Some(init), stages: 1 } => Some(kill(init, Signal::SIGKILL)),
            // The second stage is in the group of the first one until it has its own session.
            Holder::Namespaces { first_stage, .. } => first_stage.map(|group| killpg(group, Signal::SIGKILL)),
            // If the warden was lost, the bot is still running.
            Holder::Warden => {
                let group = state.group.filter(|_| state.is_lost());
                group.map(|group| killpg(Pid::from_raw(group), Signal::SIGKILL))
            }
        };
        self.listening.abort();
    }
}
