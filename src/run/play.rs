//! One game of a tournament, from empty seats to its record.

mod arena_stall;
#[cfg(test)]
mod group_tests;
mod lateness;
mod leaver;
mod observers;
mod played_game;
mod prover;
#[cfg(test)]
mod relief_tests;
mod seated_players;
mod seats;
mod starved_bots;
mod team_seats;
#[cfg(test)]
mod tests;
mod thought_teller;
mod together;
mod turn;
mod turnout;
mod turns;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

use crate::base::machine::{Core, Cores};
use crate::base::stop::{self, Stop, StopSignal};
use crate::base::time::{SleepWatch, now, suspended};
use crate::game::{BySeat, Seat};
use crate::host::bot_output::BotOutput;
use crate::host::confinement::Confinement;
use crate::host::process::Remains;
use crate::host::seat::address::Addresses;
use crate::host::seat::{Attendance, Opened, SeatFailure};
use crate::host::shortage::quieter;
use crate::referee::pace::MachinePace;
use crate::referee::record::{LoggedGame, Out, Ply};
use crate::referee::result::Void;
use crate::referee::sans_io::{Referee, Sayings, Terms};
use crate::referee::thought::Thought;
use crate::referee::time_control::TimeControl;
use crate::run::entrants::Entrant;
use crate::run::event::Event;
use crate::run::listener::EventQueues;
use crate::tournament::schedule::{GameId, GameSpec};
use crate::tournament::{BetweenMoves, ThoughtReaders, Tournament};

pub use lateness::Lateness;
use leaver::{Leaver, leave};
pub(crate) use observers::MAX_OBSERVERS;
pub use observers::{Observer, Observers};
pub use prover::{Attempt, Prover};
pub(crate) use seated_players::departure;
use seated_players::joined;
pub use seated_players::{SeatedPlayer, SeatedPlayers};
use team_seats::{Leases, TeamSeats};
pub(crate) use turn::CpuLooks;
pub use turn::OnMove;
use turnout::Turnout;
use turns::overslept;
pub use turns::{ReliefSource, Reliefs, Surroundings, take_turns};

/// The data shared by all games of a run.
#[derive(Debug)]
pub struct Arena {
    /// The tournament.
    pub tournament: Arc<Tournament>,
    /// How this machine can start each of the tournament's players, in the same order.
    pub entrants: Vec<Arc<Entrant>>,
    /// How bots are confined; `None` if they are not.
    pub confinement: Option<Arc<Confinement>>,
    /// The cores reserved for bots, if there are any.
    pub cores: Option<Arc<Cores>>,
    /// The arena's lateness in all games so far.
    pub lateness: Arc<Mutex<Lateness>>,
    /// The addresses for launched bots.
    pub addresses: Addresses,
    /// Whether a game that a player lost on time is void if the machine had no free core for that player. In a
    /// tournament, a fallen flag always counts.
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
            entrants: entrants.into_iter().map(Arc::new).collect(),
            confinement: None,
            cores: None,
            lateness: Arc::default(),
            addresses: Addresses::default(),
            excuses_starved: false,
            site: None,
            pace: MachinePace::default(),
            queues: EventQueues::default(),
        }
    }

    /// The same arena for another `tournament`. `entrants` say how this machine can start each of its players, and
    /// `confinement` how their programs are confined. Games in this arena are not affected.
    #[must_use]
    pub fn with_players(
        &self,
        tournament: Arc<Tournament>,
        entrants: Vec<Arc<Entrant>>,
        confinement: Option<Arc<Confinement>>,
    ) -> Self {
        Self {
            tournament,
            entrants,
            confinement,
            cores: self.cores.clone(),
            lateness: Arc::clone(&self.lateness),
            addresses: self.addresses.clone(),
            excuses_starved: self.excuses_starved,
            site: self.site.clone(),
            pace: self.pace,
            queues: self.queues.clone(),
        }
    }
}

/// The listener to the moves of one game.
#[derive(Debug)]
struct MovesOf<'a> {
    game: &'a GameId,
    queues: &'a EventQueues,
    /// Whether listeners may receive what the players report about their thinking.
    with_thoughts: bool,
}

impl OnMove for MovesOf<'_> {
    fn moved(&self, number: usize, ply: &Ply) {
        self.queues.put_move(self.game, number, ply);
    }

    fn hears_thoughts(&self) -> bool {
        self.with_thoughts
    }

    fn told(&self, seat: Seat, ply: usize, thought: &Thought) {
        self.queues.put(&Event::Told { game: self.game.clone(), seat, ply, thought: thought.clone() });
    }

    fn dropped_out(&self, &Out { seat, after_plies, termination, .. }: &Out) {
        self.queues.put(&Event::DroppedOut { game: self.game.clone(), seat, after_plies, why: termination });
    }
}

/// A game that has been played, or is void.
#[derive(Debug)]
pub struct PlayedGame {
    /// The game's record.
    pub record: LoggedGame,
    /// The output of the game's bots.
    pub outputs: BySeat<BotOutput>,
}

impl PlayedGame {
    /// A game whose bots have written nothing, or were not started.
    #[cfg(feature = "nats")]
    pub(crate) fn without_output(record: LoggedGame) -> Self {
        Self { outputs: BySeat::from_fn(record.seats(), |_| BotOutput::default()), record }
    }
}

impl Arena {
    fn terms(&self, spec: &GameSpec) -> Terms {
        let Tournament { meter, limits, endings, adjudicate, .. } = *self.tournament;
        Terms {
            ruleset: self.tournament.rules_of(&spec.players),
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

    /// Whether anyone may read what the players report about their thinking.
    fn has_public_thoughts(&self) -> bool {
        self.tournament.thoughts == ThoughtReaders::Public
    }

    /// Whether the game `spec` is void from the beginning, because a player could not be prepared.
    pub(crate) fn lacks_a_player(&self, spec: &GameSpec) -> bool {
        self.why_unprepared(spec).is_some()
    }

    fn name(&self, spec: &GameSpec, seat: Seat) -> &str {
        self.tournament.players[spec.players[seat]].name.as_str()
    }

    /// Plays one game. `attending` is the attendance of the game's remote players. Returns `None` if [`Stop::Now`]
    /// aborted the game.
    pub async fn play(
        self: Arc<Self>,
        spec: GameSpec,
        attending: BySeat<Option<Attendance>>,
        stop: StopSignal,
    ) -> Option<PlayedGame> {
        // The state that a game keeps while it waits for lines is large, so it is kept on the heap.
        Box::pin(self.play_watched(&spec, attending, stop, SleepWatch::new(&suspended))).await
    }

    async fn play_watched(
        &self,
        spec: &GameSpec,
        mut attending: BySeat<Option<Attendance>>,
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
            None => Box::pin(self.play_seated(spec, opened, &cores, (&mut stop, sleep))).await?,
            Some(void) => Box::pin(self.call_off(spec, opened, void)).await,
        };
        if self.excuse(spec, &mut record, &remains) {
            // The game keeps its slot in the meantime, so that no other game makes the machine busy.
            tokio::select! {
                () = quieter(begun.elapsed()) => {}
                () = stop.reached(Stop::Drain) => {}
            }
        }
        let thoughts = remains.as_ref().map(|remains| remains.thoughts.clone());
        let record = record.with_thoughts(thoughts, self.has_public_thoughts());
        Some(PlayedGame { record, outputs: remains.map(BotOutput::from) })
    }

    /// Informs all present players that the game is void, and waits for them to leave.
    async fn call_off(
        &self,
        spec: &GameSpec,
        mut opened: BySeat<Opened>,
        Void { reason }: Void,
    ) -> (LoggedGame, BySeat<Remains>) {
        let _leases: Vec<_> = opened.iter_mut().map(|(_, opened)| opened.lease.take()).collect();
        let mut referee = Referee::new(self.terms(spec)).unobserved();
        let sayings = referee.void(reason, Duration::ZERO);
        let leavers = opened.map(|Opened { child, attendance, .. }| Leaver::of(attendance, child));
        let remains = self.see_out(leavers, &sayings).await;
        (self.record(spec, referee.finish(), &remains), remains)
    }

    /// The record of the game `spec` if it became void for this `reason` before any player was called.
    pub fn voided(&self, spec: &GameSpec, reason: String) -> LoggedGame {
        let mut referee = Referee::new(self.terms(spec)).unobserved();
        let _ = referee.void(reason, Duration::ZERO);
        self.record(spec, referee.finish(), &nothing(spec))
    }

    /// The record of the game `spec` if some of its players cannot be started on any machine, for the given `reasons`.
    /// If two or more seats have no reason, the game is void.
    pub async fn unstarted(&self, spec: &GameSpec, reasons: &BySeat<Option<String>>) -> LoggedGame {
        let opened = seats::not_started(reasons, &mut spec.players.as_ref().map(|_| None));
        let (_sender, mut stop) = stop::channel();
        let no_cores = spec.players.as_ref().map(|_| None);
        let sleep = SleepWatch::new(&suspended);
        let played = Box::pin(self.play_seated(spec, opened, &no_cores, (&mut stop, sleep))).await;
        match played {
            Some((record, _)) => record,
            None => self.voided(spec, "no machine can play it".to_owned()),
        }
    }

    async fn play_seated(
        &self,
        spec: &GameSpec,
        mut opened: BySeat<Opened>,
        cores: &BySeat<Option<Arc<Core>>>,
        (stop, sleep): (&mut StopSignal, SleepWatch<'_>),
    ) -> Option<(LoggedGame, BySeat<Remains>)> {
        // The leases last until the last process of this game has exited.
        let mut leases = Leases::of(opened.iter_mut());
        let mut referee = Referee::new(self.terms(spec)).unobserved();
        let mut lateness = Lateness::default();
        let (finished, remains) = match Turnout::of(opened, self.tournament.limits.quit_timeout) {
            Turnout::Enough { mut players, absent } => {
                for (seat, SeatFailure { termination, reason }) in absent {
                    // The players that have come are notified when the game starts.
                    let _ = referee.did_not_come(seat, termination, reason);
                }
                let mut observers = Observers::closed();
                let teams = spec.players.as_ref().map(|&player| self.entrants[player].is_team());
                let has_teams = teams.values().any(|&is_team| is_team);
                let reliefs = TeamSeats { arena: self, spec, leases: &mut leases, cores };
                let told = MovesOf { game: &spec.id, queues: &self.queues, with_thoughts: self.has_public_thoughts() };
                self.tell_of_start(spec);
                let around = Surroundings {
                    moves: self.queues.are_heard().then_some(&told as &dyn OnMove),
                    between_moves: self.tournament.between_moves,
                    reliefs: has_teams.then(|| Box::new(reliefs) as Box<dyn ReliefSource + '_>),
                    ..Surroundings::new(&mut observers, stop, &mut lateness, sleep)
                };
                let mut referee = referee.with_opening(&spec.opening);
                if has_teams {
                    referee = referee.with_teams(teams);
                }
                let finished = take_turns(referee, &mut players, around).await?;
                (finished, players.leave().await)
            }
            Turnout::TooFew { absent, leavers } => {
                let sayings = without_a_game(&mut referee, absent, leavers.seats());
                (referee.finish(), self.see_out(leavers, &sayings).await)
            }
            Turnout::Excused(leavers) => {
                (referee.finish(), self.see_out(leavers, &Sayings::nothing(spec.players.seats())).await)
            }
        };
        self.lateness.lock().unwrap_or_else(PoisonError::into_inner).add_all(&lateness);
        let mut record = self.record(spec, finished, &remains);
        record.other_tags_mut().extend(lateness.tag());
        Some((record, remains))
    }

    /// Informs the players that the game is over although it never started, and lets them leave.
    async fn see_out(&self, leavers: BySeat<Leaver>, sayings: &Sayings) -> BySeat<Remains> {
        let deadline = now() + self.tournament.limits.quit_timeout;
        let mut remains = leavers.as_ref().map(|_| Remains::default());
        let mut leaving = JoinSet::new();
        for (seat, mut leaver) in leavers {
            if let Some(connection) = &mut leaver.connection {
                connection.say(&sayings.players[seat]).await;
            }
            leaving.spawn(async move { (seat, leave(leaver, deadline).await) });
        }
        while let Some(left) = leaving.join_next().await {
            let (seat, left) = joined(left);
            remains[seat] = left;
        }
        remains
    }

    /// Reports that a game starts.
    fn tell_of_start(&self, spec: &GameSpec) {
        if self.queues.are_heard() {
            let players = BySeat::from_fn(spec.players.seats(), |seat| self.name(spec, seat).to_owned());
            self.queues.put(&Event::Started { game: spec.id.clone(), players, opening: spec.opening.clone() });
        }
    }

    /// A core for each seat's bot, or one core for all bots if only one bot runs at a time; `None` for all seats if
    /// there are not enough cores.
    fn take_cores(&self) -> BySeat<Option<Arc<Core>>> {
        let taken = self.cores.as_ref().map(|cores| cores.take(self.tournament.thinkers())).unwrap_or_default();
        let taken: Vec<Arc<Core>> = taken.into_iter().map(Arc::new).collect();
        BySeat::from_fn(self.tournament.ruleset.seats(), |seat| match self.tournament.between_moves {
            BetweenMoves::Run => taken.get(seat.index()).cloned(),
            BetweenMoves::Freeze => taken.first().cloned(),
        })
    }
}

/// Ends a game for which fewer than two players have come, and returns what to tell the player that has come, if any.
fn without_a_game(referee: &mut Referee, absent: Vec<(Seat, SeatFailure)>, seats: u8) -> Sayings {
    let mut sayings = Sayings::nothing(seats);
    if seats == 2 && absent.len() == 2 {
        let each = absent.iter().map(|(seat, SeatFailure { termination, reason })| {
            format!("{}: {termination} ({reason})", seat.name(seats))
        });
        referee.nobody_came(each.collect::<Vec<_>>().join("; "));
        return sayings;
    }
    for (seat, SeatFailure { termination, reason }) in absent {
        sayings.append_all(referee.did_not_come(seat, termination, reason));
    }
    sayings
}

/// What the bots of the game `spec` leave behind if none of them was started.
fn nothing(spec: &GameSpec) -> BySeat<Remains> {
    spec.players.as_ref().map(|_| Remains::default())
}
