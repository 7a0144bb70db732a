//! How the built-in bots choose their moves: pure functions of the game and of each bot's own random numbers.
//!
//! These bots do not read a clock, so the same seeds give the same games on every machine.

mod builtin;
mod choice;
mod gothello;
mod mcts;
mod quantum;
mod seegover;
mod thinkable;

use std::num::NonZeroU32;

pub use builtin::{Builtin, DEFAULT_DEPTH, DEFAULT_PLAYOUTS, ErrorRate, InvalidErrorRate, Thinker, UnknownThinker};
pub use thinkable::Thinkable;

use crate::base::random::SplitMix64;
use crate::game::{Move, Position};
use choice::one_of;

/// A built-in bot, with the random numbers of one game.
#[derive(Clone, Debug)]
pub struct Bot {
    thinker: Thinker,
    depth: NonZeroU32,
    playouts: NonZeroU32,
    error: ErrorRate,
    random: SplitMix64,
}

impl Bot {
    /// Creates a bot that never errs and takes its random numbers from `seed`. Only [`Thinker::Alphabeta`] uses
    /// `depth`; `None` means [`DEFAULT_DEPTH`].
    pub fn new(thinker: Thinker, depth: Option<NonZeroU32>, seed: u64) -> Self {
        Self::of(Builtin { depth, ..Builtin::new(thinker) }, seed)
    }

    /// Creates the bot that `bot` describes. Its random numbers come from `seed`, unless `bot` has its own seed.
    pub fn of(bot: Builtin, seed: u64) -> Self {
        Self {
            thinker: bot.thinker,
            depth: bot.depth.unwrap_or(DEFAULT_DEPTH),
            playouts: bot.playouts.unwrap_or(DEFAULT_PLAYOUTS),
            error: bot.error,
            random: SplitMix64::new(bot.seed.unwrap_or(seed)),
        }
    }

    /// Returns the bot's move for the side to move; the game must not be over. Bots with the same settings and seed
    /// return the same moves if they are asked about the same games in the same order.
    ///
    /// Every bot passes if there is no other move. [`Thinker::Greedy`] and [`Thinker::Alphabeta`] also pass if that
    /// wins immediately, unless the search sees a bigger win, and neither of them passes if that loses immediately and
    /// the loss can be avoided. A bot that errs plays a legal move other than the one it found, with the given
    /// probability.
    ///
    /// For [`Thinker::Perfect`], this is only the move that it chooses by playouts when it cannot prove anything.
    /// Everything else needs a clock, and is part of [`Perfect`](crate::players::perfect::Perfect).
    pub fn choose<G: Thinkable>(&mut self, game: &G) -> Move {
        let found = self.find(game, || true);
        if self.errs() { self.another(game, &[found]) } else { found }
    }

    /// Does the same as [`Bot::choose`], but never errs. If the bot makes playouts, `go_on` is called before each of
    /// them; when it returns `false`, there are no more playouts.
    pub fn find<G: Thinkable>(&mut self, game: &G, go_on: impl FnMut() -> bool) -> Move {
        match self.thinker {
            Thinker::Random | Thinker::Greedy => self.instead(game, &[]),
            Thinker::Alphabeta => game.by_alphabeta(self.depth.get(), &mut self.random),
            Thinker::Mcts | Thinker::Perfect => game.by_playouts(self.playouts.get(), go_on, &mut self.random),
        }
    }

    /// Sets the rate at which the bot errs from now on.
    pub const fn set_error(&mut self, error: ErrorRate) {
        self.error = error;
    }

    /// Sets the number of playouts for a move, if the bot makes any.
    pub(crate) const fn set_playouts(&mut self, playouts: NonZeroU32) {
        self.playouts = playouts;
    }

    /// Returns whether to err this time. A bot that never errs does not draw a random number for this.
    pub(crate) fn errs(&mut self) -> bool {
        let millionths = u64::from(self.error.millionths());
        millionths > 0 && self.random.below(ErrorRate::WHOLE.into()) < millionths
    }

    /// Returns a random legal move that is not in `best`, with all such moves equally likely. `best` must not be empty;
    /// if there is no other move, the first move in `best` is returned.
    pub fn another(&mut self, game: &dyn Position, best: &[Move]) -> Move {
        let mut others = game.legal_moves();
        others.retain(|other| !best.contains(other));
        let nth = usize::try_from(self.random.below(others.len() as u64)).unwrap_or(0);
        others.get(nth).copied().unwrap_or(best[0])
    }

    /// Returns a legal move that is not in `refused`, found without a search: for [`Thinker::Random`], any move except
    /// idle ones; for the other thinkers, the move that leads to the greatest lead. A pass is the last resort, unless
    /// it wins immediately or is better according to the game; it is also returned if `refused` contains all legal
    /// moves.
    pub fn instead<G: Thinkable>(&mut self, game: &G, refused: &[Move]) -> Move {
        let is_random = self.thinker == Thinker::Random;
        if !is_random && !refused.contains(&Move::PASS) && game.wins_by_passing() {
            return Move::PASS;
        }
        let mut left = game.legal_moves();
        let is_out = |played: &Move| played.is_pass() || refused.contains(played) || is_random && game.is_idle(*played);
        left.retain(|played| !is_out(played));
        let scored = left.into_iter().map(|played| (if is_random { 0 } else { game.lead_after(played) }, played));
        match one_of(scored, &mut self.random) {
            Some((lead, _)) if !is_random && !refused.contains(&Move::PASS) && game.passes_rather(lead) => Move::PASS,
            best => best.map_or(Move::PASS, |(_, played)| played),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::game::gothello::{Board, Game};

    fn game(board: &str) -> Game {
        Game::from_board(board.parse::<Board>().expect("a board"), Side::Black)
    }

    #[test]
    fn refused_moves_are_replaced_by_every_other_legal_move_the_pass_last() {
        for board in ["..... ..... ..... ..... .....", "..w.. .wb.. ..w.. b...w ....."] {
            let game = game(board);
            let mut legal = game.legal_moves();
            for thinker in Thinker::ALL {
                let mut bot = Bot::new(thinker, None, 1);
                let mut refused = Vec::new();
                for _ in 0..legal.len() {
                    refused.push(bot.instead(&game, &refused));
                }
                assert_eq!(refused.last(), Some(&Move::PASS), "{thinker} on {board}");
                refused.sort_by_key(Move::to_string);
                legal.sort_by_key(Move::to_string);
                assert_eq!(refused, legal, "{thinker} on {board}");
            }
        }
    }

    #[test]
    fn the_moves_instead_of_refused_ones_capture_most_unless_the_bot_is_random() {
        let game = game("w.... b.... ..... ...bb ...ww");
        for thinker in Thinker::ALL {
            let mut refused = Vec::new();
            let mut bot = Bot::new(thinker, None, 1);
            for _ in 1..game.legal_moves().len() {
                refused.push(bot.instead(&game, &refused));
            }
            let is_greedy = refused.is_sorted_by_key(|played| -game.lead_after(*played));
            assert_eq!(is_greedy, thinker != Thinker::Random, "{thinker}: {refused:?}");
        }
    }

    #[test]
    fn a_pass_that_wins_at_once_comes_first_while_nobody_has_refused_it() {
        let game = Game::from_board("..... ..... ..b.. ..... .....".parse().expect("a board"), Side::White).pass();
        for thinker in Thinker::ALL.into_iter().filter(|&thinker| thinker != Thinker::Random) {
            let mut bot = Bot::new(thinker, None, 1);
            let placed = game.legal_moves()[0];
            assert_eq!(bot.instead(&game, &[placed]), Move::PASS, "{thinker}");
            assert_ne!(bot.instead(&game, &[Move::PASS]), Move::PASS, "{thinker}");
        }
    }
}
