//! `gothello-arena run`.

use super::{CommandResult, Exit};

/// Not there yet.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        Ok(Exit::ArenaFailed)
    }
}
