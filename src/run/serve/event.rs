//! The events that occur while the referee serves players that connect on their own.

use std::time::Duration;

use crate::game::{BySeat, Move, Seat};
use crate::referee::record::LoggedGame;
use crate::referee::result::Termination;

/// An event. There is only one game at a time, so events do not name their game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServeEvent {
    /// A client was admitted.
    Connected(Client),
    /// A client was turned away.
    Refused,
    /// All players are seated, and the game starts.
    Started {
        /// The names that the players gave themselves; for a player without a name, the name of its side or seat.
        players: BySeat<String>,
    },
    /// A move was made.
    Moved {
        /// The number of the ply, from 1.
        number: usize,
        /// The move.
        played: Move,
        /// The time left on the mover's clock.
        left: Option<Duration>,
    },
    /// A player has dropped out of a game with more than two seats. The game may continue or end.
    DroppedOut {
        /// The player's seat.
        seat: Seat,
        /// The reason: a resignation or a forfeit.
        why: Termination,
    },
    /// The game has ended, with a result or as void.
    Ended(Box<LoggedGame>),
}

/// A client that connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// A player.
    Player(Seat),
    /// The observer with this number, from 0.
    Observer(u32),
}
