//! The turns of one game, which connect the referee, the players' connections and the clocks.

mod judging;
mod proving;
mod relief;
mod speaking;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::Sleep;

use super::arena_stall::{StallWatch, TICK};
use super::lateness::Lateness;
use super::observers::Observers;
use super::prover::Prover;
use super::seated_players::{Frozen, PlayerEvent, Presence, SeatedPlayer, SeatedPlayers};
use super::thought_teller::ThoughtTeller;
use super::turn::{OnMove, Turn};
use crate::base::stop::{Stop, StopSignal};
use crate::base::time::{Instant, SleepWatch, now, sleep_until};
use crate::game::Seat;
use crate::host::line::Input;
use crate::referee::clock::Meter;
use crate::referee::result::Void;
use crate::referee::sans_io::{Departure, Finished, Referee, Sayings};
use crate::tournament::BetweenMoves;
pub use relief::{ReliefSource, Reliefs};
use speaking::speak;

/// The environment of a game's turns: the observers, the reasons to end the game early, and what the players' programs
/// may do.
#[derive(Debug)]
pub struct Surroundings<'a> {
    /// The observers.
    pub observers: &'a mut Observers,
    /// The listener to the moves, if there is one.
    pub moves: Option<&'a dyn OnMove>,
    /// When to abort the game.
    pub stop: &'a mut StopSignal,
    /// Whether the programs of players that are not on move run or are stopped.
    pub between_moves: BetweenMoves,
    /// Records how late the arena is with each move.
    pub lateness: &'a mut Lateness,
    /// Detects whether the machine has slept since the beginning of the game, which may be before the first turn.
    pub sleep: SleepWatch<'a>,
    /// The prover of outcomes that may end the game.
    pub prover: Prover<'a>,
    /// The source of the programs of teams, if there are teams.
    pub reliefs: Option<Box<dyn ReliefSource + 'a>>,
}

impl<'a> Surroundings<'a> {
    /// An environment without a listener, in which programs run between moves, and proofs run on separate threads.
    pub fn new(
        observers: &'a mut Observers,
        stop: &'a mut StopSignal,
        lateness: &'a mut Lateness,
        sleep: SleepWatch<'a>,
    ) -> Self {
        let (between_moves, prover) = (BetweenMoves::Run, Prover::default());
        Self { observers, moves: None, stop, between_moves, lateness, sleep, prover, reliefs: None }
    }
}

/// How long the machine may sleep during a game: no longer than a busy machine may delay a player anyway. The arena's
/// clocks do not advance in the meantime; a remote player's clocks do.
const LONGEST_NAP: Duration = Duration::from_millis(100);

/// Whether the machine slept for so long that the game is meaningless.
pub(super) fn overslept(sleep: &mut SleepWatch<'_>) -> Option<Void> {
    let slept = sleep.slept();
    let reason = || format!("the machine was suspended for {:.1} s", slept.as_secs_f64());
    (slept > LONGEST_NAP).then(|| Void { reason: reason() })
}

/// The event that woke the game.
enum Woken {
    Input(Seat, Input),
    /// A player that has closed its end of the connection is gone.
    Gone(Seat),
    /// It is now known how a player that was not on move left.
    Departed(Seat, Departure),
    TimeIsUp,
    /// It is time to check whether the arena was stopped.
    Tick,
    Observer,
    Stop,
}

/// Plays the game to its end, starting with the 35x lines. Returns `None` if [`Stop::Now`] aborted it.
pub async fn take_turns(referee: Referee, players: &mut SeatedPlayers, around: Surroundings<'_>) -> Option<Finished> {
    let Surroundings { observers, moves, stop, between_moves, lateness, sleep, prover, reliefs } = around;
    let seats = players.seats();
    let mut game = GameInPlay {
        frozen: Frozen::new(between_moves, seats),
        turn: Turn::first(&referee, seats),
        stalls: StallWatch::begin(),
        waits_for_others: between_moves == BetweenMoves::Freeze || referee.meter() != Meter::Wall,
        due: None,
        used: Duration::ZERO,
        late: Duration::ZERO,
        presence: Presence::new(seats),
        referee,
        players,
        observers,
        lateness,
        sleep,
        prover,
        reliefs,
    };
    game.begin().await;
    // These responses also announce the players that have not come.
    game.turn.go_on(&game.referee, moves);
    // Both are created once, because creating them again for every move would cost the players time.
    let (stopped, timer) = (stop.reached(Stop::Now), sleep_until(far_away()));
    tokio::pin!(stopped, timer);
    let mut thoughts = ThoughtTeller::new(moves, seats);
    while !game.referee.is_over() {
        let woken = game.wake(stopped.as_mut(), timer.as_mut()).await;
        if matches!(woken, Woken::Stop) {
            return None;
        }
        if matches!(woken, Woken::Tick) {
            thoughts.look(game.players);
        }
        let Some(say) = game.answer(woken).await else { continue };
        game.after(say, stopped.as_mut()).await?;
        if !game.turn.go_on(&game.referee, moves) {
            // This lets other tasks run, so a player that sends one refused line after another does not delay others.
            yield_now().await;
        }
    }
    Some(game.referee.finish())
}

/// A game in progress: the referee, the players, and what the arena has measured.
struct GameInPlay<'a> {
    referee: Referee,
    players: &'a mut SeatedPlayers,
    observers: &'a mut Observers,
    lateness: &'a mut Lateness,
    sleep: SleepWatch<'a>,
    prover: Prover<'a>,
    reliefs: Option<Box<dyn ReliefSource + 'a>>,
    frozen: Frozen,
    turn: Turn,
    stalls: StallWatch,
    /// Whether the arena waits for other processes before a turn begins.
    waits_for_others: bool,
    /// The time by which the turn must be over.
    due: Option<Instant>,
    /// How much of its clock the player on move had used at the last check.
    used: Duration,
    /// How late the arena was with the line that it judged last.
    late: Duration,
    presence: Presence,
}

impl GameInPlay<'_> {
    /// The seat of the player on move.
    fn on_move(&self) -> Seat {
        self.referee.seat_to_move()
    }

    /// Announces the start of the game to all participants, and begins its first turn.
    async fn begin(&mut self) {
        let start = self.referee.start();
        self.observers.admit_waiting();
        self.observers.tell(&start.observers);
        self.frozen.hand_over(&self.referee, self.players).await;
        self.turn.prepare(&self.referee, self.players).await;
        // Output that a bot wrote before its hello does not belong to its first turn. The runtime first has to find out
        // what can be read, and then read it.
        yield_now().await;
        yield_now().await;
        self.note_turn();
        self.stalls.has_waited();
        // The player on move is notified last, so that it cannot answer before all others have been notified of the
        // start.
        speak(&start, self.on_move().next(self.players.seats()), self.players).await;
        self.turn.begin();
    }

    /// Records that the turn of the player on move begins: that player is notified next, so it has not yet written
    /// anything in this turn. No clock is running at this point. All players have done everything required of them so
    /// far.
    fn note_turn(&mut self) {
        for child in self.players.children() {
            child.is_well();
        }
        let (on_move, ply) = (self.on_move(), self.referee.plies().len() + 1);
        if let Some(player) = self.players.get_mut(on_move) {
            player.begin_turn(ply);
        }
    }

    /// The player whose turn it is, even after it has made its move.
    fn mover(&mut self) -> Option<&mut SeatedPlayer> {
        self.players.get_mut(self.turn.mover())
    }

    /// Sets `timer`, and waits until something happens.
    async fn wake(&mut self, mut stopped: Pin<&mut impl Future<Output = ()>>, mut timer: Pin<&mut Sleep>) -> Woken {
        self.due = self.turn.due(&self.referee);
        let look = self.turn.next_look(&self.referee, self.due, self.used);
        let tick = now() + TICK;
        timer.as_mut().reset(look.map_or(tick, |look| look.min(tick)));
        if self.waits_for_others {
            self.stalls.has_waited();
        }
        let mover = self.on_move();
        let woken = if let Some(gone) = self.presence.gone(mover, self.players) {
            Woken::Gone(gone)
        } else {
            tokio::select! {
                biased;
                // The first two events are rarely ready, and a player that keeps sending must not delay them.
                () = &mut stopped => Woken::Stop,
                () = self.observers.admit(&self.referee) => Woken::Observer,
                event = self.players.next_event(mover, &self.presence.ended) => match event {
                    PlayerEvent::Input(seat, input) => Woken::Input(seat, input),
                    PlayerEvent::Departed(seat, how) => Woken::Departed(seat, how),
                },
                () = &mut timer => if look.is_some_and(|look| now() >= look) { Woken::TimeIsUp } else { Woken::Tick },
            }
        };
        self.turn.stalls.add(self.stalls.wait_ends());
        woken
    }

    /// Handles what woke the game and returns the answer; `None` if the game continues as if nothing had happened.
    async fn answer(&mut self, woken: Woken) -> Option<Sayings> {
        if matches!(woken, Woken::Tick | Woken::TimeIsUp)
            && self.turn.is_long()
            && let Some(player) = self.mover()
        {
            player.watch_turn();
        }
        if matches!(woken, Woken::Tick) && self.players.unconfined().is_none() {
            return None;
        }
        self.late = Duration::ZERO;
        if let Some(Void { reason }) = overslept(&mut self.sleep).or_else(|| self.players.unconfined()) {
            let elapsed = self.elapsed().await;
            return Some(self.referee.void(reason, elapsed));
        }
        match woken {
            Woken::Input(seat, Input::Line(line, at)) => {
                self.presence.spoken[seat] = true;
                self.late = now().saturating_duration_since(at);
                Some(self.receive(seat, line, at).await)
            }
            Woken::Input(seat, Input::Closed) if seat != self.on_move() && self.has_only_ended(seat) => None,
            Woken::Input(seat, Input::Closed) | Woken::Gone(seat) => self.depart(seat).await,
            Woken::Departed(seat, how) => {
                let elapsed = self.elapsed().await;
                Some(self.referee.departed(seat, how, elapsed))
            }
            Woken::TimeIsUp => {
                self.used = self.elapsed().await;
                let is_left = |allowance| self.used <= allowance;
                if self.due.is_none_or(|due| now() <= due) && self.referee.allowance().is_some_and(is_left) {
                    return None;
                }
                Some(self.last_look().await)
            }
            Woken::Observer | Woken::Tick | Woken::Stop => None,
        }
    }

    /// Whether the player in `seat`, which has closed its end of the connection, may still be there; see
    /// [`Presence::ends`].
    fn has_only_ended(&mut self, seat: Seat) -> bool {
        let player = self.players.get_mut(seat);
        player.is_some_and(|player| self.presence.ends(seat, player))
    }

    /// Handles the end of the connection of the player in `seat`.
    ///
    /// It takes a moment to find out whether the player's process has crashed. If the game goes on without the player,
    /// the player on move must not lose that time, so the others play on in the meantime.
    async fn depart(&mut self, seat: Seat) -> Option<Sayings> {
        if self.players.seats() > 2 && seat != self.on_move() {
            self.players.begin_departure(seat);
            return None;
        }
        let elapsed = self.elapsed().await;
        let how = self.players.departure(seat).await;
        Some(self.referee.departed(seat, how, elapsed))
    }

    /// Sends `say` after determining whether the last move has decided the game, and prepares the next turn. Returns
    /// `None` if `stopped` is ready first.
    async fn after(&mut self, mut say: Sayings, mut stopped: Pin<&mut impl Future<Output = ()>>) -> Option<()> {
        if (self.turn.is_done(&self.referee) || self.referee.is_over())
            && let Some(player) = self.mover()
        {
            player.end_turn();
        }
        while let Some(mode) = self.referee.mode_to_relieve() {
            self.relieve(mode, &mut say, stopped.as_mut()).await?;
            self.stalls.has_waited();
        }
        if self.referee.to_prove().is_some() {
            // Neither clock is running, so players that may think only on their own time may not think now.
            self.frozen.hold(self.players).await;
            say.append_all(self.settle(stopped.as_mut()).await?);
            self.stalls.has_waited();
        }
        self.frozen.hand_over(&self.referee, self.players).await;
        if self.turn.is_done(&self.referee) && !self.referee.is_over() {
            self.turn.prepare(&self.referee, self.players).await;
            self.used = Duration::ZERO;
            self.note_turn();
        }
        if self.referee.is_over() {
            // A player may leave as soon as it is notified of the end.
            for child in self.players.children() {
                child.look();
            }
        }
        speak(&say, self.turn.mover(), self.players).await;
        self.observers.tell(&say.observers);
        self.see_out();
        if self.turn.has_moved(&self.referee) {
            self.lateness.add(self.late);
        }
        Some(())
    }

    /// Lets the players that have dropped out leave while the others play on.
    fn see_out(&mut self) {
        if self.referee.is_over() {
            return;
        }
        for seat in Seat::all(self.players.seats()).filter(|&seat| !self.referee.is_in(seat)) {
            if let Some(mut player) = self.players.take(seat) {
                if let Some(child) = &mut player.child {
                    child.look();
                }
                // A player that is stopped between its turns must not run in the turns of others.
                self.players.see_out(seat, player, self.frozen.is_exclusive());
            }
        }
    }

    /// How much of its turn's time the player on move has used so far.
    async fn elapsed(&mut self) -> Duration {
        self.turn.arrival(now(), self.due, self.players).await.elapsed
    }
}

/// A time far in the future, for a timer that has not been set.
fn far_away() -> Instant {
    now() + Duration::from_hours(1)
}
