//! Detects whether another program moves or changes a journal that is being written, and keeps a copy of the journal.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::Digest as _;

use super::line_copy::LineCopy;
use super::{FILE, Journal, JournalEntry, JournalError, JournalMark, Modified, modified_of, sync_name};
use crate::base::files::{free_name, temporary_in};
use crate::run::locked_file::is_same;

/// What happened to a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// There is no longer a file with the journal's name.
    Gone,
    /// Another file has the journal's name.
    Replaced,
    /// The journal's length differs from that of the lines that were written.
    Resized,
    /// The journal's length is right, but its bytes differ from those that were written.
    Changed,
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => "was moved away or deleted",
            Self::Replaced => "was replaced by another file",
            Self::Resized => "was truncated or extended by another program",
            Self::Changed => "was changed in place by another program",
        })
    }
}

/// A journal that a run is writing, with a copy that no other program can access.
#[derive(Debug)]
pub(super) struct Guarded {
    journal: Journal,
    /// All lines, including those not yet in the journal, or why there is no complete copy.
    copy: io::Result<LineCopy>,
    /// The modification time of the journal when it was last found intact.
    modified: Option<Modified>,
}

impl Guarded {
    /// Begins to guard `journal`.
    pub(super) fn new(journal: Journal) -> Self {
        let (copy, modified) = (LineCopy::of(&journal), journal.modified);
        Self { journal, copy, modified }
    }

    /// Appends a line for each entry. The lines count only if the journal is intact before and after they are written.
    ///
    /// # Errors
    /// Fails if the lines cannot be written, or if another program has changed the journal.
    pub(super) fn append(&mut self, entries: &[JournalEntry]) -> Result<(), JournalError> {
        let text = self.journal.lines(entries);
        self.keep(&text);
        self.check()?;
        self.journal.append_text(&text, entries.len())?;
        self.modified = self.journal.file.metadata().ok().as_ref().map(modified_of);
        self.check()
    }

    /// The part of the journal that consists of all whole lines so far.
    pub(super) fn mark(&self) -> JournalMark {
        self.journal.mark()
    }

    /// Adds lines to the copy only.
    pub(super) fn set_aside(&mut self, entries: &[JournalEntry]) {
        let text = self.journal.lines(entries);
        self.keep(&text);
    }

    fn keep(&mut self, text: &str) {
        if let Ok(copy) = &mut self.copy
            && let Err(error) = copy.add(text)
        {
            self.copy = Err(error);
        }
    }

    /// Checks that the journal still has its name, and that no other program has written to it.
    fn check(&mut self) -> Result<(), JournalError> {
        let modified = self.look()?;
        if self.modified != Some(modified) {
            self.check_content()?;
            self.modified = Some(modified);
        }
        Ok(())
    }

    /// Checks that the journal still has its name and its length, and that every byte is as it was written.
    ///
    /// # Errors
    /// Fails if another program has moved or changed the journal.
    pub(super) fn check_whole(&self) -> Result<(), JournalError> {
        self.look()?;
        self.check_content()
    }

    /// The modification time of the journal, if it still has its name and its length.
    fn look(&self) -> Result<Modified, JournalError> {
        let Journal { file, path, length, torn, .. } = &self.journal;
        let there = match fs::symlink_metadata(path) {
            Err(error) if is_gone(&error) => return Err(self.disturbed(Disturbance::Gone)),
            there => there.map_err(|source| self.journal.failed("look at", source))?,
        };
        let own = file.metadata().map_err(|source| self.journal.failed("look at", source))?;
        if !is_same(&own, &there) {
            return Err(self.disturbed(Disturbance::Replaced));
        }
        if own.len() != length + torn {
            return Err(self.disturbed(Disturbance::Resized));
        }
        Ok(modified_of(&own))
    }

    fn check_content(&self) -> Result<(), JournalError> {
        let Journal { file, length, digest, .. } = &self.journal;
        let found = super::digest_of(file, *length).map_err(|source| self.journal.failed("read", source))?;
        if found.finalize() == digest.clone().finalize() { Ok(()) } else { Err(self.disturbed(Disturbance::Changed)) }
    }

    fn disturbed(&self, how: Disturbance) -> JournalError {
        let rescued = Err(io::Error::other("no copy has been made yet"));
        JournalError::Disturbed { path: self.journal.path.clone(), how, rescued }
    }

    /// Returns `error`, after which nothing more is written. If another program has changed the journal, all lines are
    /// first rescued into a file next to it.
    pub(super) fn give_up(&mut self, error: JournalError) -> JournalError {
        match error {
            JournalError::Disturbed { path, how, .. } => JournalError::Disturbed { path, how, rescued: self.rescue() },
            other => other,
        }
    }

    /// Writes all lines into a new file next to the journal or, if that fails, in the directory for temporary files.
    fn rescue(&mut self) -> io::Result<PathBuf> {
        let copy = self.copy.as_mut().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
        let beside = self.journal.path.parent().unwrap_or(Path::new("."));
        // The whole directory may have been moved away.
        let written = fs::create_dir_all(beside).and_then(|()| write_beside(copy, beside));
        written.or_else(|error| write_beside(copy, &std::env::temp_dir()).map_err(|_| error))
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Writes the contents of `copy` into a new file in `dir`.
fn write_beside(copy: &mut LineCopy, dir: &Path) -> io::Result<PathBuf> {
    let mut new = temporary_in(dir)?;
    copy.write_to(new.as_file_mut())?;
    new.as_file().sync_data()?;
    let path = free_name(&dir.join(FILE), "rescued");
    new.persist_noclobber(&path)?;
    sync_name(&path)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::journal::failing_disk::{header, without_fsync};
    use crate::run::journal::{Durability, write_line};

    /// A new journal in `dir`.
    fn journal(dir: &Path) -> Journal {
        Journal::create(dir, &header(), Durability::Fast).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Lengths of lines: two lines of the first length fit into the memory for the copy, but not two of the second
    /// length.
    const LENGTHS: [usize; 2] = [1, 9 << 20];

    #[test]
    fn a_journal_that_changed_before_it_was_copied_is_not_rescued() {
        for length in LENGTHS {
            let dir = tempfile::tempdir().expect("a directory");
            let path = dir.path().join(FILE);
            let mut journal = journal(dir.path());
            let entry = JournalEntry::Again { games: vec!["a".repeat(length)], kept_to: None };
            journal.append(&[entry.clone(), entry]).unwrap_or_else(|error| panic!("{error}"));
            let mut lines = fs::read(&path).expect("read");
            let last = lines.len() - 2;
            lines[last] ^= 1;
            fs::write(&path, lines).expect("written");
            let mut guarded = Guarded::new(journal);
            let changed = guarded.check_whole().expect_err("it has changed");
            let error = guarded.give_up(changed);
            let JournalError::Disturbed { how: Disturbance::Changed, rescued: Err(reason), .. } = error else {
                panic!("{error}")
            };
            assert_eq!(reason.to_string(), "the journal had been changed before it was copied", "{length}");
        }
    }

    #[test]
    fn every_line_is_rescued_whether_or_not_the_memory_holds_them() {
        for length in LENGTHS {
            let dir = tempfile::tempdir().expect("a directory");
            let path = dir.path().join(FILE);
            let mut journal = journal(dir.path());
            let entry =
                |first: char| JournalEntry::Again { games: vec![first.to_string().repeat(length)], kept_to: None };
            journal.append(&[entry('a'), entry('b')]).unwrap_or_else(|error| panic!("{error}"));
            let mut lines = fs::read(&path).expect("read");
            lines.extend(write_line(&entry('c'), &journal.seal).into_bytes());
            let mut guarded = Guarded::new(journal);
            guarded.set_aside(&[entry('c')]);
            fs::remove_file(&path).expect("removed");
            let gone = guarded.check_whole().expect_err("it is gone");
            let error = guarded.give_up(gone);
            let JournalError::Disturbed { how: Disturbance::Gone, rescued: Ok(rescued), .. } = error else {
                panic!("{error}")
            };
            assert!(fs::read(rescued).expect("read") == lines, "{length}");
        }
    }

    #[test]
    fn a_journal_counts_as_rescued_only_once_its_name_is_on_disk() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut guarded = Guarded::new(journal(dir.path()));
        let beside = dir.path().to_owned();
        let rescued = without_fsync(move || write_beside(guarded.copy.as_mut().expect("a copy"), &beside));
        assert!(rescued.is_err(), "{rescued:?}");
    }
}
