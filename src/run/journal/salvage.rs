//! Saves the undamaged lines of a damaged journal.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::line::{self, BadLine, JournalEntry, Seal};
use super::{JournalError, Ledger, LedgerError, open_locked, sync_name};
use crate::base::files::{free_name, temporary_in};

/// The maximum number of bytes of damaged lines to read. A file that contains more is not treated as a damaged journal.
const MOST_DAMAGED: u64 = 256 << 20;

/// The result of salvaging a damaged journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// The new path of the damaged file.
    pub aside: PathBuf,
    /// How many lines were kept.
    pub kept: u64,
    /// The numbers, from 1, of the lines that were dropped because they are damaged, belong to another tournament, or
    /// contradict earlier lines.
    pub damaged: Vec<u64>,
    /// The undamaged lines that were dropped because a later line contains the same game; the line that superseded this
    /// game must be among the damaged lines.
    pub superseded: Vec<u64>,
}

/// Rewrites the journal of `dir` with only the lines that are intact, belong to its tournament and do not contradict
/// earlier lines. Keeps the damaged file next to it under another name.
///
/// # Errors
/// Fails if not even the header is intact, if a development version wrote the journal, if another process holds the
/// journal's lock, or if a file cannot be written.
pub fn salvage(dir: &Path) -> Result<Salvaged, JournalError> {
    let (mut file, path) = open_locked(dir, OpenOptions::new().read(true))?;
    let fail = |action| move |source| JournalError::Io { action, path: dir.join(super::FILE), source };
    let sieve = Sieve::of(&mut file).map_err(fail("read"))?;
    if let Some(format) = sieve.development {
        return Err(JournalError::Development { path, format });
    }
    if sieve.ledger.is_none() {
        return Err(JournalError::NoHeader { path });
    }
    file.rewind().map_err(fail("read"))?;
    let mut new = temporary_in(dir).map_err(fail("write"))?;
    let mut kept = 0;
    let mut lines = Lines::new(&mut file);
    while let Some((line, bytes)) = lines.next().map_err(fail("read"))? {
        if !sieve.damaged.contains(&line) && !sieve.superseded.contains(&line) {
            new.write_all(bytes).map_err(fail("write"))?;
            kept += 1;
        }
    }
    new.as_file().sync_all().map_err(fail("write"))?;
    let aside = free_name(&path, "damaged");
    fs::hard_link(&path, &aside).map_err(fail("keep a copy of"))?;
    new.persist(&path).map_err(|error| fail("replace")(error.error))?;
    sync_name(&path).map_err(fail("write"))?;
    let Sieve { damaged, superseded, .. } = sieve;
    Ok(Salvaged { aside, kept, damaged: damaged.into_iter().collect(), superseded: superseded.into_iter().collect() })
}

/// Decides which lines of a damaged journal to drop.
#[derive(Default)]
struct Sieve {
    seal: Seal,
    /// The state described by the kept lines; `None` before the header.
    ledger: Option<Ledger>,
    /// The last line with a record of each game.
    last: HashMap<String, u64>,
    damaged: BTreeSet<u64>,
    superseded: BTreeSet<u64>,
    /// The format of the journal, if a development version wrote it.
    development: Option<u32>,
}

impl Sieve {
    fn of(file: &mut File) -> io::Result<Self> {
        let mut sieve = Self::default();
        let mut lines = Lines::new(file);
        let mut wasted = 0;
        while let Some((line, bytes)) = lines.next()? {
            if !sieve.take(line, bytes) {
                sieve.damaged.insert(line);
                wasted += bytes.len() as u64;
            }
            if wasted > MOST_DAMAGED {
                return Err(io::Error::other("more than 256 MiB of it are not journal lines"));
            }
        }
        Ok(sieve)
    }

    /// Examines a line. Returns whether it can be kept.
    fn take(&mut self, line: u64, bytes: &[u8]) -> bool {
        let entry = match line::read(&mut bytes.to_vec(), &self.seal) {
            Ok(entry) => entry,
            Err(bad) => {
                // After a game recorded by this version, a line of a development format is treated like any other
                // line that does not belong to the run.
                if let (BadLine::Development(format), true) = (bad, self.last.is_empty()) {
                    self.development = Some(format);
                }
                return false;
            }
        };
        let Some(ledger) = &mut self.ledger else {
            // A later header belongs to another journal.
            if let (1, JournalEntry::Header(header)) = (line, entry) {
                self.seal = Seal::of(&header);
                self.ledger = Ledger::new(header).ok();
            }
            return self.ledger.is_some();
        };
        let id = match &entry {
            JournalEntry::Game(game) | JournalEntry::Void(game) => Some(game.id.clone()),
            _ => None,
        };
        match ledger.take(entry) {
            Ok(()) => {}
            // The ledger now contains the later record.
            Err(LedgerError::Twice { id }) => self.superseded.extend(self.last.get(&id)),
            Err(_) => return false,
        }
        self.last.extend(id.map(|id| (id, line)));
        true
    }
}

/// A line's number from 1, and its bytes.
type NumberedLine<'b> = (u64, &'b [u8]);

/// Reads the lines of a file one by one.
struct Lines<'f> {
    input: BufReader<&'f mut File>,
    bytes: Vec<u8>,
    line: u64,
}

impl<'f> Lines<'f> {
    fn new(file: &'f mut File) -> Self {
        Self { input: BufReader::new(file), bytes: Vec::new(), line: 0 }
    }

    fn next(&mut self) -> io::Result<Option<NumberedLine<'_>>> {
        self.bytes.clear();
        if self.input.by_ref().take(line::MAX_BYTES).read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(None);
        }
        self.line += 1;
        Ok(Some((self.line, &self.bytes)))
    }
}
