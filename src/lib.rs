//! Tournaments of Gothello bots.
//!
//! The way the data goes, which is also the order in which to read the modules:
//!
//! ```text
//! tournament file -> Tournament -> Schedule (lazy GameSpecs) -> executor -> play (one game)
//!                                                                  ^            |  Event (one channel)
//!                                                                  |            v
//!                                                                  +------ collector -> logs, standings, reporter
//! ```

pub mod bots;
pub mod cli;
pub mod client;
pub mod clock;
pub mod collector;
pub mod definition;
pub mod entrants;
pub mod event;
pub mod executor;
pub mod files;
pub mod journal;
pub mod line;
pub mod lobby;
pub mod machine;
pub mod play;
pub mod process;
pub mod program;
pub mod random;
pub mod rating;
pub mod record;
pub mod referee;
pub mod replay;
pub mod report;
pub mod reporter;
pub mod result;
pub mod rules;
pub mod schedule;
pub mod seat;
pub mod serve;
pub mod standings;
pub mod stop;
pub mod time;
pub mod tournament;
pub mod wire;
