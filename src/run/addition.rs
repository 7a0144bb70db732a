//! Additions to a run in progress. They are sent to all machines that play the run's games.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::run::play::Arena;
use crate::tournament::schedule::{GameSpec, PlayerIndex};

/// An addition to a run, which takes effect immediately.
#[derive(Clone, Debug)]
pub enum Addition {
    /// The arena with all players. The existing players keep their indices.
    Arena(Arc<Arena>),
    /// The players that have games or may soon get some. No other player gets a game before the next addition of this
    /// kind.
    Playing(BTreeSet<PlayerIndex>),
    /// A game to play. Its players are in the latest arena.
    Game(GameSpec),
}
