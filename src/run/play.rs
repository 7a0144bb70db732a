//! One game of a tournament, from empty seats to its record.

mod arena_stall;
mod lateness;
mod leaver;
mod observers;
mod played_game;
mod prover;
mod seated_players;
mod seats;
mod starved_bots;
#[cfg(test)]
mod tests;
mod turn;
mod turnout;
mod turns;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::base::machine::{Core, Cores};
use crate::base::stop::{self, Stop, StopSignal};
use crate::base::time::{SleepWatch, now, suspended};
use crate::game::{BySide, Side};
use crate::host::bot_output::BotOutput;
use crate::host::confinement::Confinement;
use crate::host::process::Remains;
use crate::host::seat::address::Addresses;
use crate::host::seat::{Attendance, Opened};
use crate::host::shortage::quieter;
use crate::referee::pace::MachinePace;
use crate::referee::record::{GameRecord, Ply};
use crate::referee::result::Void;
use crate::referee::sans_io::{Referee, Terms};
use crate::referee::time_control::TimeControl;
use crate::run::entrants::Entrant;
use crate::run::event::Event;
use crate::run::listener::EventQueues;
use crate::tournament::schedule::{GameId, GameSpec};
use crate::tournament::{BetweenMoves, Tournament};

pub use lateness::Lateness;
use leaver::Leaver;
pub(crate) use observers::MAX_OBSERVERS;
pub use observers::{Observer, Observers};
pub use prover::{Attempt, Prover};
pub use seated_players::Seat;
pub(crate) use seated_players::departure;
pub(crate) use turn::CpuLooks;
pub use turn::OnMove;
use turnout::Turnout;
use turns::overslept;
pub use turns::{Surroundings, take_turns};

/// The data shared by all games of a run.
#[derive(Debug)]
pub struct Arena {
    /// The tournament.
    pub tournament: Arc<Tournament>,
    /// The tournament's players as this machine can start them, in the same order.
    pub entrants: Vec<Entrant>,
    /// How bots are confined, if they are.
    pub confinement: Option<Confinement>,
    /// The cores reserved for bots, if there are any.
    pub cores: Option<Arc<Cores>>,
    /// How late the arena has been in all games so far.
    pub lateness: Mutex<Lateness>,
    /// The addresses for launched bots.
    pub addresses: Addresses,
    /// Whether a game is void if its loser lost on time because the machine had no core for it. In a tournament, a fallen flag
    /// always counts.
    pub excuses_starved: bool,
    /// The machine's name.
    pub site: Option<String>,
    /// The machine's speed, and the scale of all clocks.
    pub pace: MachinePace,
    /// The queues to which games report their starts and moves.
    pub queues: EventQueues,
}

impl Arena {
    /// An arena of `entrants`, the players of `tournament`, that confines no bots and reserves no cores. It has no
    /// name, its clocks are not scaled, and its games are not reported.
    pub fn new(tournament: Arc<Tournament>, entrants: Vec<Entrant>) -> Self {
        Self {
            tournament,
            entrants,
            confinement: None,
            cores: None,
            lateness: Mutex::default(),
            addresses: Addresses::default(),
            excuses_starved: false,
            site: None,
            pace: MachinePace::default(),
            queues: EventQueues::default(),
        }
    }
}

/// The listener to the moves of one game.
#[derive(Debug)]
struct MovesOf<'a> {
    game: &'a GameId,
    queues: &'a EventQueues,
}

impl OnMove for MovesOf<'_> {
    fn moved(&self, number: usize, ply: &Ply) {
        self.queues.put_move(self.game, number, ply);
    }
}

/// A game that has been played, or is void.
#[derive(Debug)]
pub struct PlayedGame {
    /// The game's record.
    pub record: GameRecord,
    /// The output of the game's bots.
    pub outputs: BySide<BotOutput>,
}

impl Arena {
    fn terms(&self) -> Terms {
        let Tournament { ruleset, meter, limits, endings, adjudicate, .. } = *self.tournament;
        Terms {
            ruleset,
            time_control: self.clocks(),
            meter: self.pace.scale.meter(meter),
            illegal_tries: limits.illegal_tries,
            garbled_tries: limits.garbled_tries,
            game_limit: limits.game_limit,
            endings,
            adjudicate,
        }
    }

    /// The clocks as scaled for this machine.
    fn clocks(&self) -> TimeControl {
        self.pace.scale.clocks(self.tournament.time_control)
    }

    /// Whether the game `spec` is void from the beginning, because a player could not be prepared.
    pub(crate) fn lacks_a_player(&self, spec: &GameSpec) -> bool {
        Side::BOTH.iter().any(|&side| matches!(self.entrants[spec.players[side]], Entrant::Void(_)))
    }

    fn name(&self, spec: &GameSpec, side: Side) -> &str {
        self.tournament.players[spec.players[side]].name.as_str()
    }

    /// Plays one game. `attending` is the attendance of the game's remote players. Returns `None` if [`Stop::Now`] aborted
    /// the game.
    pub async fn play(
        self: Arc<Self>,
        spec: GameSpec,
        attending: BySide<Option<Attendance>>,
        stop: StopSignal,
    ) -> Option<PlayedGame> {
        // The state that a game keeps between its lines is large, so it is kept on the heap.
        Box::pin(self.play_watched(&spec, attending, stop, SleepWatch::new(&suspended))).await
    }

    async fn play_watched(
        &self,
        spec: &GameSpec,
        mut attending: BySide<Option<Attendance>>,
        mut stop: StopSignal,
        mut sleep: SleepWatch<'_>,
    ) -> Option<PlayedGame> {
        let begun = now();
        // The game holds its cores until its last process has exited.
        let cores = self.take_cores();
        let opened = tokio::select! {
            opened = self.open_seats(spec, &mut attending, &cores) => opened,
            () = stop.reached(Stop::Now) => return None,
        };
        let (opened, void) = match opened {
            Ok(opened) => (opened, overslept(&mut sleep)),
            Err(void) => (attending.map(Opened::of_remote_player), Some(void)),
        };
        let (mut record, remains) = match void {
            None => Box::pin(self.play_seated(spec, opened, &mut stop, sleep)).await?,
            Some(void) => Box::pin(self.call_off(spec, opened, void)).await,
        };
        self.excuse(spec, &mut record, &remains);
        let is_starved_out = record.result.is_err() && record.starvation().is_some();
        if is_starved_out {
            // The game keeps its slot in the meantime, so that no other game makes the machine busy.
            tokio::select! {
                () = quieter(begun.elapsed()) => {}
                () = stop.reached(Stop::Drain) => {}
            }
        }
        Some(PlayedGame { record, outputs: remains.map(BotOutput::from) })
    }

    /// Informs the players that are present that the game is void, and waits for them to leave.
    async fn call_off(
        &self,
        spec: &GameSpec,
        opened: BySide<Opened>,
        Void { reason }: Void,
    ) -> (GameRecord, BySide<Remains>) {
        let mut referee = Referee::new(self.terms()).unobserved();
        let sayings = referee.void(reason, Duration::ZERO);
        let see_out = async |side: Side, Opened { child, attendance, lease: _lease, door: _ }: Opened| {
            let mut leaver = Leaver::of(attendance, child);
            if let Some(connection) = &mut leaver.connection {
                connection.say(&sayings.players[side]).await;
            }
            self.leave(leaver).await
        };
        let (black, white) = tokio::join!(see_out(Side::Black, opened.black), see_out(Side::White, opened.white));
        let remains = BySide { black, white };
        (self.record(spec, referee.finish(), &remains), remains)
    }

    /// The record of the game `spec` if it became void for this `reason` before any player was called.
    pub fn voided(&self, spec: &GameSpec, reason: String) -> GameRecord {
        let mut referee = Referee::new(self.terms()).unobserved();
        let _ = referee.void(reason, Duration::ZERO);
        self.record(spec, referee.finish(), &BySide::default())
    }

    /// The record of the game `spec` if a player cannot be started anywhere, for the given reason. At least one side has a
    /// reason; otherwise the game is void.
    pub async fn unstarted(&self, spec: &GameSpec, reasons: &BySide<Option<String>>) -> GameRecord {
        let opened = seats::not_started(reasons, &mut BySide { black: None, white: None });
        let (_sender, mut stop) = stop::channel();
        let played = Box::pin(self.play_seated(spec, opened, &mut stop, SleepWatch::new(&suspended))).await;
        match played {
            Some((record, _)) => record,
            None => self.voided(spec, "no machine can play it".to_owned()),
        }
    }

    async fn play_seated(
        &self,
        spec: &GameSpec,
        mut opened: BySide<Opened>,
        stop: &mut StopSignal,
        sleep: SleepWatch<'_>,
    ) -> Option<(GameRecord, BySide<Remains>)> {
        // The leases last until the last process of this game has exited.
        let _leases = opened.as_mut().map(|opened| opened.lease.take());
        let mut referee = Referee::new(self.terms()).unobserved();
        let mut lateness = Lateness::default();
        let (finished, leavers) = match Turnout::of(opened) {
            Turnout::Both(mut seats) => {
                let mut observers = Observers::closed();
                let told = MovesOf { game: &spec.id, queues: &self.queues };
                self.tell_of_start(spec);
                let around = Surroundings {
                    moves: self.queues.are_heard().then_some(&told as &dyn OnMove),
                    between_moves: self.tournament.between_moves,
                    ..Surroundings::new(&mut observers, stop, &mut lateness, sleep)
                };
                let finished = take_turns(referee.with_opening(&spec.opening), &mut seats, around).await?;
                (finished, seats.map(Leaver::from))
            }
            Turnout::One { absent, failure, mut leavers } => {
                let other = absent.opponent();
                let sayings = referee.did_not_come(absent, failure.termination, failure.reason);
                if let Some(connection) = &mut leavers[other].connection {
                    connection.say(&sayings.players[other]).await;
                }
                (referee.finish(), leavers)
            }
            Turnout::Nobody { reason, leavers } => {
                referee.nobody_came(reason);
                (referee.finish(), leavers)
            }
            Turnout::Excused(leavers) => (referee.finish(), leavers),
        };
        let (black, white) = tokio::join!(self.leave(leavers.black), self.leave(leavers.white));
        self.lateness.lock().unwrap_or_else(PoisonError::into_inner).add_all(&lateness);
        let remains = BySide { black, white };
        let mut record = self.record(spec, finished, &remains);
        record.other_tags.extend(lateness.tag());
        Some((record, remains))
    }

    /// Reports that a game starts.
    fn tell_of_start(&self, spec: &GameSpec) {
        if self.queues.are_heard() {
            let players = BySide::from_fn(|side| self.name(spec, side).to_owned());
            self.queues.put(&Event::Started { game: spec.id.clone(), players, opening: spec.opening.clone() });
        }
    }

    /// A core for each side's bot, or one core for both if only one of them runs at a time; `None` on both sides if there
    /// are not enough cores.
    fn take_cores(&self) -> BySide<Option<Arc<Core>>> {
        let taken = self.cores.as_ref().map(|cores| cores.take(self.tournament.thinkers())).unwrap_or_default();
        let mut cores = taken.into_iter().map(Arc::new);
        let black = cores.next();
        let white = if self.tournament.between_moves == BetweenMoves::Freeze { black.clone() } else { cores.next() };
        BySide { black, white }
    }
}
