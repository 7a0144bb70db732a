//! A person at the board.

mod plain;
mod puzzles;
mod screen;
pub(crate) mod web;
