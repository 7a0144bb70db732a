//! Errors in making a report.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::facts::with_facts;
use crate::base::sanitise::Shown as _;
use crate::page::shown::aliases::BadAliases;
use crate::results::rating::AnchorError;
use crate::run::cached_analyst::AnalystError;
use crate::run::game_files::GameFilesError;
use crate::run::results_dir::exit_of;

with_facts! {
    /// Errors in making a report.
    #[derive(Debug, Error)]
    pub(crate) enum ReportError {
        /// The games cannot be read.
        #[error(transparent)]
        Files(#[from] error: GameFilesError) => error.error_exit();
        /// The games do not all have the same number of players.
        #[error("`{}` contains games with different numbers of players: make one report for each number", path.shown())]
        Mixed {
            /// The run or the CSV file.
            path: PathBuf,
        } => Exit::Usage.alone();
        /// Exact values were requested for games that have none.
        #[error("the games in `{}` have {seats} players, and only games with two players are analyzed: leave out `--analysis`", path.shown())]
        NotAnalyzed {
            /// The run or the CSV file.
            path: PathBuf,
            /// The number of players in each game.
            seats: u8,
        } => Exit::Usage.alone();
        /// A game cannot be replayed.
        #[error("{problem}")]
        Unplayable {
            /// The message, which names the game.
            problem: String,
        } => Exit::DoesNotHold.alone();
        /// The games cannot be analyzed.
        #[error(transparent)]
        Analyst(#[from] error: AnalystError) => error.error_exit();
        /// The players cannot be rated.
        #[error(transparent)]
        Unrated(#[from] error: AnchorError) => Exit::ArenaFailed.alone();
        /// The file of aliases cannot be read.
        #[error("cannot read `{}`", file.shown())]
        UnreadableAliases {
            /// The file.
            file: PathBuf,
            /// The error.
            source: io::Error,
        } => exit_of(source).alone();
        /// The file of aliases is invalid.
        #[error("`{}`: {error} (correct the file, or delete it to create new aliases)", file.shown())]
        WrongAliases {
            /// The file.
            file: PathBuf,
            /// The problem.
            error: BadAliases,
        } => Exit::DoesNotHold.alone();
        /// The file of aliases cannot be written.
        #[error("could not write `{}`", file.shown())]
        UnwritableAliases {
            /// The file.
            file: PathBuf,
            /// The error.
            source: io::Error,
        } => Exit::ArenaFailed.alone();
    }

    fn exit_and_hint() -> ErrorExit;
}

impl CommandError for ReportError {
    fn error_exit(&self) -> ErrorExit {
        self.exit_and_hint()
    }
}
