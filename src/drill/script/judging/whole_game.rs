//! A whole game: the bot connects, plays to the end with no line refused, and sends nothing afterwards.

use super::coming::comes;
use super::{Check, Finding, Shortfall, TrialFailure};
use crate::base::sanitise::sanitised;
use crate::drill::script::{BoutEnd, BoutFacts, ClockPart, ClockUse};
use crate::game::Seat;
use crate::referee::times::DecimalSeconds;
use crate::referee::wire::Action;

/// The checks of a whole game.
pub(in crate::drill::script) const PLAYS: [Check; 4] =
    [comes, reaches_the_end, is_not_refused, is_silent_after_the_end];

/// Requires the game to end as planned.
pub(in crate::drill::script) fn reaches_the_end(game: &BoutFacts) -> Option<Shortfall> {
    let bad = |failure, summary: String| Some(Shortfall::bad(failure, summary));
    let at = place(game);
    match &game.end {
        BoutEnd::NotBegun | BoutEnd::Played(_) | BoutEnd::PlayedInGroup | BoutEnd::PlayedMode => None,
        BoutEnd::Resigned => bad(
            TrialFailure::Resigned,
            format!(
                "It resigned {at}. A tournament allows that, but this game has to be played to its end: add an option that turns resigning off."
            ),
        ),
        BoutEnd::FlagFell => {
            bad(TrialFailure::FlagFell, format!("Its time ran out {at}{}.{}", why_flag_fell(game), doubt(game)))
        }
        BoutEnd::OutOfWallTime => bad(
            TrialFailure::FlagFell,
            format!("Its time ran out {at}: {}.{}", why_wall_time_ran_out(game), doubt(game)),
        ),
        BoutEnd::Disconnected => {
            bad(TrialFailure::Disconnected, format!("It closed its connection {at}, before the game had ended."))
        }
        BoutEnd::Crashed(how) => {
            bad(TrialFailure::Crashed, format!("Its process ended {at}, before the game ended: {}.", sanitised(how)))
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

/// Why the bot's flag fell, preceded by a colon; empty if the wall time for the whole game was used up.
fn why_flag_fell(game: &BoutFacts) -> String {
    let used = ClockUse::of(game).filter(|used| used.part != ClockPart::Game || game.counts_cpu());
    used.map_or(String::new(), |used| format!(": {}", used.of_flag_fall()))
}

/// Why the bot's wall time ran out, although its clock counts CPU time.
fn why_wall_time_ran_out(game: &BoutFacts) -> String {
    let limit = game.wall_limit.unwrap_or_default();
    format!(
        "its turns took more than {} s of wall time in all (key `wall_limit`), of which it computed for only {:.2} s",
        DecimalSeconds(limit),
        game.used.as_secs_f64()
    )
}

/// A note about a game that ended because time ran out, if it is unknown whether the machine was busy. A clock that
/// counts CPU time does not run while the bot waits for a core.
fn doubt(game: &BoutFacts) -> &'static str {
    if game.starvation.is_none() && !(game.counts_cpu() && game.end == BoutEnd::FlagFell) {
        " How long it waited for a core is not known, so a busy machine may be to blame."
    } else {
        ""
    }
}

/// How far the game has progressed, from the bot's point of view.
fn place(game: &BoutFacts) -> String {
    match game.own_plies().count() {
        0 => "before its first move".to_owned(),
        made => format!("after its move {made}"),
    }
}

/// Requires that no line from the bot is refused for a genuine reason.
pub(in crate::drill::script) fn is_not_refused(game: &BoutFacts) -> Option<Shortfall> {
    let refusal = game.true_refusals().next()?;
    let more = match game.true_refusals().count() - 1 {
        0 => String::new(),
        1 => " One more line was refused in this game.".to_owned(),
        more => format!(" {more} more lines were refused in this game."),
    };
    let (text, why) = (sanitised(&refusal.text), sanitised(&refusal.why));
    Some(Shortfall::bad(TrialFailure::of_refusal(refusal.kind), format!("`{text}` was refused: {why}.{more}")))
}

/// Whether `line` is the bot's next move in a game with more than two seats. Such a game announces its end in the line
/// after the last move's line, so the last move's line alone does not tell the next seat that the game is over.
fn crosses_with_placing(game: &BoutFacts, line: &str) -> bool {
    let (seats, own) = (game.ruleset.seats(), game.side.seat());
    let last = game.plies.last().map(|ply| ply.seat);
    let is_in = |seat: &Seat| game.outs.iter().all(|(_, out)| out != seat);
    let after = |last: Seat| Seat::all(seats).cycle().skip(last.index() + 1).take(seats.into()).find(is_in);
    let next = last.map_or_else(|| Seat::all(seats).find(is_in), after);
    let Ok(Action::Numbered { number, dots, .. }) = line.parse() else { return false };
    let is_due = i64::try_from(1 + game.own_plies().count()) == Ok(number) && dots == own.index();
    seats > 2 && next == Some(own) && is_due
}

/// Requires the bot not to send a line after a game that ended on the board. If a game ends in the bot's turn, the bot
/// may have sent its move before it learned of the end.
pub(in crate::drill::script) fn is_silent_after_the_end(game: &BoutFacts) -> Option<Shortfall> {
    let crossing = usize::from(game.said_after_end.first().is_some_and(|line| crosses_with_placing(game, line)));
    let after = game.said_after_end.get(crossing)?;
    let summary = format!("It sent `{}` after the game had ended.", sanitised(after));
    Some(Shortfall::bad(TrialFailure::SpokeAfterEnd, summary))
}
