//! Sets of points.

use std::ops::{BitAnd, BitOr, Sub};

use super::geometry::{GoPoint, STRIDE};

/// The number of words in a set, which has one bit for each place.
const WORDS: usize = 8;

/// A set of points of one board, with fast union, intersection and expansion.
///
/// The result of [`GoPoints::beside`] can contain places that are not on any board, so intersect it with another set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GoPoints([u64; WORDS]);

impl GoPoints {
    /// All points of the board of `size` points per side.
    pub fn of_board(size: u8) -> Self {
        let ranks = (0..size).flat_map(|rank| (0..size).map(move |file| (file, rank)));
        ranks.filter_map(|(file, rank)| GoPoint::new(file, rank)).collect()
    }

    /// Whether `point` is in the set.
    #[inline]
    pub const fn contains(&self, point: GoPoint) -> bool {
        self.0[point.index() / 64 % WORDS] >> (point.index() % 64) & 1 != 0
    }

    /// Adds `point`.
    #[inline]
    pub const fn insert(&mut self, point: GoPoint) {
        self.0[point.index() / 64 % WORDS] |= 1 << (point.index() % 64);
    }

    /// Removes `point`.
    #[inline]
    pub const fn remove(&mut self, point: GoPoint) {
        self.0[point.index() / 64 % WORDS] &= !(1 << (point.index() % 64));
    }

    /// Whether no point is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// How many points are in the set.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The point with `nth` points of the set before it, or `None` if the set has at most `nth` points.
    #[inline]
    pub fn nth(&self, nth: u32) -> Option<GoPoint> {
        let mut before = nth;
        for (place, &word) in (0..).step_by(64).zip(&self.0) {
            let here = word.count_ones();
            if before < here {
                return Some(GoPoint::at(place + place_of_nth(word, before)));
            }
            before -= here;
        }
        None
    }

    /// The points by rank, starting from rank 1, and within a rank by letter.
    pub fn iter(self) -> impl Iterator<Item = GoPoint> {
        (0..).step_by(64).zip(self.0).flat_map(|(place, mut word)| {
            std::iter::from_fn(move || {
                let bit = lowest(word)?;
                word &= word - 1;
                Some(GoPoint::at(place + bit))
            })
        })
    }

    /// All places next to points of the set. These can be in the set, or not on any board.
    #[inline]
    #[must_use]
    pub fn beside(&self) -> Self {
        self.raised(1) | self.raised(STRIDE) | self.lowered(1) | self.lowered(STRIDE)
    }

    /// The points of the set that can be reached from `start` through points of the set.
    #[must_use]
    pub fn region(&self, start: GoPoint) -> Self {
        let mut region = Self::default();
        region.insert(start);
        loop {
            let wider = region | region.beside() & *self;
            if wider == region {
                return region;
            }
            region = wider;
        }
    }

    /// The set with every place moved up by `by` places, fewer than 64.
    #[inline]
    fn raised(&self, by: u16) -> Self {
        let carry = |i: usize| if i == 0 { 0 } else { self.0[i - 1] >> (64 - by) };
        Self(std::array::from_fn(|i| self.0[i] << by | carry(i)))
    }

    /// The set with every place moved down by `by` places, fewer than 64.
    #[inline]
    fn lowered(&self, by: u16) -> Self {
        let carry = |i: usize| if i == WORDS - 1 { 0 } else { self.0[i + 1] << (64 - by) };
        Self(std::array::from_fn(|i| self.0[i] >> by | carry(i)))
    }
}

/// The lowest bit of `word` that is set.
#[inline]
fn lowest(word: u64) -> Option<u16> {
    u16::try_from(word.trailing_zeros()).ok().filter(|_| word != 0)
}

/// The bit of `word` with `nth` set bits below it. There must be more than `nth` set bits.
#[inline]
fn place_of_nth(mut word: u64, nth: u32) -> u16 {
    for _ in 0..nth {
        word &= word - 1;
    }
    lowest(word).unwrap_or_default()
}

impl BitAnd for GoPoints {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl BitOr for GoPoints {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

/// The points of the first set that are not in the second one.
impl Sub for GoPoints {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
}

impl FromIterator<GoPoint> for GoPoints {
    fn from_iter<I: IntoIterator<Item = GoPoint>>(points: I) -> Self {
        let mut set = Self::default();
        points.into_iter().for_each(|point| set.insert(point));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_point_is_the_one_after_n_others() {
        let all: Vec<GoPoint> = GoPoints::of_board(21).iter().collect();
        assert_eq!(all.len(), 441);
        let some: GoPoints = all.iter().copied().step_by(5).collect();
        assert_eq!(usize::try_from(some.len()), Ok(89));
        assert_eq!(some.iter().collect::<Vec<_>>(), (0..89).filter_map(|nth| some.nth(nth)).collect::<Vec<_>>());
        assert_eq!(some.nth(89), None);
    }

    #[test]
    fn nothing_is_beside_a_point_but_its_neighbours() {
        for size in [1, 2, 9, 21] {
            let board = GoPoints::of_board(size);
            for point in board.iter() {
                let distance =
                    |other: &GoPoint| other.file().abs_diff(point.file()) + other.rank().abs_diff(point.rank());
                let one: GoPoints = [point].into_iter().collect();
                assert_eq!(
                    one.beside() & board,
                    board.iter().filter(|other| distance(other) == 1).collect(),
                    "{point}"
                );
            }
        }
    }

    #[test]
    fn a_region_ends_where_the_set_does() {
        let set: GoPoints = ["a1", "a2", "b2", "c3", "c4"].iter().flat_map(|text| text.parse()).collect();
        let region = |start: &str| set.region(start.parse().expect("a point"));
        let names = |start: &str| region(start).iter().map(|point| point.to_string()).collect::<Vec<_>>();
        assert_eq!(names("b2"), ["a1", "a2", "b2"]);
        assert_eq!(names("c4"), ["c3", "c4"]);
    }
}
