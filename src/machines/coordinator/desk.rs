//! Keeps track of the outstanding games, and judges answers.

mod known_players;
mod placing;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::told_pace::check_pace;
use super::{SavedGame, Verify};
use crate::base::sanitise::sanitised;
use crate::base::time::{Instant, now};
use crate::game::{Move, Seat};
use crate::machines::broker::{DELIVERIES, GameTry};
use crate::machines::lane::Lane;
use crate::machines::messages::{Job, JobAnswer};
use crate::machines::sent_player::SentPlayer;
use crate::referee::record::{LoggedGame, SPEED_TAG, WORKER_TAG};
use crate::run::elsewhere::{FromElsewhere, PlayedElsewhere};
use crate::run::entrants::Entrant;
use crate::run::journal::{FinishedNumbers, Ledger};
use crate::run::play::Arena;
use crate::run::play::PlayedGame;
use crate::tournament::definition::Belonging;
use crate::tournament::schedule::{GameSpec, PlayerIndex, Schedule};
use known_players::KnownPlayers;
use placing::LaneCrew;
pub(super) use placing::{LaneJob, LaneTry, PresentWorker};

/// The number of wrong answers at which a game becomes void.
const MOST_WRONG: u32 = 3;

/// The highest try number that is accepted in an unsolicited answer.
const MOST_TRIES: u32 = 1 << 20;

/// The maximum number of workers named in the reason for a void game.
const MOST_NAMED: usize = 16;

/// The longest name of a worker in a log, in characters.
const MOST_NAME: usize = 64;

/// An outstanding game.
#[derive(Debug)]
struct OutGame {
    spec: GameSpec,
    nth: u32,
    /// The lane that contains the game's job; `None` if no worker that can play the game has room for it.
    lane: Option<Lane>,
    /// When the game's job was last put into a lane, or published again.
    published: Instant,
    /// The time since which no worker has been able to play the game, although there are workers.
    unplayable: Option<Instant>,
    /// How many wrong answers the game has received.
    wrong: u32,
    /// The workers that have taken the game.
    workers: BTreeSet<String>,
    /// The last worker that took the game or answered.
    last: Option<String>,
}

impl OutGame {
    /// The game's job, if it is in a lane.
    fn job(&self) -> Option<LaneJob> {
        let job = Job::new(&self.spec, self.nth);
        self.lane.clone().map(|lane| LaneJob { lane, job })
    }
}

/// A try that was answered.
#[derive(Clone, Copy, Debug)]
struct TakenTry {
    nth: u32,
    game: SavedGame,
}

/// What to do about an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Keep the answer until this game is saved.
    Keep(SavedGame),
    /// Keep the answer until its game is requested.
    Early,
    /// Acknowledge the answer: the game has another result.
    Late,
    /// Acknowledge the answer, and publish the job again: the answer is wrong.
    Wrong {
        /// The job, unless the game is now void.
        again: Option<LaneJob>,
        /// The error in the answer, sanitised for printing.
        why: String,
    },
}

/// The initial state of a desk.
pub(super) struct DeskContext<'a> {
    /// The players.
    pub(super) arena: Arc<Arena>,
    /// The state of the journal.
    pub(super) ledger: &'a Ledger,
    /// Checks the records of returned games.
    pub(super) verify: Verify,
    /// The channel for returned games.
    pub(super) back: UnboundedSender<FromElsewhere>,
    /// Whether this machine plays games that no worker can play.
    pub(super) plays_here: bool,
}

/// The outstanding games.
#[derive(Debug)]
pub(super) struct Desk {
    arena: Arc<Arena>,
    belonging: Belonging,
    schedule: Schedule,
    back: UnboundedSender<FromElsewhere>,
    verify: Verify,
    /// The players whose games workers can play.
    known: KnownPlayers,
    /// The players whose games only this machine can play, and why.
    left_out: BTreeMap<PlayerIndex, String>,
    pub(super) plays_here: bool,
    /// The workers, by the lanes from which they take jobs.
    crews: BTreeMap<Lane, LaneCrew>,
    out: BTreeMap<u64, OutGame>,
    /// The games that are not in a lane.
    waiting: BTreeSet<u64>,
    /// For each answered game that is not in the journal yet, the last try that was answered.
    taken_in: HashMap<u64, TakenTry>,
    /// The number of tries that each game has had.
    tries: HashMap<u64, u32>,
    /// The games that have a result in the journal.
    done: FinishedNumbers,
}

impl Desk {
    /// Creates a desk without outstanding games or workers, and without players for workers. The games with a result in
    /// the ledger are done.
    pub(super) fn new(context: DeskContext<'_>) -> Self {
        let DeskContext { arena, ledger, verify, back, plays_here } = context;
        let done = ledger.finished_numbers();
        let (belonging, schedule) = (ledger.belonging().clone(), ledger.schedule());
        let (crews, out, waiting) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        Self {
            arena,
            belonging,
            schedule,
            back,
            verify,
            known: KnownPlayers::default(),
            left_out: BTreeMap::new(),
            plays_here,
            crews,
            out,
            waiting,
            taken_in: HashMap::new(),
            tries: HashMap::new(),
            done,
        }
    }

    /// Replaces the players with those of `arena`, in which the existing players keep their places.
    pub(super) fn set_arena(&mut self, arena: Arc<Arena>) {
        for player in arena.tournament.players.iter().skip(self.arena.tournament.players.len()) {
            self.belonging.add_player(player.name.as_str());
        }
        self.arena = arena;
    }

    /// Replaces the players whose games workers can play with those of the manifest with this SHA-256. This takes
    /// effect for a worker once [`staff`](Self::staff) states that the worker has prepared these players.
    pub(super) fn set_field(&mut self, manifest: &str, players: &BTreeMap<PlayerIndex, SentPlayer>) {
        self.known.change(manifest, players);
    }

    /// Leaves the games of `player`, whose files cannot be sent, to this machine.
    pub(super) fn leave_out(&mut self, player: PlayerIndex, why: String) {
        self.left_out.insert(player, why);
    }

    /// Adds the game `spec` to the outstanding games. Returns the job to publish, unless the game has to wait.
    pub(super) fn send_out(&mut self, spec: GameSpec) -> Option<LaneJob> {
        let number = spec.number;
        let nth = self.next_try(number);
        let workers = BTreeSet::new();
        let published = now();
        let waiting = OutGame { spec, nth, lane: None, published, unplayable: None, wrong: 0, workers, last: None };
        self.out.insert(number, waiting);
        self.waiting.insert(number);
        self.place(number)
    }

    fn next_try(&mut self, number: u64) -> u32 {
        let nth = self.tries.entry(number).or_default();
        *nth += 1;
        *nth
    }

    /// Prepares for an answer to the outstanding game `number`: the answer arrived before the game was requested.
    pub(super) fn expect(&mut self, GameTry { number, nth }: GameTry) {
        if let Some(game) = self.out.get_mut(&number) {
            game.nth = nth;
            let most = self.tries.entry(number).or_default();
            *most = nth.max(*most);
        }
    }

    /// The jobs that are in lanes.
    pub(super) fn jobs(&self) -> Vec<LaneJob> {
        self.out.values().filter_map(OutGame::job).collect()
    }

    /// The jobs that were last published at least `timeout` before `time`, to be published again. This has no effect on
    /// jobs that are still at the broker. However, the broker may have lost a job without the connection being interrupted
    /// since: after a crash of the broker, a worker that acknowledges an earlier job can name the number of a later one.
    pub(super) fn jobs_to_renew(&mut self, time: Instant, timeout: Duration) -> Vec<LaneJob> {
        let is_due = |game: &&mut OutGame| time.saturating_duration_since(game.published) >= timeout;
        let renewed = self.out.values_mut().filter(is_due).filter_map(|game| {
            game.published = time;
            game.job()
        });
        renewed.collect()
    }

    /// Whether there are no outstanding games.
    pub(super) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Records that `worker` has taken the game `number`.
    pub(super) fn taken(&mut self, number: u64, worker: &str) {
        if let Some(game) = self.out.get_mut(&number) {
            if game.workers.len() < MOST_NAMED {
                game.workers.insert(name_of(worker));
            }
            game.last = Some(name_of(worker));
        }
    }

    /// Records that a game has been saved to the journal.
    pub(super) fn saved(&mut self, saved: SavedGame) {
        // A game that was void may have been answered again before it is saved as void.
        if !saved.is_void || self.taken_in.get(&saved.number).is_some_and(|taken| taken.game == saved) {
            self.taken_in.remove(&saved.number);
        }
        if !saved.is_void {
            self.done.insert(saved.number);
        }
    }

    /// Judges `payload`, the answer to the try `at`.
    pub(super) fn answered(&mut self, at: GameTry, payload: &[u8]) -> Verdict {
        let GameTry { number, nth } = at;
        if self.done.contains(number) {
            return Verdict::Late;
        }
        let Some(game) = self.out.get_mut(&number) else {
            return match (self.taken_in.get(&number), self.tries.get(&number)) {
                // The same answer arrived earlier, and the game is not in the journal yet.
                (Some(taken), _) if taken.nth == nth => Verdict::Keep(taken.game),
                (_, None) if self.may_be_early(at, payload) => Verdict::Early,
                // A game that is returned as void is requested again, and its old answers are useless.
                _ => Verdict::Late,
            };
        };
        if game.nth != nth {
            return Verdict::Late;
        }
        let told = self.told(number, payload);
        match told {
            Ok(played) => {
                let game = SavedGame { number, is_void: played.record.void().is_some() };
                self.taken_in.insert(number, TakenTry { nth, game });
                self.back(number, played);
                Verdict::Keep(game)
            }
            Err(why) => self.wrong(number, why),
        }
    }

    /// Whether the answer is about the game `number`, which the coordinator may have sent out before it was restarted.
    /// Since there can be only one such answer for each game, the number of accepted answers is limited.
    fn may_be_early(&self, GameTry { number, nth }: GameTry, payload: &[u8]) -> bool {
        if number >= self.schedule.at_most() || nth > MOST_TRIES {
            return false;
        }
        let Ok(answer) = serde_json::from_slice::<JobAnswer>(payload) else { return false };
        let Ok(record) = answer.record.parse::<LoggedGame>() else { return false };
        // The game with this number may depend on results.
        let planned = self.schedule.get(number);
        let is_it = |id: &str| planned.is_none_or(|spec| spec.id.as_str() == id);
        let belongs = record.game().is_some_and(|id| is_it(id) && self.belonging.check(id, &record).is_ok());
        belongs && self.with_other_files(&answer, &record).is_none()
    }

    /// A player in the game of `record` whose program was not started from the player's current files, if there is one.
    /// A worker may not have noticed yet that the coordinator was restarted.
    fn with_other_files<'r>(&self, answer: &JobAnswer, record: &'r LoggedGame) -> Option<&'r str> {
        let bundles = answer.bundles();
        let mut players = Seat::all(record.seats()).map(|seat| (seat, record.player(seat)));
        let differs = |seat, player| bundles.get(seat).is_none_or(|bundle| *bundle != self.known.files(player));
        players.find(|&(seat, player)| differs(seat, player)).map(|(_, player)| player)
    }

    /// The game `number` according to the answer in `payload`.
    fn told(&self, number: u64, payload: &[u8]) -> Result<PlayedGame, String> {
        let answer: JobAnswer = serde_json::from_slice(payload).map_err(|error| self.unreadable(number, &error))?;
        let worker = name_of(&answer.worker);
        let wrong = |why: &dyn std::fmt::Display| sanitised(&format!("worker `{worker}`: {why}"));
        let mut record: LoggedGame = answer.record.parse().map_err(|error| wrong(&error))?;
        let id = self.out.get(&number).map(|game| game.spec.id.clone()).ok_or_else(|| wrong(&"no such game"))?;
        if record.game() != Some(id.as_str()) {
            return Err(wrong(&format!("the record describes a game other than {id}")));
        }
        self.belonging.check(id.as_str(), &record).map_err(|error| wrong(&format!("{id}: {error}")))?;
        let outputs = answer.outputs_number();
        if outputs != record.seats() {
            return Err(wrong(&format!(
                "{id}: the answer contains the output of {outputs} bots, but the game has {} seats",
                record.seats()
            )));
        }
        if let Some(player) = self.with_other_files(&answer, &record) {
            return Err(wrong(&format!("{id}: player `{player}` was started from files other than this run's")));
        }
        (self.verify)(&record).map_err(|error| wrong(&format!("{id}: {error}")))?;
        if let Some(game) = self.out.get(&number) {
            if !begins_with(&record, &game.spec.opening) {
                return Err(wrong(&format!("{id}: the game does not begin with its opening")));
            }
            record.set_digests(game.spec.players.as_ref().map(|&player| match &*self.arena.entrants[player] {
                Entrant::Program { identity, .. } => identity.digest().map(str::to_owned),
                Entrant::Remote
                | Entrant::Resting
                | Entrant::Unstartable(_)
                | Entrant::Changed(_)
                | Entrant::Void(_) => None,
            }));
        }
        check_pace(&record, self.arena.pace, self.arena.tournament.scale_time)
            .map_err(|why| wrong(&format!("{id}: {why}")))?;
        let tags = record.other_tags_mut();
        tags.retain(|(name, _)| name != WORKER_TAG);
        tags.push((WORKER_TAG.to_owned(), worker));
        Ok(PlayedGame { record, outputs: answer.outputs() })
    }

    /// The message about an unreadable answer to the game `number`.
    fn unreadable(&self, number: u64, error: &serde_json::Error) -> String {
        let game = self.out.get(&number);
        let id = game.map(|game| game.spec.id.to_string()).unwrap_or_default();
        let who = game.and_then(|game| game.last.as_ref()).map(|name| format!(", perhaps from worker `{name}`,"));
        sanitised(&format!("an answer to {id}{} cannot be read: {error}", who.unwrap_or_default()))
    }

    fn back(&mut self, number: u64, played: PlayedGame) {
        if let Some(OutGame { spec, .. }) = self.take_in(number) {
            // If the receiver is gone, the run is about to end. The broker keeps the answer.
            let played = Box::new(PlayedElsewhere { spec, played });
            let _ = self.back.send(FromElsewhere::Played(played));
        }
    }

    fn wrong(&mut self, number: u64, why: String) -> Verdict {
        let Some(game) = self.out.get_mut(&number) else { return Verdict::Late };
        game.wrong += 1;
        if game.wrong < MOST_WRONG {
            let nth = self.tries.entry(number).or_default();
            *nth += 1;
            game.nth = *nth;
            return Verdict::Wrong { again: game.job(), why };
        }
        self.void(number, format!("workers sent {MOST_WRONG} wrong answers; the last one: {why}"));
        Verdict::Wrong { again: None, why }
    }

    /// Handles a job that the broker has delivered too many times, because its workers died or fell silent.
    pub(super) fn exhausted(&mut self, GameTry { number, nth }: GameTry) {
        let Some(game) = self.out.get(&number).filter(|game| game.nth == nth) else { return };
        let workers: Vec<&str> = game.workers.iter().map(String::as_str).collect();
        let who = if workers.is_empty() { "unknown".to_owned() } else { workers.join(", ") };
        self.void(number, format!("it was sent out {DELIVERIES} times, but no worker finished it (workers: {who})"));
    }

    fn void(&mut self, number: u64, reason: String) {
        if let Some(game) = self.out.get(&number) {
            let mut record = not_played_here(self.arena.voided(&game.spec, reason));
            record.other_tags_mut().extend(game.last.clone().map(|worker| (WORKER_TAG.to_owned(), worker)));
            self.back(number, PlayedGame::without_output(record));
        }
    }
}

/// Whether the game of `record` begins with `opening`. The record of a game that ended before its first move does not
/// contain any plies of the opening.
fn begins_with(record: &LoggedGame, opening: &[Move]) -> bool {
    // Only games with two seats have openings.
    let Some(record) = record.two() else { return opening.is_empty() };
    let given = record.plies.iter().take(record.opening_plies).map(|ply| ply.played);
    record.plies.is_empty() || given.eq(opening.iter().copied())
}

/// Removes the tag with this machine's speed from `record`: it would be meaningless, since the game was not played on
/// this machine.
fn not_played_here(mut record: LoggedGame) -> LoggedGame {
    record.other_tags_mut().retain(|(name, _)| name != SPEED_TAG);
    record
}

/// The name of a worker, sanitised for a log.
fn name_of(worker: &str) -> String {
    sanitised(worker).chars().take(MOST_NAME).collect()
}

#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
