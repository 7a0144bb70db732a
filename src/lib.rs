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

pub mod cli;
pub mod clock;
pub mod machine;
pub mod program;
pub mod random;
pub mod rating;
pub mod record;
pub mod replay;
pub mod report;
pub mod result;
pub mod rules;
pub mod schedule;
pub mod standings;
pub mod tournament;
