//! Judges the lines that players send: what they mean, what they cost, and whether they are accepted.

use std::time::Duration;

use super::endings::Forfeiture;
use super::kept_lines::{MAX_KEPT_BYTES, MAX_KEPT_LINES};
use super::untold_moves::{Made, Untold};
use super::{Arrival, Referee, Sayings};
use crate::game::{IllegalMove, Move, Side};
use crate::referee::record::{Ply, Try, TryKind};
use crate::referee::result::{GameEnd, GameResult, Termination};
use crate::referee::times::whole_micros;
use crate::referee::wire::{Action, Line, MAX_LINE, Response, Words, seconds};

/// The cost of an accepted line.
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

impl Referee {
    /// Handles a line from `side`. It is judged immediately if `side` is to move; otherwise, it is kept for the next
    /// turn of `side`.
    pub fn receive(&mut self, side: Side, line: Line, arrival: Arrival) -> Sayings {
        let mut say = self.nothing();
        if self.is_over() {
            return say;
        }
        // While a proof is being tried, the side to move does not know yet that it is its turn.
        if side == self.to_move() && self.untold.is_none() {
            self.judge(&line, arrival, &mut say);
            self.judge_kept(&mut say);
        } else if self.kept[side].push(line).is_err() {
            let reason = format!("more than {MAX_KEPT_LINES} lines or {MAX_KEPT_BYTES} bytes out of turn");
            let forfeiture = Forfeiture { loser: side, why: Termination::Protocol, reason };
            self.forfeit(forfeiture, arrival.elapsed, &mut say);
        }
        say
    }

    /// Whether a line from the side to move with this arrival is too late.
    pub fn is_too_late(&self, arrival: Arrival) -> bool {
        self.charge(arrival).is_none()
    }

    /// Whether lines from `side` are waiting for its turn.
    pub fn has_kept(&self, side: Side) -> bool {
        !self.kept[side].is_empty()
    }

    /// Judges the lines that arrived early, each in its player's turn. They cost no time.
    pub(super) fn judge_kept(&mut self, say: &mut Sayings) {
        while !self.is_over() && self.untold.is_none() {
            let side = self.to_move();
            let Some(line) = self.kept[side].pop() else { return };
            self.judge(&line, Arrival::default(), say);
        }
    }

    fn judge(&mut self, line: &Line, arrival: Arrival, say: &mut Sayings) {
        let mover = self.to_move();
        let Some(charge) = self.charge(arrival) else {
            self.flag_falls(arrival.elapsed, say);
            return;
        };
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong => {
                let why = format!("a line may have at most {MAX_LINE} bytes");
                self.refuse_garbled("(a line that is too long)", &why, charge.elapsed, say);
                return;
            }
            Line::Foreign { said, why } => {
                self.refuse_garbled(said, why, charge.elapsed, say);
                return;
            }
        };
        match self.understand(text) {
            Err(why) => self.refuse_garbled(text, &why, charge.elapsed, say),
            Ok(Understood::Resign) => self.resign(charge.elapsed, say),
            Ok(Understood::Move(word)) => match self.position.play(&word) {
                Ok(played) => {
                    self.walls[mover] += arrival.wall;
                    self.accept(mover, played, charge, say);
                }
                Err(IllegalMove::NotUnderstood) => {
                    self.refuse_garbled(text, &format!("`{word}` is not a move"), charge.elapsed, say);
                }
                Err(why) => self.refuse_illegal(text, &format!("{word}: {why}"), charge.elapsed, say),
            },
        }
    }

    /// The cost of a line with this arrival, or `None` if the flag had fallen.
    fn charge(&self, arrival: Arrival) -> Option<Charge> {
        let elapsed = whole_micros(arrival.elapsed);
        match self.allowance() {
            Some(allowance) if elapsed > allowance => {
                let in_time = elapsed.saturating_sub(arrival.lateness) <= allowance;
                // Without a clock, no flag can fall, so there is no credit.
                let late_credit = self.clocks[self.to_move()].left().is_some();
                in_time.then_some(Charge { elapsed: allowance, late_credit })
            }
            _ => Some(Charge { elapsed, late_credit: false }),
        }
    }

    /// Returns the move or resignation that a line means, or the reason why it is garbled.
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
            self.forfeit(Forfeiture { loser: side, why: Termination::Protocol, reason }, elapsed, say);
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
            self.forfeit(Forfeiture { loser: side, why: Termination::Illegal, reason }, elapsed, say);
        }
    }

    /// Processes the move `played`, which `side` has made and the position has accepted.
    fn accept(&mut self, side: Side, played: Move, charge: Charge, say: &mut Sayings) {
        // The charge never exceeds the remaining time, so the flag cannot fall here.
        let left = self.clocks[side].press(charge.elapsed).unwrap_or(Some(Duration::ZERO));
        self.moves[side] += 1;
        let number = self.moves[side];
        self.plies.push(Ply {
            seat: side.into(),
            played,
            elapsed: Some(charge.elapsed),
            left,
            late_credit: charge.late_credit,
            tries: std::mem::take(&mut self.tries),
            note: None,
        });
        let made = Made { side, number, played, left: left.map(seconds) };
        if let Some(outcome) = self.position.outcome() {
            self.result = Some(Ok(GameEnd::Two(GameResult::played(outcome).because(self.position.reason()))));
        } else if let Some(case) = self.case() {
            self.untold = Some(Untold { made, case });
            return;
        }
        self.tell_move(made, say);
    }
}
