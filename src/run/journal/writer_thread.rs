//! The thread that writes a journal. Entries that arrive during a flush are collected for the next flush. An entry
//! counts when its line is on disk and no other program has moved or changed the journal in the meantime.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::guard::Guarded;
use super::{Journal, JournalEntry, JournalError, JournalMark};

/// An entry that has been written.
#[derive(Debug)]
pub struct WrittenEntry<T> {
    /// The entry.
    pub entry: JournalEntry,
    /// The value that was passed with the entry.
    pub value: T,
    /// The journal up to this entry; `None` if later entries were written together with this entry.
    pub mark: Option<JournalMark>,
}

/// Accepts entries, each with a value. Both are returned after the entry has been written.
#[derive(Debug)]
pub struct Writer<T> {
    entries: Sender<(JournalEntry, T)>,
    written: UnboundedReceiver<WrittenEntry<T>>,
    thread: JoinHandle<Result<JournalMark, JournalError>>,
}

impl<T: Send + 'static> Writer<T> {
    /// Copies the lines of `journal`, and starts a thread that writes it.
    ///
    /// # Errors
    /// Fails if the thread cannot be started.
    pub fn start(journal: Journal) -> io::Result<Self> {
        let (entries, queue) = channel();
        let (done, written) = unbounded_channel();
        let journal = Guarded::new(journal);
        let thread = Builder::new().name("journal".to_owned()).spawn(move || write_all(journal, &queue, done))?;
        Ok(Self { entries, written, thread })
    }

    /// Submits an entry without waiting. If another program has changed the journal, the entry is only added to the
    /// copy.
    pub fn write(&self, entry: JournalEntry, value: T) {
        // After any other error, the thread has ended, and `written` reports this.
        let _ = self.entries.send((entry, value));
    }

    /// The next entry that has been written, with its value; `None` once writing has failed.
    pub async fn written(&mut self) -> Option<WrittenEntry<T>> {
        self.written.recv().await
    }

    /// Waits until everything has been written, and checks every byte of the journal. Returns the entries that have not
    /// been retrieved yet, and the whole journal.
    ///
    /// # Errors
    /// Fails if the journal could not be written, or if another program has moved or changed it.
    pub async fn finish(self) -> Result<(Vec<WrittenEntry<T>>, JournalMark), JournalError> {
        let Self { entries, mut written, thread } = self;
        drop(entries);
        let mut rest = Vec::new();
        while let Some(next) = written.recv().await {
            rest.push(next);
        }
        match thread.join() {
            Ok(result) => result.map(|end| (rest, end)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn write_all<T>(
    mut journal: Guarded,
    queue: &Receiver<(JournalEntry, T)>,
    done: UnboundedSender<WrittenEntry<T>>,
) -> Result<JournalMark, JournalError> {
    let error = match append_all(&mut journal, queue, &done) {
        Ok(()) => return journal.check_whole().map(|()| journal.mark()).map_err(|error| journal.give_up(error)),
        Err(error) => error,
    };
    // This ends a caller's wait for the next value, because there is none.
    drop(done);
    if matches!(error, JournalError::Disturbed { .. }) {
        // The remaining entries exist only in memory.
        for (entry, _) in queue {
            journal.set_aside(&[entry]);
        }
    }
    Err(journal.give_up(error))
}

fn append_all<T>(
    journal: &mut Guarded,
    queue: &Receiver<(JournalEntry, T)>,
    done: &UnboundedSender<WrittenEntry<T>>,
) -> Result<(), JournalError> {
    while let Ok(first) = queue.recv() {
        let (entries, values): (Vec<JournalEntry>, Vec<T>) = std::iter::once(first).chain(queue.try_iter()).unzip();
        journal.append(&entries)?;
        let mut left = entries.len();
        for (entry, value) in entries.into_iter().zip(values) {
            left -= 1;
            let mark = (left == 0).then(|| journal.mark());
            // The entry is written even if there is no receiver any more.
            let _ = done.send(WrittenEntry { entry, value, mark });
        }
    }
    Ok(())
}
