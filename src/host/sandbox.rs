//! Confinement of bots: namespaces, a separate file system, and limits. The confinement is set up in stages, each of
//! which is a process of this same program.
//!
//! In tier A, a thread of the arena creates the namespaces of a bot, brings up their loopback, and binds the seat's
//! listener there. It then starts stage `init`, which is pid 1 of the new process namespace. In tier B, the namespaces
//! include a user namespace, which only a process with a single thread can create: stage `namespaces`, a process, does
//! all this and sends the listener back. Each stage has one end of a socket pair as its stdin, over which the arena
//! sends it a [`Policy`].
//!
//! Init builds the file system, and starts the bot from a thread that has given up all privileges; then it reaps
//! processes, enforces the limits, and reports. When the control socket is closed, init exits, and with it every
//! process in the namespace, even if the arena was killed.
//!
//! Without namespaces, stage `warden` takes the place of `namespaces` and `init` and starts the bot through stage
//! `enter`. The warden is a child subreaper: orphaned processes of the bot become its children. It kills all of the
//! bot's processes through their process group, which none of them can leave. In this case, the bot shares the host's
//! files and network, and Landlock and seccomp restrict it to its own files and its own seat.
//!
//! | room | contents |
//! | --- | --- |
//! | `cage`, `cage_error` | starting a bot in its confinement, as seen by the arena, and why it may fail |
//! | `confined` | a running bot, as seen by the arena |
//! | `detect` | which tier works on this machine |
//! | `self_test` | a test program that tries everything that a tier must prevent, from inside that tier |
//! | `order`, `control_messages` | the messages between the arena and the stages |
//! | `stages` | the stages themselves |
//! | `namespaces`, `namespace_thread` | the namespaces of a bot, and the thread that creates them in tier A |
//! | `kept_networks` | network namespaces of bots that have ended, for the kernel to remove several at once |
//! | `root`, `landlock`, `seccomp` | the file system that a bot sees, and the restrictions that the kernel enforces |
//! | `oversee`, `limit_watch`, `exceeded` | the work of init and the warden while the bot runs |
//! | `descriptors`, `memory_estimate` | the descriptors of a bot's processes, and an estimate of its other memory |
//! | `cgroup`, `uids`, `scratch`, `build_copy` | memory groups, user ids, and the disk space of bots |
//! | `netlink`, `connection_peer`, `procfs` | queries to the kernel |

mod build_copy;
mod cage;
mod cage_error;
mod cgroup;
mod confined;
mod connection_peer;
mod control_messages;
mod descriptors;
mod detect;
mod exceeded;
mod kept_networks;
mod landlock;
mod limit_watch;
mod memory_estimate;
mod namespace_thread;
mod namespaces;
mod netlink;
mod order;
mod oversee;
mod procfs;
mod root;
mod scratch_fill;
mod seccomp;
mod self_test;
mod stages;
mod uids;

use std::fmt;
use std::io::ErrorKind::StorageFull;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::files::Copying;
use crate::base::machine::is_by_program;
use crate::base::sanitise::Shown as _;
use crate::base::tree::{MOST_BYTES, MOST_ENTRIES};
use crate::host::start::{Start, Workdir, bytes_in_json};

pub(crate) use cage::Cage;
pub(crate) use cage_error::CageError;
pub(crate) use cgroup::Accounting;
pub(crate) use confined::Confined;
pub(crate) use control_messages::{Blame, Failed};
pub(crate) use detect::{Detected, TierTests, Undecided, detect, has_mounted_root};
pub(crate) use landlock::version as landlock_version;
pub(crate) use order::lacks_files_in_memory;
pub(crate) use self_test::{ActionJson, Demonstration};
pub(crate) use stages::Stage;

/// The number of bytes on the disk in and below `dir`, counting only visible files.
pub(crate) fn held_below(dir: &Path) -> u64 {
    scratch_fill::held(dir).bytes
}

/// How well a machine can confine bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Tier {
    /// Namespaces created by root, and a user id for each bot.
    A,
    /// Namespaces within a user namespace.
    B,
    /// No namespaces: Landlock and seccomp, a port for each seat, and a warden over the bot's processes.
    C,
    /// No confinement, only process groups and their limits.
    D,
}

impl Tier {
    /// Whether each bot has its own namespaces, and thus its own loopback, on which its seat is 127.0.0.1:29068.
    pub const fn has_namespaces(self) -> bool {
        matches!(self, Self::A | Self::B)
    }

    /// A short description of the tier.
    pub const fn words(self) -> &'static str {
        match self {
            Self::A => "namespaces, user id per bot",
            Self::B => "user namespaces",
            Self::C => "no namespaces: Landlock and seccomp, a port per seat",
            Self::D => "only process groups",
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

/// The confinement of a bot in a game: how the bot is started, and the settings that its tier adds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Policy {
    /// How the bot is started.
    pub start: Start,
    /// The tier, which is never [`Tier::D`].
    pub tier: Tier,
    /// An empty directory of the arena, in which the bot's file system is assembled; in tier C, the bot's scratch
    /// space.
    #[serde(with = "bytes_in_json")]
    pub root: PathBuf,
    /// The user and group id that only this bot has; `None` if the bot keeps the arena's ids.
    pub uid: Option<u32>,
    /// The group that accounts for the bot's memory. Without a group, the watch counts the memory, and the bot is
    /// refused memory that the watch cannot see.
    pub memory_group: Option<cgroup::MemoryGroup>,
}

/// Pins the process `pid`, or this process if `None`, to `cpus`. If the machine refuses, nothing changes: pinning is
/// meant to give every game the same speed and is not a limit.
pub(crate) fn bind(pid: Option<rustix::process::Pid>, cpus: &[u32]) {
    let mut set = rustix::thread::CpuSet::new();
    for cpu in
        cpus.iter().filter_map(|&cpu| usize::try_from(cpu).ok()).filter(|&cpu| cpu < rustix::thread::CpuSet::MAX_CPU)
    {
        set.set(cpu);
    }
    let _ = rustix::thread::sched_setaffinity(pid, &set);
}

/// The directories of a system that every program may need.
const SYSTEM: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc"];

/// The devices that a program may need.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// A bot's scratch directory within its file system. In tier C, [`Policy::root`] takes its place.
pub(crate) const TMP: &str = "/tmp";
/// The name of the bot's home within its scratch directory.
pub(crate) const HOME: &str = "home";
/// The name of the bot's writable copy of its directory, next to its home.
pub(crate) const COPY: &str = "dir";

impl Policy {
    /// The bot's scratch directory, as the bot sees it.
    pub(crate) fn tmp(&self) -> &Path {
        if self.tier.has_namespaces() { Path::new(TMP) } else { &self.root }
    }

    /// The bot's working directory, as the bot sees it.
    fn workdir(&self) -> PathBuf {
        match &self.start.workdir {
            Workdir::FreshCopy => self.tmp().join(COPY),
            Workdir::Build(copy) if !self.tier.has_namespaces() => copy.path.clone(),
            Workdir::Build(_) | Workdir::InPlace => self.start.dir.clone(),
        }
    }

    /// Copies the bot's directory to `to`, if the bot works in a copy.
    fn copy_dir(&self, to: &Path) -> Result<(), Failed> {
        if self.start.workdir != Workdir::FreshCopy {
            return Ok(());
        }
        let most = (MOST_BYTES, MOST_ENTRIES);
        let (from, except, owner) = (&self.start.dir, &self.root, self.uid);
        Copying { from, to, except, owner, without: &|_| false, most }.run().map_err(|error| {
            let step = format!("copy `{}` into its scratch space", from.shown());
            // If the scratch space is in memory, only the bot's own limit can fill it. A full disk, however, is the
            // machine's fault.
            if self.tier.has_namespaces() && error.kind() == StorageFull && is_full(to.parent().unwrap_or(to)) {
                let step = format!("{step}, which `scratch` limits to {} MiB", self.start.resources.scratch >> 20);
                return Failed { step, errno: error.raw_os_error(), blame: Blame::Program };
            }
            let blame = if is_by_program(&error) { Blame::Program } else { Blame::Machine };
            Failed { step, errno: error.raw_os_error(), blame }
        })
    }
}

/// Whether the file system that contains `path` has no space for another block or another file.
fn is_full(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|stat| stat.f_bfree == 0 || stat.f_ffree == 0)
}
