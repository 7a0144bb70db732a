//! Coordinates several threads that search the same position.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::transposition_table::Key;

/// The number of positions that can be marked at the same time. All threads together search far fewer plies at a time.
const PLACES: usize = 4096;

/// The positions that threads are searching at the moment. Other threads postpone these, and find them in the table
/// later. An overwritten mark only costs time.
#[derive(Debug)]
pub struct Crew {
    busy: Vec<AtomicU64>,
    nodes: AtomicU64,
    dismissed: AtomicBool,
}

impl Default for Crew {
    fn default() -> Self {
        let busy = (0..PLACES).map(|_| AtomicU64::new(0)).collect();
        Self { busy, nodes: AtomicU64::new(0), dismissed: AtomicBool::new(false) }
    }
}

impl Crew {
    /// Returns how many nodes all threads have searched, accurate to a few thousand for each thread.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Notifies all threads that the answer has been found. The other threads give up, and see everything that was done
    /// before this call.
    pub fn dismiss(&self) {
        self.dismissed.store(true, Ordering::Release);
    }

    /// Adds to the number of nodes, and returns whether the crew has been dismissed.
    pub(super) fn report(&self, nodes: u64) -> bool {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
        self.dismissed.load(Ordering::Acquire)
    }

    fn place(&self, key: Key) -> &AtomicU64 {
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is less than the number of places")]
        let place = (key.bits() % PLACES as u64) as usize;
        &self.busy[place]
    }

    /// Returns whether a thread is searching the position with this key.
    pub(super) fn is_busy(&self, key: Key) -> bool {
        self.place(key).load(Ordering::Relaxed) == key.bits() + 1
    }

    /// Marks the position with this key as being searched from now on.
    pub(super) fn begin(&self, key: Key) {
        self.place(key).store(key.bits() + 1, Ordering::Relaxed);
    }

    /// Removes the mark of the position with this key.
    pub(super) fn end(&self, key: Key) {
        self.place(key).store(0, Ordering::Relaxed);
    }
}
