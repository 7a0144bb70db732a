//! How the process ends: its exit codes, and the errors that lead to them.

use std::error::Error;

/// The meaning of the process's exit code. docs/reference/exit-codes.md has the same table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Success,
    /// The arena itself failed.
    ArenaFailed,
    /// The command line or the tournament file is wrong, or what it names cannot be used.
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

/// The message of `error`, followed by those of its causes after colons. A cause that an earlier message already
/// includes is left out.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let told = cause.to_string();
        if !text.ends_with(&told) && !text.contains(&format!(": {told}")) {
            text = format!("{text}: {told}");
        }
        next = cause.source();
    }
    text
}

/// An error that ends a command, with its exit code and hint.
pub trait CommandError: Error {
    /// The exit code and the hint.
    fn error_exit(&self) -> ErrorExit;
}

#[cfg(test)]
mod tests {
    use std::io;

    use thiserror::Error;

    use super::*;

    #[derive(Debug, Error)]
    enum Told {
        #[error("cannot read `x`: {source}")]
        Whole { source: io::Error },
        #[error("cannot read `x`")]
        Alone { source: io::Error },
        #[error("no bench: {0}; look elsewhere")]
        Nested(#[source] Box<Self>),
    }

    #[test]
    fn each_cause_is_told_once() {
        let source = || io::Error::from(io::ErrorKind::NotFound);
        let expected = "cannot read `x`: entity not found";
        assert_eq!(with_causes(&Told::Whole { source: source() }), expected);
        assert_eq!(with_causes(&Told::Alone { source: source() }), expected);
        let nested = |inner| with_causes(&Told::Nested(Box::new(inner)));
        assert_eq!(nested(Told::Whole { source: source() }), format!("no bench: {expected}; look elsewhere"));
        assert_eq!(
            nested(Told::Alone { source: source() }),
            "no bench: cannot read `x`; look elsewhere: entity not found"
        );
    }
}
