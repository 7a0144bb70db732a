//! Compares a run's game logs with its journal, and repairs them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::errors::CampaignError;
use crate::referee::record::LoggedGame;
use crate::run::derived::{Comparison, Derived, DerivedError, LogDigests, RESULTS, STANDINGS};
use crate::run::journal::{self, Journal, Ledger};

/// Returns the contents of the journal of the run in `dir`, if its game logs agree with it. Passes each record to
/// `look`, including records that no longer count. Changes nothing; the run may be in progress.
///
/// # Errors
/// Fails if the journal cannot be used, or if a log disagrees with it.
pub(crate) fn verified(dir: &Path, look: impl FnMut(&LoggedGame)) -> Result<Ledger, CampaignError> {
    let derived = Derived::in_dir(dir.to_owned());
    // Read the logs first: while the run is in progress, each log is written after its line in the journal.
    let logs = derived.logs()?;
    let (ledger, _) = journal::read(dir, look).map_err(|error| CampaignError::of_journal(error, dir))?;
    agreeing(&derived, &ledger, logs)?;
    Ok(ledger)
}

/// Returns the game logs of the run in `dir`, after checking that none of them differs from its `journal`, whose state
/// is `ledger`, unless a power failure has torn it: then [`mend`] writes it again. If logs that a checkpoint covers have
/// been touched since, the whole journal is read again and replaces `ledger`.
///
/// # Errors
/// Fails if a log differs from the journal, or if the logs or the journal cannot be read.
pub(crate) fn held_against(
    dir: &Path,
    journal: &mut Journal,
    ledger: &mut Ledger,
) -> Result<LogDigests, CampaignError> {
    let derived = Derived::in_dir(dir.to_owned());
    let mut logs = logs_to_compare(&derived, ledger)?;
    if logs.others() != ledger.checked_logs() {
        *ledger = journal.read_again().map_err(|error| CampaignError::of_journal(error, dir))?;
        logs = logs_to_compare(&derived, ledger)?;
    }
    let mut strange = derived.compare(ledger, &logs).strange;
    if !strange.is_empty() {
        let torn = derived.torn_logs(ledger, &strange)?;
        strange.retain(|path| !torn.contains(path));
    }
    unless_strange(&derived, logs, strange)
}

/// Returns `logs`, the logs of `derived`, after checking that none of them differs from the journal whose state is
/// `ledger`.
///
/// # Errors
/// Fails if a log differs.
pub(crate) fn agreeing(derived: &Derived, ledger: &Ledger, logs: LogDigests) -> Result<LogDigests, CampaignError> {
    let strange = derived.compare(ledger, &logs).strange;
    unless_strange(derived, logs, strange)
}

/// Returns `logs` if none of them is `strange`.
fn unless_strange(derived: &Derived, logs: LogDigests, strange: Vec<PathBuf>) -> Result<LogDigests, CampaignError> {
    if strange.is_empty() {
        Ok(logs)
    } else {
        Err(CampaignError::OtherLogs { dir: derived.dir().to_owned(), logs: strange })
    }
}

/// The game logs. Logs that should not have changed since the checkpoint of `ledger` was written are not read.
fn logs_to_compare(derived: &Derived, ledger: &Ledger) -> Result<LogDigests, DerivedError> {
    if ledger.covered() == 0 {
        return derived.logs();
    }
    let superseded: HashSet<&str> = ledger.superseded_ids().collect();
    derived.logs_unless(|id| ledger.text(id).is_none() && !superseded.contains(id))
}

/// Writes the logs that are missing from `logs` or differ from the journal, and removes superseded logs.
///
/// # Errors
/// Fails if a file cannot be read, written or removed.
pub(crate) fn mend(dir: &Path, ledger: &mut Ledger, logs: &LogDigests) -> Result<(), DerivedError> {
    let derived = Derived::in_dir(dir.to_owned());
    derived.prepare()?;
    let Comparison { behind, superseded, .. } = derived.compare(ledger, logs);
    for id in &superseded {
        derived.remove_log(id)?;
    }
    let is_behind = |id: &str| behind.binary_search_by(|behind| behind.as_str().cmp(id)).is_ok();
    if !behind.is_empty() {
        // The record of a game without a result may be anywhere in the journal.
        if behind.iter().any(|id| ledger.game(id).is_some()) {
            derived.write_logs(ledger, is_behind)?;
        } else {
            derived.write_logs_after_checkpoint(ledger, is_behind)?;
        }
    }
    let unchecked: Vec<String> = ledger.unchecked().map(str::to_owned).collect();
    for id in &unchecked {
        // If the log has been edited since it was read, its stamp no longer matches this one.
        let stamp = match logs.stamp(id).filter(|_| !is_behind(id)) {
            Some(stamp) => stamp,
            None => derived.log_stamp(id)?,
        };
        ledger.vouch(id, stamp);
    }
    // The tables describe an earlier state of the run. They are written again when the run ends, or by `rebuild`.
    for name in [RESULTS, STANDINGS] {
        derived.remove(name)?;
    }
    Ok(())
}
