//! A person at the board.

mod opponents;
mod plain;
mod puzzles;
mod screen;
mod viewing;
mod watching;
pub(crate) mod web;
