//! Games that the machine spoiled in every attempt, and that wait to be sent again.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Keeping;
use crate::base::time::{Instant, now};
use crate::run::addition::Addition;
use crate::tournament::schedule::GameSpec;

/// How long a game waits. A run lasts for weeks, and resources that the machine lacked may become available again.
const WAIT: Duration = Duration::from_mins(5);

/// The waiting games, each with the time when it is to be sent again.
#[derive(Debug, Default)]
pub(super) struct SpoiledGames(BTreeMap<u64, Instant>);

impl SpoiledGames {
    /// Adds game `number`, which was spoiled at the time `now`.
    pub(super) fn add(&mut self, number: u64, now: Instant) {
        self.0.insert(number, now + WAIT);
    }

    /// Removes game `number`, which has been played or is being sent again.
    pub(super) fn remove(&mut self, number: u64) {
        self.0.remove(&number);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The games that, at the time `now`, have waited long enough.
    fn due(&self, now: Instant) -> Vec<u64> {
        self.0.iter().filter(|(_, due)| **due <= now).map(|(number, _)| *number).collect()
    }
}

impl Keeping {
    /// Resends the games that have waited long enough and whose players are prepared.
    pub(super) fn send_spoiled_again(&mut self) {
        for number in self.spoiled.due(now()) {
            let Some(spec) = self.state.history().schedule().get(number) else { continue };
            if spec.players.values().all(|&player| self.players.is_prepared(player)) {
                self.spoiled.remove(number);
                self.send(spec);
            }
        }
    }

    /// Lets the run play the game `spec`.
    pub(super) fn send(&mut self, spec: GameSpec) {
        self.say_who_plays();
        // If the receiver is gone, the run is ending.
        let _ = self.additions.send(Addition::Game(spec));
    }
}
