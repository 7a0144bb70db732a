//! Built-in bots that think on a thread of this process.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use crate::base::stop::{self, Stop, StopSender, StopSignal};
use crate::exact::seegover::Tablebase;
use crate::game::{Move, Outcome, Ruleset};
use crate::players::bots::{Bot, Builtin, Thinker};
use crate::players::perfect::{BestPlay as _, ByTable, Perfect};
use crate::practice::board_game::BoardGame;
use crate::practice::even_game::error_for;

/// The time that `perfect` believes it has left at each of its moves if there is no clock, so that a person need not
/// wait for minutes. `perfect` uses up to three quarters of this time.
const PATIENCE: Duration = Duration::from_secs(20);

/// A game in which the opponent is to move.
#[derive(Debug)]
struct OpponentQuestion {
    game: BoardGame,
    /// The time left on the opponent's clock.
    left: Option<Duration>,
}

/// A built-in bot, on its thread. The thread ends soon after the opponent is dropped.
#[derive(Debug)]
pub(crate) struct BuiltinOpponent {
    asked: Sender<OpponentQuestion>,
    answers: Receiver<Move>,
    stop: StopSender,
}

impl BuiltinOpponent {
    /// Starts the thread of `bot`, whose random choices are determined by `seed`. `table` is needed if the bot is to
    /// play Seegover perfectly; it must be the table for the rules of `ruleset`.
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub(crate) fn start(bot: Builtin, seed: u64, ruleset: Ruleset, table: Option<Tablebase>) -> io::Result<Self> {
        Self::with_mind(false, move |stop| OpponentMind::new(bot, seed, ruleset, table, stop))
    }

    /// Starts the thread of the bot `perfect`, which errs more often the further ahead it is, so that the game stays
    /// even. The arguments are those of [`BuiltinOpponent::start`].
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub(crate) fn start_even(seed: u64, ruleset: Ruleset, table: Option<Tablebase>) -> io::Result<Self> {
        let bot = Builtin::new(Thinker::Perfect);
        Self::with_mind(true, move |stop| OpponentMind::new(bot, seed, ruleset, table, stop))
    }

    fn with_mind(is_even: bool, mind: impl FnOnce(StopSignal) -> OpponentMind + Send + 'static) -> io::Result<Self> {
        let (asked, games) = mpsc::channel::<OpponentQuestion>();
        let (chosen, answers) = mpsc::channel();
        let (stop, signal) = stop::channel();
        std::thread::Builder::new().name("opponent".to_owned()).spawn(move || {
            let mut mind = mind(signal);
            for OpponentQuestion { game, left } in games {
                let left = left.unwrap_or(PATIENCE).min(PATIENCE);
                if is_even {
                    mind.keep_even(&game, left);
                }
                if chosen.send(mind.choose(&game, left)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { asked, answers, stop })
    }

    /// Asks for the move of the side to move in `game`, which must not be over. `left` is the time on its clock, if
    /// there are clocks. Each question gets one answer.
    pub(crate) fn ask(&self, game: &BoardGame, left: Option<Duration>) {
        // If the thread is gone, there is no answer.
        let _ = self.asked.send(OpponentQuestion { game: game.clone(), left });
    }

    /// The answer to the oldest question that has not been answered yet, if it arrives within `limit`.
    ///
    /// # Errors
    /// Fails if the thread is gone.
    pub(crate) fn answer_within(&self, limit: Duration) -> Result<Option<Move>, OpponentGone> {
        match self.answers.recv_timeout(limit) {
            Ok(played) => Ok(Some(played)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(OpponentGone),
        }
    }
}

impl Drop for BuiltinOpponent {
    fn drop(&mut self) {
        self.stop.raise(Stop::Now);
    }
}

/// The error if the thread of an opponent has ended, which happens only because of a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the opponent has failed")]
pub(crate) struct OpponentGone;

/// The part of an opponent that chooses its moves.
#[derive(Debug)]
enum OpponentMind {
    Plain(Bot),
    Gothello(Box<Perfect>),
    Seegover(Box<ByTable>),
}

impl OpponentMind {
    fn new(bot: Builtin, seed: u64, ruleset: Ruleset, table: Option<Tablebase>, stop: StopSignal) -> Self {
        match (bot.thinker, ruleset, table) {
            (Thinker::Perfect, Ruleset::Gothello, _) => {
                Self::Gothello(Box::new(Perfect::new(bot.error, seed).until(stop)))
            }
            (Thinker::Perfect, Ruleset::Seegover(options), Some(table)) => {
                Self::Seegover(Box::new(ByTable::new(Arc::new(table), options.drop, bot.error, seed)))
            }
            _ => Self::Plain(Bot::of(bot, seed)),
        }
    }

    /// Sets the rate of errors for the next move according to who is ahead in `game`.
    fn keep_even(&mut self, game: &BoardGame, left: Duration) {
        let side = game.position().to_move();
        match (self, game) {
            (Self::Gothello(perfect), BoardGame::Gothello(game)) => {
                let value = perfect.value(game, Some(left));
                perfect.guesser().set_error(error_for(side, value));
            }
            (Self::Seegover(perfect), BoardGame::Seegover(game)) => {
                let value = perfect.winner(game).map(|winner| Outcome { winner, margin: None });
                perfect.guesser().set_error(error_for(side, value));
            }
            // Only the minds above have exact values.
            _ => {}
        }
    }

    fn choose(&mut self, game: &BoardGame, left: Duration) -> Move {
        match (self, game) {
            (Self::Gothello(perfect), BoardGame::Gothello(game)) => perfect.choose(game, Some(left)).0,
            (Self::Seegover(perfect), BoardGame::Seegover(game)) => perfect.choose(&**game, Some(left)).0,
            (Self::Plain(bot), BoardGame::Gothello(game)) => bot.choose(game),
            (Self::Plain(bot), BoardGame::Seegover(game)) => bot.choose(&**game),
            (Self::Plain(bot), BoardGame::Quantum(game)) => bot.choose(&**game),
            // A mind is only asked about games of its rule set.
            (Self::Gothello(_) | Self::Seegover(_), other) => {
                other.position().legal_moves().last().copied().unwrap_or(Move::PASS)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::margin_table::known::KnownMargins;
    use crate::game::Side;
    use crate::game::gothello::Game;
    use crate::practice::puzzles::RandomPositions;

    /// Longer than any move of these bots takes, however busy the machine is.
    const LONG: Duration = Duration::from_mins(2);

    #[test]
    fn every_bot_plays_a_legal_move_of_every_game_of_two_seats_that_it_knows() {
        for ruleset in Ruleset::ALL.into_iter().filter(|ruleset| ruleset.seats() == 2) {
            for thinker in [Thinker::Random, Thinker::Greedy] {
                let bot = BuiltinOpponent::start(Builtin::new(thinker), 1, ruleset, None).expect("a thread");
                let game = BoardGame::start(ruleset);
                bot.ask(&game, None);
                let played = bot.answer_within(LONG).expect("a thread").expect("a move");
                assert!(game.position().legal_moves().contains(&played), "{thinker} in {ruleset}: {played}");
            }
        }
    }

    #[test]
    fn perfect_begins_with_a_best_move() {
        let perfect = BuiltinOpponent::start(Builtin::new(Thinker::Perfect), 1, Ruleset::Gothello, None);
        let perfect = perfect.expect("a thread");
        perfect.ask(&BoardGame::start(Ruleset::Gothello), None);
        let played = perfect.answer_within(LONG).expect("a thread").expect("a move");
        let after = Game::default().after(played);
        assert_eq!(KnownMargins::Embedded.outcome(&after), Some(Outcome::of_margin(3)), "{played}");
    }

    /// The winner of a game between `person`, a bot that stands in for a person on `side`, and an opponent that keeps
    /// the game even.
    fn winner_against_even(person: &mut Bot, side: Side, seed: u64) -> Option<Side> {
        let even = BuiltinOpponent::start_even(seed, Ruleset::Gothello, None).expect("a thread");
        // With fewer empty points, the searches are short.
        let mut game = RandomPositions::new(seed, 12, 12).next().expect("endless");
        while !game.is_over() {
            let played = if game.side() == side {
                person.choose(&game)
            } else {
                even.ask(&BoardGame::Gothello(game), None);
                even.answer_within(LONG).expect("a thread").expect("a move")
            };
            game = game.after(played);
        }
        crate::game::Position::outcome(&game).expect("it is over").winner
    }

    #[test]
    fn an_opponent_that_keeps_the_game_even_wins_and_loses_and_plays_alike_for_the_same_seed() {
        let winners = || -> Vec<Option<Side>> {
            let game = |seed| winner_against_even(&mut Bot::new(Thinker::Greedy, None, seed), Side::White, seed);
            (0..12).map(game).collect()
        };
        let first = winners();
        for side in Side::BOTH {
            assert!(first.iter().filter(|winner| **winner == Some(side)).count() >= 2, "{first:?}");
        }
        assert_eq!(first, winners());
    }
}
