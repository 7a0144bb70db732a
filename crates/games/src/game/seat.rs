//! The seats of a game as numbers, and a value for each of them.

use std::fmt;
use std::ops::{Index, IndexMut};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{BySide, Side};

/// The maximum number of seats of a game.
pub const MOST_SEATS: usize = 6;

/// A player's place in a game. Turns go from seat 1 to the last seat, and then start again.
///
/// Invariant: the inner index is below [`MOST_SEATS`]. The seat number is one more than this index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seat(u8);

impl Seat {
    /// The seat that has the first turn of a game.
    pub const FIRST: Self = Self(0);

    /// Every seat of a game with `seats` seats, seat 1 first.
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

    /// The seat after this one in a game with `seats` seats.
    #[inline]
    #[must_use]
    pub const fn next(self, seats: u8) -> Self {
        if self.0 + 1 < seats { Self(self.0 + 1) } else { Self(0) }
    }

    /// The seat before this one in a game with `seats` seats.
    #[inline]
    #[must_use]
    pub const fn previous(self, seats: u8) -> Self {
        if self.0 == 0 { Self(seats - 1) } else { Self(self.0 - 1) }
    }

    /// The stone of this seat on boards of a game with `seats` seats: `b` or `w` with two seats, and the number with
    /// more.
    pub const fn letter(self, seats: u8) -> char {
        match (seats, self.0) {
            (..=2, 0) => 'b',
            (..=2, _) => 'w',
            _ => (b'1' + self.0) as char,
        }
    }

    /// The word for this seat in a game with `seats` seats: `black` or `white` with two seats, and, for example, `seat
    /// 3` with more.
    pub const fn name(self, seats: u8) -> &'static str {
        match (seats, self.0) {
            (..=2, 0) => "black",
            (..=2, _) => "white",
            (_, 0) => "seat 1",
            (_, 1) => "seat 2",
            (_, 2) => "seat 3",
            (_, 3) => "seat 4",
            (_, 4) => "seat 5",
            _ => "seat 6",
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

impl Serialize for Seat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.number())
    }
}

impl<'de> Deserialize<'de> for Seat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(u8::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("expected a seat from 1 to 6"))
    }
}

/// One value for each seat of a game.
///
/// With two seats, this contains the same values as a [`BySide`], and a [`Side`] can be used as an index as well.
///
/// Invariant: there are 1 to [`MOST_SEATS`] values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct BySeat<T>(Vec<T>);

impl<T> BySeat<T> {
    /// Creates the values that `make` returns for each of the first `seats` seats. `make` is called in the order of the
    /// seats.
    ///
    /// # Panics
    /// Panics if `seats` is 0 or more than [`MOST_SEATS`].
    pub fn from_fn(seats: u8, make: impl FnMut(Seat) -> T) -> Self {
        assert!(seats > 0 && usize::from(seats) <= MOST_SEATS, "a game has 1 to 6 seats");
        Self(Seat::all(seats).map(make).collect())
    }

    /// The values in the order of the seats; `None` if no game has this number of seats.
    pub fn new(values: Vec<T>) -> Option<Self> {
        (1..=MOST_SEATS).contains(&values.len()).then_some(Self(values))
    }

    /// The number of seats.
    pub fn seats(&self) -> u8 {
        u8::try_from(self.0.len()).unwrap_or(u8::MAX)
    }

    /// Whether there is a value for `seat`.
    pub fn has(&self, seat: Seat) -> bool {
        seat.index() < self.0.len()
    }

    /// Borrows the value of `seat`, if there is such a seat.
    pub fn get(&self, seat: Seat) -> Option<&T> {
        self.0.get(seat.index())
    }

    /// Every seat, seat 1 first.
    pub fn all_seats(&self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator + Clone + use<T> {
        Seat::all(self.seats())
    }

    /// Iterates over the values with their seats, seat 1 first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Seat, &T)> + ExactSizeIterator + Clone {
        self.all_seats().zip(&self.0)
    }

    /// Iterates over the values, mutably borrowed, with their seats, seat 1 first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Seat, &mut T)> {
        Seat::all(self.seats()).zip(&mut self.0)
    }

    /// Iterates over the values, seat 1 first.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator + Clone {
        self.0.iter()
    }

    /// Applies `change` to each value, seat 1's first.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> BySeat<U> {
        BySeat(self.0.into_iter().map(change).collect())
    }

    /// Borrows all values.
    pub fn as_ref(&self) -> BySeat<&T> {
        BySeat(self.0.iter().collect())
    }

    /// Mutably borrows all values.
    pub fn as_mut(&mut self) -> BySeat<&mut T> {
        BySeat(self.0.iter_mut().collect())
    }

    /// Pairs each seat's value with the same seat's value in `other`. The result contains only the seats that both
    /// have.
    pub fn zip<U>(self, other: BySeat<U>) -> BySeat<(T, U)> {
        BySeat(self.0.into_iter().zip(other.0).collect())
    }

    /// Returns the values of a game with two seats by their sides; otherwise, returns the values unchanged as the
    /// error.
    ///
    /// # Errors
    /// Fails if there are not two seats.
    pub fn by_side(self) -> Result<BySide<T>, Self> {
        let [black, white] = <[T; 2]>::try_from(self.0).map_err(Self)?;
        Ok(BySide { black, white })
    }
}

impl<T> BySeat<Option<T>> {
    /// Returns all values, if all are present.
    pub fn all(self) -> Option<BySeat<T>> {
        self.0.into_iter().collect::<Option<Vec<T>>>().map(BySeat)
    }
}

impl<T> From<BySide<T>> for BySeat<T> {
    fn from(BySide { black, white }: BySide<T>) -> Self {
        Self(vec![black, white])
    }
}

impl<T> IntoIterator for BySeat<T> {
    type Item = (Seat, T);
    type IntoIter = std::iter::Zip<std::vec::IntoIter<Seat>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        let seats: Vec<Seat> = self.all_seats().collect();
        seats.into_iter().zip(self.0)
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

impl<T> Index<Side> for BySeat<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        &self[Seat::from(side)]
    }
}

impl<T> IndexMut<Side> for BySeat<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        &mut self[Seat::from(side)]
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BySeat<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("expected one value for each seat"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_with_their_seats() {
        let mut squares = BySeat::from_fn(4, |seat| u32::from(seat.number()).pow(2));
        squares.iter_mut().for_each(|(_, value)| *value += 1);
        assert!(squares.values().eq(&[2, 5, 10, 17]));
        assert_eq!(squares.clone().zip(squares.clone()).map(|(one, other)| one + other)[Seat(3)], 34);
        assert_eq!(squares.clone().into_iter().map(|(seat, value)| value - u32::from(seat.0)).sum::<u32>(), 28);
        assert_eq!(squares.clone().by_side(), Err(squares));
        assert_eq!(BySeat::new(vec![Some(1), None]).and_then(BySeat::all), None);
    }

    #[test]
    fn two_seats_are_the_two_sides() {
        let pair = BySide { black: 'x', white: 'y' };
        let seats = BySeat::from(pair);
        assert_eq!((seats[Side::White], seats[Seat(1)], seats.seats()), ('y', 'y', 2));
        assert_eq!(seats.by_side(), Ok(pair));
    }

    #[test]
    fn a_list_of_seats_in_json_has_one_to_six_values() {
        let read = |text: &str| serde_json::from_str::<BySeat<u8>>(text).ok();
        assert_eq!(read("[3,1,2]"), BySeat::new(vec![3, 1, 2]));
        assert_eq!([read("[]"), read("[1,2,3,4,5,6,7]")], [None, None]);
        assert_eq!(serde_json::to_string(&BySeat::from_fn(2, |seat| seat)).ok().as_deref(), Some("[1,2]"));
    }
}
