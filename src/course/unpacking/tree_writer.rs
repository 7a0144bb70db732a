//! The only code that writes files of submissions.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};

use super::entry_link::EntryLink;
use super::refusal::{UnpackError, UnpackRefusal, refusal_of};
use super::{ClassAccount, SubmissionBounds};
use crate::base::sanitise::sanitised;
use crate::course::submissions::{EntryPath, SeenPaths, left_out};

/// The maximum compression ratio of an archive that inflates to more than [`ANYWAY`]; beyond it, the archive is a
/// decompression bomb.
const MOST_RATIO: u64 = 200;

/// The number of bytes that any archive may inflate to, whatever its ratio: a file of spaces compresses to a thousandth
/// of its size.
const ANYWAY: u64 = 10 << 20;

/// The number of bytes read from an archive, and their inflated size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inflation {
    /// The number of compressed bytes read so far.
    pub(crate) packed: u64,
    /// The number of bytes that the compressed bytes inflated to.
    pub(crate) inflated: u64,
}

impl Inflation {
    /// Adds `bytes` inflated bytes.
    ///
    /// # Errors
    /// Refuses an archive that is a decompression bomb.
    pub(crate) fn add(&mut self, bytes: u64) -> Result<(), UnpackRefusal> {
        self.inflated += bytes;
        let is_bomb = self.inflated > ANYWAY && self.inflated > self.packed.saturating_mul(MOST_RATIO);
        if is_bomb { Err(UnpackRefusal::Bomb { from: self.packed, to: self.inflated }) } else { Ok(()) }
    }
}

/// The type of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link. Its content is the path that it leads to, relative to its own directory.
    Link,
    /// A hard link. Its content is the path of the other entry.
    HardLink,
    /// A device, a pipe or a socket.
    Special,
}

/// An entry of an archive or a directory, with a reader for its contents.
pub(crate) struct SourceEntry<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: EntryKind,
    pub(crate) is_executable: bool,
    /// When the entry was last changed, in seconds since 1970, if that is known.
    pub(crate) modified: i64,
    /// The entry's compressed size in bytes; `u64::MAX` if the reader itself detects decompression bombs, or if nothing
    /// is compressed.
    pub(crate) packed: u64,
    pub(crate) content: &'a mut dyn Read,
}

/// The callback for each entry.
pub(crate) type Visit<'v> = dyn FnMut(&mut SourceEntry<'_>) -> Result<(), UnpackError> + 'v;

/// A file that was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    /// The digest of the file's contents.
    pub(crate) sha256: [u8; 32],
    /// When the original was last changed, in seconds since 1970, if that is known.
    pub(crate) modified: i64,
}

/// Writes the files of one submission below a directory, within limits.
#[derive(Debug)]
pub(crate) struct TreeWriter<'a> {
    pub(crate) root: PathBuf,
    pub(super) bounds: SubmissionBounds,
    /// The part of `bounds` that has been used.
    pub(super) used: SubmissionBounds,
    inflation: Inflation,
    pub(super) class: &'a ClassAccount,
    pub(super) seen: SeenPaths,
    /// The links so far, none of which has been followed.
    pub(super) links: Vec<EntryLink>,
    /// The files that were written, by path.
    pub(crate) written: BTreeMap<String, Written>,
    /// The number of files that were left out, by kind.
    pub(crate) left_out: BTreeMap<&'static str, usize>,
    /// Entries that are neither files nor directories, as complete clauses.
    pub(crate) warnings: Vec<String>,
}

/// The maximum number of links, and of devices, that the warnings name.
const NAMED: usize = 3;

impl<'a> TreeWriter<'a> {
    /// Creates a writer for files below `root`, which is still empty.
    pub(crate) fn new(root: PathBuf, bounds: SubmissionBounds, class: &'a ClassAccount) -> Self {
        Self {
            root,
            bounds,
            used: SubmissionBounds { bytes: 0, files: 0 },
            inflation: Inflation::default(),
            class,
            seen: SeenPaths::default(),
            links: Vec::new(),
            written: BTreeMap::new(),
            left_out: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    /// A writer below another `root`, with the same limits, for the contents of an archive in the submission.
    pub(crate) fn beside(&self, root: PathBuf) -> Self {
        Self::new(root, self.bounds, self.class)
    }

    /// Puts `entry` at `path`, unless it is of a kind that is not imported.
    ///
    /// # Errors
    /// Refuses entries that exceed the limits. The files written so far are kept.
    pub(crate) fn put(&mut self, path: &EntryPath, entry: &mut SourceEntry<'_>) -> Result<(), UnpackError> {
        if entry.kind == EntryKind::Directory {
            return Ok(());
        }
        if let Some(why) = left_out(path) {
            *self.left_out.entry(why).or_default() += 1;
            return Ok(());
        }
        match entry.kind {
            EntryKind::Link | EntryKind::HardLink => {
                self.links.push(EntryLink::read(path, entry.content, entry.kind == EntryKind::Link));
                return Ok(());
            }
            EntryKind::Special => {
                self.skip("device or pipe", path);
                return Ok(());
            }
            EntryKind::File | EntryKind::Directory => {}
        }
        self.seen.add(path).map_err(UnpackRefusal::from)?;
        self.used.files += 1;
        if self.used.files > self.bounds.files {
            return Err(UnpackRefusal::TooManyFiles { most: self.bounds.files }.into());
        }
        let target = self.root.join(path.as_str());
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(UnpackError::at(parent))?;
        }
        let mode = if entry.is_executable { 0o755 } else { 0o644 };
        let opened = OpenOptions::new().write(true).create_new(true).mode(mode).open(&target);
        let mut file = opened.map_err(UnpackError::at(&target))?;
        self.inflation.packed = self.inflation.packed.saturating_add(entry.packed);
        let mut digest = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let read = match entry.content.read(&mut buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                read => read.map_err(refusal_of)?,
            };
            if read == 0 {
                break;
            }
            self.inflation.add(read as u64)?;
            self.used.bytes += read as u64;
            if self.used.bytes > self.bounds.bytes {
                return Err(UnpackRefusal::TooLarge { most: self.bounds.bytes }.into());
            }
            self.class.take(read as u64)?;
            digest.update(&buffer[..read]);
            file.write_all(&buffer[..read]).map_err(UnpackError::at(&target))?;
        }
        let written = Written { sha256: digest.finalize().into(), modified: entry.modified };
        self.written.insert(path.as_str().to_owned(), written);
        Ok(())
    }

    pub(super) fn skip(&mut self, kind: &str, path: &EntryPath) {
        const MORE: &str = "more links or devices were left out";
        let start = format!("the {kind} ");
        if self.warnings.iter().filter(|warning| warning.starts_with(&start)).count() < NAMED {
            self.warnings.push(format!("{start}`{}` was left out", sanitised(path.as_str())));
        } else if !self.warnings.iter().any(|warning| warning == MORE) {
            self.warnings.push(MORE.to_owned());
        }
    }
}
