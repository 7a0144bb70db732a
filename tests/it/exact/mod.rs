//! The solver, and the table of margins.

pub(crate) mod margins;
pub(crate) mod solver;
