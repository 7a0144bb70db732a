//! The stages of confinement. Each is this very program, started again with a control socket for its stdin.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `namespaces` | the first stage: namespaces, their loopback, the seat's listener |
//! | `init` | the second: pid 1 of the namespaces |
//! | `warden` | the first stage where there are no namespaces |
//! | `enter` | the last steps of every bot: it gives up privileges, and becomes the bot |

mod enter;
mod init;
mod namespaces;
mod warden;

use std::io;

use super::control_messages::{Failed, StageReport, send};

/// A stage of confinement. The command line has it as `confine` and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Makes the namespaces.
    Namespaces,
    /// Is their pid 1.
    Init,
    /// Is the child subreaper where there are no namespaces.
    Warden,
    /// Becomes the bot, where the warden started it.
    Enter,
}

impl Stage {
    /// The stage of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "namespaces" => Self::Namespaces,
            "init" => Self::Init,
            "warden" => Self::Warden,
            "enter" => Self::Enter,
            _ => return None,
        })
    }

    /// Runs the stage in this process, which must have no other threads. Returns the exit code.
    pub(crate) fn run(self) -> u8 {
        match self {
            Self::Namespaces => reported(namespaces::run()),
            Self::Init => reported(init::run().map(|()| 0)),
            Self::Warden => reported(warden::run().map(|()| 0)),
            Self::Enter => enter::run(),
        }
    }
}

/// Returns the exit code of a stage that has ended, and reports a failure to the arena.
fn reported(ended: Result<u8, Failed>) -> u8 {
    ended.unwrap_or_else(|failed| {
        // If the report does not reach the arena, the arena still sees the end of the socket.
        let _ = send(io::stdin(), &StageReport::Failed(failed), &[]);
        1
    })
}
