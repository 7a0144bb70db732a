//! The state of a ladder's ledger in a form that can be stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ladder_history::StoredDecisions;
use super::ladder_tally::LadderTally;
use super::ledger::SettledGames;
use super::line::{GameEntry, JournalEntry};
use super::log_sum::LogSum;
use super::{Header, Ledger};

/// The state of a ladder's ledger that has forgotten the games with results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredLedger {
    /// How many records the journal contains.
    records: u64,
    /// All entries except games and decisions to play games, each with the number of games on which the ladder had
    /// decided before that entry.
    entries: Vec<(u64, Arc<JournalEntry>)>,
    decisions: StoredDecisions,
    /// The void records that count, by their places among the records.
    void: BTreeMap<u64, GameEntry>,
    tally: LadderTally,
    logs: LogSum,
}

impl StoredLedger {
    /// The state of `ledger`; `None` if it has not forgotten the games with results, or if some of these games' logs
    /// have not been compared with the journal.
    pub(super) fn of(ledger: &Ledger) -> Option<Self> {
        let (history, settled) = (ledger.ladder()?, ledger.settled.as_ref()?);
        let SettledGames { tally, entries, void, unchecked, logs, covered: _ } = settled;
        unchecked.is_empty().then_some(())?;
        Some(Self {
            records: ledger.records,
            entries: entries.clone(),
            decisions: history.stored_decisions()?,
            void: void.clone(),
            tally: tally.clone(),
            logs: *logs,
        })
    }

    /// The stored ledger of a journal that has `lines` lines and begins with `header`. The entries are checked like
    /// those of a journal. Returns `None` if a journal with this header and length cannot contain them.
    pub(super) fn ledger(self, header: Header, lines: u64) -> Option<Ledger> {
        let Self { records, entries, decisions, void, tally, logs } = self;
        let mut ledger = Ledger::of_unfinished(header).ok()?;
        let decided = decisions.decided();
        (records < lines && decided < lines).then_some(())?;
        for (before, entry) in entries {
            let is_stored = !matches!(
                *entry,
                JournalEntry::Header(_) | JournalEntry::Game(_) | JournalEntry::Void(_) | JournalEntry::Pairing(_)
            );
            ledger.ladder.as_mut().filter(|_| is_stored && before <= decided)?.set_decided(before);
            ledger.take(Arc::unwrap_or_clone(entry)).ok()?;
        }
        let history = ledger.ladder.as_mut()?;
        let is_possible = history.restore_decisions(decisions)
            && tally.is_of(history.players().len())
            && tally.games().checked_add(history.open_games().len() as u64) == Some(decided);
        is_possible.then_some(())?;
        for (place, game) in void {
            ledger.records = Some(place).filter(|place| *place < records)?;
            ledger.take(JournalEntry::Void(game)).ok()?;
        }
        ledger.records = records;
        let settled = ledger.settled.as_mut()?;
        (settled.tally, settled.logs) = (tally, logs);
        Some(ledger)
    }
}
