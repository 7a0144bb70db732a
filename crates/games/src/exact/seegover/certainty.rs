//! Whether the positions before a position change who wins it.

use super::expert::Expert;
use super::worth::Value;
use crate::exact::solver::Unsolved;
use crate::game::Side;
use crate::game::seegover::{Game, Play};

/// How many positions are looked at to find out whether a win outlasts the history of the game, and then whether it does not.
const NODES: u32 = 100;

impl Expert {
    /// Who wins a position of the move phase in its game, where a repetition is a draw: `Some(None)` if nobody can, and `None` if
    /// a look at a hundred positions does not tell. Without the positions before it, [`Expert::value`] tells who wins.
    pub fn winner_in_history(&mut self, game: &Game) -> Option<Option<Side>> {
        let Some(winner) = self.value(game).ok()?.winner else { return Some(None) };
        if self.outlasts(game, winner, &mut NODES.clone()) {
            Some(Some(winner))
        } else {
            self.is_drawn_by_history(game, winner).then_some(None)
        }
    }

    /// The value after each turn of the move phase, where a win that the positions before it turn into a draw is a draw.
    ///
    /// # Errors
    /// Returns an error if a limit is reached, which happens in the drop phase alone.
    pub fn turns_in_history(&mut self, game: &Game) -> Result<Vec<(Play, Value)>, Unsolved> {
        let mut turns = self.turns(game)?;
        for (play, value) in &mut turns {
            if self.winner_in_history(&game.after(*play)) == Some(None) {
                *value = Value { winner: None, depth: None };
            }
        }
        Ok(turns)
    }

    /// Whether `winner` wins a position of the move phase whatever the positions before it, as far as `nodes` more positions
    /// show it; counts `nodes` down.
    ///
    /// [`Expert::is_certain`] says so at once where no earlier position was nearer to the win. Elsewhere the winner may still
    /// have a way that repeats none of them: this follows its turns, the quickest wins first, and all answers, until every
    /// line is certain.
    fn outlasts(&mut self, game: &Game, winner: Side, nodes: &mut u32) -> bool {
        let Ok(value) = self.value(game) else { return false };
        if value.winner != Some(winner) {
            return false;
        }
        if self.is_certain(game, value) {
            return true;
        }
        let Some(left) = nodes.checked_sub(1) else { return false };
        *nodes = left;
        let Ok(mut turns) = self.turns(game) else { return false };
        turns.sort_by_key(|(_, value)| value.depth);
        let mut holds = |&(play, _): &(Play, _)| self.outlasts(&game.after(play), winner, nodes);
        if game.side() == winner {
            turns.iter().filter(|(_, value)| value.winner == Some(winner)).any(&mut holds)
        } else {
            turns.iter().all(&mut holds)
        }
    }

    /// Whether a position of the move phase is a draw because of the positions before it, although `winner` would win it
    /// without them. A short way to the draw is found before a long one.
    fn is_drawn_by_history(&mut self, game: &Game, winner: Side) -> bool {
        let mut nodes = NODES;
        for plies in 1.. {
            if self.escapes(game, winner, plies, &mut nodes) {
                return true;
            }
            if nodes == 0 {
                break;
            }
        }
        false
    }

    /// Whether `winner` cannot win, as far as `plies` plies and `nodes` more positions show it; counts `nodes` down. Each turn of
    /// `winner` then gives the win away, repeats a position, or has an answer after which the same holds.
    fn escapes(&mut self, game: &Game, winner: Side, plies: u32, nodes: &mut u32) -> bool {
        let Ok(value) = self.value(game) else { return false };
        if value.winner != Some(winner) {
            return true;
        }
        if plies == 0 || self.is_certain(game, value) {
            return false;
        }
        let Some(left) = nodes.checked_sub(1) else { return false };
        *nodes = left;
        let mut escapes = |play| self.escapes(&game.after(play), winner, plies - 1, nodes);
        let mut plays = game.plays().into_iter();
        if game.side() == winner { plays.all(&mut escapes) } else { plays.any(&mut escapes) }
    }
}
