//! Takes in the events of a run: the journal first, then the files derived from it, then the listeners.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::base::machine::explained;
use crate::results::standings::Standings;
use crate::run::derived::{Derived, DerivedError};
use crate::run::event::{Ended, Event};
use crate::run::journal::{Entry, GameEntry, Journal, JournalError, Ledger, LedgerError, Writer};
use crate::run::listener::Listeners;

/// Why results could not be saved.
#[derive(Debug, Error)]
pub enum CollectError {
    /// The journal could not be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file derived from it could not be written.
    #[error(transparent)]
    Derived(#[from] DerivedError),
    /// A game has ended twice, which is a bug in the arena.
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
    journal: Option<Writer<WrittenGame>>,
}

/// The value that comes back once a game's line is on the disk.
type WrittenGame = (Ended, GameEntry);

impl Collector {
    /// A collector for the results directory `dir`; `ledger` is the state of `journal` so far.
    ///
    /// # Errors
    /// Fails if the directory cannot be prepared, or if the machine has no thread left.
    pub fn new(dir: PathBuf, journal: Journal, ledger: Ledger) -> Result<Self, CollectError> {
        let derived = Derived::in_dir(dir);
        derived.prepare()?;
        Ok(Self { derived, ledger, journal: Some(Writer::start(journal).map_err(CollectError::NoThread)?) })
    }

    /// Takes in events until there are no more.
    ///
    /// # Errors
    /// Fails at the first file that cannot be written. Every game reported as finished is in the journal.
    pub async fn collect(
        &mut self,
        events: &mut UnboundedReceiver<Event>,
        listeners: &mut Listeners<'_>,
    ) -> Result<(), CollectError> {
        let Some(mut journal) = self.journal.take() else { return Ok(()) };
        let gathered = self.gather(&mut journal, events, listeners).await;
        // Even after an error, every game that has ended goes into the journal, or into the copy of one that was moved.
        while let Ok(event) = events.try_recv() {
            if let Event::Ended(ended) = event {
                write(&journal, ended);
            }
        }
        let written = journal.finish().await?;
        gathered?;
        written.into_iter().try_for_each(|written| self.count(written, listeners))
    }

    async fn gather(
        &mut self,
        journal: &mut Writer<WrittenGame>,
        events: &mut UnboundedReceiver<Event>,
        listeners: &mut Listeners<'_>,
    ) -> Result<(), CollectError> {
        loop {
            tokio::select! {
                written = journal.written() => match written {
                    Some(written) => self.count(written, listeners)?,
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
        &self,
        event: Event,
        journal: &Writer<WrittenGame>,
        listeners: &mut Listeners<'_>,
    ) -> Result<(), CollectError> {
        let Event::Ended(ended) = event else {
            listeners.tell(&event);
            return Ok(());
        };
        let written = self.derived.write_outputs(ended.game.as_str(), &ended.outputs);
        write(journal, ended);
        Ok(written?)
    }

    /// Counts a game whose line is on the disk.
    fn count(&mut self, (ended, game): WrittenGame, listeners: &mut Listeners<'_>) -> Result<(), CollectError> {
        self.ledger.keep(&game, &ended.record)?;
        self.derived.write_log(&game.id, &game.record)?;
        listeners.tell(&Event::Ended(ended));
        Ok(())
    }

    /// Writes results.csv and standings.csv. Returns the standings, which include what is still missing.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn finish(&self) -> Result<Standings, CollectError> {
        Ok(self.derived.write_tables(&self.ledger)?)
    }

    /// The state of the journal.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Hands a game that has ended to the thread that writes the journal.
fn write(journal: &Writer<WrittenGame>, ended: Ended) {
    let game = GameEntry { number: ended.number, id: ended.game.to_string(), record: ended.record.to_string() };
    let is_void = ended.record.result.is_err();
    let line = if is_void { Entry::Void(game.clone()) } else { Entry::Game(game.clone()) };
    journal.write(line, (ended, game));
}
