//! The perfect opponent in Seegover: it plays by the table in the move phase and, in the drop phase, by the opening and
//! then by the results of a search that ends in the table, within the time on its clock.

use std::sync::Arc;
use std::time::Duration;

use super::{BestPlay, Proof, guess};
use crate::exact::seegover::{Expert, Opening, Tablebase, Value};
use crate::exact::solver::Unsolved;
use crate::game::seegover::{DropRule, Game, Play};
use crate::game::{Move, Side};
use crate::players::bots::{Bot, Builtin, ErrorRate, Thinker};

/// The number of nodes that a search may visit for each answer, per second left on the clock and in total. Choosing a
/// turn of the drop phase can require an answer for every turn.
const NODES_A_SECOND: u64 = 2_000;
const MOST_NODES: u64 = 200_000;

/// With less time left than this, there is no search, since looking up how the drops can end takes up to half a second.
const SHORT_OF_TIME: Duration = Duration::from_secs(5);

/// A bot that plays the best turns of Seegover: the shortest win, or else a draw, or else the longest loss.
///
/// A turn that repeats a position counts as a draw.
#[derive(Debug)]
pub struct ByTable {
    guesser: Bot,
    expert: Option<Expert>,
}

impl ByTable {
    /// Creates a bot that plays by the rules of `table` and `drop`, and errs at the rate `error`. Its guesses and
    /// errors are derived from `seed`.
    pub fn new(table: Arc<Tablebase>, drop: DropRule, error: ErrorRate, seed: u64) -> Self {
        let guesser = Bot::of(Builtin { error, ..Builtin::new(Thinker::Perfect) }, seed);
        Self { guesser, expert: Some(Expert::new(table, drop)) }
    }

    /// Returns the winner of `game` with best play, where `Some(None)` means a draw; `None` if this is not found in
    /// time.
    pub fn winner(&mut self, game: &Game) -> Option<Option<Side>> {
        let mut expert = self.expert.take()?.within(MOST_NODES);
        let winner = expert.winner(game).ok();
        self.expert = Some(expert);
        winner
    }

    /// Returns turns that keep the value, with the chosen one first. In the drop phase, returns a single winning turn
    /// if there is one, and no turn if the position is lost; in all other cases, returns all such turns.
    fn find_best(expert: &mut Expert, game: &Game) -> Result<Vec<Play>, Unsolved> {
        if !game.board().is_full() {
            if let Some(winning) = expert.winning_drop(game)? {
                return Ok(vec![winning]);
            }
            let winner = expert.winner(game)?;
            return if winner.is_some() { Ok(Vec::new()) } else { expert.best(game, Value { winner, depth: None }) };
        }
        let value = expert.value(game)?;
        let mut best = expert.best(game, value)?;
        if value.winner.is_none() {
            // A game that goes on from a drawn position can still be won, especially if the opponent can err in many
            // ways.
            let mut kept = Vec::new();
            for play in best {
                kept.push((Self::kept_by_opponent(expert, &game.after(play))?, play));
            }
            kept.sort_by_key(|(kept, _)| *kept);
            best = kept.into_iter().map(|(_, play)| play).collect();
        }
        Ok(best)
    }

    /// Returns how many turns in a thousand keep the draw in a drawn position; 1000 if the game is over.
    fn kept_by_opponent(expert: &mut Expert, game: &Game) -> Result<usize, Unsolved> {
        let turns = expert.turns(game)?;
        let kept = turns.iter().filter(|(_, value)| value.winner.is_none()).count();
        Ok((kept * 1_000).checked_div(turns.len()).unwrap_or(1_000))
    }
}

impl BestPlay<Game> for ByTable {
    fn guesser(&mut self) -> &mut Bot {
        &mut self.guesser
    }

    fn best(&mut self, game: &Game, left: Option<Duration>) -> (Vec<Move>, Proof) {
        let is_opening = Opening::embedded(game.rules()).is_some_and(|opening| opening.turn(game).is_some());
        let has_time = is_opening || game.board().is_full() || left.is_none_or(|left| left > SHORT_OF_TIME);
        let nodes = left.map_or(MOST_NODES, |left| (left.as_secs() * NODES_A_SECOND).min(MOST_NODES));
        let found = self.expert.take().and_then(|expert| {
            let mut expert = expert.within(nodes);
            let found = if has_time { Self::find_best(&mut expert, game).ok() } else { None };
            self.expert = Some(expert);
            found
        });
        match found {
            Some(best) if best.is_empty() => (vec![guess(&mut self.guesser, game, left, None)], Proof::Winner),
            Some(best) => (best.into_iter().map(Play::to_move).collect(), Proof::Winner),
            None => (vec![guess(&mut self.guesser, game, left, None)], Proof::Nothing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::seegover::Options;

    #[test]
    fn the_opening_is_played_without_a_search_however_little_time_is_left() {
        let mut bot = ByTable::new(Arc::new(Tablebase::drawn_but([])), DropRule::One, ErrorRate::NEVER, 1);
        let opening = Opening::embedded(Options::DEFAULT).expect("an opening");
        let mut game = Game::new(Options::DEFAULT);
        for _ in 0..4 {
            let expected = opening.turn(&game).expect("black has a turn in the opening");
            let (best, proof) = bot.best(&game, Some(Duration::from_millis(1)));
            assert_eq!((best, proof), (vec![expected.to_move()], Proof::Winner));
            let answered = game.after(expected);
            game = answered.after(*answered.plays().last().expect("a drop"));
        }
        assert_eq!(
            bot.best(&game, Some(Duration::from_millis(1))).1,
            Proof::Nothing,
            "eight stones are beyond the opening"
        );
    }
}
