//! Judges the lines that players send: what they mean, what they cost, and whether they are accepted.

use std::time::Duration;

use super::endings::Forfeiture;
use super::kept_lines::{MAX_KEPT_BYTES, MAX_KEPT_LINES};
use super::untold_moves::{Made, Untold};
use super::{Arrival, Referee, Sayings};
use crate::game::{IllegalMove, Move, Seat, Side};
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
    /// Handles a line from this seat or side. It is judged immediately if the seat is to move; otherwise, it is kept
    /// for the seat's next turn.
    pub fn receive(&mut self, seat: impl Into<Seat>, line: Line, arrival: Arrival) -> Sayings {
        let (seat, mut say) = (seat.into(), self.nothing());
        if self.is_over() || !self.is_in(seat) {
            return say;
        }
        // While a proof is being tried, or while programs change, the seat to move has not yet been informed that it is
        // its turn.
        if seat == self.seat_to_move() && self.untold.is_none() && self.mode_to_relieve().is_none() {
            self.judge(&line, arrival, &mut say);
            self.judge_kept(&mut say);
        } else if self.kept[seat].push(line).is_err() {
            let reason = format!("sent more than {MAX_KEPT_LINES} lines or {MAX_KEPT_BYTES} bytes out of turn");
            let forfeiture = Forfeiture { loser: seat, why: Termination::Protocol, reason };
            self.forfeit(forfeiture, arrival.elapsed, &mut say);
        }
        say
    }

    /// Whether a line from the seat to move with this arrival is too late.
    pub fn is_too_late(&self, arrival: Arrival) -> bool {
        self.charge(arrival).is_none()
    }

    /// Whether lines from this seat or side are waiting for its turn.
    pub fn has_kept(&self, seat: impl Into<Seat>) -> bool {
        !self.kept[seat.into()].is_empty()
    }

    /// Judges the lines that arrived early, each in its player's turn. They cost no time.
    pub(super) fn judge_kept(&mut self, say: &mut Sayings) {
        while !self.is_over() && self.untold.is_none() && self.mode_to_relieve().is_none() {
            let seat = self.seat_to_move();
            let Some(line) = self.kept[seat].pop() else { return };
            self.judge(&line, Arrival::default(), say);
        }
    }

    fn judge(&mut self, line: &Line, arrival: Arrival, say: &mut Sayings) {
        let mover = self.seat_to_move();
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
                let late_credit = self.clocks[self.seat_to_move()].left().is_some();
                in_time.then_some(Charge { elapsed: allowance, late_credit })
            }
            _ => Some(Charge { elapsed, late_credit: false }),
        }
    }

    /// Returns the move or resignation that a line stands for, or the reason why it is garbled.
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
        let seat = self.seat_to_move();
        match (seat.side(), dots) {
            _ if self.seats() > 2 => {
                let before = seat.index();
                if dots != before {
                    return Err(format!("the moves of seat {seat} must be preceded by {before} `...`, not by {dots}"));
                }
            }
            (Side::White, 0) => return Err("white's moves must be preceded by `...`".to_owned()),
            // With two seats, a second `...` is read as the move, which is illegal.
            (Side::White, 2..) => return Ok(Understood::Move("...".to_owned())),
            (Side::Black, 1..) => return Err("black's moves must not be preceded by `...`".to_owned()),
            _ => {}
        }
        if word == Action::RESIGN { Ok(Understood::Resign) } else { Ok(Understood::Move(word)) }
    }

    fn refuse_garbled(&mut self, text: &str, why: &str, elapsed: Duration, say: &mut Sayings) {
        let seat = self.seat_to_move();
        self.tries.push(Try::new(TryKind::Garbled, text));
        self.garbled[seat] += self.cost_of_refusal();
        say.players[seat].push(Response::Garbled(Words::new(why)));
        if let Some(allowed) = self.terms.garbled_tries.filter(|&allowed| self.garbled[seat] > allowed) {
            let reason =
                format!("garbled line {} of the game: {why} (key `garbled_tries`: {allowed})", self.garbled[seat]);
            self.forfeit(Forfeiture { loser: seat, why: Termination::Protocol, reason }, elapsed, say);
        }
    }

    /// How much the refusal of a line counts.
    fn cost_of_refusal(&mut self) -> u32 {
        u32::from(!std::mem::take(&mut self.may_be_outdated))
    }

    fn refuse_illegal(&mut self, text: &str, why: &str, elapsed: Duration, say: &mut Sayings) {
        let seat = self.seat_to_move();
        self.tries.push(Try::new(TryKind::Illegal, text));
        self.illegal[seat] += self.cost_of_refusal();
        say.players[seat].push(Response::Illegal(Words::new(why)));
        if let Some(allowed) = self.terms.illegal_tries.filter(|&allowed| self.illegal[seat] > allowed) {
            let reason =
                format!("illegal move {} of the game: {why} (key `illegal_tries`: {allowed})", self.illegal[seat]);
            self.forfeit(Forfeiture { loser: seat, why: Termination::Illegal, reason }, elapsed, say);
        }
    }

    /// Processes the move `played`, which `seat` has made and the position has accepted.
    fn accept(&mut self, seat: Seat, played: Move, charge: Charge, say: &mut Sayings) {
        // The charge never exceeds the remaining time, so the flag cannot fall here.
        let left = self.clocks[seat].press(charge.elapsed).unwrap_or(Some(Duration::ZERO));
        self.moves[seat] += 1;
        self.may_be_outdated = false;
        let number = self.moves[seat];
        self.plies.push(Ply {
            seat,
            played,
            elapsed: Some(charge.elapsed),
            left,
            late_credit: charge.late_credit,
            tries: std::mem::take(&mut self.tries),
            thought: None,
            note: None,
        });
        let made = Made { seat, number, played, left: left.map(seconds) };
        self.end_by_rules();
        if !self.is_over()
            && let Some(case) = self.case()
        {
            self.untold = Some(Untold { made, case });
            return;
        }
        self.tell_move(made, say);
    }

    /// Ends the game if the rules have ended it.
    pub(super) fn end_by_rules(&mut self) {
        if !self.position.is_over() {
            return;
        }
        let end = match (self.position.standing(), self.position.outcome()) {
            (Some(standing), _) => GameEnd::Group(standing),
            (None, Some(outcome)) => GameEnd::Two(GameResult::played(outcome).because(self.position.reason())),
            (None, None) => return,
        };
        self.result = Some(Ok(end));
    }
}
