//! One game between two seats, sans I/O: lines and elapsed times in, what to say to whom out.
//!
//! The referee knows no sockets and reads no clock. [`crate::run::play`] reads the lines, measures the times and writes what
//! the referee says. Tests can therefore check every rule here to the microsecond without waiting.

mod announce;
mod endings;
mod kept_lines;
mod sayings;
#[cfg(test)]
mod tests;
mod untold;

use std::time::Duration;

pub use endings::Endings;
pub use kept_lines::{MAX_KEPT_BYTES, MAX_KEPT_LINES};
pub use sayings::Sayings;

use kept_lines::EarlyLines;
use untold::{Made, Untold};

use crate::exact::adjudication::Adjudication;
use crate::game::rules::{BySide, IllegalMove, Move, Position, Ruleset, Side};
use crate::referee::clock::{Clock, Meter, TimeControl, whole_micros};
use crate::referee::record::{GameRecord, Ply, Tries, Try, TryKind, Unfinished};
use crate::referee::result::{GameResult, Limit, Termination, Void};
use crate::referee::wire::{Action, Decision, Line, Response, Words, seconds};

/// Room for the moves of nearly every game, so that no move waits for memory.
const USUAL_PLIES: usize = 40;

/// What a referee must know before a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The rules.
    pub ruleset: Ruleset,
    /// The clocks.
    pub time_control: TimeControl,
    /// What the clocks count.
    pub meter: Meter,
    /// How many refused moves (291) a player may make; `None` is any number.
    pub illegal_tries: Option<u32>,
    /// How many garbled lines (299) a player may send; `None` is any number.
    pub garbled_tries: Option<u32>,
    /// How long both sides together may think in a game without clocks; `None` is no limit.
    pub game_limit: Option<Duration>,
    /// What the arena tells the remaining player.
    pub endings: Endings,
    /// When a proof may end the game; `None` is never.
    pub adjudicate: Option<Adjudication>,
}

/// When a line arrived, on the clock of the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// From the start of the turn to the arrival of the line's last byte, on the clock of the side to move.
    pub elapsed: Duration,
    /// The same in wall time, which has a limit of its own if the clock counts CPU time.
    pub wall: Duration,
    /// How late the arena itself is known to be in this turn. A line that would have been in time without this lateness
    /// is in time.
    pub lateness: Duration,
}

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The child process, if there is one, went on or exited with 0.
    Disconnect,
    /// The child process died of a signal or exited with another status than 0, in words.
    Crash(String),
    /// The child process exceeded what it may use, in words, and was ended.
    Limit(Limit, String),
    /// The machine ended the child process, for the reason given, so that the game is void.
    Void(String),
}

/// One game.
///
/// Invariant: nothing changes once there is a result.
#[derive(Debug)]
pub struct Referee {
    terms: Terms,
    position: Box<dyn Position>,
    clocks: BySide<Clock>,
    /// The wall time that each side has spent in its own turns, if the clocks count CPU time.
    walls: BySide<Duration>,
    illegal: BySide<u32>,
    garbled: BySide<u32>,
    kept: BySide<EarlyLines>,
    plies: Vec<Ply>,
    /// How many moves each side has made, including those of the opening.
    moves: BySide<u32>,
    /// How many of the plies belong to the opening.
    opening_plies: usize,
    /// What everybody was told about the opening, if there is one.
    opening: Option<Sayings>,
    /// The lines refused in this turn.
    tries: Tries,
    /// The last move, until it is known whether it decides the game. Until then the referee judges no line and
    /// announces nothing.
    untold: Option<Untold>,
    result: Option<Result<GameResult, Void>>,
    /// Time spent in the turn that the end cut off.
    cut_off: Option<Duration>,
    /// Whether there may be observers. If not, the referee prepares nothing for them.
    observed: bool,
}

/// What remains of a game once it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The terms under which it was played.
    pub terms: Terms,
    /// How many of the first plies were given and not played.
    pub opening_plies: usize,
    /// The accepted moves.
    pub plies: Vec<Ply>,
    /// The turn that the end cut off.
    pub unfinished: Option<Unfinished>,
    /// The result.
    pub result: Result<GameResult, Void>,
}

impl Finished {
    /// The record of the game between these players, without what only the caller knows.
    pub fn record(self, players: BySide<String>) -> GameRecord {
        let Terms { ruleset, time_control, meter, adjudicate, .. } = self.terms;
        GameRecord {
            time_control: Some(time_control),
            meter,
            adjudicate,
            opening_plies: self.opening_plies,
            plies: self.plies,
            unfinished: self.unfinished,
            ..GameRecord::of(ruleset, players, self.result)
        }
    }
}

impl Referee {
    /// A game that has not started.
    pub fn new(terms: Terms) -> Self {
        Self::starting_at(terms.ruleset.start(), terms)
    }

    /// A game that has not started and begins in `position`.
    pub(crate) fn starting_at(position: Box<dyn Position>, mut terms: Terms) -> Self {
        // Times are charged in whole microseconds, so a limit with a fraction of one could not be used up exactly.
        terms.game_limit = terms.game_limit.map(whole_micros);
        Self {
            position,
            clocks: BySide::from_fn(|side| Clock::new(terms.time_control.of(side))),
            walls: BySide::default(),
            terms,
            illegal: BySide::default(),
            garbled: BySide::default(),
            kept: BySide::default(),
            plies: Vec::with_capacity(USUAL_PLIES),
            moves: BySide::default(),
            opening_plies: 0,
            opening: None,
            tries: Tries::default(),
            untold: None,
            result: None,
            cut_off: None,
            observed: true,
        }
    }

    /// The same game without observers: the sayings for them stay empty.
    #[must_use]
    pub fn unobserved(mut self) -> Self {
        self.observed = false;
        self
    }

    /// The same game, begun with these plies, which nobody has to play and which cost no time. Call this after
    /// [`Referee::unobserved`] and before [`Referee::start`].
    ///
    /// # Panics
    /// When the rules refuse a ply, or a ply ends the game.
    #[must_use]
    pub fn with_opening(mut self, opening: &[Move]) -> Self {
        // Announced ply by ply from the first position, as if they had been played.
        let mut say = Sayings::default();
        self.tell_observers(Response::YouObserve, &mut say);
        for &given in opening {
            self.place(given, &mut say);
        }
        assert!(self.position.outcome().is_none(), "an opening that ends the game leaves nothing to play");
        self.opening_plies = opening.len();
        self.opening = Some(say);
        self
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        self.position.to_move()
    }

    /// The number of the next move. Each side's moves are numbered from 1.
    pub fn number(&self) -> u32 {
        self.moves[self.to_move()] + 1
    }

    /// What the clocks count.
    pub const fn meter(&self) -> Meter {
        self.terms.meter
    }

    /// Whether the side to move has a clock.
    pub fn is_timed(&self) -> bool {
        self.clocks[self.to_move()].left().is_some()
    }

    /// Whether there is a result, or the game is void.
    pub const fn is_over(&self) -> bool {
        self.result.is_some()
    }

    /// The accepted moves so far.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The result so far.
    pub const fn result(&self) -> Option<&Result<GameResult, Void>> {
        self.result.as_ref()
    }

    /// How much of its turn the side to move may use before [`Referee::time_is_up`] is due; `None` without any limit.
    pub fn allowance(&self) -> Option<Duration> {
        match self.clocks[self.to_move()].left() {
            Some(left) => Some(left),
            None => self.terms.game_limit.map(|limit| limit.saturating_sub(self.used_in_all())),
        }
    }

    /// How much time may pass in the turn of the side to move, whatever its clock says; `None` if the clock is the only limit.
    pub fn wall_allowance(&self) -> Option<Duration> {
        let side = self.to_move();
        self.terms.meter.wall_limit(side).map(|limit| limit.saturating_sub(self.walls[side]))
    }

    fn used_in_all(&self) -> Duration {
        self.clocks.iter().map(|(_, clock)| clock.used()).sum()
    }

    /// What everybody is told when the game starts, including its opening. The first turn begins when this is written.
    pub fn start(&self) -> Sayings {
        let mut say = Sayings::default();
        for side in Side::BOTH {
            say.players[side].push(Response::YouPlay(side));
        }
        match &self.opening {
            Some(opening) => say.append_all(opening.clone()),
            None => self.tell_observers(Response::YouObserve, &mut say),
        }
        say
    }

    /// Makes the next ply of the opening.
    fn place(&mut self, given: Move, say: &mut Sayings) {
        let (side, number) = (self.to_move(), self.number());
        let played = self.position.play(given.as_str()).expect("the plies of an opening are legal");
        let ply =
            Ply { side, played, elapsed: None, left: None, late_credit: false, tries: Tries::default(), note: None };
        self.plies.push(ply);
        self.moves[side] += 1;
        let left = self.clocks[side].left().map(seconds);
        self.tell_all(Response::Moved { side, number, played, left }, say);
    }

    /// Takes a line from `side`. The referee judges it if `side` is to move, and otherwise keeps it for the next turn of
    /// `side`.
    pub fn receive(&mut self, side: Side, line: Line, arrival: Arrival) -> Sayings {
        let mut say = Sayings::default();
        if self.is_over() {
            return say;
        }
        // While a proof is tried, the side to move does not know yet that it is its turn.
        if side == self.to_move() && self.untold.is_none() {
            self.judge(&line, arrival, &mut say);
            self.judge_kept(&mut say);
        } else if self.kept[side].push(line).is_err() {
            let reason = format!("more than {MAX_KEPT_LINES} lines or {MAX_KEPT_BYTES} bytes out of turn");
            self.forfeit(side, Termination::Protocol, reason, arrival.elapsed, &mut say);
        }
        say
    }

    /// Whether a line from the side to move is too late if it arrived like this.
    pub fn is_too_late(&self, arrival: Arrival) -> bool {
        self.charge(arrival).is_none()
    }

    /// Whether lines from `side` are waiting for its turn.
    pub fn has_kept(&self, side: Side) -> bool {
        !self.kept[side].is_empty()
    }

    /// Judges the lines that arrived early, each in its player's turn. They cost no time.
    fn judge_kept(&mut self, say: &mut Sayings) {
        while !self.is_over() && self.untold.is_none() {
            let side = self.to_move();
            let Some(line) = self.kept[side].pop() else { return };
            self.judge(&line, Arrival::default(), say);
        }
    }

    /// Ends the turn because the allowance was used up, `elapsed` after its start, and no line arrived in time.
    pub fn time_is_up(&mut self, elapsed: Duration) -> Sayings {
        let mut say = Sayings::default();
        if !self.is_over() {
            self.flag_falls(elapsed, &mut say);
        }
        say
    }

    /// The connection of `side` has ended, `elapsed` after the start of the turn.
    pub fn departed(&mut self, side: Side, how: Departure, elapsed: Duration) -> Sayings {
        let mut say = self.unproven_for_good();
        let (why, reason) = match how {
            Departure::Disconnect => (Termination::Disconnect, "the connection ended".to_owned()),
            Departure::Limit(limit, how) => (Termination::Limit(limit), how),
            Departure::Crash(how) => (Termination::Crash, how),
            Departure::Void(reason) => {
                say.append_all(self.void(reason, elapsed));
                return say;
            }
        };
        say.append_all(self.forfeits(side, why, reason, elapsed));
        say
    }

    /// Makes `side` forfeit for a reason other than the lines that it sent.
    pub fn forfeits(&mut self, side: Side, why: Termination, reason: String, elapsed: Duration) -> Sayings {
        let mut say = Sayings::default();
        if !self.is_over() {
            self.forfeit(side, why, reason, elapsed, &mut say);
        }
        say
    }

    /// Ends the game because neither player came to its seat.
    pub fn nobody_came(&mut self, reason: String) {
        if !self.is_over() {
            self.result = Some(Ok(GameResult::double_forfeit(reason)));
        }
    }

    /// Ends the game because one player did not come to its seat: the other wins and is told so.
    pub fn did_not_come(&mut self, side: Side, why: Termination, reason: String) -> Sayings {
        let mut say = Sayings::default();
        if !self.is_over() {
            if self.terms.endings == Endings::Compatible {
                // The old clients understand an ending only after a start.
                say.players[side.opponent()].push(Response::YouPlay(side.opponent()));
            }
            self.forfeit(side, why, reason, Duration::ZERO, &mut say);
        }
        say
    }

    /// Ends the game without a result, through no player's fault.
    pub fn void(&mut self, reason: String, elapsed: Duration) -> Sayings {
        let mut say = Sayings::default();
        if !self.is_over() {
            self.tell_untold(&mut say);
            let problem = Response::Problem(Words::new(&format!("the game is void: {reason}")));
            self.result = Some(Err(Void { reason }));
            self.cut_off = Some(elapsed);
            self.tell_all(problem, &mut say);
        }
        say
    }

    /// Ends the referee's work and returns what remains of the game. A game that is not over is void.
    pub fn finish(self) -> Finished {
        let side = self.to_move();
        let cut_off = self.cut_off.map(whole_micros).filter(|elapsed| !elapsed.is_zero() || !self.tries.is_empty());
        let unfinished = cut_off.map(|elapsed| Unfinished { side, elapsed: Some(elapsed), tries: self.tries });
        let result = self.result.unwrap_or_else(|| Err(Void { reason: "the game was not finished".to_owned() }));
        let (terms, opening_plies) = (self.terms, self.opening_plies);
        Finished { terms, opening_plies, plies: self.plies, unfinished, result }
    }

    fn judge(&mut self, line: &Line, arrival: Arrival, say: &mut Sayings) {
        let (mover, number) = (self.to_move(), self.number());
        let Some(charge) = self.charge(arrival) else {
            self.flag_falls(arrival.elapsed, say);
            return;
        };
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong => {
                let why = format!("a line has at most {} bytes", crate::referee::wire::MAX_LINE);
                self.refuse_garbled("(a line that is too long)", &why, charge.elapsed, say);
                return;
            }
        };
        match self.understand(text) {
            Err(why) => self.refuse_garbled(text, &why, charge.elapsed, say),
            Ok(Understood::Resign) => self.resign(charge.elapsed, say),
            Ok(Understood::Move(word)) => match self.position.play(&word) {
                Ok(played) => {
                    self.walls[mover] += arrival.wall;
                    self.accept((mover, number, played), charge, say);
                }
                Err(IllegalMove::NotUnderstood) => {
                    self.refuse_garbled(text, &format!("`{word}` is no move"), charge.elapsed, say);
                }
                Err(why) => self.refuse_illegal(text, &format!("{word}: {why}"), charge.elapsed, say),
            },
        }
    }

    /// What a line with this arrival costs, or `None` if the flag had fallen.
    fn charge(&self, arrival: Arrival) -> Option<Charge> {
        let elapsed = whole_micros(arrival.elapsed);
        match self.allowance() {
            Some(allowance) if elapsed > allowance => {
                let in_time = elapsed.saturating_sub(arrival.lateness) <= allowance;
                // Without a clock no flag can fall, so there is no credit.
                let late_credit = self.clocks[self.to_move()].left().is_some();
                in_time.then_some(Charge { elapsed: allowance, late_credit })
            }
            _ => Some(Charge { elapsed, late_credit: false }),
        }
    }

    /// The move or resignation that a line means, or what is wrong with it.
    fn understand(&self, text: &str) -> Result<Understood, String> {
        let (number, dots, word) = match text.parse() {
            Ok(Action::Pass) => return Ok(Understood::Move("pass".to_owned())),
            Ok(Action::Resign) => return Ok(Understood::Resign),
            Ok(Action::Numbered { number, dots, text }) => (number, dots, text),
            Err(error) => return Err(error.to_string()),
        };
        let expected = self.number();
        if number != i64::from(expected) {
            return Err(format!("wrong move number (got {number}, expected {expected})"));
        }
        match (self.to_move(), dots) {
            (Side::White, false) => return Err("white's moves have `...` before the move".to_owned()),
            (Side::Black, true) => return Err("black's moves have no `...` before the move".to_owned()),
            _ => {}
        }
        if word == Action::RESIGN { Ok(Understood::Resign) } else { Ok(Understood::Move(word)) }
    }

    fn refuse_garbled(&mut self, text: &str, why: &str, elapsed: Duration, say: &mut Sayings) {
        let side = self.to_move();
        self.tries.push(Try::new(TryKind::Garbled, text));
        self.garbled[side] += 1;
        say.players[side].push(Response::Garbled(Words::new(why)));
        if let Some(allowed) = self.terms.garbled_tries.filter(|&allowed| self.garbled[side] > allowed) {
            let reason =
                format!("garbled line {} of the game: {why} (key `garbled_tries`: {allowed})", self.garbled[side]);
            self.forfeit(side, Termination::Protocol, reason, elapsed, say);
        }
    }

    fn refuse_illegal(&mut self, text: &str, why: &str, elapsed: Duration, say: &mut Sayings) {
        let side = self.to_move();
        self.tries.push(Try::new(TryKind::Illegal, text));
        self.illegal[side] += 1;
        say.players[side].push(Response::Illegal(Words::new(why)));
        if let Some(allowed) = self.terms.illegal_tries.filter(|&allowed| self.illegal[side] > allowed) {
            let reason =
                format!("illegal move {} of the game: {why} (key `illegal_tries`: {allowed})", self.illegal[side]);
            self.forfeit(side, Termination::Illegal, reason, elapsed, say);
        }
    }

    /// Takes a move that its position has accepted: the side that made it, its number, and the move.
    fn accept(&mut self, (side, number, played): (Side, u32, Move), charge: Charge, say: &mut Sayings) {
        // The charge is never more than what was left, so the flag cannot fall here.
        let left = self.clocks[side].press(charge.elapsed).unwrap_or(Some(Duration::ZERO));
        self.moves[side] += 1;
        self.plies.push(Ply {
            side,
            played,
            elapsed: Some(charge.elapsed),
            left,
            late_credit: charge.late_credit,
            tries: std::mem::take(&mut self.tries),
            note: None,
        });
        let made = Made { side, number, played, left: left.map(seconds) };
        if let Some(outcome) = self.position.outcome() {
            self.result = Some(Ok(GameResult::played(outcome)));
        } else if let Some(case) = self.case() {
            self.untold = Some(Untold { made, case });
            return;
        }
        self.tell_move(made, say);
    }

    fn resign(&mut self, elapsed: Duration, say: &mut Sayings) {
        let loser = self.to_move();
        say.players[loser].push(Response::Resigned);
        self.end(GameResult::resigned(loser), elapsed);
        self.tell_ending(loser, Response::WonByResignation(loser.opponent()), say);
    }

    fn flag_falls(&mut self, elapsed: Duration, say: &mut Sayings) {
        let to_move = self.to_move();
        let (loser, reason) = if let Some(left) = self.clocks[to_move].left() {
            let clock = self.clocks[to_move];
            let budget = humantime::format_duration(left + clock.used());
            let reason = match self.terms.meter.wall_limit(to_move) {
                None => format!("more than {budget} used"),
                Some(_) if elapsed > left => format!("more than {budget} of CPU time used"),
                Some(limit) => format!(
                    "more than {} passed in its turns (key `wall_limit`), {}.{:03} s of them on the CPU",
                    humantime::format_duration(limit),
                    (clock.used() + elapsed).as_secs(),
                    (clock.used() + elapsed).subsec_millis()
                ),
            };
            (to_move, reason)
        } else {
            // The game limit: the side that has used more time loses; in a tie, the side to move.
            let waiting = self.clocks[to_move.opponent()].used();
            let slower = if waiting > self.clocks[to_move].used() + elapsed { to_move.opponent() } else { to_move };
            let limit = self.terms.game_limit.unwrap_or_default();
            let limit = humantime::format_duration(limit);
            (
                slower,
                format!("the game took more than {limit} of thinking (key `game_limit`), and {slower} used more of it"),
            )
        };
        self.forfeit(loser, Termination::Time, reason, elapsed, say);
    }

    fn forfeit(&mut self, loser: Side, why: Termination, reason: String, elapsed: Duration, say: &mut Sayings) {
        self.tell_untold(say);
        self.end(GameResult::forfeit(loser, why, reason), elapsed);
        let gone = matches!(why, Termination::Disconnect | Termination::Crash | Termination::NoShow);
        if !gone {
            say.players[loser].push(Response::Over { decision: Decision::Loss, played: None });
        }
        let status = match why {
            Termination::Time => Response::WonByTime(loser.opponent()),
            _ => Response::Disconnected(loser),
        };
        self.tell_ending(loser, status, say);
    }

    fn end(&mut self, result: GameResult, elapsed: Duration) {
        // The last turn counts: the record has the time that the side to move used in it.
        let side = self.to_move();
        self.cut_off = Some(elapsed);
        // Whether the flag falls no longer matters: the result says how the game ended.
        let _ = self.clocks[side].press(elapsed);
        self.result = Some(Ok(result));
    }
}

/// What an accepted line costs.
#[derive(Clone, Copy, Debug)]
struct Charge {
    elapsed: Duration,
    late_credit: bool,
}

/// A line that was understood.
enum Understood {
    Move(String),
    Resign,
}
