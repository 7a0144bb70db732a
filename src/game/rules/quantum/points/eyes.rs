//! Eyes: points that a seat had better leave alone.

use super::board::GoBoard;
use super::chains::Spot;
use super::geometry::GoPoint;
use crate::game::rules::quantum::seats::Seat;

impl GoBoard {
    /// Whether the empty point `point` is an eye of `seat`: all points beside it have stones of `seat`. Its corners do not
    /// matter.
    #[inline]
    pub fn is_own_eye(&self, seat: Seat, point: GoPoint) -> bool {
        let mut beside = point.beside().into_iter().map(|place| self.spot(place));
        beside.all(|spot| spot == Spot::Off || spot == Spot::Stone(seat))
    }
}
