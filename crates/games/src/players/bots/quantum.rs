//! How the built-in bots choose moves in the games of Quantum Gothello, for any number of seats.
//!
//! Squares and points are independent, so a search on squares does not have to look ahead into Go: it ends with the
//! last mode on squares. [`worth`] evaluates a position by the counts only, and [`on_grid`] and [`on_lines`] estimate
//! the count of the current mode.

mod alphabeta;
mod on_grid;
mod on_lines;
#[cfg(test)]
mod tests;
mod tree;
mod worth;

use super::mcts;
use super::thinkable::Thinkable;
use crate::base::random::SplitMix64;
use crate::game::Move;
use crate::game::quantum::{Game, LegalTurn, Mode, PerSeat};

impl Thinkable for Game {
    fn lead_after(&self, played: Move) -> i32 {
        let mut after = self.clone();
        // A legal move can always be parsed.
        if let Ok(turn) = self.read(played.as_str()) {
            after.advance(turn);
        }
        worth::lead(&after, &seeming_totals(&after), self.seat_to_move())
    }

    fn wins_by_passing(&self) -> bool {
        let mut after = self.clone();
        if self.may_pass() {
            after.advance(LegalTurn::Pass);
        }
        after.is_over() && after.standing().winner() == Some(self.seat_to_move())
    }

    fn passes_rather(&self, lead_by_placing: i32) -> bool {
        self.mode() == Some(Mode::Go) && self.lead_after(Move::PASS) >= lead_by_placing
    }

    /// Returns whether `played` fills an eye of the seat that plays it.
    fn is_idle(&self, played: Move) -> bool {
        match (self.read(played.as_str()), self.points()) {
            (Ok(LegalTurn::Point(point)), Some(board)) => board.is_own_eye(self.seat_to_move(), point),
            _ => false,
        }
    }

    fn by_alphabeta(&self, depth: u32, random: &mut SplitMix64) -> Move {
        self.text(alphabeta::best(self, depth, random))
    }

    fn by_playouts(&self, playouts: u32, go_on: impl FnMut() -> bool, random: &mut SplitMix64) -> Move {
        if self.wins_by_passing() {
            return Move::PASS;
        }
        self.text(mcts::best(&tree::Reached::root(self), playouts, go_on, random))
    }
}

/// Returns the sum of each seat's counts in all modes, as if the current mode ended now.
fn seeming_totals(game: &Game) -> PerSeat<i32> {
    let seats = game.rules().seats();
    let present = match game.mode() {
        None => PerSeat::default(),
        Some(Mode::Go) => on_lines::seeming_counts(game),
        Some(Mode::Reverse | Mode::Othello) => {
            let stones = game.stones_on_squares();
            PerSeat::from_fn(seats, |seat| i32::from(stones[seat]))
        }
    };
    let counted = worth::counted(game);
    PerSeat::from_fn(seats, |seat| counted[seat] + present[seat])
}
