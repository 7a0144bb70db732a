//! The file in which a run stores the analyses of its games, so that no game is searched twice.
//!
//! It contains one line per game, which [`KeptAnalysis`] reads and writes. Nothing depends on the file: a line that is
//! damaged, comes from another version or contradicts its game is ignored, and the game is judged again. Each game is
//! appended as soon as it is judged. Useless lines are removed at the end by replacing the whole file.
//!
//! Several processes may use the file at the same time. Each process holds the file's lock while it reads, extends or
//! replaces the file, but not while it judges a game; lines that other processes have appended in the meantime are
//! kept.

mod cache_lines;

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use crate::base::console;
use crate::base::files::write_whole;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::units::counted;
use crate::referee::record::GameRecord;
use crate::results::analysis::Analysis;
use crate::results::analysis::kept::{GameMoves, KeptAnalysis};
use crate::run::locked_file::{self, LockError, LockHold};
use crate::run::results_dir;
use cache_lines::CacheLines;

/// The name of the file.
pub const CACHE: &str = "analysis.jsonl";

/// A problem with a cache that the user should know about.
#[derive(Debug, Error)]
pub enum CacheWarning {
    /// Lines are damaged.
    #[error("`{}`: {} damaged (the first is line {first}) and dropped; their games will be judged again", path.shown(), are(*lines))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of lines.
        lines: u64,
        /// The number of the first line, from 1.
        first: u64,
    },
    /// Lines come from another version of the solver or of the file.
    #[error("`{}`: {} from another version of this program; not used", path.shown(), are(*lines))]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The number of lines.
        lines: u64,
    },
    /// The line of a game contradicts the game.
    #[error("`{}`: the line for {} contradicts the game, so it is dropped and the game is judged again", path.shown(), sanitised(game))]
    Contradiction {
        /// The file.
        path: PathBuf,
        /// The game's id.
        game: String,
    },
    /// The file cannot be read.
    #[error("cannot read `{}`, so games are judged again, and their analyses are not stored: {why}", path.shown())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: CacheFailure,
    },
    /// The file cannot be written.
    #[error("cannot write `{}`, so new analyses are not stored: {why}", path.shown())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: CacheFailure,
    },
}

/// `1 line is`, `2 lines are`.
fn are(lines: u64) -> String {
    format!("{} {}", counted(lines, "line"), if lines == 1 { "is" } else { "are" })
}

/// Why a cache cannot be used.
#[derive(Debug, Error)]
pub enum CacheFailure {
    /// Another process held the file's lock for too long.
    #[error("another process is using it")]
    Held,
    /// The system returned an error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<LockError> for CacheFailure {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Held => Self::Held,
            LockError::Io { source, .. } => Self::Io(source),
        }
    }
}

/// The stored analysis of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownGame {
    /// The analysis.
    pub analysis: Analysis,
    /// The time that the search was allowed to take.
    pub budget: Duration,
}

impl KnownGame {
    /// Whether a search with `budget` would add nothing, because the earlier search had at least as much time, or
    /// because there is nothing left to find.
    pub fn is_enough(&self, record: &GameRecord, budget: Duration) -> bool {
        self.budget >= budget || self.analysis.is_complete(record.ruleset)
    }
}

/// The cache of one run.
#[derive(Debug)]
pub struct AnalysisCache {
    path: PathBuf,
    lines: CacheLines,
    /// Lines that contradict their games.
    refused: Vec<KeptAnalysis>,
    /// Whether the file can be written; `true` until writing fails.
    is_writable: bool,
    /// Whether the file contains useless lines.
    is_untidy: bool,
    warnings: Vec<CacheWarning>,
}

impl AnalysisCache {
    /// Reads the cache of the run in `dir`, if it has one.
    pub fn open(dir: &Path) -> Self {
        let path = dir.join(CACHE);
        let (lines, failed) = match read(&path) {
            Ok(lines) => {
                console::detail_of(&path, format_args!("analyses are stored in `{}`", path.shown()));
                (lines, None)
            }
            Err(why) => (CacheLines::default(), Some(why)),
        };
        let mut cache = Self {
            is_writable: failed.is_none(),
            is_untidy: lines.are_untidy(),
            refused: Vec::new(),
            warnings: Vec::new(),
            lines,
            path,
        };
        if let (lines, Some(&first)) = (cache.lines.damaged().len() as u64, cache.lines.damaged().first()) {
            cache.warning(|path| CacheWarning::Damaged { path, lines, first });
        }
        if let lines @ 1.. = cache.lines.foreign() as u64 {
            cache.warning(|path| CacheWarning::Foreign { path, lines });
        }
        if let Some(why) = failed {
            cache.warning(|path| CacheWarning::Unreadable { path, why });
        }
        cache
    }

    /// Takes the warnings that have not been reported yet.
    pub fn take_warnings(&mut self) -> Vec<CacheWarning> {
        std::mem::take(&mut self.warnings)
    }

    fn warning(&mut self, warning: impl FnOnce(PathBuf) -> CacheWarning) {
        self.warnings.push(warning(self.path.clone()));
    }

    /// The analysis of the game in `record`, if it is known. The moves of the record must be legal. Lines that
    /// contradict the game are dropped.
    pub fn find(&mut self, record: &GameRecord) -> Option<KnownGame> {
        let played = GameMoves::of(record);
        while let Some(line) = self.lines.best(&played) {
            if let Some(analysis) = line.analysis(record) {
                return Some(KnownGame { analysis, budget: line.budget() });
            }
            let line = line.clone();
            self.lines.remove(&line);
            self.refused.push(line);
            self.is_untidy = true;
            let game = record.game.clone().unwrap_or_else(|| "a game".to_owned());
            self.warning(|path| CacheWarning::Contradiction { path, game });
        }
        None
    }

    /// Stores the current analysis of the game in `record`, replacing the previous one.
    pub fn keep(&mut self, record: &GameRecord, known: &KnownGame) {
        let kept = KeptAnalysis::of(record, &known.analysis, known.budget);
        let line = kept.to_line();
        self.is_untidy |= self.lines.replace(kept);
        if self.is_writable {
            match append(&self.path, &line) {
                Ok(End::Whole) => {}
                Ok(End::Torn) => self.is_untidy = true,
                Err(why) => self.give_up(why),
            }
        }
    }

    /// Replaces the file with a copy without useless lines, if it contains any.
    pub fn tidy(&mut self) {
        if std::mem::take(&mut self.is_untidy)
            && self.is_writable
            && let Err(why) = rewrite(&self.path, &self.refused)
        {
            self.give_up(why);
        }
    }

    fn give_up(&mut self, why: CacheFailure) {
        self.is_writable = false;
        self.warning(|path| CacheWarning::Unwritable { path, why });
    }
}

/// Reads the file at `path`; a missing file counts as empty.
fn read(path: &Path) -> Result<CacheLines, CacheFailure> {
    let is_missing =
        |error: &LockError| matches!(error, LockError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound);
    match locked_file::open(path, LockHold::Shared, || results_dir::open(path)) {
        Ok(file) => Ok(CacheLines::read(BufReader::new(file))?),
        Err(error) if is_missing(&error) => Ok(CacheLines::default()),
        Err(error) => Err(error.into()),
    }
}

/// The state of the file's end before something was appended.
enum End {
    /// The file ended with a complete line, or was empty.
    Whole,
    /// The file ended in the middle of a line, for example because a process was killed.
    Torn,
}

/// Appends `line` to the file at `path`, which is created if it is missing. If an error occurs, the file is left
/// unchanged if possible.
fn append(path: &Path, line: &str) -> Result<End, CacheFailure> {
    let mut file = locked_file::open(path, LockHold::Alone, || open_or_create(path))?;
    let length = file.metadata()?.len();
    let mut last = *b"\n";
    if let Some(at) = length.checked_sub(1) {
        file.read_exact_at(&mut last, at)?;
    }
    let (end, gap) = if last == *b"\n" { (End::Whole, "") } else { (End::Torn, "\n") };
    file.write_all(format!("{gap}{line}").as_bytes()).inspect_err(|_| {
        // The next process that reads the file can handle a torn line.
        let _ = file.set_len(length);
    })?;
    Ok(end)
}

fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    loop {
        match results_dir::open_with(path, &mut options) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        match options.clone().create_new(true).open(path) {
            // Another process has just created it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created,
        }
    }
}

/// Replaces the file at `path` with a copy that contains neither useless lines nor those in `refused`.
fn rewrite(path: &Path, refused: &[KeptAnalysis]) -> Result<(), CacheFailure> {
    // The lock prevents other processes from appending to the old file until the new file has taken its name.
    let file = locked_file::open(path, LockHold::Alone, || open_or_create(path))?;
    let mut lines = CacheLines::read(BufReader::new(&file))?;
    for line in refused {
        lines.remove(line);
    }
    Ok(write_whole(path, &lines.text())?)
}

#[cfg(test)]
mod tests;
