//! The phases of a game.

use serde::{Deserialize, Serialize};

use crate::base::word_enum::words;

/// The maximum number of empty points in the middle phase of Gothello: with more empty points, the margin is in the
/// program, and does not require a search.
pub const MIDDLE_FROM: u32 = 17;

/// A part of a game, determined by the position before a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// In Gothello, more than 17 empty points. In Seegover, the drops.
    Opening,
    /// In Gothello, 9 to 17 empty points. In Seegover, the move phase while both sides have more than a few stones.
    Middle,
    /// In Gothello, up to 8 empty points. In Seegover, the other turns.
    End,
}

impl Phase {
    /// The phase in Gothello of a move made while `empty` points are empty.
    pub const fn of_empty(empty: u32) -> Self {
        match empty {
            0..=8 => Self::End,
            9..=MIDDLE_FROM => Self::Middle,
            _ => Self::Opening,
        }
    }
}

words! { pub Phase; Opening => "opening", Middle => "middle", End => "end" }
