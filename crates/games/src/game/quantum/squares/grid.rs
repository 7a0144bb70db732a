//! The squares of a grid and their names.

use std::fmt;

use super::set::SquareSet;

/// The size of the largest grid, in squares per side.
const LARGEST_GRID: u8 = 20;

/// A square, given by its file and its rank, both starting from 0. File a is on the left, and rank 1 at the top.
///
/// Squares are ordered by rank, and within a rank by file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GridSquare {
    rank: u8,
    file: u8,
}

impl GridSquare {
    /// The square on `file` and `rank`, both from 0 to 19, or `None` if it is not on the largest grid.
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < LARGEST_GRID && rank < LARGEST_GRID { Some(Self { rank, file }) } else { None }
    }

    /// The file, from 0 (a).
    pub const fn file(self) -> u8 {
        self.file
    }

    /// The rank, from 0 (rank 1).
    pub const fn rank(self) -> u8 {
        self.rank
    }

    /// The square that `text` names: a letter from `a` to `t`, and a number without leading zeros.
    pub const fn parse(text: &str) -> Option<Self> {
        match *text.as_bytes() {
            [file @ b'a'..=b't', ones @ b'1'..=b'9'] => Self::new(file - b'a', ones - b'1'),
            [file @ b'a'..=b't', tens @ b'1'..=b'9', ones @ b'0'..=b'9'] => {
                Self::new(file - b'a', (tens - b'0') * 10 + (ones - b'0') - 1)
            }
            _ => None,
        }
    }
}

/// Writes a letter and a number, such as `f5`.
impl fmt::Display for GridSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file), self.rank + 1)
    }
}

/// A grid of squares that are numbered rank by rank, with an unused number after each rank, so that no step leads from
/// one edge to the opposite one.
///
/// Invariant: 2 to 20 squares per side, each with a bit in a [`SquareSet`] of the matching size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SquareGrid {
    size: u8,
}

impl SquareGrid {
    /// The grid with `size` squares per side, an even number from 2 to 20.
    pub const fn new(size: u8) -> Self {
        assert!(1 < size && size <= LARGEST_GRID && size.is_multiple_of(2), "a grid has 2 to 20 squares a side");
        Self { size }
    }

    /// Squares per side.
    pub const fn size(self) -> u8 {
        self.size
    }

    /// The difference between the number of a square and that of the square below it.
    #[inline]
    pub const fn stride(self) -> usize {
        self.size as usize + 1
    }

    /// The steps of the four directions that lead to higher numbers. The opposite directions lead to lower ones.
    #[inline]
    pub const fn distances(self) -> [usize; 4] {
        let stride = self.stride();
        [1, stride - 1, stride, stride + 1]
    }

    /// The number of `square`; `None` if it is not in the grid.
    pub const fn index(self, square: GridSquare) -> Option<usize> {
        if square.file < self.size && square.rank < self.size {
            Some(square.rank as usize * self.stride() + square.file as usize)
        } else {
            None
        }
    }

    /// The square with this number, which must exist.
    #[expect(clippy::cast_possible_truncation, reason = "below 20")]
    pub const fn square(self, index: usize) -> GridSquare {
        GridSquare { rank: (index / self.stride()) as u8, file: (index % self.stride()) as u8 }
    }

    /// The squares in the middle of the grid, `size` per side.
    pub fn inner<const WORDS: usize>(self, size: u8) -> SquareSet<WORDS> {
        let mut inner = SquareSet::EMPTY;
        let extent = self.extent(size);
        for rank in extent.clone() {
            for file in extent.clone() {
                inner.insert(usize::from(rank) * self.stride() + usize::from(file));
            }
        }
        inner
    }

    /// The corners of [`SquareGrid::inner`], clockwise from the one nearest to a1.
    pub fn corners(self, size: u8) -> [usize; 4] {
        let extent = self.extent(size);
        let (low, high) = (usize::from(extent.start), usize::from(extent.end) - 1);
        [(low, low), (high, low), (high, high), (low, high)].map(|(file, rank)| rank * self.stride() + file)
    }

    /// The files, and also the ranks, of the `size` squares in the middle.
    const fn extent(self, size: u8) -> std::ops::Range<u8> {
        let margin = (self.size - size) / 2;
        margin..self.size - margin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_named_from_the_top_left() {
        for (text, expected) in [("a1", (0, 0)), ("f5", (5, 4)), ("i10", (8, 9)), ("t20", (19, 19))] {
            let square = GridSquare::parse(text).expect("a square");
            assert_eq!((square.file(), square.rank(), square.to_string().as_str()), (expected.0, expected.1, text));
        }
        for text in ["", "a", "a0", "a01", "u1", "a21", "A1", "1a", "a1 ", "a1b", "a100", "é1"] {
            assert_eq!(GridSquare::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_middle_and_its_corners_are_found_on_every_grid() {
        let names = |size, inner| {
            let grid = SquareGrid::new(size);
            grid.corners(inner).map(|index| grid.square(index).to_string())
        };
        assert_eq!(names(10, 2), ["e5", "f5", "f6", "e6"]);
        assert_eq!(names(8, 2), ["d4", "e4", "e5", "d5"]);
        assert_eq!(names(10, 8), ["b2", "i2", "i9", "b9"]);
        assert_eq!(SquareGrid::new(20).inner::<7>(20).len(), 400);
    }
}
