//! The keys for what a bot may use up, at the top of the file or in the table of one player.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::problem_places::KeyReader;
use super::section::Section;

/// What all processes of a bot together may use up in one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Bytes of memory.
    pub memory: u64,
    /// Processes and threads.
    pub processes: u64,
    /// CPU time; `None` is no limit but the clocks.
    pub cpu: Option<Duration>,
    /// Bytes in its scratch space.
    pub scratch: u64,
    /// Open files of each process.
    pub open_files: u64,
    /// Bytes written to stderr, and to stdout unless it is the bot's connection.
    pub output: u64,
}

impl Default for Resources {
    fn default() -> Self {
        Self { memory: 2 << 30, processes: 256, cpu: None, scratch: 256 << 20, open_files: 1024, output: 64 << 20 }
    }
}

/// Reads the keys for what a bot may use up; `default` holds what the section does not say.
pub(super) fn resources(reader: &mut KeyReader<'_>, section: &mut Section<'_>, default: Resources) -> Resources {
    const MIB: u64 = 1 << 20;
    const TIB: u64 = 1 << 40;
    const SECOND: Duration = Duration::from_secs(1);
    const WEEK: Duration = Duration::from_hours(168);
    Resources {
        memory: reader.size(section, "memory", 16 * MIB..=TIB).unwrap_or(default.memory),
        processes: reader.integer(section, "processes", 1..=100_000).unwrap_or(default.processes),
        cpu: reader.duration(section, "cpu", SECOND..=WEEK).or(default.cpu),
        scratch: reader.size(section, "scratch", MIB..=TIB).unwrap_or(default.scratch),
        open_files: reader.integer(section, "open_files", 16..=1_000_000).unwrap_or(default.open_files),
        output: reader.size(section, "output", MIB..=TIB).unwrap_or(default.output),
    }
}
