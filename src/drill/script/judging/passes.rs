//! When the bot passes.

use super::leaving::leaves_well;
use super::whole_game::PLAYS;
use super::{Finding, Judgement, Shortfall, TrialFailure, worst};
use crate::base::sanitise::sanitised;
use crate::drill::script::{BoutEnd, BoutFacts};
use crate::game::{Move, Position};

/// Requires the bot to pass at once when it has no other move.
pub(in crate::drill::script) fn must_pass(games: &[BoutFacts]) -> Judgement {
    let judgement = worst(games, &[passes_at_once]);
    if judgement != Judgement::good() {
        return judgement;
    }
    let judgement = worst(games, &PLAYS);
    let times: usize = games.iter().map(|game| forced(game).count()).sum();
    match times {
        0 => nothing_tried(judgement, "A pass was never its only legal move, so nothing was tested."),
        _ => judgement,
    }
}

fn passes_at_once(game: &BoutFacts) -> Option<Shortfall> {
    let ply = forced(game).find(|ply| game.true_refusals().any(|refusal| refusal.ply == *ply))?;
    let refusal = game.true_refusals().find(|refusal| refusal.ply == ply)?;
    let (text, why) = (sanitised(&refusal.text), sanitised(&refusal.why));
    let summary = format!("A pass was its only legal move, but it sent `{text}`, which was refused: {why}.");
    Some(Shortfall::bad(TrialFailure::of_refusal(refusal.kind), summary))
}

/// The number of plies before each turn in which the bot's only legal move was a pass.
fn forced(game: &BoutFacts) -> impl Iterator<Item = usize> {
    turns(game).filter(|(_, position)| position.legal_moves() == [Move::PASS]).map(|(ply, _)| ply)
}

/// The bot's turns, each with the number of plies before it and the position.
fn turns(game: &BoutFacts) -> impl Iterator<Item = (usize, Box<dyn Position>)> {
    (0..=game.plies.len())
        .map(|ply| (ply, game.position_after(ply)))
        .filter(|(_, position)| position.outcome().is_none() && position.to_move() == game.side)
}

/// Requires the bot not to answer a pass with a pass that loses on the board, while the bot may still place a stone.
pub(in crate::drill::script) fn goes_on_while_behind(game: &BoutFacts) -> Option<Shortfall> {
    let BoutEnd::Played(result) = &game.end else { return None };
    let [.., before, last] = &game.plies[..] else { return None };
    let is_pass_back =
        before.side() != game.side && last.side() == game.side && before.played.is_pass() && last.played.is_pass();
    let own = result.margin().map(|margin| game.side.side().own(margin)).filter(|own| is_pass_back && *own < 0)?;
    let turn = game.position_after(game.plies.len() - 1);
    let other = turn.legal_moves().into_iter().find(|played| !played.is_pass())?;
    let by = own.unsigned_abs();
    let summary = format!(
        "It passed right after its opponent's pass, which ended the game, although it was behind by {by} and could have played {other} (`pass-back`)."
    );
    Some(Shortfall::poor(TrialFailure::PassedBack, summary))
}

/// Judges games that should end with the opponent's pass after a pass by the bot. If the bot never passes first,
/// nothing was tested.
pub(in crate::drill::script) fn double_pass(games: &[BoutFacts]) -> Judgement {
    let tried = games.iter().any(|game| game.plies.last().is_some_and(|last| last.side() != game.side));
    let judgement = worst(games, &[&PLAYS[..], &[leaves_well]].concat());
    if tried { judgement } else { nothing_tried(judgement, "It never passed first, so nothing was tested.") }
}

/// Returns `judgement`, or if it is good, a judgement that nothing was tested, for the reason `why`.
fn nothing_tried(judgement: Judgement, why: &str) -> Judgement {
    if judgement.finding != Finding::Good {
        return judgement;
    }
    Judgement { finding: Finding::Told, failure: None, summary: why.to_owned(), decisive: 0 }
}
