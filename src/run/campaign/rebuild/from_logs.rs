//! Recovers the games that a journal lacks from their logs.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::is_known;
use crate::referee::record::LoggedGame;
use crate::run::campaign::Tell;
use crate::run::campaign::checked::check_game;
use crate::run::campaign::warning::{Refused, Warning};
use crate::run::derived::{Derived, LogDigests};
use crate::run::journal::{GameEntry, JournalEntry, Ledger, PlayerEntry};
use crate::run::results_dir::{self, LogError};
use crate::tournament::schedule::{GameId, KnownEnding, Step};

/// The games missing from the journal, taken from valid logs that belong to the journal's tournament. For every other
/// log unknown to the journal, a warning says why its game is not used.
pub(super) fn games_of_logs(derived: &Derived, ledger: &Ledger, logs: &LogDigests, tell: &Tell) -> Vec<JournalEntry> {
    let mut candidates = BTreeMap::new();
    for path in derived.compare(ledger, logs).strange.iter().filter(|path| !is_known(path, ledger)) {
        match candidate(path, ledger) {
            Ok((id, record)) => drop(candidates.insert(id, record)),
            Err(why) => tell(Warning::NotTaken { path: path.clone(), why }),
        }
    }
    let numbered = numbered(ledger, candidates.iter().map(|(id, record)| (id.as_str(), record)));
    for id in candidates.keys().filter(|id| !numbered.contains_key(*id)) {
        tell(Warning::NotTaken { path: derived.log(id), why: Refused::Uncalled });
    }
    let mut games: Vec<GameEntry> = Vec::new();
    for (id, record) in candidates {
        let number = numbered.get(&id).copied();
        games.extend(number.map(|number| GameEntry { number, id, record: record.to_string() }));
    }
    games.sort_by_key(|game| game.number);
    games.into_iter().map(JournalEntry::Game).collect()
}

/// The game in the log `path`, if it is valid and belongs to the run.
fn candidate(path: &Path, ledger: &Ledger) -> Result<(String, LoggedGame), Refused> {
    let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let record = results_dir::read_log(path)?;
    check_game(&record)?;
    ledger.belonging().check(&id, &record)?;
    if record.void().is_some() {
        return Err(Refused::Void);
    }
    for (seat, name) in record.players() {
        let player = ledger.players.iter().find(|player| player.name == name);
        // Built-in bots have no files: they are part of this program, whatever its version.
        let is_other =
            |player: &PlayerEntry| !player.files.is_empty() && player.digest.as_deref() != record.digest(seat);
        if player.is_none_or(is_other) {
            return Err(Refused::OtherProgram { player: name.to_owned() });
        }
    }
    // The log's text is copied into the journal, so it must be exactly what the arena would write.
    let text = results_dir::log_bytes(path).map_err(|source| LogError::Io { path: path.to_owned(), source })?;
    if text == record.to_string().as_bytes() { Ok((id, record)) } else { Err(Refused::Rewritten) }
}

/// The schedule numbers of the `games` that the schedule requires, given the results in the journal and in the games
/// themselves. A game that does not begin with its scheduled opening gets no number.
fn numbered<'g>(ledger: &Ledger, games: impl Iterator<Item = (&'g str, &'g LoggedGame)>) -> HashMap<String, u64> {
    let mut wanted: HashMap<&str, &LoggedGame> = games.collect();
    let mut results = ledger.results();
    for (id, record) in &wanted {
        if let Some(game) = KnownEnding::of(record) {
            results.insert(GameId::from_text(*id), game);
        }
    }
    let mut schedule = ledger.schedule();
    let mut numbers = HashMap::new();
    while !wanted.is_empty()
        && let Step::Game(spec) = schedule.next(&results)
    {
        let begins_as_given =
            |game: &LoggedGame| game.plies().iter().zip(&spec.opening).all(|(ply, given)| ply.played == *given);
        if wanted.remove(spec.id.as_str()).is_some_and(begins_as_given) {
            numbers.insert(spec.id.to_string(), spec.number);
        }
    }
    numbers
}
