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

    /// The number of classes of the sets of `count` points on a board of `size` by `size` points, without listing them.
    /// By Burnside's lemma, it is the mean number of sets that a symmetry maps to themselves.
    pub fn number(size: u8, count: u32) -> u64 {
        let (width, count) = (u64::from(size), u64::from(count));
        let (points, middle) = (width * width, width % 2);
        // For each kind of symmetry: how many points it leaves in place, the length of the cycles of the other points,
        // and how many such symmetries there are. They are the identity, the quarter turns, the half turn, and the
        // reflections across a file or rank and across a diagonal.
        let kinds = [(points, 1, 1), (middle, 4, 2), (middle, 2, 1), (middle * width, 2, 2), (width, 2, 2)];
        let unchanged = |(fixed, length, times): (u64, u64, u64)| {
            let sets = |cycles| choices((points - fixed) / length, cycles) * choices(fixed, count - length * cycles);
            times * (0..=count / length).map(sets).sum::<u64>()
        };
        kinds.into_iter().map(unchanged).sum::<u64>() / 8
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

/// In how many ways `chosen` of `all` things can be chosen.
fn choices(all: u64, chosen: u64) -> u64 {
    if chosen > all { 0 } else { (0..chosen).fold(1, |ways, index| ways * (all - index) / (index + 1)) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_as_many_as_are_counted_without_listing_them() {
        for (size, most) in [(3, 9), (4, 16), (5, 8)] {
            let grid = BoardGrid::new(size);
            for count in 0..=most {
                let listed = Classes::of_sets(&grid, count).count() as u64;
                assert_eq!(Classes::number(size, count), listed, "{count} of {size}x{size} points");
            }
        }
        // A set and its complement have the same symmetries.
        for count in 0..=25 {
            assert_eq!(Classes::number(5, count), Classes::number(5, 25 - count));
        }
    }
}
