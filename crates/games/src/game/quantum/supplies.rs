//! The stones that seats have left to place.

use super::lineup::StoneLimit;
use super::seats::{PerSeat, Seat};

/// The stones that each seat has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Supplies {
    stones: StoneLimit,
    left: PerSeat<u16>,
}

impl Supplies {
    /// Creates supplies without stones.
    pub(super) fn empty(stones: StoneLimit) -> Self {
        Self { stones, left: PerSeat::default() }
    }

    /// Distributes `all` stones among `seats` seats. Any remaining stones go to the seats one by one, starting with
    /// `first`.
    pub(super) fn hand_out(&mut self, all: u16, seats: u8, first: Seat) {
        let (share, over) = (all / u16::from(seats), all % u16::from(seats));
        let mut seat = first;
        for nth in 0..u16::from(seats) {
            self.left[seat] += share + u16::from(nth < over);
            seat = seat.next(seats);
        }
    }

    /// Takes back all stones.
    pub(super) fn clear(&mut self) {
        self.left = PerSeat::default();
    }

    /// Whether `seat` has a stone left.
    #[inline]
    pub(super) fn has(&self, seat: Seat) -> bool {
        self.left(seat) != Some(0)
    }

    /// How many stones `seat` has left; `None` if there is no limit.
    #[inline]
    pub(super) fn left(&self, seat: Seat) -> Option<u16> {
        match self.stones {
            StoneLimit::Supplied => Some(self.left[seat]),
            StoneLimit::Unlimited => None,
        }
    }

    /// Takes a stone from `seat`, which must have one.
    #[inline]
    pub(super) fn take(&mut self, seat: Seat) {
        if self.stones == StoneLimit::Supplied {
            self.left[seat] -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_over_goes_to_the_seats_from_the_one_on_move_on() {
        let first = Seat::new(4).expect("a seat");
        let dealt = |all, seats, first| {
            let mut supplies = Supplies::empty(StoneLimit::Supplied);
            supplies.hand_out(all, seats, first);
            Seat::all(seats).map(|seat| supplies.left(seat).unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(dealt(64, 6, Seat::FIRST), [11, 11, 11, 11, 10, 10]);
        assert_eq!(dealt(121, 4, first), [30, 30, 30, 31]);
        assert_eq!(dealt(122, 4, first), [31, 30, 30, 31]);
        assert_eq!(dealt(121, 2, Seat::FIRST), [61, 60]);
    }
}
