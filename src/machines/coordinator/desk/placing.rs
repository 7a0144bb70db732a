//! Decides which workers get which games, and handles games that no worker can play.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{Desk, OutGame, not_played_here};
use crate::base::sanitise::sanitised;
use crate::base::time::{Instant, now};
use crate::machines::broker::GameTry;
use crate::machines::lane::Lane;
use crate::machines::messages::{Inability, Job, WorkerLack};
use crate::referee::record::LoggedGame;
use crate::run::elsewhere::{CrewRoom, FromElsewhere, Room};
use crate::run::play::PlayedGame;
use crate::tournament::schedule::{GameSpec, PlayerIndex};

/// How many games may be outstanding per slot of a worker. This is enough to keep every slot from waiting for a job.
pub(super) const AHEAD: usize = 3;

/// A worker that plays for the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::machines::coordinator) struct PresentWorker {
    /// The worker's name, sanitised for printing.
    pub(in crate::machines::coordinator) name: String,
    /// How many games the worker plays at a time.
    pub(in crate::machines::coordinator) slots: usize,
    /// The SHA-256 of the manifest whose players the worker has prepared.
    pub(in crate::machines::coordinator) manifest: Option<String>,
    /// The players whose games the worker cannot play.
    pub(in crate::machines::coordinator) cannot: BTreeMap<String, Inability>,
}

/// The workers that take jobs from one lane.
#[derive(Debug, Default)]
pub(super) struct LaneCrew {
    cannot: BTreeSet<PlayerIndex>,
    /// The players that at least one of the workers has not prepared yet.
    unready: BTreeSet<PlayerIndex>,
    slots: usize,
    /// How many games are in the lane.
    out: usize,
    /// Why each worker cannot start a player.
    reasons: BTreeMap<PlayerIndex, Vec<WorkerReason>>,
}

/// A worker's reason for not playing the games of a player.
#[derive(Debug)]
struct WorkerReason {
    lacks: WorkerLack,
    /// The worker and its reason, as text.
    text: String,
}

/// A job with its lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::machines::coordinator) struct LaneJob {
    /// The lane.
    pub(in crate::machines::coordinator) lane: Lane,
    /// The job.
    pub(in crate::machines::coordinator) job: Job,
}

/// A try at a game, and its lane.
pub(in crate::machines::coordinator) type LaneTry = (Lane, GameTry);

impl LaneCrew {
    /// Whether the workers can play the game `spec` now.
    fn can_play(&self, spec: &GameSpec) -> bool {
        self.may_play(spec) && spec.players.values().all(|player| !self.unready.contains(player))
    }

    /// Whether the workers can play the game `spec`, now or once they have prepared its players.
    fn may_play(&self, spec: &GameSpec) -> bool {
        spec.players.values().all(|player| !self.cannot.contains(player))
    }

    fn is_free(&self) -> bool {
        self.out < self.slots.saturating_mul(AHEAD)
    }
}

impl Desk {
    /// The lanes from which workers take jobs.
    pub(in crate::machines::coordinator) fn lanes(&self) -> impl Iterator<Item = &Lane> {
        self.crews.keys()
    }

    /// Sets the `workers` that play from now on. Returns the jobs to take back: those in lanes from which no worker
    /// takes jobs any more. The games of these jobs wait for [`place_waiting`](Self::place_waiting).
    pub(in crate::machines::coordinator) fn staff<'w>(
        &mut self,
        workers: impl Iterator<Item = &'w PresentWorker>,
    ) -> Vec<LaneTry> {
        let mut crews: BTreeMap<Lane, LaneCrew> = BTreeMap::new();
        let all = self.arena.tournament.players.len();
        for PresentWorker { name, slots, manifest, cannot } in workers {
            let crew = crews.entry(Lane::without(cannot.keys().map(String::as_str))).or_default();
            crew.slots += slots;
            crew.unready.extend(self.known.missing(manifest.as_deref(), all));
            for (player, Inability { lacks, why }) in cannot {
                let players = &self.arena.tournament.players;
                let Some(player) = players.iter().position(|known| known.name.as_str() == player) else { continue };
                crew.cannot.insert(player);
                let text = format!("worker `{name}`: {}", sanitised(why));
                crew.reasons.entry(player).or_default().push(WorkerReason { lacks: *lacks, text });
            }
        }
        for crew in crews.values_mut() {
            for (player, why) in &self.left_out {
                crew.cannot.insert(*player);
                let reason = WorkerReason { lacks: WorkerLack::Files, text: sanitised(why) };
                crew.reasons.entry(*player).or_default().push(reason);
            }
        }
        for lane in self.out.values().filter_map(|game| game.lane.as_ref()) {
            if let Some(crew) = crews.get_mut(lane) {
                crew.out += 1;
            }
        }
        self.crews = crews;
        self.rearrange()
    }

    /// Takes back the games in lanes from which no worker takes jobs, if there are other workers or if this machine
    /// plays.
    fn rearrange(&mut self) -> Vec<LaneTry> {
        let mut gone = Vec::new();
        if !self.crews.is_empty() || self.plays_here {
            for (number, game) in &mut self.out {
                if let Some(lane) = game.lane.take_if(|lane| !self.crews.contains_key(lane)) {
                    gone.push((lane, GameTry { number: *number, nth: game.nth }));
                }
            }
        }
        for (_, at) in &gone {
            let nth = self.next_try(at.number);
            if let Some(game) = self.out.get_mut(&at.number) {
                game.nth = nth;
                self.waiting.insert(at.number);
            }
        }
        gone
    }

    /// Puts waiting games into lanes whose workers have room for them.
    pub(in crate::machines::coordinator) fn place_waiting(&mut self) -> Vec<LaneJob> {
        self.waiting.clone().into_iter().filter_map(|number| self.place(number)).collect()
    }

    /// Puts the waiting game `number` into the least busy lane whose workers can play it, and returns its job. If no
    /// worker can play the game now, but this machine can, the game is sent back to the executor. A game whose player
    /// could not be prepared is void.
    pub(super) fn place(&mut self, number: u64) -> Option<LaneJob> {
        let spec = &self.out.get(&number)?.spec;
        if let Some(reason) = self.arena.why_unprepared(spec) {
            self.void(number, reason);
            return None;
        }
        let able = || self.crews.iter().filter(|(_, crew)| crew.can_play(spec));
        let is_playable = able().next().is_some();
        // The lane with the fewest games per slot is preferred.
        let less_busy = |one: &LaneCrew, other: &LaneCrew| (one.out * other.slots).cmp(&(other.out * one.slots));
        let free = able().filter(|(_, crew)| crew.is_free()).min_by(|(_, one), (_, other)| less_busy(one, other));
        let lane = free.map(|(lane, _)| lane.clone());
        if let Some(crew) = lane.as_ref().and_then(|lane| self.crews.get_mut(lane)) {
            crew.out += 1;
            let game = self.out.get_mut(&number)?;
            (game.lane, game.published, game.unplayable) = (lane, now(), None);
            self.waiting.remove(&number);
            return game.job();
        }
        if !is_playable && self.plays_here {
            let OutGame { spec, .. } = self.take_in(number)?;
            // If the receiver is gone, the run is about to end.
            let _ = self.back.send(FromElsewhere::Unplayed(spec));
        }
        None
    }

    /// Removes the game `number` from the outstanding games.
    pub(super) fn take_in(&mut self, number: u64) -> Option<OutGame> {
        let game = self.out.remove(&number)?;
        self.waiting.remove(&number);
        if let Some(crew) = game.lane.as_ref().and_then(|lane| self.crews.get_mut(lane)) {
            crew.out = crew.out.saturating_sub(1);
        }
        Some(game)
    }

    /// The number of further games that can be sent out to workers.
    pub(in crate::machines::coordinator) fn room(&self) -> Room {
        let slots: usize = self.crews.values().map(|crew| crew.slots).sum();
        let is_only = self.crews.len() == 1;
        let crews = self.crews.values();
        let crews = crews.map(|crew| CrewRoom {
            cannot: crew.cannot.union(&crew.unready).copied().collect(),
            is_free: is_only || crew.is_free(),
        });
        Room { slots, games: slots.saturating_mul(AHEAD) + self.waiting.len(), crews: crews.collect() }
    }

    /// Looks for games that no worker can play at `time`. Returns the lines to report about games for which this is
    /// new.
    pub(in crate::machines::coordinator) fn look_for_unplayable(
        &mut self,
        time: Instant,
        timeout: Duration,
    ) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for number in &self.waiting {
            let Some(game) = self.out.get_mut(number) else { continue };
            if self.crews.is_empty() || self.crews.values().any(|crew| crew.may_play(&game.spec)) {
                game.unplayable = None;
            } else if game.unplayable.is_none() {
                game.unplayable = Some(time);
                let name = |player: &PlayerIndex| format!("`{}`", self.arena.tournament.players[*player].name);
                let names: Vec<String> = game.spec.players.values().map(name).collect();
                found.insert(format!(
                    "no connected worker can play {}: their games wait {} s for one that can",
                    names.join(" against "),
                    timeout.as_secs_f64()
                ));
            }
        }
        found
    }

    /// Ends the games that no worker has been able to play for `timeout`.
    pub(in crate::machines::coordinator) async fn end_unplayable(&mut self, time: Instant, timeout: Duration) {
        let is_over = |since: Instant| time.saturating_duration_since(since) >= timeout;
        let waiting = self.waiting.iter().filter_map(|number| Some((*number, self.out.get(number)?)));
        let over = waiting.filter(|(_, game)| game.unplayable.is_some_and(is_over));
        let over: Vec<(u64, GameSpec)> = over.map(|(number, game)| (number, game.spec.clone())).collect();
        for (number, spec) in over {
            let record = not_played_here(self.unplayable(&spec).await);
            self.back(number, PlayedGame::without_output(record));
        }
    }

    /// The record of a game that no worker can play. If no machine has a player's program, that player has failed to
    /// start; if anything else is missing, the game is void. In a ladder, such a game is always void: the coordinator
    /// has seen each version play, and the ladder continues when a worker connects.
    async fn unplayable(&self, spec: &GameSpec) -> LoggedGame {
        let is_checked = self.arena.tournament.ladder.is_some();
        let reasons = spec.players.clone().map(|player| {
            let told: Vec<&WorkerReason> =
                self.crews.values().filter_map(|crew| crew.reasons.get(&player)).flatten().collect();
            let is_everywhere = self.crews.values().all(|crew| crew.cannot.contains(&player));
            let texts: Vec<&str> = told.iter().map(|reason| reason.text.as_str()).collect();
            let is_own_fault =
                !is_checked && is_everywhere && told.iter().all(|reason| reason.lacks == WorkerLack::Program);
            UnplayableSeat { is_own_fault, text: texts.join("; ") }
        });
        // A game that is not played has a result only if all players but one, or all players, are at fault.
        if reasons.values().filter(|seat| !seat.is_own_fault).count() < 2 {
            let own = |seat: &UnplayableSeat| {
                seat.is_own_fault
                    .then(|| format!("no machine can start it, and the coordinator plays no games: {}", seat.text))
            };
            return self.arena.unstarted(spec, &reasons.as_ref().map(own)).await;
        }
        let texts: Vec<&str> = reasons.values().map(|seat| seat.text.as_str()).filter(|it| !it.is_empty()).collect();
        self.arena
            .voided(spec, format!("no worker can play it, and the coordinator plays no games: {}", texts.join("; ")))
    }
}

/// Why the player in one seat of a game cannot be started.
struct UnplayableSeat {
    /// Whether all workers lack the player's program.
    is_own_fault: bool,
    /// The workers' reasons.
    text: String,
}
