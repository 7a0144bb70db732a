//! Errors that occur while evidence is gathered.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::sanitise::Shown as _;
use crate::referee::record::CheckError;
use crate::run::cached_analyst::AnalystError;
use crate::run::campaign::CampaignError;
use crate::run::results_dir::exit_of;

/// An error that occurs while evidence is gathered.
#[derive(Debug, Error)]
pub(crate) enum GradingError {
    /// Games cannot be played, or their journal cannot be used.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// The games cannot be analyzed.
    #[error(transparent)]
    Analyst(#[from] AnalystError),
    /// A game is invalid.
    #[error("game `{game}`: {error}")]
    WrongGame {
        /// The game's id.
        game: String,
        /// The problem.
        error: Box<CheckError>,
    },
    /// The drill cannot be played.
    #[error("could not start the threads of the check: {0}")]
    NoThread(io::Error),
    /// An evidence file cannot be written or read.
    #[error("could not {action} `{}`: {source}", path.shown())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The bot is not the one that was drilled.
    #[error(
        "the files of player `{player}` have changed since the check, so the games would test a different bot; grade again, and if \
         the bot itself writes to its `dir`, confine it or make it write elsewhere"
    )]
    Changing {
        /// The student.
        player: String,
    },
    /// No name for the baseline is distinct enough from the student's.
    #[error(
        "the name of player `{player}` is too similar to the name of its opponent `{baseline}` (rename the player)"
    )]
    SameName {
        /// The student.
        player: String,
        /// The baseline.
        baseline: String,
    },
}

impl CommandError for GradingError {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::Campaign(error) => error.error_exit(),
            Self::Analyst(error) => error.error_exit(),
            Self::WrongGame { .. } => Exit::DoesNotHold.alone(),
            Self::NoThread(_) => Exit::ArenaFailed.alone(),
            Self::Io { source, .. } => exit_of(source).alone(),
            Self::Changing { .. } | Self::SameName { .. } => Exit::Usage.alone(),
        }
    }
}
