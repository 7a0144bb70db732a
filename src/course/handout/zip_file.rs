//! ZIP files without timestamps or traces of the system, so that equal entries produce equal bytes.
//!
//! The format is that of the "`.ZIP` File Format Specification" 6.3 (APPNOTE.TXT), without its 64-bit extensions.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// A file in a ZIP file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ZipEntry {
    /// The path, with `/` between its parts. No two entries have the same path.
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
}

/// The contents exceed what a ZIP file can contain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a ZIP file can only contain files of at most 4 GiB, with paths of at most 65535 bytes")]
pub struct ZipTooLarge;

/// The ZIP file with `entries`, in their order. Each is dated 1 January 1980 and readable by all users.
///
/// # Errors
/// Returns an error if the entries or the file are larger than the format allows.
pub(crate) fn zip_file(entries: &[ZipEntry]) -> Result<Vec<u8>, ZipTooLarge> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::DEFAULT)
        .unix_permissions(0o644);
    let mut file = ZipWriter::new(Cursor::new(Vec::new()));
    for ZipEntry { path, content } in entries {
        file.start_file(path.as_str(), options).map_err(|_| ZipTooLarge)?;
        file.write_all(content).map_err(|_| ZipTooLarge)?;
    }
    Ok(file.finish().map_err(|_| ZipTooLarge)?.into_inner())
}
