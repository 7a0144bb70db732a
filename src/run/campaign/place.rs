//! The results directory, and the journal: a new journal, or the journal of a run to continue.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::errors::CampaignError;
use super::ladder_field;
use super::redo::Redo;
use super::same_tournament;
use super::warning::Warning;
use super::{CampaignPlan, Tell};
use crate::base::files::is_temporary;
use crate::run::campaign::mended_logs;
use crate::run::entrants::Entrant;
use crate::run::journal::{self, Header, Journal, Ledger};
use crate::run::results_dir::{JOURNAL, runs_in};
use crate::tournament::definition::Definition;
use crate::tournament::schedule::Schedule;
use crate::tournament::shard::Shard;

/// The starting point of a run: the contents of its results directory.
#[derive(Debug)]
pub(crate) enum Origin {
    /// There is no run.
    Nothing,
    /// An existing run, whose journal is locked.
    Run {
        /// The journal.
        journal: Box<Journal>,
        /// The state of the journal.
        ledger: Box<Ledger>,
        /// What to replay.
        redo: Redo,
    },
}

/// The directory for a fresh run: `dir` itself if it is unused, or else `dir-2` and so on.
///
/// # Errors
/// Fails if one of these directories cannot be read.
pub(crate) fn fresh(dir: &Path) -> Result<PathBuf, CampaignError> {
    let mut number = 1_u64;
    let mut name = dir.to_owned();
    while !is_unused(&name)? {
        number += 1;
        let mut text = dir.as_os_str().to_owned();
        text.push(format!("-{number}"));
        name = PathBuf::from(text);
    }
    Ok(name)
}

/// Whether `dir` is missing or empty, or contains only the leftovers of a run that was killed before its journal began.
fn is_unused(dir: &Path) -> Result<bool, CampaignError> {
    has_only(dir, is_temporary)
}

/// Whether `dir` is suitable for a new run that other runs are merged into: unused, except for the directories of
/// shards.
///
/// # Errors
/// Fails if the directory cannot be read.
pub(crate) fn may_hold_merged(dir: &Path) -> Result<bool, CampaignError> {
    has_only(dir, |name| is_temporary(name) || Shard::is_dir_name(name))
}

/// The directories of the shards in `dir`, sorted. Empty if the directory cannot be read.
pub(super) fn shards_in(dir: &Path) -> Vec<PathBuf> {
    let is_shard = |run: &PathBuf| run.file_name().and_then(OsStr::to_str).is_some_and(Shard::is_dir_name);
    runs_in(dir).unwrap_or_default().into_iter().filter(is_shard).collect()
}

/// Whether `dir` is missing, or every name in it satisfies `is_fit`.
fn has_only(dir: &Path, is_fit: impl Fn(&str) -> bool) -> Result<bool, CampaignError> {
    let fail = |source| CampaignError::Unreadable { dir: dir.to_owned(), source };
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        entries => entries.map_err(fail)?,
    };
    for entry in entries {
        let name = entry.map_err(fail)?.file_name();
        if !name.to_str().is_some_and(&is_fit) {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Origin {
    /// Examines the directory of `plan` and compares the run there with the plan. A run that began under the old
    /// default of `illegal_tries`, or under the old pairing rule of Swiss tournaments, keeps the old rule: the
    /// tournament of `plan` is changed accordingly.
    ///
    /// # Errors
    /// Fails if the directory contains a run of another tournament, an unusable journal, or something other than a run.
    pub(crate) fn find(plan: &CampaignPlan, tell: &Tell) -> Result<Self, CampaignError> {
        let CampaignPlan { tournament, dir, options, .. } = plan;
        if let Some(shard) = options.shard
            && !Schedule::new(tournament).has_shards()
        {
            return Err(CampaignError::Unsplittable { shard });
        }
        let is_unused = journal::is_in(dir) || is_unused(dir)?;
        // Another run may have begun since the directory was examined.
        if !journal::is_in(dir) {
            if !is_unused {
                let dir = dir.clone();
                return Err(if shards_in(&dir).is_empty() {
                    CampaignError::Occupied { dir }
                } else {
                    CampaignError::Unmerged { dir }
                });
            }
            if let Some(word) = options.redo.first() {
                return Err(CampaignError::NothingPlayed { word: word.clone(), dir: dir.clone() });
            }
            return Ok(Self::Nothing);
        }
        // To replay games, the ledger must contain the finished games, which `resume_unfinished` leaves out.
        let resumed = if tournament.ladder.is_some() && options.redo.is_empty() {
            Journal::resume_unfinished(dir, options.durability)
        } else {
            Journal::resume(dir, options.durability)
        };
        let (journal, ledger, _) = resumed.map_err(|error| CampaignError::of_journal(error, dir))?;
        if ledger.shard != options.shard {
            return Err(CampaignError::OtherShard { dir: dir.clone(), begun: ledger.shard, asked: options.shard });
        }
        let redo = Redo::of(&options.redo, &ledger, tell)?;
        let definition = Definition::from(&**tournament);
        let definition = &match ledger.ladder() {
            Some(history) => ladder_field::asked(&ledger.definition, &definition, history),
            None => definition,
        };
        let begun = same_tournament::redefined(&ledger.definition, definition, &redo);
        same_tournament::hold_against(&begun, definition, options.beginning)
            .map_err(|(changes, remedy)| CampaignError::OtherTournament { dir: dir.clone(), changes, remedy })?;
        if ledger.program != env!("CARGO_PKG_VERSION") {
            tell(Warning::OtherVersion { dir: dir.clone(), version: ledger.program.clone() });
        }
        Ok(Self::Run { journal: Box::new(journal), ledger: Box::new(ledger), redo })
    }

    /// Prepares the journal for the first or the next game.
    ///
    /// # Errors
    /// Fails if the run cannot begin or continue. In that case, nothing has been changed.
    pub(crate) fn begin(
        self,
        plan: &CampaignPlan,
        entrants: &[Entrant],
        tell: &Tell,
    ) -> Result<(Journal, Ledger), CampaignError> {
        match self {
            Self::Nothing => create(plan, entrants),
            Self::Run { mut journal, mut ledger, redo } => {
                let dir = &plan.dir;
                let logs = mended_logs::held_against(dir, &mut journal, &mut ledger)?;
                let entries = same_tournament::entries(&plan.tournament, entrants, &ledger, &redo)?;
                if journal.mend().map_err(CampaignError::Journal)? {
                    tell(Warning::TornLine { path: dir.join(JOURNAL) });
                }
                if !entries.is_empty() {
                    journal.append(&entries).map_err(CampaignError::Journal)?;
                    for entry in entries {
                        ledger.take(entry)?;
                    }
                }
                mended_logs::mend(dir, &mut ledger, &logs)?;
                Ok((*journal, *ledger))
            }
        }
    }
}

/// Begins the journal of a new run.
fn create(plan: &CampaignPlan, entrants: &[Entrant]) -> Result<(Journal, Ledger), CampaignError> {
    let CampaignPlan { tournament, dir, options, .. } = plan;
    let definition = Definition::from(&**tournament);
    let header = Header {
        format: journal::FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        digest: definition.digest(),
        definition,
        players: same_tournament::players(tournament, entrants),
        shard: options.shard,
    };
    fs::create_dir_all(dir).map_err(|source| CampaignError::Unmade { dir: dir.clone(), source })?;
    let journal = Journal::create(dir, &header, options.durability);
    let journal = journal.map_err(|error| CampaignError::of_new_journal(error, dir))?;
    Ok((journal, Ledger::of_unfinished(header)?))
}
