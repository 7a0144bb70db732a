//! Detects which confinement works on this machine.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use thiserror::Error;

use super::Tier;
use super::cage::{Cage, CageError, TIMEOUT};
use super::cgroup::Accounting;
use super::confined::{ConfinedState, lost};
use super::connection_peer;
use super::control_messages::{Blame, Failed};
use super::root;
use crate::base::files::Scratch;
use crate::base::time::{now, timeout_at};
use crate::host::start::{ProcessEnd, RefereeLink, ShownFile, Start};
use crate::referee::wire::BASE_PORT;

/// An error that prevents the arena from finding out whether a tier works.
#[derive(Debug, Error)]
#[error("could not find out whether tier {tier} of confinement works here: {error}")]
pub(crate) struct Undecided {
    /// The tier.
    pub tier: Tier,
    /// The error.
    pub error: CageError,
}

/// The best confinement that works on this machine.
#[derive(Debug)]
pub(crate) struct Detected {
    /// The tier.
    pub tier: Tier,
    /// How the memory of bots is counted in this tier.
    pub accounting: Accounting,
    /// For each better tier, why it does not work.
    pub failures: Vec<(Tier, CageError)>,
}

/// Determines the best tier that works on this machine by confining a program that does nothing in `dir`.
///
/// # Errors
/// Returns any failure that does not mean that the machine is unable to confine programs. After such a failure, a
/// weaker tier would not help.
pub(crate) async fn detect(dir: &Path) -> Result<Detected, Undecided> {
    let mut accounting = Accounting::best();
    let mut failures = Vec::new();
    for tier in [Tier::A, Tier::B, Tier::C] {
        match try_out(tier, &mut accounting, dir).await {
            Ok(()) => return Ok(Detected { tier, accounting, failures }),
            Err(error) if error.is_inability() => failures.push((tier, error)),
            Err(error) => return Err(Undecided { tier, error }),
        }
    }
    Ok(Detected { tier: Tier::D, accounting, failures })
}

/// Whether the root directory is a mount point, which tiers A and B need.
pub(crate) fn has_mounted_root() -> bool {
    root::is_mounted()
}

/// Confines a program that does nothing by `tier`. If only `accounting` fails, it is replaced by the watch.
///
/// # Errors
/// Returns the reason why the tier does not work.
pub(crate) async fn try_out(tier: Tier, accounting: &mut Accounting, dir: &Path) -> Result<(), CageError> {
    let Err(error) = try_out_with(tier, accounting, dir).await else { return Ok(()) };
    if matches!(accounting, Accounting::Watch { .. }) {
        return Err(error);
    }
    let watch = Accounting::Watch { why: error.to_string() };
    try_out_with(tier, &watch, dir).await?;
    *accounting = watch;
    Ok(())
}

async fn try_out_with(tier: Tier, accounting: &Accounting, dir: &Path) -> Result<(), CageError> {
    if !tier.has_namespaces() {
        let untold = |error: io::Error| Failed {
            step: "find out which process made a connection".to_owned(),
            errno: error.raw_os_error(),
            blame: Blame::Machine,
        };
        connection_peer::check().map_err(|error| CageError::Failed(untold(error)))?;
    }
    let root = Scratch::new().map_err(|source| CageError::Io { step: "make a directory", source })?;
    let cage = Cage::new(tier, accounting.clone())?;
    let (mut leader, mut confined, _listener) =
        cage.start(nothing(tier, dir), root.path(), None, [Stdio::null(), Stdio::null()]).await?;
    let state = timeout_at(now() + TIMEOUT, confined.gone()).await.map_err(|_| CageError::Late)?;
    confined.end(now() + TIMEOUT).await;
    drop(confined);
    let _ = leader.kill().await;
    match state {
        ConfinedState { failed: Some(failed), .. } => Err(CageError::Failed(failed)),
        ConfinedState { gone: Some(ProcessEnd::Code(0)), .. } => Ok(()),
        _ => Err(CageError::Failed(lost())),
    }
}

/// A program that does nothing, but is given everything that a bot is given. In a container that may have no other
/// program, this is the arena itself, which prints its version to nobody.
fn nothing(tier: Tier, dir: &Path) -> Start {
    let has_namespaces = tier.has_namespaces();
    // A bot with its own file system can access everything that is shown to it.
    let dir = if has_namespaces { PathBuf::from("/") } else { dir.to_owned() };
    let (program, args, readable) = match std::env::current_exe().ok().and_then(ShownFile::of) {
        Some(arena) if !Path::new(TRUE).exists() => (arena.path.clone(), vec!["--version".to_owned()], vec![arena]),
        _ => (PathBuf::from(TRUE), Vec::new(), Vec::new()),
    };
    Start {
        contact: if has_namespaces { RefereeLink::OwnLoopback } else { RefereeLink::HostPort(BASE_PORT) },
        args,
        readable,
        ..Start::new(program, dir)
    }
}

const TRUE: &str = "/bin/true";
