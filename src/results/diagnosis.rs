//! Why a bot failed a scenario, in words that its author understands.
//!
//! A diagnosis follows from the trials of a player and from its source files alone. Nothing is diagnosed on a scenario that
//! passes, and nothing without evidence that a bot without the fault cannot give.
//!
//! | part | what it holds |
//! | --- | --- |
//! | `board` | wrong ideas of the board: D04 to D07 |
//! | `clocks` | D01, D13, D15 and D16 |
//! | `source_lines` | looking for lines in sources |
//! | `endings` | what goes wrong after a game: D11, D12 and D17 |
//! | `inquiry` | what all causes ask about a trial |
//! | `language` | the language that a bot is written in |
//! | `speech` | how lines are read and written: D08 to D10 |
//! | `startup` | what keeps a bot from its seat: D02, D03 and D14 |
//! | `stderr` | what runtimes write when a program fails |

mod board;
mod clocks;
mod endings;
mod inquiry;
mod language;
mod source_lines;
mod speech;
mod startup;
mod stderr;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trials_for_tests;

use self::board::evidence::BoardEvidence;
use self::inquiry::{Inquiry, Subject};
use self::source_lines::SourceCode;
use crate::results::readiness::Trial;

pub use crate::results::readiness::{Cause, Diagnosis, SourcePlace};

/// A bot's source files, as far as they were read: bounded in number and size.
#[derive(Clone, Debug, Default)]
pub struct SourceFiles {
    /// Each file's name, relative to the bot's directory, and its text. Both are hostile text.
    pub files: Vec<(String, String)>,
    /// The words of the bot's command.
    pub command: Vec<String>,
}

/// The most causes that one trial is given.
pub const MAX_CAUSES: usize = 3;

/// Finds the causes of each trial that did not pass, at most [`MAX_CAUSES`] each. All trials of one player are given at once,
/// as some causes show only in comparison.
pub fn diagnose(trials: &mut [Trial], sources: &SourceFiles) {
    let inquiry = Inquiry { trials, code: SourceCode::new(sources), board: BoardEvidence::of(trials) };
    let found: Vec<Vec<Diagnosis>> =
        (0..trials.len()).map(|index| inquiry.subject(index).map_or(Vec::new(), |subject| causes(&subject))).collect();
    for (trial, diagnoses) in trials.iter_mut().zip(found) {
        trial.diagnoses = diagnoses;
    }
}

/// The causes of one trial, the surest first.
fn causes(subject: &Subject<'_>) -> Vec<Diagnosis> {
    let mut found: Vec<Diagnosis> = startup::find(subject).into_iter().collect();
    found.extend(clocks::find(subject));
    found.extend(speech::find(subject));
    found.extend(board::find(subject));
    found.extend(endings::find(subject));
    found.truncate(MAX_CAUSES);
    found
}
