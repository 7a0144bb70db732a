//! Tournaments of bots that play Gothello.
//!
//! ```text
//! tournament file -> Tournament -> Schedule (lazy GameSpecs) -> executor -> play (one game)
//!                                                                  ^            |  Event (one channel)
//!                                                                  |            v
//!                                                                  +------ collector -> journal, logs, tables, listeners
//! ```
//!
//! The library has fourteen wings. Each wing uses only the wings above it in this table; docs/architecture.md has the same
//! table with what each wing may do.
//!
//! | wing | what it holds |
//! | --- | --- |
//! | [`base`] | bytes, paths, times, seeds: what knows nothing of games |
//! | [`game`] | the rules of games |
//! | [`exact`] | what positions are worth with best play |
//! | [`referee`] | one game under the rules of the protocol |
//! | [`players`] | the arena's own players |
//! | [`tournament`] | what is to be played |
//! | [`results`] | what games add up to |
//! | [`host`] | programs and connections on this machine |
//! | [`run`] | a run, from its first game to its last line on the disk |
//! | [`machines`] | the same run on other machines |
//! | [`drill`] | whether a bot is ready to play, and why not |
//! | [`page`] | a run as HTML, finished or live |
//! | [`course`] | a class: submissions in, grades out |
//! | [`cli`] | the command line |

#![forbid(unsafe_code)]
// What these macros print panics when its reader has gone; `base::console` prints instead.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub use gothello_games::{base, exact, game};

pub mod cli;
pub mod course;
pub mod drill;
pub mod host;
pub mod machines;
pub mod page;
pub mod players;
pub mod referee;
pub mod results;
pub mod run;
pub mod tournament;
