//! How a program is started, and how it ends.
//!
//! One [`Start`] describes a bot or a build, and is passed unchanged from its game to the last stage of its
//! confinement. A tier of confinement adds its own part in [`Policy`](crate::host::sandbox::Policy). Callers set only
//! the fields that differ from [`Start::new`].

pub(in crate::host) mod bytes_in_json;

use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use serde::{Deserialize, Serialize};

use crate::tournament::Resources;

/// A program to start, and how to start it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The path of the program; absolute if the program is confined.
    #[serde(with = "bytes_in_json")]
    pub program: PathBuf,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// The program's directory; an absolute path if the program is confined.
    #[serde(with = "bytes_in_json")]
    pub dir: PathBuf,
    /// The directory in which the program works: `dir` or a copy.
    pub workdir: Workdir,
    /// The program's environment without `HOME` and `TMPDIR`, which are in its scratch space.
    #[serde(with = "bytes_in_json")]
    pub env: Vec<(OsString, OsString)>,
    /// How the program reaches the referee.
    pub contact: RefereeLink,
    /// The host names that resolve to the program's own loopback, if it has one.
    pub hosts: Vec<String>,
    /// The files and directories that the program may read in addition to those of the system, if it is confined.
    pub readable: Vec<ShownFile>,
    /// The resources that the program may use. Without confinement, only `output` is enforced.
    pub resources: Resources,
    /// How many bytes of stdout and of stderr to keep.
    pub output_cap: usize,
    /// The CPUs on which the program runs; `None` means all.
    pub cpus: Option<Vec<u32>>,
    /// Whether the arena may stop the program; see
    /// [`ChildProcess::freeze`](crate::host::process::ChildProcess::freeze). If so, the program must not be able to
    /// resume itself.
    pub freezable: bool,
    /// Whether this is the arena's own program, which never starts another process.
    pub single: bool,
}

/// A file or directory that a confined program may read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShownFile {
    /// The path at which the program sees the file: an absolute path, which may contain links of the arena's user.
    #[serde(with = "bytes_in_json")]
    pub path: PathBuf,
    /// The path, without links, of the file that the program sees there. If a link is later put into this path, the
    /// link is not followed.
    #[serde(with = "bytes_in_json")]
    pub file: PathBuf,
}

impl ShownFile {
    /// The file that is now at the absolute path `path`; `None` if there is no file.
    pub fn of(path: impl AsRef<Path> + Into<PathBuf>) -> Option<Self> {
        let file = path.as_ref().canonicalize().ok()?;
        Some(Self { path: path.into(), file })
    }
}

/// How a started program reaches the referee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefereeLink {
    /// The program's stdin and stdout are its connection.
    Pipes,
    /// The program connects to 127.0.0.1:29068 on its own loopback, where its confinement listens.
    OwnLoopback,
    /// The program connects to this port of the host's loopback.
    HostPort(u16),
    /// The program has no seat but may use the host's network. This is for some builds.
    HostNetwork,
    /// The program has no seat and no network. This is for other builds.
    None,
}

/// The directory in which a program works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workdir {
    /// The program's own directory, which a confined program may only read.
    InPlace,
    /// A new, writable copy in the program's scratch space.
    FreshCopy,
    /// A copy that outlives the program. This is for builds.
    Build(BuildCopy),
}

/// The copy of a player's directory in which a build works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildCopy {
    /// The copy, on the host's disk. A build with its own file system sees it in place of the original directory; any
    /// other build works in the copy itself.
    #[serde(with = "bytes_in_json")]
    pub path: PathBuf,
    /// How many bytes the copy may contain.
    pub max_bytes: u64,
}

impl Start {
    /// Describes the start of `program` in the directory `dir`, without arguments, environment or seat, and with the
    /// default resources of a bot. The program may run on all CPUs, and its outputs are not kept.
    pub fn new(program: PathBuf, dir: PathBuf) -> Self {
        Self {
            program,
            args: Vec::new(),
            dir,
            workdir: Workdir::InPlace,
            env: Vec::new(),
            contact: RefereeLink::None,
            hosts: Vec::new(),
            readable: Vec::new(),
            resources: Resources::default(),
            output_cap: 0,
            cpus: None,
            freezable: false,
            single: false,
        }
    }

    /// The copy in which the program works, if it is a confined build.
    pub const fn build_copy(&self) -> Option<&BuildCopy> {
        match &self.workdir {
            Workdir::Build(copy) => Some(copy),
            Workdir::InPlace | Workdir::FreshCopy => None,
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessEnd {
    /// The process exited with this code.
    Code(i32),
    /// This signal killed the process.
    Signal(i32),
    /// The system did not report how the process ended.
    Unknown,
}

impl ProcessEnd {
    /// Whether the process exited with code 0.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Code(0))
    }
}

impl From<ExitStatus> for ProcessEnd {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(signal) => write!(f, "killed by {}", signal_name(signal)),
            Self::Unknown => f.write_str("gone"),
        }
    }
}

/// The name of a signal, such as `SIGSEGV (signal 11)`; only the number for rare signals.
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
