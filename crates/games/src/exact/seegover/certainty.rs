//! Whether the history of a position affects who wins.

use super::expert::Expert;
use super::worth::Value;
use crate::exact::solver::Unsolved;
use crate::game::Side;
use crate::game::seegover::{Game, Play};

/// The maximum number of positions to examine for each of two questions: whether a win is certainly unaffected by the
/// history of the game and, if that remains open, whether it is certainly affected.
const NODES: u32 = 100;

impl Expert {
    /// Returns who wins a position of the move phase given its history, which matters because a repetition is a draw.
    /// `Some(None)` means that neither side can win, and `None` means that examining a hundred positions does not
    /// decide the question. [`Expert::value`] returns who wins regardless of the history.
    pub fn winner_in_history(&mut self, game: &Game) -> Option<Option<Side>> {
        let Some(winner) = self.value(game).ok()?.winner else { return Some(None) };
        if self.outlasts(game, winner, &mut NODES.clone()) {
            Some(Some(winner))
        } else {
            self.is_drawn_by_history(game, winner).then_some(None)
        }
    }

    /// Returns the value after each turn of the move phase. A win that the history turns into a draw counts as a draw.
    ///
    /// # Errors
    /// Returns an error if a limit is reached, which happens only in the drop phase.
    pub fn turns_in_history(&mut self, game: &Game) -> Result<Vec<(Play, Value)>, Unsolved> {
        let mut turns = self.turns(game)?;
        for (play, value) in &mut turns {
            if self.winner_in_history(&game.after(*play)) == Some(None) {
                *value = Value { winner: None, depth: None };
            }
        }
        Ok(turns)
    }

    /// Whether `winner` wins a position of the move phase despite its history, as far as examining `nodes` more
    /// positions can show. Decrements `nodes`.
    ///
    /// [`Expert::is_certain`] decides this immediately if no earlier position was nearer to the win. Otherwise, the
    /// winner may still have a line that does not repeat any earlier position: this method follows the winner's turns,
    /// quickest wins first, and all replies, until every line is certain.
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

    /// Whether a position of the move phase is a draw because of its history, although `winner` would win otherwise.
    /// Short paths to the draw are found before long ones.
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

    /// Whether `winner` cannot win, as far as `plies` plies and `nodes` more positions can show. Decrements `nodes`. If
    /// `winner` cannot win, each of its turns gives the win away, repeats a position, or has an answer after which it
    /// cannot win either.
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
