//! Which cause explains which failures in games.

use crate::base::sanitise::sanitised;
use crate::course::grades::{GradedGame, KeptCause};
use crate::drill::readiness::Cause;
use crate::drill::script::TrialFailure;
use crate::referee::result::Termination;

/// Whether the cause with this code explains refused moves.
pub(super) fn explains_refusals(code: &str) -> bool {
    let cause = Cause::ALL.into_iter().find(|cause| cause.name() == code);
    cause.is_some_and(|cause| cause.explains().contains(&TrialFailure::Illegal))
}

/// Whether `cause`, the cause of a failed check, also explains why the student forfeited `game`: the cause can lead to
/// this kind of ending, and the game shows signs of it.
pub(super) fn explains_forfeit(cause: &KeptCause, game: &GradedGame) -> bool {
    let Some(known) = Cause::ALL.into_iter().find(|known| known.name() == cause.code) else { return false };
    let failure = match game.forfeit() {
        Some(Termination::Crash) => TrialFailure::Crashed,
        Some(Termination::Disconnect) => TrialFailure::Disconnected,
        Some(Termination::NoShow) => TrialFailure::Absent,
        Some(Termination::Time) => TrialFailure::FlagFell,
        _ => return false,
    };
    let has_moved = game.record.plies.iter().any(|ply| ply.side() == game.side);
    let is_shown = match known {
        // A bot with this mistake exits on the first line of each game.
        Cause::ClockNameError => !has_moved,
        // A bot that falls silent after a refusal is not slow: it hangs.
        Cause::Slow => game.record.unfinished.as_ref().is_none_or(|turn| turn.tries.shown.is_empty()),
        _ => failure != TrialFailure::FlagFell && says_the_same(cause, game),
    };
    is_shown && known.explains().contains(&failure)
}

/// Whether the bot's stderr in `game` also contains the exception that is evidence of `cause`.
fn says_the_same(cause: &KeptCause, game: &GradedGame) -> bool {
    let Some(said) = cause.evidence.iter().find_map(|line| line.strip_prefix("stderr: ")) else { return false };
    // The evidence ends with dots if it is truncated.
    let said = said.trim_end_matches("...");
    let stderr = game.stderr_tail.as_deref().unwrap_or_default();
    !said.is_empty() && stderr.lines().any(|line| sanitised(line).contains(said))
}
