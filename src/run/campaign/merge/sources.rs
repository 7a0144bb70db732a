//! The runs to be merged, which must belong to the same tournament and have the same players.

use std::path::{Path, PathBuf};

use crate::base::work_count::WorkCount;
use crate::run::campaign::Tell;
use crate::run::campaign::errors::CampaignError;
use crate::run::campaign::warning::Warning;
use crate::run::journal::{FORMAT, Header, Ledger, PlayerEntry, RecordIndex, is_in};
use crate::tournament::definition::Definition;

/// One of the runs to be merged.
#[derive(Debug)]
pub(super) struct MergedSource {
    pub(super) dir: PathBuf,
    pub(super) ledger: Ledger,
    pub(super) records: RecordIndex,
}

/// All runs to be merged, in the order in which their records are preferred.
///
/// Invariant: there is at least one run. All runs have the same definitions, and their players do not differ from one
/// run to another.
#[derive(Debug)]
pub(super) struct Sources {
    runs: Vec<MergedSource>,
    /// Whether the first run is the previous merged run.
    has_merged: bool,
}

impl Sources {
    /// Reads the journals of `dirs` and of `merged`, the existing merged run, if there is one. `work` counts the
    /// journals.
    ///
    /// # Errors
    /// Fails if a journal cannot be used, or if two of the runs do not belong together.
    pub(super) fn read(
        merged: Option<&Path>,
        dirs: &[PathBuf],
        tell: &Tell,
        work: &WorkCount,
    ) -> Result<Self, CampaignError> {
        work.begin("journals read", Some((dirs.len() + usize::from(merged.is_some())) as u64));
        let mut runs: Vec<MergedSource> = Vec::new();
        for dir in merged.into_iter().chain(dirs.iter().map(PathBuf::as_path)) {
            if !is_in(dir) {
                return Err(CampaignError::NoJournal { dir: dir.to_owned() });
            }
            let read = RecordIndex::of(dir).map_err(|error| CampaignError::of_journal(error, dir));
            let (records, ledger) = read?;
            if !ledger.schedule().has_shards() {
                return Err(CampaignError::Unmergeable { dir: dir.to_owned() });
            }
            if merged == Some(dir) && ledger.shard.is_some() {
                return Err(CampaignError::OtherShard { dir: dir.to_owned(), begun: ledger.shard, asked: None });
            }
            let source = MergedSource { dir: dir.to_owned(), ledger, records };
            if let Some(first) = runs.first() {
                first.hold_against(&source)?;
                if first.ledger.program != source.ledger.program {
                    let version = source.ledger.program.clone();
                    tell(Warning::OtherVersion { dir: dir.to_owned(), version });
                }
            }
            runs.push(source);
            work.add_one();
        }
        Ok(Self { runs, has_merged: merged.is_some() })
    }

    /// All runs.
    pub(super) fn runs(&self) -> &[MergedSource] {
        &self.runs
    }

    /// The previous merged run, if there was one.
    pub(super) fn merged(&self) -> Option<&MergedSource> {
        self.runs.first().filter(|_| self.has_merged)
    }

    /// The other runs, which are to be merged with the previous merged run.
    pub(super) fn others(&self) -> impl Iterator<Item = &MergedSource> {
        self.runs.iter().skip(usize::from(self.has_merged))
    }

    /// The definitions of the tournament: the original one, and the one after each extension.
    pub(super) fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.runs.first().into_iter().flat_map(|first| first.ledger.earlier.iter().chain([&first.ledger.definition]))
    }

    /// The players of `definition`. If the runs have different versions of files that do not matter, such as build
    /// products, the version returned does not depend on the order of the runs.
    pub(super) fn players(&self, definition: &Definition) -> Vec<PlayerEntry> {
        let entries = |name: &str| {
            let of = |run: &MergedSource| run.ledger.players.iter().find(|player| player.name == name).cloned();
            self.runs.iter().filter_map(of).collect::<Vec<_>>()
        };
        // Any fixed order would do.
        let least = |name: &str| entries(name).into_iter().min_by_key(|player| format!("{player:?}"));
        definition.players.iter().filter_map(|player| least(&player.name)).collect()
    }

    /// The header of the merged run's journal.
    pub(super) fn header(&self) -> Option<Header> {
        let definition = self.definitions().next()?.clone();
        let program = self.runs.iter().map(|run| run.ledger.program.clone()).min()?;
        let (digest, players) = (definition.digest(), self.players(&definition));
        Some(Header { format: FORMAT, program, digest, definition, players, shard: None })
    }
}

impl MergedSource {
    /// Checks that `other` belongs to the same tournament, and has the same players.
    fn hold_against(&self, other: &Self) -> Result<(), CampaignError> {
        let dirs = || (self.dir.clone(), other.dir.clone());
        let changes = self.ledger.definition.changes(&other.ledger.definition);
        if !changes.is_empty() {
            let (first, other) = dirs();
            return Err(CampaignError::Unlike { first, other, changes });
        }
        if self.ledger.earlier != other.ledger.earlier {
            let (first, other) = dirs();
            return Err(CampaignError::ExtendedDifferently { first, other });
        }
        let differs = |player: &PlayerEntry| {
            let there = other.ledger.players.iter().find(|there| there.name == player.name)?;
            // Bots may have written new files on either machine.
            there.change(player)?;
            player.change(there).map(|what| (player.name.clone(), what))
        };
        let players: Vec<_> = self.ledger.players.iter().filter_map(differs).collect();
        if players.is_empty() {
            return Ok(());
        }
        let (first, other) = dirs();
        Err(CampaignError::UnlikePlayers { first, other, players })
    }
}
