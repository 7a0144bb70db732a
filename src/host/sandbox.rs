//! Confinement of bots: namespaces, a file system of their own, limits; built in two stages, each this very program.
//!
//! The arena starts stage `namespaces` with one end of a socket pair as its stdin, and sends it a [`Policy`]. That makes
//! the namespaces, brings up their loopback, binds the seat's listener there and sends it back. It starts stage `init`, pid 1
//! of the new process namespace, which builds the file system; and that starts the bot from a thread that has given up all
//! privileges. Init reaps, watches the limits, and reports. The end of the control socket ends init, and with it every process in
//! the namespace, also when the arena was killed.
//!
//! Where there are no namespaces, stage `warden` takes the place of both and has the bot started by a stage `enter`: it is a child subreaper, so that whatever
//! the bot leaves behind becomes its own child, and kills all of it by its process group, which nobody in it can leave. The
//! bot then shares the host's files and network, and Landlock and seccomp keep it to its own: see `shared`.

mod bytes;
mod cgroup;
mod control;
mod descriptors;
mod enter;
mod init;
mod namespaces;
mod order;
mod outside;
mod peer;
mod root;
mod scratch;
mod shared;
mod uids;
mod unseen;
mod warden;
mod watch;
mod workplace;

use std::ffi::OsString;
use std::fmt;
use std::io::ErrorKind::StorageFull;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::files::Copying;
use crate::base::machine::is_by_program;
use crate::base::printable::Shown as _;
use crate::base::tree::{MOST_BYTES, MOST_ENTRIES};
use crate::tournament::file::Resources;

pub use cgroup::Accounting;
pub use control::{Exceeded, Failed, Fault, Report};
pub use outside::{Cage, CageError, Confined, Detected, Inmate, State, Undecided, detect, try_out};
pub use workplace::Workplace;

/// How well this machine can confine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Tier {
    /// Namespaces made by root, and a user id per bot.
    A,
    /// Namespaces within a user namespace.
    B,
    /// No namespaces: Landlock and seccomp, a port per seat, and a warden over the bot's processes.
    C,
    /// Nothing of it: a process group and its limits alone.
    D,
}

impl Tier {
    /// Whether each bot has namespaces of its own, and so a loopback on which 127.0.0.1:29068 is its seat.
    pub const fn has_namespaces(self) -> bool {
        matches!(self, Self::A | Self::B)
    }

    /// What it does, in a few words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::A => "namespaces, user id per bot",
            Self::B => "user namespaces",
            Self::C => "no namespaces: Landlock and seccomp, a port per seat",
            Self::D => "process groups alone",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        })
    }
}

/// How one bot is confined in one game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Any but [`Tier::D`].
    pub tier: Tier,
    /// The program, as an absolute path.
    #[serde(with = "bytes")]
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; visible, but empty unless it is under one of `read`.
    #[serde(with = "bytes")]
    pub dir: PathBuf,
    /// Whether it runs in a copy of that directory, in its scratch space.
    pub writable: bool,
    /// What is different for a build, if it is one.
    pub workplace: Option<Workplace>,
    /// Its whole environment.
    #[serde(with = "bytes")]
    pub env: Vec<(OsString, OsString)>,
    /// What it may read beside the system: files and directories, at their own paths.
    #[serde(with = "bytes")]
    pub read: Vec<PathBuf>,
    /// An empty directory of the arena's, where its file system is put together; in tier C, its scratch space.
    #[serde(with = "bytes")]
    pub root: PathBuf,
    /// The user and group id that it has to itself; `None` where it keeps the arena's.
    pub uid: Option<u32>,
    /// Whether it has a seat at 127.0.0.1:29068 of its own loopback.
    pub listens: bool,
    /// The port at which it has its seat in tier C, where the loopback is the host's.
    pub port: Option<u16>,
    /// What it may use up.
    pub limits: Resources,
    /// The group that counts its memory; without one, the watch does, and what that can't see is refused.
    pub memory_group: Option<cgroup::Group>,
    /// The CPUs that it runs on, which it can't change; `None` is all.
    pub cpus: Option<Vec<u32>>,
    /// Whether it is stopped now and then, and so must not have itself continued.
    pub freezable: bool,
}

/// Lets the process, or this one, run on these CPUs alone. A machine that won't leaves it where it is: it is for the same
/// speed in every game, and no bound on anything.
pub fn bind(pid: Option<rustix::process::Pid>, cpus: &[u32]) {
    let mut set = rustix::thread::CpuSet::new();
    for cpu in
        cpus.iter().filter_map(|&cpu| usize::try_from(cpu).ok()).filter(|&cpu| cpu < rustix::thread::CpuSet::MAX_CPU)
    {
        set.set(cpu);
    }
    let _ = rustix::thread::sched_setaffinity(pid, &set);
}

/// A bot's scratch directory, within its file system; in tier C, that is its [`Policy::root`].
pub const TMP: &str = "/tmp";
/// Its home, which lies in it.
pub const HOME: &str = "home";
/// What lies beside it: the copy of the bot's directory that it may write to.
pub const COPY: &str = "dir";

impl Policy {
    /// Its scratch directory, as it sees that.
    pub fn tmp(&self) -> &Path {
        scratch_dir(self.tier, &self.root)
    }

    /// Where it begins, as it sees that.
    fn workdir(&self) -> PathBuf {
        match &self.workplace {
            _ if self.writable => self.tmp().join(COPY),
            Some(workplace) if !self.tier.has_namespaces() => workplace.copy.clone(),
            _ => self.dir.clone(),
        }
    }

    /// Makes its copy of its directory at `to`, if it is to have one.
    fn copy_dir(&self, to: &Path) -> Result<(), Failed> {
        if !self.writable {
            return Ok(());
        }
        let most = (MOST_BYTES, MOST_ENTRIES);
        let (from, except, owner) = (&self.dir, &self.root, self.uid);
        Copying { from, to, except, owner, without: &|_| false, most }.run().map_err(|error| {
            let step = format!("copy `{}` into its scratch space", self.dir.shown());
            // In memory the bot's own bound is all that there is room for; a disk is the machine's.
            if self.tier.has_namespaces() && error.kind() == StorageFull && is_full(to.parent().unwrap_or(to)) {
                let bound = format!("{step}, which `scratch` bounds to {} MiB", self.limits.scratch >> 20);
                return Failed { step: bound, errno: error.raw_os_error(), fault: Fault::Program };
            }
            let fault = if is_by_program(&error) { Fault::Program } else { Fault::Machine };
            Failed { step, errno: error.raw_os_error(), fault }
        })
    }
}

/// Whether the file system that holds `path` has no room for another block or another file.
fn is_full(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|stat| stat.f_bfree == 0 || stat.f_ffree == 0)
}

/// The scratch directory of a bot with this `root`, as it sees it.
fn scratch_dir(tier: Tier, root: &Path) -> &Path {
    if tier.has_namespaces() { Path::new(TMP) } else { root }
}

/// A stage of confinement, as the command line has it: `confine` and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Makes the namespaces.
    Namespaces,
    /// Is their pid 1.
    Init,
    /// Is the child subreaper where there are no namespaces.
    Warden,
    /// Becomes the bot, where the warden started it.
    Enter,
}

impl Stage {
    /// The stage of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "namespaces" => Self::Namespaces,
            "init" => Self::Init,
            "warden" => Self::Warden,
            "enter" => Self::Enter,
            _ => return None,
        })
    }

    /// Runs the stage in this process, which must have no other threads. Returns the exit code.
    pub fn run(self) -> u8 {
        match self {
            Self::Namespaces => namespaces::run(),
            Self::Init => init::run(),
            Self::Warden => warden::run(),
            Self::Enter => enter::run(),
        }
    }
}
