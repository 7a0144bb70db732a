//! Finds the records of a journal without changing the journal.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::gathering::{GatheringStart, KeptGames, gather};
use super::line::{self, JournalEntry, Seal};
use super::reading::LinePlace;
use super::{JournalError, Kept, Ledger, open};

/// The records of one journal, which stay in its file.
#[derive(Debug)]
pub struct RecordIndex {
    file: File,
    path: PathBuf,
    seal: Seal,
    /// The places of all records, in the order of the journal.
    places: Vec<LinePlace>,
}

impl RecordIndex {
    /// Reads the journal of `dir`, and returns its state. Takes no lock and changes nothing. Skips a torn last line,
    /// which a run may be writing at this moment.
    ///
    /// # Errors
    /// Fails if the journal cannot be read, or if a line is damaged. A last line without a newline counts as torn, not
    /// as damaged.
    pub fn of(dir: &Path) -> Result<(Self, Ledger), JournalError> {
        let (mut file, path) = open(dir)?;
        let mut places = Vec::new();
        let (ledger, _) = {
            let start = GatheringStart::of(KeptGames::All);
            gather(&mut file, &path, start, None, |_| (), |_, place, ()| places.push(place))?
        };
        Ok((Self { file, path, seal: ledger.seal().clone(), places }, ledger))
    }

    /// The entry of `kept`, a game in the journal's ledger.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or has changed since it was indexed.
    pub fn entry(&self, kept: &Kept) -> Result<JournalEntry, JournalError> {
        // The index was made from the same lines.
        let LinePlace { line, start, bytes } = self.places[usize::try_from(kept.place).unwrap_or(usize::MAX)];
        let mut bytes = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
        let read = self.file.read_exact_at(&mut bytes, start);
        read.map_err(|source| JournalError::Io { action: "read", path: self.path.clone(), source })?;
        let entry = line::read(&mut bytes, &self.seal);
        entry.map_err(|bad| JournalError::of_line(self.path.clone(), line, bad))
    }
}
