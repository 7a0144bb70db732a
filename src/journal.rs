//! The journal of a run: one file of JSON lines, and the truth of its results directory.
//!
//! A header comes first; then a line for each finished game, with its whole record, and one for whatever else changes
//! what counts. A game is finished when its line is on the disk. Each line ends with a checksum of its own, so that
//! damage is told from what was written. Only one process at a time may write a journal; the lock dies with it.

mod ledger;
mod line;
mod writer;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use ledger::{Ledger, LedgerError};
pub use line::{BadLine, Entry, FORMAT, Header, PlayerEntry};
pub use writer::Writer;

/// The journal's name in the results directory.
pub const FILE: &str = "journal.jsonl";

/// When a line counts as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Durability {
    /// When it is on the disk.
    #[default]
    Safe,
    /// When the system has it: a crash of the machine may lose the last games, a crash of the arena none.
    Fast,
}

/// Why a journal can't be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file can't be read or written.
    #[error("could not {action} `{}`", path.display())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another process writes it.
    #[error("`{}` is in use by another run", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A line in the middle is damaged.
    #[error("{}:{line}: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        source: BadLine,
    },
    /// There is no whole header.
    #[error("`{}` has no header", path.display())]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
}

/// What reading a journal came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// How many bytes are whole lines.
    pub whole: u64,
    /// How many lines those are.
    pub lines: u64,
    /// How many bytes of a torn last line follow.
    pub torn: u64,
}

/// A journal open for writing, with the lock on it.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    durability: Durability,
}

impl Journal {
    /// Begins the journal of the results directory `dir`, where none may be. It appears with its header or not at all.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(dir: &Path, header: &Header, durability: Durability) -> Result<Self, JournalError> {
        let path = dir.join(FILE);
        let fail = |source| JournalError::Io { action: "write", path: path.clone(), source };
        let mut new = crate::files::temporary_in(dir).map_err(fail)?;
        new.write_all(line::write(&Entry::Header(header.clone())).as_bytes()).map_err(fail)?;
        new.as_file().sync_all().map_err(fail)?;
        // Locked under its temporary name, so that nobody else can have it first.
        new.as_file().try_lock().map_err(|error| fail(io::Error::from(error)))?;
        let file = new.persist_noclobber(&path).map_err(|error| fail(error.error))?;
        // The name is on the disk when the directory is.
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(fail)?;
        Ok(Self { file, path, durability })
    }

    /// Opens the journal of `dir` to go on with it: takes the lock, hands each entry to `each`, and cuts off a torn last
    /// line.
    ///
    /// # Errors
    /// When another process has it, when it can't be read, and when a line other than the last is damaged.
    pub fn resume(
        dir: &Path,
        durability: Durability,
        each: impl FnMut(u64, Entry) -> Result<(), JournalError>,
    ) -> Result<(Self, Extent), JournalError> {
        let path = dir.join(FILE);
        let fail = |action| move |source| JournalError::Io { action, path: dir.join(FILE), source };
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(fail("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::Locked { path }),
            Err(TryLockError::Error(error)) => return Err(fail("lock")(error)),
        }
        let extent = read_entries(&mut file, &path, each)?;
        if extent.torn > 0 {
            file.set_len(extent.whole).and_then(|()| file.sync_all()).map_err(fail("mend"))?;
        }
        file.seek(SeekFrom::Start(extent.whole)).map_err(fail("write"))?;
        Ok((Self { file, path, durability }, extent))
    }

    /// Appends lines, all of them or, after an error, some: what is not whole is cut off by the next to open it.
    ///
    /// # Errors
    /// When they could not be written as safely as was asked for.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), JournalError> {
        let text: String = entries.iter().map(line::write).collect();
        let written = self.file.write_all(text.as_bytes()).and_then(|()| match self.durability {
            Durability::Safe => self.file.sync_data(),
            Durability::Fast => Ok(()),
        });
        written.map_err(|source| JournalError::Io { action: "write", path: self.path.clone(), source })
    }
}

/// Whether the results directory `dir` has a journal.
pub fn is_in(dir: &Path) -> bool {
    dir.join(FILE).is_file()
}

/// Hands each entry of the journal of `dir` to `each`, with its line from 1; takes no lock and changes nothing.
///
/// # Errors
/// As [`Journal::resume`]; and whatever `each` returns.
pub fn read(dir: &Path, each: impl FnMut(u64, Entry) -> Result<(), JournalError>) -> Result<Extent, JournalError> {
    let path = dir.join(FILE);
    let mut file =
        File::open(&path).map_err(|source| JournalError::Io { action: "open", path: path.clone(), source })?;
    read_entries(&mut file, &path, each)
}

fn read_entries(
    file: &mut File,
    path: &Path,
    mut each: impl FnMut(u64, Entry) -> Result<(), JournalError>,
) -> Result<Extent, JournalError> {
    let fail = |source| JournalError::Io { action: "read", path: path.to_owned(), source };
    let mut input = BufReader::with_capacity(1 << 16, file);
    let mut extent = Extent::default();
    let mut bytes = Vec::new();
    // A damaged line is torn if nothing follows it, and damage in the middle if anything does.
    let mut bad: Option<(u64, BadLine)> = None;
    loop {
        bytes.clear();
        let read = input.by_ref().take(line::MAX_BYTES).read_until(b'\n', &mut bytes).map_err(fail)? as u64;
        if read == 0 {
            break;
        }
        if let Some((line, source)) = bad {
            return Err(JournalError::Damaged { path: path.to_owned(), line, source });
        }
        match line::read(&bytes) {
            Ok(entry) => {
                extent.lines += 1;
                extent.whole += read;
                each(extent.lines, entry)?;
            }
            Err(error) => {
                bad = Some((extent.lines + 1, error));
                extent.torn = read;
            }
        }
    }
    if extent.lines == 0 {
        return Err(JournalError::NoHeader { path: path.to_owned() });
    }
    Ok(extent)
}

/// Writes the journal of `dir` anew with those of its lines that are whole. The damaged file stays beside it, under the
/// name that is returned with how many lines were kept and how many were lost.
///
/// # Errors
/// When not even the header is whole, when another process has the journal, and when a file can't be written.
pub fn salvage(dir: &Path) -> Result<(PathBuf, u64, u64), JournalError> {
    let path = dir.join(FILE);
    let fail = |action| move |source| JournalError::Io { action, path: dir.join(FILE), source };
    let file = File::open(&path).map_err(fail("open"))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(JournalError::Locked { path });
    }
    let mut new = crate::files::temporary_in(dir).map_err(fail("write"))?;
    let (mut kept, mut lost) = (0, 0);
    let mut input = BufReader::new(&file);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if input.by_ref().take(line::MAX_BYTES).read_until(b'\n', &mut bytes).map_err(fail("read"))? == 0 {
            break;
        }
        match line::read(&bytes) {
            Ok(Entry::Header(_)) if kept > 0 => lost += 1,
            Ok(entry) if kept == 0 && !matches!(entry, Entry::Header(_)) => {
                return Err(JournalError::NoHeader { path });
            }
            Ok(_) => {
                new.write_all(&bytes).map_err(fail("write"))?;
                kept += 1;
            }
            Err(_) => lost += 1,
        }
    }
    if kept == 0 {
        return Err(JournalError::NoHeader { path });
    }
    new.as_file().sync_all().map_err(fail("write"))?;
    let aside = free_name(dir);
    fs::hard_link(&path, &aside).map_err(fail("keep a copy of"))?;
    new.persist(&path).map_err(|error| fail("replace")(error.error))?;
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(fail("write"))?;
    Ok((aside, kept, lost))
}

/// A name for a damaged journal that nothing has yet.
fn free_name(dir: &Path) -> PathBuf {
    let names = (1_u64..).map(|number| dir.join(format!("{FILE}.damaged-{number}")));
    names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| dir.join(format!("{FILE}.damaged")))
}
