//! The parts of a record that the wing `run` needs, for games with any number of seats.

use std::time::Duration;

use super::LoggedGame;
use super::group::of_either;
use crate::game::{BySeat, Seat};
use crate::referee::clock::Meter;
use crate::referee::result::Termination;
use crate::referee::time_control::TimeControl;

impl LoggedGame {
    /// Sets the game's id to `game`.
    pub fn set_game(&mut self, game: String) {
        of_either!(self, record => record.game = Some(game));
    }

    /// The clocks before they were scaled; `None` if not recorded.
    pub fn time_control(&self) -> Option<TimeControl> {
        of_either!(self, record => record.time_control)
    }

    /// What the clocks measured.
    pub fn meter(&self) -> Meter {
        of_either!(self, record => record.meter)
    }

    /// How many of the first plies were given rather than played. Games with more than two seats have no opening.
    pub fn opening_plies(&self) -> usize {
        match self {
            Self::Two(record) => record.opening_plies,
            Self::Group(_) => 0,
        }
    }

    /// The players' names.
    pub fn players(&self) -> BySeat<&str> {
        BySeat::from_fn(self.seats(), |seat| self.player(seat))
    }

    /// The digest of the program in `seat`, if it was recorded.
    pub fn digest(&self, seat: Seat) -> Option<&str> {
        match self {
            Self::Two(record) => record.digests[seat.side()].as_deref(),
            Self::Group(record) => record.digests[seat].as_deref(),
        }
    }

    /// The time that `seat` has spent according to the record.
    pub fn used(&self, seat: Seat) -> Duration {
        match self {
            Self::Two(record) => record.used(seat.side()),
            Self::Group(record) => record.used(seat),
        }
    }

    /// How and why the player in `seat` lost, if it did so for a reason other than its play.
    pub fn failure(&self, seat: Seat) -> Option<(Termination, Option<&str>)> {
        match self {
            Self::Two(record) => {
                let result = record.result.as_ref().ok().filter(|result| result.fault().is_on(seat.side()))?;
                Some((result.termination(), result.reason()))
            }
            Self::Group(record) => {
                let out = record.out(seat).filter(|out| out.termination.is_forfeit())?;
                Some((out.termination, out.reason.as_deref()))
            }
        }
    }
}
