//! Eyes, and random placements that do not fill them.

use super::board::GoBoard;
use super::chains::Spot;
use super::geometry::GoPoint;
use crate::base::random::SplitMix64;
use crate::game::quantum::seats::Seat;

impl GoBoard {
    /// Whether the empty point `point` is an eye of `seat`, that is, whether all adjacent points have stones of `seat`.
    /// The diagonal points do not matter.
    #[inline]
    pub fn is_own_eye(&self, seat: Seat, point: GoPoint) -> bool {
        let mut beside = point.beside().into_iter().map(|place| self.spot(place));
        beside.all(|spot| spot == Spot::Off || spot == Spot::Stone(seat))
    }

    /// Places a stone of `seat` on a random point that is legal and not an eye of `seat`. All such points are equally
    /// likely. Returns the point. If there is no such point, returns `None` and leaves the board unchanged.
    ///
    /// Points are drawn and tested one by one, which takes far less time than listing all legal points.
    pub fn play_tidy(&mut self, seat: Seat, random: &mut SplitMix64) -> Option<GoPoint> {
        let mut left = self.empty();
        for count in (1..=left.len()).rev() {
            let point = left.nth(u32::try_from(random.below(count.into())).ok()?)?;
            if !self.is_own_eye(seat, point) && self.play(seat, point).is_ok() {
                return Some(point);
            }
            left.remove(point);
        }
        None
    }
}
