//! Why the bench cannot do something.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::machine::LockHolders;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::tree::TreeError;
use crate::run::cached_analyst::AnalystError;
use crate::run::campaign::CampaignError;
use crate::run::journal::JournalError;

/// Why the bench cannot do something.
#[derive(Debug, Error)]
pub(crate) enum BenchError {
    /// There is no bench.
    #[error("there is no bench in `{}`", dir.shown())]
    NoBench {
        /// The student's directory.
        dir: PathBuf,
    },
    /// Another bench is working in the same directory.
    #[error("`{}` is already being watched by {holders}", dir.shown())]
    Busy {
        /// The student's directory.
        dir: PathBuf,
        /// The processes that watch it.
        holders: LockHolders,
    },
    /// Nothing shows how the bot is started. `mistake` is hostile text.
    #[error("`{}` does not show how to start the bot{}", dir.shown(), because(mistake.as_deref()))]
    NoRecipe {
        /// The student's directory.
        dir: PathBuf,
        /// The reason why gothello.toml is not used, if there is one.
        mistake: Option<String>,
    },
    /// The sources cannot be read.
    #[error("the sources cannot be read: {0}")]
    Sources(#[from] TreeError),
    /// A file of the bench cannot be read or written.
    #[error("cannot {action} `{}`: {source}", path.shown())]
    File {
        /// The action that failed.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A tournament file would not accept the bot or the options.
    #[error("these games cannot be played: {}", sanitised(flaws))]
    WrongGames {
        /// The reasons, which may contain hostile text.
        flaws: String,
    },
    /// The games cannot be played.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// The journal of games cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The games cannot be analyzed.
    #[error(transparent)]
    Analyst(#[from] AnalystError),
    /// The threads for the scenarios could not be started.
    #[error("could not start the scenario threads: {0}")]
    NoThread(io::Error),
    /// There are no versions yet.
    #[error("the bench in `{}` has no versions yet", dir.shown())]
    NoVersions {
        /// The student's directory.
        dir: PathBuf,
    },
    /// No version, or more than one, matches the name.
    #[error("{}", unnamed(name, fitting))]
    NotNamed {
        /// The name that the user wrote.
        name: String,
        /// The versions that the name could mean.
        fitting: Vec<String>,
    },
    /// The version cannot become the version to beat.
    #[error("version {id} cannot become the one to beat, because it {why}")]
    NotReady {
        /// The version.
        id: String,
        /// The reason.
        why: &'static str,
    },
    /// The user asks to compare a version with itself.
    #[error("version {id} cannot be compared with itself")]
    SameVersion {
        /// The version.
        id: String,
    },
    /// The version has not lost any game.
    #[error(
        "version {id} has not lost a game under the rules of {ruleset}{}",
        if *games == 0 { ", because it has not played any" } else { "" }
    )]
    NothingLost {
        /// The version.
        id: String,
        /// The rules.
        ruleset: String,
        /// How many games it has played.
        games: usize,
    },
}

/// The clause about `mistake`; empty if there is no mistake.
fn because(mistake: Option<&str>) -> String {
    mistake.map(|mistake| format!(": {}", sanitised(mistake))).unwrap_or_default()
}

/// Why `name` does not identify a version, or the versions that it could mean.
fn unnamed(name: &str, fitting: &[String]) -> String {
    let name = sanitised(name);
    if fitting.is_empty() {
        format!("there is no version `{name}`")
    } else {
        format!("`{name}` could be version {}", fitting.join(" or "))
    }
}

impl BenchError {
    /// Returns a function that creates the error for a failed attempt to `action` the file or directory at `path`.
    pub(crate) fn at(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}

impl CommandError for BenchError {
    fn error_exit(&self) -> ErrorExit {
        match self {
            Self::NoBench { .. } | Self::NoVersions { .. } => {
                Exit::Usage.hint("to create one, run `gothello-arena bench` in the bot's directory")
            }
            Self::Busy { .. } => Exit::Usage.hint("`bench list`, `bench promote` and `bench why` work in the meantime"),
            Self::NoRecipe { .. } => Exit::Usage.hint(
                "write a gothello.toml with `command = [\"python3\", \"bot.py\", \"{side}\", \"{host}\", \"{port}\"]`, or \
                 use --command",
            ),
            Self::NotNamed { .. } => Exit::Usage.hint("`gothello-arena bench list` shows the versions"),
            Self::SameVersion { .. } => Exit::Usage.hint("name another version after --before, or leave out --before"),
            Self::NotReady { .. } | Self::NothingLost { .. } => Exit::DoesNotHold.alone(),
            Self::Sources(_) | Self::WrongGames { .. } => Exit::Usage.alone(),
            // The user named a directory that does not exist.
            Self::File { source, .. } if source.kind() == io::ErrorKind::NotFound => Exit::Usage.alone(),
            Self::Campaign(error) => error.error_exit(),
            Self::Analyst(error) => error.error_exit(),
            Self::File { .. } | Self::Journal(_) | Self::NoThread(_) => Exit::ArenaFailed.alone(),
        }
    }
}
