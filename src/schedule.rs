//! Which games a tournament consists of, lazily and as a pure function of the tournament.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::rules::BySide;

/// What names a game within its tournament: `r<round>-<black>-<white>` in slugs, with `-<n>` where a round holds the
/// pairing more than once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GameId(String);

impl GameId {
    /// The id as text, fit for a file name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// An index into [`crate::tournament::Tournament::players`].
pub type PlayerIndex = usize;

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GameSpec {
    /// Its id.
    pub id: GameId,
    /// The round, from 1.
    pub round: u32,
    /// Who plays.
    pub players: BySide<PlayerIndex>,
    /// The game's own seed, a function of the tournament's seed and the id alone.
    pub seed: u64,
}
