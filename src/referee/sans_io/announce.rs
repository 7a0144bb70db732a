//! Announces events to players and observers.

use super::untold_moves::Made;
use super::{Endings, Referee, Sayings};
use crate::game::{BySeat, Move, Seat, Side};
use crate::referee::result::GameEnd;
use crate::referee::wire::{Decision, Response, ToMove, seconds};

impl Referee {
    /// Returns the responses to an observer that arrives during the game.
    pub fn welcome_observer(&self) -> Vec<Response> {
        let mut lines = Response::of_rules(self.terms.ruleset, None);
        lines.extend(Response::of_clocks(self.terms.time_control));
        lines.push(Response::YouObserve);
        self.show_state(&mut lines);
        lines
    }

    /// Adds the two state messages that follow every status message to an observer.
    fn show_state(&self, lines: &mut Vec<Response>) {
        let seats = self.seats();
        let left = BySeat::from_fn(seats, |seat| self.clocks[seat].left().map(seconds)).all();
        let to_move = (!self.is_over()).then(|| ToMove::of(seats, self.seat_to_move()));
        // If no seat is to move, the number is that of the last move.
        let last = || self.plies.last().map_or(1, |ply| self.moves[ply.seat]);
        let number = if self.is_over() { last() } else { self.number() };
        lines.push(Response::State { number, left, to_move });
        lines.push(Response::of_board(self.terms.ruleset, self.position.to_string()));
    }

    /// Announces the last move, which has ended the game if there is a result.
    pub(super) fn tell_move(&self, Made { seat, number, played, left }: Made, say: &mut Sayings) {
        let going_on = Response::of_move(self.seats(), seat, number, played, left);
        let (to_mover, status) = match &self.result {
            Some(Ok(GameEnd::Two(result))) => {
                let (side, played) = (seat.side(), Some(played));
                let decision = Decision::of(result.winner(), side);
                let last = |played| Response::MovedLast { side, number, played, decision };
                (Response::Over { decision, played }, played.map_or(going_on, last))
            }
            Some(Ok(GameEnd::Group(standing))) => {
                let decision = Decision::by_placing(&standing.placing, seat);
                (Response::Over { decision, played: Some(played) }, going_on)
            }
            Some(Err(_)) | None => {
                let to_mover = match left {
                    Some(left) => Response::AcceptedTimed { played: Some(played), left },
                    None => Response::Accepted(Some(played)),
                };
                (to_mover, going_on)
            }
        };
        say.players[seat].push(to_mover);
        self.tell_all(status, say);
        self.tell_placing(say);
    }

    /// Announces the places, if the game has more than two seats and is over.
    pub(super) fn tell_placing(&self, say: &mut Sayings) {
        if let Some(Ok(GameEnd::Group(standing))) = &self.result {
            self.tell_all(Response::Placed(standing.placing.clone()), say);
        }
    }

    /// Announces that `loser` has lost a game with two seats for a reason outside the rules. The terms determine how
    /// this is announced to the winner.
    pub(super) fn tell_ending(&self, loser: Side, status: Response, say: &mut Sayings) {
        let winner = loser.opponent();
        match self.terms.endings {
            Endings::Documented => say.players[winner].push(status.clone()),
            Endings::Compatible => {
                let as_pass =
                    |side, decision| Response::MovedLast { side, number: self.number(), played: Move::PASS, decision };
                if self.to_move() == winner {
                    say.players[winner].push(Response::Over { decision: Decision::Win, played: None });
                    say.players[winner].push(as_pass(winner, Decision::Win));
                } else {
                    say.players[winner].push(as_pass(loser, Decision::Loss));
                }
            }
        }
        say.players[loser].push(status.clone());
        self.tell_observers(status, say);
    }

    /// Sends a status message to all players that are still in, and to observers.
    pub(super) fn tell_all(&self, status: Response, say: &mut Sayings) {
        for seat in Seat::all(self.seats()).filter(|&seat| self.is_in(seat)) {
            say.players[seat].push(status.clone());
        }
        self.tell_observers(status, say);
    }

    /// Sends observers a status message and the resulting state.
    pub(super) fn tell_observers(&self, status: Response, say: &mut Sayings) {
        if self.observed {
            say.observers.push(status);
            self.show_state(&mut say.observers);
        }
    }
}
