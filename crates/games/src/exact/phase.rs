//! The phases of a game, and what is known about the moves of each.

use serde::{Deserialize, Serialize};

use crate::base::word_enum::words;

/// The maximum number of empty points at which an analysis asks for the margin. With more, it only asks who wins.
pub const MARGIN_FROM: u32 = 17;

/// A part of a game, determined by the position before a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// In Gothello, more than 17 empty points, where an analysis only asks who wins. In Seegover, the drops.
    Opening,
    /// In Gothello, 9 to 17. In Seegover, the move phase while both sides have more than a few stones.
    Middle,
    /// In Gothello, up to 8. In Seegover, the rest.
    End,
}

impl Phase {
    /// The phase of a move of Gothello before which `empty` points were empty.
    pub const fn of_empty(empty: u32) -> Self {
        match empty {
            0..=8 => Self::End,
            9..=MARGIN_FROM => Self::Middle,
            _ => Self::Opening,
        }
    }

    /// Returns whether an analysis knows the margins of this phase however good a move was. Elsewhere, a margin is
    /// known only if the move lost nothing and its value follows from a later position, so such moves would flatter
    /// every player alike.
    pub const fn has_margins(self) -> bool {
        !matches!(self, Self::Opening)
    }
}

words! { pub Phase; Opening => "opening", Middle => "middle", End => "end" }
