//! Pairs of values, one for each side.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use super::Side;

/// One value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BySide<T> {
    /// Black's value.
    pub black: T,
    /// White's value.
    pub white: T,
}

impl<T> BySide<T> {
    /// Creates the pair of the values that `make` returns for black and for white, called in that order.
    pub fn from_fn(mut make: impl FnMut(Side) -> T) -> Self {
        let black = make(Side::Black);
        Self { black, white: make(Side::White) }
    }

    /// Applies `change` to both values, black's first.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> BySide<U> {
        let black = change(self.black);
        BySide { black, white: change(self.white) }
    }

    /// Borrows both values.
    pub const fn as_ref(&self) -> BySide<&T> {
        BySide { black: &self.black, white: &self.white }
    }

    /// Mutably borrows both values.
    pub const fn as_mut(&mut self) -> BySide<&mut T> {
        BySide { black: &mut self.black, white: &mut self.white }
    }

    /// Iterates over both values with their sides, black's first.
    pub fn iter(self) -> impl Iterator<Item = (Side, T)> {
        Side::BOTH.into_iter().zip([self.black, self.white])
    }

    /// Pairs each side's value with the same side's value in `other`.
    pub fn zip<U>(self, other: BySide<U>) -> BySide<(T, U)> {
        BySide { black: (self.black, other.black), white: (self.white, other.white) }
    }

    /// Creates the pair in which `side` has `own` and its opponent has `other`.
    pub fn of(side: Side, own: T, other: T) -> Self {
        match side {
            Side::Black => Self { black: own, white: other },
            Side::White => Self { black: other, white: own },
        }
    }
}

impl<T> BySide<Option<T>> {
    /// Returns both values, if both are present.
    pub fn both(self) -> Option<BySide<T>> {
        Some(BySide { black: self.black?, white: self.white? })
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Black => &self.black,
            Side::White => &self.white,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Black => &mut self.black,
            Side::White => &mut self.white,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_with_their_sides() {
        let mut pair = BySide::of(Side::White, 1, 2);
        assert_eq!(pair, BySide { black: 2, white: 1 });
        pair.as_mut().map(|value| *value *= 10);
        assert_eq!(pair.iter().collect::<Vec<_>>(), [(Side::Black, 20), (Side::White, 10)]);
        assert_eq!(pair.zip(pair).map(|(one, other)| one == other), BySide { black: true, white: true });
        assert_eq!(BySide { black: Some(1), white: None }.both(), None);
    }
}
