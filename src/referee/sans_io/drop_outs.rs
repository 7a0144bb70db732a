//! Seats that drop out of a game with more than two seats while the others play on.

use std::time::Duration;

use super::{Referee, Sayings};
use crate::referee::record::Out;
use crate::referee::wire::Response;

impl Referee {
    /// Removes from the game a seat that has resigned or forfeited, `elapsed` after the start of the turn, and
    /// announces this to all players, including the player that leaves, and to observers.
    pub(super) fn drop_out(&mut self, out: Out, elapsed: Duration, say: &mut Sayings) {
        let status = Response::DroppedOut { seat: out.seat, why: out.termination };
        say.players[out.seat].push(status.clone());
        self.leave(out, elapsed);
        self.tell_all(status, say);
        self.tell_placing(say);
    }

    /// Removes a seat from the game. If this seat is to move, its turn ends, and the turn of the next seat begins.
    /// Otherwise, the turn goes on, unless the game is over.
    pub(super) fn leave(&mut self, out: Out, elapsed: Duration) {
        let (mover, seat) = (self.seat_to_move(), out.seat);
        let was_over = self.is_over();
        self.outs.push(out);
        if was_over {
            return;
        }
        let legal = self.position.legal_moves();
        self.position.drop_out(seat);
        self.end_by_rules();
        if seat != mover && !self.is_over() {
            self.may_be_outdated |= self.position.legal_moves() != legal;
            return;
        }
        self.may_be_outdated = false;
        // The time used in the turn is recorded. It no longer matters whether the flag falls.
        let _ = self.clocks[mover].press(elapsed);
        if seat == mover {
            let turn = self.turn_without_move(mover, elapsed);
            self.dropped_turns.extend(turn);
            self.turns_dropped += 1;
        } else {
            self.cut_off = Some((mover, elapsed));
        }
    }
}
