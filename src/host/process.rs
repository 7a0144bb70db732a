//! Child processes: starting, monitoring, and reliably ending them.
//!
//! A child is either the leader of its own process group or the first stage of a confinement.

mod build_process;
mod captured_output;
mod group_usage;
mod process_group;
mod thought_lines;

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{ChildStdin as StdinPipe, Stdio};
use std::time::Duration;

use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{ChildStdin, ChildStdout, Command};

pub(crate) use build_process::{Built, build};
pub(crate) use captured_output::Captured;

use crate::base::files::{Copying, Scratch};
use crate::base::machine::{away, explained, is_by_program};
use crate::base::sanitise::Shown as _;
use crate::base::time::{Instant, cpu_used, now, timeout_at, uptime};
use crate::base::tree::{MOST_BYTES, MOST_ENTRIES};
use crate::game::quantum::Mode;
use crate::host::bot_output::BotOutput;
use crate::host::ply_offsets::PlyOffsets;
use crate::host::sandbox::{COPY, Cage, Confined, Failed, HOME, held_below};
use crate::host::shortage::{DiskWatch, MachineLack, Observed, Vigil, oom_score};
use crate::host::start::{ProcessEnd, RefereeLink, Start, Workdir};
use crate::host::starvation::{ProgramRoot, StarvationMeter};
use crate::referee::result::{Limit, Void};
use crate::referee::starvation::Starvation;
use crate::referee::thought::Thought;
use crate::referee::times::whole_micros;
use crate::referee::usage::Usage;
use captured_output::{CapturedOutputs, FinishedOutputs, OutputLimits};
use process_group::ProcessGroup;

/// The reason why a program could not be started.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The program or its directory is at fault.
    #[error("`{}` could not be run in `{}`", program.shown(), dir.shown())]
    Program {
        /// The program.
        program: PathBuf,
        /// The program's working directory.
        dir: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The machine is at fault: it is out of processes, memory, descriptors or scratch directories.
    #[error("the machine could not start `{}`", program.shown())]
    Machine {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// A started program with all its processes, and a new home and scratch directory that are removed with it.
#[derive(Debug)]
pub struct ChildProcess {
    /// Ends the processes on drop. This is the first field, so that it is dropped before the others.
    hold: Hold,
    /// The program's own process, or the first stage of its confinement.
    leader: tokio::process::Child,
    outputs: CapturedOutputs,
    /// The home and scratch directory; `None` for an unconfined build, which uses the arena's own home.
    scratch: Option<Scratch>,
    started: Instant,
    vigil: Vigil,
    /// The disk to which the child writes, if the arena itself has to watch that disk.
    disk: Option<DiskWatch>,
    /// When the arena noticed that `leader` was gone.
    ended: Option<Instant>,
    starvation: StarvationMeter,
}

/// The unit that contains all processes of a child.
#[derive(Debug)]
enum Hold {
    /// The child's own process group.
    Group(ProcessGroup),
    /// A confinement.
    Cage(Confined),
}

/// The output and the figures that a child leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Remains {
    /// The output to stdout, unless stdout was the child's connection.
    pub stdout: Captured,
    /// The output to stderr.
    pub stderr: Captured,
    /// The child's reports about its thinking, with the plies of its turns.
    pub thoughts: Vec<(usize, Thought)>,
    /// The resource usage of all processes of the child, as far as the system reports it.
    pub usage: Option<Usage>,
    /// The resource that the machine lacked, through no fault of the child. If the child failed, this may be the
    /// reason.
    pub lack: Option<MachineLack>,
    /// How much the child was starved during its turns; `None` if nothing was measured.
    pub starvation: Option<Starvation>,
    /// How much the child was starved during its last turn; `None` if that was not measured.
    pub last_starvation: Option<Starvation>,
}

impl Remains {
    /// The combined remains of two programs of a player: these, and `next`, the remains of the program for `mode`,
    /// which relieved the first. The later program's output follows the earlier program's output, after a line that
    /// names the mode. The figures that describe a failure are the later program's.
    #[must_use]
    pub fn followed_by(self, mode: Mode, next: &Self) -> Self {
        let both = |one: Option<Starvation>, other: Option<Starvation>| match (one, other) {
            (Some(one), Some(other)) => Some(one.plus(other)),
            (one, other) => one.or(other),
        };
        Self {
            stdout: self.stdout.followed_by(mode, &next.stdout),
            stderr: self.stderr.followed_by(mode, &next.stderr),
            thoughts: self.thoughts.into_iter().chain(next.thoughts.iter().cloned()).collect(),
            usage: match (self.usage, next.usage) {
                (Some(own), Some(next)) => Some(own.followed_by(next)),
                (own, next) => own.or(next),
            },
            lack: next.lack,
            starvation: both(self.starvation, next.starvation),
            last_starvation: next.last_starvation,
        }
    }
}

impl From<Remains> for BotOutput {
    fn from(Remains { stdout, stderr, .. }: Remains) -> Self {
        let turns = PlyOffsets::new(stderr.turns()).unwrap_or_default();
        Self { stdout: stdout.bytes(), stderr: stderr.bytes(), turns }
    }
}

/// The arena's ends of a child's stdin and stdout, if they form its connection.
pub(crate) type Pipes = (ChildStdin, ChildStdout);

/// How long to wait for the outputs of a killed group to end. A process that escaped the group could hold them open
/// forever.
const OUTPUT_GRACE: Duration = Duration::from_millis(100);

/// The number of the signal with which the kernel kills a process for lack of memory.
const SIGKILL: i32 = 9;

/// The exit code of a shell whose command was killed by `SIGKILL`.
const KILLED_IN_SHELL: i32 = 128 + SIGKILL;

impl ChildProcess {
    /// Starts the program in its own process group.
    ///
    /// # Errors
    /// [`SpawnError`] distinguishes the player's fault from the machine's.
    pub fn spawn(start: &Start) -> Result<(Self, Option<Pipes>), SpawnError> {
        let machine = |source| SpawnError::Machine { program: start.program.clone(), source };
        let scratch = Scratch::new().map_err(machine)?;
        let (home, tmp) = (scratch.path().join(HOME), scratch.path().join("tmp"));
        std::fs::create_dir(&home).and_then(|()| std::fs::create_dir(&tmp)).map_err(machine)?;
        let copy = scratch.path().join(COPY);
        let is_copied = start.workdir == Workdir::FreshCopy;
        if is_copied {
            let (from, except, most) = (&*start.dir, scratch.path(), (MOST_BYTES, MOST_ENTRIES));
            let copying = Copying { from, to: &copy, except, owner: None, without: &|_| false, most };
            copying.run().map_err(|source| spawn_error(start, source))?;
        }
        let mut command = Command::new(&start.program);
        command.args(&start.args).current_dir(if is_copied { &copy } else { &start.dir });
        command.env_clear().env("HOME", &home).env("TMPDIR", &tmp);
        command.envs(start.env.iter().map(|(name, value)| (name, value)));
        command.stdin(if start.contact == RefereeLink::Pipes { Stdio::piped() } else { Stdio::null() });
        Self::in_group(command, start, Some(scratch)).map_err(|source| spawn_error(start, source))
    }

    /// Starts `command`, which runs the program of `start`, in its own process group.
    fn in_group(mut command: Command, start: &Start, scratch: Option<Scratch>) -> io::Result<(Self, Option<Pipes>)> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let is_build = scratch.is_none();
        let vigil = Vigil::begin(start.resources, is_build);
        let disk = DiskWatch::begin(scratch.as_ref().map_or(&*start.dir, Scratch::path), is_build);
        let mut leader = command.spawn()?;
        if let Some(pid) = leader.id() {
            oom_score::raise(&format!("/proc/{pid}"));
        }
        let stdin = leader.stdin.take();
        let group = ProcessGroup::of(&leader, start);
        let (pipes, outputs) = take_outputs(&mut leader, stdin, OutputLimits::of(start), group.ender());
        Ok((Self::new(Hold::Group(group), leader, outputs, (scratch, vigil, Some(disk))), pipes))
    }

    /// Starts the program in its own confinement. Also returns the listener of its seat if the seat is on the program's
    /// own loopback.
    ///
    /// # Errors
    /// Fails if the machine cannot confine the program. Whether the program itself can be run is known only later; see
    /// [`ChildProcess::failure`].
    pub async fn confine(start: Start, cage: &Cage) -> Result<(Self, Option<Pipes>, Option<TcpListener>), Void> {
        let void = |what: &str, error: io::Error| Void { reason: format!("could not {what}: {}", explained(&error)) };
        let scratch = Scratch::new().map_err(|error| void("create a directory", error))?;
        let (stdin, input) = if start.contact == RefereeLink::Pipes {
            let (reading, writing) = io::pipe().map_err(|error| void("make a pipe", error))?;
            let writing = ChildStdin::from_std(StdinPipe::from(OwnedFd::from(writing)));
            (Some(OwnedFd::from(reading)), Some(writing.map_err(|error| void("use a pipe", error))?))
        } else {
            (None, None)
        };
        let limits = OutputLimits::of(&start);
        let vigil = Vigil::begin(start.resources, start.build_copy().is_some());
        let started = cage.start(start, scratch.path(), stdin, [Stdio::piped(), Stdio::piped()]).await;
        let (mut leader, confined, listener) =
            started.map_err(|error| Void { reason: format!("a bot could not be confined: {error}") })?;
        let (pipes, outputs) = take_outputs(&mut leader, input, limits, confined.ender());
        Ok((Self::new(Hold::Cage(confined), leader, outputs, (Some(scratch), vigil, None)), pipes, listener))
    }

    /// Creates the handle of a child that has just been started.
    fn new(
        hold: Hold,
        leader: tokio::process::Child,
        outputs: CapturedOutputs,
        (scratch, vigil, disk): (Option<Scratch>, Vigil, Option<DiskWatch>),
    ) -> Self {
        let root = leader.id().map(|pid| match &hold {
            Hold::Cage(confined) => confined.program_root(pid),
            Hold::Group(_) => ProgramRoot { pid, stages: 0, group: None },
        });
        let starvation = StarvationMeter::new(root);
        Self { hold, leader, outputs, scratch, started: now(), vigil, disk, ended: None, starvation }
    }

    /// The id of the process that was started: the program's own process, or the first stage of its confinement. `None`
    /// once the process has been waited for.
    pub fn pid(&self) -> Option<u32> {
        self.leader.id()
    }

    /// The reason why a confined child could not be started; `None` if no such reason has been reported.
    pub fn failure(&self) -> Option<Failed> {
        self.confined()?.state().failed
    }

    /// Whether the child's confinement has ended unexpectedly. No child can cause this.
    pub fn is_unconfined(&self) -> bool {
        self.exceeded().is_none() && self.confined().is_some_and(|confined| confined.state().is_lost())
    }

    /// If the child is confined, waits until the arena has learned of all events in the confinement so far.
    pub async fn settle(&mut self) {
        if let Hold::Cage(confined) = &mut self.hold {
            confined.respond().await;
        }
    }

    /// Whether the child itself made this connection to its seat. Always true for an unconfined child.
    pub async fn owns(&mut self, connection: &TcpStream) -> bool {
        match &mut self.hold {
            Hold::Cage(confined) => confined.owns(connection).await,
            Hold::Group(_) => true,
        }
    }

    /// The limit that the child exceeded, if any, with a text that states by how much. Only confined children have
    /// limits other than the limit on their output.
    pub fn exceeded(&self) -> Option<(Limit, String)> {
        if let Some(written) = self.outputs.exceeded() {
            return Some((Limit::Output, format!("wrote {} MiB to stdout and stderr (key `output`)", written >> 20)));
        }
        let exceeded = self.confined()?.state().exceeded?;
        Some((exceeded.limit(), exceeded.to_string()))
    }

    const fn confined(&self) -> Option<&Confined> {
        match &self.hold {
            Hold::Cage(confined) => Some(confined),
            Hold::Group(_) => None,
        }
    }

    /// Waits until the child's own process is gone. This is cancel safe, and calling it again returns the same value.
    pub async fn gone(&mut self) -> ProcessEnd {
        let end = match &mut self.hold {
            Hold::Cage(confined) => confined.gone().await.gone,
            Hold::Group(group) => group.watch(self.leader.wait()).await.ok().map(ProcessEnd::from),
        };
        self.ended.get_or_insert_with(now);
        end.unwrap_or(ProcessEnd::Unknown)
    }

    /// Waits until no process of the child is left. This is cancel safe.
    pub async fn deserted(&mut self) {
        self.gone().await;
        match &mut self.hold {
            Hold::Cage(confined) => confined.deserted().await,
            Hold::Group(group) => group.deserted().await,
        }
    }

    /// Stops all processes of the child.
    pub async fn freeze(&mut self) {
        match &mut self.hold {
            Hold::Cage(confined) => confined.freeze().await,
            Hold::Group(group) => group.freeze(),
        }
    }

    /// Resumes all processes of the child after [`ChildProcess::freeze`].
    pub async fn thaw(&mut self) {
        match &mut self.hold {
            Hold::Cage(confined) => confined.thaw().await,
            Hold::Group(group) => group.thaw(),
        }
    }

    /// The CPU time that the child has used so far. For a confined child, this covers all its processes. For an
    /// unconfined child, it covers the child itself and the processes that it has waited for, and is zero once the
    /// child is gone.
    pub async fn cpu(&mut self) -> Duration {
        match &mut self.hold {
            Hold::Cage(confined) => confined.cpu().await,
            Hold::Group(_) => self.leader.id().and_then(|id| cpu_used(i32::try_from(id).ok()?)).unwrap_or_default(),
        }
    }

    /// Notes that the child's turn at `ply` begins, for [`Captured::turns`].
    pub fn begin_turn(&mut self, ply: usize) {
        self.outputs.begin_turn(ply);
    }

    /// The child's last report about its thinking, with the ply of the turn.
    pub fn latest_thought(&self) -> Option<(usize, Thought)> {
        self.outputs.latest_thought()
    }

    /// Checks whether the child is being starved during its turn. The first check of a turn begins the measurement.
    /// Call this every tenth of a second until [`ChildProcess::end_turn`].
    pub fn watch_turn(&mut self) {
        self.starvation.look();
    }

    /// Notes that the child's turn is over.
    pub fn end_turn(&mut self) {
        self.starvation.end();
    }

    /// How much the child has been starved during its turns so far; `None` if nothing was measured.
    pub fn starvation(&self) -> Option<Starvation> {
        self.starvation.starvation()
    }

    /// How much the child was starved during its last turn; `None` if that was not measured.
    pub const fn last_starvation(&self) -> Option<Starvation> {
        self.starvation.last_starvation()
    }

    /// Notes that the child is working: it has just made a move, or its turn begins. From now on, an earlier shortage
    /// no longer excuses a failure. Never call this while a clock is running.
    pub fn is_well(&mut self) {
        self.vigil.is_well();
    }

    /// Samples the child's resource usage so far, since the system discards the figures of a process that is gone. Call
    /// this now and then, but never while a clock is running.
    pub fn look(&mut self) {
        if let Hold::Group(group) = &mut self.hold {
            group.look();
        }
    }

    /// Waits until `deadline` for the child to exit, then ends all its processes, and returns its output and usage.
    pub async fn end(mut self, deadline: Instant) -> Remains {
        // It does not matter whether the child exited in time: the game is over.
        let gone = timeout_at(deadline, self.gone()).await;
        let (starvation, last_starvation) = (self.starvation(), self.last_starvation());
        let Self { hold, mut leader, outputs, scratch, started, vigil, disk, ended, starvation: _ } = self;
        // Processes that outlive the child do not add to its time.
        let wall = ended.unwrap_or_else(now) - started;
        let (mut usage, observed, exceeded) = match hold {
            Hold::Cage(mut confined) => {
                // The last stage kills all remaining processes, and reports their usage. In tiers in which the kernel
                // does not kill them all together, this is the only way to end them, and it can be slow on a busy
                // machine.
                let seconds = if confined.ends_with_its_first_stage() { 1 } else { 20 };
                let state = confined.end(now() + Duration::from_secs(seconds)).await;
                (state.used, state.observed, state.exceeded.is_some())
            }
            Hold::Group(mut group) => {
                group.look();
                // The kernel does not report which process it has killed, so this relies on how the child ended.
                let is_killed = matches!(gone, Ok(ProcessEnd::Signal(SIGKILL) | ProcessEnd::Code(KILLED_IN_SHELL)));
                let memory = (is_killed && vigil.has_seen_kills()).then(uptime);
                let held = || scratch.as_ref().map_or(0, |scratch| held_below(scratch.path()));
                let disk = disk.and_then(|disk| disk.look(held));
                (group.usage(), Observed { memory, disk, most_processes: 0 }, false)
            }
        };
        // SIGKILL ends the child immediately, unless the machine itself hangs. There is no need to wait for the rest of
        // the group.
        let _ = timeout_at(now() + Duration::from_secs(1), leader.wait()).await;
        let exceeded = exceeded || outputs.exceeded().is_some();
        let lack = if exceeded { None } else { vigil.lack(observed, usage.as_ref()) };
        let FinishedOutputs { stdout, stderr, thoughts } = outputs.finish(now() + OUTPUT_GRACE).await;
        if let Some(scratch) = scratch {
            // A scratch space can be large, so remove it on a thread that does not run games.
            away(move || drop(scratch)).await;
        }
        if let Some(usage) = &mut usage {
            usage.wall = whole_micros(wall);
            // If the system does not count written bytes, the captured outputs are a lower estimate.
            usage.written = usage.written.max(stdout.written() + stderr.written());
        }
        Remains { stdout, stderr, thoughts, usage, lack, starvation, last_starvation }
    }
}

/// Takes the outputs of `leader` and starts to capture them within `limits`; `end` ends a child that exceeds them. With
/// `stdin`, the child's stdout is not captured, because the two form its connection.
fn take_outputs(
    leader: &mut tokio::process::Child,
    stdin: Option<ChildStdin>,
    limits: OutputLimits,
    end: impl Fn() + Send + Sync + 'static,
) -> (Option<Pipes>, CapturedOutputs) {
    let (stdout, stderr) = (leader.stdout.take(), leader.stderr.take());
    let (pipes, stdout) = match (stdin, stdout) {
        (Some(stdin), Some(stdout)) => (Some((stdin, stdout)), None),
        (_, stdout) => (None, stdout),
    };
    (pipes, CapturedOutputs::capture(stdout, stderr, limits, end))
}

fn spawn_error(start: &Start, source: io::Error) -> SpawnError {
    let program = start.program.clone();
    if is_by_program(&source) {
        SpawnError::Program { program, dir: start.dir.clone(), source }
    } else {
        SpawnError::Machine { program, source }
    }
}
