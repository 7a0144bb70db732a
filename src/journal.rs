//! The journal of a run: one file of JSON lines, and the truth of its results directory.
//!
//! A header comes first; then a line for each finished game, with its whole record, and one for whatever else changes
//! what counts. A game is finished when its line is on the disk. Each line ends with a checksum of its own, so that
//! damage is told from what was written. Only one process at a time may write a journal; the lock dies with it.

mod ledger;
mod line;
mod salvage;
mod writer;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};
use thiserror::Error;

pub use ledger::{Kept, Ledger, LedgerError};
pub use line::{BadLine, Entry, FORMAT, GameEntry, Header, PlayerEntry, read as read_line, write as write_line};
pub use salvage::{Salvaged, salvage};
pub use writer::Writer;

use crate::printable::Shown as _;
use crate::record::GameRecord;
use crate::report::results_dir::JOURNAL as FILE;

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
    #[error("could not {action} `{}`", path.shown())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another process writes it.
    #[error("`{}` is in use by another run", path.shown())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A line in the middle is damaged.
    #[error("{}:{line}: {source}", path.shown())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        source: BadLine,
    },
    /// A whole line says what can't be.
    #[error("{}:{line}: {source}", path.shown())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What can't be.
        source: Box<LedgerError>,
    },
    /// There is no whole header.
    #[error("`{}` has no whole header line", path.shown())]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
}

/// A digest by which texts are told apart, of records and game logs: the first 64 bits of their SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextDigest(u64);

impl TextDigest {
    /// The digest of this text.
    pub fn of(text: impl AsRef<[u8]>) -> Self {
        let digest: [u8; 32] = Sha256::digest(text.as_ref()).into();
        Self(digest.first_chunk().map_or(0, |first| u64::from_be_bytes(*first)))
    }
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

    /// Opens the journal of `dir` to go on with it: takes the lock, reads what is there, and cuts off a torn last line.
    ///
    /// # Errors
    /// When another process has it, when it can't be read, and when a line other than the last is damaged.
    pub fn resume(dir: &Path, durability: Durability) -> Result<(Self, Ledger, Extent), JournalError> {
        Self::resume_with(dir, durability, |_| {})
    }

    /// Like [`Journal::resume`], with a look at each record.
    ///
    /// # Errors
    /// As there.
    pub fn resume_with(
        dir: &Path,
        durability: Durability,
        look: impl FnMut(&GameRecord),
    ) -> Result<(Self, Ledger, Extent), JournalError> {
        let path = dir.join(FILE);
        let fail = |action| move |source| JournalError::Io { action, path: dir.join(FILE), source };
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(fail("open"))?;
        lock(&file, &path)?;
        let (ledger, extent) = gather(&mut file, &path, look)?;
        if extent.torn > 0 {
            file.set_len(extent.whole).and_then(|()| file.sync_all()).map_err(fail("mend"))?;
        }
        file.seek(SeekFrom::Start(extent.whole)).map_err(fail("write"))?;
        Ok((Self { file, path, durability }, ledger, extent))
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

/// What the journal of `dir` comes to, with a look at each record; takes no lock and changes nothing. A torn last line is
/// passed over: it may be on its way.
///
/// # Errors
/// When it can't be read, and when a line other than the last is damaged.
pub fn read(dir: &Path, look: impl FnMut(&GameRecord)) -> Result<(Ledger, Extent), JournalError> {
    let (mut file, path) = open(dir)?;
    gather(&mut file, &path, look)
}

/// Hands each game of the journal of `dir` to `each`, void and superseded ones, too, as it stands there.
///
/// # Errors
/// As [`read`]; and whatever `each` returns.
pub fn each_game<E: From<JournalError>>(dir: &Path, mut each: impl FnMut(GameEntry) -> Result<(), E>) -> Result<(), E> {
    let (mut file, path) = open(dir)?;
    let mut failed = Ok(());
    let extent = read_entries(&mut file, &path, |_, entry| {
        if let (Ok(()), Entry::Game(game) | Entry::Void(game)) = (&failed, entry) {
            failed = each(game);
        }
        Ok(())
    });
    failed?;
    extent?;
    Ok(())
}

fn open(dir: &Path) -> Result<(File, PathBuf), JournalError> {
    let path = dir.join(FILE);
    match File::open(&path) {
        Ok(file) => Ok((file, path)),
        Err(source) => Err(JournalError::Io { action: "open", path, source }),
    }
}

/// How long to wait for a lock, and how often to look: a child that a killed run was about to start holds the lock until it
/// is another program.
const LOCK_PAUSE: Duration = Duration::from_millis(20);
const LOCK_LOOKS: u32 = 50;

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    for look in 1..=LOCK_LOOKS {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if look < LOCK_LOOKS => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => break,
            Err(TryLockError::Error(source)) => {
                return Err(JournalError::Io { action: "lock", path: path.to_owned(), source });
            }
        }
    }
    Err(JournalError::Locked { path: path.to_owned() })
}

fn gather(file: &mut File, path: &Path, mut look: impl FnMut(&GameRecord)) -> Result<(Ledger, Extent), JournalError> {
    let mut ledger: Option<Ledger> = None;
    let extent = read_entries(file, path, |line, entry| {
        let taken = match (&mut ledger, entry) {
            (None, Entry::Header(header)) => Ledger::new(header).map(|new| {
                ledger = Some(new);
                None
            }),
            (None, _) => Err(LedgerError::Header),
            (Some(ledger), entry) => ledger.take(entry),
        };
        let record = taken.map_err(|source| JournalError::Inconsistent {
            path: path.to_owned(),
            line,
            source: Box::new(source),
        })?;
        record.iter().for_each(&mut look);
        Ok(())
    })?;
    match ledger {
        Some(ledger) => Ok((ledger, extent)),
        None => Err(JournalError::NoHeader { path: path.to_owned() }),
    }
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
        let line = extent.lines + 1;
        match line::read(&mut bytes) {
            Ok(entry) => {
                extent.lines = line;
                extent.whole += read;
                each(line, entry)?;
            }
            // Whoever wrote it knew what it means.
            Err(source @ BadLine::Unknown(_)) => {
                return Err(JournalError::Damaged { path: path.to_owned(), line, source });
            }
            Err(error) => {
                bad = Some((line, error));
                extent.torn = read;
            }
        }
    }
    Ok(extent)
}
