//! `gothello-arena book build`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use super::building::{BookBuilding, SearchMeans, read};
use crate::cli::{CommandResult, HELP};
use crate::exact::book::BookEntry;
use crate::exact::book::planned_positions::BookPlan;

/// Build the opening book, or continue building it
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Takes hours. If FILE exists, it is continued; it is rewritten every minute, and
when Ctrl-C ends the command.
Example:
  gothello-arena book build opening.txt --memory 8192")]
pub(super) struct Args {
    /// Opening book to write or to continue
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    means: SearchMeans,
    /// Use a table of MIB mebibytes
    #[arg(long, value_name = "MIB", default_value = "4096")]
    memory: NonZeroU32,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let book = read(&self.file)?.unwrap_or_default();
        let mut building = BookBuilding::begin(book, &self.file, &self.means, self.memory)?;
        loop {
            let missing = BookPlan::default().missing(&building.book);
            if missing.is_empty() || !building.add(&missing, BookEntry::solved)? {
                return building.end();
            }
        }
    }
}
