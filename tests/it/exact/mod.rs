//! The solver.

pub(crate) mod solver;
