//! The files of a run made again from its journal, or checked against it.

mod from_logs;

use std::fs;
use std::path::{Path, PathBuf};

use super::Tell;
use super::errors::CampaignError;
use super::remark::Remark;
use crate::base::files::free_name;
use crate::referee::record::{GameRecord, check as check_record};
use crate::results::standings::Standings;
use crate::run::derived::{Comparison, Derived};
use crate::run::journal::{self, Durability, Entry, Journal, Ledger, Salvaged, salvage};
use from_logs::games_of_logs;

/// How many logs that the journal does not have are set aside without being forced to. Where there are more, it is rather
/// the journal that is not the right one.
const FEW: usize = 5;

/// What may be done to the journal and the logs before the files of a run are made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Damaged lines of the journal are dropped.
    pub salvage: bool,
    /// The journal takes the games that it lacks from their logs.
    pub from_logs: bool,
    /// Any number of logs that the journal does not have are set aside.
    pub force: bool,
}

/// What a check of a run has found to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The journal, and all that follows from it.
    All {
        /// How many lines the journal has behind its header.
        lines: u64,
    },
    /// The journal so far and its logs, while a run is on.
    SoFar {
        /// How many lines the journal has behind its header.
        lines: u64,
    },
}

/// Makes the game logs and tables of the run in `dir` again, and returns the standings.
///
/// # Errors
/// When the journal cannot be used, has a game that cannot have been played, or lacks too many games that have logs: then
/// nothing has been changed. And when a file cannot be written.
pub fn rebuild(dir: &Path, repairs: Repairs, tell: &Tell) -> Result<Standings, CampaignError> {
    let of_journal = |error| CampaignError::of_journal(error, dir);
    if !journal::is_in(dir) {
        return Err(CampaignError::NoJournal { dir: dir.to_owned() });
    }
    if repairs.salvage {
        tell_salvaged(salvage(dir).map_err(of_journal)?, tell);
    }
    let mut faults = Vec::new();
    // The journal stays locked while this lives: a run would write the same files.
    let (mut journal, mut ledger, _) =
        Journal::resume_with(dir, Durability::Safe, |record| faults.extend(fault(record))).map_err(of_journal)?;
    refuse_faults(faults, dir)?;
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
    // From here on, things change.
    mend_journal(&mut journal, &taken, dir, tell)?;
    if repairs.from_logs {
        tell(Remark::Taken { games: taken.len() });
    }
    derived.prepare()?;
    for id in &comparison.superseded {
        derived.remove_log(id)?;
    }
    unknown.into_iter().try_for_each(|path| set_aside(path, tell))?;
    derived.write_logs(&ledger, |_| true)?;
    Ok(derived.write_tables(&ledger)?)
}

/// Cuts off a torn last line, and appends the games that were taken from logs.
fn mend_journal(journal: &mut Journal, taken: &[Entry], dir: &Path, tell: &Tell) -> Result<(), CampaignError> {
    if journal.mend().map_err(CampaignError::Journal)? {
        tell(Remark::TornLineDropped { dir: dir.to_owned() });
    }
    journal.append(taken).map_err(CampaignError::Journal)
}

/// Checks the journal of the run in `dir`, and holds all that follows from it against what is there. Changes nothing.
///
/// # Errors
/// When something does not hold.
pub fn check(dir: &Path) -> Result<Checked, CampaignError> {
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
    // First the logs: while a run is on, their lines in the journal are older than they.
    let logs = derived.logs()?;
    let mut faults = Vec::new();
    let (ledger, extent) = journal::read(dir, |record| faults.extend(fault(record))).map_err(of_journal)?;
    refuse_faults(faults, dir)?;
    let Comparison { mut strange, behind, superseded } = derived.compare(&ledger, &logs);
    let lines = extent.lines.saturating_sub(1);
    // A run may have begun meanwhile, and it changes what follows from the journal after that.
    if was_in_use || in_use()? {
        // A log is renewed after its line, so that what is there may still be of an earlier try.
        differing(strange)?;
        return Ok(Checked::SoFar { lines });
    }
    strange.extend(behind.iter().chain(&superseded).map(|id| derived.log(id)));
    // A log with another text is both strange and behind.
    strange.sort();
    strange.dedup();
    strange.extend(derived.strange_tables(&ledger)?);
    differing(strange)?;
    Ok(Checked::All { lines })
}

/// What is wrong with a record, if anything is.
fn fault(record: &GameRecord) -> Option<String> {
    let error = check_record(record).err()?;
    Some(format!("{}: {error}", record.game.as_deref().unwrap_or_default()))
}

fn refuse_faults(faults: Vec<String>, dir: &Path) -> Result<(), CampaignError> {
    if faults.is_empty() { Ok(()) } else { Err(CampaignError::Faults { dir: dir.to_owned(), faults }) }
}

/// Whether the journal has a result of the game whose log is `path`.
fn is_known(path: &Path, ledger: &Ledger) -> bool {
    let game = path.file_stem().and_then(|id| id.to_str()).and_then(|id| ledger.game(id));
    game.is_some_and(|kept| kept.void.is_none())
}

/// Gives a log of which the journal knows nothing another name, so that it is no longer a log of the run.
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
    tell(Remark::SetAside { path: path.to_owned(), aside });
    Ok(())
}

fn tell_salvaged(Salvaged { aside, kept, damaged, superseded }: Salvaged, tell: &Tell) {
    tell(Remark::Salvaged { kept, aside });
    if !damaged.is_empty() {
        tell(Remark::DroppedDamaged(damaged));
    }
    if !superseded.is_empty() {
        tell(Remark::DroppedRepeated(superseded));
    }
}
