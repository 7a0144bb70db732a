//! The file of players' aliases beside a run's games.

use std::io;
use std::path::Path;

use anyhow::{Context as _, anyhow};

use super::Failure;
use crate::base::sanitise::Shown as _;
use crate::page::shown::aliases::Aliases;
use crate::run::results_dir::read_at_most;

/// The maximum size of the file to read, in bytes; enough for a hundred thousand players.
const MOST: u64 = 16 << 20;

/// The aliases in `file`; empty if it is missing.
pub(super) fn read(file: &Path) -> Result<Aliases, Failure> {
    let text = match read_at_most(file, MOST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Aliases::default()),
        text => text.with_context(|| format!("cannot read `{}`", file.shown()))?,
    };
    let hint = "correct it, or delete it for new aliases";
    Aliases::parse(&text).map_err(|error| Failure::does_not_hold(anyhow!("`{}`: {error} ({hint})", file.shown())))
}
