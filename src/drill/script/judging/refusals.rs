//! The bot's reaction to a refused line.

use super::{Shortfall, TrialFailure};
use crate::base::sanitise::sanitised;
use crate::drill::script::{BoutFacts, Refusal};
use crate::referee::record::TryKind;

/// Reports a game in which none of the bot's moves could be refused, so nothing was tested.
pub(in crate::drill::script) fn was_tried(game: &BoutFacts) -> Option<Shortfall> {
    let is_played = game.end.is_as_planned();
    let tried = game.refusals.iter().any(|refusal| refusal.forged);
    (is_played && !tried)
        .then(|| Shortfall::told("It made no move that could have been refused, so nothing was tested."))
}

/// Requires the bot not to repeat a move that was refused as illegal, unless it has no other move.
pub(in crate::drill::script) fn sends_another_move(game: &BoutFacts) -> Option<Shortfall> {
    let again = game.refusals.iter().find(|refusal| refusal.forged && was_sent_again(game, refusal))?;
    let text = sanitised(&again.text);
    let summary = format!("It sent `{text}` again, although that line had been refused as illegal.");
    Some(Shortfall::bad(TrialFailure::SentAgain, summary))
}

fn was_sent_again(game: &BoutFacts, refusal: &Refusal) -> bool {
    let times = game.refusals.iter().filter(|other| other.ply == refusal.ply && other.text == refusal.text).count();
    let accepted = game.plies.get(refusal.ply).is_some_and(|ply| {
        let mut words = refusal.text.split_whitespace();
        words.any(|word| word == ply.played.as_str())
    });
    refusal.kind == TryKind::Illegal && (times > 1 || accepted) && had_another_move(game, refusal.ply)
}

/// Whether more than one move was legal after `ply` plies.
fn had_another_move(game: &BoutFacts, ply: usize) -> bool {
    game.position_after(ply).legal_moves().len() > 1
}
