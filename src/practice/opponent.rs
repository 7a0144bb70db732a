//! Built-in bots that think on a thread of this process.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use crate::base::stop::{self, Stop, StopSender, StopSignal};
use crate::exact::seegover::Tablebase;
use crate::game::{Move, Ruleset};
use crate::players::bots::{Bot, Builtin, Thinker};
use crate::players::perfect::{BestPlay as _, ByTable, Perfect};
use crate::practice::board_game::BoardGame;

/// The time that `perfect` believes to have left at each of its moves, so that a person does not wait for minutes. It uses up to
/// three quarters of this.
const PATIENCE: Duration = Duration::from_secs(20);

/// A built-in bot, on its thread. The thread ends soon after this is dropped.
#[derive(Debug)]
pub(crate) struct BuiltinOpponent {
    asked: Sender<BoardGame>,
    answers: Receiver<Move>,
    stop: StopSender,
}

impl BuiltinOpponent {
    /// Starts the thread of `bot`, which takes its random choices from `seed`. `table` is needed if it is to play Seegover
    /// perfectly; it must be of the rules of `ruleset`.
    ///
    /// # Errors
    /// Fails if there is no thread left.
    pub(crate) fn start(bot: Builtin, seed: u64, ruleset: Ruleset, table: Option<Tablebase>) -> io::Result<Self> {
        let (asked, games) = mpsc::channel::<BoardGame>();
        let (chosen, answers) = mpsc::channel();
        let (stop, signal) = stop::channel();
        std::thread::Builder::new().name("opponent".to_owned()).spawn(move || {
            let mut mind = OpponentMind::new(bot, seed, ruleset, table, signal);
            for game in games {
                if chosen.send(mind.choose(&game)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { asked, answers, stop })
    }

    /// Asks for the move of the side to move in `game`, which must not be over. Each question has one answer.
    pub(crate) fn ask(&self, game: &BoardGame) {
        // If the thread is gone, there is no answer.
        let _ = self.asked.send(game.clone());
    }

    /// The answer to the oldest question that is not answered yet, if there is one within `limit`.
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

/// The error if the thread of an opponent has ended, which it does only by a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the opponent has failed")]
pub(crate) struct OpponentGone;

/// What chooses the moves.
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

    fn choose(&mut self, game: &BoardGame) -> Move {
        match (self, game) {
            (Self::Gothello(perfect), BoardGame::Gothello(game)) => perfect.choose(game, Some(PATIENCE)).0,
            (Self::Seegover(perfect), BoardGame::Seegover(game)) => perfect.choose(&**game, Some(PATIENCE)).0,
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
    use crate::game::Outcome;
    use crate::game::gothello::Game;

    /// Longer than any move of these bots takes, however busy the machine is.
    const LONG: Duration = Duration::from_mins(2);

    #[test]
    fn every_bot_plays_a_legal_move_of_every_game_of_two_seats_that_it_knows() {
        for ruleset in Ruleset::ALL.into_iter().filter(|ruleset| ruleset.seats() == 2) {
            for thinker in [Thinker::Random, Thinker::Greedy] {
                let bot = BuiltinOpponent::start(Builtin::new(thinker), 1, ruleset, None).expect("a thread");
                let game = BoardGame::start(ruleset);
                bot.ask(&game);
                let played = bot.answer_within(LONG).expect("a thread").expect("a move");
                assert!(game.position().legal_moves().contains(&played), "{thinker} in {ruleset}: {played}");
            }
        }
    }

    #[test]
    fn perfect_begins_with_a_best_move() {
        let perfect = BuiltinOpponent::start(Builtin::new(Thinker::Perfect), 1, Ruleset::Gothello, None);
        let perfect = perfect.expect("a thread");
        perfect.ask(&BoardGame::start(Ruleset::Gothello));
        let played = perfect.answer_within(LONG).expect("a thread").expect("a move");
        let after = Game::default().after(played);
        assert_eq!(KnownMargins::Embedded.outcome(&after), Some(Outcome::of_margin(3)), "{played}");
    }
}
