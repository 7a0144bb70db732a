//! Announces events to players and observers.

use super::untold_moves::Made;
use super::{Endings, Referee, Sayings};
use crate::game::{Move, Side};
use crate::referee::result::GameResult;
use crate::referee::wire::{Decision, Response, seconds};

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
        let left = self.clocks.map(|clock| clock.left().map(seconds)).both();
        let to_move = (!self.is_over()).then(|| self.to_move());
        // If no side is to move, the number is that of the last move.
        let last = || self.plies.last().map_or(1, |ply| self.moves[ply.side()]);
        let number = if self.is_over() { last() } else { self.number() };
        lines.push(Response::State { number, left: left.map(|left| (left.black, left.white)), to_move });
        lines.push(Response::of_board(self.terms.ruleset, self.position.to_string()));
    }

    /// Announces the last move, which has ended the game if there is a result.
    pub(super) fn tell_move(&self, Made { side, number, played, left }: Made, say: &mut Sayings) {
        let (to_mover, status) = match &self.result {
            Some(Ok(result)) => {
                let decision = Decision::of(result.two().and_then(GameResult::winner), side);
                let over = Response::Over { decision, played: Some(played) };
                (over, Response::MovedLast { side, number, played, decision })
            }
            Some(Err(_)) | None => {
                let to_mover = match left {
                    Some(left) => Response::AcceptedTimed { played: Some(played), left },
                    None => Response::Accepted(Some(played)),
                };
                (to_mover, Response::Moved { side, number, played, left })
            }
        };
        say.players[side].push(to_mover);
        self.tell_all(status, say);
    }

    /// Announces that `loser` has lost for a reason outside the rules. The terms decide how this is announced to the
    /// winner.
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

    pub(super) fn tell_all(&self, status: Response, say: &mut Sayings) {
        for side in Side::BOTH {
            say.players[side].push(status.clone());
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
