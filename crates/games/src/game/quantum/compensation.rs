//! The points that seats have in addition to their counts.

use std::fmt;

use thiserror::Error;

use super::seats::{PerSeat, Seat};
use crate::game::Fraction;

/// The points that each seat of a game has in addition to its counts, in whole parts of a point. A point has as many
/// parts as there are seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compensation {
    seats: u8,
    parts: PerSeat<i16>,
}

impl Compensation {
    /// The maximum number of points.
    pub const MOST: i16 = 999;

    /// Creates the compensation for `seats` seats, given in parts of a point.
    pub(super) const fn of_parts(seats: u8, parts: PerSeat<i16>) -> Self {
        Self { seats, parts }
    }

    /// Creates the compensation from one value for each of `seats` seats, 2 to 6.
    ///
    /// # Errors
    /// Fails if there are too many or too few values, or if one of them is not a whole number of parts, or is negative
    /// or too large.
    pub fn new(seats: u8, values: &[Fraction]) -> Result<Self, CompensationError> {
        if values.len() != usize::from(seats) {
            return Err(CompensationError::Seats { seats, given: values.len() });
        }
        let mut compensation = Self { seats, parts: PerSeat::default() };
        for (seat, &value) in Seat::all(seats).zip(values) {
            let parts = value.parts(seats).ok_or(CompensationError::Parts { value, seats })?;
            let most = i32::from(Self::MOST) * i32::from(seats);
            let fitting = i16::try_from(parts).ok().filter(|_| (0..=most).contains(&parts));
            compensation.parts[seat] = fitting.ok_or(CompensationError::Range { value })?;
        }
        Ok(compensation)
    }

    /// Returns this compensation with `points` added for `seat`.
    ///
    /// # Errors
    /// Fails if the points are not a whole number of parts, or if the seat's total is negative or too large.
    pub fn with_more(mut self, seat: Seat, points: Fraction) -> Result<Self, CompensationError> {
        let more = points.parts(self.seats).ok_or(CompensationError::Parts { value: points, seats: self.seats })?;
        let most = i32::from(Self::MOST) * i32::from(self.seats);
        let sum = more.checked_add(self.parts(seat)).filter(|sum| (0..=most).contains(sum));
        self.parts[seat] =
            sum.and_then(|sum| i16::try_from(sum).ok()).ok_or(CompensationError::Range { value: points })?;
        Ok(self)
    }

    /// The number of seats.
    pub const fn seats(self) -> u8 {
        self.seats
    }

    /// The compensation of `seat`, in parts of a point; a point has as many parts as there are seats.
    pub fn parts(self, seat: Seat) -> i32 {
        self.parts[seat].into()
    }

    /// The compensation of `seat`.
    pub fn points(self, seat: Seat) -> Fraction {
        Fraction::new(self.parts(seat), self.seats)
    }
}

/// Writes one fraction for each seat, separated by commas.
impl fmt::Display for Compensation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, seat) in Seat::all(self.seats).enumerate() {
            write!(f, "{}{}", if index == 0 { "" } else { "," }, self.points(seat))?;
        }
        Ok(())
    }
}

/// The reason why values are not valid as compensation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CompensationError {
    /// There are more or fewer values than seats.
    #[error("`compensation` needs one value for each of the {seats} seats, but has {given}")]
    Seats {
        /// How many seats the game has.
        seats: u8,
        /// How many values are given.
        given: usize,
    },
    /// The value is not a whole number of parts.
    #[error("`{value}` in `compensation` is not a multiple of 1/{seats} (the nearest one is {})", value.nearest(*seats))]
    Parts {
        /// The value.
        value: Fraction,
        /// How many seats the game has.
        seats: u8,
    },
    /// The value is negative or too large.
    #[error("`{value}` in `compensation` is out of range (0 to {})", Compensation::MOST)]
    Range {
        /// The value.
        value: Fraction,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(seats: u8, texts: &[&str]) -> Result<String, String> {
        let values: Vec<Fraction> = texts.iter().map(|text| text.parse().expect("a fraction")).collect();
        Compensation::new(seats, &values).map(|read| read.to_string()).map_err(|why| why.to_string())
    }

    #[test]
    fn a_compensation_is_one_multiple_of_a_seats_part_for_each_seat() {
        for (seats, texts, expected) in [
            (2, ["0", "0.5"].as_slice(), Ok("0,1/2")),
            (2, &["7.5", "999"], Ok("15/2,999")),
            (4, &["0", "1/4", "0.5", "3/4"], Ok("0,1/4,1/2,3/4")),
            (6, &["0", "1/6", "1/3", "0.5", "2/3", "5/6"], Ok("0,1/6,1/3,1/2,2/3,5/6")),
            (2, &["0"], Err("`compensation` needs one value for each of the 2 seats, but has 1")),
            (2, &["0", "1/4"], Err("`1/4` in `compensation` is not a multiple of 1/2 (the nearest one is 1/2)")),
            (2, &["0", "-1/2"], Err("`-1/2` in `compensation` is out of range (0 to 999)")),
            (2, &["0", "999.5"], Err("`1999/2` in `compensation` is out of range (0 to 999)")),
        ] {
            assert_eq!(read(seats, texts), expected.map(str::to_owned).map_err(str::to_owned));
        }
    }
}
