//! A person at the board.

mod puzzles;
