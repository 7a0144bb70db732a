//! The perfect opponent in Gothello: it plays by the margins stored in the program, and then by the answers that the
//! solver finds in the time on its clock.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{BestPlay, LEAST, Proof, guess, is_raised};
use crate::base::stop::StopSignal;
use crate::base::time::now;
use crate::exact::margin_table::embedded::STONES;
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solver::{Question, Solver, TranspositionTable, Unsolved};
use crate::exact::team::Team;
use crate::game::gothello::{ALL, Game};
use crate::game::{Move, Outcome};
use crate::players::bots::{Bot, Builtin, ErrorRate, Thinker};

/// The maximum time for a question in a game without clocks. A move needs up to two questions; a guess after them takes
/// additional time.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The time reserved for transmission to the referee and for occasional slowness of the machine. It is at most three
/// quarters of the time left, so that even with little time the bot solves the end of a game instead of guessing.
const RESERVE: Duration = Duration::from_secs(2);

/// The interval at which to check whether the time is up.
const LOOK: Duration = Duration::from_millis(5);

/// The maximum size of a table in bytes, in total and for each remaining millisecond. Creating a table also takes time,
/// up to a tenth of a second.
const LARGEST_TABLE: usize = 256 << 20;
const TABLE_A_MILLISECOND: usize = 16 << 10;

/// The minimum size of a table in bytes. Creating it takes less than a millisecond. This much time is always left,
/// since the protocol rounds times down to whole seconds.
const LEAST_TABLE: usize = 1 << 20;

/// The number of empty points at which searching the positions after a placement takes longest. With more empty points,
/// the margins of all these positions are known.
const HARDEST: u32 = ALL.count_ones() - STONES;

/// A bot that plays the best moves.
///
/// From the empty board onwards, it keeps the margin: without a search as long as the margins after all placements are
/// known, and later whenever a search finds the margin in time. Otherwise, it keeps the winner.
#[derive(Debug)]
pub struct Perfect {
    /// The bot that plays when nothing is proven, and that decides when to err.
    guesser: Bot,
    table: Option<TranspositionTable>,
    /// Ends every search immediately when it is raised.
    stop: Option<StopSignal>,
}

impl Perfect {
    /// Creates a bot that errs at the rate `error`. Its guesses and errors are derived from `seed`.
    pub fn new(error: ErrorRate, seed: u64) -> Self {
        Self { guesser: Bot::of(Builtin { error, ..Builtin::new(Thinker::Perfect) }, seed), table: None, stop: None }
    }

    /// Returns the bot, changed so that it stops searching and only guesses once `stop` is raised to
    /// [`Stop::Now`](crate::base::stop::Stop::Now).
    #[must_use]
    pub fn until(self, stop: StopSignal) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Returns the outcome of `game` with best play, with the margin if it is found in time; `None` if not even the
    /// winner is found. `left` is the time on the clock of the side to move, if there is one. The results found here
    /// save time in a later search for the best moves.
    pub fn value(&mut self, game: &Game, left: Option<Duration>) -> Option<Outcome> {
        let winner = self.ask(game, left, share_of(left, 4), |solver| solver.winner(game))?;
        let margin = self.ask(game, left, share_of(left, 8), |solver| solver.margin(game));
        Some(margin.map_or(Outcome { winner, margin: None }, Outcome::of_margin))
    }

    /// Returns moves that are equally good, with the chosen one first. If the search found all such moves, all are
    /// returned.
    fn find_best(&mut self, game: &Game, left: Option<Duration>) -> (Vec<Move>, Proof) {
        // Half of the remaining time can be spent on keeping the winner, and a quarter on keeping the margin.
        let found = self.ask(game, left, share_of(left, 2), |solver| {
            let winner = solver.winner(game)?;
            Ok((winner, solver.good_move(game, Question::Winner)?))
        });
        let Some((winner, kept)) = found else {
            return (vec![guess(&mut self.guesser, game, left, self.stop.as_ref())], Proof::Nothing);
        };
        let margin = self.ask(game, left, share_of(left, 4), |solver| solver.best_moves(game, Question::Margin));
        if let Some(best) = margin.filter(|best| !best.is_empty()) {
            return (best, Proof::Margin);
        }
        let is_lost = winner == Some(game.side().opponent());
        // In a lost position, every move keeps the winner, and against a move that looks good, the opponent is more
        // likely to err.
        let chosen =
            if is_lost { guess(&mut self.guesser, game, left, self.stop.as_ref()) } else { kept.unwrap_or(Move::PASS) };
        (vec![chosen], Proof::Winner)
    }

    /// Returns the answer to a question, if it is found within `budget`.
    fn ask<T: Send>(
        &mut self,
        game: &Game,
        left: Option<Duration>,
        budget: Duration,
        ask: impl Fn(&mut Solver<'_>) -> Result<T, Unsolved> + Sync,
    ) -> Option<T> {
        if budget <= LEAST && game.empty_points() == HARDEST || is_raised(self.stop.as_ref()) {
            return None;
        }
        let deadline = now() + budget;
        let table = self
            .table
            .get_or_insert_with(|| TranspositionTable::with_bytes(TranspositionTable::bytes_for(game).min(room(left))));
        let stop = AtomicBool::new(false);
        let signal = self.stop.as_ref();
        let look = |_| stop.store(is_raised(signal) || now() >= deadline, Ordering::Relaxed);
        Team { threads: NonZeroUsize::MIN, table, known: KnownMargins::Embedded, stop: &stop }
            .solve_together(LOOK, look, ask)
            .found
            .ok()
    }
}

impl BestPlay<Game> for Perfect {
    fn guesser(&mut self) -> &mut Bot {
        &mut self.guesser
    }

    fn best(&mut self, game: &Game, left: Option<Duration>) -> (Vec<Move>, Proof) {
        self.find_best(game, left)
    }
}

/// One of `parts` equal parts of the time `left` on the clock, without the reserve.
fn share_of(left: Option<Duration>, parts: u32) -> Duration {
    left.map_or(TIMEOUT, |left| (left.saturating_sub(RESERVE.min(left / 4 * 3)) / parts).max(LEAST))
}

/// The maximum size of a table, in bytes, with `left` on the clock.
fn room(left: Option<Duration>) -> usize {
    left.and_then(|left| usize::try_from(left.as_millis()).ok())
        .map_or(LARGEST_TABLE, |left| left.saturating_mul(TABLE_A_MILLISECOND).clamp(LEAST_TABLE, LARGEST_TABLE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::stop::Stop;
    use crate::game::Position as _;

    #[test]
    fn a_bot_that_is_asked_to_end_guesses_what_it_could_prove() {
        let mut game = Game::default();
        // Seventeen stones leave eight empty points.
        while game.board().empty().count_ones() > 8 {
            let placement = game.legal_moves().into_iter().find(|played| !played.is_pass()).expect("a placement");
            game = game.after(placement);
        }
        let (sender, signal) = crate::base::stop::channel();
        let mut perfect = Perfect::new(ErrorRate::NEVER, 1).until(signal);
        assert_eq!(perfect.choose(&game, None).1, Proof::Margin);
        sender.raise(Stop::Drain);
        assert_eq!(perfect.choose(&game, None).1, Proof::Margin, "the game may go on to its end");
        sender.raise(Stop::Now);
        assert_eq!(perfect.choose(&game, None).1, Proof::Nothing);
    }

    #[test]
    fn a_bot_without_time_left_still_has_a_table() {
        assert_eq!(room(Some(Duration::ZERO)), LEAST_TABLE);
    }

    #[test]
    fn a_table_grows_with_the_time_that_is_left() {
        assert_eq!(room(Some(Duration::from_secs(4))), 4_000 * TABLE_A_MILLISECOND);
        assert_eq!(room(Some(Duration::from_mins(10))), LARGEST_TABLE);
        assert_eq!(room(None), LARGEST_TABLE);
    }
}
