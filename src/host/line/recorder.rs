//! Keeps every byte of some connections, for a reader who wants to see what went wrong.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::time::{Instant, now};
use crate::referee::drill::{Speaker, Transcript};

/// Keeps every byte that crosses the connections of one seat, bounded as [`Transcript`] says, and counts the connections on
/// which the client said something. Clones write to the same transcript; each connection has a clone of its own.
#[derive(Debug)]
pub struct Recorder {
    begun: Instant,
    kept: Arc<Mutex<Kept>>,
    /// Whether the client has said something on the connection that has this clone.
    has_heard: bool,
}

/// What all clones of a recorder share.
#[derive(Debug, Default)]
struct Kept {
    transcript: Transcript,
    talkers: usize,
}

impl Recorder {
    /// An empty transcript, whose times count from now.
    pub fn begin() -> Self {
        Self { begun: now(), kept: Arc::default(), has_heard: false }
    }

    /// Notes bytes of the client that arrived at `at`.
    pub(super) fn heard(&mut self, at: Instant, bytes: &[u8]) {
        let is_first = !std::mem::replace(&mut self.has_heard, true);
        let mut kept = self.kept();
        kept.talkers += usize::from(is_first);
        kept.transcript.add(at.saturating_duration_since(self.begun), Speaker::Bot, bytes);
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

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A clone is for another connection, on which nothing has been said.
impl Clone for Recorder {
    fn clone(&self) -> Self {
        Self { begun: self.begun, kept: Arc::clone(&self.kept), has_heard: false }
    }
}
