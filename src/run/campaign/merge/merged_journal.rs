//! Writes the journal of the merged run.

use std::path::Path;

use super::choice::{ChosenRecord, RecordChoice};
use super::sources::Sources;
use crate::base::machine::in_order;
use crate::base::work_count::WorkCount;
use crate::run::campaign::errors::CampaignError;
use crate::run::journal::{Journal, JournalEntry, JournalError, LineSink, write_line};
use crate::run::results_dir::JOURNAL;
use crate::tournament::definition::Definition;

/// How many games to pass to a thread, or to the journal, in a batch.
const BATCH: usize = 256;

/// Writes the games that `choice` adds to the journal of `out`; `before` is the previous journal, with its lock held.
/// Returns the journal, with its lock held. `work` counts the games.
///
/// A journal in which nothing was ever superseded is rewritten in schedule order. Any other journal records which games
/// must not be added again, so it is kept, and the new games are appended.
///
/// # Errors
/// Fails if a journal cannot be read or written.
pub(super) fn write(
    sources: &Sources,
    choice: &RecordChoice<'_>,
    out: &Path,
    before: Option<Journal>,
    work: &WorkCount,
) -> Result<Journal, CampaignError> {
    let has_history = sources.merged().is_some_and(|run| run.ledger.has_superseded());
    match (before, sources.header()) {
        (Some(mut journal), _) if choice.added() == 0 || has_history => {
            work.begin(WRITING, Some(choice.added()));
            append(sources, choice, &mut journal, work).map_err(CampaignError::Journal)?;
            Ok(journal)
        }
        (before, Some(header)) => {
            work.begin(WRITING, Some(choice.games().count() as u64));
            let fill = |sink: &mut LineSink| fill(sources, choice, sink, out, work);
            Journal::compose(out, &header, before, fill).map_err(|error| CampaignError::of_new_journal(error, out))
        }
        (_, None) => unreachable!("there is at least one run"),
    }
}

/// The name of the step, as shown to the user.
const WRITING: &str = "games written";

/// Appends the new games to `journal`.
fn append(
    sources: &Sources,
    choice: &RecordChoice<'_>,
    journal: &mut Journal,
    work: &WorkCount,
) -> Result<(), JournalError> {
    let new: Vec<ChosenRecord<'_>> = choice.games().filter(|chosen| chosen.run > 0).collect();
    for batch in new.chunks(BATCH) {
        let entries = batch.iter().map(|chosen| entry(sources, *chosen, work)).collect::<Result<Vec<_>, _>>()?;
        journal.append(&entries)?;
    }
    Ok(())
}

/// Adds the lines of all games to a new journal, with the lines of the tournament's extensions between them.
fn fill(
    sources: &Sources,
    choice: &RecordChoice<'_>,
    sink: &mut LineSink,
    out: &Path,
    work: &WorkCount,
) -> Result<(), JournalError> {
    let fail = |source| JournalError::Io { action: "write", path: out.join(JOURNAL), source };
    let definitions: Vec<&Definition> = sources.definitions().collect();
    let mut games = choice.games().peekable();
    for (nth, definition) in definitions.iter().enumerate() {
        if nth > 0 {
            let players = sources.players(definition);
            let extension = JournalEntry::Extend { definition: (*definition).clone(), players };
            sink.add(&write_line(&extension, sink.seal())).map_err(fail)?;
        }
        // An extension adds its games after all earlier ones.
        let ends = definition.schedule(&[]).at_most();
        let is_last = nth + 1 == definitions.len();
        let seal = sink.seal().clone();
        let batches = std::iter::from_fn(|| {
            let next = || games.next_if(|chosen| is_last || chosen.kept.number < ends);
            let batch: Vec<ChosenRecord<'_>> = std::iter::from_fn(next).take(BATCH).collect();
            (!batch.is_empty()).then_some(batch)
        });
        let lines = |batch: Vec<ChosenRecord<'_>>| {
            let line = |chosen| entry(sources, chosen, work).map(|entry| write_line(&entry, &seal));
            batch.into_iter().map(line).collect::<Result<String, _>>()
        };
        in_order(batches, lines, |lines| sink.add(&lines?).map_err(fail))?;
    }
    Ok(())
}

/// The journal entry of a record, as it appears in the record's own run. `work` counts the entry.
fn entry(
    sources: &Sources,
    ChosenRecord { run, kept }: ChosenRecord<'_>,
    work: &WorkCount,
) -> Result<JournalEntry, JournalError> {
    work.add_one();
    sources.runs()[run].records.entry(kept)
}
