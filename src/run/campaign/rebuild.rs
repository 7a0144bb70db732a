//! Rebuilds the files of a run from its journal, or checks them against the journal.

mod from_logs;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Tell;
use super::checked::check_game;
use super::errors::CampaignError;
use super::warning::Warning;
use crate::base::files::free_name;
use crate::base::work_count::WorkCount;
use crate::game::seegover::MoveRules;
use crate::referee::record::{LoggedGame, RepeatedProof};
use crate::results::standings::FieldStandings;
use crate::run::derived::{Comparison, Derived};
use crate::run::journal::{self, Durability, Journal, JournalEntry, Ledger, Salvaged, salvage};
use from_logs::games_of_logs;

/// The maximum number of logs unknown to the journal that are set aside without `force`. If there are more, this is
/// probably the wrong journal.
const FEW: usize = 5;

/// The repairs that `rebuild` may make to the journal and the logs before it writes the files of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repairs {
    /// Whether to drop damaged lines of the journal.
    pub salvage: bool,
    /// Whether to add games that are missing from the journal, using their logs.
    pub from_logs: bool,
    /// Whether to set aside logs unknown to the journal even if there are many.
    pub force: bool,
}

/// The extent of a successful check of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    /// The journal and all files derived from it were checked.
    All {
        /// How many lines the journal contains after its header.
        lines: u64,
    },
    /// The current journal and its logs were checked, because the run is in progress.
    SoFar {
        /// How many lines the journal contains after its header.
        lines: u64,
    },
}

/// Rewrites the game logs and tables of the run in `dir`, and returns the standings. `work` counts the progress.
///
/// # Errors
/// Fails if the journal cannot be used, contains a game that cannot have been played, or lacks too many games that have
/// logs; nothing has then been changed. Also fails if a file cannot be written.
pub(crate) fn rebuild(
    dir: &Path,
    repairs: Repairs,
    tell: &Tell,
    work: &WorkCount,
) -> Result<FieldStandings, CampaignError> {
    let of_journal = |error| CampaignError::of_journal(error, dir);
    if !journal::is_in(dir) {
        return Err(CampaignError::NoJournal { dir: dir.to_owned() });
    }
    if repairs.salvage {
        tell_salvaged(salvage(dir).map_err(of_journal)?, tell);
    }
    let mut inspection = Inspection::default();
    // `journal` holds the lock until the end of this function, since a run would write the same files.
    work.begin(CHECKING, Some(journal::about_games_in(dir)));
    let take = |game| inspection.add(game, work);
    let (mut journal, mut ledger, _) =
        Journal::resume_with(dir, Durability::Safe, GameCheck::of, take).map_err(of_journal)?;
    inspection.finish(dir, tell)?;
    work.begin(COMPARING, None);
    let derived = Derived::in_dir(dir.to_owned());
    let logs = derived.logs()?;
    let taken = if repairs.from_logs { games_of_logs(&derived, &ledger, &logs, tell) } else { Vec::new() };
    for entry in &taken {
        ledger.take(entry.clone())?;
    }
    let comparison = derived.compare(&ledger, &logs);
    let unknown: Vec<&PathBuf> = comparison.strange.iter().filter(|path| !is_known(path, &ledger)).collect();
    if unknown.len() > FEW && !repairs.force {
        let logs = unknown.into_iter().cloned().collect();
        return Err(CampaignError::ManyUnknownLogs { dir: dir.to_owned(), logs, were_offered: repairs.from_logs });
    }
    // Nothing has been changed up to here.
    mend_journal(&mut journal, &taken, dir, tell)?;
    if repairs.from_logs {
        tell(Warning::Taken { games: taken.len() });
    }
    derived.prepare()?;
    for id in &comparison.superseded {
        derived.remove_log(id)?;
    }
    unknown.into_iter().try_for_each(|path| set_aside(path, tell))?;
    work.begin("games written", Some(ledger.finished() as u64));
    derived.write_logs(&ledger, |_| {
        work.add_one();
        true
    })?;
    work.begin("writing the tables", None);
    Ok(derived.write_tables(&ledger)?)
}

/// Cuts off a torn last line, and appends the games taken from logs.
fn mend_journal(journal: &mut Journal, taken: &[JournalEntry], dir: &Path, tell: &Tell) -> Result<(), CampaignError> {
    if journal.mend().map_err(CampaignError::Journal)? {
        tell(Warning::TornLineDropped { dir: dir.to_owned() });
    }
    journal.append(taken).map_err(CampaignError::Journal)
}

/// The steps of checking a journal, as shown to the user.
const CHECKING: &str = "games checked";
const COMPARING: &str = "comparing the logs with the journal";

/// Checks the journal of the run in `dir`, and compares every file derived from it with the journal's contents. Changes
/// nothing. `work` counts the progress.
///
/// # Errors
/// Fails if the journal is damaged, or if a file differs from what the journal says.
pub(crate) fn check(dir: &Path, tell: &Tell, work: &WorkCount) -> Result<Checked, CampaignError> {
    let of_journal = |error| CampaignError::of_journal(error, dir);
    if !journal::is_in(dir) {
        return Err(CampaignError::NoJournal { dir: dir.to_owned() });
    }
    let in_use = || journal::is_in_use(dir).map_err(of_journal);
    let differing = |logs: Vec<PathBuf>| {
        if logs.is_empty() { Ok(()) } else { Err(CampaignError::OtherLogs { dir: dir.to_owned(), logs }) }
    };
    let was_in_use = in_use()?;
    let derived = Derived::in_dir(dir.to_owned());
    work.begin("reading the logs", None);
    // Read the logs first: while a run is in progress, each log is written after its line in the journal.
    let logs = derived.logs()?;
    let mut inspection = Inspection::default();
    work.begin(CHECKING, Some(journal::about_games_in(dir)));
    let take = |game| inspection.add(game, work);
    let (ledger, extent) = journal::read_with(dir, GameCheck::of, take).map_err(of_journal)?;
    inspection.finish(dir, tell)?;
    work.begin(COMPARING, None);
    let Comparison { mut strange, behind, superseded } = derived.compare(&ledger, &logs);
    drop(logs);
    let lines = extent.lines.saturating_sub(1);
    // A run may have begun in the meantime. It changes the derived files only after the journal.
    if was_in_use || in_use()? {
        // A log is written after its line in the journal, so it may be missing or may still record an earlier attempt.
        differing(strange)?;
        return Ok(Checked::SoFar { lines });
    }
    strange.extend(behind.iter().chain(&superseded).map(|id| derived.log(id)));
    // A log whose text differs from its record is in both lists.
    strange.sort();
    strange.dedup();
    strange.extend(derived.strange_tables(&ledger)?);
    differing(strange)?;
    Ok(Checked::All { lines })
}

/// The outcome of checking one game.
#[derive(Debug)]
enum GameCheck {
    /// The game could have been played.
    Holds,
    /// The game could have been played, but its proof could not be repeated without the table for these rules.
    Unproven(MoveRules),
    /// What is wrong with the game.
    Fault(String),
}

impl GameCheck {
    fn of(game: &LoggedGame) -> Self {
        match check_game(game) {
            Ok(RepeatedProof::NoTable(rules)) => Self::Unproven(rules),
            Ok(RepeatedProof::Holds) => Self::Holds,
            Err(error) => Self::Fault(format!("{}: {error}", game.game().unwrap_or_default())),
        }
    }
}

/// What is wrong with the games of a journal.
#[derive(Debug, Default)]
struct Inspection {
    faults: Vec<String>,
    /// For each set of rules whose table is missing, the number of games that ended with a proof that could not be
    /// repeated.
    unproven: BTreeMap<MoveRules, u64>,
}

impl Inspection {
    fn add(&mut self, game: GameCheck, work: &WorkCount) {
        work.add_one();
        match game {
            GameCheck::Holds => {}
            GameCheck::Unproven(rules) => *self.unproven.entry(rules).or_default() += 1,
            GameCheck::Fault(fault) => self.faults.push(fault),
        }
    }

    /// Fails if anything is wrong, and warns about everything that was not checked.
    fn finish(self, dir: &Path, tell: &Tell) -> Result<(), CampaignError> {
        let Self { faults, unproven } = self;
        if !faults.is_empty() {
            return Err(CampaignError::Faults { dir: dir.to_owned(), faults });
        }
        for (rules, games) in unproven {
            tell(Warning::ProofsNotRepeated { games, rules });
        }
        Ok(())
    }
}

/// Whether the journal contains a result for the game whose log is `path`.
fn is_known(path: &Path, ledger: &Ledger) -> bool {
    let game = path.file_stem().and_then(|id| id.to_str()).and_then(|id| ledger.game(id));
    game.is_some_and(|kept| kept.void.is_none())
}

/// Renames a log unknown to the journal, so that it is no longer a log of the run.
fn set_aside(path: &Path, tell: &Tell) -> Result<(), CampaignError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".not-in-journal");
    let mut aside = PathBuf::from(aside);
    if aside.symlink_metadata().is_ok() {
        aside = free_name(path, "not-in-journal");
    }
    fs::rename(path, &aside).map_err(|source| CampaignError::NotSetAside {
        from: path.to_owned(),
        to: aside.clone(),
        source,
    })?;
    tell(Warning::SetAside { path: path.to_owned(), aside });
    Ok(())
}

fn tell_salvaged(Salvaged { aside, kept, damaged, superseded }: Salvaged, tell: &Tell) {
    tell(Warning::Salvaged { kept, aside });
    if !damaged.is_empty() {
        tell(Warning::DroppedDamaged(damaged));
    }
    if !superseded.is_empty() {
        tell(Warning::DroppedRepeated(superseded));
    }
}
