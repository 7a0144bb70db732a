//! The keys for the resources that a bot may use, at the top of the file or in the table of one player.

use super::keys::top;
use super::problem_places::KeyReader;
use super::section::Section;
use crate::tournament::Resources;

/// Reads the keys for the resources that a bot may use; `default` supplies the values of the keys that the section does
/// not contain.
pub(super) fn resources(reader: &mut KeyReader<'_>, section: &Section<'_>, default: Resources) -> Resources {
    Resources {
        memory: reader.given(section, &top::MEMORY).unwrap_or(default.memory),
        processes: reader.given(section, &top::PROCESSES).unwrap_or(default.processes),
        cpu: reader.given(section, &top::CPU).or(default.cpu),
        scratch: reader.given(section, &top::SCRATCH).unwrap_or(default.scratch),
        open_files: reader.given(section, &top::OPEN_FILES).unwrap_or(default.open_files),
        output: reader.given(section, &top::OUTPUT).unwrap_or(default.output),
    }
}
