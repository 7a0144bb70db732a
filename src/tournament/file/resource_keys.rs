//! The keys for what a bot may use up, at the top of the file or in the table of one player.

use std::time::Duration;

use super::problem_places::KeyReader;
use super::section::Section;
use crate::tournament::Resources;

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
