//! Reads a run's directory, in which the game logs are the source of truth.

use std::collections::HashMap;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use thiserror::Error;

use crate::base::console;
use crate::base::exit::Exit;
use crate::base::sanitise::Shown as _;
use crate::base::units::counted;
use crate::game::{MOST_SEATS, Seat};
use crate::referee::record::{LogTextError, LoggedGame, MAX_BYTES};
use crate::results::standings::PlayedSummary;

/// The name of a run's journal.
pub const JOURNAL: &str = "journal.jsonl";

/// The name of the checkpoint beside the journal of a ladder.
pub const CHECKPOINT: &str = "checkpoint.jsonl";

/// The name of the directory for a run's game logs.
pub const GAMES: &str = "games";

/// The name of the directory for the files of a ladder's versions.
pub const VERSIONS: &str = "versions";

/// The name of the file with the aliases of a run's players.
pub const ALIASES: &str = "aliases.json";

/// The word for `seat` in the names of files about the seat's bot, in a game with `seats` seats.
pub const fn seat_word(seat: Seat, seats: u8) -> &'static str {
    const WORDS: [&str; MOST_SEATS] = ["seat1", "seat2", "seat3", "seat4", "seat5", "seat6"];

    if seats > 2 { WORDS[seat.index()] } else { seat.name(seats) }
}

/// The name of the file with the output `what` of a bot in the game `id`, given the bot's seat and the number of seats.
pub fn output_name(id: &str, (seat, seats): (Seat, u8), what: &str) -> String {
    format!("{id}.{}.{what}", seat_word(seat, seats))
}

/// Why a run's logs cannot be used. Lists every bad log.
#[derive(Debug, Error)]
#[error("{}", .0.iter().map(LogError::to_string).collect::<Vec<_>>().join("\n"))]
pub struct LogErrors(pub Vec<LogError>);

/// Why one log cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    /// The file or the directory cannot be read.
    #[error("cannot read `{}`: {source}", path.shown())]
    Io {
        /// The file or the directory.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The text is not a game log.
    #[error("{}:{source}", path.shown())]
    Parse {
        /// The file.
        path: PathBuf,
        /// The place in the file, and the reason.
        source: LogTextError,
    },
    /// Two logs claim to be of the same game.
    #[error("{}: the game `{game}` already has a log: {}", path.shown(), first.shown())]
    Duplicate {
        /// The later file.
        path: PathBuf,
        /// The game's id.
        game: String,
        /// The earlier file.
        first: PathBuf,
    },
}

/// Something in a results directory that the arena did not create. The results directory itself may be a link, but it
/// must not contain links, so that nothing outside is read or written by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("it is {is}, but only {wanted} is allowed here: move it elsewhere")]
pub struct WrongKind {
    is: &'static str,
    wanted: &'static str,
}

impl WrongKind {
    fn new(kind: FileType, wanted: &'static str) -> Self {
        let is = if kind.is_symlink() {
            "a symbolic link"
        } else if kind.is_dir() {
            "a directory"
        } else if kind.is_fifo() {
            "a named pipe"
        } else if kind.is_socket() {
            "a socket"
        } else if kind.is_block_device() || kind.is_char_device() {
            "a device"
        } else {
            "a file"
        };
        Self { is, wanted }
    }
}

impl From<WrongKind> for io::Error {
    fn from(error: WrongKind) -> Self {
        Self::new(io::ErrorKind::InvalidInput, error)
    }
}

/// The exit code for `error`, which occurred while reading something in a results directory: an entry of the wrong kind
/// is damage, and anything else is a failure of the arena or its machine.
pub(crate) fn exit_of(error: &io::Error) -> Exit {
    let is_wrong_kind = error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<WrongKind>);
    if is_wrong_kind { Exit::DoesNotHold } else { Exit::ArenaFailed }
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() { Ok(()) } else { Err(WrongKind::new(kind, "a regular file").into()) }
}

/// Opens the regular file `path` with `options`. Never blocks, even if `path` is something else.
///
/// # Errors
/// Fails if the file cannot be opened; the error contains a [`WrongKind`] if `path` is anything except a
/// regular file.
pub fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Merely opening a device may have side effects.
    regular(&fs::symlink_metadata(path)?)?;
    // The file may have been replaced since.
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens the regular file `path` for reading.
///
/// # Errors
/// As for [`open_with`].
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// The first `limit` bytes of the regular file `path`.
///
/// # Errors
/// As for [`open_with`]; also fails if the file cannot be read.
pub fn read_at_most(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The last `limit` bytes of the regular file `path`.
///
/// # Errors
/// Fails in the same cases as [`read_at_most`].
pub fn read_tail(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(limit)))?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of the log `path`; if it is too long, just enough bytes to show this.
///
/// # Errors
/// Fails in the same cases as [`read_at_most`].
pub fn log_bytes(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, MAX_BYTES as u64 + 1)
}

/// Reads one log after another into the same buffer.
#[derive(Debug, Default)]
pub(crate) struct LogReader {
    buffer: Vec<u8>,
}

impl LogReader {
    /// Returns the same as [`log_bytes`], valid until the next log is read.
    ///
    /// # Errors
    /// Fails in the same cases as [`read_at_most`].
    pub(crate) fn read(&mut self, path: &Path) -> io::Result<&[u8]> {
        const PAGE: usize = 1 << 12;

        let mut file = open(path)?;
        let mut length = 0;
        loop {
            if self.buffer.len() == length {
                self.buffer.resize((2 * length).clamp(PAGE, MAX_BYTES + 1), 0);
            }
            match file.read(&mut self.buffer[length..]) {
                Ok(0) => return Ok(&self.buffer[..length]),
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The directory of the games of the run in `dir`.
///
/// # Errors
/// Fails if something else, such as a link, has the name of this directory.
pub fn games_in(dir: &Path) -> io::Result<PathBuf> {
    let games = dir.join(GAMES);
    match fs::symlink_metadata(&games) {
        Ok(metadata) if !metadata.is_dir() => Err(WrongKind::new(metadata.file_type(), "a directory").into()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(games),
    }
}

/// Whether `dir` is the directory of a run.
pub fn is_run(dir: &Path) -> bool {
    dir.join(GAMES).is_dir() || has_journal(dir)
}

/// Whether `dir` contains a journal, or something else with that name, which will be reported when it is opened.
pub fn has_journal(dir: &Path) -> bool {
    fs::symlink_metadata(dir.join(JOURNAL)).is_ok()
}

/// The run to which `path` belongs, if it is a folder or file within one.
pub(crate) fn run_around(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors().skip(1).take(2).find(|around| has_journal(around)).map(Path::to_owned)
}

/// The runs in `dir`, sorted by name; empty if `dir` is not a directory.
///
/// # Errors
/// Fails if `dir` is a directory that cannot be read.
pub fn runs_in(dir: &Path) -> io::Result<Vec<PathBuf>> {
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut runs = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if is_run(&path) {
            runs.push(path);
        }
    }
    runs.sort();
    Ok(runs)
}

/// The logs of the run in `dir`, sorted by file name.
///
/// # Errors
/// Fails if the directory of the run's games cannot be read.
pub fn logs(dir: &Path) -> Result<Vec<PathBuf>, LogError> {
    let games = games_in(dir).map_err(|source| LogError::Io { path: dir.join(GAMES), source })?;
    let list = || -> io::Result<Vec<PathBuf>> {
        let mut logs = Vec::new();
        for entry in fs::read_dir(&games)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "log") {
                logs.push(path);
            }
        }
        logs.sort();
        Ok(logs)
    };
    list().map_err(|source| LogError::Io { path: games.clone(), source })
}

/// The record in the log `path`.
///
/// # Errors
/// Fails if the file cannot be read, or is not a game log.
pub fn read_log(path: &Path) -> Result<LoggedGame, LogError> {
    let bytes = log_bytes(path).map_err(|source| LogError::Io { path: path.to_owned(), source })?;
    LoggedGame::from_bytes(&bytes).map_err(|source| LogError::Parse { path: path.to_owned(), source })
}

/// Passes the records of all games of the run in `dir` to `take`, sorted by file name. A game whose log has no id gets
/// the file's name.
///
/// # Errors
/// Returns every log that cannot be used. `take` may already have received some of the other records.
pub fn each_log(dir: &Path, mut take: impl FnMut(LoggedGame)) -> Result<(), LogErrors> {
    let mut first: HashMap<String, PathBuf> = HashMap::new();
    let mut errors = Vec::new();
    let logs = logs(dir).map_err(|error| LogErrors(vec![error]))?;
    console::detail_of(dir, format_args!("reading {} in `{}`", counted(logs.len() as u64, "log"), dir.shown()));
    for path in logs {
        let mut record = match read_log(&path) {
            Ok(record) => record,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        let from_name = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let game = record.game().filter(|game| !game.is_empty()).map_or_else(from_name, str::to_owned);
        if let Some(first) = first.get(&game) {
            errors.push(LogError::Duplicate { path, game, first: first.clone() });
            continue;
        }
        record.set_game(game.clone());
        first.insert(game, path);
        take(record);
    }
    if errors.is_empty() { Ok(()) } else { Err(LogErrors(errors)) }
}

/// Summaries of all games of the run in `dir`, sorted by file name. A game whose log has no id gets the file's name.
///
/// # Errors
/// Returns every log that cannot be used.
pub fn summaries(dir: &Path) -> Result<Vec<PlayedSummary>, LogErrors> {
    let mut games = Vec::new();
    each_log(dir, |record| games.push(PlayedSummary::from(&record)))?;
    Ok(games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_of_logs_returns_each_one_whole_or_its_beginning_if_it_is_too_long() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("a.log");
        let mut reader = LogReader::default();
        for length in [5000, 0, 1, 4096, 4095, 4097, MAX_BYTES, MAX_BYTES + 1, MAX_BYTES + 9, 3] {
            let bytes: Vec<u8> = (0..length).map(|at| u8::try_from(at % 251).expect("small")).collect();
            fs::write(&path, &bytes).expect("written");
            let read = reader.read(&path).expect("read");
            assert!(read == &bytes[..length.min(MAX_BYTES + 1)], "{length}");
            assert!(read == log_bytes(&path).expect("read"), "{length}");
        }
    }
}
