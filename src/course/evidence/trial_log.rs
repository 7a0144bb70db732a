//! The file that records the trials of an unfinished drill: each finished trial is on disk before the next one begins.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::course::grades::{DrillBeginning, FinishedTrial};
use crate::drill::readiness::Trial;
use crate::run::results_dir::read_at_most;

/// The name of the file of trials.
pub(super) const TRIALS: &str = "trials.jsonl";

/// The maximum size, in bytes, of a file of trials that is read; it is several times the total size of the transcripts
/// of all scenarios.
const MOST_BYTES: u64 = 256 << 20;

/// The open file of trials.
#[derive(Debug)]
pub(super) struct TrialLog {
    path: PathBuf,
    file: File,
    /// The names of the trials in the file.
    names: BTreeSet<String>,
}

impl TrialLog {
    /// Opens the file in `dir` for the drill identified by `beginning`. Returns the file together with its trials of
    /// this drill; trials of other drills and damaged trials are dropped.
    ///
    /// # Errors
    /// Returns the error and the path of the file if the file cannot be created or written.
    pub(super) fn open(dir: &Path, beginning: &DrillBeginning) -> Result<(Self, Vec<Trial>), (PathBuf, io::Error)> {
        let path = dir.join(TRIALS);
        let text = read_at_most(&path, MOST_BYTES).unwrap_or_default();
        let (trials, kept) = finished(&text, beginning);
        let opened = || {
            fs::create_dir_all(dir)?;
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.set_len(kept as u64)?;
            if kept == 0 {
                file.write_all(beginning.line().as_bytes())?;
            }
            Ok(file)
        };
        let file = opened().map_err(|error| (path.clone(), error))?;
        let names = trials.iter().map(Trial::name).collect();
        Ok((Self { path, file, names }, trials))
    }

    /// Adds `trial`, unless it is already in the file, was skipped or is void.
    ///
    /// # Errors
    /// Returns the error and the path of the file if the file cannot be written.
    pub(super) fn add(&mut self, trial: &Trial) -> Result<(), (PathBuf, io::Error)> {
        let Some(finished) = FinishedTrial::of(trial).filter(|_| !self.names.contains(&trial.name())) else {
            return Ok(());
        };
        let written = self.file.write_all(finished.line().as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| (self.path.clone(), error))?;
        self.names.insert(trial.name());
        Ok(())
    }
}

/// Parses the trials in `text` if this text belongs to the drill identified by `beginning`. Returns the trials with the
/// number of bytes they take up. A grading run that was killed may have left a partial line, which is ignored.
fn finished(text: &[u8], beginning: &DrillBeginning) -> (Vec<Trial>, usize) {
    let mut lines = text.split_inclusive(|&byte| byte == b'\n').take_while(|line| line.ends_with(b"\n"));
    let Some(first) = lines.next() else { return (Vec::new(), 0) };
    if !DrillBeginning::read(first).is_some_and(|earlier| beginning.continues(&earlier)) {
        return (Vec::new(), 0);
    }
    let (mut trials, mut bytes) = (Vec::new(), first.len());
    for line in lines {
        let Some(trial) = FinishedTrial::read(line) else { break };
        trials.push(trial);
        bytes += line.len();
    }
    (trials, bytes)
}
