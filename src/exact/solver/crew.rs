//! What several threads tell each other while they search the same position.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::table::Key;

/// How many positions can be marked at a time: many more than threads have plies.
const PLACES: usize = 4096;

/// The positions that some thread is searching right now. Another leaves them for later, and finds them in the table then.
/// A mark that another overwrites costs time and nothing else.
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
    /// How many nodes all have searched, to within a few thousand each.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Tells all that the answer is there: whoever still searches gives up, and sees everything that was done before this.
    pub fn dismiss(&self) {
        self.dismissed.store(true, Ordering::Release);
    }

    /// Adds to the nodes, and says whether the crew is dismissed.
    pub(super) fn report(&self, nodes: u64) -> bool {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
        self.dismissed.load(Ordering::Acquire)
    }

    fn place(&self, key: Key) -> &AtomicU64 {
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is less than the number of places")]
        let place = (key.bits() % PLACES as u64) as usize;
        &self.busy[place]
    }

    /// Whether somebody searches the position.
    pub(super) fn is_busy(&self, key: Key) -> bool {
        self.place(key).load(Ordering::Relaxed) == key.bits() + 1
    }

    /// Marks the position as searched from now on.
    pub(super) fn begin(&self, key: Key) {
        self.place(key).store(key.bits() + 1, Ordering::Relaxed);
    }

    /// Takes the mark away.
    pub(super) fn end(&self, key: Key) {
        self.place(key).store(0, Ordering::Relaxed);
    }
}
