//! `gothello-arena tablebase export`.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow};

use crate::base::sanitise::Shown as _;
use crate::base::units::grouped;
use crate::cli::{CommandResult, Exit, Failure, HELP, note_of};
use crate::exact::margin_table::extract;

/// Write the Gothello margins that are built into the program
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
FILE has the format of a table from `tablebase build gothello`, but contains
only the positions with up to 7 stones: 10 MB. It never overwrites a file.
Example:
  gothello-arena tablebase export gothello-7.table")]
pub(super) struct Args {
    /// File to write
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let file = &self.file;
        if file.symlink_metadata().is_ok() {
            return Err(Failure::usage(anyhow!(
                "`{}` already exists and will not be overwritten: name another file",
                file.shown()
            )));
        }
        let header =
            extract::write(file).with_context(|| format!("cannot write `{}`", file.shown())).map_err(Failure::usage)?;
        note_of(file, format_args!("wrote `{}`: {} entries", file.shown(), grouped(header.entries())));
        Ok(Exit::Success)
    }
}
