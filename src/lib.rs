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
pub mod machine;
pub mod program;
pub mod random;
pub mod record;
pub mod result;
pub mod rules;
pub mod schedule;
pub mod tournament;
