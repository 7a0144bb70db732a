//! Turns that keep the value of a position of Seegover.

use crate::exact::seegover::Expert;
use crate::game::seegover::{Game, Play};
use crate::game::{Move, Side};

/// A move that keeps the value of the current position of `game`, in which `winner` wins; in the move phase, the move
/// that wins soonest.
pub(super) fn keeping(expert: &mut Expert, game: &Game, winner: Option<Side>) -> Option<Move> {
    if game.board().is_full() {
        let turns = expert.turns_in_history(game).ok()?.into_iter();
        let soonest = turns.filter(|(_, value)| value.winner == winner).min_by_key(|(_, value)| value.depth);
        return soonest.map(|(play, _)| play.to_move());
    }
    if winner == Some(game.side())
        && let Ok(Some(play)) = expert.winning_drop(game)
    {
        return Some(play.to_move());
    }
    let mut plays = game.plays().into_iter();
    plays.find(|&play| expert.winner(&game.after(play)).ok() == Some(winner)).map(Play::to_move)
}

/// A move for the side that loses `game`; in the move phase, the move that delays the end for as long as possible.
pub(super) fn resisting(expert: &mut Expert, game: &Game) -> Option<Move> {
    if game.board().is_full() {
        let turns = expert.turns_in_history(game).ok()?.into_iter();
        return turns.max_by_key(|(_, value)| value.depth).map(|(play, _)| play.to_move());
    }
    game.plays().first().map(|play| play.to_move())
}
