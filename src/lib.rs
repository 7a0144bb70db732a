//! Tournaments of bots that play Gothello.
//!
//! ```text
//! tournament file -> Tournament -> Schedule (lazy GameSpecs) -> executor -> play (one game)
//!                                                                  ^            |  Event (one channel)
//!                                                                  |            v
//!                                                                  +------ collector -> journal, logs, tables, listeners
//! ```
//!
//! The library has eighteen wings. Each wing uses only the wings above it in this table. The same table in
//! docs/architecture.md also states what each wing may do.
//!
//! | wing | contents |
//! | --- | --- |
//! | [`base`] | bytes, paths, times, seeds: everything that is independent of games |
//! | [`game`] | the rules of games |
//! | [`exact`] | the values of positions under best play |
//! | [`referee`] | one game under the rules of the protocol |
//! | [`players`] | the arena's own players |
//! | [`tournament`] | the games to play |
//! | [`results`] | the results of games, summed up |
//! | [`host`] | programs and connections on this machine |
//! | [`run`] | a run, from its first game to its last line on the disk |
//! | [`machines`] | runs that are distributed over several machines |
//! | [`drill`] | whether a bot is ready to play, and why not |
//! | [`page`] | a run as HTML, finished or live |
//! | [`course`] | a class: submissions in, grades out |
//! | [`mod@bench`] | each saved version of one bot, checked and compared with the version to beat |
//! | [`practice`] | a person at the board |
//! | [`dataset`] | positions with exact values, for learning |
//! | [`ladder`] | a ladder whose players hand in new versions while it is played |
//! | [`cli`] | the command line |

#![forbid(unsafe_code)]
// These macros panic when the reader of the output is gone; use `base::console` instead.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub use gothello_games::{base, exact, game};

pub mod bench;
pub mod cli;
pub mod course;
pub mod dataset;
pub mod drill;
#[cfg(fuzzing)]
#[path = "../fuzz/fuzzing.rs"]
pub mod fuzzing;
pub mod host;
pub mod ladder;
pub mod machines;
pub mod page;
pub mod players;
pub mod practice;
pub mod referee;
pub mod results;
pub mod run;
pub mod tournament;
