//! Reverse and Othello mode: the squares, the stones on them, and the rows that a stone encloses.
//!
//! [`SquareBoard`] is a bitboard. It does not track resigned seats, supplies or the order of turns.

mod board;
mod grid;
mod set;

pub use board::{EnclosedRow, SquareBoard};
pub use grid::{GridSquare, SquareGrid};
pub use set::SquareSet;
