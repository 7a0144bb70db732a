//! How the bot leaves after the game. The result is already final, so nothing here is worse than a warning.

use super::{Shortfall, TrialFailure};
use crate::base::sanitise::sanitised;
use crate::drill::script::{BoutFacts, ProcessExit, Speaker};

/// How the runtimes of common languages begin reports of uncaught exceptions.
const UNCAUGHT: [&str; 7] = [
    "Traceback (most recent call last)",
    "Exception in thread",
    "panicked at",
    "terminate called after throwing",
    "Unhandled exception",
    "Uncaught ",
    "Segmentation fault",
];

/// Requires the bot to exit on its own in time, with status 0 and no exception on stderr. There is nothing to check if
/// the arena did not start the bot, or if the game did not reach its end.
pub(in crate::drill::script) fn leaves_well(game: &BoutFacts) -> Option<Shortfall> {
    let process = game.process.as_ref().filter(|_| game.end.is_of_whole_game())?;
    let last = last_line(game);
    let uncaught = UNCAUGHT.into_iter().find(|sign| process.stderr.contains(sign));
    let (failure, what) = match (process.exit, uncaught) {
        (Some(ProcessExit::Status(0)), Some(sign)) => {
            (TrialFailure::RaisedAfterEnd, format!("exited with status 0, but wrote `{sign}` to stderr"))
        }
        (Some(ProcessExit::Status(0)), None) | (None, _) => return leaves(game),
        (Some(ProcessExit::Status(status)), _) => {
            (TrialFailure::FailedAfterEnd, format!("exited with status {status}"))
        }
        (Some(ProcessExit::Signal(signal)), _) => {
            (TrialFailure::FailedAfterEnd, format!("was killed by signal {signal}"))
        }
    };
    Some(Shortfall::poor(failure, format!("It {what} after the game's end{last}.")))
}

/// Requires the bot to exit on its own in time.
pub(in crate::drill::script) fn leaves(game: &BoutFacts) -> Option<Shortfall> {
    let process = game.process.as_ref().filter(|_| game.end.is_of_whole_game())?;
    let last = last_line(game);
    process.left_after.is_none().then(|| {
        let summary = format!("It did not exit within `quit_timeout` after the game's end{last}.");
        Shortfall::poor(TrialFailure::Stayed, summary)
    })
}

/// Returns `, announced by ...` with the last line that the arena sent.
fn last_line(game: &BoutFacts) -> String {
    match game.transcript.lines_by(Speaker::Arena).last() {
        Some(line) => format!(", announced by `{}`", sanitised(&line)),
        None => String::new(),
    }
}
