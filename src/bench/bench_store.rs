//! The directory `.bench`: the versions of the bot, their games, and the choice of the version to beat.
//!
//! One process at a time adds versions, under a lock. Other processes may read everything, and may choose the version
//! to beat.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bench_error::BenchError;
use super::bench_result::BenchResult;
use super::decision::{last_built, last_saved, named, surplus};
use super::own_sources::{CopiedSources, OwnSources};
use super::version::{BenchVersion, SOURCE, VERSIONS};
use crate::base::files::{remove_tree, write_whole};
use crate::base::time::timestamp;
use crate::course::submissions::recipe::Recipe;
use crate::course::unpacking::{Leftovers, Staging};
use crate::host::dir_lock::{DirLock, DirLockError, DirUse};
use crate::host::program::BENCH_DIR;
use crate::run::journal;
use crate::run::results_dir::read_at_most;

/// The name of the file that records the version to beat.
const CHOICE: &str = "bench.json";

/// The files and folders of each version, besides its sources.
const VERSION: &str = "version.json";
const CHECK: &str = "check";
const OPENING: &str = "opening";
const GAMES: &str = "games";

/// The maximum size in bytes of one of the store's own files: enough for the names of all files that a bot may have.
const MOST_BYTES: u64 = 32 << 20;

/// The content of bench.json.
#[derive(Debug, Serialize, Deserialize)]
struct BenchChoice {
    format: u32,
    promoted: Option<String>,
}

/// The version of the format of bench.json.
const FORMAT: u32 = 1;

/// The directory `.bench` in a student's directory.
#[derive(Debug)]
pub(crate) struct BenchStore {
    own: PathBuf,
    dir: PathBuf,
    /// The lock of the process that adds versions.
    _lock: Option<DirLock>,
}

impl BenchStore {
    /// Opens the bench in the student's directory `own` to read it, or to choose the version to beat.
    ///
    /// # Errors
    /// Fails if there is no bench.
    pub(crate) fn existing(own: &Path) -> Result<Self, BenchError> {
        let dir = own.join(BENCH_DIR);
        if !dir.join(VERSIONS).is_dir() {
            return Err(BenchError::NoBench { dir: own.to_owned() });
        }
        Ok(Self { own: own.to_owned(), dir, _lock: None })
    }

    /// Opens the bench in the student's directory `own` to add versions. Creates the bench if there is none.
    ///
    /// # Errors
    /// Fails if the bench cannot be created, or if another process has opened it to add versions.
    pub(crate) fn open(own: &Path) -> Result<Self, BenchError> {
        let dir = own.join(BENCH_DIR);
        if !own.is_dir() {
            return Err(BenchError::at("read", own)(ErrorKind::NotFound.into()));
        }
        fs::create_dir_all(dir.join(VERSIONS)).map_err(BenchError::at("make", &dir))?;
        let lock = match DirLock::take(&dir, DirUse::Change) {
            Ok(lock) => Some(lock),
            Err(DirLockError::Held(holders)) => return Err(BenchError::Busy { dir: own.to_owned(), holders }),
            // On some network file systems, nothing can be locked.
            Err(DirLockError::Unlockable(_)) => None,
        };
        let ignored = dir.join(".gitignore");
        if !ignored.exists() {
            write_whole(&ignored, b"*\n").map_err(BenchError::at("write", &ignored))?;
        }
        Ok(Self { own: own.to_owned(), dir, _lock: lock })
    }

    /// The directory `.bench` itself.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The directory of the version `id`.
    fn place(&self, id: &str) -> PathBuf {
        self.dir.join(VERSIONS).join(id)
    }

    /// The directory for transcripts of the scenarios that the version `id` failed.
    pub(crate) fn check(&self, id: &str) -> PathBuf {
        self.place(id).join(CHECK)
    }

    /// The directory for the games that show whether the version `id` follows an opening. Removes earlier games from
    /// it.
    ///
    /// # Errors
    /// Fails if earlier games cannot be removed.
    pub(crate) fn empty_opening(&self, id: &str) -> Result<PathBuf, BenchError> {
        let dir = self.place(id).join(OPENING);
        match remove_tree(&dir) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(BenchError::at("remove", dir)(error)),
            _ => Ok(dir),
        }
    }

    /// The directory of the runs of the version `id`.
    pub(crate) fn games(&self, id: &str) -> PathBuf {
        self.place(id).join(GAMES)
    }

    /// All versions, in the order in which they were saved. Directories that are not versions are skipped.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub(crate) fn versions(&self) -> Result<Vec<BenchVersion>, BenchError> {
        let dir = self.dir.join(VERSIONS);
        let entries = fs::read_dir(&dir).map_err(BenchError::at("read", &dir))?;
        let mut versions: Vec<BenchVersion> = entries
            .flatten()
            .filter_map(|entry| {
                let read = read_at_most(&entry.path().join(VERSION), MOST_BYTES).ok()?;
                BenchVersion::parse(&read).filter(|version| entry.file_name() == version.id.as_str())
            })
            .collect();
        versions.sort_by_key(|version| version.number);
        Ok(versions)
    }

    /// The version that the user calls `name`; without a name, the version that was saved last.
    ///
    /// # Errors
    /// Fails if no version, or more than one, matches `name`.
    pub(crate) fn version(&self, name: Option<&str>) -> Result<BenchVersion, BenchError> {
        let versions = self.versions()?;
        match name {
            Some(name) => named(&versions, name)
                .cloned()
                .map_err(|fitting| BenchError::NotNamed { name: name.to_owned(), fitting }),
            None => last_saved(&versions).cloned().ok_or_else(|| BenchError::NoVersions { dir: self.own.clone() }),
        }
    }

    /// The id of the version to beat, if there is one.
    pub(crate) fn promoted(&self) -> Option<String> {
        let read = read_at_most(&self.dir.join(CHOICE), MOST_BYTES).ok()?;
        let choice: BenchChoice = serde_json::from_slice(&read).ok()?;
        let is_there = |id: &String| self.versions().is_ok_and(|all| all.iter().any(|version| version.id == *id));
        choice.promoted.filter(|_| choice.format == FORMAT).filter(is_there)
    }

    /// Makes `version` the one to beat.
    ///
    /// # Errors
    /// Fails if the version is not ready to play, or if the file cannot be written.
    pub(crate) fn promote(&self, version: &BenchVersion) -> Result<(), BenchError> {
        let id = version.id.clone();
        match &version.verdict {
            None => return Err(BenchError::NotReady { id, why: "has not been fully checked" }),
            Some(_) if !version.is_ready() => return Err(BenchError::NotReady { id, why: "is not ready to play" }),
            Some(_) => {}
        }
        let choice = BenchChoice { format: FORMAT, promoted: Some(id) };
        let text = serde_json::to_string(&choice).expect("strings are JSON") + "\n";
        let path = self.dir.join(CHOICE);
        write_whole(&path, text.as_bytes()).map_err(BenchError::at("write", &path))
    }

    /// Writes what is known about `version`.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn keep(&self, version: &BenchVersion) -> Result<(), BenchError> {
        let path = self.place(&version.id).join(VERSION);
        write_whole(&path, version.text().as_bytes()).map_err(BenchError::at("write", &path))
    }

    /// Adds `sources` in their current state as a version with this `recipe`. If there is already a version with the
    /// same sources, returns that version. A version is added completely or not at all.
    ///
    /// # Errors
    /// Fails if the sources cannot be copied.
    pub(crate) fn add(&self, sources: &OwnSources, recipe: &Recipe) -> Result<BenchVersion, BenchError> {
        let versions = self.versions()?;
        let place = self.dir.join(VERSIONS);
        let staging = Staging::in_dir(&place, Leftovers::All).map_err(BenchError::at("make a directory in", &place))?;
        let last = recipe.build.as_ref().and_then(|build| last_built(&versions, build));
        let products: BTreeSet<PathBuf> =
            last.iter().flat_map(|version| &version.products).map(PathBuf::from).collect();
        let whole = staging.path().join(VERSION.trim_end_matches(".json"));
        fs::create_dir(&whole).map_err(BenchError::at("make", &whole))?;
        let copied = sources.copy(recipe, &products, (&whole.join(SOURCE), &self.dir))?;
        let CopiedSources { sha256, names } = copied;
        let used = last_saved(&versions).map_or(0, |last| last.used).saturating_add(1);
        if let Some(known) = versions.iter().find(|version| version.sha256 == sha256) {
            let mut known = known.clone();
            if known.used.saturating_add(1) != used {
                known.used = used;
                self.keep(&known)?;
            }
            return Ok(known);
        }
        let number = versions.last().map_or(1, |last| last.number.saturating_add(1));
        let names = names.iter().map(|name| name.display().to_string()).collect();
        let mut version = BenchVersion::new(sha256, recipe, names, (number, timestamp()));
        version.used = used;
        let path = whole.join(VERSION);
        write_whole(&path, version.text().as_bytes()).map_err(BenchError::at("write", &path))?;
        let target = self.place(&version.id);
        // A directory that already exists here is not a readable version.
        if target.exists() {
            remove_tree(&target).map_err(BenchError::at("remove", &target))?;
        }
        fs::rename(&whole, &target).map_err(BenchError::at("rename", &whole))?;
        Ok(version)
    }

    /// Deletes old versions, but neither the version to beat nor the version `current`. Must not be called while a
    /// version is playing. If a version cannot be deleted, passes the reason to `tell`; the next call tries again.
    pub(crate) fn tidy(&self, current: &str, mut tell: impl FnMut(BenchError)) {
        let versions = self.versions().unwrap_or_default();
        for id in surplus(&versions, self.promoted().as_deref(), current) {
            let old = self.place(id);
            if let Err(error) = remove_tree(&old) {
                tell(BenchError::at("remove", old)(error));
            }
        }
    }

    /// The directories of the runs of the version `id`, in the order of their names.
    pub(crate) fn runs(&self, id: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.games(id)).into_iter().flatten().flatten();
        let mut runs: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|run| journal::is_in(run)).collect();
        runs.sort();
        runs
    }

    /// The results of the version `id`, one for each run. If a journal cannot be read, passes the reason to `tell`.
    pub(crate) fn results(&self, id: &str, mut tell: impl FnMut(BenchError)) -> Vec<BenchResult> {
        let read = |run: &PathBuf| match journal::read(run, |_| {}) {
            Ok((ledger, _)) => {
                BenchResult::of(&ledger.state(), ledger.summaries(), (&ledger.definition, run.display().to_string()))
            }
            Err(error) => {
                tell(error.into());
                None
            }
        };
        self.runs(id).iter().filter_map(read).collect()
    }
}

#[cfg(test)]
mod tests;
