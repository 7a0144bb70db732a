//! The players that have taken their seats when a game is about to start.

use std::time::Duration;

use super::leaver::Leaver;
use super::seated_players::SeatedPlayers;
use crate::game::{BySeat, Seat};
use crate::host::seat::{Attendance, Opened, SeatFailure};

/// The seats of a game that is about to start.
pub(super) enum Turnout {
    /// At least two players have taken their seats. In a game with more than two seats, some players may be absent.
    Enough {
        /// The players that have come.
        players: SeatedPlayers,
        /// The players that have not come, and why.
        absent: Vec<(Seat, SeatFailure)>,
    },
    /// Fewer than two players have taken their seats, so the game is over.
    TooFew {
        /// The players that did not come, and why.
        absent: Vec<(Seat, SeatFailure)>,
        /// The connections and processes of all players.
        leavers: BySeat<Leaver>,
    },
    /// A player is absent without having failed, although the game could go on. This never happens when seats are
    /// opened, because the game is then void.
    Excused(BySeat<Leaver>),
}

impl Turnout {
    /// Determines which players have taken these seats. A player has `quit_timeout` to leave after the game. The caller
    /// keeps the seats' leases.
    pub(super) fn of(opened: BySeat<Opened>, quit_timeout: Duration) -> Self {
        let seats = opened.seats();
        let is_seated = |opened: &&Opened| matches!(opened.attendance, Attendance::Seated(_));
        let present = opened.values().filter(is_seated).count();
        let mut absent = Vec::new();
        for (seat, Opened { attendance, .. }) in opened.iter() {
            if let Attendance::Failed(failure) = attendance {
                absent.push((seat, failure.clone()));
            }
        }
        let is_complete = present + absent.len() == usize::from(seats);
        let leavers = opened.map(|Opened { attendance, child, .. }| Leaver::of(attendance, child));
        if absent.len() + 1 >= usize::from(seats) {
            return Self::TooFew { absent, leavers };
        }
        if !is_complete {
            return Self::Excused(leavers);
        }
        Self::Enough { players: SeatedPlayers::of_those_present(leavers, quit_timeout), absent }
    }
}
