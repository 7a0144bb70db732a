//! `gothello-arena merge`.

use std::path::PathBuf;
use std::sync::Arc;

use super::final_standings::{GamesPlace, print_standings};
use super::progress::watch_work;
use super::telling::tell_if;
use super::{CommandResult, Exit};
use crate::results::report::{Extras, ReportFormat};
use crate::run::campaign::{self, Keep, Merge, Tell, Warning};

/// Merge runs of the same tournament, such as its shards, into one run
#[derive(Debug, clap::Args)]
#[command(after_help = "OUT is created, or receives the games it lacks; it counts as the first run. The
order of the other runs does not matter. Nothing is changed if the runs belong
to different tournaments or used different programs (exit code 2), or if two
runs contain different results of a game (exit code 3). Afterwards,
`run FILE --out OUT` plays the missing games.

Example:
  gothello-arena merge results/class results/class/shard-*")]
pub(super) struct Args {
    /// Directory of the merged run
    out: PathBuf,
    /// Directories of the runs to merge, or of their shards
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// If a game has different results, keep the first one
    #[arg(long, value_name = "first", value_parser = super::word_options::keep(), hide_possible_values = true)]
    keep: Option<Keep>,
    /// Do not print the standings
    #[arg(long, short)]
    quiet: bool,
    /// Print the standings as JSON, like `standings --json`
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let Self { out, dirs, keep, quiet, json } = self;
        let tell: Tell = Arc::new(move |warning: Warning| tell_if(quiet, warning));
        let merge = Merge { out: out.clone(), dirs, keep };
        let standings = watch_work(|work| campaign::merge(&merge, &tell, work))?;
        if !quiet {
            let format = json.then_some(ReportFormat::Json);
            print_standings(&standings, format, Extras::default(), GamesPlace::Run(&out))?;
        }
        Ok(Exit::Success)
    }
}
