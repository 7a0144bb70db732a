//! Children: spawned into a group of their own, watched, and ended for certain.

mod account;
mod build;
mod capture;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{ChildStdin, ChildStdout, Command};

pub use build::{Built, build};
pub use capture::Captured;

use crate::base::files::{Copying, Scratch};
use crate::base::machine::{away, explained, is_by_program, restore_open_files};
use crate::base::printable::Shown as _;
use crate::base::time::{Instant, cpu_used, now, sleep_until, timeout_at};
use crate::base::tree::{MOST_BYTES, MOST_ENTRIES};
use crate::host::sandbox::{COPY, Cage, Confined, Exceeded, Fault, Inmate, Workplace, bind};
use crate::referee::clock::whole_micros;
use crate::referee::result::{Limit, Void};
use crate::referee::usage::Usage;
use crate::tournament::file::Resources;
use account::Account;
use capture::{Bound, Capture};

/// What to start, and how.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "none of them depends on another")]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory.
    pub dir: PathBuf,
    /// Its whole environment but HOME and TMPDIR, which are those of its scratch space.
    pub env: Vec<(OsString, OsString)>,
    /// Whether its stdin and stdout are its connection.
    pub piped: bool,
    /// How much of each output is kept, in bytes.
    pub output_cap: usize,
    /// What it may use up, where it is confined.
    pub resources: Resources,
    /// What it may read beside the system, where it is confined.
    pub readable: Vec<PathBuf>,
    /// Whether it runs in a copy of its directory.
    pub writable: bool,
    /// What is different for a build that is confined, if it is one.
    pub workplace: Option<Workplace>,
    /// The CPUs that it runs on; `None` is all.
    pub cpus: Option<Vec<u32>>,
    /// Whether it is stopped now and then, see [`Child::freeze`].
    pub freezable: bool,
    /// The port of its seat, where it shares the host's loopback.
    pub port: Option<u16>,
    /// Whether it is the arena's own and thereby known to be a single process.
    pub single: bool,
}

/// Why a program could not be started.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The program or its directory is at fault.
    #[error("`{}` could not be run in `{}`", program.shown(), dir.shown())]
    Program {
        /// The program.
        program: PathBuf,
        /// Its working directory.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The machine is: no process, no memory, no descriptor, no scratch directory.
    #[error("the machine could not start `{}`", program.shown())]
    Machine {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A child and its whole process group, with a fresh home and scratch directory that vanish with it.
#[derive(Debug)]
pub struct Child {
    leader: tokio::process::Child,
    /// The group's id, until the group has been killed.
    group: Option<Pid>,
    stdout: Option<Capture>,
    stderr: Option<Capture>,
    output: Bound,
    scratch: Option<Scratch>,
    /// Its confinement, of which `leader` is then the first stage.
    confined: Option<Confined>,
    /// What it uses, where no confinement knows that.
    account: Option<Account>,
    started: Instant,
    /// When its own process was found to be gone.
    ended: Option<Instant>,
}

/// What is left of a child.
#[derive(Clone, Debug, Default)]
pub struct Remains {
    /// What it wrote to stdout, unless that was its connection.
    pub stdout: Captured,
    /// What it wrote to stderr.
    pub stderr: Captured,
    /// What all its processes used, as far as the system would tell.
    pub usage: Option<Usage>,
}

/// A child's ends of the pipes, where they are its connection.
pub type Pipes = (ChildStdin, ChildStdout);

/// How long the outputs of a killed group may take to end. What escaped the group can hold them open for ever.
const OUTPUT_GRACE: Duration = Duration::from_millis(100);

/// How often it is looked whether a group still has a process after its leader has gone.
const GROUP_WATCH: Duration = Duration::from_millis(20);

impl Child {
    /// Starts the program in a process group of its own.
    ///
    /// # Errors
    /// Tells the player's fault from the machine's.
    pub fn spawn(launch: &Launch) -> Result<(Self, Option<Pipes>), SpawnError> {
        let machine = |source| SpawnError::Machine { program: launch.program.clone(), source };
        let scratch = Scratch::new().map_err(machine)?;
        let (home, tmp) = (scratch.path().join("home"), scratch.path().join("tmp"));
        std::fs::create_dir(&home).and_then(|()| std::fs::create_dir(&tmp)).map_err(machine)?;

        let mut command = Command::new(&launch.program);
        let copy = scratch.path().join(COPY);
        if launch.writable {
            let (from, except, most) = (&*launch.dir, scratch.path(), (MOST_BYTES, MOST_ENTRIES));
            let copying = Copying { from, to: &copy, except, owner: None, without: &|_| false, most };
            copying.run().map_err(|source| spawn_error(launch, source))?;
        }
        command.args(&launch.args).current_dir(if launch.writable { &copy } else { &launch.dir });
        command.env_clear().env("HOME", &home).env("TMPDIR", &tmp);
        command.envs(launch.env.iter().map(|(name, value)| (name, value)));
        command.stdin(if launch.piped { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(|source| spawn_error(launch, source))?;

        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let (Some(pid), Some(cpus)) = (group, &launch.cpus) {
            bind(Some(pid), cpus);
        }
        group.inspect(|&leader| restore_open_files(leader));
        // It has a pipe of the group's, so that the group is still there.
        let output = Bound::new(launch.resources.output, move || {
            group.map(|group| kill_process_group(group, Signal::KILL));
        });
        let capture = |pipe| Capture::start(pipe, launch.output_cap, output.clone());
        let stderr = child.stderr.take().map(|pipe| Capture::start(pipe, launch.output_cap, output.clone()));
        let stdout = child.stdout.take();
        let (pipes, stdout) = match (child.stdin.take(), stdout) {
            (Some(stdin), Some(stdout)) => (Some((stdin, stdout)), None),
            (_, stdout) => (None, stdout.map(capture)),
        };
        let account = group.map(|group| Account::open(group, launch.single));
        let scratch = Some(scratch);
        let (confined, started, ended) = (None, now(), None);
        let child = Self { leader: child, group, stdout, stderr, output, scratch, confined, account, started, ended };
        Ok((child, pipes))
    }

    /// Starts the program in a confinement of its own. Returns also the listener of its seat, unless it is piped or its seat is
    /// elsewhere.
    ///
    /// # Errors
    /// When the machine would not. That the program can't be run is known later, see [`Child::failure`].
    pub async fn confine(launch: &Launch, cage: &Cage) -> Result<(Self, Option<Pipes>, Option<TcpListener>), Void> {
        let void = |what: &str, error: io::Error| Void { reason: format!("could not {what}: {}", explained(&error)) };
        let scratch = Scratch::new().map_err(|error| void("make a directory", error))?;
        let (stdin, input) = if launch.piped {
            let (reading, writing) = io::pipe().map_err(|error| void("make a pipe", error))?;
            let writing = std::process::ChildStdin::from(OwnedFd::from(writing));
            let writing = ChildStdin::from_std(writing).map_err(|error| void("use a pipe", error))?;
            (Some(OwnedFd::from(reading)), Some(writing))
        } else {
            (None, None)
        };
        let inmate = Inmate {
            program: &launch.program,
            args: launch.args.clone(),
            dir: &launch.dir,
            writable: launch.writable,
            workplace: launch.workplace.clone(),
            env: launch.env.clone(),
            read: launch.readable.clone(),
            root: scratch.path(),
            listens: !launch.piped && launch.port.is_none() && launch.workplace.is_none(),
            port: launch.port,
            limits: launch.resources,
            cpus: launch.cpus.clone(),
            freezable: launch.freezable,
            stdin,
        };
        let started = cage.start(inmate, [Stdio::piped(), Stdio::piped()]).await;
        let (mut child, confined, listener) =
            started.map_err(|error| Void { reason: format!("a bot could not be confined: {error}") })?;
        // Who has to end the others first must not be killed.
        let first_stage = child.id().filter(|_| confined.ends_with_its_first_stage());
        let group = first_stage.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let output = Bound::new(launch.resources.output, confined.ender());
        let capture = |pipe| Capture::start(pipe, launch.output_cap, output.clone());
        let stderr = child.stderr.take().map(|pipe| Capture::start(pipe, launch.output_cap, output.clone()));
        let stdout = child.stdout.take();
        let (pipes, stdout) = match (input, stdout) {
            (Some(stdin), Some(stdout)) => (Some((stdin, stdout)), None),
            (_, stdout) => (None, stdout.map(capture)),
        };
        let (confined, scratch) = (Some(confined), Some(scratch));
        let (account, started, ended) = (None, now(), None);
        let child = Self { leader: child, group, stdout, stderr, output, scratch, confined, account, started, ended };
        Ok((child, pipes, listener))
    }

    /// The process that was started: the program's own, or the first stage of its confinement. `None` once it has been waited for.
    pub fn pid(&self) -> Option<u32> {
        self.leader.id()
    }

    /// Why a confined child could not be started, if it could not; and whether that lies with its program.
    pub fn failure(&self) -> Option<(String, bool)> {
        let failed = self.confined.as_ref()?.state().failed?;
        Some((failed.to_string(), failed.fault == Fault::Program))
    }

    /// Whether the child's confinement has ended by itself, which no child can bring about.
    pub fn is_unconfined(&self) -> bool {
        self.exceeded().is_none() && self.confined.as_ref().is_some_and(|confined| confined.state().is_lost())
    }

    /// Waits until what has happened to the child's confinement so far is known, if it has one.
    pub async fn settle(&mut self) {
        if let Some(confined) = &mut self.confined {
            confined.respond().await;
        }
    }

    /// Whether a connection to its seat comes from itself, as far as it is confined; from nobody is to be feared elsewhere.
    pub async fn owns(&mut self, connection: &TcpStream) -> bool {
        match &mut self.confined {
            Some(confined) => confined.owns(connection).await,
            None => true,
        }
    }

    /// The limit that the child exceeded, if it did, with the figure. All but that on its output are of confined ones.
    pub fn exceeded(&self) -> Option<(Limit, String)> {
        let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
        if let Some(written) = self.output.exceeded() {
            return Some((Limit::Output, format!("wrote {} to stdout and stderr (key `output`)", mib(written))));
        }
        let exceeded = self.confined.as_ref()?.state().exceeded?;
        Some(match exceeded {
            Exceeded::Memory(bytes) => (Limit::Memory, format!("used {} of memory (key `memory`)", mib(bytes))),
            Exceeded::Processes(number) => {
                (Limit::Processes, format!("had {number} processes and threads (key `processes`)"))
            }
            Exceeded::Cpu(millis) => {
                (Limit::Cpu, format!("used {}.{:03} s of CPU time (key `cpu`)", millis / 1000, millis % 1000))
            }
            Exceeded::Scratch(bytes) => {
                (Limit::Scratch, format!("filled its scratch space with {} (key `scratch`)", mib(bytes)))
            }
            Exceeded::Descriptors(number) => {
                let how = "files and sockets open in all its processes, which could not all be looked at";
                (Limit::Memory, format!("had {number} {how} (keys `open_files`, `processes`)"))
            }
        })
    }

    /// Waits until the child itself is gone. Cancelling loses nothing, and asking again gives the same answer.
    pub async fn gone(&mut self) -> Gone {
        let Some(confined) = &mut self.confined else {
            let status = match &mut self.account {
                Some(account) => account.watch(self.leader.wait()).await,
                None => self.leader.wait().await,
            };
            self.ended.get_or_insert_with(now);
            return Gone(status.ok());
        };
        let status = confined.gone().await.gone;
        self.ended.get_or_insert_with(now);
        // As wait(2) has it: the exit code in the second byte, a signal in the first.
        Gone(status.map(|(code, signal)| ExitStatus::from_raw(code.unwrap_or(0) << 8 | signal.unwrap_or(0))))
    }

    /// Waits until no process of the child's is left. Cancelling loses nothing.
    pub async fn deserted(&mut self) {
        self.gone().await;
        if let Some(confined) = &mut self.confined {
            confined.deserted().await;
            return;
        }
        // Nobody tells when the last of a group goes.
        while self.group.is_some_and(|group| test_kill_process_group(group).is_ok()) {
            sleep_until(now() + GROUP_WATCH).await;
        }
    }

    /// Stops all processes of the child, or lets them go on.
    pub async fn freeze(&mut self, stop: bool) {
        match (&mut self.confined, self.group) {
            (Some(confined), _) => confined.freeze(stop).await,
            (None, Some(group)) => {
                // An error means that nobody is left.
                let _ = kill_process_group(group, if stop { Signal::STOP } else { Signal::CONT });
            }
            (None, None) => {}
        }
    }

    /// The CPU time that the child has used so far: with all its processes where it is confined; else its own and that of
    /// the children that it has waited for, and nothing once it is gone.
    pub async fn cpu(&mut self) -> Duration {
        match &mut self.confined {
            Some(confined) => confined.cpu().await,
            None => self.leader.id().and_then(|id| cpu_used(i32::try_from(id).ok()?)).unwrap_or_default(),
        }
    }

    /// Takes note of what the child uses, which can't be learned of a process that has gone: to be called now and then,
    /// never while a clock runs.
    pub fn look(&mut self) {
        if let Some(account) = &mut self.account {
            account.look();
        }
    }

    /// Waits until `patience` for the child to go by itself, then ends its whole group, and returns what it wrote and used.
    pub async fn end(mut self, patience: Instant) -> Remains {
        // Whether it went by itself makes no difference: the game is over.
        let _ = timeout_at(patience, self.gone()).await;
        // Whoever is left has been given its time.
        let wall = self.ended.unwrap_or_else(now) - self.started;
        let mut usage = if let Some(mut confined) = self.confined.take() {
            // Init kills whoever is left, and says what they used. Where that is not done by the kernel at once, there is no
            // other way, and a busy machine may take its time.
            let patience = if confined.ends_with_its_first_stage() { 1 } else { 20 };
            confined.end(now() + Duration::from_secs(patience)).await.used
        } else {
            self.look();
            self.account.as_ref().and_then(Account::usage)
        };
        self.kill_group();
        // After SIGKILL the child goes at once, unless the machine itself hangs; the group's own end is not waited for.
        let _ = timeout_at(now() + Duration::from_secs(1), self.leader.wait()).await;
        let grace = now() + OUTPUT_GRACE;
        let stdout = Capture::finish(self.stdout.take(), grace).await;
        let stderr = Capture::finish(self.stderr.take(), grace).await;
        if let Some(scratch) = self.scratch.take() {
            // A scratch space may hold anything, so it is removed away from the games' threads.
            away(move || drop(scratch)).await;
        }
        if let Some(usage) = &mut usage {
            usage.wall = whole_micros(wall);
            // Where the system does not count what is written, this is what is known.
            usage.written = usage.written.max(stdout.written() + stderr.written());
        }
        Remains { stdout, stderr, usage }
    }

    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            // An error means that nobody is left.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill_group();
    }
}

fn spawn_error(launch: &Launch, source: io::Error) -> SpawnError {
    let program = launch.program.clone();
    if is_by_program(&source) {
        SpawnError::Program { program, dir: launch.dir.clone(), source }
    } else {
        SpawnError::Machine { program, source }
    }
}

/// How a child went; the status is missing only if the system would not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone(Option<ExitStatus>);

impl Gone {
    /// Whether it exited with 0.
    pub fn well(self) -> bool {
        self.0.is_some_and(|status| status.success())
    }
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => write!(f, "exited with code {code}"),
            Some((None, Some(signal))) => write!(f, "killed by {}", signal_name(signal)),
            _ => f.write_str("gone"),
        }
    }
}

/// `SIGSEGV (signal 11)`, or the number alone for the rare ones.
fn signal_name(number: i32) -> String {
    let name = match number {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        _ => return format!("signal {number}"),
    };
    format!("{name} (signal {number})")
}
