//! Reads the course's own files from the paths that a teacher specifies.

use std::io::Read as _;

use super::archive::Source;
use super::refusal::UnpackError;
use super::tree_writer::EntryKind;
use crate::course::submissions::recipe::{GivenFiles, is_read};

/// Adds the texts of the files in `source`, a directory or an archive, to `given`. Files that are not useful for
/// recognition are skipped.
///
/// # Errors
/// Returns an error if `source` cannot be read.
pub(crate) fn given_files(source: &Source, given: &mut GivenFiles) -> Result<(), UnpackError> {
    /// A larger file is not source code written by a person.
    const MOST_BYTES: u64 = 512 << 10;
    source.each(&mut |entry| {
        if entry.kind == EntryKind::File && is_read(entry.name) {
            let mut bytes = Vec::new();
            let read = (&mut *entry.content).take(MOST_BYTES + 1).read_to_end(&mut bytes);
            if read.is_ok() && bytes.len() as u64 <= MOST_BYTES {
                given.add(&String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)));
            }
        }
        Ok(())
    })
}
