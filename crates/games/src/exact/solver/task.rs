//! The question that a search answers, and bounds on the answer. These types are shared by all files of the solver.

use crate::game::gothello::Points;

/// The largest possible lead of a side: the last empty point is never filled, because the stone there would have no
/// liberty.
pub(super) const MOST: i32 = 24;

/// The maximum number of placements in a position.
pub(super) const MAX_PLACEMENTS: usize = 25;

/// The bounds on a value, for the side to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The value is not less than this.
    pub(super) lower: i32,
    /// The value is not more than this.
    pub(super) upper: i32,
}

impl Bounds {
    /// The bounds in which nothing is certain.
    pub(super) const OPEN: Self = Self { lower: -MOST, upper: MOST };
}

/// The question that a search answers, with counts that are cheaper to update than to recompute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// The number of empty points.
    pub(super) empty: u32,
    /// The stones of the side to move minus those of the other side.
    pub(super) lead: i32,
    /// The bound that the search compares the value with: does the value reach it?
    pub(super) least: i32,
}

impl Task {
    /// Returns the other side's task after a placement that captures `captured`.
    pub(super) const fn after(self, captured: Points) -> Self {
        let gained = 1 + 2 * captured.count_ones().cast_signed();
        Self { empty: self.empty - 1, lead: -self.lead - gained, least: 1 - self.least }
    }

    /// Returns the other side's task after a pass.
    pub(super) const fn passed(self) -> Self {
        Self { empty: self.empty, lead: -self.lead, least: 1 - self.least }
    }
}
