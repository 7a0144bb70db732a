//! Which workers play for the run, and what the user hears of them.

use std::collections::{BTreeMap, BTreeSet};

use super::desk::PresentWorker;
use super::roll_call::RollCall;
use super::session::Office;
use crate::base::printable::printable;
use crate::base::time::{Instant, now};
use crate::run::nats::broker::ALIVE;
use crate::run::nats::messages::{Inability, WorkerLack, WorkerStatus};

/// From how many workers the user hears why they do not play, or do not play the games of a player. Others will say the same.
const MOST_SAID: usize = 5;

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

impl Office {
    /// Hears of a worker.
    pub(super) fn hear(&mut self, key: String, status: &[u8]) {
        let Ok(status) = serde_json::from_slice::<WorkerStatus>(status) else { return };
        let name = printable(&status.name);
        let Attendees { playing, unfit, said, .. } = &mut self.attendees;
        if status.run.as_deref() != Some(&self.manifest.run) {
            if status.unfit_for.as_deref() == Some(&self.manifest.run)
                && let Some(why) = &status.unfit
                && unfit.len() < MOST_SAID
                && unfit.insert(key.clone())
            {
                (self.say)(format!("worker `{name}` does not play: {}", printable(why)));
            }
            if playing.remove(&key).is_some() {
                self.restaff();
            }
            return;
        }
        let worker = PresentWorker { name, slots: status.slots, cannot: status.cannot };
        let heard = HeardWorker { last: now(), worker: worker.clone() };
        let before = playing.insert(key, heard).map(|before| before.worker);
        if before.as_ref() == Some(&worker) {
            return;
        }
        for (player, Inability { why, lacks }) in &worker.cannot {
            if *lacks == WorkerLack::TrueFiles {
                self.doubted.extend(self.manifest.bundles.get(player).cloned());
            }
            let is_known = before.as_ref().is_some_and(|before| before.cannot.contains_key(player));
            let said = said.entry(player.clone()).or_default();
            if !is_known && *said < MOST_SAID {
                *said += 1;
                let (player, why) = (printable(player), printable(why));
                (self.say)(format!("worker `{}` plays no games of player `{player}`: {why}", worker.name));
            }
        }
        self.restaff();
    }

    /// Hears that a worker says goodbye.
    pub(super) fn miss(&mut self, key: &str) {
        if self.attendees.playing.remove(key).is_some() {
            self.restaff();
        }
    }

    /// Forgets the workers that have not been heard of for a while, and tells the user who is there.
    pub(super) fn call_the_roll(&mut self) {
        let playing = &mut self.attendees.playing;
        let before = playing.len();
        playing.retain(|_, heard| now().saturating_duration_since(heard.last) < ALIVE);
        if playing.len() < before {
            self.restaff();
        }
        self.say_who_is_there();
    }

    fn say_who_is_there(&mut self) {
        let Attendees { playing, roll_call, .. } = &mut self.attendees;
        let there = playing.values().map(|heard| (heard.worker.name.as_str(), heard.worker.slots));
        if let Some(news) = roll_call.news(now(), there) {
            (self.say)(news);
        }
    }

    /// Forgets all workers, because the broker has been away for too long.
    pub(super) fn lose_all(&mut self) {
        self.attendees.playing.clear();
        self.restaff();
        // Without workers, there is nothing to publish: what this machine can play goes back.
        let _ = self.desk.place_waiting();
        self.room.send_replace(self.desk.room());
    }

    /// Lets the desk know who is here.
    fn restaff(&mut self) {
        let gone = self.desk.staff(self.attendees.playing.values().map(|heard| &heard.worker));
        self.gone.extend(gone);
        self.say_who_is_there();
    }
}
