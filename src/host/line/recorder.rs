//! Records every byte of the connections to a seat, so that users can see what went wrong.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::base::time::{Instant, now};
use crate::referee::transcript::{Speaker, Transcript};

/// Records every byte that is transferred on the connections to one seat, within the limits of [`Transcript`], and
/// counts the connections on which the client sent something. Clones write to the same transcript.
#[derive(Clone, Debug)]
pub struct Recorder {
    begun: Instant,
    kept: Arc<Mutex<Recorded>>,
    hanging_up: Arc<Notify>,
}

/// A moment in a transcript.
#[derive(Clone, Copy, Debug)]
pub struct RecordedSoFar {
    /// The time of the moment, measured like the times in the transcript.
    pub at: Duration,
    /// How many lines the client had sent by that moment.
    pub lines: usize,
    /// How many times the client had sent something by that moment.
    pub utterances: usize,
}

/// The state that all clones of a recorder share.
#[derive(Debug, Default)]
struct Recorded {
    transcript: Transcript,
    talkers: usize,
    /// When the arena hung up on clients that had not sent a hello.
    hung_up: Option<RecordedSoFar>,
}

impl Recorder {
    /// Starts an empty transcript, whose times are measured from now.
    pub fn begin() -> Self {
        Self { begun: now(), kept: Arc::default(), hanging_up: Arc::default() }
    }

    /// Records that the client has sent something on another connection.
    pub(super) fn begins_to_talk(&self) {
        self.kept().talkers += 1;
    }

    /// Records bytes from the client that arrived at `at`.
    pub(super) fn heard(&self, at: Instant, bytes: &[u8]) {
        self.kept().transcript.add(at.saturating_duration_since(self.begun), Speaker::Bot, bytes);
    }

    /// Records bytes that the arena has sent.
    pub(super) fn sent(&self, bytes: &[u8]) {
        self.kept().transcript.add(self.begun.elapsed(), Speaker::Arena, bytes);
    }

    /// Adds a note, which must be printable.
    pub fn note(&self, text: &str) {
        self.kept().transcript.note(self.begun.elapsed(), text);
    }

    /// The transcript so far.
    pub fn so_far(&self) -> Transcript {
        self.kept().transcript.clone()
    }

    /// The number of connections on which the client has sent something.
    pub fn talkers(&self) -> usize {
        self.kept().talkers
    }

    /// The present moment in the transcript.
    pub fn mark(&self) -> RecordedSoFar {
        let kept = self.kept();
        RecordedSoFar {
            at: self.begun.elapsed(),
            lines: kept.transcript.lines_by(Speaker::Bot).count(),
            utterances: kept.transcript.count(Speaker::Bot),
        }
    }

    /// Asks the task that waits for a hello at this seat to end the stream and drain the client's remaining input.
    pub fn hang_up(&self) {
        self.note("the arena has waited long enough, and closes the connection");
        let mark = self.mark();
        self.kept().hung_up = Some(mark);
        self.hanging_up.notify_waiters();
    }

    /// When the arena hung up, if it did.
    pub fn hung_up(&self) -> Option<RecordedSoFar> {
        self.kept().hung_up
    }

    /// Waits until the arena hangs up.
    pub async fn hanging_up(&self) {
        let notified = self.hanging_up.notified();
        if self.hung_up().is_none() {
            notified.await;
        }
    }

    fn kept(&self) -> MutexGuard<'_, Recorded> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
