//! Keeps every byte of some connections, for a reader who wants to see what went wrong.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::time::{Instant, now};
use crate::referee::drill::{Speaker, Transcript};

/// Keeps every byte that crosses the connections of one seat, bounded as [`Transcript`] says. Clones write to the same
/// transcript.
#[derive(Clone, Debug)]
pub struct Recorder {
    begun: Instant,
    transcript: Arc<Mutex<Transcript>>,
}

impl Recorder {
    /// An empty transcript, whose times count from now.
    pub fn begin() -> Self {
        Self { begun: now(), transcript: Arc::default() }
    }

    /// Notes bytes of the client that arrived at `at`.
    pub(super) fn heard(&self, at: Instant, bytes: &[u8]) {
        self.transcript().add(at.saturating_duration_since(self.begun), Speaker::Bot, bytes);
    }

    /// Notes bytes that the arena has sent.
    pub(super) fn sent(&self, bytes: &[u8]) {
        self.transcript().add(self.begun.elapsed(), Speaker::Arena, bytes);
    }

    /// Adds a note, which must be printable.
    pub fn note(&self, text: &str) {
        self.transcript().note(self.begun.elapsed(), text);
    }

    /// What has been kept so far.
    pub fn so_far(&self) -> Transcript {
        self.transcript().clone()
    }

    fn transcript(&self) -> MutexGuard<'_, Transcript> {
        self.transcript.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
