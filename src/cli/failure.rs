//! The reason why a command ended early, kept as a value until the program prints it.

use std::fmt;
use std::io;

use crate::base::console;
use crate::base::exit::{CommandError, ErrorExit, Exit, with_causes};
use crate::bench::bench_error::BenchError;
use crate::course::assignment::AssignmentError;
use crate::course::autograder::AutograderError;
use crate::course::evidence::GradingError;
use crate::course::grade_files::GradeFilesError;
use crate::course::unpacking::ImportError;
use crate::drill::selection::SelectionError;
use crate::exact::margin_table::build::BuildError;
use crate::exact::seegover::TooDeep;
use crate::exact::solver::{TableTooLarge, Unsolved};
use crate::exact::tablebase::SeegoverTableLack;
use crate::game::MissingFeature;
use crate::host::sandbox::Undecided;
use crate::host::tournament_file::TournamentFileError;
use crate::ladder::submitter::SubmitError;
#[cfg(feature = "nats")]
use crate::machines::broker::BrokerError;
#[cfg(feature = "nats")]
use crate::machines::cache::CacheError;
use crate::page::report_games::ReportError;
use crate::players::client::ClientError;
use crate::results::rating::AnchorError;
use crate::run::accuracy::AccuracyError;
use crate::run::cached_analyst::AnalystError;
use crate::run::campaign::CampaignError;
use crate::run::game_files::GameFilesError;

/// Why a command ended early, its exit code, and what the user can do next, if anything.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    problem: Problem,
    hint: Option<String>,
}

/// What went wrong.
#[derive(Debug)]
enum Problem {
    /// An error with its causes, in one line.
    Error(anyhow::Error),
    /// Errors, one per line. Each begins with a place in a file.
    Places(String),
}

impl Failure {
    /// An error in something that the user wrote.
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self::of(Exit::Usage, error)
    }

    /// The failure of a check.
    pub fn does_not_hold(error: impl Into<anyhow::Error>) -> Self {
        Self::of(Exit::DoesNotHold, error)
    }

    /// Errors in a file that the user wrote, at `places`, one per line.
    pub(super) fn wrong_file(places: impl fmt::Display) -> Self {
        Self { exit: Exit::Usage, problem: Problem::Places(places.to_string()), hint: None }
    }

    /// An error with this exit code.
    pub(super) fn of(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self { exit, problem: Problem::Error(error.into()), hint: None }
    }

    /// The same failure, with a hint about what the user can do next.
    pub(super) fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Prints the failure, and returns the exit code.
    pub(super) fn report(self) -> Exit {
        let Self { exit, problem, hint } = self;
        let hint = hint.as_deref();
        match problem {
            Problem::Error(error) => console::error(with_causes(error.as_ref()), hint),
            Problem::Places(places) => {
                let lines: Vec<&str> = places.lines().collect();
                for (index, line) in lines.iter().enumerate() {
                    console::error(line, hint.filter(|_| index + 1 == lines.len()));
                }
            }
        }
        exit
    }
}

/// Errors that count by default as failures of the arena or its machine. Callers with more information use
/// [`Failure::usage`] or [`Failure::does_not_hold`].
macro_rules! failures_of_the_arena {
    ($($(#[$when:meta])? $Error:ty,)+) => {
        $(
            $(#[$when])?
            impl From<$Error> for Failure {
                fn from(error: $Error) -> Self {
                    Self::of(Exit::ArenaFailed, error)
                }
            }
        )+
    };
}

failures_of_the_arena! {
    anyhow::Error,
    io::Error,
    serde_json::Error,
    AnchorError,
    ClientError,
    MissingFeature,
    TooDeep,
    Undecided,
    Unsolved,
    #[cfg(feature = "nats")]
    BrokerError,
    #[cfg(feature = "nats")]
    CacheError,
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Layers { .. } | BuildError::Table { .. } => {
                let hint = "after fixing this, run the same command to continue the build".to_owned();
                Self::of(Exit::ArenaFailed, error).with_hint(Some(hint))
            }
            BuildError::Wrong { .. } => Self::does_not_hold(error),
        }
    }
}

impl From<TournamentFileError> for Failure {
    fn from(error: TournamentFileError) -> Self {
        match error {
            TournamentFileError::Wrong { shown, problems } => Self::wrong_file(problems.display(&shown)),
            other => {
                let ErrorExit { exit, hint } = other.error_exit();
                Self::of(exit, other).with_hint(hint)
            }
        }
    }
}

impl From<AssignmentError> for Failure {
    fn from(error: AssignmentError) -> Self {
        match error {
            AssignmentError::Class(error) => error.into(),
            AssignmentError::WrongRubric { file, problems } => Self::wrong_file(problems.display(&file)),
            other => {
                let ErrorExit { exit, hint } = other.error_exit();
                Self::of(exit, other).with_hint(hint)
            }
        }
    }
}

/// Errors that determine how a command ends.
macro_rules! command_errors {
    ($($Error:ty,)+) => {
        $(
            impl From<$Error> for Failure {
                fn from(error: $Error) -> Self {
                    let ErrorExit { exit, hint } = error.error_exit();
                    Self::of(exit, error).with_hint(hint)
                }
            }
        )+
    };
}

command_errors! {
    AccuracyError,
    AnalystError,
    AutograderError,
    BenchError,
    CampaignError,
    GameFilesError,
    GradeFilesError,
    GradingError,
    ImportError,
    ReportError,
    SelectionError,
    SeegoverTableLack,
    SubmitError,
    TableTooLarge,
}
