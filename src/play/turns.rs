//! The turns of one game: where referee, connections and time meet.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::yield_now;

use super::gallery::Gallery;
use crate::event::Event;
use crate::line::{Connection, Input};
use crate::lobby::say;
use crate::process::Child;
use crate::referee::{Arrival, Departure, Finished, Referee, Sayings};
use crate::result::Void;
use crate::rules::{BySide, Side};
use crate::stop::{Stop, StopSignal};
use crate::time::{Instant, SleepWatch, now, sleep_until, timeout_at};

/// A player in its place.
#[derive(Debug)]
pub struct Seat {
    /// How to talk to it.
    pub connection: Connection,
    /// The child at the other end, if the arena started one.
    pub child: Option<Child>,
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
    /// Whether the machine sleeps meanwhile; from the game's beginning on, which may be before its first turn.
    pub sleep: SleepWatch<'a>,
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

/// What woke the game.
enum Woken {
    Input(Side, Input),
    TimeIsUp,
    Observer,
    Stop,
}

/// Plays the game to its end, from 35x on. `None` if it was broken off by [`Stop::Now`].
pub async fn take_turns(mut referee: Referee, seats: &mut BySide<Seat>, around: Surroundings<'_>) -> Option<Finished> {
    let Surroundings { gallery, moves, stop, mut sleep } = around;
    let start = referee.start();
    gallery.admit_waiting();
    gallery.tell(&start.observers);
    speak(&start, referee.to_move().opponent(), seats).await;
    let mut turn = Turn { started: now(), number: referee.plies().len() };
    // Both are made once: to make them anew for every move would cost each player time.
    let (stopped, timer) = (stop.reached(Stop::Now), sleep_until(far_away()));
    tokio::pin!(stopped, timer);
    while !referee.is_over() {
        let due = referee.allowance().map(|allowance| turn.started + allowance);
        // A flag falls when more than all of the time is spent: a microsecond more, as times are charged.
        if let Some(due) = due {
            timer.as_mut().reset(due + Duration::from_micros(1));
        }
        let woken = tokio::select! {
            biased;
            // These two are seldom ready, and a player that never stops talking must not keep them waiting.
            () = &mut stopped => Woken::Stop,
            () = gallery.admit(&referee) => Woken::Observer,
            (side, input) = next_input(seats, referee.to_move()) => Woken::Input(side, input),
            () = &mut timer, if due.is_some() => Woken::TimeIsUp,
        };
        let say = match (woken, overslept(&mut sleep)) {
            (Woken::Stop, _) => return None,
            (_, Some(Void { reason })) => referee.void(reason, now() - turn.started),
            (Woken::Input(side, Input::Line(line, at)), None) => referee.receive(side, line, turn.arrival(at, due)),
            (Woken::Input(side, Input::Closed), None) => {
                let elapsed = now() - turn.started;
                let how = departure(&mut seats[side]).await;
                referee.departed(side, how, elapsed)
            }
            (Woken::TimeIsUp, None) => last_look(&mut referee, seats, &turn, due).await,
            (Woken::Observer, None) => continue,
        };
        if referee.is_over() {
            // Told of the end, a player may be gone at once.
            for side in Side::BOTH {
                if let Some(child) = &mut seats[side].child {
                    child.look();
                }
            }
        }
        tell(&say, turn.mover(), seats, gallery).await;
        if !turn.go_on(&referee, moves) {
            // Nothing waits for this; so whoever sends one refused line after the other holds up nobody else.
            yield_now().await;
        }
    }
    Some(referee.finish())
}

/// The turn that is on.
struct Turn {
    /// When the lines that began it had been written.
    started: Instant,
    /// How many moves had been made, those of the opening among them.
    number: usize,
}

impl Turn {
    const fn mover(&self) -> Side {
        if self.number.is_multiple_of(2) { Side::Black } else { Side::White }
    }

    /// Measures an arrival. The arena would have looked at `due` at the latest, so all that has passed since then is its
    /// own lateness.
    fn arrival(&self, at: Instant, due: Option<Instant>) -> Arrival {
        let lateness = due.map(|due| now().saturating_duration_since(due)).unwrap_or_default();
        Arrival { elapsed: at.saturating_duration_since(self.started), lateness }
    }

    /// Begins the next turn if a move was made, and returns whether one was.
    fn go_on(&mut self, referee: &Referee, moves: Option<&UnboundedSender<Event>>) -> bool {
        if let Some(moves) = moves {
            for ply in &referee.plies()[self.number..] {
                // Nobody listens any more: then nobody wants to know.
                let _ = moves.send(Event::Moved { played: ply.played, left: ply.left });
            }
        }
        let begins = referee.plies().len() > self.number;
        if begins {
            self.number = referee.plies().len();
            self.started = now();
        }
        begins
    }
}

/// A time that never comes, for a timer that has not been set.
fn far_away() -> Instant {
    now() + Duration::from_hours(1)
}

/// The next thing that either player does, the one on move first.
async fn next_input(seats: &mut BySide<Seat>, to_move: Side) -> (Side, Input) {
    poll_fn(|cx| {
        for side in [to_move, to_move.opponent()] {
            if let Poll::Ready(input) = seats[side].connection.poll_next(cx) {
                return Poll::Ready((side, input));
            }
        }
        Poll::Pending
    })
    .await
}

/// The allowance is used up: reads what the player on move has sent once more before the flag falls, so that a move which
/// was in time is not lost because the arena was late.
async fn last_look(referee: &mut Referee, seats: &mut BySide<Seat>, turn: &Turn, due: Option<Instant>) -> Sayings {
    let side = referee.to_move();
    let mut said = Sayings::default();
    while let Some(Input::Line(line, at)) = seats[side].connection.ready().await {
        said.append_all(referee.receive(side, line, turn.arrival(at, due)));
        if referee.is_over() || referee.plies().len() > turn.number {
            return said;
        }
    }
    said.append_all(referee.time_is_up(now() - turn.started));
    said
}

/// Tells a crash from a mere disconnect.
async fn departure(seat: &mut Seat) -> Departure {
    let Some(child) = &mut seat.child else { return Departure::Disconnect };
    let gone = timeout_at(now() + CRASH_WINDOW, child.gone()).await;
    if let Some((limit, how)) = child.exceeded() {
        return Departure::Limit(limit, how);
    }
    match gone {
        Ok(gone) if !gone.well() => Departure::Crash(gone.to_string()),
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
