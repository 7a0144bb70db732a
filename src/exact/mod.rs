//! What a position is worth with best play by both sides.
//!
//! In: positions. Out: values, proofs, best moves and balanced openings. Pure, but for the team of threads that solves one
//! position together.
//!
//! | room | what it holds |
//! | --- | --- |
//! | [`adjudication`] | the proof that ends a game early, the same on every machine |
//! | [`balance`] | which openings are nearest to a draw, by the book |
//! | [`book`] | exact values of early positions, and moves that keep them |
//! | [`solvable`] | which positions the solver knows, by rule set |
//! | [`solver`] | null-window search with a table that is exact by key |
//! | [`team`] | several threads that solve one position, or many |

pub mod adjudication;
pub mod balance;
pub mod book;
pub mod solvable;
pub mod solver;
pub mod team;
