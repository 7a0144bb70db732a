//! Whether a win outlasts the history of its game.

use super::expert::Expert;
use crate::game::rules::Side;
use crate::game::rules::seegover::{Game, Play};

impl Expert {
    /// Whether `winner` wins a position of the move phase whatever the positions before it, as far as `nodes` more positions
    /// show it; counts `nodes` down.
    ///
    /// [`Expert::is_certain`] says so at once where no earlier position was nearer to the win. Elsewhere the winner may still
    /// have a way that repeats none of them: this follows its turns, the quickest wins first, and all answers, until every
    /// line is certain.
    pub fn outlasts(&mut self, game: &Game, winner: Side, nodes: &mut u32) -> bool {
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
}
