//! The games of a ladder whose results a ledger has counted and then forgotten, so that the ledger's memory does not
//! grow with their number.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::{Ledger, LedgerError};
use crate::results::standings::{GameSummary, PlayedSummary};
use crate::run::journal::TextDigest;
use crate::run::journal::finished_numbers::FinishedNumbers;
use crate::run::journal::ladder_history::LadderHistory;
use crate::run::journal::ladder_tally::{GameOutcome, LadderTally};
use crate::run::journal::line::{GameEntry, JournalEntry};
use crate::run::journal::log_sum::{LogStamp, LogSum};

/// The forgotten games of a ladder, and what else a checkpoint contains.
#[derive(Clone, Debug)]
pub(in crate::run::journal) struct SettledGames {
    /// The results of the games.
    pub(in crate::run::journal) tally: LadderTally,
    /// All entries except games and decisions to play games, each with the number of games on which the ladder had
    /// decided before that entry.
    pub(in crate::run::journal) entries: Vec<(u64, Arc<JournalEntry>)>,
    /// The void records that count, by their places among the records.
    pub(in crate::run::journal) void: BTreeMap<u64, GameEntry>,
    /// The digests of the records whose logs have not been compared with them.
    pub(in crate::run::journal) unchecked: HashMap<Arc<str>, TextDigest>,
    /// The state of the logs of all other forgotten games, as of the time when those logs matched the records.
    pub(in crate::run::journal) logs: LogSum,
    /// The length of the part of the journal that is known from a checkpoint; 0 if there is no checkpoint.
    pub(in crate::run::journal) covered: u64,
}

impl SettledGames {
    /// Creates the state without any games. `tally` is the tally of a new ladder.
    pub(in crate::run::journal) fn new(tally: LadderTally) -> Self {
        Self {
            tally,
            entries: Vec::new(),
            void: BTreeMap::new(),
            unchecked: HashMap::new(),
            logs: LogSum::default(),
            covered: 0,
        }
    }

    /// Records that the log of the game `id` matches its record.
    pub(in crate::run::journal) fn vouch(&mut self, id: &str, stamp: LogStamp) {
        if self.unchecked.remove(id).is_some() {
            self.logs.add(stamp);
        }
    }
}

impl Ledger {
    /// Counts the result of the game `id` and forgets the game, if it has a result and the ledger forgets games with
    /// results. Returns whether the game has been forgotten.
    pub(in crate::run::journal) fn settle(
        &mut self,
        id: &str,
        summary: &PlayedSummary,
        (number, text): (u64, TextDigest),
    ) -> bool {
        let (Some(settled), Some(history)) = (&mut self.settled, &mut self.ladder) else { return false };
        let PlayedSummary::Pair(GameSummary { result: Some(result), .. }) = summary else { return false };
        if !settled.tally.end(history, number, GameOutcome::from(result)) {
            return false;
        }
        self.records += 1;
        settled.void.retain(|_, void| void.number != number);
        let id = match self.games.remove_entry(id) {
            Some((id, before)) => {
                self.superseded.insert((Arc::clone(&id), before.text));
                id
            }
            None => id.into(),
        };
        settled.unchecked.insert(id, text);
        true
    }

    /// Remembers an entry for a checkpoint, if the ledger forgets games.
    ///
    /// # Errors
    /// Fails if the entry supersedes games that have been forgotten.
    pub(in crate::run::journal) fn remember(&mut self, entry: &JournalEntry) -> Result<(), LedgerError> {
        let (Some(settled), Some(history)) = (&mut self.settled, &self.ladder) else { return Ok(()) };
        let has_forgotten_game = |player: &str| history.place(player).is_some_and(|it| settled.tally.has_game_of(it));
        let is_forgotten = match entry {
            JournalEntry::Redo { player, kept_to, .. } => kept_to.is_some() || has_forgotten_game(&player.name),
            JournalEntry::Again { .. } | JournalEntry::Extend { .. } => true,
            _ => false,
        };
        if is_forgotten {
            return Err(LedgerError::Forgotten);
        }
        if let JournalEntry::Redo { player, .. } = entry {
            let own: HashSet<&str> =
                self.games.values().filter(|kept| kept.is_of(&player.name)).map(|kept| kept.id()).collect();
            settled.void.retain(|_, void| !own.contains(void.id.as_str()));
        }
        if !matches!(entry, JournalEntry::Pairing(_) | JournalEntry::Header(_)) {
            settled.entries.push((history.schedule().at_most(), Arc::new(entry.clone())));
        }
        Ok(())
    }

    /// The versions and decisions of a ladder, and its results; `None` for other formats. The returned history does not
    /// contain the games with results.
    pub fn ladder_so_far(&self) -> Option<(LadderHistory, LadderTally)> {
        let mut history = self.ladder.clone()?;
        let tally = match &self.settled {
            Some(settled) => settled.tally.clone(),
            None => {
                let mut games = self.in_order();
                games.sort_unstable_by_key(|kept| kept.place);
                let ended = games.iter().filter_map(|kept| Some((kept.number, GameOutcome::from(kept.result()?))));
                LadderTally::of(&mut history, ended)
            }
        };
        Some((history, tally))
    }

    /// The versions and decisions of a ladder, and its results, if the ledger forgets games.
    pub(crate) fn forgotten(&self) -> Option<(&LadderHistory, &LadderTally)> {
        Some((self.ladder.as_ref()?, &self.settled.as_ref()?.tally))
    }

    /// The length of the part of the journal that is known from a checkpoint; 0 if there is no checkpoint.
    pub(crate) fn covered(&self) -> u64 {
        self.settled.as_ref().map_or(0, |settled| settled.covered)
    }

    /// The state of the logs of all forgotten games, except for logs that must still be compared with the journal, as
    /// of the time when the logs matched the records.
    pub(crate) fn checked_logs(&self) -> LogSum {
        self.settled.as_ref().map_or_else(LogSum::default, |settled| settled.logs)
    }

    /// Records that the log of the game `id`, with this stamp, matches its record. If the game has been forgotten, the
    /// digest of its record is then forgotten, too.
    pub(crate) fn vouch(&mut self, id: &str, stamp: LogStamp) {
        if let Some(settled) = &mut self.settled {
            settled.vouch(id, stamp);
        }
    }

    /// The games with a result, by number.
    pub fn finished_numbers(&self) -> FinishedNumbers {
        match (&self.ladder, &self.settled) {
            (Some(history), Some(_)) => {
                let open = history.open_games().map(|(number, _)| number);
                FinishedNumbers::all_below(history.schedule().at_most(), open)
            }
            _ => self.games.values().filter(|kept| kept.has_result()).map(|kept| kept.number).collect(),
        }
    }

    /// Whether the game `id` has a result.
    pub fn has_result(&self, id: &str) -> bool {
        let is_forgotten = || {
            let place = self.belonging.place(id)?;
            let players = place.players.by_side().ok()?;
            Some(self.ladder.as_ref()?.schedule().has_forgotten(place.round, players))
        };
        match self.game(id) {
            Some(kept) => kept.has_result(),
            None => self.settled.is_some() && is_forgotten().unwrap_or(false),
        }
    }

    pub(in crate::run::journal) fn has_forgotten_game_of(&self, player: &str) -> bool {
        let forgotten = self.forgotten().and_then(|(history, tally)| Some((history.place(player)?, tally)));
        forgotten.is_some_and(|(player, tally)| tally.has_game_of(player))
    }

    /// The ids of all games for which [`Ledger::text`] returns a digest, in arbitrary order.
    pub(crate) fn ids_with_texts(&self) -> impl Iterator<Item = &str> {
        self.ids().chain(self.unchecked())
    }

    /// The ids of the forgotten games whose logs have to be compared with the journal, in arbitrary order.
    pub(crate) fn unchecked(&self) -> impl Iterator<Item = &str> {
        self.settled.iter().flat_map(|settled| settled.unchecked.keys().map(Arc::as_ref))
    }

    /// The ids of the games with records that no longer count.
    pub(crate) fn superseded_ids(&self) -> impl Iterator<Item = &str> {
        self.superseded.iter().map(|(id, _)| &**id)
    }
}
