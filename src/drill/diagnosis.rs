//! Why a bot failed a scenario, in words that its author understands.
//!
//! A diagnosis follows from the trials of a player and from its source files alone. Nothing is diagnosed on a scenario that
//! passes. Each cause looks for its own signs; [`CauseSearch`] then holds all of them to the same three rules:
//!
//! 1. A cause is told only under failures that it can explain ([`Cause::explains`]).
//! 2. It is not told if anything that was seen in any game contradicts it.
//! 3. It is not told unless a second game with the same seed shows it again ([`Cause::proof`]), once for each bot, in the shortest
//!    game that showed it.
//!
//! | part | what it holds |
//! | --- | --- |
//! | `board` | wrong ideas of the board: D04 to D07 and D20 |
//! | `clocks` | D01, D13, D15 and D16 |
//! | `contradictions` | what contradicts each cause |
//! | `source_lines` | looking for lines in sources |
//! | `endings` | what goes wrong after a game: D11, D12 and D17 |
//! | `exceptions` | D18 |
//! | `inquiry` | what all causes ask about a trial |
//! | `language` | the language that a bot is written in |
//! | `search` | the three rules |
//! | `speech` | how lines are read and written: D08 to D10 and D19 |
//! | `startup` | what keeps a bot from its seat: D02, D03, D14 and D21 |
//! | `stderr` | what runtimes write when a program fails |

mod board;
mod clocks;
mod contradictions;
mod endings;
mod exceptions;
mod inquiry;
mod language;
mod search;
mod source_lines;
mod speech;
mod startup;
mod stderr;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trials_for_tests;

pub use self::search::{CauseSearch, WantedReplay};
pub use crate::drill::readiness::{Cause, Diagnosis, SourcePlace};

/// A bot's source files, as far as they were read: bounded in number and size.
#[derive(Clone, Debug, Default)]
pub struct SourceFiles {
    /// Each file's name, relative to the bot's directory, and its text. Both are hostile text.
    pub files: Vec<(String, String)>,
    /// The words of the bot's command.
    pub command: Vec<String>,
    /// The names that the bot may use for the referee's host, beside the one that its command gives.
    pub hosts: Vec<String>,
}

/// The most causes that one trial is given.
pub const MAX_CAUSES: usize = 3;

/// The last exception or panic that stderr reports: its kind and its message. It is hostile text.
pub fn exception_in(stderr: &str) -> Option<String> {
    stderr::uncaught(stderr).map(|uncaught| uncaught.headline)
}
