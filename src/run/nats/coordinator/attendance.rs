//! Which workers play for the run, and what the user hears of them.

use std::collections::{BTreeMap, BTreeSet};

use super::desk::PresentWorker;
use super::roll_call::RollCall;
use crate::base::printable::printable;
use crate::base::time::{Instant, now};
use crate::run::event::Event;
use crate::run::nats::broker::ALIVE;
use crate::run::nats::messages::{Inability, WorkerLack, WorkerStatus};

/// From how many workers the user hears why they do not play, or do not play the games of a player. Others will say the same.
const MOST_SAID: usize = 5;

/// How many slots a worker is believed to have at most.
const MOST_SLOTS: usize = 4096;

/// The workers that are there.
#[derive(Default)]
pub(super) struct Attendees {
    /// Those that play for the run, by their keys.
    playing: BTreeMap<String, HeardWorker>,
    /// What the user knows of who is there.
    roll_call: RollCall,
    /// Those of which the user knows that they do not play, by their keys.
    unfit: BTreeSet<String>,
    /// From how many workers the user has heard that they do not play the games of a player.
    said: BTreeMap<String, usize>,
}

/// A worker that was heard of.
struct HeardWorker {
    last: Instant,
    worker: PresentWorker,
}

/// What follows from what a worker says.
#[derive(Debug, Default)]
pub(super) struct WorkerTidings {
    /// What to tell the user.
    pub(super) said: Vec<String>,
    /// The players in the place of whose files the broker has something else.
    pub(super) doubted: Vec<String>,
    /// Whether games may go elsewhere now.
    pub(super) is_change: bool,
}

impl Attendees {
    /// Hears of a worker what concerns the run `run`.
    pub(super) fn hear(&mut self, key: String, status: &[u8], run: &str) -> WorkerTidings {
        let mut tidings = WorkerTidings::default();
        let Ok(status) = serde_json::from_slice::<WorkerStatus>(status) else { return tidings };
        let name = printable(&status.name);
        if status.run.as_deref() != Some(run) {
            if status.unfit_for.as_deref() == Some(run)
                && let Some(why) = &status.unfit
                && self.unfit.len() < MOST_SAID
                && self.unfit.insert(key.clone())
            {
                tidings.said.push(format!("worker `{name}` does not play: {}", printable(why)));
            }
            tidings.is_change = self.playing.remove(&key).is_some();
            return tidings;
        }
        let worker = PresentWorker { name, slots: status.slots.min(MOST_SLOTS), cannot: status.cannot };
        let heard = HeardWorker { last: now(), worker: worker.clone() };
        let before = self.playing.insert(key, heard).map(|before| before.worker);
        if before.as_ref() == Some(&worker) {
            return tidings;
        }
        tidings.is_change = true;
        for (player, Inability { why, lacks }) in &worker.cannot {
            if *lacks == WorkerLack::TrueFiles {
                tidings.doubted.push(player.clone());
            }
            let is_known = before.as_ref().is_some_and(|before| before.cannot.contains_key(player));
            let said = self.said.entry(player.clone()).or_default();
            if !is_known && *said < MOST_SAID {
                *said += 1;
                let (player, why) = (printable(player), printable(why));
                tidings.said.push(format!("worker `{}` plays no games of player `{player}`: {why}", worker.name));
            }
        }
        tidings
    }

    /// Forgets a worker that says goodbye. Returns whether it was there.
    pub(super) fn miss(&mut self, key: &str) -> bool {
        self.playing.remove(key).is_some()
    }

    /// Forgets the workers that have not been heard of for a while. Returns whether there are any.
    pub(super) fn miss_the_silent(&mut self) -> bool {
        let before = self.playing.len();
        self.playing.retain(|_, heard| now().saturating_duration_since(heard.last) < ALIVE);
        self.playing.len() < before
    }

    /// Forgets all workers.
    pub(super) fn miss_all(&mut self) {
        self.playing.clear();
    }

    /// Who is there, if that is news for the user.
    pub(super) fn news(&mut self) -> Option<String> {
        let there = self.playing.values().map(|heard| (heard.worker.name.as_str(), heard.worker.slots));
        self.roll_call.news(now(), there)
    }

    /// How many there are, for those who watch the run.
    pub(super) fn count(&self) -> Event {
        let slots = self.workers().map(|worker| worker.slots).sum();
        Event::Staffed { workers: self.playing.len(), slots }
    }

    /// The workers that play for the run.
    pub(super) fn workers(&self) -> impl Iterator<Item = &PresentWorker> {
        self.playing.values().map(|heard| &heard.worker)
    }
}
