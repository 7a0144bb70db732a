//! `gothello-arena book extend`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::anyhow;

use super::building::{BookBuilding, SearchMeans, read};
use crate::base::sanitise::Shown as _;
use crate::base::units::counted;
use crate::cli::{CommandResult, Failure, HELP, note};
use crate::exact::book::further_positions::LAST_PLY;
use crate::exact::book::planned_positions::BookPlan;
use crate::exact::book::{BookEntry, Class};
use crate::exact::solvable::positions;
use crate::run::game_files::logs_of;

/// Add the winners after the fourth and the fifth placement
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Analyses use these positions. There are tens of thousands, and each takes
seconds; those in the games that you name are solved first. FILE is rewritten
every minute, and when Ctrl-C ends the command; the same command continues. A
table much larger than 256 MiB makes the search slower.
Example:
  gothello-arena book extend opening.txt results/ladder")]
pub(super) struct Args {
    /// Opening book to extend
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Game logs, or directories of game logs
    #[arg(value_name = "GAMES")]
    games: Vec<PathBuf>,
    #[command(flatten)]
    means: SearchMeans,
    /// Use a table of MIB mebibytes
    #[arg(long, value_name = "MIB", default_value = "256")]
    memory: NonZeroU32,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let hint = "`gothello-arena book build FILE` creates one";
        let missing = || Failure::usage(anyhow!("there is no book `{}` to extend ({hint})", self.file.shown()));
        let book = read(&self.file)?.ok_or_else(missing)?;
        let played = self.played()?;
        let mut building = BookBuilding::begin(book, &self.file, &self.means, self.memory)?;
        loop {
            let further = BookPlan::default().further(&building.book, LAST_PLY, &played);
            if further.is_empty() || !building.add(&further, BookEntry::outcome_alone)? {
                return building.end();
            }
        }
    }

    /// How often each of the first positions has occurred in the games.
    fn played(&self) -> Result<BTreeMap<Class, usize>, Failure> {
        let mut played = BTreeMap::new();
        let mut count: u64 = 0;
        for file in &self.games {
            for log in logs_of(file)? {
                let record = log.whole()?;
                let refused = |missing| Failure::usage(anyhow!("`{}` cannot be used: {missing}", log.path().shown()));
                let first = record.plies.iter().take(LAST_PLY as usize).map(|ply| ply.played);
                for position in positions(record.ruleset, first).map_err(refused)? {
                    *played.entry(Class::of(&position).0).or_default() += 1;
                }
                count += 1;
            }
        }
        if count > 0 {
            let games = counted(count, "game");
            note(format_args!("{games}, with {} different positions of the first {LAST_PLY} plies", played.len()));
        }
        Ok(played)
    }
}
