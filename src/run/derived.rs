//! The files of a results directory that are derived from its journal: the game logs, results.csv and standings.csv.
//!
//! A run writes them as games end, and `rebuild` rewrites all of them. Both use this module and the same [`Ledger`], so
//! the files are identical byte for byte. The bots' stdout and stderr are stored next to the logs, and cannot be
//! derived.

mod leftovers;
mod logs;

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::exit::Exit;
use crate::base::files;
use crate::base::sanitise::Shown as _;
use crate::game::BySeat;
use crate::host::bot_output::BotOutput;
use crate::results::format_result::FormatResult;
use crate::results::report::{field_csv, group_results_csv_parts, results_csv_parts};
use crate::results::standings::{AnchorError, Counting, FieldStandings, FieldTally, RatingOptions, RunState};
use crate::run::journal::{self, Checkpoint, GameEntry, JournalError, Ledger, LogStamp, TextDigest};
use crate::run::results_dir::{self, GAMES, output_name};
use crate::tournament::Format;
pub(crate) use leftovers::{LeftoverOutputs, game_of};
pub(crate) use logs::LogDigests;

/// The name of the file with one line per game.
pub(crate) const RESULTS: &str = "results.csv";
/// The name of the file with one line per player.
pub(crate) const STANDINGS: &str = "standings.csv";

/// The suffixes of the names of files with a bot's output: its stdout, its stderr, and the offset of each turn in its
/// stderr.
pub(crate) const OUTPUTS: [&str; 3] = ["stdout", "stderr", "stderr.plies"];

/// Why a derived file could not be written or checked.
#[derive(Debug, Error)]
pub enum DerivedError {
    /// A file could not be written, or an existing file could not be read.
    #[error("could not {action} `{}`", path.shown())]
    Io {
        /// What the arena tried to do.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The journal could not be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The standings could not be computed.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
}

impl DerivedError {
    /// The exit code of a command that cannot continue without the file.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Io { source, .. } => results_dir::exit_of(source),
            Self::Journal(error) => error.exit(),
            Self::Anchor(_) => Exit::ArenaFailed,
        }
    }
}

/// The derived files of one results directory.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    dir: PathBuf,
}

/// How the game logs differ from the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Logs that differ from the journal, or whose games are missing from the journal.
    pub strange: Vec<PathBuf>,
    /// Games whose logs are missing, or still record an earlier attempt because the run was killed.
    pub behind: Vec<String>,
    /// Games whose logs still exist although their records have been superseded.
    pub superseded: Vec<String>,
}

impl Derived {
    /// The derived files of the results directory `dir`.
    pub(crate) const fn in_dir(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// The results directory.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Creates the directory for the logs, and removes the temporary files that a killed run left behind. No other
    /// process may write to the directory at the same time.
    ///
    /// # Errors
    /// Fails if the directory cannot be created or a file cannot be removed.
    pub(crate) fn prepare(&self) -> Result<(), DerivedError> {
        let games = self.games("use")?;
        fs::create_dir_all(&games).map_err(|source| failed("create the directory", &games, source))?;
        for dir in [&self.dir, &games] {
            files::remove_temporary(dir).map_err(|source| failed("tidy", dir, source))?;
        }
        Ok(())
    }

    /// The directory of the games; `action` is the purpose stated in an error.
    fn games(&self, action: &'static str) -> Result<PathBuf, DerivedError> {
        results_dir::games_in(&self.dir).map_err(|source| failed(action, &self.dir.join(GAMES), source))
    }

    /// The path of the log of the game `id`.
    pub(crate) fn log(&self, id: &str) -> PathBuf {
        self.dir.join(GAMES).join(format!("{id}.log"))
    }

    /// Writes the log of the game `id`.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn write_log(&self, id: &str, text: &str) -> Result<(), DerivedError> {
        write(&self.log(id), text.as_bytes())
    }

    /// Removes the log of the game `id`, if there is one.
    ///
    /// # Errors
    /// Fails if the file cannot be removed.
    pub(crate) fn remove_log(&self, id: &str) -> Result<(), DerivedError> {
        remove(&self.log(id))
    }

    /// Removes the table `name`, if it exists.
    ///
    /// # Errors
    /// Fails if the file cannot be removed.
    pub(crate) fn remove(&self, name: &str) -> Result<(), DerivedError> {
        remove(&self.dir.join(name))
    }

    /// Rewrites, from the journal, the logs of the games whose ids satisfy `wanted`. `ledger` is the state of the
    /// journal.
    ///
    /// # Errors
    /// Fails if the journal cannot be read or a log cannot be written.
    pub(crate) fn write_logs(&self, ledger: &Ledger, mut wanted: impl FnMut(&str) -> bool) -> Result<(), DerivedError> {
        journal::each_game(&self.dir, |game| self.write_wanted_log(ledger, &game, &mut wanted))
    }

    /// Like [`Derived::write_logs`], but leaves out the games that are known from a checkpoint.
    ///
    /// # Errors
    /// Fails in the same cases as [`Derived::write_logs`].
    pub(crate) fn write_logs_after_checkpoint(
        &self,
        ledger: &Ledger,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<(), DerivedError> {
        let write = |game| self.write_wanted_log(ledger, &game, &mut wanted);
        journal::each_game_after_checkpoint(&self.dir, ledger, write)
    }

    fn write_wanted_log(
        &self,
        ledger: &Ledger,
        GameEntry { id, record, .. }: &GameEntry,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<(), DerivedError> {
        if wanted(id) && ledger.text(id) == Some(TextDigest::of(record)) {
            self.write_log(id, record)?;
        }
        Ok(())
    }

    /// The current stamp of the log of the game `id`.
    ///
    /// # Errors
    /// Fails if there is no such log.
    pub(crate) fn log_stamp(&self, id: &str) -> Result<LogStamp, DerivedError> {
        let path = self.log(id);
        let log = fs::symlink_metadata(&path).map_err(|source| failed("look at", &path, source))?;
        Ok(LogStamp::of(id, &log))
    }

    /// Replaces the checkpoint beside the journal with `checkpoint`. Without a checkpoint, a run only takes longer to
    /// continue, so it is not an error if the file cannot be written.
    pub(crate) fn write_checkpoint(&self, checkpoint: Checkpoint) {
        let _ = checkpoint.write(&self.dir);
    }

    /// The state of the whole journal, with all games.
    ///
    /// # Errors
    /// Fails if the journal cannot be read.
    pub(crate) fn whole_ledger(&self) -> Result<Ledger, DerivedError> {
        Ok(journal::read(&self.dir, |_| {})?.0)
    }

    /// Writes the bots' output in the game `id`, except for their moves. Replaces the output of any earlier attempt.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(crate) fn write_outputs(&self, id: &str, outputs: &BySeat<BotOutput>) -> Result<(), DerivedError> {
        for (seat, BotOutput { stdout, stderr, turns }) in outputs.iter() {
            // Without stderr, there is nothing to assign to turns.
            let plies = if stderr.is_empty() { Vec::new() } else { turns.to_string().into_bytes() };
            for (name, bytes) in OUTPUTS.into_iter().zip([stdout, stderr, &plies]) {
                let path = self.dir.join(GAMES).join(output_name(id, (seat, outputs.seats()), name));
                if bytes.is_empty() { remove(&path) } else { write(&path, bytes) }?;
            }
        }
        Ok(())
    }

    /// The bots' outputs in games without a result, according to `has_result`.
    ///
    /// # Errors
    /// Fails if the directory of the games cannot be read.
    pub(crate) fn leftover_outputs(&self, has_result: impl Fn(&str) -> bool) -> Result<LeftoverOutputs, DerivedError> {
        let games = self.games("read")?;
        LeftoverOutputs::of(&games, has_result).map_err(|source| failed("read", &games, source))
    }

    /// Writes results.csv and standings.csv, with games in schedule order. Returns the standings.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(crate) fn write_tables(&self, ledger: &Ledger) -> Result<FieldStandings, DerivedError> {
        let standings = standings(ledger, ledger.state())?;
        let path = self.dir.join(RESULTS);
        files::write_parts(&path, results(ledger)).map_err(|source| failed("write", &path, source))?;
        write(&self.dir.join(STANDINGS), field_csv(&standings).as_bytes())?;
        Ok(standings)
    }

    /// Compares results.csv and standings.csv with what [`Derived::write_tables`] would write. Returns the files that
    /// differ.
    ///
    /// # Errors
    /// Fails if the standings cannot be computed.
    pub(crate) fn strange_tables(&self, ledger: &Ledger) -> Result<Vec<PathBuf>, DerivedError> {
        // In other formats, the run's state does not affect the file.
        let format = &ledger.definition.frame.format;
        let matters = FormatResult::is_of(format) || matches!(format, Format::Sprt { .. });
        let state = if matters { ledger.state() } else { RunState::default() };
        let [games, kept] = [RESULTS, STANDINGS].map(|name| self.dir.join(name));
        let mut strange = Vec::new();
        if !holds(&games, results(ledger)).unwrap_or(false) {
            strange.push(games);
        }
        if !holds(&kept, std::iter::once(field_csv(&standings(ledger, state)?))).unwrap_or(false) {
            strange.push(kept);
        }
        Ok(strange)
    }

    /// All existing game logs.
    ///
    /// # Errors
    /// Fails if the logs cannot be read.
    pub(crate) fn logs(&self) -> Result<LogDigests, DerivedError> {
        self.logs_unless(|_| false)
    }

    /// All existing game logs. The logs of games that `are_known` are not read: only their stamps are taken.
    ///
    /// # Errors
    /// Fails if the logs cannot be read.
    pub(crate) fn logs_unless(&self, are_known: impl Fn(&str) -> bool + Sync) -> Result<LogDigests, DerivedError> {
        let games = self.games("read")?;
        LogDigests::of(&games, are_known).map_err(|(path, source)| failed("read", &path, source))
    }

    /// The logs among `strange` that are torn: each is the record that counts for its game, except that bytes at the end
    /// are missing or that bytes anywhere are zero. A power failure leaves such logs, because the arena does not wait
    /// until a log is on disk.
    ///
    /// # Errors
    /// Fails if the journal or a log cannot be read.
    pub(crate) fn torn_logs(&self, ledger: &Ledger, strange: &[PathBuf]) -> Result<HashSet<PathBuf>, DerivedError> {
        let strange: HashSet<&PathBuf> = strange.iter().collect();
        let mut torn = HashSet::new();
        journal::each_game(&self.dir, |GameEntry { id, record, .. }| {
            let path = self.log(&id);
            if strange.contains(&path) && ledger.text(&id) == Some(TextDigest::of(&record)) {
                let log = results_dir::log_bytes(&path).map_err(|source| failed("read", &path, source))?;
                if is_torn(&log, record.as_bytes()) {
                    torn.insert(path);
                }
            }
            Ok::<_, DerivedError>(())
        })?;
        Ok(torn)
    }

    /// Compares `logs` with the journal. A log that matches a superseded record is not strange. Nor is an empty log: logs
    /// are not synced, so a power failure can leave a log empty. It counts as missing.
    pub(crate) fn compare(&self, ledger: &Ledger, logs: &LogDigests) -> Comparison {
        let mut comparison = Comparison::default();
        let empty = TextDigest::of("");
        for (id, text) in logs.iter().filter(|(_, text)| *text != empty) {
            if !ledger.knows(id, text) {
                comparison.strange.push(self.log(id));
            } else if ledger.text(id).is_none() {
                comparison.superseded.push(id.to_owned());
            }
        }
        let is_behind = |id: &&str| ledger.text(id) != logs.get(id);
        comparison.behind = ledger.ids_with_texts().filter(is_behind).map(str::to_owned).collect();
        comparison.strange.sort();
        comparison.behind.sort();
        comparison.superseded.sort();
        comparison
    }
}

/// The standings of all players of a tournament whose run is in `state`.
fn standings(ledger: &Ledger, state: RunState) -> Result<FieldStandings, AnchorError> {
    let counting = Counting { last_round: state.last_round(), ..Counting::default() };
    let mut tally = FieldTally::of_seats(counting, ledger.seats());
    for game in ledger.in_order() {
        tally.add(&game.summary()).expect("all games of a tournament have the same rules");
    }
    tally.know(ledger.names());
    Ok(tally.standings(&RatingOptions::default())?.of_run(state))
}

/// The content of results.csv, in parts.
fn results(ledger: &Ledger) -> Box<dyn Iterator<Item = String> + '_> {
    if ledger.seats() == 2 {
        Box::new(results_csv_parts(ledger.summaries()))
    } else {
        Box::new(group_results_csv_parts(ledger.groups(), ledger.seats()))
    }
}

/// Whether the regular file `path` contains `parts`, one after the other, and nothing else.
///
/// # Errors
/// Fails if the file cannot be read.
fn holds(path: &Path, parts: impl Iterator<Item = String>) -> io::Result<bool> {
    let mut file = BufReader::new(results_dir::open(path)?);
    let mut found = Vec::new();
    for part in parts {
        found.clear();
        file.by_ref().take(part.len() as u64).read_to_end(&mut found)?;
        if found != part.as_bytes() {
            return Ok(false);
        }
    }
    Ok(file.fill_buf()?.is_empty())
}

/// Whether `log` is all that a power failure may have left of a file with the content `record`: every byte that is there
/// is right or zero.
fn is_torn(log: &[u8], record: &[u8]) -> bool {
    log.len() <= record.len() && log.iter().zip(record).all(|(left, right)| left == right || *left == 0)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), DerivedError> {
    files::write_whole(path, bytes).map_err(|source| failed("write", path, source))
}

fn remove(path: &Path) -> Result<(), DerivedError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path, error)),
        _ => Ok(()),
    }
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> DerivedError {
    DerivedError::Io { action, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::is_torn;

    #[test]
    fn a_torn_log_has_only_bytes_of_its_record_and_zeros() {
        let record = b"[Black \"a\"]\n\n1. c3 0-1\n";
        for log in
            [&b""[..], b"[Bla", b"[Black \"a\"]\n", &[0; 23], b"[Black \"a\"]\n\n\0\0\0\0\0\0\0\0\0\0", b"\0\0\0ack"]
        {
            assert!(is_torn(log, record), "{log:?}");
        }
        for log in [&b"[Black \"b\"]"[..], b" [Black", &[0; 24], b"edited", b"[Black \"a\"]\n\n1. c3 0-1\n\n"] {
            assert!(!is_torn(log, record), "{log:?}");
        }
    }
}
