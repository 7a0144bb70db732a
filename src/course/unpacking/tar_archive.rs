//! Tar archives, optionally compressed with gzip.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::refusal::{UnpackError, UnpackRefusal, refusal_of};
use super::tree_writer::{EntryKind, Inflation, SourceEntry, Visit};

/// The maximum number of bytes that an archive may inflate to, including entries that are left out. The tar reader
/// keeps long names in memory, so they count, too.
const MOST_BYTES: u64 = 1 << 30;

/// Calls `visit` for each entry of the archive in `file`, in the order of the archive.
pub(super) fn each(file: &File, is_packed: bool, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
    let read = Rc::new(Cell::new(0));
    let counted = Counted { inner: BufReader::new(file), read: Rc::clone(&read) };
    if is_packed {
        entries(Metered { inner: MultiGzDecoder::new(counted), read, inflation: Inflation::default() }, visit)
    } else {
        entries(counted, visit)
    }
}

fn entries(reader: impl Read, visit: &mut Visit<'_>) -> Result<(), UnpackError> {
    let refused = |error| UnpackError::from(refusal_of(error));
    let mut archive = Archive::new(reader);
    for entry in archive.entries().map_err(refused)? {
        let mut entry = entry.map_err(refused)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => EntryKind::File,
            EntryType::Directory => EntryKind::Directory,
            EntryType::Symlink => EntryKind::Link,
            EntryType::Link => EntryKind::HardLink,
            EntryType::XGlobalHeader => continue,
            _ => EntryKind::Special,
        };
        let is_executable = entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0);
        let modified = entry.header().mtime().ok().and_then(|time| i64::try_from(time).ok()).unwrap_or(0);
        // The meter detects decompression bombs.
        let packed = u64::MAX;
        let target = entry.link_name_bytes().map(std::borrow::Cow::into_owned).unwrap_or_default();
        let is_link = matches!(kind, EntryKind::Link | EntryKind::HardLink);
        let content: &mut dyn Read = if is_link { &mut target.as_slice() } else { &mut entry };
        visit(&mut SourceEntry { name: &name, kind, is_executable, modified, packed, content })?;
    }
    Ok(())
}

/// Counts the bytes that are read.
struct Counted<R> {
    inner: R,
    read: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

/// Fails with a refusal as soon as the inflated size of an archive exceeds the limit.
struct Metered<R> {
    inner: R,
    /// The number of compressed bytes read so far.
    read: Rc<Cell<u64>>,
    inflation: Inflation,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.inflation.packed = self.read.get();
        self.inflation.add(read as u64).map_err(io::Error::other)?;
        if self.inflation.inflated > MOST_BYTES {
            return Err(io::Error::other(UnpackRefusal::TooLarge { most: MOST_BYTES }));
        }
        Ok(read)
    }
}
