//! The checkpoint beside the journal of a ladder: the state after a part of the journal, so that a continued run does
//! not have to read this part.
//!
//! A checkpoint is never trusted over the journal. It contains the length and the SHA-256 of the part that it covers,
//! and is used only if the journal still begins with these bytes. A checkpoint that is missing, damaged, in another
//! format or for another journal has no effect: the whole journal is read.
//!
//! The file contains two lines of JSON, each with a checksum: a description of the part that is covered, and the state.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::stored_ledger::StoredLedger;
use super::{Extent, Header, JournalEntry, Ledger, Seal, digest_of, line};
use crate::base::checksummed_line::{with_checksum, without_checksum};
use crate::base::files;
use crate::base::hex::hex;
use crate::run::results_dir::{self, CHECKPOINT};

/// The version of the format. A file in another version has no effect.
const CHECKPOINT_FORMAT: u32 = 1;

/// The maximum size of a checkpoint: several times the size for a ladder with a million games. This limits the memory
/// that a damaged file can claim.
const MOST_BYTES: usize = 64 << 20;

/// A part of a journal, from its beginning to the end of a line.
#[derive(Clone, Debug)]
pub struct JournalMark {
    /// The length in bytes.
    pub(super) length: u64,
    /// The number of lines.
    pub(super) lines: u64,
    /// The digest of these lines.
    pub(super) digest: Sha256,
}

/// The first line of a checkpoint.
#[derive(Serialize, Deserialize)]
struct Covered {
    format: u32,
    length: u64,
    lines: u64,
    sha256: String,
}

/// A checkpoint that is ready to be written.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    state: StoredLedger,
    mark: JournalMark,
}

impl Checkpoint {
    /// The state of `ledger` after the part of its journal up to `mark`; `None` if `ledger` does not belong to a ladder
    /// or does not forget games, or if some logs of forgotten games have not been compared with the journal.
    pub(crate) fn of(ledger: &Ledger, mark: JournalMark) -> Option<Self> {
        Some(Self { state: StoredLedger::of(ledger)?, mark })
    }

    /// Replaces the checkpoint in the results directory `dir`.
    ///
    /// # Errors
    /// Fails if the file cannot be written; the old file is then unchanged.
    pub(crate) fn write(self, dir: &Path) -> io::Result<()> {
        let text = self.text();
        if text.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        files::write_whole(&dir.join(CHECKPOINT), text.as_bytes())
    }

    fn text(self) -> String {
        let Self { state, mark: JournalMark { length, lines, digest } } = self;
        let sha256 = hex(&digest.finalize());
        sealed(&Covered { format: CHECKPOINT_FORMAT, length, lines, sha256 }) + &sealed(&state)
    }
}

/// The line that contains `object` and a checksum.
fn sealed(object: &impl Serialize) -> String {
    // The objects are plain data with keys that are strings or integers.
    let object = serde_json::to_string(object).unwrap_or_else(|error| unreachable!("it is JSON: {error}"));
    with_checksum(object, CHECKPOINT)
}

/// Parses a line that [`sealed`] wrote.
fn unsealed<'l, T: Deserialize<'l>>(line: &'l mut [u8]) -> Option<T> {
    serde_json::from_slice(without_checksum(line, CHECKPOINT)?).ok()
}

/// The state after a part of a journal.
pub(super) struct CheckpointState {
    pub(super) ledger: Ledger,
    /// The part of the journal.
    pub(super) extent: Extent,
    /// The digest of this part.
    pub(super) digest: Sha256,
}

/// The state according to the checkpoint in the results directory `dir`, whose journal is `file`; `None` if there is no
/// checkpoint of this journal that this version can read.
pub(super) fn find(dir: &Path, file: &mut File) -> Option<CheckpointState> {
    let mut bytes = results_dir::read_at_most(&dir.join(CHECKPOINT), MOST_BYTES as u64 + 1).ok()?;
    if bytes.len() > MOST_BYTES {
        return None;
    }
    let end = bytes.iter().position(|&byte| byte == b'\n')? + 1;
    let (first, state) = bytes.split_at_mut(end);
    let Covered { format, length, lines, sha256 } = unsealed(first)?;
    // If the part ended in the middle of a line, the rest of the journal would begin with a damaged line.
    let mut last = [0];
    file.read_exact_at(&mut last, length.checked_sub(1)?).ok()?;
    if format != CHECKPOINT_FORMAT || last != *b"\n" || lines > length {
        return None;
    }
    let state: StoredLedger = unsealed(state)?;
    let digest = digest_of(file, length).ok()?;
    if hex(&digest.clone().finalize()) != sha256 {
        return None;
    }
    let mut ledger = state.ledger(header_of(file)?, lines)?;
    ledger.settled.as_mut()?.covered = length;
    file.seek(SeekFrom::Start(length)).ok()?;
    Some(CheckpointState { ledger, extent: Extent { whole: length, lines, torn: 0 }, digest })
}

/// The header of the journal `file`.
fn header_of(file: &mut File) -> Option<Header> {
    file.rewind().ok()?;
    let mut bytes = Vec::new();
    BufReader::new(file).take(line::MAX_BYTES).read_until(b'\n', &mut bytes).ok()?;
    match line::read(&mut bytes, &Seal::default()).ok()? {
        JournalEntry::Header(header) => Some(header),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
