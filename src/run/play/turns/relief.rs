//! Relieves the programs of teams when a mode begins: the previous programs leave, and the programs for the mode take
//! their seats.
//!
//! No clock runs in the meantime. The last move, which has ended the previous mode, is announced afterwards.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::GameInPlay;
use crate::base::time::now;
use crate::game::Seat;
use crate::game::quantum::Mode;
use crate::host::seat::{Attendance, Opened, SeatFailure};
use crate::referee::result::Void;
use crate::referee::sans_io::Sayings;
use crate::run::play::SeatedPlayer;

/// The seats of teams whose programs for a mode have been started, or why the machine could not start them.
pub type Reliefs<'a> = Pin<Box<dyn Future<Output = Result<Vec<(Seat, Opened)>, Void>> + Send + 'a>>;

/// A source of the programs of teams.
pub trait ReliefSource: fmt::Debug + Send {
    /// Starts the programs for the mode `mode` of the teams in `seats`, and waits until each program has taken its seat
    /// or failed to do so.
    fn start(&mut self, seats: Vec<Seat>, mode: Mode) -> Reliefs<'_>;
}

impl GameInPlay<'_> {
    /// Replaces the programs of teams with those for `mode`, which has just begun, and adds the resulting lines to
    /// `say`. Returns `None` if `stopped` is ready first.
    pub(super) async fn relieve(
        &mut self,
        mode: Mode,
        say: &mut Sayings,
        stopped: Pin<&mut impl Future<Output = ()>>,
    ) -> Option<()> {
        let begun = now();
        // The team has to be in the game, but its program may have closed its end of the connection. If it is not known
        // yet how the program left, the team will drop out.
        let seats: Vec<Seat> =
            self.referee.seats_to_relieve().filter(|&seat| self.players.get(seat).is_some()).collect();
        self.frozen.hold(self.players).await;
        for &seat in &seats {
            if let Some(mut former) = self.players.take(seat) {
                former.end_turn();
                if let Some(child) = &mut former.child {
                    child.look();
                }
                former.connection.say(&std::mem::take(&mut say.players[seat])).await;
                // A program that is stopped between its turns must not run in the turns of others.
                self.players.see_out(seat, former, self.frozen.is_exclusive());
            }
        }
        if seats.is_empty() {
            say.append_all(self.referee.relieved(mode));
            return Some(());
        }
        let Some(source) = self.reliefs.as_deref_mut() else {
            say.append_all(self.referee.void("a team has no programs for its modes".to_owned(), Duration::ZERO));
            return Some(());
        };
        let started = tokio::select! {
            biased;
            () = stopped => return None,
            started = source.start(seats, mode) => started,
        };
        match started {
            Ok(opened) => self.take_over(mode, opened, say),
            Err(Void { reason }) => say.append_all(self.referee.void(reason, Duration::ZERO)),
        }
        if !self.turn.is_done(&self.referee) && !self.referee.is_over() {
            self.go_on_after(begun.elapsed()).await;
        }
        Some(())
    }

    /// Gives each program that has come its seat. A team whose program has not come drops out or, in a game with two
    /// seats, loses the game.
    fn take_over(&mut self, mode: Mode, opened: Vec<(Seat, Opened)>, say: &mut Sayings) {
        let (mut absent, seats) = (Vec::new(), self.players.seats());
        for (seat, Opened { child, attendance, .. }) in opened {
            let failure = match attendance {
                Attendance::Seated(connection) => {
                    say.players[seat] = self.referee.relieve(seat);
                    self.players.relieve(seat, SeatedPlayer { connection: *connection, child }, mode);
                    self.presence.begins(seat);
                    self.frozen.begins(seat);
                    continue;
                }
                Attendance::Failed(failure) => failure,
                Attendance::Excused => {
                    let reason = "a team's program was not started".to_owned();
                    say.append_all(self.referee.void(reason, Duration::ZERO));
                    continue;
                }
            };
            self.players.end_absent(seat, child, mode);
            absent.push((seat, failure));
        }
        if seats == 2 && absent.len() == 2 {
            let each = absent.iter().map(|(seat, SeatFailure { termination, reason })| {
                format!("{}: {termination} for {mode} ({reason})", seat.name(seats))
            });
            self.referee.nobody_came(each.collect::<Vec<_>>().join("; "));
        }
        for (seat, SeatFailure { termination, reason }) in absent {
            let reason = format!("its bot for {mode}: {reason}");
            say.append_all(self.referee.forfeits(seat, termination, reason, Duration::ZERO));
        }
        say.append_all(self.referee.relieved(mode));
    }

    /// Continues the turn of a player that was already on move when the mode began because another player dropped out.
    /// The `pause` does not count.
    async fn go_on_after(&mut self, pause: Duration) {
        self.turn.skip(pause);
        let (on_move, ply) = (self.on_move(), self.referee.plies().len() + 1);
        if self.referee.is_of_team(on_move) {
            self.turn.prepare(&self.referee, self.players).await;
            if let Some(player) = self.players.get_mut(on_move) {
                player.begin_turn(ply);
            }
        }
    }
}
