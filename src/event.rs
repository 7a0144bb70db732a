//! What happens in a run, as values of their own: for the reporter, and for whoever else looks on.

use std::time::Duration;

use crate::rules::{BySide, Move, Side};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A client has come to a public port and got its place.
    Connected(Client),
    /// A client was turned away.
    Refused,
    /// Both players sit, and the game starts.
    Started {
        /// What the players call themselves, where they do.
        names: BySide<Option<String>>,
    },
    /// A move was made.
    Moved {
        /// The move.
        played: Move,
        /// Time left on the mover's clock.
        left: Option<Duration>,
    },
}

/// Who connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// A player.
    Player(Side),
    /// The observer with this number, from 0.
    Observer(u32),
}
