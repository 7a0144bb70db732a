//! How the process ends: its exit codes, and the errors that lead to them.

use std::error::Error;

/// The meaning of the process's exit code. docs/reference/exit-codes.md has the same table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Success,
    /// The arena itself failed.
    ArenaFailed,
    /// The command line or the tournament file is wrong.
    Usage,
    /// A check has failed, or a requirement is not met.
    DoesNotHold,
    /// The run finished, but a player forfeited a game (with `--strict` only).
    Forfeits,
    /// Games are void or missing.
    Incomplete,
    /// The journal was moved or changed from outside during the run.
    Disturbed,
    /// Interrupted by Ctrl-C.
    Interrupted,
    /// Ended by SIGTERM, SIGHUP or another signal that asks the process to end.
    Terminated,
}

impl Exit {
    /// The exit status for the shell.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::ArenaFailed => 1,
            Self::Usage => 2,
            Self::DoesNotHold => 3,
            Self::Forfeits => 4,
            Self::Incomplete => 5,
            Self::Disturbed => 6,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }

    /// Returns this exit code without a hint.
    pub const fn alone(self) -> ErrorExit {
        ErrorExit { exit: self, hint: None }
    }

    /// Returns this exit code with a hint about what the user can do next.
    pub fn hint(self, hint: impl Into<String>) -> ErrorExit {
        ErrorExit { exit: self, hint: Some(hint.into()) }
    }
}

/// How a command ends because of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorExit {
    /// The exit code.
    pub exit: Exit,
    /// A hint about what the user can do next, if anything.
    pub hint: Option<String>,
}

/// An error that ends a command, with its exit code and hint.
pub trait CommandError: Error {
    /// The exit code and the hint.
    fn error_exit(&self) -> ErrorExit;
}
