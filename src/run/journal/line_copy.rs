//! A copy of a journal's lines that no other program can access, from which the lines are rescued if another program
//! changes the journal.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::thread::{Builder, JoinHandle};

use sha2::{Digest as _, Sha256};
use tempfile::{SpooledTempFile, spooled_tempfile_in, tempfile_in};

use super::{Journal, each_chunk};

/// The maximum number of bytes of the copy kept in memory, enough for thousands of games.
const MOST_IN_MEMORY: usize = 16 << 20;

/// The number of bytes after which the copy on disk is synced. The disk can then write the copy at its own speed, and a
/// flush of the journal never waits for more bytes than this.
const SYNCED_AT_A_TIME: u64 = 8 << 20;

/// All lines of a journal, including those that are not yet in it.
#[derive(Debug)]
pub(super) struct LineCopy {
    /// The lines that were in a long journal when its copy began, if they are not part of `lines`. A thread copies
    /// them, so that games do not have to wait for the copy.
    beginning: Option<BeginningCopy>,
    /// The other lines: in memory or, beyond [`MOST_IN_MEMORY`], in an unnamed file that disappears with this process.
    lines: SpooledTempFile,
}

impl LineCopy {
    /// Begins a copy with the lines of `journal`.
    ///
    /// # Errors
    /// Fails if there is no room for the copy, or if the lines have changed since they were read.
    pub(super) fn of(journal: &Journal) -> io::Result<Self> {
        let dir = journal.path.parent().unwrap_or(Path::new("."));
        let mut lines = spooled_tempfile_in(MOST_IN_MEMORY, dir);
        if journal.length > MOST_IN_MEMORY as u64 {
            let beginning = Some(BeginningCopy::copied(journal, tempfile_in(dir)?)?);
            return Ok(Self { beginning, lines });
        }
        let mut digest = Sha256::new();
        each_chunk(&journal.file, journal.length, |chunk| {
            digest.update(chunk);
            lines.write_all(chunk)
        })?;
        check(digest, &journal.digest)?;
        Ok(Self { beginning: None, lines })
    }

    /// Adds `text`, which consists of whole lines.
    ///
    /// # Errors
    /// Fails if there is no room for the text. The copy is then incomplete.
    pub(super) fn add(&mut self, text: &str) -> io::Result<()> {
        self.lines.write_all(text.as_bytes())
    }

    /// Writes all lines to `file`.
    ///
    /// # Errors
    /// Fails if a part of the copy cannot be read or is not what the journal contained, or if `file` cannot be written.
    pub(super) fn write_to(&mut self, file: &mut File) -> io::Result<()> {
        if let Some(beginning) = &mut self.beginning {
            let copy = beginning.finished()?;
            copy.rewind()?;
            io::copy(copy, file)?;
        }
        self.lines.rewind()?;
        io::copy(&mut self.lines, file)?;
        self.lines.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

/// The copy of the first lines of a journal.
#[derive(Debug)]
enum BeginningCopy {
    /// A thread is copying.
    Copying(JoinHandle<io::Result<File>>),
    /// The copy, or why there is none.
    Copied(io::Result<File>),
}

impl BeginningCopy {
    /// Starts a thread that copies the lines of `journal` to `copy`.
    fn copied(journal: &Journal, mut copy: File) -> io::Result<Self> {
        let (file, length, expected) = (journal.file.try_clone()?, journal.length, journal.digest.clone());
        let work = move || {
            let (mut digest, mut unsynced) = (Sha256::new(), 0);
            each_chunk(&file, length, |chunk| {
                digest.update(chunk);
                copy.write_all(chunk)?;
                unsynced += chunk.len() as u64;
                if unsynced >= SYNCED_AT_A_TIME {
                    unsynced = 0;
                    copy.sync_data()?;
                }
                Ok(())
            })?;
            check(digest, &expected)?;
            Ok(copy)
        };
        Ok(Self::Copying(Builder::new().name("journal copy".to_owned()).spawn(work)?))
    }

    /// Waits until everything has been copied.
    fn finished(&mut self) -> io::Result<&mut File> {
        if let Self::Copying(_) = self {
            let unfinished = Err(io::Error::other("the copy was not finished"));
            if let Self::Copying(thread) = std::mem::replace(self, Self::Copied(unfinished)) {
                *self = Self::Copied(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
        }
        match self {
            Self::Copied(Ok(copy)) => Ok(copy),
            Self::Copied(Err(error)) => Err(io::Error::new(error.kind(), error.to_string())),
            Self::Copying(_) => unreachable!("it was joined"),
        }
    }
}

/// Checks that what was copied has the digest `expected`.
fn check(found: Sha256, expected: &Sha256) -> io::Result<()> {
    if found.finalize() == expected.clone().finalize() {
        Ok(())
    } else {
        Err(io::Error::other("the journal had been changed before it was copied"))
    }
}
