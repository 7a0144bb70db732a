//! The blocks of a layer: its sets of empty points, up to symmetry.

use super::grid::{BoardGrid, PointSet};

/// The sets that contain a given number of a board's points, one for each class under the eight symmetries, in
/// ascending order.
#[derive(Clone, Debug)]
pub struct Classes(Vec<PointSet>);

impl Classes {
    /// The classes of the sets of `count` points.
    pub fn of_sets(grid: &BoardGrid, count: u32) -> Self {
        Self(subsets(grid.points(), count).filter(|&set| grid.lowest_image(set).0 == set).collect())
    }

    /// The sets that represent the classes.
    pub fn sets(&self) -> &[PointSet] {
        &self.0
    }

    /// The number of classes.
    pub const fn count(&self) -> usize {
        self.0.len()
    }

    /// The place of the class that `set` represents.
    pub fn place(&self, set: PointSet) -> Option<usize> {
        self.0.binary_search(&set).ok()
    }
}

/// All sets of `count` of the first `points` points, in ascending order.
fn subsets(points: u32, count: u32) -> impl Iterator<Item = PointSet> {
    let first = (count <= points).then_some((1_u32 << count) - 1);
    let next = move |&set: &PointSet| {
        if set == 0 {
            return None;
        }
        // The next higher number with the same number of set bits.
        let ripple = set + (set & set.wrapping_neg());
        let next = (((set ^ ripple) >> 2) / (set & set.wrapping_neg())) | ripple;
        (next < 1 << points).then_some(next)
    };
    std::iter::successors(first, next)
}
