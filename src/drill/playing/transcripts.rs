//! Writes the transcripts of trials to files.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::base::files::write_whole;
use crate::drill::readiness::{Trial, TrialStatus, TriedPlayer};
use crate::drill::report::trial_file;
use crate::tournament::PlayerName;

/// Writes `text` to `file`, creating its directory if necessary.
pub(crate) fn write_new(file: &Path, text: &str) -> io::Result<()> {
    if let Some(dir) = file.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        fs::create_dir_all(dir)?;
    }
    write_whole(file, text.as_bytes())
}

/// Writes transcripts of the trials of `player` below `dir`: of every trial that was played if `all`, and otherwise
/// only of trials that failed or ended with a warning. Removes transcripts of an earlier check that no longer apply.
pub(crate) fn write_transcripts(dir: &Path, player: &mut TriedPlayer, all: bool) -> io::Result<()> {
    let slug = PlayerName::new(player.player.clone()).map_or_else(|_| "player".to_owned(), |name| name.slug());
    let dir = dir.join(slug);
    let mut written = Vec::with_capacity(player.trials.len());
    for trial in &player.trials {
        let file = dir.join(format!("{}.txt", trial.name()));
        let text = if all || has_trouble(trial) { trial_file(player, trial) } else { None };
        match &text {
            Some(text) => write_new(&file, text)?,
            None => remove(&file)?,
        }
        written.push(text.map(|_| file.to_string_lossy().into_owned()));
    }
    for (trial, file) in player.trials.iter_mut().zip(written) {
        trial.transcript_file = file;
    }
    Ok(())
}

const fn has_trouble(trial: &Trial) -> bool {
    matches!(trial.status, TrialStatus::Fail | TrialStatus::Timeout | TrialStatus::Warn)
}

/// Removes `file` if it exists.
fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Err(error),
        _ => Ok(()),
    }
}
