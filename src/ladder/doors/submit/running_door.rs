//! Starting the process of the door, in its confinement.

use std::io;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;

use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::{DOOR_WORD, MOST_UPLOAD, MOST_UPLOADS};
use crate::base::files::Scratch;
use crate::base::time::{now, timeout_at};
use crate::host::sandbox::{Cage, Confined};
use crate::host::start::{BuildCopy, RefereeLink, ShownFile, Start, Workdir};
use crate::tournament::Resources;

/// The resources that the process may use.
const RESOURCES: Resources =
    Resources { memory: 256 << 20, processes: 16, cpu: None, scratch: 1 << 20, open_files: 512, output: 1 << 20 };

/// How long to wait for the reason why the process has ended.
const LAST_CHECK: std::time::Duration = std::time::Duration::from_secs(2);

/// The process, and the arena's end of its link.
pub(super) struct RunningDoor {
    pub(super) link: UnixStream,
    pub(super) confinement: DoorConfinement,
}

/// Keeps the process running. The process ends when this is dropped.
pub(super) struct DoorConfinement {
    confined: Option<(Confined, Scratch)>,
    _leader: Child,
}

impl DoorConfinement {
    /// The reason why the process could not be started or was stopped, if there is one. Call this once the link to the
    /// process is closed.
    pub(super) async fn failure(&mut self) -> Option<String> {
        let (confined, _) = self.confined.as_mut()?;
        let state = timeout_at(now() + LAST_CHECK, confined.gone()).await.ok()?;
        let exceeded = state.exceeded.map(|exceeded| format!("it {exceeded}"));
        state.failed.map(|failed| failed.to_string()).or(exceeded)
    }
}

impl RunningDoor {
    /// Starts the process with `listener`, in the directory `incoming`. If there is a `cage`, the process is confined
    /// in it.
    pub(super) async fn start(listener: &TcpListener, incoming: &Path, cage: Option<&Cage>) -> io::Result<Self> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let link = UnixStream::from_std(ours)?;
        let listener = OwnedFd::from(listener.try_clone()?);
        let outputs = [Stdio::from(OwnedFd::from(theirs)), Stdio::null()];
        let Some(cage) = cage else {
            let [stdout, stderr] = outputs;
            let mut command = Command::new("/proc/self/exe");
            command.arg(DOOR_WORD).env_clear().current_dir(incoming).process_group(0).kill_on_drop(true);
            let leader = command.stdin(Stdio::from(listener)).stdout(stdout).stderr(stderr).spawn()?;
            return Ok(Self { link, confinement: DoorConfinement { confined: None, _leader: leader } });
        };
        let scratch = Scratch::new()?;
        // The process has no network, only the listener.
        let program = std::env::current_exe()?;
        let incoming = std::path::absolute(incoming)?;
        let most = MOST_UPLOAD * (MOST_UPLOADS as u64 + 1);
        let start = Start {
            args: vec![DOOR_WORD.to_owned()],
            workdir: Workdir::Build(BuildCopy { path: incoming.clone(), max_bytes: most }),
            contact: RefereeLink::None,
            readable: ShownFile::of(program.clone()).into_iter().collect(),
            resources: RESOURCES,
            ..Start::new(program, incoming)
        };
        let started = cage.start(start, scratch.path(), Some(listener), outputs).await;
        let (leader, confined, _) = started.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self { link, confinement: DoorConfinement { confined: Some((confined, scratch)), _leader: leader } })
    }
}
