//! Judges the lines of players, and decides whether the time of a player on move is up.

use std::time::Duration;

use super::GameInPlay;
use crate::base::time::{Instant, now};
use crate::game::Seat;
use crate::host::line::Input;
use crate::referee::clock::Meter;
use crate::referee::sans_io::Sayings;
use crate::referee::wire::Line;

/// How long the arena may be stopped in the turn of a player whose lines have no timestamps. If it is stopped for
/// longer, the time that the player used is unknown.
const LONGEST_UNSTAMPED: Duration = Duration::from_millis(500);

impl GameInPlay<'_> {
    /// Judges a line that arrived at `at`. If the arena was stopped and cannot tell how much time the player used, the
    /// game is void instead.
    pub(super) async fn receive(&mut self, seat: Seat, line: Line, at: Instant) -> Sayings {
        let arrival = self.turn.arrival(at, self.due, self.players).await;
        if seat == self.on_move() {
            let unknown = self.referee.meter() == Meter::Wall
                && self.players.get(seat).is_some_and(|player| !player.connection.is_stamped())
                && self.turn.stalls.total() > LONGEST_UNSTAMPED;
            let (referee, turn) = (&mut self.referee, &mut self.turn);
            if unknown || (referee.is_too_late(arrival) && turn.is_doubtful(referee, arrival.elapsed, at)) {
                return self.stopped_arena(arrival.elapsed);
            }
            turn.charge_stalls(at);
        }
        self.referee.receive(seat, line, arrival)
    }

    /// Ends the game without a result, because the arena was stopped.
    fn stopped_arena(&mut self, elapsed: Duration) -> Sayings {
        let stalled = self.turn.stalls.total().as_secs_f64();
        let on_move = self.on_move().name(self.players.seats());
        let reason = if stalled > 0.0 {
            format!("the arena was stopped for {stalled:.1} s during {on_move}'s turn, so {on_move}'s time is unknown")
        } else {
            format!("the arena was stopped during {on_move}'s earlier turns, so {on_move}'s time is unknown")
        };
        self.referee.void(reason, elapsed)
    }

    /// When the allowance is used up, reads the input of the player on move once more before the player's flag falls,
    /// so that the arena's lateness does not cost the player a move that was in time. The input is requested from the
    /// system, not from the runtime, which may have been stopped.
    pub(super) async fn last_look(&mut self) -> Sayings {
        let seat = self.on_move();
        let mut said = Sayings::nothing(self.referee.seats());
        while let Some(player) = self.players.get_mut(seat) {
            let Some(Input::Line(line, at)) = player.connection.ready().await else { break };
            said.append_all(self.receive(seat, line, at).await);
            if self.referee.is_over() || self.turn.is_done(&self.referee) {
                return said;
            }
        }
        let at = now();
        let elapsed = self.turn.arrival(at, self.due, self.players).await.elapsed;
        said.append_all(if self.turn.is_doubtful(&self.referee, elapsed, at) {
            self.stopped_arena(elapsed)
        } else {
            self.referee.time_is_up(elapsed)
        });
        said
    }
}
