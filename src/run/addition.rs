//! What is added to a run while it is played, which all machines that play must know of.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::run::play::Arena;
use crate::tournament::schedule::{GameSpec, PlayerIndex};

/// Something that a run plays with from here on.
#[derive(Clone, Debug)]
pub enum Addition {
    /// The arena with all players, in which those so far keep their places.
    Arena(Arc<Arena>),
    /// The players that have games, or may have some soon. No other player has a game until the next such set.
    Playing(BTreeSet<PlayerIndex>),
    /// A game that was decided on. Its players are in the last arena.
    Game(GameSpec),
}
