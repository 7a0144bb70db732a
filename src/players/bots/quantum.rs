//! How the built-in bots think about the games of Quantum Gothello.

use super::thinkable::Thinkable;
use crate::base::random::SplitMix64;
use crate::game::rules::quantum::Game;
use crate::game::rules::{Move, Position as _};
use crate::players::bots::choice::one_of;

impl Thinkable for Game {
    fn lead_after(&self, played: Move) -> i32 {
        let mut after = self.clone();
        if after.play(played.as_str()).is_err() {
            return 0;
        }
        let board = after.to_string();
        let stones = |letter| i32::try_from(board.matches(letter).count()).unwrap_or(i32::MAX);
        self.to_move().own(stones('b') - stones('w'))
    }

    fn by_alphabeta(&self, _: u32, random: &mut SplitMix64) -> Move {
        let scored = self.legal_moves().into_iter().map(|played| (self.lead_after(played), played));
        one_of(scored, random).unwrap_or(Move::PASS)
    }

    fn by_playouts(&self, _: u32, _: impl FnMut() -> bool, random: &mut SplitMix64) -> Move {
        self.by_alphabeta(1, random)
    }
}
