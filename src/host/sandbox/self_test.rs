//! The self-test: before a tier is used, a test program tries from inside the tier everything that the tier must
//! prevent.
//!
//! The test program is this program itself, started through the same stages as a bot. It prints a line for each action;
//! the arena judges these lines. One start per tier is enough, because only the last action ends the program.
//!
//! | part | contents |
//! | --- | --- |
//! | `test_action` | the actions that the test program tries, and the outcome that each must have |
//! | `bait` | the files, the sockets and the process that the test program tries to reach |
//! | `test_program` | the test program |
//! | `judgement` | the conclusions from the lines that the test program prints |

mod bait;
mod judgement;
mod test_action;
pub(super) mod test_program;

use std::io::{self, Read as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::Tier;
use super::cage::{Cage, TIMEOUT};
use super::cage_error::{CageError, io_error};
use super::cgroup::Accounting;
use super::confined::ConfinedState;
use super::control_messages::{Blame, Failed};
use crate::base::files::Scratch;
use crate::base::time::{now, timeout_at};
use crate::host::start::{RefereeLink, ShownFile, Start};
use crate::referee::wire::BASE_PORT;
use crate::tournament::Resources;
use test_action::ActionReport;
use test_program::TestOrder;

pub(crate) use bait::Bait;
pub(crate) use judgement::{ActionJson, Demonstration};

/// The limits of the test program: enough for this program itself, and small enough to be exceeded in a moment.
const LIMITS: Resources =
    Resources { memory: 256 << 20, processes: 24, cpu: None, scratch: 16 << 20, open_files: 64, output: 64 << 10 };

/// How long the test program waits to be stopped. The watch checks every 20 ms, but other programs may keep it waiting.
const PATIENCE: Duration = Duration::from_secs(8);

impl Bait {
    /// Runs the self-test in `tier`, with memory counted by `accounting`. `dir` is the directory of the tournament
    /// file, which bots must be able to enter in tier C.
    ///
    /// # Errors
    /// Returns the reason why the tier does not work, or why the self-test could not be finished. A tier in which the
    /// self-test finds a breach works; see [`Demonstration::breach`].
    pub(super) async fn test(
        &self,
        tier: Tier,
        accounting: &Accounting,
        dir: &Path,
    ) -> Result<Demonstration, CageError> {
        let root = Scratch::new().map_err(io_error("create a directory"))?;
        let cage = Cage::new(tier, accounting.clone())?;
        // Without namespaces, the seat is on the host's loopback.
        let seat = (!tier.has_namespaces()).then(|| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
        let seat = seat.transpose().map_err(io_error("listen for the self-test"))?;
        let (lines, output) = io::pipe().map_err(io_error("create a pipe"))?;
        let start = self.start(tier, seat.as_ref(), dir).map_err(io_error("prepare the self-test"))?;
        let (mut leader, mut confined, _own_seat) =
            cage.start(start, root.path(), None, [output.into(), Stdio::null()]).await?;
        let ended = timeout_at(now() + TIMEOUT, confined.gone()).await;
        let state = confined.end(now() + TIMEOUT).await;
        drop(confined);
        let _ = leader.kill().await;
        ended.map_err(|_| CageError::Late(TIMEOUT))?;
        if let Some(failed) = state.failed {
            // The program is the arena's own, so the confinement is at fault.
            let blame = if failed.blame == Blame::Program { Blame::Machine } else { failed.blame };
            return Err(CageError::Failed(Failed { blame, ..failed }));
        }
        let reports = reports(lines).map_err(io_error("read the self-test's output"))?;
        Demonstration::of(tier, &reports, state.exceeded.as_ref(), &self.untried)
            .map_err(|action| CageError::Failed(unfinished(action.words(), &state)))
    }

    /// How the test program is started.
    fn start(&self, tier: Tier, seat: Option<&TcpListener>, dir: &Path) -> io::Result<Start> {
        let program = self.program()?;
        let port = seat.map(TcpListener::local_addr).transpose()?.map_or(BASE_PORT, |at| at.port());
        let order = TestOrder {
            places: self.places.clone(),
            seat: port,
            open_files: LIMITS.open_files,
            too_much_memory: LIMITS.memory + LIMITS.memory / 4 + (16 << 20) + 1,
            processes: LIMITS.processes,
            patience: PATIENCE,
        };
        let order = serde_json::to_string(&order)?;
        // A bot with its own file system can access everything that is shown to it.
        let dir = if tier.has_namespaces() { PathBuf::from("/") } else { dir.to_owned() };
        Ok(Start {
            contact: if tier.has_namespaces() { RefereeLink::OwnLoopback } else { RefereeLink::HostPort(port) },
            args: vec!["confine".to_owned(), "test".to_owned(), order],
            readable: vec![program.clone()],
            resources: LIMITS,
            ..Start::new(program.path, dir)
        })
    }

    /// This program, or a copy if bots with another user id may be unable to run it where it is.
    fn program(&self) -> io::Result<ShownFile> {
        let own = std::env::current_exe().ok().and_then(ShownFile::of);
        match own.filter(|own| bait::is_open_to_all(&own.file)) {
            Some(own) => Ok(own),
            None => ShownFile::of(self.copied_program()?).ok_or_else(|| io::ErrorKind::NotFound.into()),
        }
    }
}

/// The failure of a test program that ended before it had reported this `action`.
fn unfinished(action: &str, state: &ConfinedState) -> Failed {
    let exceeded = state.exceeded.as_ref().map(ToString::to_string);
    let why = exceeded.or_else(|| state.gone.map(|end| end.to_string())).unwrap_or_else(|| "no report".to_owned());
    Failed::by_arena(&format!("finish the self-test, whose program ended before it had tried to {action}: {why}"))
}

/// The complete lines that the test program has printed. Its processes are gone, and so is every other end of the pipe.
fn reports(mut lines: io::PipeReader) -> io::Result<Vec<ActionReport>> {
    // If a stage has survived, the output does not end, but everything has been printed.
    rustix::io::ioctl_fionbio(lines.as_fd(), true)?;
    let mut text = Vec::new();
    match lines.read_to_end(&mut text) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
        read => drop(read?),
    }
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
