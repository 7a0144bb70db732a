//! The additions to a run in progress, which are sent to all machines that play its games.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::run::play::Arena;
use crate::tournament::schedule::{GameSpec, PlayerIndex};

/// An addition to a run, which takes effect at once.
#[derive(Clone, Debug)]
pub enum Addition {
    /// The arena with all players. The existing players keep their places in it.
    Arena(Arc<Arena>),
    /// The players that have games, or may have some soon. No other player has a game until the next addition of this
    /// kind.
    Playing(BTreeSet<PlayerIndex>),
    /// A game to play. Its players are in the latest arena.
    Game(GameSpec),
}
