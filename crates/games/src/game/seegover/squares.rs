//! The squares of the board and sets of them.

use std::fmt;

/// The number of files, which is also the number of ranks.
pub const SIZE: u8 = 5;

/// A set of squares. The bit of a square is `rank * 5 + file`, both starting from zero, so a1 is bit 0.
pub type Squares = u32;

/// All 25 squares.
pub const ALL: Squares = (1 << 25) - 1;

/// c3, which stays empty while stones are dropped.
pub const CENTRE: Square = Square(12);

/// The squares of file a. Shifted left by the number of another file, they become the squares of that file.
pub(super) const FILE_A: Squares = 0b00001_00001_00001_00001_00001;

const FILE_E: Squares = FILE_A << (SIZE - 1);

/// One square of the board.
///
/// Invariant: the inner number is from 0 to 24.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square on `file` and `rank`, both from 0 to 4, or `None` if it is off the board.
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < SIZE && rank < SIZE { Some(Self(rank * SIZE + file)) } else { None }
    }

    /// The square with this index, from 0 (a1) to 24 (e5), or `None` if the index is greater.
    pub const fn from_index(index: u8) -> Option<Self> {
        if index < SIZE * SIZE { Some(Self(index)) } else { None }
    }

    /// The lowest square of a set, and the set without it; `None` for the empty set.
    #[inline]
    pub const fn pop(set: Squares) -> Option<(Self, Squares)> {
        let set = set & ALL;
        if set == 0 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 24")]
        let bit = set.trailing_zeros() as u8;
        Some((Self(bit), set & (set - 1)))
    }

    /// The index, from 0 (a1) to 24 (e5).
    #[inline]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The set that contains only this square.
    #[inline]
    pub const fn bit(self) -> Squares {
        1 << self.0
    }

    /// The file, from 0 (a) to 4 (e).
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 % SIZE
    }

    /// The rank, from 0 (rank 1) to 4 (rank 5).
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 / SIZE
    }

    /// The square that these two characters name, `a1` to `e5`, in lower case.
    pub const fn parse(text: &[u8]) -> Option<Self> {
        match *text {
            [file @ b'a'..=b'e', rank @ b'1'..=b'5'] => Self::new(file - b'a', rank - b'1'),
            _ => None,
        }
    }

    /// The square's two characters.
    pub const fn text(self) -> [u8; 2] {
        [b'a' + self.file(), b'1' + self.rank()]
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [file, rank] = self.text().map(char::from);
        write!(f, "{file}{rank}")
    }
}

/// The squares of a set, rank by rank, starting with a1.
pub fn squares(mut set: Squares) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        let (square, rest) = Square::pop(set)?;
        set = rest;
        Some(square)
    })
}

/// The squares that are horizontally or vertically next to a square of `set`. These may include squares of `set`
/// itself.
#[inline]
pub const fn neighbours(set: Squares) -> Squares {
    ((set & !FILE_E) << 1 | (set & !FILE_A) >> 1 | set << SIZE | set >> SIZE) & ALL
}
