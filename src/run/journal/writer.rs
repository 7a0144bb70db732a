//! The thread that writes a journal: while one flush is under way, what comes meanwhile is gathered for the next. Entries
//! count when their lines are on the disk and nobody else has moved or changed the journal meanwhile.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::guard::Guarded;
use super::{Entry, Journal, JournalError};

/// Takes entries, each with a value that comes back once the entry is written.
#[derive(Debug)]
pub struct Writer<T> {
    entries: Sender<(Entry, T)>,
    written: UnboundedReceiver<T>,
    thread: JoinHandle<Result<(), JournalError>>,
}

impl<T: Send + 'static> Writer<T> {
    /// Starts to write `journal`.
    ///
    /// # Errors
    /// When the machine has no thread left.
    pub fn start(journal: Journal) -> io::Result<Self> {
        let (entries, queue) = channel();
        let (done, written) = unbounded_channel();
        let thread = Builder::new().name("journal".to_owned()).spawn(move || write_all(journal, &queue, done))?;
        Ok(Self { entries, written, thread })
    }

    /// Hands in an entry; never waits. After an error it goes into the copy of a journal that somebody else has touched.
    pub fn write(&self, entry: Entry, value: T) {
        // After another error the thread is gone, which `written` tells.
        let _ = self.entries.send((entry, value));
    }

    /// The value of the next entry that has been written; `None` once writing has failed.
    pub async fn written(&mut self) -> Option<T> {
        self.written.recv().await
    }

    /// Waits until all is written, and checks that the journal is as it was written to the last byte. Returns the values that
    /// have not been asked for.
    ///
    /// # Errors
    /// What kept the journal from being written, or what somebody else has done to it.
    pub async fn finish(self) -> Result<Vec<T>, JournalError> {
        let Self { entries, mut written, thread } = self;
        drop(entries);
        let mut values = Vec::new();
        while let Some(value) = written.recv().await {
            values.push(value);
        }
        match thread.join() {
            Ok(result) => result.map(|()| values),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn write_all<T>(journal: Journal, queue: &Receiver<(Entry, T)>, done: UnboundedSender<T>) -> Result<(), JournalError> {
    let mut journal = Guarded::new(journal);
    let error = match append_all(&mut journal, queue, &done) {
        Ok(()) => return journal.check_whole().map_err(|error| journal.give_up(error)),
        Err(error) => error,
    };
    // Whoever waits for the next value learns that there is none.
    drop(done);
    if matches!(error, JournalError::Disturbed { .. }) {
        // What still comes is in memory alone.
        for (entry, _) in queue {
            journal.set_aside(&[entry]);
        }
    }
    Err(journal.give_up(error))
}

fn append_all<T>(
    journal: &mut Guarded,
    queue: &Receiver<(Entry, T)>,
    done: &UnboundedSender<T>,
) -> Result<(), JournalError> {
    while let Ok(first) = queue.recv() {
        let (entries, values): (Vec<Entry>, Vec<T>) = std::iter::once(first).chain(queue.try_iter()).unzip();
        journal.append(&entries)?;
        for value in values {
            // Nobody waits for it any more: it is written all the same.
            let _ = done.send(value);
        }
    }
    Ok(())
}
