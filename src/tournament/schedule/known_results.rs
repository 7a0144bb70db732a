//! The results so far, as far as they matter to a schedule.

use std::collections::HashMap;

use super::GameId;
use crate::game::rules::Side;
use crate::referee::result::{GameResult, Termination};

/// How a game ended. A void game has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decided {
    /// This side won, for whatever reason.
    Won(Side),
    /// The game was drawn.
    Drawn,
    /// Both sides lost.
    BothForfeited,
}

impl Decided {
    /// Returns the half points of `side`: 2 for a win, 1 for a draw.
    pub fn half_points(self, side: Side) -> u8 {
        match self {
            Self::Won(winner) if winner == side => 2,
            Self::Drawn => 1,
            Self::Won(_) | Self::BothForfeited => 0,
        }
    }
}

impl From<&GameResult> for Decided {
    fn from(result: &GameResult) -> Self {
        match result.winner() {
            Some(winner) => Self::Won(winner),
            None if result.termination() == Termination::DoubleForfeit => Self::BothForfeited,
            None => Self::Drawn,
        }
    }
}

/// The games that have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results(HashMap<GameId, Decided>);

impl Results {
    /// Records how a game ended.
    pub fn insert(&mut self, game: GameId, decided: Decided) {
        self.0.insert(game, decided);
    }

    /// Returns how the game with this id ended, if it has.
    pub fn get(&self, game: &str) -> Option<Decided> {
        self.0.get(game).copied()
    }

    /// Returns how many games have ended.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no game has ended.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(GameId, Decided)> for Results {
    fn from_iter<I: IntoIterator<Item = (GameId, Decided)>>(games: I) -> Self {
        Self(games.into_iter().collect())
    }
}
