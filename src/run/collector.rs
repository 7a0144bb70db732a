//! Handles the events of a run: updates first the journal, then the files derived from it, and then tells the
//! listeners.

use std::io;
use std::path::PathBuf;
use std::thread::{Builder, JoinHandle};

use thiserror::Error;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::base::machine::explained;
use crate::host::bot_output::BotOutput;
use crate::results::standings::FieldStandings;
use crate::run::derived::{Derived, DerivedError, LeftoverOutputs};
use crate::run::event::{Ended, Event};
use crate::run::journal::{
    Checkpoint, GameEntry, Journal, JournalEntry, JournalError, JournalMark, LadderFault, LadderHistory, Ledger,
    LedgerError, Writer, WrittenEntry,
};
use crate::run::listener::Listeners;

/// Why results could not be saved.
#[derive(Debug, Error)]
pub enum CollectError {
    /// The journal could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file derived from the journal could not be written.
    #[error(transparent)]
    Derived(#[from] DerivedError),
    /// A game has ended twice, or a decision about a ladder contradicts an earlier decision; either is a bug in the
    /// arena.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No thread could be started for the journal.
    #[error("could not start the thread that writes the journal: {}", explained(.0))]
    NoThread(io::Error),
}

/// What to do once a line is on disk.
#[derive(Debug)]
enum Pending {
    /// Count a game.
    Game(Ended),
    /// Carry out a decision about a ladder.
    Decision,
}

/// Collects the results of one run.
#[derive(Debug)]
pub struct Collector {
    derived: Derived,
    /// The leftovers of earlier attempts at games.
    leftovers: LeftoverOutputs,
    ledger: Ledger,
    /// The versions and decisions of a ladder, including those that are not on disk yet.
    planned: Option<LadderHistory>,
    /// `None` after the journal has been closed.
    journal: Option<Writer<Pending>>,
    /// How many lines were written since the last checkpoint was due.
    since_checkpoint: u64,
    /// The thread that writes a checkpoint.
    checkpoint: Option<JoinHandle<()>>,
}

/// After how many lines of a ladder's journal a checkpoint is due. Reading this many lines takes less than a second.
const CHECKPOINT_EVERY: u64 = 10_000;

impl Collector {
    /// A collector for the results directory `dir`; `ledger` is the state of `journal` so far.
    ///
    /// # Errors
    /// Fails if the directory cannot be prepared, or if no thread can be started.
    pub fn new(dir: PathBuf, journal: Journal, ledger: Ledger) -> Result<Self, CollectError> {
        let derived = Derived::in_dir(dir);
        derived.prepare()?;
        let leftovers = derived.leftover_outputs(|id| ledger.has_result(id))?;
        let (planned, writer) = (ledger.ladder().cloned(), Writer::start(journal).map_err(CollectError::NoThread)?);
        Ok(Self { derived, leftovers, ledger, planned, journal: Some(writer), since_checkpoint: 0, checkpoint: None })
    }

    /// Handles events until there are no more.
    ///
    /// # Errors
    /// Fails at the first file that cannot be written. Every game reported as finished is in the journal.
    pub async fn collect(
        &mut self,
        events: &mut UnboundedReceiver<Event>,
        listeners: &mut Listeners<'_>,
    ) -> Result<(), CollectError> {
        let Some(mut journal) = self.journal.take() else { return Ok(()) };
        let mut gathered = self.gather(&mut journal, events, listeners).await;
        // Even after an error, every game that has ended is written to the journal, or to its copy if the journal was
        // moved.
        while let Ok(event) = events.try_recv() {
            match event {
                Event::Ended(ended) => write(&journal, ended),
                Event::Enter(entry) => gathered = gathered.and(self.enter(*entry, &journal)),
                _ => {}
            }
        }
        let (written, end) = journal.finish().await?;
        gathered?;
        written.into_iter().try_for_each(|written| self.follow(written, listeners))?;
        self.begin_checkpoint(end);
        self.end_checkpoint();
        Ok(())
    }

    async fn gather(
        &mut self,
        journal: &mut Writer<Pending>,
        events: &mut UnboundedReceiver<Event>,
        listeners: &mut Listeners<'_>,
    ) -> Result<(), CollectError> {
        loop {
            tokio::select! {
                written = journal.written() => match written {
                    Some(written) => self.follow(written, listeners)?,
                    // The writer has failed, and returns its error when it is closed.
                    None => return Ok(()),
                },
                event = events.recv() => match event {
                    Some(event) => self.take(event, journal, listeners)?,
                    None => return Ok(()),
                },
            }
        }
    }

    fn take(
        &mut self,
        event: Event,
        journal: &Writer<Pending>,
        listeners: &mut Listeners<'_>,
    ) -> Result<(), CollectError> {
        let ended = match event {
            Event::Ended(ended) => ended,
            Event::Enter(entry) => return self.enter(*entry, journal),
            event => {
                listeners.tell(&event);
                return Ok(());
            }
        };
        let (id, is_silent) = (ended.game.as_str(), ended.outputs.values().all(BotOutput::is_empty));
        // Skip the search if there are no files: it would take half as long as writing the log.
        let is_clean = !self.leftovers.remove(id) && is_silent;
        let written = if is_clean { Ok(()) } else { self.derived.write_outputs(id, &ended.outputs) };
        if !is_silent && ended.record.void().is_some() {
            self.leftovers.insert(id);
        }
        write(journal, ended);
        Ok(written?)
    }

    /// Passes a decision about a ladder to the thread that writes the journal. A decision that contradicts an earlier
    /// decision is not written, because the journal could then no longer be read.
    fn enter(&mut self, entry: JournalEntry, journal: &Writer<Pending>) -> Result<(), CollectError> {
        let planned = self.planned.as_mut().ok_or(LadderFault::NotALadder);
        planned.and_then(|planned| planned.take(&entry)).map_err(LedgerError::from)?;
        journal.write(entry, Pending::Decision);
        Ok(())
    }

    /// Performs the action that was pending until a line was on disk.
    fn follow(
        &mut self,
        WrittenEntry { entry, value, mark }: WrittenEntry<Pending>,
        listeners: &mut Listeners<'_>,
    ) -> Result<(), CollectError> {
        match value {
            Pending::Game(ended) => self.count(&entry, ended, listeners)?,
            Pending::Decision => {
                self.ledger.take(entry.clone())?;
                listeners.tell(&Event::Entered(Box::new(entry)));
            }
        }
        self.since_checkpoint += 1;
        if let Some(mark) = mark.filter(|_| self.since_checkpoint >= CHECKPOINT_EVERY) {
            self.since_checkpoint = 0;
            self.begin_checkpoint(mark);
        }
        Ok(())
    }

    /// Begins to write a checkpoint of the journal up to `mark`, if the tournament is a ladder. Neither games nor
    /// journal lines wait for the checkpoint.
    fn begin_checkpoint(&mut self, mark: JournalMark) {
        let Some(checkpoint) = Checkpoint::of(&self.ledger, mark) else { return };
        self.end_checkpoint();
        let derived = self.derived.clone();
        let writing = Builder::new().name("checkpoint".to_owned()).spawn(move || derived.write_checkpoint(checkpoint));
        // If the machine has no thread left, a later checkpoint will do.
        self.checkpoint = writing.ok();
    }

    /// Waits until the last checkpoint has been written.
    fn end_checkpoint(&mut self) {
        if let Some(Err(panic)) = self.checkpoint.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    }

    /// Counts a game whose line is on disk.
    fn count(&mut self, line: &JournalEntry, ended: Ended, listeners: &mut Listeners<'_>) -> Result<(), CollectError> {
        let (JournalEntry::Game(game) | JournalEntry::Void(game)) = line else { return Ok(()) };
        self.ledger.keep(game, &ended.record)?;
        self.derived.write_log(&game.id, &game.record)?;
        if ended.record.void().is_none() {
            self.planned.as_mut().and_then(|planned| planned.forget(game.number));
            if self.ledger.forgotten().is_some() {
                self.ledger.vouch(&game.id, self.derived.log_stamp(&game.id)?);
            }
        }
        listeners.tell(&Event::Ended(ended));
        Ok(())
    }

    /// Writes results.csv and standings.csv. Returns the standings, which include the missing games.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn finish(&self) -> Result<FieldStandings, CollectError> {
        // The tables contain all games, including those that the ledger has forgotten.
        if self.ledger.forgotten().is_some() {
            return Ok(self.derived.write_tables(&self.derived.whole_ledger()?)?);
        }
        Ok(self.derived.write_tables(&self.ledger)?)
    }

    /// The state of the journal.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Passes a game that has ended to the thread that writes the journal.
fn write(journal: &Writer<Pending>, ended: Ended) {
    let game = GameEntry { number: ended.number, id: ended.game.to_string(), record: ended.record.to_string() };
    let line = if ended.record.void().is_some() { JournalEntry::Void(game) } else { JournalEntry::Game(game) };
    journal.write(line, Pending::Game(ended));
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;

    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::game::BySide;
    use crate::run::campaign::{Campaign, CampaignOptions, CampaignPlan};
    use crate::run::entrants::Entrant;
    use crate::run::journal::{self, HandInEntry, RefusedEntry};
    use crate::run::unplayed_record::unplayed_record;
    use crate::tournament::Tournament;
    use crate::tournament::schedule::GameSpec;

    /// The event for the end of `spec`, a game between `a` and `b`: void if `is_void`, otherwise won by white. Black
    /// has written `stderr`.
    fn ended(spec: &GameSpec, is_void: bool, stderr: &str) -> Event {
        let names = [spec.pair().black, spec.pair().white].map(|player| ["a", "b"][player]);
        let (result, ending) = if is_void { ("*", "void\"]\n[Reason \"none") } else { ("0-1", "no show") };
        let text = unplayed_record(spec, spec.id.as_str(), names, result, ending);
        let record = Box::new(text.parse().unwrap_or_else(|error| panic!("{error}")));
        let black = BotOutput { stderr: stderr.as_bytes().to_vec(), ..BotOutput::default() };
        let outputs = BySide { black, white: BotOutput::default() }.into();
        Event::Ended(Ended { game: spec.id.clone(), number: spec.number, record, outputs, again: None })
    }

    /// The journal of a tournament that has just begun in the directory `out` of `dir`.
    fn begun(dir: &Path, text: &str, entrants: &[Entrant]) -> (Journal, Ledger) {
        let tournament = Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems:?}"));
        let plan = CampaignPlan {
            tournament: Arc::new(tournament),
            base: dir.to_owned(),
            dir: dir.join("out"),
            options: CampaignOptions::default(),
        };
        let campaign =
            Campaign::find(plan, Arc::new(|warning| panic!("{warning}"))).unwrap_or_else(|it| panic!("{it}"));
        campaign.begin(entrants).unwrap_or_else(|error| panic!("{error}"))
    }

    #[tokio::test]
    async fn what_an_earlier_try_wrote_does_not_stay_beside_a_silent_game() {
        let dir = tempfile::tempdir().expect("a directory");
        let text = "[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n";
        let out = dir.path().join("out");
        let (journal, ledger) = begun(dir.path(), text, &[Entrant::Remote, Entrant::Remote]);
        let games: Vec<GameSpec> = ledger.schedule().games().collect();
        let stderr = |spec: &GameSpec| out.join(format!("games/{}.black.stderr", spec.id));
        fs::create_dir(out.join("games")).expect("made");
        fs::write(stderr(&games[0]), "of a run that was killed before its game was in the journal").expect("written");
        let mut collector = Collector::new(out.clone(), journal, ledger).expect("prepared");
        let (events, mut told) = unbounded_channel();
        for event in
            [ended(&games[0], false, ""), ended(&games[1], true, "of the first try"), ended(&games[1], false, "")]
        {
            events.send(event).expect("taken");
        }
        drop(events);
        collector.collect(&mut told, &mut Listeners::default()).await.expect("saved");
        assert_eq!(games.iter().take(2).map(|spec| stderr(spec).exists()).collect::<Vec<_>>(), [false, false]);
        assert_eq!(collector.ledger().results().len(), 2);
    }

    /// The entry for hand-in `number` of the player `ada`, which is refused.
    fn refused(number: u32) -> JournalEntry {
        let at = jiff::Timestamp::UNIX_EPOCH;
        let version = HandInEntry {
            of: "ada".to_owned(),
            number,
            sources: number.to_string(),
            arrived: at,
            door: "folder".to_owned(),
            origin: String::new(),
        };
        JournalEntry::Refused(RefusedEntry { version, reason: "none".to_owned(), at })
    }

    #[tokio::test]
    async fn a_decision_that_contradicts_one_on_its_way_to_the_disk_ends_the_run_and_is_not_written() {
        let dir = tempfile::tempdir().expect("a directory");
        let text = "format = \"ladder\"\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n\
                    [[player]]\nname = \"ada\"\nfolder = \"ada\"\n";
        let (journal, ledger) = begun(dir.path(), text, &[Entrant::Remote]);
        let mut collector = Collector::new(dir.path().join("out"), journal, ledger).expect("prepared");
        let (events, mut told) = unbounded_channel();
        for number in [1, 2, 2, 3] {
            events.send(Event::Enter(Box::new(refused(number)))).expect("taken");
        }
        drop(events);
        let collected = collector.collect(&mut told, &mut Listeners::default()).await;
        assert!(matches!(collected, Err(CollectError::Ledger(LedgerError::Ladder(_)))), "{collected:?}");
        let (ledger, _) = journal::read(&dir.path().join("out"), |_| {}).expect("the journal can be read");
        // The last decision does not contradict anything.
        assert_eq!(ledger.ladder().expect("a ladder").last_number("ada"), 3);
    }
}
