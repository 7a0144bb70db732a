//! Which run's record of each game counts in the merged run.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Keep;
use super::sources::Sources;
use crate::run::campaign::errors::{CampaignError, TwoRecords};
use crate::run::journal::Kept;

/// A record that counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChosenRecord<'s> {
    /// The index of the record's run among all runs.
    pub(super) run: usize,
    pub(super) kept: &'s Kept,
}

/// The records that count, by their games' numbers.
#[derive(Debug)]
pub(super) struct RecordChoice<'s> {
    games: BTreeMap<u64, ChosenRecord<'s>>,
    /// How many of these records the merged run did not contain.
    added: u64,
}

impl<'s> RecordChoice<'s> {
    /// Chooses among the records of `sources`. A game with a result takes precedence over a void one; between two void
    /// games, the choice does not depend on the order of the runs. Records that the merged run has superseded are
    /// excluded.
    ///
    /// # Errors
    /// Fails if a game has different results, unless `keep` determines which result to take.
    pub(super) fn of(sources: &'s Sources, keep: Option<Keep>) -> Result<Self, CampaignError> {
        let merged = sources.merged().map(|run| &run.ledger);
        let mut games: BTreeMap<u64, ChosenRecord<'s>> = BTreeMap::new();
        let mut conflicts = Vec::new();
        for (run, source) in sources.runs().iter().enumerate() {
            for kept in source.ledger.in_order() {
                let new = ChosenRecord { run, kept };
                let id = kept.id();
                let is_current =
                    || merged.and_then(|ledger| ledger.game(id)).is_some_and(|ours| ours.text == kept.text);
                if merged.is_some_and(|ledger| ledger.knows(id, kept.text)) && !is_current() {
                    continue;
                }
                let mut before = match games.entry(kept.number) {
                    Entry::Vacant(free) => {
                        free.insert(new);
                        continue;
                    }
                    Entry::Occupied(before) => before,
                };
                let old = before.get().kept;
                match (old.has_result(), kept.has_result()) {
                    _ if old.text == kept.text => {}
                    (false, true) => drop(before.insert(new)),
                    (false, false) if kept.text < old.text => drop(before.insert(new)),
                    (false | true, false) => {}
                    (true, true) => conflicts.push(TwoRecords {
                        game: id.to_owned(),
                        first: sources.runs()[before.get().run].dir.clone(),
                        other: source.dir.clone(),
                    }),
                }
            }
        }
        if keep != Some(Keep::First) && !conflicts.is_empty() {
            return Err(CampaignError::Conflicts { games: conflicts });
        }
        let first = usize::from(merged.is_some());
        let added = games.values().filter(|chosen| chosen.run >= first).count() as u64;
        Ok(Self { games, added })
    }

    /// The records that count, in the order of the schedule.
    pub(super) fn games(&self) -> impl Iterator<Item = ChosenRecord<'s>> + Clone {
        self.games.values().copied()
    }

    /// How many records the merged run did not contain.
    pub(super) const fn added(&self) -> u64 {
        self.added
    }
}
