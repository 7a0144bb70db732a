//! The games from which a person chooses one to look at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::from_log::players_line;
use super::story::GameStory;
use crate::base::sanitise::{Shown as _, quoted, sanitised};
use crate::referee::record::{LoggedGame, verdict};
use crate::results::analysis::{Analysis, MoveQuality};
use crate::results::replay::GroupReplay;
use crate::run::analysis_cache::{AnalysisCache, CACHE};
use crate::run::bot_stderr::StderrOfGame;
use crate::run::game_files::{GameFilesError, LogFile, logs_of};

/// A game in a list. All its strings are printable.
#[derive(Debug)]
pub(crate) struct LibraryEntry {
    log: LogFile,
    /// The name of the log without its extension.
    pub(super) id: String,
    pub(super) players: String,
    pub(super) ending: String,
    pub(super) plies: usize,
    pub(super) has_forfeit: bool,
    /// How many moves lost something; `None` if the game has not been analyzed.
    pub(super) mistakes: Option<usize>,
}

/// The games that a user has named.
#[derive(Debug)]
pub(crate) struct GameLibrary {
    entries: Vec<LibraryEntry>,
    /// The stored analyses of the runs that the games belong to, by the runs' directories.
    caches: BTreeMap<PathBuf, AnalysisCache>,
}

impl GameLibrary {
    /// The games in `paths`, each a log or a directory of logs.
    ///
    /// # Errors
    /// Fails if a log that the user has named cannot be read, or if there are no logs. If a log found in a directory
    /// cannot be read, it is listed with the reason.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, GameFilesError> {
        let mut library = Self { entries: Vec::new(), caches: BTreeMap::new() };
        for path in paths {
            for log in logs_of(path)? {
                let game = match (log.logged_game(), &log) {
                    (Err(error), LogFile::Named(_)) => return Err(error),
                    (game, _) => game,
                };
                let entry = library.entry(log, game);
                library.entries.push(entry);
            }
        }
        Ok(library)
    }

    fn entry(&mut self, log: LogFile, game: Result<LoggedGame, GameFilesError>) -> LibraryEntry {
        let id = log.path().file_stem().map(|stem| Path::new(stem).shown()).unwrap_or_default();
        let game = match game {
            Ok(game) => game,
            Err(error) => {
                let ending = sanitised(&error.to_string());
                let players = String::new();
                return LibraryEntry { log, id, players, ending, plies: 0, has_forfeit: false, mistakes: None };
            }
        };
        let ending = match &game {
            LoggedGame::Two(record) => verdict(&record.result),
            LoggedGame::Group(record) => GroupReplay::new(record).verdict(),
        };
        let mistakes = self.analysis(&log, &game).map(|analysis| {
            let lost = |quality| matches!(quality, Some(MoveQuality::Blunder | MoveQuality::LostStones));
            analysis.moves.iter().filter(|analyzed| lost(analyzed.quality())).count()
        });
        LibraryEntry {
            id,
            players: sanitised(&players_line(&game)),
            ending: sanitised(&ending),
            plies: game.plies().len(),
            has_forfeit: game.players().iter().any(|(seat, _)| game.failure(seat).is_some()),
            mistakes,
            log,
        }
    }

    /// The analysis of `game` that is stored with its run, if there is one and the log is valid.
    fn analysis(&mut self, log: &LogFile, game: &LoggedGame) -> Option<Analysis> {
        let (record, run) = (game.two()?, log.run()?);
        let has_cache = || run.join(CACHE).is_file();
        if !self.caches.contains_key(&run) && !has_cache() {
            return None;
        }
        log.check(record).ok()?;
        let cache = self.caches.entry(run).or_insert_with_key(|run| AnalysisCache::open(run));
        cache.find(record).map(|known| known.analysis)
    }

    /// The games.
    pub(crate) fn entries(&self) -> &[LibraryEntry] {
        &self.entries
    }

    /// What the bots of the game at `index` wrote to stderr; `None` for a game with more than two seats, because the
    /// stderr of its bots is not kept. `tell` is called with a message for each missing file.
    ///
    /// # Errors
    /// Fails if the log cannot be read.
    pub(crate) fn stderr(
        &self,
        index: usize,
        tell: impl FnMut(String),
    ) -> Result<Option<StderrOfGame>, GameFilesError> {
        let log = &self.entries[index].log;
        let game = log.logged_game()?;
        Ok(game.two().map(|record| StderrOfGame::beside(log.path(), record, tell)))
    }

    /// The story of the game at `index`, and its log as a command line names it. The whole log is checked first.
    ///
    /// # Errors
    /// Fails if the log cannot be read, or is not valid.
    pub(crate) fn open(&mut self, index: usize) -> Result<(GameStory, Option<String>), GameFilesError> {
        let log = match &self.entries[index].log {
            LogFile::Named(path) => LogFile::Named(path.clone()),
            LogFile::Found(path) => LogFile::Found(path.clone()),
        };
        let game = log.logged_game()?;
        match &game {
            LoggedGame::Two(record) => drop(log.check(record)?),
            LoggedGame::Group(record) => log.check_group(record)?,
        }
        let analysis = self.analysis(&log, &game);
        let name = sanitised(&quoted(&log.path().to_string_lossy()));
        Ok((GameStory::of_log(&game, analysis.as_ref()), Some(name)))
    }
}
