//! One game between the players of two or more seats, sans I/O: the input is lines and elapsed times, and the output is
//! the responses to send.
//!
//! The referee uses neither sockets nor clocks: [`crate::run::play`] reads the lines, measures the times and writes the
//! referee's responses. Tests can therefore check every rule here to the microsecond without waiting.

mod announce;
mod drop_outs;
mod endings;
#[cfg(test)]
mod group_tests;
mod judging;
mod kept_lines;
#[cfg(test)]
pub(crate) mod random_groups;
mod relief;
#[cfg(test)]
mod relief_tests;
mod sayings;
#[cfg(test)]
mod tests;
mod untold_moves;

use std::time::Duration;

pub use endings::{Departure, Endings};
pub use kept_lines::{MAX_KEPT_BYTES, MAX_KEPT_LINES};
pub use sayings::Sayings;

use kept_lines::EarlyLines;
use untold_moves::Untold;

use crate::exact::adjudication::Adjudication;
use crate::game::quantum::Mode;
use crate::game::{BySeat, Move, Position, Ruleset, Seat, Side};
use crate::referee::clock::{Clock, Meter};
use crate::referee::record::{GameRecord, GroupRecord, LoggedGame, Out, Ply, Tries, Unfinished};
use crate::referee::result::{GameEnd, GameResult, Void};
use crate::referee::time_control::TimeControl;
use crate::referee::times::whole_micros;
use crate::referee::wire::{Response, seconds};

/// Enough capacity for the moves of nearly every game, so that no move waits for an allocation.
const USUAL_PLIES: usize = 40;

/// The parameters of a game that a referee needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The rules.
    pub ruleset: Ruleset,
    /// The clocks.
    pub time_control: TimeControl,
    /// What the clocks measure.
    pub meter: Meter,
    /// How many refused moves (291) a player may make; `None` means any number.
    pub illegal_tries: Option<u32>,
    /// How many garbled lines (299) a player may send; `None` means any number.
    pub garbled_tries: Option<u32>,
    /// How much time in total the seats that are still in may spend in a game without clocks; `None` means no limit.
    pub game_limit: Option<Duration>,
    /// The lines that are sent to the remaining player when its opponent fails or resigns.
    pub endings: Endings,
    /// When a proof may end the game; `None` means never.
    pub adjudicate: Option<Adjudication>,
}

/// When a line arrived, relative to the start of the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The time from the start of the turn to the arrival of the line's last byte, on the clock of the side to move.
    pub elapsed: Duration,
    /// The wall time until the arrival, which has its own limit if the clock counts CPU time.
    pub wall: Duration,
    /// How late the arena itself is known to be in this turn. A line that would have been in time without this lateness
    /// counts as in time.
    pub lateness: Duration,
}

/// The referee of one game.
///
/// Invariant: nothing changes once there is a result.
#[derive(Debug)]
pub struct Referee {
    terms: Terms,
    position: Box<dyn Position>,
    clocks: BySeat<Clock>,
    /// The wall time that each seat has spent in its own turns, if the clocks count CPU time.
    walls: BySeat<Duration>,
    illegal: BySeat<u32>,
    garbled: BySeat<u32>,
    kept: BySeat<EarlyLines>,
    plies: Vec<Ply>,
    /// How many moves each seat has made, including those of the opening.
    moves: BySeat<u32>,
    /// The seats that have dropped out.
    outs: Vec<Out>,
    /// The turns in which a seat has dropped out.
    dropped_turns: Vec<Unfinished>,
    /// How many of the plies belong to the opening.
    opening_plies: usize,
    /// How many turns have ended because their seat dropped out.
    turns_dropped: usize,
    /// The responses to all clients about the opening, if the game has an opening.
    opening: Option<Sayings>,
    /// The lines refused in this turn.
    tries: Tries,
    /// Whether the next line in this turn may have been sent for a position that another seat has changed by dropping
    /// out. If such a line is refused, the refusal does not count.
    may_be_outdated: bool,
    /// The last move, until it is known whether it decides the game. Until then, the referee does not judge lines or
    /// announce anything.
    untold: Option<Untold>,
    /// Which seats belong to teams; `None` if there are no teams.
    teams: Option<BySeat<bool>>,
    /// The mode for which the programs of teams have taken their seats.
    played_mode: Option<Mode>,
    result: Option<Result<GameEnd, Void>>,
    /// The turn that was cut off by the game's end: its seat, and the time spent in it.
    cut_off: Option<(Seat, Duration)>,
    /// Whether there can be observers. If not, the referee does not prepare responses for them.
    observed: bool,
}

/// The data that remains of a game once it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The terms under which the game was played.
    pub terms: Terms,
    /// How many of the first plies were given rather than played.
    pub opening_plies: usize,
    /// The accepted moves.
    pub plies: Vec<Ply>,
    /// The seats that dropped out of a game with more than two seats, in chronological order.
    pub outs: Vec<Out>,
    /// The turns in which no move was made: those of seats that dropped out during their own turn and, last, the turn
    /// that was cut off by the game's end. A seat has at most one such turn.
    pub unfinished: Vec<Unfinished>,
    /// The result.
    pub result: Result<GameEnd, Void>,
}

impl Finished {
    /// Returns the record of the game between these players, without the values that only the caller knows.
    ///
    /// # Panics
    /// Panics if the number of `players` does not equal the game's number of seats.
    pub fn record(self, players: BySeat<String>) -> LoggedGame {
        let Self { terms, opening_plies, plies, outs, mut unfinished, result } = self;
        let Terms { ruleset, time_control, meter, adjudicate, .. } = terms;
        let time_control = Some(time_control);
        let result = match result {
            Ok(GameEnd::Two(result)) => Ok(result),
            Err(void) if players.seats() == 2 => Err(void),
            Ok(GameEnd::Group(standing)) => {
                let record = GroupRecord::of(ruleset, players, Ok(standing));
                return GroupRecord { time_control, meter, plies, outs, unfinished, ..record }.into();
            }
            Err(void) => {
                let record = GroupRecord::of(ruleset, players, Err(void));
                return GroupRecord { time_control, meter, plies, outs, unfinished, ..record }.into();
            }
        };
        let players = players.by_side().unwrap_or_else(|players| panic!("two players, not {}", players.seats()));
        let unfinished = unfinished.pop();
        let record = GameRecord::of(ruleset, players, result);
        GameRecord { time_control, meter, adjudicate, opening_plies, plies, unfinished, ..record }.into()
    }
}

impl Referee {
    /// Creates the referee of a game that has not started.
    pub fn new(terms: Terms) -> Self {
        Self::starting_at(terms.ruleset.start(), terms)
    }

    /// Creates the referee of a game that has not started and begins in `position`.
    pub(crate) fn starting_at(position: Box<dyn Position>, mut terms: Terms) -> Self {
        // Times are charged in whole microseconds, so a limit with a fraction of a microsecond could never be used up
        // exactly.
        terms.game_limit = terms.game_limit.map(whole_micros);
        let seats = position.seats();
        let none = || BySeat::from_fn(seats, |_| 0);
        Self {
            position,
            clocks: BySeat::from_fn(seats, |seat| Clock::new(terms.time_control.of(seat))),
            walls: BySeat::from_fn(seats, |_| Duration::ZERO),
            terms,
            illegal: none(),
            garbled: none(),
            kept: BySeat::from_fn(seats, |_| EarlyLines::default()),
            plies: Vec::with_capacity(USUAL_PLIES),
            moves: none(),
            outs: Vec::new(),
            dropped_turns: Vec::new(),
            opening_plies: 0,
            turns_dropped: 0,
            opening: None,
            tries: Tries::default(),
            may_be_outdated: false,
            untold: None,
            teams: None,
            played_mode: None,
            result: None,
            cut_off: None,
            observed: true,
        }
    }

    /// Returns the referee for a game without observers. It never has any responses to observers.
    #[must_use]
    pub fn unobserved(mut self) -> Self {
        self.observed = false;
        self
    }

    /// Returns the referee with these plies already made. They cost no time. Call this after [`Referee::unobserved`]
    /// and before [`Referee::start`].
    ///
    /// # Panics
    /// Panics if the rules refuse a ply, a ply ends the game, or there is an opening in a game with more than two
    /// seats.
    #[must_use]
    pub fn with_opening(mut self, opening: &[Move]) -> Self {
        assert!(opening.is_empty() || self.seats() == 2, "only games with two seats have openings");
        // The plies are announced one by one from the first position, as if they had been played.
        let mut say = self.nothing();
        self.open_for_observers(&mut say);
        for &given in opening {
            self.place(given, &mut say);
        }
        assert!(!self.position.is_over(), "an opening that ends the game leaves nothing to play");
        self.opening_plies = opening.len();
        self.opening = Some(say);
        self
    }

    /// The position.
    #[cfg(test)]
    pub(crate) fn position(&self) -> &dyn Position {
        &*self.position
    }

    /// How many seats the game has.
    pub fn seats(&self) -> u8 {
        self.position.seats()
    }

    fn nothing(&self) -> Sayings {
        Sayings::nothing(self.seats())
    }

    /// The side to move in a game with two seats.
    pub fn to_move(&self) -> Side {
        self.position.to_move()
    }

    /// The seat to move.
    pub fn seat_to_move(&self) -> Seat {
        self.position.seat_to_move()
    }

    /// Whether `seat` is still in the game. A seat that has dropped out receives no further responses, and its lines
    /// are ignored.
    pub fn is_in(&self, seat: Seat) -> bool {
        self.position.is_in(seat) && self.outs.iter().all(|out| out.seat != seat)
    }

    /// The seats that have dropped out of a game with more than two seats, in chronological order.
    pub fn outs(&self) -> &[Out] {
        &self.outs
    }

    /// How many turns have ended: with a move, or because the seat to move dropped out. When this number changes, the
    /// next turn begins. A seat that drops out while another seat is to move does not change this number.
    pub const fn turns_ended(&self) -> usize {
        self.plies.len() + self.turns_dropped
    }

    /// The number of the next move. Each seat's moves are numbered from 1.
    pub fn number(&self) -> u32 {
        self.moves[self.seat_to_move()] + 1
    }

    /// What the clocks measure.
    pub const fn meter(&self) -> Meter {
        self.terms.meter
    }

    /// Whether the seat to move has a clock.
    pub fn is_timed(&self) -> bool {
        self.clocks[self.seat_to_move()].left().is_some()
    }

    /// Whether there is a result, or the game is void.
    pub const fn is_over(&self) -> bool {
        self.result.is_some()
    }

    /// The accepted moves so far.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// How the game has ended, if it has.
    pub fn end(&self) -> Option<Result<&GameEnd, &Void>> {
        self.result.as_ref().map(Result::as_ref)
    }

    /// The result so far of a game with two seats.
    pub fn result(&self) -> Option<Result<&GameResult, &Void>> {
        match self.end()? {
            Ok(end) => end.two().map(Ok),
            Err(void) => Some(Err(void)),
        }
    }

    /// How much time the seat to move may use for its turn before [`Referee::time_is_up`] is due; `None` if there is no
    /// limit.
    pub fn allowance(&self) -> Option<Duration> {
        match self.clocks[self.seat_to_move()].left() {
            Some(left) => Some(left),
            None => self.terms.game_limit.map(|limit| limit.saturating_sub(self.used_in_all())),
        }
    }

    /// How much wall time the turn of the seat to move may take, regardless of its clock; `None` if the clock is the
    /// only limit.
    pub fn wall_allowance(&self) -> Option<Duration> {
        let seat = self.seat_to_move();
        self.terms.meter.wall_limit(seat).map(|limit| limit.saturating_sub(self.walls[seat]))
    }

    fn used_in_all(&self) -> Duration {
        self.clocks.iter().filter(|(seat, _)| self.is_in(*seat)).map(|(_, clock)| clock.used()).sum()
    }

    /// The responses to all clients when the game starts, including those about its opening and about the seats that
    /// have dropped out because their players are missing. The first turn begins when these responses have been
    /// written.
    pub fn start(&self) -> Sayings {
        let mut say = self.nothing();
        let seats = self.seats();
        // The moves of a prelude do not follow; `relieve` reports them.
        let told = self.opening.as_ref().map(|_| self.opening_plies).filter(|&plies| plies > 0);
        for seat in Seat::all(seats).filter(|&seat| self.is_in(seat)) {
            say.players[seat] = self.start_of(seat, told);
        }
        match &self.opening {
            Some(opening) => say.append_all(opening.clone()),
            None => self.open_for_observers(&mut say),
        }
        for out in &self.outs {
            self.tell_all(Response::DroppedOut { seat: out.seat, why: out.termination }, &mut say);
        }
        say
    }

    /// The responses to the player in `seat` when the game starts for it, before the moves that have already been made.
    /// `told` is the number of these moves, if they follow.
    fn start_of(&self, seat: Seat, told: Option<usize>) -> Vec<Response> {
        let mut lines = Response::of_rules(self.terms.ruleset, Some(seat));
        lines.extend(Response::of_clocks(self.terms.time_control));
        lines.extend(told.map(Response::MovesSoFar));
        lines.push(Response::you_play(self.seats(), seat));
        lines
    }

    /// Announces the game to observers, and shows them the board.
    fn open_for_observers(&self, say: &mut Sayings) {
        if self.observed {
            say.observers.append(&mut self.welcome_observer());
        }
    }

    /// Makes the next ply of the opening.
    fn place(&mut self, given: Move, say: &mut Sayings) {
        let (seat, number) = (self.seat_to_move(), self.number());
        let played = self.position.play(given.as_str()).expect("the plies of an opening are legal");
        self.plies.push(Ply::untimed(seat, played));
        self.moves[seat] += 1;
        let left = self.clocks[seat].left().map(seconds);
        self.tell_all(Response::of_move(self.seats(), seat, number, played, left), say);
    }

    /// Ends the referee's work and returns the remaining data of the game. A game that is not over is void.
    pub fn finish(mut self) -> Finished {
        let cut_off = self.cut_off.take();
        let cut_off = cut_off.and_then(|(seat, elapsed)| self.turn_without_move(seat, elapsed));
        let mut unfinished = self.dropped_turns;
        unfinished.extend(cut_off);
        let result = self.result.unwrap_or_else(|| Err(Void { reason: "the game was not finished".to_owned() }));
        let (terms, opening_plies) = (self.terms, self.opening_plies);
        Finished { terms, opening_plies, plies: self.plies, outs: self.outs, unfinished, result }
    }

    /// The turn of `seat` if it ends now without a move; `None` if there is nothing to record about the turn.
    fn turn_without_move(&mut self, seat: Seat, elapsed: Duration) -> Option<Unfinished> {
        let (elapsed, tries) = (whole_micros(elapsed), std::mem::take(&mut self.tries));
        let has_trace = !elapsed.is_zero() || !tries.is_empty();
        has_trace.then_some(Unfinished { seat, elapsed: Some(elapsed), tries })
    }
}
