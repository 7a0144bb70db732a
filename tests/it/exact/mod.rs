//! The solver and the opening book.

pub(crate) mod book;
pub(crate) mod solver;
