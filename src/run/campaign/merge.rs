//! Merges several runs that played different games of the same tournament.
//!
//! The result depends only on the games, not on the order in which the runs were named or merged: the journal contains
//! its games in schedule order, as if a single machine had played them one at a time.

mod choice;
mod merged_journal;
mod outputs;
mod sources;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use super::Tell;
use super::errors::CampaignError;
use super::mended_logs;
use super::place::{may_hold_merged, shards_in};
use super::warning::Warning;
use crate::base::word_enum::words;
use crate::base::work_count::WorkCount;
use crate::results::standings::FieldStandings;
use crate::run::derived::Derived;
use crate::run::journal::{self, Durability, Journal};
use choice::RecordChoice;
use sources::{MergedSource, Sources};

/// Which record of a game to keep if two runs contain different results for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The record of the run that was named first.
    First,
}

words! { pub(crate) Keep; First => "first" }

/// The runs to merge, and the directory of the result.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    /// The directory of the merged run, which may already exist: it then counts as the first of the runs.
    pub out: PathBuf,
    /// The directories of the other runs, at least one. A directory that is not a run stands for the shards in it. The
    /// files of these runs are not changed, and the runs may be in progress.
    pub dirs: Vec<PathBuf>,
    /// Which record of a game with different results to keep; if `None`, the merge is refused.
    pub keep: Option<Keep>,
}

/// Merges runs, and returns the standings of the merged run. `work` counts what has been done.
///
/// # Errors
/// Fails if the runs cannot be read, belong to different tournaments, have different players, or contain different
/// records of a game, unless `keep` says which record to keep. In these cases, nothing has been changed. Also fails if
/// a file cannot be written.
pub(crate) fn merge(
    Merge { out, dirs, keep }: &Merge,
    tell: &Tell,
    work: &WorkCount,
) -> Result<FieldStandings, CampaignError> {
    let dirs = &runs_of(dirs, out);
    let is_there = journal::is_in(out);
    if !is_there && !may_hold_merged(out)? {
        return Err(CampaignError::Occupied { dir: out.clone() });
    }
    if let Some(dir) = dirs.iter().find(|dir| is_same_dir(dir, out)) {
        return Err(CampaignError::MergedIntoItself { dir: dir.clone() });
    }
    // From here on, no other process can write to the merged run.
    let locked = if is_there {
        let resumed = Journal::resume(out, Durability::Safe);
        Some(resumed.map_err(|error| CampaignError::of_journal(error, out))?.0)
    } else {
        None
    };
    let sources = Sources::read(is_there.then_some(out.as_path()), dirs, tell, work)?;
    let choice = RecordChoice::of(&sources, *keep)?;
    let derived = Derived::in_dir(out.clone());
    if let Some(MergedSource { ledger, .. }) = sources.merged() {
        mended_logs::agreeing(&derived, ledger, derived.logs()?)?;
    }
    // Nothing has been changed up to here.
    fs::create_dir_all(out).map_err(|source| CampaignError::Unmade { dir: out.clone(), source })?;
    outputs::clear(&sources, &choice, &derived)?;
    let _locked = merged_journal::write(&sources, &choice, out, locked, work)?;
    work.begin("writing the logs", None);
    let (mut ledger, _) = journal::read(out, |_| {}).map_err(CampaignError::Journal)?;
    tell(Warning::Merged { dir: out.clone(), added: choice.added(), finished: ledger.finished() });
    derived.prepare()?;
    outputs::copy(&sources, &ledger, out)?;
    mended_logs::mend(out, &mut ledger, &derived.logs()?)?;
    Ok(derived.write_tables(&ledger)?)
}

/// The directories of the runs to merge: `dirs`, in which each directory that is not a run is replaced with the shards
/// in it. The directory of the merged run, `out`, is left as it is.
fn runs_of(dirs: &[PathBuf], out: &Path) -> Vec<PathBuf> {
    let runs = |dir: &PathBuf| {
        let shards = if journal::is_in(dir) || is_same_dir(dir, out) { Vec::new() } else { shards_in(dir) };
        if shards.is_empty() { vec![dir.clone()] } else { shards }
    };
    dirs.iter().flat_map(runs).collect()
}

/// Whether both paths lead to the same directory.
fn is_same_dir(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(fs::canonicalize);
    matches!((one, other), (Ok(one), Ok(other)) if one == other)
}
