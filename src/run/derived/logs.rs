//! The game logs of a results directory, as digests.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::machine::in_order;
use crate::run::journal::TextDigest;
use crate::run::results_dir::LogReader;

/// The digest of each game log, by the id in its file's name. If a log is too long, only its beginning is digested, and
/// this digest does not match any game's log.
#[derive(Debug, Default)]
pub(crate) struct LogDigests(Vec<LogDigest>);

/// An id, and the digest of its log.
type LogDigest = (Box<str>, TextDigest);

impl LogDigests {
    /// How many names to pass to a thread in a batch.
    const BATCH: usize = 64;

    /// The logs in the directory `games`, which may be missing.
    ///
    /// # Errors
    /// Fails if the logs cannot be read; the error names the file or directory.
    pub(crate) fn of(games: &Path) -> Result<Self, (PathBuf, io::Error)> {
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
        let mut logs: Vec<LogDigest> = Vec::new();
        in_order(names, |names| digests(games, &names), |read| read.map(|read| logs.extend(read)))?;
        if let Some(failed) = failed {
            return Err(failed);
        }
        logs.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(Self(logs))
    }

    /// The logs, sorted by their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, TextDigest)> {
        self.0.iter().map(|(id, text)| (&**id, *text))
    }

    /// The digest of the log of the game `id`, if there is one.
    pub(crate) fn get(&self, id: &str) -> Option<TextDigest> {
        self.0.binary_search_by(|(log, _)| (**log).cmp(id)).ok().map(|index| self.0[index].1)
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

/// The digests of the logs `names` in the directory `games`.
fn digests(games: &Path, names: &[OsString]) -> Result<Vec<LogDigest>, (PathBuf, io::Error)> {
    let mut reader = LogReader::default();
    let digest = |name: &OsString| {
        let path = games.join(name);
        let text = reader.read(&path).map(TextDigest::of);
        let id = path.file_stem().map(OsStr::to_string_lossy).unwrap_or_default();
        match text {
            Ok(text) => Ok((id.into(), text)),
            Err(source) => Err((path, source)),
        }
    };
    names.iter().map(digest).collect()
}
