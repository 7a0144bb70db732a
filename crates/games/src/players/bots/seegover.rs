//! How the built-in bots choose moves in Seegover.
//!
//! Searches use only the stones. The game's history matters only because of the rule against cycles, under which a
//! position that has already occurred is a draw, or the turn that leads to it is forbidden.

mod alphabeta;
mod evaluation;
mod tree;

use super::mcts;
use super::thinkable::Thinkable;
use crate::base::random::SplitMix64;
use crate::game::seegover::{Board, CENTRE, DropRule, Game, Options, Play, View, squares};
use crate::game::{Move, Side};

impl Thinkable for Game {
    fn lead_after(&self, played: Move) -> i32 {
        // A legal move has the form of a turn.
        let after = Play::parse(played.as_str(), self.rules().drop).map(|play| self.view().after(play, self.rules()));
        after.map_or(0, evaluation::lead)
    }

    fn by_alphabeta(&self, depth: u32, random: &mut SplitMix64) -> Move {
        // The game is not over, so there is a turn.
        alphabeta::best(self, depth, random).map_or(Move::PASS, Play::to_move)
    }

    fn by_playouts(&self, playouts: u32, go_on: impl FnMut() -> bool, random: &mut SplitMix64) -> Move {
        mcts::best(&tree::InTree::root(self), playouts, go_on, random).to_move()
    }
}

/// Returns whether the position `view`, from the perspective of `side`, which is to move, has occurred in `game`.
fn has_occurred(game: &Game, view: View, side: Side) -> bool {
    view.hole().is_some() && game.has_occurred(Board::of(side, view), side)
}

/// Returns the side that has lost, if any; `view` is from the perspective of `side`.
const fn loser(view: View, side: Side) -> Option<Side> {
    if view.hole().is_none() {
        None
    } else if view.is_lost() {
        Some(side)
    } else if view.swapped().is_lost() {
        Some(side.opponent())
    } else {
        None
    }
}

/// Calls `visit` with every turn of either phase and the stones after it, from the opponent's perspective. The rule
/// against cycles is not applied.
fn each_turn(view: View, rules: Options, mut visit: impl FnMut(Play, View)) {
    if view.hole().is_some() {
        return view.each_turn(rules, |play, after| visit(play, after.swapped()));
    }
    let free = view.empty() & !CENTRE.bit();
    let mut drop = |play| visit(play, view.after(play, rules).swapped());
    for first in squares(free) {
        match rules.drop {
            DropRule::One => drop(Play::Drop(first)),
            DropRule::Two => {
                squares(free).filter(|&second| second > first).for_each(|second| drop(Play::Pair(first, second)));
            }
        }
    }
}
