//! `gothello-arena tablebase opening`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};

use super::tabled;
use crate::base::files;
use crate::base::sanitise::Shown as _;
use crate::cli::progress::Progress;
use crate::cli::{CommandResult, Exit, Failure, HELP, print};
use crate::exact::seegover::Expert;
use crate::exact::tablebase::read_named;
use crate::game::Ruleset;

/// Find the drops that win the whole game, by search
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Prints black's winning turns in the opening, for all of white's replies. Needs
the table, and takes about a minute. The program includes the output for the
default options and for drop=2; check_seegover in tools/solution checks it.
Example:
  gothello-arena tablebase opening seegover --out opening.txt")]
pub(super) struct Args {
    /// Rules to solve: seegover with any options, such as "seegover drop=2"
    #[arg(value_name = "RULES")]
    rules: Ruleset,
    /// Write to FILE instead of stdout
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Use FILE instead of the cached table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let rules = tabled(self.rules)?;
        let (_, table) = read_named(self.table, Some(rules.move_rules()))?;
        let mut expert = Expert::without_opening(Arc::new(table), rules.drop);
        let mut progress = Progress::new();
        let tell = |entries| progress.tell(format_args!("turns found for {entries} positions"));
        let opening = expert.find_opening(tell)?;
        drop(progress);
        let opening = opening.ok_or_else(|| Failure::does_not_hold(anyhow!("black does not win")))?;
        match &self.out {
            None => print(opening.to_string())?,
            Some(file) => files::write_whole(file, opening.to_string().as_bytes())
                .with_context(|| format!("cannot write `{}`", file.shown()))?,
        }
        Ok(Exit::Success)
    }
}
