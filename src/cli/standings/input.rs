//! Where games come from: a run's directory, its results.csv, or a list of scores.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use crate::cli::{Exit, Failure};
use crate::report::results_csv::{RESULTS_COLUMNS, RowError, SCORE_COLUMNS, each_result, read_score_csv};
use crate::report::results_dir;
use crate::standings::GameView;

/// The one run within `dir`.
pub(super) fn only_run(dir: &Path) -> Result<PathBuf, Failure> {
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

/// Hands each game of a run or of a CSV file to `take`.
pub(super) fn each_game(path: &Path, mut take: impl FnMut(&GameView<'_>)) -> Result<(), Failure> {
    if !path.is_dir() {
        return each_game_of_csv(path, take);
    }
    let run = if results_dir::is_run(path) { path.to_owned() } else { only_run(path)? };
    let games = results_dir::summaries(&run).map_err(does_not_hold)?;
    for game in &games {
        take(&game.view());
    }
    Ok(())
}

fn each_game_of_csv(path: &Path, mut take: impl FnMut(&GameView<'_>)) -> Result<(), Failure> {
    let shown = path.display();
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`")).map_err(Failure::usage)?;
    let header = text.lines().next().unwrap_or_default();
    let has = |columns: &[&str]| columns.iter().all(|column| header.split(',').any(|name| name_of(name) == *column));
    let read = if has(&SCORE_COLUMNS) {
        read_score_csv(&text).map(|games| games.iter().for_each(|game| take(&game.view())))
    } else if has(&RESULTS_COLUMNS[..2]) {
        each_result(&text, take)
    } else {
        return Err(Failure::usage(anyhow!(
            "{shown}:1: expected a CSV file with the columns `{}`, or a run's results.csv",
            SCORE_COLUMNS.join(",")
        )));
    };
    read.map_err(|errors| {
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
