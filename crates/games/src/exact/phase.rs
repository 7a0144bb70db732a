//! The phases of a game, and what an analysis knows about the moves in each.

use serde::{Deserialize, Serialize};

use crate::base::word_enum::words;

/// The maximum number of empty points at which an analysis determines the margin. With more, it determines only who
/// wins.
pub const MARGIN_FROM: u32 = 17;

/// A part of a game, determined by the position before a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// In Gothello, more than 17 empty points, where an analysis determines only who wins. In Seegover, the drops.
    Opening,
    /// In Gothello, 9 to 17 empty points. In Seegover, the move phase while both sides have more than a few stones.
    Middle,
    /// In Gothello, up to 8 empty points. In Seegover, the other turns.
    End,
}

impl Phase {
    /// The phase of a move in Gothello before which `empty` points are empty.
    pub const fn of_empty(empty: u32) -> Self {
        match empty {
            0..=8 => Self::End,
            9..=MARGIN_FROM => Self::Middle,
            _ => Self::Opening,
        }
    }

    /// Returns whether an analysis knows the margins of all moves in this phase. In the others, a margin is known only
    /// if the move did not lose anything and its value follows from a later position, so these moves would make every
    /// player look equally good.
    pub const fn has_margins(self) -> bool {
        !matches!(self, Self::Opening)
    }
}

words! { pub Phase; Opening => "opening", Middle => "middle", End => "end" }
