//! Games that were void through no player's fault and will be replayed after a pause.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::base::time::Instant;
use crate::run::event::Retry;
use crate::tournament::schedule::GameSpec;

/// The backoff before a game's first retry. The missing resource may be available again after other games have ended.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The factor by which the backoff grows with each retry.
const FACTOR: u32 = 4;

/// The maximum backoff.
const LONGEST_PAUSE: Duration = Duration::from_secs(16);

/// The void games of a run.
#[derive(Debug)]
pub(super) struct Retries {
    /// How many times a game may be replayed.
    most: u32,
    /// How many times each game has been void, by its number.
    voids: HashMap<u64, u32>,
    /// The waiting games, each with the earliest time at which it may begin.
    waiting: BTreeMap<u64, (Instant, GameSpec)>,
}

impl Retries {
    pub(super) fn new(most: u32) -> Self {
        Self { most, voids: HashMap::new(), waiting: BTreeMap::new() }
    }

    /// Adds the game `spec`, which was void at `time`. Returns the next attempt at the game, if there will be one.
    pub(super) fn add(&mut self, spec: GameSpec, time: Instant) -> Option<Retry> {
        let voids = self.voids.entry(spec.number).or_default();
        if *voids == self.most {
            return None;
        }
        let pause = FACTOR.checked_pow(*voids).and_then(|factor| FIRST_PAUSE.checked_mul(factor));
        *voids += 1;
        self.waiting.insert(spec.number, (time + pause.unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE), spec));
        Some(Retry { nth: *voids, of: self.most })
    }

    /// Takes the first game whose pause is over at `time`.
    pub(super) fn take(&mut self, time: Instant) -> Option<GameSpec> {
        let number = self.waiting.iter().find(|(_, (due, _))| *due <= time).map(|(&number, _)| number)?;
        self.waiting.remove(&number).map(|(_, spec)| spec)
    }

    /// Removes all games, because they will not be played.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = GameSpec> {
        std::mem::take(&mut self.waiting).into_values().map(|(_, spec)| spec)
    }

    /// When the first pause is over; `None` if no game is waiting.
    pub(super) fn next(&self) -> Option<Instant> {
        self.waiting.values().map(|(due, _)| *due).min()
    }

    /// Whether no game is waiting.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
