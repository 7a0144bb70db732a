//! Builds the ledger of a journal from its lines.

use std::fs::File;
use std::io::{BufReader, Seek as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::checkpoint::{self, CheckpointState};
use super::ledger::{Ledger, LedgerError};
use super::reading::{LinePlace, ReadEntry, ReadingError, ReadingStart, read_entries};
use super::{BUFFER, Extent, JournalEntry, JournalError};
use crate::base::console;
use crate::base::sanitise::Shown as _;
use crate::referee::record::LoggedGame;

/// Which games a ledger keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptGames {
    /// All games.
    All,
    /// In a ladder, only the games without a result.
    Unfinished,
}

/// The point at which the reading of a journal begins, and the state at that point.
pub(super) struct GatheringStart {
    keeps: KeptGames,
    /// The state, if it is known from a checkpoint.
    ledger: Option<Ledger>,
    extent: Extent,
}

impl GatheringStart {
    /// The beginning of a journal, for a ledger that `keeps` these games.
    pub(super) fn of(keeps: KeptGames) -> Self {
        Self { keeps, ledger: None, extent: Extent::default() }
    }
}

/// A ledger, the extent of its journal, and the digest of the whole lines.
pub(super) type ReadJournal = (Ledger, Extent, Sha256);

/// The ledger of the journal `file` of `dir`, without the games that have results, using the checkpoint. Returns `None`
/// if there is no checkpoint of this journal, or if anything is wrong with the lines after the checkpoint: reading the
/// whole journal then shows the problem.
pub(super) fn gather_after_checkpoint(dir: &Path, file: &mut File, path: &Path) -> Option<ReadJournal> {
    let CheckpointState { ledger, extent, mut digest } = checkpoint::find(dir, file)?;
    let start = GatheringStart { keeps: KeptGames::Unfinished, ledger: Some(ledger), extent };
    let (ledger, extent) = gather(file, path, start, Some(&mut digest), |_| (), |_, _, ()| {}).ok()?;
    Some((ledger, extent, digest))
}

/// The ledger of the journal `file`. If it is the journal of a ladder in which no game with a result was superseded,
/// the ledger leaves out the games that have results.
pub(super) fn gather_unfinished(file: &mut File, path: &Path) -> Result<ReadJournal, JournalError> {
    let mut read = |keeps| {
        file.rewind().map_err(|source| JournalError::Io { action: "read", path: path.to_owned(), source })?;
        let mut digest = Sha256::new();
        let start = GatheringStart::of(keeps);
        let (ledger, extent) = gather(file, path, start, Some(&mut digest), |_| (), |_, _, ()| {})?;
        Ok((ledger, extent, digest))
    };
    match read(KeptGames::Unfinished) {
        // Read again without forgetting games: the lines may turn out to be valid, and if not, the error is more
        // precise.
        Err(JournalError::Inconsistent { .. }) => read(KeptGames::All),
        read => read,
    }
}

/// Builds the ledger from the entries in `file`, which is positioned at `start`. For each record, passes the record,
/// the place of its line, and the value that `examine` returns to `look`.
pub(super) fn gather<T: Send>(
    file: &mut File,
    path: &Path,
    start: GatheringStart,
    digest: Option<&mut Sha256>,
    examine: impl Fn(&LoggedGame) -> T + Sync,
    mut look: impl FnMut(&LoggedGame, LinePlace, T),
) -> Result<(Ledger, Extent), JournalError> {
    let after = if start.ledger.is_some() { " after its checkpoint" } else { "" };
    console::detail_of(path, format_args!("reading the journal `{}`{after}", path.shown()));
    let GatheringStart { keeps, mut ledger, extent } = start;
    let start = ReadingStart { extent, seal: ledger.as_ref().map(|ledger| ledger.seal().clone()) };
    let begun = match keeps {
        KeptGames::All => Ledger::new,
        KeptGames::Unfinished => Ledger::of_unfinished,
    };
    let read = |entry| {
        let entry = ReadEntry::of(entry);
        let examined = entry.record().map(&examine);
        (entry, examined)
    };
    let take = |place: LinePlace, (entry, examined): (ReadEntry, Option<T>)| {
        let taken = match (&mut ledger, entry) {
            (None, ReadEntry::Other(entry)) => match *entry {
                JournalEntry::Header(header) => begun(header).map(|new| {
                    ledger = Some(new);
                    None
                }),
                _ => Err(LedgerError::Header),
            },
            (None, _) => Err(LedgerError::Header),
            (Some(ledger), entry) => ledger.take_read(entry),
        };
        if let (Some(record), Some(examined)) = (taken.map_err(|error| (place.line, error))?, examined) {
            look(&record, place, examined);
        }
        Ok(())
    };
    let path = || path.to_owned();
    let extent = match read_entries(BufReader::with_capacity(BUFFER, file), start, digest, read, take) {
        Ok(extent) => extent,
        Err(ReadingError::Io(source)) => return Err(JournalError::Io { action: "read", path: path(), source }),
        Err(ReadingError::Damaged { line, source }) => {
            return Err(JournalError::of_line(path(), line, source));
        }
        Err(ReadingError::Refused((line, source))) => {
            return Err(JournalError::Inconsistent { path: path(), line, source: Box::new(source) });
        }
    };
    ledger.map_or_else(|| Err(JournalError::NoHeader { path: path() }), |ledger| Ok((ledger, extent)))
}
