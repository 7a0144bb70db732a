//! Writes a journal as a whole.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use super::line::{self, Header, JournalEntry, Seal};
use super::{Durability, FILE, Journal, JournalError, sync_name};
use crate::base::files::temporary_in;

/// Takes the lines of a new journal, one after the other.
#[derive(Debug)]
pub struct LineSink {
    file: BufWriter<NamedTempFile>,
    digest: Sha256,
    length: u64,
    lines: u64,
    seal: Seal,
}

impl LineSink {
    /// The seal that is part of the checksums of the lines.
    pub const fn seal(&self) -> &Seal {
        &self.seal
    }

    /// Adds `line`, which was written with [`LineSink::seal`].
    ///
    /// # Errors
    /// Fails if the line cannot be written.
    pub fn add(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(line.as_bytes())?;
        self.digest.update(line);
        self.length += line.len() as u64;
        self.lines += 1;
        Ok(())
    }
}

impl Journal {
    /// Writes the journal of the results directory `dir`: `header`, and the lines that `fill` adds. If the current
    /// journal of `dir` is given as `replaced`, the new journal replaces it; otherwise, `dir` must not have a journal.
    /// The new journal is created as a whole, on disk and with its lock held, or not at all.
    ///
    /// # Errors
    /// Fails if `fill` fails, if another run already has a journal in `dir`, or if the new journal cannot be written.
    pub fn compose(
        dir: &Path,
        header: &Header,
        replaced: Option<Self>,
        fill: impl FnOnce(&mut LineSink) -> Result<(), JournalError>,
    ) -> Result<Self, JournalError> {
        let path = dir.join(FILE);
        let fail = |source| JournalError::Io { action: "write", path: path.clone(), source };
        let seal = Seal::of(header);
        let temporary = BufWriter::with_capacity(1 << 18, temporary_in(dir).map_err(fail)?);
        let mut sink = LineSink { file: temporary, digest: Sha256::new(), length: 0, lines: 0, seal: seal.clone() };
        sink.add(&line::write(&JournalEntry::Header(header.clone()), &Seal::default())).map_err(fail)?;
        fill(&mut sink)?;
        let LineSink { file: written, digest, length, lines, .. } = sink;
        let new = written.into_inner().map_err(|error| fail(error.into_error()))?;
        new.as_file().sync_all().map_err(fail)?;
        // The new journal is locked under its temporary name, so that no other process can lock it first.
        new.as_file().try_lock().map_err(|error| fail(io::Error::from(error)))?;
        let is_first = replaced.is_none();
        let persisted = if is_first { new.persist_noclobber(&path) } else { new.persist(&path) };
        // The old journal's lock is held until the new journal has its final name.
        drop(replaced);
        let persisted = persisted.map_err(|error| {
            // Another run has begun since the directory was examined. That run may also have treated the temporary file
            // as a leftover.
            if is_first && path.symlink_metadata().is_ok() {
                JournalError::Locked { path: path.clone() }
            } else {
                fail(error.error)
            }
        })?;
        sync_name(&path).map_err(fail)?;
        Ok(Self {
            file: persisted,
            path,
            durability: Durability::Safe,
            seal,
            length,
            lines,
            torn: 0,
            is_synced: true,
            digest,
            modified: None,
        })
    }
}
