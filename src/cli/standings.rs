//! `gothello-arena standings`: ratings and tables from what was played.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use super::{CommandResult, Exit, Failure, print};
use crate::rating::{Elo, Model, Prior};
use crate::report::results_csv::{RESULTS_COLUMNS, RowError, SCORE_COLUMNS, read_results_csv, read_score_csv};
use crate::report::{Format, Superiority, render, results_dir};
use crate::standings::{Anchor, AnchorError, GameSummary, RatingOptions, Standings, Tally};
use crate::tournament::near::nearest;

/// Where runs go by default.
const RESULTS: &str = "results";

/// Rate the players of a run or a list of scores
#[derive(Debug, clap::Args)]
#[command(after_help = "Without options it prints what `run` printed at its end.

Example:
  gothello-arena standings results/class --format markdown")]
pub(super) struct Args {
    /// A run's directory or results.csv, or a CSV with `first,second,first_score` [default: the one run in results/]
    path: Option<PathBuf>,
    /// table, csv, json or markdown
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
    /// davidson, or bt-half: draws as half wins, like Ordo
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    model: Model,
    /// Set one Elo, as in greedy=1500 [default: mean 0]
    #[arg(long, value_name = "NAME=ELO", value_parser = parse_anchor, allow_hyphen_values = true)]
    anchor: Option<Anchor>,
    /// Let the games speak alone; Elo may be unbounded
    #[arg(long)]
    no_prior: bool,
    /// Show how likely each is stronger than each other
    #[arg(long)]
    los: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let path = match self.path {
            Some(path) => path,
            None => only_run(Path::new(RESULTS))?,
        };
        let games = games(&path)?;
        if games.is_empty() {
            eprintln!("gothello-arena: there are no games in `{}`", path.display());
            return Ok(Exit::Incomplete);
        }
        let tally: Tally = games.iter().collect();
        let prior = if self.no_prior { Prior::None } else { Prior::Weak };
        let options = RatingOptions { model: self.model, prior, anchor: self.anchor };
        let standings = Standings::new(&tally, &options).map_err(|error| anchor_failure(&error, &tally))?;
        let superiority = if self.los { Superiority::Shown } else { Superiority::Hidden };
        print(render(&standings, self.format, superiority))?;
        Ok(Exit::Success)
    }
}

fn parse_anchor(text: &str) -> Result<Anchor, String> {
    let expected = || "expected a player and its Elo, such as `greedy=1500`".to_owned();
    let (player, elo) = text.rsplit_once('=').ok_or_else(expected)?;
    let elo: f64 = elo.trim().parse().map_err(|_| expected())?;
    if player.is_empty() || !elo.is_finite() {
        return Err(expected());
    }
    Ok(Anchor { player: player.to_owned(), elo: Elo(elo) })
}

fn anchor_failure(error: &AnchorError, tally: &Tally) -> Failure {
    let names: Vec<&str> = tally.players().collect();
    let hint = match error {
        AnchorError::Unbounded { .. } => String::new(),
        AnchorError::Unknown { name } => nearest(name, names.iter().copied()).map_or_else(
            || format!(" (there are `{}`)", names.join("`, `")),
            |meant| format!(" (did you mean `{meant}`?)"),
        ),
    };
    Failure::usage(anyhow!("--anchor: {error}{hint}"))
}

/// The one run within `dir`.
fn only_run(dir: &Path) -> Result<PathBuf, Failure> {
    let shown = dir.display();
    let mut runs = results_dir::runs_in(dir).with_context(|| format!("cannot read `{shown}`"))?;
    let hint = "name a run's directory or a CSV file";
    match (runs.pop(), runs.as_slice()) {
        (Some(run), []) => Ok(run),
        (None, _) => Err(Failure::usage(anyhow!("there is no run in `{shown}` ({hint})"))),
        (Some(last), others) => {
            let runs: Vec<String> = others.iter().chain([&last]).map(|run| format!("\n  {}", run.display())).collect();
            Err(Failure::usage(anyhow!(
                "there are {} runs in `{shown}`; name one of them:{}",
                runs.len(),
                runs.concat()
            )))
        }
    }
}

/// The games of a run or of a CSV file.
fn games(path: &Path) -> Result<Vec<GameSummary>, Failure> {
    if !path.is_dir() {
        return games_of_csv(path);
    }
    let run = if results_dir::is_run(path) { path.to_owned() } else { only_run(path)? };
    results_dir::summaries(&run).map_err(does_not_hold)
}

fn games_of_csv(path: &Path) -> Result<Vec<GameSummary>, Failure> {
    let shown = path.display();
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`")).map_err(Failure::usage)?;
    let header = text.lines().next().unwrap_or_default();
    let has = |columns: &[&str]| columns.iter().all(|column| header.split(',').any(|name| name_of(name) == *column));
    let games = if has(&SCORE_COLUMNS) {
        read_score_csv(&text)
    } else if has(&RESULTS_COLUMNS[..2]) {
        read_results_csv(&text)
    } else {
        return Err(Failure::usage(anyhow!(
            "{shown}:1: expected a CSV file with the columns `{}`, or a run's results.csv",
            SCORE_COLUMNS.join(",")
        )));
    };
    games.map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|error: &RowError| format!("{shown}:{error}")).collect();
        does_not_hold(anyhow!(lines.join("\n")))
    })
}

/// A column's name without what may stand round it.
fn name_of(cell: &str) -> &str {
    cell.trim_start_matches('\u{feff}').trim().trim_matches('"')
}

fn does_not_hold(error: impl Into<anyhow::Error>) -> Failure {
    Failure { exit: Exit::DoesNotHold, error: error.into() }
}
