//! Eyes: points that a seat had better leave alone.

use super::board::GoBoard;
use super::chains::Spot;
use super::geometry::GoPoint;
use crate::game::rules::quantum::seats::Seat;

/// The most stones of other seats at the corners of an eye that is not at the edge of the board.
const MOST_FOREIGN: usize = 1;

impl GoBoard {
    /// Whether the empty point `point` is an eye of `seat`: all points beside it have stones of `seat`, and other seats have
    /// at most one stone at its corners, at the edge of the board none.
    pub fn is_own_eye(&self, seat: Seat, point: GoPoint) -> bool {
        let is_foreign = |place: &usize| matches!(self.spot(*place), Spot::Stone(owner) if owner != seat);
        let mut beside = point.beside().into_iter().map(|place| self.spot(place));
        if !beside.all(|spot| spot == Spot::Off || spot == Spot::Stone(seat)) {
            return false;
        }
        let corners = point.diagonal();
        let is_inside = corners.iter().all(|&place| self.spot(place) != Spot::Off);
        let foreign = corners.iter().filter(|place| is_foreign(place)).count();
        foreign <= if is_inside { MOST_FOREIGN } else { 0 }
    }
}
