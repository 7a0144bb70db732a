//! How players come to their seats in a tournament's game.

pub mod address;
mod launched;
mod patience;

use crate::host::line::Connection;
use crate::host::process::Child;
use crate::referee::result::Termination;

pub use launched::{Launching, launch};

/// One side's place at the beginning of a game.
#[derive(Debug)]
pub struct Opened {
    /// The child, if the arena started one.
    pub child: Option<Child>,
    /// Whether the player came.
    pub attendance: Attendance,
    /// What keeps the seat's address from other games until this one ends.
    pub lease: Option<address::Lease>,
}

impl Opened {
    /// A place at which the arena has started nothing.
    pub const fn without_child(attendance: Attendance) -> Self {
        Self { child: None, attendance, lease: None }
    }

    /// The place of a player that comes by itself, as far as it is known.
    pub fn guest(attendance: Option<Attendance>) -> Self {
        Self::without_child(attendance.unwrap_or(Attendance::Excused))
    }
}

/// Whether a player came to its seat.
#[derive(Debug)]
pub enum Attendance {
    /// It sits: its hello was said and granted.
    Seated(Box<Connection>),
    /// It did not come.
    Failed(SeatFailure),
    /// It was not asked to, because its opponent can't be started.
    Excused,
}

/// Why a player did not come to its seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatFailure {
    /// The word for it.
    pub termination: Termination,
    /// What happened.
    pub reason: String,
}

impl SeatFailure {
    /// A failure of this kind.
    pub fn new(termination: Termination, reason: impl Into<String>) -> Self {
        Self { termination, reason: reason.into() }
    }
}
