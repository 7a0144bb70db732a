//! Copies the bots' stdout and stderr, which are not in any journal.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use super::choice::RecordChoice;
use super::sources::{MergedSource, Sources};
use crate::base::files::write_whole;
use crate::run::derived::{Derived, DerivedError, game_of};
use crate::run::journal::Ledger;
use crate::run::results_dir::{GAMES, games_in, read_at_most};

/// Removes from the merged run the bots' outputs in void games for which `choice` adds results.
///
/// # Errors
/// Fails if a file cannot be removed.
pub(super) fn clear(sources: &Sources, choice: &RecordChoice<'_>, derived: &Derived) -> Result<(), DerivedError> {
    let Some(merged) = sources.merged() else { return Ok(()) };
    for chosen in choice.games().filter(|chosen| chosen.run > 0) {
        let id = chosen.kept.id();
        if merged.ledger.game(id).is_some() {
            derived.write_outputs(id, &chosen.kept.no_outputs())?;
        }
    }
    Ok(())
}

/// Copies the outputs of the games whose records came from `sources`. `ledger` is the state of the merged run in `out`.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub(super) fn copy(sources: &Sources, ledger: &Ledger, out: &Path) -> Result<(), DerivedError> {
    let mut here = lengths(out)?;
    for MergedSource { dir, ledger: theirs, .. } in sources.others() {
        let is_from_there = |id: &str| {
            let text = ledger.game(id).map(|kept| kept.text);
            text.is_some() && theirs.game(id).map(|kept| kept.text) == text
        };
        for (name, length) in lengths(dir)? {
            if here.get(&name) == Some(&length) || !game_of(&name).is_some_and(is_from_there) {
                continue;
            }
            let (from, to) = (dir.join(GAMES).join(&name), out.join(GAMES).join(&name));
            let read = read_at_most(&from, length).map_err(|source| failed("read", &from, source))?;
            write_whole(&to, &read).map_err(|source| failed("write", &to, source))?;
            here.insert(name, length);
        }
    }
    Ok(())
}

/// The length of each output in the run in `dir`, in bytes, by file name.
fn lengths(dir: &Path) -> Result<HashMap<String, u64>, DerivedError> {
    let games = games_in(dir).map_err(|source| failed("read", &dir.join(GAMES), source))?;
    let list = || -> io::Result<HashMap<String, u64>> {
        let mut lengths = HashMap::new();
        let entries = match fs::read_dir(&games) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(lengths),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if let Some(name) = entry.file_name().to_str().filter(|name| game_of(name).is_some()) {
                lengths.insert(name.to_owned(), entry.metadata()?.len());
            }
        }
        Ok(lengths)
    };
    list().map_err(|source| failed("read", &games, source))
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> DerivedError {
    DerivedError::Io { action, path: path.to_owned(), source }
}
