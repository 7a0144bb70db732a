//! The resources that a bot may use in a game.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The resources that all processes of a bot together may use in one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Bytes of memory.
    pub memory: u64,
    /// Processes and threads.
    pub processes: u64,
    /// CPU time; `None` means no limit except the clocks.
    pub cpu: Option<Duration>,
    /// Bytes in the bot's scratch space.
    pub scratch: u64,
    /// Open files per process.
    pub open_files: u64,
    /// Bytes written to stderr, and to stdout unless it is the bot's connection.
    pub output: u64,
}

impl Resources {
    /// The resources that a bot may use unless the file specifies otherwise.
    pub const DEFAULT: Self =
        Self { memory: 2 << 30, processes: 256, cpu: None, scratch: 256 << 20, open_files: 1024, output: 64 << 20 };
}

impl Default for Resources {
    fn default() -> Self {
        Self::DEFAULT
    }
}
