//! One game as short text: its moves, its times, and the exact values of its positions.
//!
//! The text of the moves describes the changes on the board at every ply, so a reader does not need to know the rules.
//! A point is a letter, from a1 = `A` and b1 = `B` to e5 = `Y`; a small letter means that the point is emptied.
//!
//! ```text
//! moves = ply*
//! ply   = "~"? part ("+" part)*          "~": the side that moved last moves again
//! part  = "Z"                            a pass
//!       | emptied? placed flips?         `bA(CD)`: b1 is emptied, a1 gets a stone, and c1 and d1 change colour
//! flips = "(" letter+ ")"
//! ```
//!
//! Black moves first, and then the sides alternate. This applies to the 5x5 boards of Gothello and Seegover; the file
//! `changes.rs` describes how the moves of other games are written. The files `times.rs` and `values.rs` describe the
//! other two texts.

mod board;
mod changes;
mod decoder;
mod moves;
mod ply_part;
#[cfg(test)]
mod tests;
mod times;
mod values;

use thiserror::Error;

use crate::game::{BySeat, IllegalMove, Move, Position, Ruleset};
use crate::referee::record::{GameRecord, GroupRecord};
pub use board::CodeBoard;
pub use decoder::{BadCode, CodedPly, decoded_moves, decoded_times};
pub use values::{coded_margin, coded_values, early_values, winner_of_letter};

/// One game as three texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameCode {
    /// The changes on the board at every ply.
    pub moves: String,
    /// The time of every ply.
    pub times: String,
    /// The value of every position; empty if no position was analyzed.
    pub values: String,
}

/// A game that cannot be coded, because its moves cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("ply {ply} ({played}): {problem}")]
pub struct Uncodable {
    /// The ply, from 1.
    pub ply: usize,
    /// The move.
    pub played: Move,
    /// The reason why the move cannot be coded.
    pub problem: UncodableMove,
}

/// A reason why a move cannot be coded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UncodableMove {
    /// The rules refuse the move.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The text of the move does not explain all changes on the board.
    #[error("the move does not explain all changes on the board")]
    Unexplained,
}

impl GameCode {
    /// Codes the moves and the times of `record`. The values stay empty.
    ///
    /// # Errors
    /// Fails if a move of `record` cannot be replayed.
    pub fn of(record: &GameRecord) -> Result<Self, Uncodable> {
        let moves = match record.ruleset {
            Ruleset::Gothello | Ruleset::Seegover(_) => moves::coded(record)?,
            Ruleset::Quantum(_) => changes::coded(record)?,
        };
        Ok(Self { moves, times: times::coded(&record.plies), values: String::new() })
    }
}

/// The single ply `played` as text, without times. It turned the position `before` of `ruleset` into `after`.
///
/// # Errors
/// Fails if the move does not explain all changes on the board.
pub(crate) fn coded_ply(
    ruleset: Ruleset,
    before: &dyn Position,
    played: Move,
    after: &dyn Position,
) -> Result<String, UncodableMove> {
    match ruleset {
        Ruleset::Gothello | Ruleset::Seegover(_) => moves::coded_ply(ruleset, [before, after], played),
        Ruleset::Quantum(_) => changes::coded_ply(ruleset, [before, after], played),
    }
}

/// A game with more than two seats as short text. It has no values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupCode {
    /// The moves and the times.
    pub code: GameCode,
    /// For each mode, the number of stones that each seat could still place before the first ply of the mode; `None` if
    /// the mode has no ply, or if the stones are not limited.
    pub supplies: Vec<Option<BySeat<u16>>>,
}

impl GroupCode {
    /// Codes the moves and the times of `record`.
    ///
    /// # Errors
    /// Fails if a move of `record` cannot be replayed.
    pub fn of(record: &GroupRecord) -> Result<Self, Uncodable> {
        let (moves, supplies) = changes::coded_group(record)?;
        let code = GameCode { moves, times: times::coded(&record.plies), values: String::new() };
        Ok(Self { code, supplies })
    }
}
