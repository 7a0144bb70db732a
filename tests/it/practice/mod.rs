//! A person at the board.

mod plain;
mod puzzles;
mod screen;
mod viewing;
mod watching;
