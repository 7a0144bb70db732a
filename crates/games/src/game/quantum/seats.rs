//! Seats as numbers, and values for each of them.

use std::fmt;
use std::ops::{Index, IndexMut};

use crate::game::Side;

/// The maximum number of seats of a game.
pub const MOST_SEATS: usize = 6;

/// A place in a game of several players. Turns go from seat 1 to the last seat, and then start again.
///
/// Invariant: the inner index is below [`MOST_SEATS`]. The seat number is one more than this index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seat(u8);

impl Seat {
    /// The seat that has the first turn of a game.
    pub const FIRST: Self = Self(0);

    /// Every seat of a game of `seats`, seat 1 first.
    pub fn all(seats: u8) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..seats).map(Self)
    }

    /// The seat with this number, from 1 to 6.
    pub const fn new(number: u8) -> Option<Self> {
        if 1 <= number && number as usize <= MOST_SEATS { Some(Self(number - 1)) } else { None }
    }

    /// The number, from 1 to 6.
    pub const fn number(self) -> u8 {
        self.0 + 1
    }

    /// The number minus one, as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seat after this one in a game of `seats`.
    #[inline]
    #[must_use]
    pub const fn next(self, seats: u8) -> Self {
        if self.0 + 1 < seats { Self(self.0 + 1) } else { Self(0) }
    }

    /// The seat before this one in a game of `seats`.
    #[inline]
    #[must_use]
    pub const fn previous(self, seats: u8) -> Self {
        if self.0 == 0 { Self(seats - 1) } else { Self(self.0 - 1) }
    }

    /// The stone of this seat on boards of a game of `seats`: `b` or `w` with two seats, and the number with more.
    pub const fn letter(self, seats: u8) -> char {
        match (seats, self.0) {
            (..=2, 0) => 'b',
            (..=2, _) => 'w',
            _ => (b'1' + self.0) as char,
        }
    }

    /// The side of this seat in a game for two, where seat 1 is black. With more seats, the seats are alternately black
    /// and white.
    pub const fn side(self) -> Side {
        if self.0.is_multiple_of(2) { Side::Black } else { Side::White }
    }
}

impl From<Side> for Seat {
    fn from(side: Side) -> Self {
        match side {
            Side::Black => Self(0),
            Side::White => Self(1),
        }
    }
}

/// Writes the number.
impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

/// One value for each seat that a game can have. The values of seats that it does not have are meaningless, and keep
/// their initial values, so that comparisons work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PerSeat<T>(pub(super) [T; MOST_SEATS]);

impl<T> PerSeat<T> {
    /// The values of the first `seats` seats, with their seats.
    pub fn of(&self, seats: u8) -> impl DoubleEndedIterator<Item = (Seat, &T)> {
        Seat::all(seats).zip(&self.0)
    }

    /// Creates the values that `make` returns for each of the first `seats` seats, and the default for the others.
    pub fn from_fn(seats: u8, mut make: impl FnMut(Seat) -> T) -> Self
    where
        T: Default + Copy,
    {
        let mut all = Self::default();
        for seat in Seat::all(seats) {
            all[seat] = make(seat);
        }
        all
    }
}

impl<T> Index<Seat> for PerSeat<T> {
    type Output = T;

    #[inline]
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for PerSeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}
