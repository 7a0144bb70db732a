//! The values of positions under best play by both sides.
//!
//! This wing answers three questions about a Gothello position: who wins, by how much, and which moves keep this
//! result. The margins of the early positions are in the program, the solver searches for the margins of all other
//! positions, and everything else here is built on these two sources: the proof that ends a game early, the openings
//! nearest to a draw, and the team of threads that solves difficult positions.
//!
//! Input: positions, and limits in nodes or time. Output: values, proofs, best moves and balanced openings, or the fact
//! that a limit was reached first. Every value is exact, so it is the same on every machine; threads and time affect
//! only how soon it is found. The wing is pure, except for the team, which starts threads, and for the files of the
//! tables.
//!
//! | room | contents |
//! | --- | --- |
//! | `adjudication` | the proof that ends a game early, the same on every machine |
//! | `answers` | answers to questions about positions, as users read them |
//! | `balanced_openings` | which openings are nearest to a draw |
//! | `margin_table` | the margins of early Gothello positions, and how the margins of all positions are computed |
//! | `phase` | the phases of a game, and which of these have known margins |
//! | `seegover` | the values of Seegover: tables of the move phase, how they are built, and the search of the drops |
//! | `solvable` | which positions the solver supports, by rule set |
//! | `solver` | null-window search with a transposition table that stores whole positions |
//! | `tablebase` | the Seegover tables as files |
//! | `team` | several threads that solve one or many positions |
//! | `threads` | threads that share long work |

pub mod adjudication;
pub mod answers;
pub mod balanced_openings;
pub mod margin_table;
pub mod phase;
pub mod seegover;
pub mod solvable;
pub mod solver;
pub mod tablebase;
pub mod team;
pub mod threads;
