//! A run's game logs held against its journal, and mended.

use std::path::Path;

use super::errors::CampaignError;
use crate::run::derived::{Derived, DerivedError, RESULTS, STANDINGS};
use crate::run::journal::{self, Ledger};

/// All that the journal of the run in `dir` says, if its game logs agree with it. Nothing is changed, and a run may be on.
///
/// # Errors
/// When the journal cannot be used, and when a log disagrees with it.
pub fn verified(dir: &Path) -> Result<Ledger, CampaignError> {
    let derived = Derived::in_dir(dir.to_owned());
    // First the logs: while the run is on, their lines in the journal are older than they.
    let logs = derived.logs()?;
    let (ledger, _) = journal::read(dir, |_| {}).map_err(|error| CampaignError::of_journal(error, dir))?;
    let strange = derived.compare(&ledger, &logs).strange;
    if strange.is_empty() { Ok(ledger) } else { Err(CampaignError::OtherLogs { dir: dir.to_owned(), logs: strange }) }
}

/// Refuses game logs of the run in `dir` that differ from what its journal says.
///
/// # Errors
/// When there are any, and when the logs cannot be read.
pub fn hold_against(dir: &Path, ledger: &Ledger) -> Result<(), CampaignError> {
    let derived = Derived::in_dir(dir.to_owned());
    let strange = derived.compare(ledger, &derived.logs()?).strange;
    if strange.is_empty() { Ok(()) } else { Err(CampaignError::OtherLogs { dir: dir.to_owned(), logs: strange }) }
}

/// Writes the logs that are missing, and removes what has been superseded.
///
/// # Errors
/// When a file cannot be read, written or removed.
pub fn mend(dir: &Path, ledger: &Ledger) -> Result<(), DerivedError> {
    let derived = Derived::in_dir(dir.to_owned());
    derived.prepare()?;
    let comparison = derived.compare(ledger, &derived.logs()?);
    for id in &comparison.superseded {
        derived.remove_log(id)?;
    }
    if !comparison.behind.is_empty() {
        derived
            .write_logs(ledger, |id| comparison.behind.binary_search_by(|behind| behind.as_str().cmp(id)).is_ok())?;
    }
    // These tell of the run as it was. Its end, or `rebuild`, makes them again.
    for name in [RESULTS, STANDINGS] {
        derived.remove(name)?;
    }
    Ok(())
}
