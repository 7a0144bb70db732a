//! Why a bot failed a scenario, explained to its author.
//!
//! A diagnosis is based only on a player's trials and source files. Nothing is diagnosed for a scenario that passes.
//! Each cause has its own signs; [`CauseSearch`] then applies the same three rules to all causes:
//!
//! 1. A cause is reported only for failures that it can explain ([`Cause::explains`]).
//! 2. A cause is not reported if anything observed in any game contradicts it.
//! 3. A cause is not reported unless a second game with the same seed shows it again ([`Cause::proof`]). This is tested
//!    once per bot, in the shortest game that showed it.
//!
//! | room | contents |
//! | --- | --- |
//! | `board` | wrong models of the board: D04 to D07 and D20 |
//! | `clocks` | D01, D13, D15 and D16 |
//! | `contradictions` | observations that contradict each cause |
//! | `source_lines` | searching for lines in sources |
//! | `endings` | failures after a game: D11, D12 and D17 |
//! | `exceptions` | D18 |
//! | `inquiry` | queries about a trial, used by all causes |
//! | `language` | the language that a bot is written in |
//! | `search` | applies the three rules |
//! | `speech` | how lines are read and written: D08 to D10 and D19 |
//! | `startup` | causes that keep a bot from connecting: D02, D03, D14 and D21 |
//! | `stderr` | runtimes' output when a program fails |

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
pub(super) mod trials_for_tests;

pub use self::search::{CauseSearch, WantedReplay};
pub use crate::drill::readiness::{Cause, Diagnosis, SourcePlace};

/// The source files of a bot that were read. Their number and size are limited.
#[derive(Clone, Debug, Default)]
pub struct SourceFiles {
    /// Each file's name, relative to the bot's directory, and its text. Neither can be trusted.
    pub files: Vec<(String, String)>,
    /// The words of the bot's command.
    pub command: Vec<String>,
    /// The names that the bot may use for the referee's host, in addition to the host that its command contains.
    pub hosts: Vec<String>,
}

/// The maximum number of causes reported for one trial.
pub const MAX_CAUSES: usize = 3;

/// Returns the last exception or panic reported on `stderr`: its kind and its message, which are hostile text.
pub fn exception_in(stderr: &str) -> Option<String> {
    stderr::uncaught(stderr).map(|uncaught| uncaught.headline)
}

/// The line of code that the stack of the last exception on `stderr` shows for `place`. The line is hostile text, and
/// empty if the runtime shows no code. `None` if the stack does not contain `place`.
pub fn code_at(stderr: &str, place: &SourcePlace) -> Option<String> {
    let is_there = |call: &&stderr::StackLine| {
        Some(call.line) == place.line && (call.file == place.file || call.file.ends_with(&format!("/{}", place.file)))
    };
    stderr::uncaught(stderr)?.calls.iter().find(is_there).map(|call| call.code.clone())
}
