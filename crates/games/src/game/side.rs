//! Black and white.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::word_enum::{alternatives, words};

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The side that moves first.
    Black,
    /// The side that moves second.
    White,
}

impl Side {
    /// Both sides, black first.
    pub const BOTH: [Self; 2] = Self::ALL;

    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// `b` or `w`, as in the text of boards.
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'b',
            Self::White => 'w',
        }
    }

    /// The side that is ahead at this margin, which is black's points minus white's; `None` if neither is.
    pub const fn ahead(margin: i32) -> Option<Self> {
        match margin {
            1.. => Some(Self::Black),
            0 => None,
            _ => Some(Self::White),
        }
    }

    /// Converts a margin from black's perspective to this side's, and back again: its own points minus its opponent's.
    #[must_use]
    pub const fn own(self, margin: i32) -> i32 {
        match self {
            Self::Black => margin,
            Self::White => -margin,
        }
    }

    /// The result from this side's perspective: 1 if it wins, -1 if its opponent does, 0 in a draw.
    pub fn score(self, winner: Option<Self>) -> i32 {
        winner.map_or(0, |winner| if winner == self { 1 } else { -1 })
    }

    /// The winner if this side's own margin or score has the sign of `own`; `None` means a draw.
    pub const fn winner(self, own: i32) -> Option<Self> {
        Self::ahead(self.own(own))
    }
}

// The words that the protocol and all files use.
words! { pub Side, NotASide, Black => "black", White => "white" }

/// The error for text that does not name a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {}", alternatives(&Side::ALL.map(Side::name)))]
pub struct NotASide;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_sees_margins_and_winners_from_its_own_place() {
        assert_eq!(Side::BOTH.map(|side| side.own(3)), [3, -3]);
        assert_eq!([3, 0, -3].map(Side::ahead), [Some(Side::Black), None, Some(Side::White)]);
        for side in Side::BOTH {
            assert_eq!([1, 0, -1].map(|own| side.score(side.winner(own))), [1, 0, -1]);
        }
    }
}
