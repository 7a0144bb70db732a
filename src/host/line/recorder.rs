//! Keeps every byte of some connections, for a reader who wants to see what went wrong.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::time::{Instant, now};
use crate::referee::drill::{Speaker, Transcript};

/// Keeps every byte that crosses the connections of one seat, bounded as [`Transcript`] says, and counts the connections on
/// which the client said something. Clones write to the same transcript.
#[derive(Clone, Debug)]
pub struct Recorder {
    begun: Instant,
    kept: Arc<Mutex<Recorded>>,
}

/// What all clones of a recorder share.
#[derive(Debug, Default)]
struct Recorded {
    transcript: Transcript,
    talkers: usize,
}

impl Recorder {
    /// An empty transcript, whose times count from now.
    pub fn begin() -> Self {
        Self { begun: now(), kept: Arc::default() }
    }

    /// Notes that the client says something for the first time on a connection.
    pub(super) fn begins_to_talk(&self) {
        self.kept().talkers += 1;
    }

    /// Notes bytes of the client that arrived at `at`.
    pub(super) fn heard(&self, at: Instant, bytes: &[u8]) {
        self.kept().transcript.add(at.saturating_duration_since(self.begun), Speaker::Bot, bytes);
    }

    /// Notes bytes that the arena has sent.
    pub(super) fn sent(&self, bytes: &[u8]) {
        self.kept().transcript.add(self.begun.elapsed(), Speaker::Arena, bytes);
    }

    /// Adds a note, which must be printable.
    pub fn note(&self, text: &str) {
        self.kept().transcript.note(self.begun.elapsed(), text);
    }

    /// What has been kept so far.
    pub fn so_far(&self) -> Transcript {
        self.kept().transcript.clone()
    }

    /// On how many connections the client has said something.
    pub fn talkers(&self) -> usize {
        self.kept().talkers
    }

    fn kept(&self) -> MutexGuard<'_, Recorded> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
