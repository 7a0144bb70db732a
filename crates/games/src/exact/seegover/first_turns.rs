//! The classes of first turns. Turns that are images of each other under the symmetries of the board have the same
//! value.

use super::opening::least;
use crate::game::seegover::{Board, Game, Play};

/// A class of first turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstTurns {
    /// The turn that represents the class.
    pub turn: Play,
    /// All turns of the class, including `turn`.
    pub all: Vec<Play>,
}

impl FirstTurns {
    /// The classes of the turns of `start`, the game on the empty board. The first turn of each class represents it.
    pub fn classes(start: &Game) -> Vec<Self> {
        let mut classes: Vec<(Board, Self)> = Vec::new();
        for turn in start.plays() {
            let (board, _) = least(start.after(turn).board());
            match classes.iter_mut().find(|(known, _)| *known == board) {
                Some((_, class)) => class.all.push(turn),
                None => classes.push((board, Self { turn, all: vec![turn] })),
            }
        }
        classes.into_iter().map(|(_, class)| class).collect()
    }
}
