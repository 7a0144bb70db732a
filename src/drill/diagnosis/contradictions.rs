//! Contradictions of causes: behaviour that a bot with the suspected fault cannot show in any game.

use super::clocks::{has_clocks, has_crashed};
use super::endings::{code_of, is_ordinary, takes_end};
use super::inquiry::Subject;
use super::startup::lack_line;
use super::stderr::uncaught;
use crate::drill::readiness::{Cause, Trial};
use crate::drill::script::{BoutEnd, BoutFacts, Coming};

/// Whether any observation contradicts `cause` as the cause of the failure in `subject`.
pub(super) fn is_contradicted(cause: Cause, subject: &Subject<'_>) -> bool {
    let inquiry = subject.inquiry;
    let games = || {
        let all = inquiry.trials.iter().flat_map(|trial| trial.games.iter().map(move |game| (trial, game)));
        all.filter(|(_, game)| !game.is_void())
    };
    let same_side = || games().filter(|(_, game)| game.side == subject.game.side);
    match cause {
        // The bot has read the line `101`, and moved.
        Cause::ClockNameError => same_side().any(|(_, game)| has_clocks(game) && game.own_plies().next().is_some()),
        Cause::FixedHost | Cause::StandardStreams => games().any(|(_, game)| game.coming == Coming::Seated),
        Cause::FixedSide => same_side().any(|(_, game)| game.coming == Coming::Seated),
        Cause::Missing => {
            let is_seated = || same_side().any(|(_, game)| game.coming == Coming::Seated);
            (subject.is_absent() && is_seated())
                || lack_line(subject).is_some_and(|line| subject.has_gone_on_after(&line))
        }
        // The bot caught the same exception in another game, and played on.
        Cause::OwnException => {
            subject.uncaught.as_ref().is_some_and(|uncaught| subject.has_gone_on_after(&uncaught.headline))
        }
        // The bot moved too early, so it may have used the number of its previous move.
        Cause::MoveNumber => inquiry.replays.iter().any(|game| game.early == Some(true)),
        Cause::LineByRecv => games().any(|(trial, game)| is_alike_elsewhere(subject, trial, game)),
        Cause::DrawAsError => games().any(|(_, game)| matches!(code_of(game), Some(203 | 325 | 326)) && takes_end(game)),
        Cause::EndCodes => {
            let code = code_of(subject.game).filter(|code| !is_ordinary(*code));
            code.is_some() && games().any(|(_, game)| code_of(game) == code && takes_end(game))
        }
        Cause::OwnOpponentSwapped => {
            games().any(|(trial, game)| trial.scenario.id == "clock" && game.end == BoutEnd::FlagFell)
        }
        // These causes are detected in all games together, so no single game contradicts them.
        Cause::NoCaptures
        | Cause::SuicideOrder
        | Cause::FlippedBoard
        | Cause::PassBack
        | Cause::TriesPoints
        // The signs of these causes are observed directly, not inferred.
        | Cause::MovesEarly
        | Cause::Buffered
        | Cause::BusyWait
        | Cause::Slow
        | Cause::DiesAfterEnd => false,
    }
}

/// Whether the bot fails in `game` in the same way as in `subject`, although each line of `game` is sent whole and
/// separately.
fn is_alike_elsewhere(subject: &Subject<'_>, trial: &Trial, game: &BoutFacts) -> bool {
    if ["split", "merged"].contains(&trial.scenario.id) {
        return false;
    }
    let headline = |game: &BoutFacts| uncaught(game.stderr()).map(|uncaught| uncaught.headline);
    let is_alike =
        trial.failure == Some(subject.failure) && trial.decisive_game().is_some_and(|one| std::ptr::eq(one, game));
    let has_same_words = || has_crashed(game) && subject.uncaught.is_some() && headline(game) == headline(subject.game);
    is_alike || has_same_words()
}
