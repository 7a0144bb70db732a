//! The points of the largest board. Every smaller board is the lower left corner of the largest one.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The number of points per side of the largest board.
pub const LARGEST: u8 = 21;

/// The distance from a point to the one above it. This is one more than [`LARGEST`], so that the places to the right of
/// a rank's last point and to the left of its first point are not on any board.
pub(super) const STRIDE: u16 = LARGEST as u16 + 1;

/// The place of a1: the lowest place whose neighbours all have places.
const FIRST: u16 = STRIDE;

/// The letters of the files. `i` is not among them, because it looks like `j`.
const FILES: &[u8; LARGEST as usize] = b"abcdefghjklmnopqrstuv";

/// A point where two lines cross.
///
/// Points are ordered by rank, starting from rank 1, and within a rank by letter.
///
/// Invariant: the point is on the board of [`LARGEST`] points per side. The inner number is the point's place: places
/// are numbered rank by rank, including those next to the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoPoint(u16);

impl GoPoint {
    /// The point on `file` and `rank`, both from 0 to 20, or `None` if it is not on the largest board.
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < LARGEST && rank < LARGEST { Some(Self(FIRST + rank as u16 * STRIDE + file as u16)) } else { None }
    }

    /// The point at this place, which must be that of a point on the largest board.
    #[inline]
    pub(super) const fn at(place: u16) -> Self {
        Self(place)
    }

    /// The place.
    #[inline]
    pub(super) const fn place(self) -> u16 {
        self.0
    }

    /// The place, as an index.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The indices of the places to the left, to the right, below and above, on the board or next to it.
    #[inline]
    pub(super) const fn beside(self) -> [usize; 4] {
        let (index, stride) = (self.index(), STRIDE as usize);
        [index - 1, index + 1, index - stride, index + stride]
    }

    /// The file, from 0 (a) to 20 (v).
    pub const fn file(self) -> u8 {
        ((self.0 - FIRST) % STRIDE) as u8
    }

    /// The rank, from 0 (rank 1) to 20 (rank 21).
    #[expect(clippy::cast_possible_truncation, reason = "at most 20")]
    pub const fn rank(self) -> u8 {
        ((self.0 - FIRST) / STRIDE) as u8
    }

    /// Whether the point is on the board of `size` points per side.
    pub const fn is_on(self, size: u8) -> bool {
        self.file() < size && self.rank() < size
    }
}

/// Writes a letter and a number starting from 1, such as `q16`.
impl fmt::Display for GoPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(FILES[usize::from(self.file())]), self.rank() + 1)
    }
}

/// The error for text that does not name a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a point is a letter from `a` to `v` (but not `i`) and a number from 1 to 21, such as `q16`")]
pub struct NotAPoint;

/// Reads the canonical text: lower case, without leading zeros.
impl FromStr for GoPoint {
    type Err = NotAPoint;

    fn from_str(text: &str) -> Result<Self, NotAPoint> {
        let (&letter, number) = text.as_bytes().split_first().ok_or(NotAPoint)?;
        let file = FILES.iter().position(|&file| file == letter).and_then(|file| u8::try_from(file).ok());
        let number = match *number {
            [ones @ b'1'..=b'9'] => ones - b'0',
            [tens @ b'1'..=b'9', ones @ b'0'..=b'9'] => 10 * (tens - b'0') + ones - b'0',
            _ => return Err(NotAPoint),
        };
        Self::new(file.ok_or(NotAPoint)?, number - 1).ok_or(NotAPoint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_named_by_its_letter_and_number() {
        for rank in 0..LARGEST {
            for file in 0..LARGEST {
                let point = GoPoint::new(file, rank).expect("on the board");
                assert_eq!((point.file(), point.rank()), (file, rank));
                assert_eq!(point.to_string().parse(), Ok(point));
            }
        }
        let names = [(0, 0), (7, 8), (8, 9), (18, 18), (20, 20)]
            .map(|(file, rank)| GoPoint::new(file, rank).expect("on the board").to_string());
        assert_eq!(names, ["a1", "h9", "j10", "t19", "v21"]);
        assert_eq!((GoPoint::new(21, 0), GoPoint::new(0, 21)), (None, None));
    }

    #[test]
    fn other_texts_name_no_point() {
        for text in ["", "a", "i5", "w1", "a0", "a01", "a22", "a100", "A1", "a-1", "a1 ", "11", "é1", "pass"] {
            assert_eq!(text.parse::<GoPoint>(), Err(NotAPoint), "{text}");
        }
    }

    #[test]
    fn points_are_ordered_by_rank_and_then_by_letter() {
        let points = ["a1", "b1", "v1", "a2", "h2", "j2"].map(str::parse::<GoPoint>);
        assert!(points.is_sorted_by_key(|point| point.expect("a point")));
        let small = ["a1", "c3", "d1", "a4"].map(|text| text.parse::<GoPoint>().expect("a point").is_on(3));
        assert_eq!(small, [true, true, false, false]);
    }
}
