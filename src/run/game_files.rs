//! Reads the games that a user names by a run's directory, its results.csv, a list of scores, or game logs.

mod csv_games;
mod error;
mod logs;

use std::path::{Path, PathBuf};

pub(crate) use csv_games::each_game_of_csv;
pub(crate) use error::GameFilesError;
pub(crate) use logs::{LogFile, logs_of};

use crate::referee::record::LoggedGame;
use crate::results::standings::{MachineGames, PlayedSummary};
use crate::run::campaign;
use crate::run::journal::{self, Ledger};
use crate::run::results_dir;

/// The only run within `dir`.
///
/// # Errors
/// Fails if there is no run in `dir`, or if there are several.
pub(crate) fn only_run(dir: &Path) -> Result<PathBuf, GameFilesError> {
    let mut runs =
        results_dir::runs_in(dir).map_err(|source| GameFilesError::UnreadableDir { dir: dir.to_owned(), source })?;
    match (runs.pop(), runs.is_empty()) {
        (Some(run), true) => Ok(run),
        (None, _) => Err(GameFilesError::NoRun { dir: dir.to_owned(), around: results_dir::run_around(dir) }),
        (Some(last), false) => {
            runs.push(last);
            Err(GameFilesError::SeveralRuns { dir: dir.to_owned(), runs })
        }
    }
}

/// The directory `path` if it is a run, or else the only run within it.
///
/// # Errors
/// Fails in the same cases as [`only_run`].
pub(crate) fn run_in(path: &Path) -> Result<PathBuf, GameFilesError> {
    if results_dir::is_run(path) { Ok(path.to_owned()) } else { only_run(path) }
}

/// The games of a run or of a CSV file, folded into one value.
pub(crate) struct FoldedGames<S> {
    /// The result of folding the games.
    pub(crate) sum: S,
    /// The run's ledger, if the run has a journal.
    pub(crate) ledger: Option<Ledger>,
}

/// Passes each game of a run or of a CSV file to `take`, together with an accumulator that `begin` creates from the
/// run's ledger.
///
/// # Errors
/// Fails if the games cannot be read.
pub(crate) fn fold_games<S>(
    path: &Path,
    begin: impl FnOnce(Option<&Ledger>) -> S,
    mut take: impl FnMut(&mut S, &PlayedSummary<&str>),
) -> Result<FoldedGames<S>, GameFilesError> {
    if !path.is_dir() {
        let mut sum = begin(None);
        each_game_of_csv(path, |game| take(&mut sum, game))?;
        return Ok(FoldedGames { sum, ledger: None });
    }
    let run = run_in(path)?;
    if !journal::is_in(&run) {
        let mut sum = begin(None);
        for game in results_dir::summaries(&run)? {
            take(&mut sum, &game.view());
        }
        return Ok(FoldedGames { sum, ledger: None });
    }
    let ledger = campaign::verified(&run, |_| {})?;
    let mut sum = begin(Some(&ledger));
    for game in ledger.in_order() {
        take(&mut sum, &game.summary());
    }
    Ok(FoldedGames { sum, ledger: Some(ledger) })
}

/// Passes the record of every game of the run in `dir` to `look`, and returns the run's ledger if the run has a
/// journal. With a journal, the records come in the order of the journal's lines, and include records that no longer
/// count: only the last record of a game counts, unless the ledger no longer contains the game.
///
/// # Errors
/// Fails if the games cannot be read.
pub(crate) fn each_record(dir: &Path, mut look: impl FnMut(&LoggedGame)) -> Result<Option<Ledger>, GameFilesError> {
    if journal::is_in(dir) {
        return Ok(Some(campaign::verified(dir, look)?));
    }
    results_dir::each_log(dir, |record| look(&record))?;
    Ok(None)
}

/// The games of the run in `path`, with the machines that played them. `ledger` is the run's ledger, if the run has a
/// journal.
///
/// # Errors
/// Fails if the games cannot be read, or if `path` is a CSV file.
pub(crate) fn machine_games(path: &Path, ledger: Option<&Ledger>) -> Result<MachineGames, GameFilesError> {
    if !path.is_dir() {
        return Err(GameFilesError::NoMachines { path: path.to_owned() });
    }
    let mut games = MachineGames::default();
    each_record(&run_in(path)?, |game| game.two().into_iter().for_each(|record| games.add(record)))?;
    if let Some(ledger) = ledger {
        games.retain(|id| ledger.game(id).is_some());
    }
    Ok(games)
}
