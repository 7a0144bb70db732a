//! Seats: starting the players of a game, waiting for them, and seating them.

pub mod address;
mod launched;
mod seat_visitors;

use crate::host::line::Connection;
use crate::host::process::ChildProcess;
use crate::referee::result::Termination;

pub(crate) use launched::wrong_seat;
pub use launched::{Launching, Seating, launch};
pub use seat_visitors::Door;

/// One player's seat at the beginning of a game.
#[derive(Debug)]
pub struct Opened {
    /// The child, if the arena started one.
    pub child: Option<ChildProcess>,
    /// Whether the player has arrived.
    pub attendance: Attendance,
    /// Reserves the seat's address until the game ends.
    pub lease: Option<address::AddressLease>,
    /// The seat's door after the player has arrived, if the seat is recorded. The door is closed on drop.
    pub door: Option<Box<Door>>,
}

impl Opened {
    /// Creates a seat for which the arena has not started a program.
    pub const fn without_child(attendance: Attendance) -> Self {
        Self { child: None, attendance, lease: None, door: None }
    }

    /// Creates the seat of a player whose program cannot be started, for this `reason`.
    pub fn not_started(reason: impl Into<String>) -> Self {
        Self::without_child(Attendance::Failed(SeatFailure::new(Termination::NotStarted, reason)))
    }

    /// Creates the seat of a remote player. `attendance` is `None` if the player was not invited.
    pub fn of_remote_player(attendance: Option<Attendance>) -> Self {
        Self::without_child(attendance.unwrap_or(Attendance::Excused))
    }
}

/// Whether a player has arrived at its seat.
#[derive(Debug)]
pub enum Attendance {
    /// The player has sent its hello and been granted its seat.
    Seated(Box<Connection>),
    /// The player did not arrive.
    Failed(SeatFailure),
    /// The player was not invited, because too few others can be started.
    Excused,
}

/// The reason why a player did not arrive at its seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatFailure {
    /// How the game ends because of this failure.
    pub termination: Termination,
    /// A description of what happened.
    pub reason: String,
}

impl SeatFailure {
    /// Creates a failure with `termination`, for `reason`.
    pub fn new(termination: Termination, reason: impl Into<String>) -> Self {
        Self { termination, reason: reason.into() }
    }
}
