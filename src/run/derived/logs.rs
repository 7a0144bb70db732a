//! The game logs of a results directory, as digests.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::machine::in_order;
use crate::run::journal::{LogStamp, LogSum, TextDigest};
use crate::run::results_dir::LogReader;

/// The digest of each game log, by the id in its file's name. If a log is too long, only its beginning is digested, and
/// the digest does not match any game's log.
#[derive(Debug, Default)]
pub(crate) struct LogDigests {
    /// The logs that were read, sorted by their ids.
    read: Vec<ReadLog>,
    /// The logs that were not read.
    others: LogSum,
}

/// A log that was read.
#[derive(Debug)]
struct ReadLog {
    id: Box<str>,
    text: TextDigest,
    /// The log's stamp, taken before the log was read.
    stamp: LogStamp,
}

/// A log in a directory.
enum FoundLog {
    Read(ReadLog),
    Other(LogStamp),
}

impl LogDigests {
    /// How many names to pass to a thread in a batch.
    const BATCH: usize = 64;

    /// The logs in the directory `games`, which may be missing. Logs whose games `are_known` are not read.
    ///
    /// # Errors
    /// Fails if the logs cannot be read; the error names the file or directory.
    pub(crate) fn of(games: &Path, are_known: impl Fn(&str) -> bool + Sync) -> Result<Self, (PathBuf, io::Error)> {
        let fail = |source| (games.to_owned(), source);
        let mut entries = match fs::read_dir(games) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            entries => entries.map_err(fail)?,
        };
        let mut failed = None;
        let names = std::iter::from_fn(|| {
            let names = next_names(&mut entries).map_err(|error| failed = Some(fail(error))).unwrap_or_default();
            (!names.is_empty()).then_some(names)
        });
        let mut logs = Self::default();
        in_order(
            names,
            |names| found_logs(games, &names, &are_known),
            |found| found.map(|found| found.into_iter().for_each(|log| logs.add(log))),
        )?;
        if let Some(failed) = failed {
            return Err(failed);
        }
        logs.read.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        Ok(logs)
    }

    fn add(&mut self, log: FoundLog) {
        match log {
            FoundLog::Read(log) => self.read.push(log),
            FoundLog::Other(stamp) => self.others.add(stamp),
        }
    }

    /// The logs that were read, sorted by their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, TextDigest)> {
        self.read.iter().map(|log| (&*log.id, log.text))
    }

    /// The digest of the log of the game `id`, if that log was read.
    pub(crate) fn get(&self, id: &str) -> Option<TextDigest> {
        self.find(id).map(|log| log.text)
    }

    /// The stamp of the log of the game `id`, taken before the log was read.
    pub(crate) fn stamp(&self, id: &str) -> Option<LogStamp> {
        self.find(id).map(|log| log.stamp)
    }

    fn find(&self, id: &str) -> Option<&ReadLog> {
        self.read.binary_search_by(|log| (*log.id).cmp(id)).ok().map(|index| &self.read[index])
    }

    /// The logs that were not read.
    pub(crate) const fn others(&self) -> LogSum {
        self.others
    }
}

/// The names of the next batch of logs among `entries`; empty if there are no more.
fn next_names(entries: &mut fs::ReadDir) -> io::Result<Vec<OsString>> {
    let mut names = Vec::with_capacity(LogDigests::BATCH);
    while names.len() < LogDigests::BATCH
        && let Some(entry) = entries.next()
    {
        let name = entry?.file_name();
        if Path::new(&name).extension().is_some_and(|extension| extension == "log") {
            names.push(name);
        }
    }
    Ok(names)
}

/// The logs `names` in the directory `games`. Logs whose games `are_known` are not read.
fn found_logs(
    games: &Path,
    names: &[OsString],
    are_known: impl Fn(&str) -> bool,
) -> Result<Vec<FoundLog>, (PathBuf, io::Error)> {
    let mut reader = LogReader::default();
    let mut found = |path: &Path| {
        let id = path.file_stem().map(OsStr::to_string_lossy).unwrap_or_default();
        let stamp = LogStamp::of(&id, &fs::symlink_metadata(path)?);
        if are_known(&id) {
            return Ok(FoundLog::Other(stamp));
        }
        let text = TextDigest::of(reader.read(path)?);
        Ok(FoundLog::Read(ReadLog { id: id.into(), text, stamp }))
    };
    let found = |name: &OsString| {
        let path = games.join(name);
        found(&path).map_err(|source| (path, source))
    };
    names.iter().map(found).collect()
}
