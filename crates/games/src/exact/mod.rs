//! The values of positions under best play by both sides.
//!
//! This wing answers three questions about a position of Gothello: who wins, by how much, and which moves keep this
//! result. The solver searches for the answers, the book stores them, and everything else here is built on these two:
//! the proof that ends a game early, the openings that are nearest to a draw, and the team of threads that solves
//! difficult positions.
//!
//! Input: positions, and limits in nodes or time. Output: values, proofs, best moves and balanced openings, or the fact
//! that a limit was reached first. Every value is exact, so it is the same on every machine; threads and time affect
//! only how soon it is found. The wing is pure, except for the team, which starts threads, for the whole game, which
//! takes an hour, and for the files of the table and of solved positions.
//!
//! | room | contents |
//! | --- | --- |
//! | `adjudication` | the proof that ends a game early, the same on every machine |
//! | `answers` | answers to questions about positions, as users read them |
//! | `balanced_openings` | which openings are nearest to a draw, by the book |
//! | `book` | exact values of early positions, and moves that keep them |
//! | `phase` | the phases of a game, and which of these have known margins |
//! | `seegover` | the values of Seegover: the tables of the move phase, how they are made, and the search of the drops |
//! | `solvable` | which positions the solver knows, by rule set |
//! | `solved_positions` | files of solved positions, from which a long search continues |
//! | `solver` | null-window search with a table that is exact by key |
//! | `tablebase` | the Seegover tables as files |
//! | `team` | several threads that solve one or many positions, or share other long work |

pub mod adjudication;
pub mod answers;
pub mod balanced_openings;
pub mod book;
pub mod phase;
pub mod seegover;
pub mod solvable;
pub mod solved_positions;
pub mod solver;
pub mod tablebase;
pub mod team;
