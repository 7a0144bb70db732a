//! The game logs that a user names.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::GameFilesError;
use crate::base::console;
use crate::base::sanitise::Shown as _;
use crate::base::units::counted;
use crate::referee::record::{CheckedGame, GameRecord, GroupRecord, LogTextError, LoggedGame, MAX_BYTES, check_with};
use crate::run::campaign::seegover_table::for_check;
use crate::run::results_dir::{self, GAMES};

/// A game log, and how it was found.
#[derive(Debug)]
pub(crate) enum LogFile {
    /// The user named the log, so it may also be a link or a pipe.
    Named(PathBuf),
    /// The log is in a directory that the user named, so it is only read if it is a regular file.
    Found(PathBuf),
}

impl LogFile {
    /// The path of the log.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Named(path) | Self::Found(path) => path,
        }
    }

    /// The directory of the run that the log belongs to, if the log is in a folder `games` next to a journal.
    pub(crate) fn run(&self) -> Option<PathBuf> {
        let games = self.path().parent().filter(|folder| folder.file_name().is_some_and(|name| name == GAMES))?;
        let run = games.parent().filter(|run| results_dir::has_journal(run))?;
        // The parent folder of `games` in `games/a.log` has an empty name.
        Some(if run.as_os_str().is_empty() { PathBuf::from(".") } else { run.to_owned() })
    }

    /// The bytes of the log. If the log is too long, reads just enough to detect this.
    ///
    /// # Errors
    /// Fails if the log cannot be read.
    pub(crate) fn read(&self) -> Result<Vec<u8>, GameFilesError> {
        match self {
            Self::Named(path) => read(path),
            Self::Found(path) => results_dir::log_bytes(path).map_err(|source| unreadable(path, source)),
        }
    }

    /// The record of the log, which has not been checked.
    fn record(&self) -> Result<GameRecord, GameFilesError> {
        self.parsed(GameRecord::from_bytes)
    }

    /// Like [`LogFile::record`], for a game with any number of seats.
    ///
    /// # Errors
    /// Fails if the log cannot be read, or is not a game log.
    pub(crate) fn logged_game(&self) -> Result<LoggedGame, GameFilesError> {
        self.parsed(LoggedGame::from_bytes)
    }

    fn parsed<T>(&self, parse: impl Fn(&[u8]) -> Result<T, LogTextError>) -> Result<T, GameFilesError> {
        let bytes = self.read()?;
        if self.path().extension().is_some_and(|extension| extension == "csv") {
            return Err(GameFilesError::CsvForLog { path: self.path().to_owned() });
        }
        parse(&bytes).map_err(|error| GameFilesError::WrongLog { why: format!("{}:{error}", self.path().shown()) })
    }

    /// Checks `record`, which comes from this log.
    ///
    /// # Errors
    /// Fails with the first problem.
    pub(crate) fn check<'r>(&self, record: &'r GameRecord) -> Result<CheckedGame<'r>, GameFilesError> {
        check_with(record, for_check(record).as_ref())
            .map_err(|error| GameFilesError::WrongLog { why: format!("{}: {error}", self.path().shown()) })
    }

    /// Checks `record`, which comes from this log.
    ///
    /// # Errors
    /// Fails with the first problem.
    pub(crate) fn check_group(&self, record: &GroupRecord) -> Result<(), GameFilesError> {
        let wrong = |error| GameFilesError::WrongLog { why: format!("{}: {error}", self.path().shown()) };
        record.check().map(|_| ()).map_err(wrong)
    }

    /// The record, if the log is valid.
    ///
    /// # Errors
    /// Fails if the log cannot be read, or is not valid.
    pub(crate) fn whole(&self) -> Result<GameRecord, GameFilesError> {
        let record = self.record()?;
        self.check(&record)?;
        Ok(record)
    }
}

fn unreadable(path: &Path, source: io::Error) -> GameFilesError {
    GameFilesError::Unreadable { path: path.to_owned(), source }
}

/// The log `file` itself or, if `file` is a directory, the logs in it and in its `games` folder, sorted by name.
///
/// # Errors
/// Fails if the directory cannot be read, or contains no logs.
pub(crate) fn logs_of(file: &Path) -> Result<Vec<LogFile>, GameFilesError> {
    if !file.is_dir() {
        console::detail_of(file, format_args!("reading the log `{}`", file.shown()));
        return Ok(vec![LogFile::Named(file.to_owned())]);
    }
    let games = results_dir::games_in(file).map_err(|source| unreadable(&file.join(GAMES), source))?;
    let mut logs = Vec::new();
    for folder in [file.to_owned(), games] {
        if !folder.is_dir() {
            continue;
        }
        let cannot = |source| unreadable(&folder, source);
        for entry in folder.read_dir().map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            if path.extension().is_some_and(|extension| extension == "log") {
                logs.push(path);
            }
        }
    }
    if logs.is_empty() {
        return Err(GameFilesError::NoLogs { dir: file.to_owned() });
    }
    logs.sort();
    console::detail_of(file, format_args!("reading {} in `{}`", counted(logs.len() as u64, "log"), file.shown()));
    Ok(logs.into_iter().map(LogFile::Found).collect())
}

/// The bytes of `file`, or of standard input for `-`. If there are too many bytes, reads just enough to detect this.
fn read(file: &Path) -> Result<Vec<u8>, GameFilesError> {
    let limit = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(GameFilesError::UnreadableInput)?;
    } else {
        let read = File::open(file).and_then(|opened| opened.take(limit).read_to_end(&mut bytes));
        read.map_err(|source| unreadable(file, source))?;
    }
    Ok(bytes)
}
