//! The perfect opponents, one for each rule set that has exact values.

mod gothello;

use std::time::Duration;

use crate::game::rules::Move;
use crate::players::bots::{Bot, Thinkable};

pub use gothello::Perfect;

/// What is known about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The move keeps the winner and the margin.
    Margin,
    /// The move keeps the winner.
    Winner,
    /// Nothing, for lack of time.
    Nothing,
    /// The move is an error, made on purpose.
    Error,
}

/// A bot that plays the best moves of a game.
pub trait BestPlay<G: Thinkable> {
    /// Returns the bot that plays where nothing is proven, and that errs.
    fn guesser(&mut self) -> &mut Bot;

    /// Returns moves that are equally good, the chosen one first, with what is known about it. These are all such moves if all
    /// were found. `left` is the time on the clock of the side to move, if there is one; the game must not be over.
    fn best(&mut self, game: &G, left: Option<Duration>) -> (Vec<Move>, Proof);

    /// Returns the move of the side whose turn it is, with `left` on its clock, if there is one; the game must not be over.
    fn choose(&mut self, game: &G, left: Option<Duration>) -> (Move, Proof) {
        let (best, proof) = self.best(game, left);
        if !self.guesser().errs() {
            return (best[0], proof);
        }
        (self.guesser().another(game, &best), Proof::Error)
    }

    /// Returns a legal move that is not in `refused`, found without a search.
    fn instead(&mut self, game: &G, refused: &[Move]) -> Move {
        self.guesser().instead(game, refused)
    }
}

impl BestPlay<crate::game::rules::seegover::Game> for std::convert::Infallible {
    fn guesser(&mut self) -> &mut Bot {
        match *self {}
    }

    fn best(&mut self, _: &crate::game::rules::seegover::Game, _: Option<Duration>) -> (Vec<Move>, Proof) {
        match *self {}
    }
}
