//! Unpacks an archive from another machine. Nothing is written outside its directory, and sizes are limited to prevent
//! decompression bombs.

use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha256};
use tar::{Archive, Entry, EntryType};

use super::{BundleError, MOST_BYTES, MOST_ENTRIES, is_inside, links_inside};
use crate::base::hex::hex;

/// The maximum number of bytes before the contents of an entry: the entry's header, with a long name.
const MOST_HEADER: u64 = 64 << 10;

/// The maximum padding of a file's contents to whole blocks of the archive.
const PADDING: u64 = 512;

/// Unpacks `bytes`, the bundle with the given `digest`, into the directory `dir`, which must be empty.
///
/// # Errors
/// Fails if the digest does not match, if an entry exceeds the limits, or if a file cannot be written. Some of
/// the files may then exist.
pub(crate) fn unpack(bytes: &[u8], digest: &str, dir: &Path) -> Result<(), BundleError> {
    if hex(&Sha256::digest(bytes)) != digest {
        return Err(BundleError::Digest);
    }
    let left = Cell::new(0);
    let mut archive = Archive::new(Rationed { inner: GzDecoder::new(bytes), left: &left });
    let unreadable = |error| if left.get() == 0 { BundleError::TooLarge } else { BundleError::Archive(error) };
    let mut links = Vec::new();
    let (mut count, mut total) = (0, 0_u64);
    let mut entries = archive.entries().map_err(unreadable)?;
    loop {
        left.set(PADDING + MOST_HEADER);
        let Some(entry) = entries.next() else { break };
        let mut entry = entry.map_err(unreadable)?;
        count += 1;
        total = total.saturating_add(entry.size());
        if count > MOST_ENTRIES || total > MOST_BYTES {
            return Err(BundleError::TooLarge);
        }
        left.set(entry.size() + 1);
        let name = entry.path().map_err(BundleError::Archive)?.into_owned();
        links.extend(unpack_entry(&mut entry, &name, dir)?);
    }
    let names = links.iter().map(|link| link.name.clone()).collect();
    if let Some(BundleLink { name, .. }) = links.iter().find(|link| !links_inside(&link.name, &link.target, &names)) {
        return Err(BundleError::LinkOut { path: name.clone() });
    }
    // Links come last, so that no entry is written through a link.
    for BundleLink { name, target } in links {
        let path = dir.join(name);
        symlink(target, &path).map_err(|source| BundleError::Io { path, source })?;
    }
    Ok(())
}

/// A symbolic link that is yet to be created.
struct BundleLink {
    name: PathBuf,
    target: PathBuf,
}

/// Unpacks one entry into `dir`. If the entry is a link, returns the link instead.
fn unpack_entry<R: Read>(entry: &mut Entry<'_, R>, name: &Path, dir: &Path) -> Result<Option<BundleLink>, BundleError> {
    let wrong = || BundleError::Entry { path: name.to_owned() };
    if !is_inside(name) {
        return Err(wrong());
    }
    let path = dir.join(name);
    let fail = |source| BundleError::Io { path: path.clone(), source };
    match entry.header().entry_type() {
        EntryType::Directory => fs::create_dir_all(&path).map_err(fail)?,
        EntryType::Symlink => {
            let target = entry.link_name().map_err(BundleError::Archive)?.ok_or_else(wrong)?.into_owned();
            return Ok(Some(BundleLink { name: name.to_owned(), target }));
        }
        EntryType::Regular => {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(fail)?;
            }
            let mode = entry.header().mode().map_err(BundleError::Archive)? & 0o777;
            // A second entry with the same name is an error. On a case-insensitive file system, a name that differs
            // only in case is an error, too.
            let opened = OpenOptions::new().write(true).create_new(true).mode(mode | 0o600).open(&path);
            let mut file = opened.map_err(fail)?;
            let copied = io::copy(entry, &mut file).and_then(|copied| file.flush().map(|()| copied)).map_err(fail)?;
            if copied < entry.size() {
                return Err(BundleError::Archive(io::ErrorKind::UnexpectedEof.into()));
            }
        }
        _ => return Err(wrong()),
    }
    Ok(None)
}

/// A reader that reads at most `left` bytes. Its owner increases `left` according to the archive's headers.
struct Rationed<'l, R> {
    inner: R,
    left: &'l Cell<u64>,
}

impl<R: Read> Read for Rationed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.get() == 0 && !buffer.is_empty() {
            return Err(io::Error::other("the archive contains more data than is allowed at this point"));
        }
        let most = usize::try_from(self.left.get()).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.inner.read(&mut buffer[..most])?;
        self.left.set(self.left.get() - read as u64);
        Ok(read)
    }
}
