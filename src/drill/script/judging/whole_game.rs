//! A whole game: the bot connects, plays to the end with no line refused, and sends nothing afterwards.

use super::coming::comes;
use super::{Check, Finding, Shortfall, TrialFailure};
use crate::base::sanitise::sanitised;
use crate::drill::script::{BoutEnd, BoutFacts};

/// The checks of a whole game.
pub(in crate::drill::script) const PLAYS: [Check; 4] =
    [comes, reaches_the_end, is_not_refused, is_silent_after_the_end];

/// The game ends as planned.
pub(in crate::drill::script) fn reaches_the_end(game: &BoutFacts) -> Option<Shortfall> {
    let bad = |failure, summary: String| Some(Shortfall::bad(failure, summary));
    let at = place(game);
    match &game.end {
        BoutEnd::NotBegun | BoutEnd::Played(_) => None,
        BoutEnd::Resigned => bad(
            TrialFailure::Resigned,
            format!(
                "It resigned {at}. A tournament allows that, but this game has to be played to its end: add an option that turns resigning off."
            ),
        ),
        BoutEnd::FlagFell => bad(TrialFailure::FlagFell, format!("Its time ran out {at}.{}", doubt(game))),
        BoutEnd::Disconnected => {
            bad(TrialFailure::Disconnected, format!("It closed its connection {at}, before the game had ended."))
        }
        BoutEnd::Crashed(how) => {
            bad(TrialFailure::Crashed, format!("It ended {at}, before the game's end: {}.", sanitised(how)))
        }
        BoutEnd::LimitExceeded(how) => {
            bad(TrialFailure::LimitExceeded, format!("It exceeded a limit {at}: {}.", sanitised(how)))
        }
        BoutEnd::Stuck(how) => bad(
            TrialFailure::Stuck,
            match game.true_refusals().last() {
                Some(refusal) => format!(
                    "It was stuck {at}: {}; the last was `{}` ({}).",
                    sanitised(how),
                    sanitised(&refusal.text),
                    sanitised(&refusal.why)
                ),
                None => format!("It was stuck {at}: {}.", sanitised(how)),
            },
        ),
        BoutEnd::TimedOut => Some(Shortfall {
            finding: Finding::TooLong,
            failure: Some(TrialFailure::TimedOut),
            summary: format!("The game did not end in time; it stopped {at}.{}", doubt(game)),
        }),
        BoutEnd::Void(why) => {
            Some(Shortfall::told(format!("The game says nothing about the bot: {}.", sanitised(why))))
        }
    }
}

/// A note about a game that ended because of time, if it is unknown whether the machine was busy.
const fn doubt(game: &BoutFacts) -> &'static str {
    if game.starvation.is_none() {
        " How long it waited for a core is not known, so a busy machine may be to blame."
    } else {
        ""
    }
}

/// The state of the game, from the bot's point of view.
fn place(game: &BoutFacts) -> String {
    match game.own_plies().count() {
        0 => "before its first move".to_owned(),
        made => format!("after its move {made}"),
    }
}

/// No line of the bot is refused for a genuine reason.
pub(in crate::drill::script) fn is_not_refused(game: &BoutFacts) -> Option<Shortfall> {
    let refusal = game.true_refusals().next()?;
    let more = match game.true_refusals().count() - 1 {
        0 => String::new(),
        1 => " One more line of the game was refused.".to_owned(),
        more => format!(" {more} more lines of the game were refused."),
    };
    let (text, why) = (sanitised(&refusal.text), sanitised(&refusal.why));
    Some(Shortfall::bad(TrialFailure::of_refusal(refusal.kind), format!("`{text}` was refused: {why}.{more}")))
}

/// The bot sends no line after a game that ended on the board. If a game ends in the bot's turn, its move may cross with
/// the end.
pub(in crate::drill::script) fn is_silent_after_the_end(game: &BoutFacts) -> Option<Shortfall> {
    let after = game.said_after_end.first()?;
    let summary = format!("It sent `{}` after the game had ended.", sanitised(after));
    Some(Shortfall::bad(TrialFailure::SpokeAfterEnd, summary))
}
