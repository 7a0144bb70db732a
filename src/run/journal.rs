//! The journal of a run: one file of JSON lines, and the source of truth for its results directory.
//!
//! The first line is a header. Each finished game adds a line with its whole record, and every other event that changes
//! which games count adds a line, too. A game counts as finished once its line is on disk. Each line ends with a
//! checksum of the line and the tournament's digest, which reveals damaged lines and lines from other tournaments. Only
//! one process at a time may write a journal; the journal's lock is released when the process exits. While a run is in
//! progress, [`Writer`] detects whether another program moves or changes the journal.

mod checkpoint;
mod composed;
#[cfg(test)]
mod failing_disk;
mod finished_numbers;
#[cfg(fuzzing)]
pub(crate) mod fuzzed_checkpoint;
mod gathering;
#[cfg(test)]
mod group_tests;
mod guard;
mod kept;
mod kept_group;
pub(crate) mod ladder_history;
pub(crate) mod ladder_line;
pub(crate) mod ladder_tally;
mod ledger;
pub(crate) mod line;
mod line_copy;
mod log_sum;
pub(crate) mod player_entry;
mod reading;
mod record_index;
mod salvage;
mod stored_ledger;
mod writer_thread;

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

pub(crate) use checkpoint::Checkpoint;
pub use checkpoint::JournalMark;
pub use composed::LineSink;
pub use finished_numbers::FinishedNumbers;
pub use guard::Disturbance;
pub use kept::Kept;
pub use ladder_history::{LadderDecision, LadderFault, LadderHistory, LadderPlayer, LastGames, VersionStatus};
pub use ladder_line::{
    AcceptedEntry, FrozenEntry, HandInEntry, PairingEntry, ProgramLine, RefusedEntry, ReopenedEntry, StatusEntry,
    TermsEntry,
};
pub use ladder_tally::{GameOutcome, LadderTally, LostFixture};
pub use ledger::{Ledger, LedgerError};
pub use line::{BadLine, FORMAT, GameEntry, Header, JournalEntry, Seal, read as read_line, write as write_line};
pub(crate) use log_sum::LogStamp;
pub use log_sum::LogSum;
pub use player_entry::PlayerEntry;
pub use record_index::RecordIndex;
pub use salvage::{Salvaged, salvage};
pub use writer_thread::{Writer, WrittenEntry};

use gathering::{GatheringStart, KeptGames, ReadJournal, gather, gather_after_checkpoint, gather_unfinished};
use reading::{ReadingError, ReadingStart, read_entries};

use crate::base::exit::Exit;
use crate::base::sanitise::Shown as _;
use crate::base::word_enum::words;
use crate::referee::record::LoggedGame;
use crate::run::locked_file::{self, LockError, LockHold};
use crate::run::results_dir::{self, JOURNAL as FILE};

/// When a line counts as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// As soon as the line is on disk.
    #[default]
    Safe,
    /// As soon as the system has received the line: a crash of the machine may lose the last games, but a crash of the
    /// arena does not lose any.
    Fast,
}

words! { pub Durability; Safe => "safe", Fast => "fast" }

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("could not {action} `{}`", path.shown())]
    Io {
        /// What the arena tried to do.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Another process is writing the journal.
    #[error("`{}` is in use by another run", path.shown())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// Another program moved or changed the journal while a run was writing it.
    #[error("`{}` {how} while the run was in progress", path.shown())]
    Disturbed {
        /// The path where the journal was.
        path: PathBuf,
        /// What happened to the journal.
        how: Disturbance,
        /// The path of a complete copy, or why there is no copy.
        rescued: Result<PathBuf, io::Error>,
    },
    /// A line is damaged.
    #[error("{}:{line}: {source}", path.shown())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with the line.
        source: BadLine,
    },
    /// An undamaged line contradicts the lines before it.
    #[error("{}:{line}: {source}", path.shown())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The contradiction.
        source: Box<LedgerError>,
    },
    /// A version from before the first release wrote the journal.
    #[error(
        "a version from before the release of 0.1.0 wrote `{}` in journal format {format}, which this version cannot read: its \
         games must be played again, in another directory or with `run FILE --fresh`",
        path.shown()
    )]
    Development {
        /// The file.
        path: PathBuf,
        /// The number of the journal's format.
        format: u32,
    },
    /// The header is missing or incomplete.
    #[error("`{}` has no complete header line", path.shown())]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
}

impl JournalError {
    /// The exit code of a command that cannot continue without the journal.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Io { source, .. } => results_dir::exit_of(source),
            Self::Locked { .. }
            | Self::Disturbed { .. }
            | Self::Damaged { .. }
            | Self::Inconsistent { .. }
            | Self::NoHeader { .. }
            | Self::Development { .. } => Exit::ArenaFailed,
        }
    }

    /// The error for line `line` of the journal `path`, which is `bad`.
    fn of_line(path: PathBuf, line: u64, bad: BadLine) -> Self {
        match bad {
            BadLine::Development(format) => Self::Development { path, format },
            source => Self::Damaged { path, line, source },
        }
    }
}

/// A digest that distinguishes the texts of records and game logs: the first 64 bits of the text's SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextDigest(u64);

impl TextDigest {
    /// The digest of `text`.
    pub fn of(text: impl AsRef<[u8]>) -> Self {
        Self::from_sha256(&Sha256::digest(text.as_ref()).into())
    }

    fn from_sha256(digest: &[u8; 32]) -> Self {
        Self(digest.first_chunk().map_or(0, |first| u64::from_be_bytes(*first)))
    }
}

/// The extent of a journal that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The length of all whole lines, in bytes.
    pub whole: u64,
    /// The number of whole lines.
    pub lines: u64,
    /// The length of the torn last line, in bytes; 0 if there is none.
    pub torn: u64,
}

/// A journal open for writing, with its lock held.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    durability: Durability,
    seal: Seal,
    /// The length of all whole lines, in bytes.
    length: u64,
    /// The number of whole lines.
    lines: u64,
    /// The length of the torn last line, in bytes. [`Journal::mend`] cuts off this line.
    torn: u64,
    /// Whether everything that was read is on disk, and no torn line is left. [`Journal::mend`] makes sure of this.
    is_synced: bool,
    /// The digest of the whole lines so far.
    digest: Sha256,
    /// The modification time of the file before it was read.
    modified: Option<Modified>,
}

/// When a file was last written: seconds and nanoseconds.
type Modified = (i64, i64);

fn modified_of(metadata: &Metadata) -> Modified {
    (metadata.mtime(), metadata.mtime_nsec())
}

impl Journal {
    /// Begins the journal of the results directory `dir`, which must not have a journal yet. Creates the journal
    /// together with its header, or not at all.
    ///
    /// # Errors
    /// Fails if there is already a journal, or if the new journal cannot be written.
    pub fn create(dir: &Path, header: &Header, durability: Durability) -> Result<Self, JournalError> {
        let journal = Self::compose(dir, header, None, |_| Ok(()))?;
        Ok(Self { durability, ..journal })
    }

    /// Opens the journal of `dir` to continue it: takes the lock, and reads the contents. A torn last line stays in
    /// place until [`Journal::mend`] or [`Journal::append`] cuts it off, so that a refused run changes nothing.
    ///
    /// # Errors
    /// Fails if another process holds the lock, if the file cannot be read, or if a line is damaged. A last line
    /// without a newline is not damaged but torn.
    pub fn resume(dir: &Path, durability: Durability) -> Result<(Self, Ledger, Extent), JournalError> {
        Self::resume_with(dir, durability, |_| (), |()| {})
    }

    /// Like [`Journal::resume`], but passes to `take` what `examine` returns for each record, in the order of the
    /// records. `examine` runs on all cores.
    ///
    /// # Errors
    /// Fails in the same cases as [`Journal::resume`].
    pub fn resume_with<T: Send>(
        dir: &Path,
        durability: Durability,
        examine: impl Fn(&LoggedGame) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(Self, Ledger, Extent), JournalError> {
        let (mut file, path) = open_locked(dir, OpenOptions::new().read(true).write(true))?;
        let modified = file.metadata().ok().as_ref().map(modified_of);
        let (start, mut digest) = (GatheringStart::of(KeptGames::All), Sha256::new());
        let (ledger, extent) =
            gather(&mut file, &path, start, Some(&mut digest), examine, |_, _, examined| take(examined))?;
        Self::at_end((file, modified), path, durability, (ledger, extent, digest))
    }

    /// Like [`Journal::resume`], but a ladder's ledger leaves out the games that have results. If there is a checkpoint
    /// of the journal, only the lines after it are read. If a game with a result was superseded, the ledger contains
    /// all games.
    ///
    /// # Errors
    /// Fails in the same cases as [`Journal::resume`].
    pub fn resume_unfinished(dir: &Path, durability: Durability) -> Result<(Self, Ledger, Extent), JournalError> {
        let (mut file, path) = open_locked(dir, OpenOptions::new().read(true).write(true))?;
        let modified = file.metadata().ok().as_ref().map(modified_of);
        let read = match gather_after_checkpoint(dir, &mut file, &path) {
            Some(read) => read,
            None => gather_unfinished(&mut file, &path)?,
        };
        Self::at_end((file, modified), path, durability, read)
    }

    /// Reads the whole journal again, without a checkpoint. Returns the same state as [`Journal::resume_unfinished`].
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if a line is damaged.
    pub fn read_again(&mut self) -> Result<Ledger, JournalError> {
        let (ledger, ..) = gather_unfinished(&mut self.file, &self.path)?;
        let sought = self.file.seek(SeekFrom::Start(self.length));
        sought.map_err(|source| self.failed("read", source))?;
        Ok(ledger)
    }

    /// The journal `file`, which has been read to its end with this result. `modified` is its modification time before
    /// it was read.
    fn at_end(
        (mut file, modified): (File, Option<Modified>),
        path: PathBuf,
        durability: Durability,
        (ledger, extent, digest): ReadJournal,
    ) -> Result<(Self, Ledger, Extent), JournalError> {
        let Extent { whole: length, lines, torn } = extent;
        let sought = file.seek(SeekFrom::Start(length));
        sought.map_err(|source| JournalError::Io { action: "read", path: path.clone(), source })?;
        let seal = ledger.seal().clone();
        let journal = Self { file, path, durability, seal, length, lines, torn, is_synced: false, digest, modified };
        Ok((journal, ledger, extent))
    }

    /// The part of the journal that consists of all whole lines so far.
    fn mark(&self) -> JournalMark {
        JournalMark { length: self.length, lines: self.lines, digest: self.digest.clone() }
    }

    /// Cuts off a torn last line, and waits until everything that was read is on disk, under the journal's name: a run
    /// that was killed may have written lines or created the journal without waiting for the disk. Returns whether there
    /// was a torn line.
    ///
    /// # Errors
    /// Fails if the file cannot be truncated, or if the disk fails.
    pub fn mend(&mut self) -> Result<bool, JournalError> {
        if self.is_synced {
            return Ok(false);
        }
        let is_torn = self.torn > 0;
        let cut = if is_torn { self.file.set_len(self.length) } else { Ok(()) };
        let synced = cut.and_then(|()| self.file.sync_all()).and_then(|()| sync_name(&self.path));
        synced.map_err(|source| self.failed("mend", source))?;
        (self.torn, self.is_synced) = (0, true);
        Ok(is_torn)
    }

    /// Appends a line for each entry. After an error, only some of the lines may have been written; the next process to
    /// open the journal cuts off an incomplete line.
    ///
    /// # Errors
    /// Fails if the lines could not be written as safely as the journal's [`Durability`] demands.
    pub fn append(&mut self, entries: &[JournalEntry]) -> Result<(), JournalError> {
        let text = self.lines(entries);
        self.append_text(&text, entries.len())
    }

    /// The lines of `entries`.
    fn lines(&self, entries: &[JournalEntry]) -> String {
        entries.iter().map(|entry| line::write(entry, &self.seal)).collect()
    }

    /// Appends `text`, which consists of this number of lines.
    fn append_text(&mut self, text: &str, lines: usize) -> Result<(), JournalError> {
        self.mend()?;
        let written = self.file.write_all(text.as_bytes()).and_then(|()| match self.durability {
            Durability::Safe => self.file.sync_data(),
            Durability::Fast => Ok(()),
        });
        written.map_err(|source| self.failed("write", source))?;
        self.length += text.len() as u64;
        self.lines += lines as u64;
        self.digest.update(text);
        Ok(())
    }

    fn failed(&self, action: &'static str, source: io::Error) -> JournalError {
        JournalError::Io { action, path: self.path.clone(), source }
    }
}

/// Waits until the name of the file `path` is on disk, by syncing its directory.
fn sync_name(path: &Path) -> io::Result<()> {
    File::open(path.parent().unwrap_or(Path::new("."))).and_then(|dir| dir.sync_all())
}

/// The digest of the first `length` bytes of `file`, or of the whole file if it is shorter.
fn digest_of(file: &File, length: u64) -> io::Result<Sha256> {
    let mut digest = Sha256::new();
    each_chunk(file, length, |chunk| {
        digest.update(chunk);
        Ok(())
    })?;
    Ok(digest)
}

/// Passes the first `length` bytes of `file` to `each` in chunks, or the whole file if it is shorter.
fn each_chunk(file: &File, length: u64, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut chunk = vec![0; 1 << 16];
    let mut at = 0;
    while at < length {
        let most = usize::try_from(length - at).map_or(chunk.len(), |left| left.min(chunk.len()));
        match file.read_at(&mut chunk[..most], at) {
            Ok(0) => break,
            Ok(read) => {
                each(&chunk[..read])?;
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether the results directory `dir` contains a journal, or something else with that name. In the latter case,
/// opening the journal reports the error.
pub fn is_in(dir: &Path) -> bool {
    results_dir::has_journal(dir)
}

/// The approximate number of games in the journal of `dir`: the number of lines after the header. Returns 0 if the
/// journal cannot be read, since the error is reported when the games are read.
pub fn about_games_in(dir: &Path) -> u64 {
    let count = || -> io::Result<u64> {
        let mut file = open(dir).map_err(io::Error::other)?.0;
        let (mut lines, mut buffer) = (0, vec![0; BUFFER]);
        loop {
            match io::Read::read(&mut file, &mut buffer)? {
                0 => return Ok(lines),
                bytes => lines += buffer[..bytes].split(|&byte| byte == b'\n').skip(1).count() as u64,
            }
        }
    };
    count().unwrap_or_default().saturating_sub(1)
}

/// Whether another process, a run or a rebuild, is writing the journal of `dir`.
///
/// # Errors
/// Fails if the journal cannot be opened.
pub fn is_in_use(dir: &Path) -> Result<bool, JournalError> {
    let (file, path) = open(dir)?;
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(source)) => Err(JournalError::Io { action: "lock", path, source }),
    }
}

/// The state described by the journal of `dir`; passes each record to `look`. Takes no lock and changes nothing. Skips
/// a torn last line, which a run may be writing at this moment.
///
/// # Errors
/// Fails if the journal cannot be read, or if a line is damaged. A last line without a newline is not damaged but torn.
pub fn read(dir: &Path, mut look: impl FnMut(&LoggedGame)) -> Result<(Ledger, Extent), JournalError> {
    let (mut file, path) = open(dir)?;
    gather(&mut file, &path, GatheringStart::of(KeptGames::All), None, |_| (), |record, _, ()| look(record))
}

/// Like [`read`], but the ledger of a ladder has forgotten each game with a result, unless such a game was superseded.
/// Reads the whole journal, whether or not there is a checkpoint.
///
/// # Errors
/// Fails in the same cases as [`read`].
pub fn read_unfinished(dir: &Path) -> Result<Ledger, JournalError> {
    let (mut file, path) = open(dir)?;
    gather_unfinished(&mut file, &path).map(|(ledger, ..)| ledger)
}

/// Like [`read`], but passes to `take` what `examine` returns for each record, in the order of the records. `examine`
/// runs on all cores.
///
/// # Errors
/// Fails in the same cases as [`read`].
pub fn read_with<T: Send>(
    dir: &Path,
    examine: impl Fn(&LoggedGame) -> T + Sync,
    mut take: impl FnMut(T),
) -> Result<(Ledger, Extent), JournalError> {
    let (mut file, path) = open(dir)?;
    gather(&mut file, &path, GatheringStart::of(KeptGames::All), None, examine, |_, _, examined| take(examined))
}

/// Passes each game in the journal of `dir` to `each` as recorded, including void and superseded games.
///
/// # Errors
/// Fails in the same cases as [`read`], and with any error that `each` returns.
pub fn each_game<E: From<JournalError>>(dir: &Path, each: impl FnMut(GameEntry) -> Result<(), E>) -> Result<(), E> {
    each_game_from(dir, ReadingStart::default(), each)
}

/// Like [`each_game`], but leaves out the games that are known from a checkpoint according to `ledger`, the state of
/// the journal.
///
/// # Errors
/// Fails in the same cases as [`each_game`].
pub(crate) fn each_game_after_checkpoint<E: From<JournalError>>(
    dir: &Path,
    ledger: &Ledger,
    each: impl FnMut(GameEntry) -> Result<(), E>,
) -> Result<(), E> {
    let covered = ledger.covered();
    let extent = Extent { whole: covered, ..Extent::default() };
    each_game_from(dir, ReadingStart { extent, seal: (covered > 0).then(|| ledger.seal().clone()) }, each)
}

fn each_game_from<E: From<JournalError>>(
    dir: &Path,
    start: ReadingStart,
    mut each: impl FnMut(GameEntry) -> Result<(), E>,
) -> Result<(), E> {
    let (mut file, path) = open(dir)?;
    if let Err(source) = file.seek(SeekFrom::Start(start.extent.whole)) {
        return Err(JournalError::Io { action: "read", path, source }.into());
    }
    let take = |_, entry| match entry {
        JournalEntry::Game(game) | JournalEntry::Void(game) => each(game),
        _ => Ok(()),
    };
    match read_entries(BufReader::with_capacity(BUFFER, file), start, None, |entry| entry, take) {
        Ok(_) => Ok(()),
        Err(ReadingError::Refused(error)) => Err(error),
        Err(ReadingError::Io(source)) => Err(JournalError::Io { action: "read", path, source }.into()),
        Err(ReadingError::Damaged { line, source }) => Err(JournalError::of_line(path, line, source).into()),
    }
}

/// How many bytes of a journal to read at a time.
const BUFFER: usize = 1 << 16;

fn open(dir: &Path) -> Result<(File, PathBuf), JournalError> {
    let path = dir.join(FILE);
    match results_dir::open(&path) {
        Ok(file) => Ok((file, path)),
        Err(source) => Err(JournalError::Io { action: "open", path, source }),
    }
}

/// Opens the journal of `dir` and takes its lock.
fn open_locked(dir: &Path, options: &mut OpenOptions) -> Result<(File, PathBuf), JournalError> {
    let path = dir.join(FILE);
    match locked_file::open(&path, LockHold::Alone, || results_dir::open_with(&path, options)) {
        Ok(file) => Ok((file, path)),
        Err(LockError::Held) => Err(JournalError::Locked { path }),
        Err(LockError::Io { action, source }) => Err(JournalError::Io { action, path, source }),
    }
}
