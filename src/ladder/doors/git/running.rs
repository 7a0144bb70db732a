//! A `git` that runs once, in its confinement, and leaves nothing behind.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::base::machine::is_shortage;
use crate::base::time::{now, sleep_until, timeout_at};
use crate::host::process::{ChildProcess, Pipes, Remains, SpawnError};
use crate::host::sandbox::{Cage, held_below};
use crate::host::start::{BuildCopy, ProcessEnd, RefereeLink, ShownFile, Start, Workdir};
use crate::tournament::Resources;

/// The resources that one `git` may use.
const RESOURCES: Resources =
    Resources { memory: 1 << 30, processes: 64, cpu: None, scratch: 64 << 20, open_files: 1024, output: 4 << 20 };

/// How many bytes of the messages of `git` are kept.
const OUTPUT_CAP: usize = 64 << 10;

/// The maximum size of a list of files, in bytes. Only a repository with far too many files exceeds it.
const MOST_LIST: u64 = 16 << 20;

/// How often to check the size of the store.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// The maximum size, in bytes, of the store of a repository whose files may have `bytes` bytes in total. Objects are
/// compressed, but the store also contains files that are left out later, and an index for each pack.
pub(super) const fn most_store(bytes: u64) -> u64 {
    bytes + (64 << 20)
}

/// Why a `git` failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GitFailure {
    /// The machine, or the confinement, is at fault.
    Machine(String),
    /// `git` did not finish in time.
    Late(Duration),
    /// The store, or the output of `git`, became too large.
    TooLarge,
    /// `git` ended with an error, after these messages.
    Refused(String),
}

impl GitFailure {
    /// Returns this failure with `hidden` applied to its messages.
    pub(super) fn without(self, hidden: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Refused(text) => Self::Refused(hidden(&text)),
            Self::Machine(text) => Self::Machine(hidden(&text)),
            other => other,
        }
    }
}

/// The path of the system's `git`.
pub(super) fn git_program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join("git")).find(is_program)
}

/// A `git` to run.
pub(super) struct GitRun<'a> {
    pub(super) program: &'a Path,
    /// The store, which is the working directory of `git` and the only place to which it may write.
    pub(super) store: &'a Path,
    pub(super) cage: Option<&'a Cage>,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) timeout: Duration,
    /// How many bytes the store may contain.
    pub(super) most_bytes: u64,
}

impl GitRun<'_> {
    /// Runs `git` with access to the machine's network. Returns its output.
    ///
    /// # Errors
    /// [`GitFailure`] says why it failed.
    pub(super) async fn network(self) -> Result<String, GitFailure> {
        let (child, _) = self.started(RefereeLink::HostNetwork).await?;
        let remains = self.finished(child, async { Ok(()) }).await?;
        Ok(String::from_utf8_lossy(&remains.stdout.bytes()).into_owned())
    }

    /// Runs `git` without a network, with `input` as its stdin. Returns its output.
    ///
    /// # Errors
    /// [`GitFailure`] says why it failed.
    pub(super) async fn piped(self, input: Vec<u8>) -> Result<Vec<u8>, GitFailure> {
        let (child, pipes) = self.started(RefereeLink::Pipes).await?;
        let Some((mut stdin, stdout)) = pipes else {
            return Err(GitFailure::Machine("its pipes are missing".to_owned()));
        };
        let mut output = Vec::new();
        let talk = async {
            // `git` may end without reading everything.
            let _ = stdin.write_all(&input).await;
            drop(stdin);
            stdout.take(MOST_LIST + 1).read_to_end(&mut output).await.map(drop)
        };
        self.finished(child, talk).await?;
        if output.len() as u64 > MOST_LIST { Err(GitFailure::TooLarge) } else { Ok(output) }
    }

    /// Like [`GitRun::piped`], but writes the output to a temporary file, which is returned rewound to its beginning.
    ///
    /// # Errors
    /// [`GitFailure`] says why it failed.
    pub(super) async fn piped_to_file(self, input: Vec<u8>) -> Result<File, GitFailure> {
        let machine = |error: io::Error| GitFailure::Machine(error.to_string());
        let mut file = tempfile::tempfile().map_err(machine)?;
        let (child, pipes) = self.started(RefereeLink::Pipes).await?;
        let Some((mut stdin, mut stdout)) = pipes else {
            return Err(GitFailure::Machine("its pipes are missing".to_owned()));
        };
        let most = self.most_bytes;
        let mut total = 0;
        let write = async {
            let _ = stdin.write_all(&input).await;
            drop(stdin);
        };
        let read = async {
            let mut buffer = vec![0; 64 << 10];
            loop {
                match stdout.read(&mut buffer).await? {
                    0 => return Ok(()),
                    read => {
                        total += read as u64;
                        if total > most {
                            return Ok(());
                        }
                        file.write_all(&buffer[..read])?;
                    }
                }
            }
        };
        let talk = async { tokio::join!(write, read).1 };
        let finished = self.finished(child, talk).await;
        if total > most {
            return Err(GitFailure::TooLarge);
        }
        finished?;
        file.rewind().map_err(machine)?;
        Ok(file)
    }

    async fn started(&self, contact: RefereeLink) -> Result<(ChildProcess, Option<Pipes>), GitFailure> {
        let start = self.start(contact);
        match self.cage {
            Some(cage) => {
                let (child, pipes, _) =
                    ChildProcess::confine(start, cage).await.map_err(|void| GitFailure::Machine(void.reason))?;
                Ok((child, pipes))
            }
            None => ChildProcess::spawn(&start).map_err(|error| match error {
                SpawnError::Program { source, .. } | SpawnError::Machine { source, .. } => {
                    GitFailure::Machine(source.to_string())
                }
            }),
        }
    }

    fn start(&self, contact: RefereeLink) -> Start {
        let mut readable = Vec::new();
        // A `git` that is not part of the system has its helper programs beside it.
        let own = self.program.canonicalize().ok().and_then(|program| Some(program.parent()?.parent()?.to_owned()));
        readable.extend(own.filter(|dir| dir.parent().is_some()).and_then(ShownFile::of));
        if contact == RefereeLink::HostNetwork {
            // The resolver's configuration, which may be a link to a file outside `/etc`.
            let resolver = Path::new("/etc/resolv.conf").canonicalize();
            readable.extend(resolver.ok().and_then(ShownFile::of));
        }
        Start {
            args: self.args.clone(),
            workdir: Workdir::Build(BuildCopy { path: self.store.to_owned(), max_bytes: self.most_bytes }),
            env: self.env.clone(),
            contact,
            readable,
            resources: RESOURCES,
            output_cap: OUTPUT_CAP,
            ..Start::new(self.program.to_owned(), self.store.to_owned())
        }
    }

    /// Waits until `talk` and `child` have ended, or until the timeout.
    async fn finished(
        &self,
        mut child: ChildProcess,
        talk: impl Future<Output = io::Result<()>>,
    ) -> Result<Remains, GitFailure> {
        let deadline = now() + self.timeout;
        let whole = async {
            let talked = talk.await;
            (child.gone().await, talked)
        };
        // This limit also applies if `git` is not confined.
        let too_large = async {
            while held_below(self.store) <= self.most_bytes {
                sleep_until(now() + CHECK_INTERVAL).await;
            }
        };
        let ended = tokio::select! {
            ended = timeout_at(deadline, whole) => ended.map_err(|_| GitFailure::Late(self.timeout)),
            () = too_large => Err(GitFailure::TooLarge),
        };
        let (exceeded, failure) = (child.exceeded(), child.failure());
        let remains = child.end(now()).await;
        let (end, talked) = ended?;
        if let Some(failed) = failure {
            return Err(GitFailure::Machine(failed.to_string()));
        }
        if exceeded.is_some() {
            return Err(GitFailure::TooLarge);
        }
        if let Err(error) = talked
            && is_shortage(&error)
        {
            return Err(GitFailure::Machine(error.to_string()));
        }
        match (end, &remains.lack) {
            // `git` may have finished between two checks.
            (end, _) if end.is_success() && held_below(self.store) > self.most_bytes => Err(GitFailure::TooLarge),
            (end, _) if end.is_success() => Ok(remains),
            (_, Some(lack)) => Err(GitFailure::Machine(format!("it {lack}"))),
            (ProcessEnd::Code(_), None) => Err(GitFailure::Refused(remains.stderr.text())),
            (end, None) => Err(GitFailure::Refused(format!("{}\n`git` {end}", remains.stderr.text()))),
        }
    }
}
