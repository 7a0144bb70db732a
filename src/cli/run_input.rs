//! The sources of games: a run's directory, its results.csv, or a list of scores.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use crate::base::sanitise::Shown as _;
use crate::cli::Failure;
use crate::referee::record::GameRecord;
use crate::results::report::{RESULTS_COLUMNS, RowError, SCORE_COLUMNS, each_result, read_score_csv};
use crate::results::standings::GameSummary;
use crate::run::campaign;
use crate::run::journal::{self, Ledger};
use crate::run::results_dir;

/// The only run within `dir`.
pub(super) fn only_run(dir: &Path) -> Result<PathBuf, Failure> {
    let shown = dir.shown();
    let mut runs = results_dir::runs_in(dir).with_context(|| format!("cannot read `{shown}`"))?;
    let hint = "name a run's directory or a CSV file";
    match (runs.pop(), runs.as_slice()) {
        (Some(run), []) => Ok(run),
        (None, _) => {
            let hint = run_around(dir).map_or_else(
                || hint.to_owned(),
                |run| format!("its logs belong to the run in `{run}`: name that directory", run = run.shown()),
            );
            Err(Failure::usage(anyhow!("there is no run in `{shown}` ({hint})")))
        }
        (Some(last), others) => {
            let runs: Vec<String> = others.iter().chain([&last]).map(|run| format!("\n  {}", run.shown())).collect();
            Err(Failure::usage(anyhow!(
                "there are {} runs in `{shown}`; name one of them:{}",
                runs.len(),
                runs.concat()
            )))
        }
    }
}

/// The run that `path` belongs to, if it is a folder or file within one.
pub(super) fn run_around(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors().skip(1).take(2).find(|around| results_dir::has_journal(around)).map(Path::to_owned)
}

/// The directory `path` if it is a run, or else the only run within it.
pub(super) fn run_in(path: &Path) -> Result<PathBuf, Failure> {
    if results_dir::is_run(path) { Ok(path.to_owned()) } else { only_run(path) }
}

/// The games of a run or of a CSV file, folded.
pub(super) struct FoldedGames<S> {
    /// The result of folding the games.
    pub(super) sum: S,
    /// The run's journal, if it has one.
    pub(super) ledger: Option<Ledger>,
}

/// Passes each game of a run or of a CSV file to `take`, together with an accumulator that `begin` creates from the run's
/// journal.
pub(super) fn fold_games<S>(
    path: &Path,
    begin: impl FnOnce(Option<&Ledger>) -> S,
    mut take: impl FnMut(&mut S, &GameSummary<&str>),
) -> Result<FoldedGames<S>, Failure> {
    if !path.is_dir() {
        let mut sum = begin(None);
        each_game_of_csv(path, |game| take(&mut sum, game))?;
        return Ok(FoldedGames { sum, ledger: None });
    }
    let run = run_in(path)?;
    if !journal::is_in(&run) {
        let mut sum = begin(None);
        for game in results_dir::summaries(&run).map_err(Failure::does_not_hold)? {
            take(&mut sum, &game.view());
        }
        return Ok(FoldedGames { sum, ledger: None });
    }
    let ledger = campaign::verified(&run, |_| {})?;
    let mut sum = begin(Some(&ledger));
    for game in ledger.summaries() {
        take(&mut sum, &game);
    }
    Ok(FoldedGames { sum, ledger: Some(ledger) })
}

/// Passes the record of every game of the run in `dir` to `look`, and returns the run's journal if it has one. With a
/// journal, records come in the order of its lines, including those that no longer count: the last record of a game is
/// the one that counts, if the journal has the game at all.
pub(super) fn each_record(dir: &Path, mut look: impl FnMut(&GameRecord)) -> Result<Option<Ledger>, Failure> {
    if journal::is_in(dir) {
        return Ok(Some(campaign::verified(dir, look)?));
    }
    results_dir::each_log(dir, |record| look(&record)).map_err(Failure::does_not_hold)?;
    Ok(None)
}

/// Passes each game of the CSV file `path` to `take`.
pub(super) fn each_game_of_csv(path: &Path, mut take: impl FnMut(&GameSummary<&str>)) -> Result<(), Failure> {
    let shown = path.shown();
    let text = read_csv(path).with_context(|| format!("cannot read `{shown}`")).map_err(Failure::usage)?;
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
        let line = |error: &RowError| format!("{shown}:{error}");
        let mut lines: Vec<String> = errors.iter().take(MOST_SHOWN).map(line).collect();
        let more = errors.len() - lines.len();
        if more > 0 {
            lines.push(format!("{shown}: and {more} more {}", if more == 1 { "problem" } else { "problems" }));
        }
        Failure::does_not_hold(anyhow!(lines.join("\n")))
    })
}

/// The maximum number of bad lines of a CSV file that are shown. Others are only counted.
const MOST_SHOWN: usize = 20;

/// The maximum size of a CSV file in bytes, enough for some million games.
const MOST_CSV: u64 = 1 << 30;

fn read_csv(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    // One byte more shows that it is too long.
    let read = File::open(path)?.take(MOST_CSV + 1).read_to_string(&mut text)?;
    if read as u64 > MOST_CSV { Err(io::Error::other("it is larger than 1 GiB")) } else { Ok(text) }
}

/// A column's name without a byte order mark, blanks or quotes around it.
fn name_of(cell: &str) -> &str {
    cell.trim_start_matches('\u{feff}').trim().trim_matches('"')
}
