//! The rounds of a tournament whose pairings depend on results, as far as they have been drawn.

use super::PlayerIndex;
use crate::game::BySide;

/// A round that has been drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnRound {
    /// The round, starting from 1.
    pub round: u32,
    /// Its pairings: in a Swiss tournament the best players first, in a knockout in the order of the bracket.
    pub pairings: Vec<DrawnPairing>,
}

/// One pairing of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnPairing {
    /// The player has no opponent in this round.
    Bye(PlayerIndex),
    /// Two players meet.
    Meeting {
        /// Their sides in the first game.
        sides: BySide<PlayerIndex>,
        /// In a knockout, the player that goes on, once that is decided.
        winner: Option<PlayerIndex>,
    },
}
