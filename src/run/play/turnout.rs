//! The players that have taken their seats when a game is about to start.

use super::leaver::Leaver;
use super::seated_players::Seat;
use crate::game::{BySide, Side};
use crate::host::seat::{Attendance, Opened, SeatFailure};

/// The two seats of a game that is about to start.
pub(super) enum Turnout {
    /// Both players have taken their seats.
    Both(BySide<Seat>),
    /// One player did not connect. The other has taken its seat, unless the arena excused it.
    One {
        /// The side of the player that did not connect.
        absent: Side,
        /// Why the player did not connect.
        failure: SeatFailure,
        /// The connections and processes of both players.
        leavers: BySide<Leaver>,
    },
    /// Neither player has connected.
    Nobody {
        /// Why, in words.
        reason: String,
        /// The connections and processes of both players.
        leavers: BySide<Leaver>,
    },
    /// A player was excused although its opponent has not failed. This never happens when seats are opened; such a game
    /// is void.
    Excused(BySide<Leaver>),
}

impl Turnout {
    /// Determines which players have taken these seats. The caller keeps the seats' leases.
    pub(super) fn of(opened: BySide<Opened>) -> Self {
        let opened = opened.map(|Opened { attendance, child, .. }| (attendance, child));
        let children = BySide { black: opened.black.1, white: opened.white.1 };
        let leavers = |black, white, children| {
            BySide { black, white }.zip(children).map(|(attendance, child)| Leaver::of(attendance, child))
        };
        match (opened.black.0, opened.white.0) {
            (Attendance::Seated(black), Attendance::Seated(white)) => {
                let connections = BySide { black: *black, white: *white };
                Self::Both(connections.zip(children).map(|(connection, child)| Seat { connection, child }))
            }
            (Attendance::Failed(black), Attendance::Failed(white)) => {
                let failures = BySide { black, white }.iter();
                let each = failures
                    .map(|(side, SeatFailure { termination, reason })| format!("{side}: {termination} ({reason})"));
                let reason = each.collect::<Vec<_>>().join("; ");
                Self::Nobody { reason, leavers: leavers(Attendance::Excused, Attendance::Excused, children) }
            }
            (Attendance::Failed(failure), white) => {
                let leavers = leavers(Attendance::Excused, white, children);
                Self::One { absent: Side::Black, failure, leavers }
            }
            (black, Attendance::Failed(failure)) => {
                let leavers = leavers(black, Attendance::Excused, children);
                Self::One { absent: Side::White, failure, leavers }
            }
            (black, white) => Self::Excused(leavers(black, white, children)),
        }
    }
}
