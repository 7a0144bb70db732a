//! Values for the seats of a game, in an array of fixed size.

use std::ops::{Index, IndexMut};

pub(super) use crate::game::{MOST_SEATS, Seat};

/// One value for each seat that a game can have. The values of seats that a game does not have are meaningless, and
/// keep their initial values, so that comparisons work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PerSeat<T>(pub(super) [T; MOST_SEATS]);

impl<T> PerSeat<T> {
    /// The values of the first `seats` seats, each with its seat.
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
