//! `gothello-arena report`: one HTML file of a run.

mod run_games;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use super::{CommandResult, Exit, Failure, note, run_input};
use crate::base::files;
use crate::base::printable::Shown as _;
use crate::results::page::{PageContent, PageData, PageKind, PageLabel, page};
use crate::results::standings::{Counting, RatingOptions, Standings, Tally};
use run_games::RunGames;

/// The directory that holds runs by default.
const RESULTS: &str = "results";

/// The name of the page in a run's directory.
const PAGE: &str = "report.html";

/// Write a run as one HTML page: standings, crosstable, every game
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  gothello-arena report results/class --title \"CS 441, final\"")]
pub(super) struct Args {
    /// Run, results.csv or `first,second,first_score` CSV [default: results/]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Write the page to FILE [default: report.html of the run]
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
    /// Title of the page [default: the tournament's name]
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let path = match &self.dir {
            Some(path) => path.clone(),
            None => run_input::only_run(Path::new(RESULTS))?,
        };
        let (path, out) = self.places(path)?;
        let run = RunGames::read(&path)?;
        let tally: Tally = run.games.iter().map(|game| &game.summary).collect();
        debug_assert_eq!(tally.counting(), Counting::default());
        let standings = Standings::new(&tally, &RatingOptions::default())?;
        let label = PageLabel {
            title: self.title.clone().unwrap_or_else(|| run.name.clone()),
            name: run.name.clone(),
            date: run.date.clone(),
            ruleset: run.ruleset,
            so_far: run.missing > 0,
            total: run.is_of_journal.then(|| run.missing + run.played()),
        };
        let data = PageData::new(label, &standings, &run.games);
        let content = PageContent {
            data: &data,
            standings: &standings,
            games: &run.games,
            judged: None,
            is_private: false,
            is_anonymous: false,
        };
        let text = page(PageKind::Report, &content);
        files::write_whole(&out, text.as_bytes()).with_context(|| format!("could not write `{}`", out.shown()))?;
        note(format_args!("wrote `{}` ({})", out.shown(), crate::base::units::bytes(text.len() as u64)));
        Ok(Exit::Success)
    }

    /// Where the games are, and where the page goes.
    fn places(&self, path: PathBuf) -> Result<(PathBuf, PathBuf), Failure> {
        if path.is_dir() {
            let run = run_input::run_in(&path)?;
            let out = self.out.clone().unwrap_or_else(|| run.join(PAGE));
            return Ok((run, out));
        }
        let hint = "name the page's file with --out";
        let out = self.out.clone();
        let out = out.ok_or_else(|| Failure::usage(anyhow!("`{}` is no directory ({hint})", path.shown())))?;
        Ok((path, out))
    }
}
