//! Why a player is not ready to play, and whose fault that is.

use thiserror::Error;

use crate::base::machine::is_shortage;
use crate::base::tree::TreeError;
use crate::game::quantum::Mode;

/// Why a player could not be prepared, perhaps through no fault of its own: the machine lacks a resource, or the
/// player's build did not finish in time.
#[derive(Debug, Error)]
#[error("could not prepare player `{player}`: {reason}")]
pub struct Shortage {
    /// The player being prepared.
    pub player: String,
    /// The missing resource, or the timeout of the build.
    pub reason: String,
    /// The output of the player's build, if it did not finish in time.
    pub output: String,
}

/// Why a program is not ready.
#[derive(Debug)]
pub(crate) enum Unprepared {
    /// The program cannot be started.
    Unstartable {
        /// Why not.
        reason: String,
        /// The output of the program's build; empty if the build is not the reason.
        output: String,
        /// Whether the program's build did not finish within `build_timeout`. A faster machine or a larger value of
        /// that key may help.
        timed_out: bool,
    },
    /// The program has changed since it played.
    Changed(String),
    /// The machine lacks a resource; the program is not at fault.
    Shortage(String),
}

impl Unprepared {
    /// The reason, with the output of the build if the build is the reason. The text is untrusted.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Unstartable { reason, output, .. } if !output.is_empty() => format!("{reason}\n{output}"),
            Self::Unstartable { reason, .. } | Self::Changed(reason) | Self::Shortage(reason) => reason.clone(),
        }
    }

    /// Rewords this reason for a team whose bot for `mode` is not ready.
    pub(super) fn of_mode(self, mode: Mode) -> Self {
        let of_mode = |reason: String| format!("its bot for {mode}: {reason}");
        match self {
            Self::Unstartable { reason, output, timed_out } => {
                Self::Unstartable { reason: of_mode(reason), output, timed_out }
            }
            Self::Changed(what) => Self::Changed(what),
            Self::Shortage(reason) => Self::Shortage(of_mode(reason)),
        }
    }
}

impl From<String> for Unprepared {
    fn from(reason: String) -> Self {
        Self::Unstartable { reason, output: String::new(), timed_out: false }
    }
}

impl From<TreeError> for Unprepared {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Unreadable { ref source, .. } if is_shortage(source) => Self::Shortage(error.to_string()),
            TreeError::TooLarge { .. } | TreeError::TooMany { .. } => error.to_string().into(),
            error => format!("it could not be read: {error}").into(),
        }
    }
}
