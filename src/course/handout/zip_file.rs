//! ZIP files without a clock in them, so that equal entries give equal bytes.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// A file in a ZIP file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ZipEntry {
    /// The path, with `/` between its parts. No two entries have the same one.
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
}

/// What a ZIP file cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a ZIP file holds files of at most 4 GiB, with paths of at most 65535 bytes")]
pub struct ZipTooLarge;

/// The ZIP file with `entries`, in their order. All of them are files of 1 January 1980 that everybody may read.
///
/// # Errors
/// If an entry is larger than the format can say.
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
