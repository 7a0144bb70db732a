//! ZIP files without timestamps or traces of the system, so that equal entries give equal bytes.
//!
//! The format is that of the "`.ZIP` File Format Specification" 6.3 (APPNOTE.TXT), without its 64-bit extensions.

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// The earliest time that a ZIP file can represent: midnight of 1 January 1980.
const FIRST_DAY: u16 = (1 << 5) | 1;

/// The version of the format that deflated entries need: 2.0.
const VERSION: u16 = 20;

/// Written by a program for Unix, so that the entry's permissions are those of Unix.
const MADE_BY: u16 = (3 << 8) | VERSION;

/// The names are in UTF-8.
const UTF8_NAMES: u16 = 1 << 11;

/// The method `deflate`.
const DEFLATED: u16 = 8;

/// A regular file that everybody may read, encoded as external attributes.
const ORDINARY_FILE: u32 = 0o100_644 << 16;

/// How many bytes to reserve at a time.
const ROOM: usize = 1 << 16;

/// A file in a ZIP file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ZipEntry {
    /// The path, with `/` between its parts.
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
}

/// The contents exceed what a ZIP file can hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a ZIP file holds at most 65535 files and 4 GiB")]
pub struct ZipTooLarge;

/// The ZIP file with `entries`, in their order.
///
/// # Errors
/// Returns an error if the entries or the file are larger than the format allows.
pub(crate) fn zip_file(entries: &[ZipEntry]) -> Result<Vec<u8>, ZipTooLarge> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for ZipEntry { path, content } in entries {
        let offset = size(file.len())?;
        let packed = deflated(content);
        let mut sum = Crc::new();
        sum.update(content);
        let mut facts = Vec::new();
        for number in [VERSION, UTF8_NAMES, DEFLATED, 0, FIRST_DAY] {
            facts.extend(number.to_le_bytes());
        }
        for number in [sum.sum(), size(packed.len())?, size(content.len())?] {
            facts.extend(number.to_le_bytes());
        }
        let name = u16::try_from(path.len()).map_err(|_| ZipTooLarge)?;
        // The length of the name, and of the empty extra field.
        facts.extend([name, 0].iter().flat_map(|number| number.to_le_bytes()));

        file.extend(b"PK\x03\x04");
        file.extend(&facts);
        file.extend(path.as_bytes());
        file.extend(packed);

        directory.extend(b"PK\x01\x02");
        directory.extend(MADE_BY.to_le_bytes());
        directory.extend(&facts);
        // No comment, the first disk, binary data.
        directory.extend([0; 6]);
        directory.extend(ORDINARY_FILE.to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(path.as_bytes());
    }
    let count = u16::try_from(entries.len()).map_err(|_| ZipTooLarge)?;
    let (start, length) = (size(file.len())?, size(directory.len())?);
    file.extend(directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend([count, count].iter().flat_map(|number| number.to_le_bytes()));
    file.extend([length, start].iter().flat_map(|number| number.to_le_bytes()));
    file.extend([0; 2]);
    Ok(file)
}

fn size(length: usize) -> Result<u32, ZipTooLarge> {
    u32::try_from(length).map_err(|_| ZipTooLarge)
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut deflate = Compress::new(Compression::best(), false);
    loop {
        packed.reserve(ROOM);
        let taken = usize::try_from(deflate.total_in()).unwrap_or(bytes.len());
        let status = deflate.compress_vec(&bytes[taken..], &mut packed, FlushCompress::Finish);
        // Only another kind of flush, or a dictionary, could fail.
        if status.unwrap_or_else(|error| unreachable!("compressing in memory: {error}")) == Status::StreamEnd {
            return packed;
        }
    }
}
