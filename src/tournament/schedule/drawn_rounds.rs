//! The rounds drawn so far in a tournament whose pairings depend on results.

use super::PlayerIndex;
use crate::game::BySide;

/// A round that has been drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnRound {
    /// The round, starting from 1.
    pub round: u32,
    /// The round's pairings: in a Swiss tournament with the best players first, and in a knockout in the order of the
    /// bracket.
    pub pairings: Vec<DrawnPairing>,
}

/// One pairing of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnPairing {
    /// The player has no opponent in this round.
    Bye(PlayerIndex),
    /// Two players meet.
    Meeting {
        /// The players' sides in the first game.
        sides: BySide<PlayerIndex>,
        /// In a knockout, the player that advances, once that is decided.
        winner: Option<PlayerIndex>,
    },
}
