//! The perfect opponents, one for each rule set that has exact values.

mod gothello;
mod seegover;

use std::num::NonZeroU32;
use std::time::Duration;

use crate::base::stop::{Stop, StopSignal};
use crate::base::time::now;
use crate::game::Move;
use crate::players::bots::{Bot, DEFAULT_PLAYOUTS, Thinkable};

pub use gothello::Perfect;
pub use seegover::ByTable;

/// The minimum time for a question. With a dozen empty points, this is sufficient to answer it, and a guess would take
/// longer.
const LEAST: Duration = Duration::from_millis(10);

/// When nothing can be proven, a guess gets `PLAYOUTS_A_SECOND` playouts for each remaining second, but no more than
/// for `MOST_SECONDS` seconds. The playouts take about a fiftieth of that time.
const PLAYOUTS_A_SECOND: u64 = 1_000;
const MOST_SECONDS: u64 = 20;

/// On a slow or busy machine, a guess may take at most 1/`GUESS_PARTS` of the time left.
const GUESS_PARTS: u32 = 16;

/// How much has been proven about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The move keeps the winner and the margin.
    Margin,
    /// The move keeps the winner.
    Winner,
    /// Nothing has been proven, for lack of time.
    Nothing,
    /// The move is an error, made on purpose.
    Error,
}

/// A bot that plays the best moves of a game.
pub trait BestPlay<G: Thinkable> {
    /// Returns the bot that plays when nothing is proven, and that decides when to err.
    fn guesser(&mut self) -> &mut Bot;

    /// Returns moves that are equally good, with the chosen one first, and how much has been proven about that move. If
    /// all such moves were found, all are returned. `left` is the time on the clock of the side to move, if there is
    /// one; the game must not be over.
    fn best(&mut self, game: &G, left: Option<Duration>) -> (Vec<Move>, Proof);

    /// Returns the move of the side whose turn it is, with `left` on its clock, if there is one; the game must not be
    /// over.
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

/// Returns the move that looks best, according to playouts of `guesser`, which end soon after `stop` is raised to
/// [`Stop::Now`].
fn guess<G: Thinkable>(guesser: &mut Bot, game: &G, left: Option<Duration>, stop: Option<&StopSignal>) -> Move {
    let seconds = left.map_or(MOST_SECONDS, |left| left.as_secs().clamp(1, MOST_SECONDS));
    let playouts = u32::try_from(PLAYOUTS_A_SECOND * seconds).ok().and_then(NonZeroU32::new);
    guesser.set_playouts(playouts.unwrap_or(DEFAULT_PLAYOUTS));
    let deadline = left.map(|left| now() + for_a_guess(left));
    guesser.find(game, || !is_raised(stop) && deadline.is_none_or(|deadline| now() < deadline))
}

/// Whether `stop` demands an immediate end.
fn is_raised(stop: Option<&StopSignal>) -> bool {
    stop.is_some_and(|stop| stop.get() == Stop::Now)
}

/// How long a guess can take with `left` on the clock.
fn for_a_guess(left: Duration) -> Duration {
    (left / GUESS_PARTS).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_without_time_left_still_has_a_moment() {
        assert_eq!(for_a_guess(Duration::ZERO), LEAST);
    }
}
