//! The turns of one game: where referee, connections and time meet.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::yield_now;

use super::gallery::Gallery;
use super::lateness::Lateness;
use super::proof::{Prover, settle};
use super::stall::{StallWatch, TICK};
use super::turn::Turn;
use crate::base::stop::{Stop, StopSignal};
use crate::base::time::{Instant, SleepWatch, now, sleep_until, timeout_at};
use crate::game::rules::{BySide, Side};
use crate::host::line::{Connection, Input};
use crate::host::lobby::say;
use crate::host::process::ChildProcess;
use crate::referee::clock::Meter;
use crate::referee::result::Void;
use crate::referee::sans_io::{Arrival, Departure, Finished, Referee, Sayings};
use crate::referee::wire::Line;
use crate::run::event::Event;
use crate::tournament::file::BetweenMoves;

/// A player in its place.
#[derive(Debug)]
pub struct Seat {
    /// How to talk to it.
    pub connection: Connection,
    /// The child at the other end, if the arena started one.
    pub child: Option<ChildProcess>,
}

impl Seat {
    /// The CPU time that the child has used so far; none without a child.
    pub(super) async fn cpu(&mut self) -> Duration {
        match &mut self.child {
            Some(child) => child.cpu().await,
            None => Duration::ZERO,
        }
    }
}

/// Who looks on, and when to stop.
#[derive(Debug)]
pub struct Surroundings<'a> {
    /// The observers.
    pub gallery: &'a mut Gallery,
    /// Told of every move, where somebody wants to know.
    pub moves: Option<&'a UnboundedSender<Event>>,
    /// When to break off.
    pub stop: &'a mut StopSignal,
    /// What the child that is not on move may do.
    pub between_moves: BetweenMoves,
    /// Where to note how late the arena is with each move.
    pub lateness: &'a mut Lateness,
    /// Whether the machine sleeps meanwhile; from the game's beginning on, which may be before its first turn.
    pub sleep: SleepWatch<'a>,
    /// What tries to prove how the game ends, where it may be ended so.
    pub prover: Prover<'a>,
}

/// How long a child may take to go after its connection has ended for its end to count as a crash.
const CRASH_WINDOW: Duration = Duration::from_millis(200);

/// How long the machine may have slept during a game: no longer than a busy machine may keep a player waiting anyway. The
/// arena's clocks stand still meanwhile; those of a remote player do not.
const LONGEST_NAP: Duration = Duration::from_millis(100);

/// Whether the machine slept for so long that the game means nothing.
pub(super) fn overslept(sleep: &mut SleepWatch<'_>) -> Option<Void> {
    let slept = sleep.slept();
    let reason = || format!("the machine was suspended for {:.1} s", slept.as_secs_f64());
    (slept > LONGEST_NAP).then(|| Void { reason: reason() })
}

/// Whether a player's confinement has ended by itself, after which nothing bounds the player.
fn unconfined(seats: &BySide<Seat>) -> Option<Void> {
    let lost = |side: &Side| seats[*side].child.as_ref().is_some_and(ChildProcess::is_unconfined);
    Side::BOTH.into_iter().find(lost).map(|side| Void { reason: ended_by_itself(side) })
}

fn ended_by_itself(side: Side) -> String {
    format!("the confinement of {side} ended by itself, as it does when the machine is out of memory")
}

/// What woke the game.
enum Woken {
    Input(Side, Input),
    /// A player that has closed its end is gone.
    Gone(Side),
    TimeIsUp,
    /// It is time to see whether the arena was stopped.
    Tick,
    Observer,
    Stop,
}

/// Plays the game to its end, from 35x on. `None` if it was broken off by [`Stop::Now`].
pub async fn take_turns(mut referee: Referee, seats: &mut BySide<Seat>, around: Surroundings<'_>) -> Option<Finished> {
    let Surroundings { gallery, moves, stop, between_moves, lateness, mut sleep, prover } = around;
    let start = referee.start();
    gallery.admit_waiting();
    gallery.tell(&start.observers);
    let mut frozen = Frozen::new(between_moves);
    frozen.hand_over(&referee, seats).await;
    let mut turn = Turn::first(&referee);
    turn.prepare(&referee, seats).await;
    let mut stalls = StallWatch::begin();
    let waits_for_others = between_moves == BetweenMoves::Freeze || referee.meter() != Meter::Wall;
    speak(&start, referee.to_move().opponent(), seats).await;
    turn.begin();
    let mut used = Duration::ZERO;
    let mut heard = Heard::default();
    // Both are made once: to make them anew for every move would cost each player time.
    let (stopped, timer) = (stop.reached(Stop::Now), sleep_until(far_away()));
    tokio::pin!(stopped, timer);
    while !referee.is_over() {
        let due = turn.due(&referee);
        let look = turn.next_look(&referee, due, used);
        let tick = now() + TICK;
        timer.as_mut().reset(look.map_or(tick, |look| look.min(tick)));
        if waits_for_others {
            stalls.has_waited();
        }
        let mover = referee.to_move();
        let woken = if let Some(gone) = heard.gone(mover, seats) {
            Woken::Gone(gone)
        } else {
            tokio::select! {
                biased;
                // These are seldom ready, and a player that never stops talking must not keep them waiting.
                () = &mut stopped => Woken::Stop,
                () = gallery.admit(&referee) => Woken::Observer,
                (side, input) = next_input(seats, mover, heard.ended) => Woken::Input(side, input),
                () = &mut timer => if look.is_some_and(|look| now() >= look) { Woken::TimeIsUp } else { Woken::Tick },
            }
        };
        turn.stalls.add(stalls.wait_ends());
        if matches!(woken, Woken::Tick) && unconfined(seats).is_none() {
            continue;
        }
        let mut late = Duration::ZERO;
        let mut say = match (woken, overslept(&mut sleep).or_else(|| unconfined(seats))) {
            (Woken::Stop, _) => return None,
            (_, Some(Void { reason })) => {
                let elapsed = turn.arrival(now(), due, seats).await.elapsed;
                referee.void(reason, elapsed)
            }
            (Woken::Input(side, Input::Line(line, at)), None) => {
                heard.spoken[side] = true;
                late = now().saturating_duration_since(at);
                let arrival = turn.arrival(at, due, seats).await;
                receive(&mut referee, seats, &mut turn, (side, line, at), arrival)
            }
            (Woken::Input(side, Input::Closed), None) if side != mover && heard.ends(side, &mut seats[side]) => {
                continue;
            }
            (Woken::Input(side, Input::Closed) | Woken::Gone(side), None) => {
                let elapsed = turn.arrival(now(), due, seats).await.elapsed;
                let how = departure(side, &mut seats[side]).await;
                referee.departed(side, how, elapsed)
            }
            (Woken::TimeIsUp, None) => {
                used = turn.arrival(now(), due, seats).await.elapsed;
                if due.is_none_or(|due| now() <= due) && referee.allowance().is_some_and(|allowance| used <= allowance)
                {
                    continue;
                }
                last_look(&mut referee, seats, &mut turn, due).await
            }
            (Woken::Observer | Woken::Tick, None) => continue,
        };
        if referee.to_prove().is_some() {
            // Neither clock runs, so neither shall think where that is not its own time.
            frozen.hold(seats).await;
            say.append_all(settle(&mut referee, seats, prover, &mut heard, stopped.as_mut()).await?);
            stalls.has_waited();
        }
        frozen.hand_over(&referee, seats).await;
        if turn.is_done(&referee) && !referee.is_over() {
            turn.prepare(&referee, seats).await;
            used = Duration::ZERO;
        }
        if referee.is_over() {
            // Told of the end, a player may be gone at once.
            for side in Side::BOTH {
                if let Some(child) = &mut seats[side].child {
                    child.look();
                }
            }
        }
        tell(&say, turn.mover(), seats, gallery).await;
        if turn.is_done(&referee) {
            lateness.add(late);
        }
        if !turn.go_on(&referee, moves) {
            // Nothing waits for this; so whoever sends one refused line after the other holds up nobody else.
            yield_now().await;
        }
    }
    Some(referee.finish())
}

/// A time that never comes, for a timer that has not been set.
fn far_away() -> Instant {
    now() + Duration::from_hours(1)
}

/// What the arena has heard of each player.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard {
    /// Whether it has said anything in this game.
    spoken: BySide<bool>,
    /// Whether it has closed its sending half while it was not on move, and may read on.
    pub(super) ended: BySide<bool>,
}

impl Heard {
    /// Notes that `side` has closed its end, unless it is gone with that. A player that has sent its moves and closed its
    /// sending half has them judged in their turns, and so is the opponent's answer to the last of them; it is gone when it
    /// is on move and has no more lines. Whoever has said nothing, exceeds a limit or can't be reached is gone at once.
    fn ends(&mut self, side: Side, seat: &mut Seat) -> bool {
        let exceeds = seat.child.as_ref().is_some_and(|child| child.exceeded().is_some());
        self.ended[side] = self.spoken[side] && !exceeds && !seat.connection.is_broken();
        self.ended[side]
    }

    /// The player that has closed its end and is gone now: the one on move, which has no more lines, or the other when it turns
    /// out that nothing reaches it.
    fn gone(self, to_move: Side, seats: &mut BySide<Seat>) -> Option<Side> {
        [to_move, to_move.opponent()]
            .into_iter()
            .find(|&side| self.ended[side] && (side == to_move || seats[side].connection.is_broken()))
    }
}

/// The next thing that either player does that has not `ended`, the one on move first.
pub(super) async fn next_input(seats: &mut BySide<Seat>, to_move: Side, ended: BySide<bool>) -> (Side, Input) {
    poll_fn(|cx| {
        for side in [to_move, to_move.opponent()] {
            if ended[side] {
                // It may still read.
                let _ = seats[side].connection.poll_send(cx);
            } else if let Poll::Ready(input) = seats[side].connection.poll_next(cx) {
                return Poll::Ready((side, input));
            }
        }
        Poll::Pending
    })
    .await
}

/// How long the arena may have stood still in the turn of a player whose lines bear no stamps. More than that, and nobody knows
/// what the player used.
const LONGEST_UNSTAMPED: Duration = Duration::from_millis(500);

/// Judges a line that arrived at `at`, unless the arena was stopped and can't say what its player has used: then the game is
/// void.
fn receive(
    referee: &mut Referee,
    seats: &BySide<Seat>,
    turn: &mut Turn,
    (side, line, at): (Side, Line, Instant),
    arrival: Arrival,
) -> Sayings {
    if side == referee.to_move() {
        let unknown = referee.meter() == Meter::Wall
            && !seats[side].connection.is_stamped()
            && turn.stalls.total() > LONGEST_UNSTAMPED;
        if unknown || (referee.is_too_late(arrival) && turn.is_doubtful(referee, arrival.elapsed, at)) {
            return stopped_arena(referee, turn, arrival.elapsed);
        }
        turn.charge_stalls(at);
    }
    referee.receive(side, line, arrival)
}

/// The game is void, as the arena stood still.
fn stopped_arena(referee: &mut Referee, turn: &Turn, elapsed: Duration) -> Sayings {
    let stalled = turn.stalls.total().as_secs_f64();
    let on_move = referee.to_move();
    let reason = if stalled > 0.0 {
        format!("the arena was stopped for {stalled:.1} s while {on_move} was on move, whose time can't be told")
    } else {
        format!("the arena was stopped in earlier turns of {on_move}, whose time can't be told")
    };
    referee.void(reason, elapsed)
}

/// The allowance is used up: reads what the player on move has sent once more before the flag falls, so that a move which
/// was in time is not lost because the arena was late. The system is asked, and not the runtime, which may have been stopped.
async fn last_look(referee: &mut Referee, seats: &mut BySide<Seat>, turn: &mut Turn, due: Option<Instant>) -> Sayings {
    let side = referee.to_move();
    let mut said = Sayings::default();
    while let Some(Input::Line(line, at)) = seats[side].connection.ready().await {
        let arrival = turn.arrival(at, due, seats).await;
        said.append_all(receive(referee, seats, turn, (side, line, at), arrival));
        if referee.is_over() || turn.is_done(referee) {
            return said;
        }
    }
    let at = now();
    let elapsed = turn.arrival(at, due, seats).await.elapsed;
    said.append_all(if turn.is_doubtful(referee, elapsed, at) {
        stopped_arena(referee, turn, elapsed)
    } else {
        referee.time_is_up(elapsed)
    });
    said
}

/// Which children are stopped.
struct Frozen {
    between_moves: BetweenMoves,
    stopped: BySide<bool>,
}

impl Frozen {
    fn new(between_moves: BetweenMoves) -> Self {
        Self { between_moves, stopped: BySide::default() }
    }

    /// Lets the child on move run, and both once the game is over; stops the other.
    async fn hand_over(&mut self, referee: &Referee, seats: &mut BySide<Seat>) {
        let stop = BySide::from_fn(|side| !referee.is_over() && side != referee.to_move());
        self.stop(stop, seats).await;
    }

    /// Stops both.
    async fn hold(&mut self, seats: &mut BySide<Seat>) {
        self.stop(BySide::from_fn(|_| true), seats).await;
    }

    async fn stop(&mut self, stop: BySide<bool>, seats: &mut BySide<Seat>) {
        if self.between_moves == BetweenMoves::Run {
            return;
        }
        let before = std::mem::replace(&mut self.stopped, stop);
        let set = async |seat: &mut Seat, before: bool, stop: bool| {
            if let Some(child) = seat.child.as_mut().filter(|_| before != stop) {
                child.freeze(stop).await;
            }
        };
        tokio::join!(set(&mut seats.black, before.black, stop.black), set(&mut seats.white, before.white, stop.white));
    }
}

/// Tells a crash from a mere disconnect, and both from the end of the player's confinement.
pub(super) async fn departure(side: Side, seat: &mut Seat) -> Departure {
    let Some(child) = &mut seat.child else { return Departure::Disconnect };
    let gone = timeout_at(now() + CRASH_WINDOW, child.gone()).await;
    if let Some((limit, how)) = child.exceeded() {
        return Departure::Limit(limit, how);
    }
    if gone.is_err() {
        child.settle().await;
    }
    if child.is_unconfined() {
        return Departure::Void(ended_by_itself(side));
    }
    match gone {
        Ok(gone) if !gone.is_success() => Departure::Crash(gone.to_string()),
        _ => Departure::Disconnect,
    }
}

/// Sends what is to be said, to the mover first.
pub async fn tell(sayings: &Sayings, mover: Side, seats: &mut BySide<Seat>, gallery: &mut Gallery) {
    speak(sayings, mover, seats).await;
    gallery.tell(&sayings.observers);
}

async fn speak(sayings: &Sayings, first: Side, seats: &mut BySide<Seat>) {
    let (firsts, seconds) = (&sayings.players[first], &sayings.players[first.opponent()]);
    // After a move the other hears just what the mover hears last, and both shall wait for it as little as can be.
    if let Some(own) = firsts.len().checked_sub(seconds.len()).filter(|&own| firsts[own..] == seconds[..]) {
        let mut text = String::with_capacity(256);
        Sayings::append(&firsts[..own], &mut text);
        let shared = text.len();
        Sayings::append(seconds, &mut text);
        for (side, text) in [(first, &text[..]), (first.opponent(), &text[shared..])] {
            if !text.is_empty() {
                seats[side].connection.send(text.as_bytes()).await;
            }
        }
        return;
    }
    for side in [first, first.opponent()] {
        say(&mut seats[side].connection, &sayings.players[side]).await;
    }
}
