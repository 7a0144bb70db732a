//! Limits that a bot exceeded, and the messages about them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::referee::result::Limit;

/// A limit that a bot exceeded, with the measured value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exceeded {
    /// Memory in bytes.
    Memory(u64),
    /// Processes and threads.
    Processes(u64),
    /// CPU time in milliseconds.
    Cpu(u64),
    /// Scratch space in bytes.
    Scratch(u64),
    /// Descriptors that could not all be examined, so the memory and scratch space that they occupy are unknown.
    Descriptors(u64),
}

impl Exceeded {
    /// The limit, as named in the game's record.
    pub const fn limit(&self) -> Limit {
        match self {
            Self::Memory(_) | Self::Descriptors(_) => Limit::Memory,
            Self::Processes(_) => Limit::Processes,
            Self::Cpu(_) => Limit::Cpu,
            Self::Scratch(_) => Limit::Scratch,
        }
    }
}

/// Writes how the bot exceeded the limit, with the key that sets it.
impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Memory(bytes) => write!(f, "used {} MiB of memory (key `memory`)", bytes >> 20),
            Self::Processes(number) => write!(f, "had {number} processes and threads (key `processes`)"),
            Self::Cpu(millis) => {
                write!(f, "used {}.{:03} s of CPU time (key `cpu`)", millis / 1000, millis % 1000)
            }
            Self::Scratch(bytes) => write!(f, "filled its scratch space with {} MiB (key `scratch`)", bytes >> 20),
            Self::Descriptors(number) => {
                let how = "files and sockets open in all its processes, not all of which the arena could examine";
                write!(f, "had {number} {how} (keys `open_files`, `processes`)")
            }
        }
    }
}
