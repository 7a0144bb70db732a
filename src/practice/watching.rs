//! Games that are being played elsewhere: on a server that speaks the protocol, or on the live page of a run.
//! Everything received from there is hostile.

mod address;
#[cfg(fuzzing)]
pub(crate) mod fuzzed_page;
mod heard_page;
mod line_source;
mod live_page;
mod observed_game;
mod page_picture;
mod plain_watch;
mod server_game;
#[cfg(test)]
mod tests;

pub(crate) use address::WatchAddress;
pub(crate) use live_page::LivePageWatch;
pub(crate) use plain_watch::{watch_page, watch_server};
pub(crate) use server_game::ServerWatch;

use std::io;

use thiserror::Error;

/// Why a game cannot be watched any longer.
#[derive(Debug, Error)]
pub(crate) enum WatchError {
    /// No connection could be made.
    #[error("cannot connect to {host}:{port}")]
    Connect {
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// The other side has sent something that makes no sense, or nothing.
    #[error("{0}")]
    Broken(String),
    /// The terminal, a thread or stdout has failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}
