//! Compares a run's game logs with its journal, and repairs them.

use std::path::Path;

use super::errors::CampaignError;
use crate::referee::record::LoggedGame;
use crate::run::derived::{Derived, DerivedError, LogDigests, RESULTS, STANDINGS};
use crate::run::journal::{self, Ledger};

/// Returns the contents of the journal of the run in `dir`, if its game logs agree with it. Passes each record to `look`,
/// including those that no longer count. Changes nothing; the run may be in progress.
///
/// # Errors
/// Fails if the journal cannot be used, or if a log disagrees with it.
pub(crate) fn verified(dir: &Path, look: impl FnMut(&LoggedGame)) -> Result<Ledger, CampaignError> {
    let derived = Derived::in_dir(dir.to_owned());
    // Read the logs first: while the run is in progress, each log is written after its line in the journal.
    let logs = derived.logs()?;
    let (ledger, _) = journal::read(dir, look).map_err(|error| CampaignError::of_journal(error, dir))?;
    let strange = derived.compare(&ledger, &logs).strange;
    if strange.is_empty() { Ok(ledger) } else { Err(CampaignError::OtherLogs { dir: dir.to_owned(), logs: strange }) }
}

/// Returns the game logs of the run in `dir`, after checking that none of them differs from its journal.
///
/// # Errors
/// Fails if a log differs from the journal, or if the logs cannot be read.
pub(crate) fn held_against(dir: &Path, ledger: &Ledger) -> Result<LogDigests, CampaignError> {
    let derived = Derived::in_dir(dir.to_owned());
    let logs = derived.logs()?;
    let strange = derived.compare(ledger, &logs).strange;
    if strange.is_empty() { Ok(logs) } else { Err(CampaignError::OtherLogs { dir: dir.to_owned(), logs: strange }) }
}

/// Writes the logs that are missing among `logs`, and removes the superseded ones.
///
/// # Errors
/// Fails if a file cannot be read, written or removed.
pub(crate) fn mend(dir: &Path, ledger: &Ledger, logs: LogDigests) -> Result<(), DerivedError> {
    let derived = Derived::in_dir(dir.to_owned());
    derived.prepare()?;
    let comparison = derived.compare(ledger, &logs);
    drop(logs);
    for id in &comparison.superseded {
        derived.remove_log(id)?;
    }
    if !comparison.behind.is_empty() {
        derived
            .write_logs(ledger, |id| comparison.behind.binary_search_by(|behind| behind.as_str().cmp(id)).is_ok())?;
    }
    // The tables describe an earlier state of the run. They are written again at its end, or by `rebuild`.
    for name in [RESULTS, STANDINGS] {
        derived.remove(name)?;
    }
    Ok(())
}
