//! How accurately the players of a run played, in the games that count towards its standings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::facts::with_facts;
use crate::game::{Feature, MissingFeature, Ruleset, Side};
use crate::referee::record::{CheckError, GameRecord, LoggedGame, check_with};
use crate::results::analysis::Accuracy;
use crate::results::standings::{Counting, GameSummary, duplicates};
use crate::run::cached_analyst::{
    AnalysisMeans, AnalysisNews, AnalysisProgress, AnalysisQueue, AnalystError, BudgetUnit,
};
use crate::run::campaign::seegover_table::for_check;
use crate::run::game_files::{GameFilesError, run_in};
use crate::run::journal::{self, JournalError, Ledger, TextDigest};
use crate::run::results_dir;

with_facts! {
    /// Why the accuracy of a run's players cannot be determined.
    #[derive(Debug, Error)]
    pub(crate) enum AccuracyError {
        /// The games cannot be read.
        #[error(transparent)]
        Files(#[from] error: GameFilesError) => error.error_exit();
        /// The journal cannot be read.
        #[error(transparent)]
        Journal(#[from] error: JournalError) => Exit::DoesNotHold.alone();
        /// There is no solver for a game.
        #[error("--accuracy cannot judge `{game}`: {missing}")]
        NoSolver {
            /// The game's id.
            game: String,
            /// What is missing.
            missing: MissingFeature,
        } => Exit::Usage.alone();
        /// A game contains a mistake.
        #[error("{game}: {error}")]
        WrongGame {
            /// The game's id.
            game: String,
            /// What is wrong.
            error: Box<CheckError>,
        } => Exit::DoesNotHold.alone();
        /// The games cannot be analyzed.
        #[error(transparent)]
        Analyst(#[from] error: AnalystError) => error.error_exit();
    }

    fn exit_and_hint() -> ErrorExit;
}

impl CommandError for AccuracyError {
    fn error_exit(&self) -> ErrorExit {
        self.exit_and_hint()
    }
}

/// How accurately each player played in the games that were analyzed.
#[derive(Clone, Debug)]
pub(crate) struct PlayersAccuracy {
    /// The accuracy of each player, by name.
    pub(crate) players: BTreeMap<String, Accuracy>,
    /// How many games were analyzed.
    pub(crate) progress: AnalysisProgress,
}

/// The games of a run that count towards its players' accuracy. All of them are valid, and a solver can analyze them.
#[derive(Debug)]
pub(crate) struct AccuracyGames {
    games: Vec<GameRecord>,
    /// The run whose cache may be used: only a run with a journal has a cache.
    run: Option<PathBuf>,
}

impl AccuracyGames {
    /// Reads the games of the run in `path` that `counting` selects. `ledger` is the run's ledger, if the run has a
    /// journal.
    ///
    /// # Errors
    /// Fails if the games cannot be read or analyzed.
    pub(crate) fn read(path: &Path, ledger: Option<&Ledger>, counting: Counting) -> Result<Self, AccuracyError> {
        if !path.is_dir() {
            return Err(GameFilesError::NoMoves { path: path.to_owned(), option: "--accuracy" }.into());
        }
        let run = run_in(path)?;
        let games = match ledger {
            Some(ledger) => of_journal(&run, ledger)?,
            None => of_logs(&run)?,
        };
        // There is no solver for games with more than two seats.
        if let Some(game) = games.iter().find(|game| game.group().is_some()) {
            require_solver(game.ruleset(), game.game())?;
        }
        let games = counted(games.into_iter().filter_map(|game| game.into_two().ok()).collect(), counting);
        for record in &games {
            let of_game = || name_of(record.game.as_deref());
            require_solver(record.ruleset, record.game.as_deref())?;
            check_with(record, for_check(record).as_ref())
                .map_err(|error| AccuracyError::WrongGame { game: of_game(), error: Box::new(error) })?;
        }
        Ok(Self { games, run: ledger.map(|_| run) })
    }

    /// Disables the run's cache: nothing is read from it or stored in it.
    pub(crate) fn without_cache(self) -> Self {
        Self { run: None, ..self }
    }

    /// Analyzes the games, spending at most `budget` on each; `None` selects the default of the command `analyze`. Ends
    /// early once `stop` is raised.
    ///
    /// # Errors
    /// Fails if the games cannot be analyzed.
    pub(crate) fn analyze(
        &self,
        budget: Option<Duration>,
        stop: &AtomicBool,
        tell: impl FnMut(AnalysisNews<'_>),
    ) -> Result<PlayersAccuracy, AccuracyError> {
        let means = AnalysisMeans::of_budget(budget, BudgetUnit::Time);
        let runs = vec![self.run.clone(); self.games.len()];
        let mut queue = AnalysisQueue::new(means, &self.games, runs, stop, tell);
        queue.prepare()?;
        let mut players: BTreeMap<String, Accuracy> = BTreeMap::new();
        while let Some((record, analysis)) = queue.analyze_next()? {
            for side in Side::BOTH {
                let accuracy = players.entry(record.players[side].clone()).or_default();
                *accuracy = accuracy.plus(Accuracy::of(&analysis, side));
            }
        }
        Ok(PlayersAccuracy { players, progress: queue.end() })
    }
}

/// Checks that there is a solver for the game `id`.
fn require_solver(ruleset: Ruleset, id: Option<&str>) -> Result<(), AccuracyError> {
    ruleset.require(Feature::Solver).map_err(|missing| AccuracyError::NoSolver { game: name_of(id), missing })
}

fn name_of(id: Option<&str>) -> String {
    id.unwrap_or("a game").to_owned()
}

/// The games that count, in the order of the journal.
fn of_journal(run: &Path, ledger: &Ledger) -> Result<Vec<LoggedGame>, JournalError> {
    let mut games = Vec::new();
    journal::each_game(run, |game| {
        let counts = ledger.game(&game.id).is_some_and(|kept| kept.text == TextDigest::of(&game.record));
        // The ledger was built from the same lines, so every record parses.
        games.extend(game.record.parse().ok().filter(|_| counts));
        Ok::<_, JournalError>(())
    })?;
    Ok(games)
}

fn of_logs(run: &Path) -> Result<Vec<LoggedGame>, GameFilesError> {
    let logs = results_dir::logs(run)?;
    logs.iter().map(|log| results_dir::read_log(log).map_err(GameFilesError::from)).collect()
}

/// The games that count towards the standings.
fn counted(mut games: Vec<GameRecord>, counting: Counting) -> Vec<GameRecord> {
    let is_counted = |game: &GameRecord| match &game.result {
        Ok(result) => counting.has_round(game.round) && !counting.without_forfeits.contains(result.termination()),
        Err(_) => false,
    };
    games.retain(is_counted);
    if counting.distinct {
        let summaries: Vec<GameSummary> = games.iter().map(GameSummary::from).collect();
        let mut repeats = duplicates(summaries.iter().map(GameSummary::view)).into_iter();
        games.retain(|_| repeats.next().flatten().is_none());
    }
    games
}
