//! What a search is asked, and what is certain of the answer: the words that all files of the solver share.

use crate::game::rules::gothello::Points;

/// The most that a side can be ahead: the last empty point is never filled, since the stone there would have no liberty.
pub(super) const MOST: i32 = 24;

/// The most placements that there can be.
pub(super) const MAX_PLACEMENTS: usize = 25;

/// What is certain of a value, for the side to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The value is not less.
    pub(super) lower: i32,
    /// The value is not more.
    pub(super) upper: i32,
}

impl Bounds {
    /// Nothing is certain.
    pub(super) const OPEN: Self = Self { lower: -MOST, upper: MOST };
}

/// What a search is asked, and what is cheaper to carry along than to count anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// The number of empty points.
    pub(super) empty: u32,
    /// Own stones minus theirs.
    pub(super) lead: i32,
    /// Does the value reach this?
    pub(super) least: i32,
}

impl Task {
    /// The task of the other side after a placement that captures.
    pub(super) const fn after(self, captured: Points) -> Self {
        let gained = 1 + 2 * captured.count_ones().cast_signed();
        Self { empty: self.empty - 1, lead: -self.lead - gained, least: 1 - self.least }
    }

    /// The task of the other side after a pass.
    pub(super) const fn passed(self) -> Self {
        Self { empty: self.empty, lead: -self.lead, least: 1 - self.least }
    }
}
