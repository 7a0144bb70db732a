//! The game logs named on the command line.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};

use super::Failure;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::referee::record::{CheckedGame, GameRecord, GroupRecord, LogTextError, LoggedGame, MAX_BYTES, check_with};
use crate::run::campaign::seegover_table::for_check;
use crate::run::results_dir::{self, GAMES};

/// A game log, and how it was found.
#[derive(Debug)]
pub(super) enum LogFile {
    /// The user named it, so it may also be a link or a pipe.
    Named(PathBuf),
    /// It is in a directory that the user named, so it is only read if it is a regular file.
    Found(PathBuf),
}

impl LogFile {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Named(path) | Self::Found(path) => path,
        }
    }

    /// The directory of the run that the log belongs to: the log is in a folder `games` beside a journal.
    pub(super) fn run(&self) -> Option<PathBuf> {
        let games = self.path().parent().filter(|folder| folder.file_name().is_some_and(|name| name == GAMES))?;
        let run = games.parent().filter(|run| results_dir::has_journal(run))?;
        // The folder of `games/a.log` has no name of its own.
        Some(if run.as_os_str().is_empty() { PathBuf::from(".") } else { run.to_owned() })
    }

    /// The bytes of the log. If it is too long, reads just enough to show that.
    pub(super) fn read(&self) -> anyhow::Result<Vec<u8>> {
        match self {
            Self::Named(path) => read(path),
            Self::Found(path) => {
                results_dir::log_bytes(path).with_context(|| format!("cannot read `{}`", path.shown()))
            }
        }
    }

    /// The record of the log, which has not been checked.
    pub(super) fn record(&self) -> Result<GameRecord, Failure> {
        self.parsed(GameRecord::from_bytes)
    }

    /// Like [`LogFile::record`], for a game with any number of seats.
    pub(super) fn logged_game(&self) -> Result<LoggedGame, Failure> {
        self.parsed(LoggedGame::from_bytes)
    }

    fn parsed<T>(&self, parse: impl Fn(&[u8]) -> Result<T, LogTextError>) -> Result<T, Failure> {
        let bytes = self.read().map_err(Failure::usage)?;
        if self.path().extension().is_some_and(|extension| extension == "csv") {
            let hint = "a CSV file has no moves: name a run's directory, or logs in its folder `games`";
            return Err(Failure::usage(anyhow!("`{}` is not a game log ({hint})", self.path().shown())));
        }
        parse(&bytes).map_err(|error| refused(&format!("{}:{error}", self.path().shown())))
    }

    /// Checks `record`, which comes from this log.
    pub(super) fn check<'r>(&self, record: &'r GameRecord) -> Result<CheckedGame<'r>, Failure> {
        check_with(record, for_check(record).as_ref())
            .map_err(|error| refused(&format!("{}: {error}", self.path().shown())))
    }

    /// Checks `record`, which comes from this log.
    pub(super) fn check_group(&self, record: &GroupRecord) -> Result<(), Failure> {
        record.check().map(|_| ()).map_err(|error| refused(&format!("{}: {error}", self.path().shown())))
    }

    /// The record, if the log is valid.
    pub(super) fn whole(&self) -> Result<GameRecord, Failure> {
        let record = self.record()?;
        self.check(&record)?;
        Ok(record)
    }
}

fn refused(error: &str) -> Failure {
    Failure::does_not_hold(anyhow!("{}", sanitised(error)))
}

/// The file itself, or else the logs in the directory `file` and in its `games` folder, sorted by name.
pub(super) fn logs_of(file: &Path) -> anyhow::Result<Vec<LogFile>> {
    if !file.is_dir() {
        return Ok(vec![LogFile::Named(file.to_owned())]);
    }
    let unreadable = || format!("cannot read `{}`", file.join(GAMES).shown());
    let games = results_dir::games_in(file).with_context(unreadable)?;
    let mut logs = Vec::new();
    for folder in [file.to_owned(), games] {
        if !folder.is_dir() {
            continue;
        }
        let entries = folder.read_dir().with_context(|| format!("cannot read `{}`", folder.shown()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read `{}`", folder.shown()))?.path();
            if path.extension().is_some_and(|extension| extension == "log") {
                logs.push(path);
            }
        }
    }
    if logs.is_empty() {
        return Err(anyhow!("no `*.log` in `{}` or in its `games` folder", file.shown()));
    }
    logs.sort();
    Ok(logs.into_iter().map(LogFile::Found).collect())
}

/// The bytes of `file`, or of standard input for `-`. If there are too many, reads just enough to show that.
fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let limit = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().take(limit).read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        let read = File::open(file).and_then(|opened| opened.take(limit).read_to_end(&mut bytes));
        read.with_context(|| format!("cannot read `{}`", file.shown()))?;
    }
    Ok(bytes)
}
