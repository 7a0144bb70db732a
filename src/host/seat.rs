//! Seats: how the players of a game are started, awaited, and seated.

pub mod address;
mod launched;
mod seat_visitors;

use crate::host::line::Connection;
use crate::host::process::ChildProcess;
use crate::referee::result::Termination;

pub use launched::{Launching, Seating, launch};
pub use seat_visitors::Door;

/// One side's seat at the beginning of a game.
#[derive(Debug)]
pub struct Opened {
    /// The child, if the arena started one.
    pub child: Option<ChildProcess>,
    /// Whether the player came.
    pub attendance: Attendance,
    /// Keeps other games off the seat's address until this game ends.
    pub lease: Option<address::AddressLease>,
    /// The seat's door after its player has arrived, if the seat is recorded. It closes when this is dropped.
    pub door: Option<Box<Door>>,
}

impl Opened {
    /// A seat for which the arena has started nothing.
    pub const fn without_child(attendance: Attendance) -> Self {
        Self { child: None, attendance, lease: None, door: None }
    }

    /// The seat of a remote player. `attendance` is `None` if nobody asked for the player.
    pub fn of_remote_player(attendance: Option<Attendance>) -> Self {
        Self::without_child(attendance.unwrap_or(Attendance::Excused))
    }
}

/// Whether a player came to its seat.
#[derive(Debug)]
pub enum Attendance {
    /// The player said hello, and was granted its seat.
    Seated(Box<Connection>),
    /// The player did not come.
    Failed(SeatFailure),
    /// The player was not asked to come, because its opponent cannot be started.
    Excused,
}

/// Why a player did not come to its seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatFailure {
    /// How the game ends because of the failure.
    pub termination: Termination,
    /// What happened.
    pub reason: String,
}

impl SeatFailure {
    /// A failure with this termination, for this reason.
    pub fn new(termination: Termination, reason: impl Into<String>) -> Self {
        Self { termination, reason: reason.into() }
    }
}
