//! The workers that play for the run, and the reports about them.

use std::collections::{BTreeMap, BTreeSet};

use super::desk::PresentWorker;
use super::roll_call::RollCall;
use crate::base::sanitise::sanitised;
use crate::base::time::{Instant, now};
use crate::machines::broker::ALIVE;
use crate::machines::messages::{Inability, WorkerLack, WorkerStatus};
use crate::results::quoting::shortened;
use crate::run::event::Event;

/// The maximum number of workers whose reasons for not playing, or for not playing a player's games, are reported.
/// Further workers probably have the same reason.
const MOST_SAID: usize = 5;

/// The maximum number of characters of a worker's message to report.
const MOST_WORDS: usize = 200;

/// The maximum number of workers of a run. Messages of further workers are ignored.
const MOST_WORKERS: usize = 10_000;

/// The maximum number of slots that a worker may claim to have.
const MOST_SLOTS: usize = 4096;

/// The connected workers.
pub(super) struct Attendees {
    /// For each player of the run, the number of workers that have been reported as not playing its games. Unknown
    /// names are ignored, since workers can send anything.
    said: BTreeMap<String, usize>,
    /// The workers that play for the run, by key.
    playing: BTreeMap<String, HeardWorker>,
    /// The last report about the connected workers.
    roll_call: RollCall,
    /// The workers that have been reported as not playing, by key.
    unfit: BTreeSet<String>,
}

/// A worker that has sent its status.
struct HeardWorker {
    last: Instant,
    worker: PresentWorker,
}

/// The consequences of a worker's status.
#[derive(Debug, Default)]
pub(super) struct WorkerTidings {
    /// The lines to report to the user.
    pub(super) said: Vec<String>,
    /// The players whose files are altered at the broker.
    pub(super) doubted: Vec<String>,
    /// Whether games may now be assigned differently.
    pub(super) is_change: bool,
}

impl Attendees {
    /// Creates an empty list of workers for the games of `players`.
    pub(super) fn new<'p>(players: impl Iterator<Item = &'p str>) -> Self {
        let said = players.map(|player| (player.to_owned(), 0)).collect();
        Self { said, playing: BTreeMap::new(), roll_call: RollCall::default(), unfit: BTreeSet::new() }
    }

    /// Adds those of `players` that are new.
    pub(super) fn add_players<'p>(&mut self, players: impl Iterator<Item = &'p str>) {
        for player in players {
            self.said.entry(player.to_owned()).or_default();
        }
    }

    /// Processes the status of the worker `key` with respect to the run `run`.
    pub(super) fn hear(&mut self, key: String, status: &[u8], run: &str) -> WorkerTidings {
        let mut tidings = WorkerTidings::default();
        let Ok(status) = serde_json::from_slice::<WorkerStatus>(status) else { return tidings };
        let name = words(&status.name);
        if status.run.as_deref() != Some(run) {
            if status.unfit_for.as_deref() == Some(run)
                && let Some(why) = &status.unfit
                && self.unfit.len() < MOST_SAID
                && self.unfit.insert(key.clone())
            {
                tidings.said.push(format!("worker `{name}` does not play: {}", words(why)));
            }
            tidings.is_change = self.playing.remove(&key).is_some();
            return tidings;
        }
        if self.playing.len() >= MOST_WORKERS && !self.playing.contains_key(&key) {
            return tidings;
        }
        let cannot = status.cannot.into_iter().filter(|(player, _)| self.said.contains_key(player)).collect();
        let (slots, manifest) = (status.slots.min(MOST_SLOTS), status.manifest);
        let worker = PresentWorker { name, slots, manifest, cannot };
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
            if let Some(said) = self.said.get_mut(player).filter(|said| !is_known && **said < MOST_SAID) {
                *said += 1;
                let (player, why) = (sanitised(player), words(why));
                tidings.said.push(format!("worker `{}` plays no games of player `{player}`: {why}", worker.name));
            }
        }
        tidings
    }

    /// Forgets the worker `key`, which has left. Returns whether the worker was known.
    pub(super) fn miss(&mut self, key: &str) -> bool {
        self.playing.remove(key).is_some()
    }

    /// Forgets the workers that have been silent for too long. Returns whether there were any.
    pub(super) fn miss_the_silent(&mut self) -> bool {
        let before = self.playing.len();
        self.playing.retain(|_, heard| now().saturating_duration_since(heard.last) < ALIVE);
        self.playing.len() < before
    }

    /// Forgets all workers.
    pub(super) fn miss_all(&mut self) {
        self.playing.clear();
    }

    /// Returns the line about the connected workers, if it is news for the user.
    pub(super) fn news(&mut self) -> Option<String> {
        let there = self.playing.values().map(|heard| (heard.worker.name.as_str(), heard.worker.slots));
        self.roll_call.news(now(), there)
    }

    /// The number of workers, as an event for listeners.
    pub(super) fn count(&self) -> Event {
        let slots = self.workers().map(|worker| worker.slots).sum();
        Event::Staffed { workers: self.playing.len(), slots }
    }

    /// The workers that play for the run.
    pub(super) fn workers(&self) -> impl Iterator<Item = &PresentWorker> {
        self.playing.values().map(|heard| &heard.worker)
    }
}

/// Returns a worker's message, sanitised for printing and shortened.
fn words(said: &str) -> String {
    shortened(&sanitised(said), MOST_WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The status of a worker that cannot play the games of the players in `cannot`.
    fn status(name: &str, cannot: impl Iterator<Item = String>, why: &str) -> Vec<u8> {
        let cannot: BTreeMap<String, Inability> =
            cannot.map(|player| (player, Inability { lacks: WorkerLack::TrueFiles, why: why.to_owned() })).collect();
        serde_json::to_vec(&serde_json::json!({
            "name": name, "program": "1", "run": "run", "slots": 1, "cores": 1, "tier": null, "speed": null, "playing": 0,
            "played": 0, "unfit": null, "unfit_for": null, "cannot": cannot,
        }))
        .expect("plain data")
    }

    #[test]
    fn any_number_of_workers_can_say_only_so_much() {
        let mut attendees = Attendees::new(["ann", "bea"].into_iter());
        let (mut said, mut doubted) = (Vec::new(), BTreeSet::new());
        for worker in 0..50 {
            let players = (0..20).map(|number| format!("player {number} of {worker}")).chain(["bea".to_owned()]);
            let status = status(&format!("w{worker}{}", "n".repeat(1_000)), players, &"why\n".repeat(100));
            let tidings = attendees.hear(format!("key {worker}"), &status, "run");
            said.extend(tidings.said);
            doubted.extend(tidings.doubted);
        }
        assert_eq!(said.len(), MOST_SAID, "the lines about one player");
        assert!(said.iter().all(|line| line.contains("plays no games of player `bea`: why\\n")), "{said:?}");
        assert!(said.iter().all(|line| line.len() < 500), "{said:?}");
        assert_eq!(doubted, BTreeSet::from(["bea".to_owned()]));
        assert!(attendees.workers().all(|worker| worker.cannot.keys().eq(["bea"]) && worker.name.len() <= MOST_WORDS));
    }

    #[test]
    fn a_run_has_only_so_many_workers() {
        let mut attendees = Attendees::new(["ann"].into_iter());
        for worker in 0..MOST_WORKERS + 10 {
            attendees.hear(format!("key {worker}"), &status("w", [].into_iter(), ""), "run");
        }
        assert_eq!(attendees.workers().count(), MOST_WORKERS);
        assert!(attendees.hear("key 0".to_owned(), &status("w", ["ann".to_owned()].into_iter(), ""), "run").is_change);
        attendees.miss("key 1");
        assert!(attendees.hear("another".to_owned(), &status("w", [].into_iter(), ""), "run").is_change);
    }

    #[test]
    fn a_worker_that_does_not_play_is_reported_to_the_run_that_it_is_unfit_for() {
        for (unfit_for, said) in
            [(Some("run"), &["worker `w` does not play: no\\nroom"][..]), (Some("another"), &[]), (None, &[])]
        {
            let status = serde_json::to_vec(&serde_json::json!({
                "name": "w", "program": "1", "run": null, "slots": 1, "cores": 1, "tier": null, "speed": null, "playing": 0,
                "played": 0, "unfit": "no\nroom", "unfit_for": unfit_for, "cannot": {},
            }))
            .expect("plain data");
            let mut attendees = Attendees::new(["ann"].into_iter());
            let tidings = attendees.hear("key".to_owned(), &status, "run");
            assert_eq!(tidings.said, said);
            assert!(!tidings.is_change);
            assert!(attendees.hear("key".to_owned(), &status, "run").said.is_empty(), "once is enough");
            assert_eq!(attendees.workers().count(), 0);
        }
    }
}
