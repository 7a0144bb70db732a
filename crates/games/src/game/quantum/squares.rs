//! Reverse and Othello mode: the squares, the stones on them, and which rows a stone encloses.
//!
//! [`SquareBoard`] is a bitboard. It knows neither seats that are out, nor supplies, nor the order of turns.

mod board;
mod grid;
mod set;

pub use board::{EnclosedRow, SquareBoard};
pub use grid::{GridSquare, SquareGrid};
pub use set::SquareSet;
