//! A run's folder, read: its game logs are the truth.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::printable::Shown as _;
use crate::record::{GameRecord, MAX_BYTES, ParseError};
use crate::standings::GameSummary;

/// A run's journal.
pub const JOURNAL: &str = "journal.jsonl";

/// Where a run keeps its game logs.
pub const GAMES: &str = "games";

/// Why a run's logs cannot be used. Every bad log is listed.
#[derive(Debug, Error)]
#[error("{}", .0.iter().map(LogError::to_string).collect::<Vec<_>>().join("\n"))]
pub struct LogErrors(pub Vec<LogError>);

/// Why one log cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    /// The file or the folder cannot be read.
    #[error("cannot read `{}`: {source}", path.shown())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The text is no game log.
    #[error("{}:{source}", path.shown())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where in it, and why.
        source: ParseError,
    },
    /// Two logs say that they are of the same game.
    #[error("{}: the game `{game}` has a log already: {}", path.shown(), first.shown())]
    Duplicate {
        /// The later file.
        path: PathBuf,
        /// The game's id.
        game: String,
        /// The earlier file.
        first: PathBuf,
    },
}

/// Whether `dir` is the folder of a run.
pub fn is_run(dir: &Path) -> bool {
    dir.join(GAMES).is_dir() || dir.join(JOURNAL).is_file()
}

/// The runs within `dir`, by name; none if it is no folder.
///
/// # Errors
/// When there is a folder that cannot be read.
pub fn runs_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut runs = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if is_run(&path) {
            runs.push(path);
        }
    }
    runs.sort();
    Ok(runs)
}

/// The logs of the run in `dir`, by file name.
///
/// # Errors
/// When the folder of its games cannot be read.
pub fn logs(dir: &Path) -> Result<Vec<PathBuf>, LogError> {
    let games = dir.join(GAMES);
    let list = || -> io::Result<Vec<PathBuf>> {
        let mut logs = Vec::new();
        for entry in fs::read_dir(&games)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "log") {
                logs.push(path);
            }
        }
        logs.sort();
        Ok(logs)
    };
    list().map_err(|source| LogError::Io { path: games.clone(), source })
}

/// The record in `path`.
///
/// # Errors
/// When it cannot be read, or is no game log.
pub fn read_log(path: &Path) -> Result<GameRecord, LogError> {
    let mut bytes = Vec::new();
    // One byte more than any log may have shows that it is too long.
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|source| LogError::Io { path: path.to_owned(), source })?;
    GameRecord::from_bytes(&bytes).map_err(|source| LogError::Parse { path: path.to_owned(), source })
}

/// Summaries of all games of the run in `dir`, by file name. A log without an id gets its file's name.
///
/// # Errors
/// Every log that cannot be used.
pub fn summaries(dir: &Path) -> Result<Vec<GameSummary>, LogErrors> {
    let mut first: HashMap<String, PathBuf> = HashMap::new();
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    for path in logs(dir).map_err(|error| LogErrors(vec![error]))? {
        let mut game = match read_log(&path) {
            Ok(record) => GameSummary::from(&record),
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        if game.game.is_empty() {
            game.game = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        if let Some(first) = first.get(&game.game) {
            errors.push(LogError::Duplicate { path, game: game.game, first: first.clone() });
            continue;
        }
        first.insert(game.game.clone(), path);
        games.push(game);
    }
    if errors.is_empty() { Ok(games) } else { Err(LogErrors(errors)) }
}
