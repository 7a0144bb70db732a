//! Takes in what happens in a run: the journal first, then what follows from it, then whoever listens.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::base::machine::explained;
use crate::game::rules::BySide;
use crate::referee::record::GameRecord;
use crate::results::standings::Standings;
use crate::run::derived::{Derived, DerivedError};
use crate::run::event::{Event, Outputs};
use crate::run::journal::{Entry, GameEntry, Journal, JournalError, Ledger, LedgerError, Writer};
use crate::run::reporter::Reporter;

/// Why results could not be kept.
#[derive(Debug, Error)]
pub enum CollectError {
    /// The journal could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What follows from it could not be written.
    #[error(transparent)]
    Derived(#[from] DerivedError),
    /// A game has ended twice, which is a defect of the arena.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The machine has no thread left for the journal.
    #[error("could not start the thread that writes the journal: {}", explained(.0))]
    NoThread(io::Error),
}

/// The results of one run.
#[derive(Debug)]
pub struct Collector {
    derived: Derived,
    ledger: Ledger,
    /// Gone once the journal is closed.
    journal: Option<Writer<Written>>,
}

/// What comes back when a game's line is on the disk.
type Written = (Event, GameEntry);

impl Collector {
    /// A collector for the results directory `dir`, whose journal comes to `ledger` so far.
    ///
    /// # Errors
    /// When the directory can't be made ready.
    pub fn new(dir: PathBuf, journal: Journal, ledger: Ledger) -> Result<Self, CollectError> {
        let derived = Derived::in_dir(dir);
        derived.prepare()?;
        Ok(Self { derived, ledger, journal: Some(Writer::start(journal).map_err(CollectError::NoThread)?) })
    }

    /// Takes in events until there will be no more.
    ///
    /// # Errors
    /// The first file that could not be written. What has been told as finished is in the journal.
    pub async fn collect(
        &mut self,
        events: &mut UnboundedReceiver<Event>,
        reporter: &mut Reporter,
    ) -> Result<(), CollectError> {
        let Some(mut journal) = self.journal.take() else { return Ok(()) };
        let gathered = self.gather(&mut journal, events, reporter).await;
        // Whatever went wrong, what has ended goes into the journal, or into the copy of one that has been moved away.
        while let Ok(event) = events.try_recv() {
            if let Some(ended) = Ended::in_event(&event) {
                let game = ended.entry();
                journal.write(ended.line(&game), (event, game));
            }
        }
        let written = journal.finish().await?;
        gathered?;
        written.into_iter().try_for_each(|written| self.count(written, reporter))
    }

    async fn gather(
        &mut self,
        journal: &mut Writer<Written>,
        events: &mut UnboundedReceiver<Event>,
        reporter: &mut Reporter,
    ) -> Result<(), CollectError> {
        loop {
            tokio::select! {
                written = journal.written() => match written {
                    Some(written) => self.count(written, reporter)?,
                    // It has failed, and says so when it is closed.
                    None => return Ok(()),
                },
                event = events.recv() => match event {
                    Some(event) => self.take(event, journal, reporter)?,
                    None => return Ok(()),
                },
            }
        }
    }

    fn take(&self, event: Event, journal: &Writer<Written>, reporter: &mut Reporter) -> Result<(), CollectError> {
        let Some(ended) = Ended::in_event(&event) else {
            reporter.tell(&event);
            return Ok(());
        };
        let game = ended.entry();
        let written = self.derived.write_outputs(&game.id, ended.outputs);
        journal.write(ended.line(&game), (event, game));
        Ok(written?)
    }

    /// A game's line is on the disk: now it counts.
    fn count(&mut self, (event, game): Written, reporter: &mut Reporter) -> Result<(), CollectError> {
        if let Some(ended) = Ended::in_event(&event) {
            self.ledger.keep(&game, ended.record)?;
        }
        self.derived.write_log(&game.id, &game.record)?;
        reporter.tell(&event);
        Ok(())
    }

    /// Writes results.csv and standings.csv. Returns the standings, which know what is missing.
    ///
    /// # Errors
    /// When a file could not be written.
    pub fn finish(&self) -> Result<Standings, CollectError> {
        Ok(self.derived.write_tables(&self.ledger)?)
    }

    /// What the journal comes to.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// What an event says of a game that has ended.
struct Ended<'e> {
    number: u64,
    record: &'e GameRecord,
    outputs: &'e BySide<Outputs>,
}

impl<'e> Ended<'e> {
    fn in_event(event: &'e Event) -> Option<Self> {
        match event {
            Event::Finished { number, record, outputs } | Event::Void { number, record, outputs, .. } => {
                Some(Self { number: *number, record, outputs })
            }
            _ => None,
        }
    }

    fn entry(&self) -> GameEntry {
        let Self { number, record, .. } = *self;
        let id = record.game.clone().unwrap_or_else(|| format!("game-{number}"));
        GameEntry { number, id, record: record.to_string() }
    }

    /// What the journal says of it.
    fn line(&self, game: &GameEntry) -> Entry {
        if self.record.result.is_err() { Entry::Void(game.clone()) } else { Entry::Game(game.clone()) }
    }
}
