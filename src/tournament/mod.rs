//! What is to be played: the tournament file and all that follows from it before the first game.
//!
//! In: the text of a tournament file, and results so far. Out: values that nobody checks again, the schedule of games, and what
//! makes a run the same run.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `definition` | what of a tournament makes a run the same run: its digest, and what has changed |
//! | `file` | the tournament file's values, all checked, all problems at once |
//! | `schedule` | which games there are, lazily |
//! | `sprt` | the sequential test of two players, by colour-swapped pairs |

pub mod definition;
pub mod file;
pub mod schedule;
pub mod shard;
pub mod sprt;
