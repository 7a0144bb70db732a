//! Sets of squares as bits.

/// A set of squares, in `WORDS` words of 64 bits. The index of a square's bit is the square's number in its
/// [`super::SquareGrid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SquareSet<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> SquareSet<WORDS> {
    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Adds the square with this number, which must have a bit.
    #[inline]
    pub const fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// Whether the square with this number is in the set. Numbers without a bit are never in the set.
    #[inline]
    pub const fn contains(&self, index: usize) -> bool {
        index / 64 < WORDS && self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// Whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// How many squares there are in the set.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The squares that are in either set.
    #[inline]
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
        self
    }

    /// The squares that are in both sets.
    #[inline]
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }

    /// The squares of this set that are not in the other.
    #[inline]
    #[must_use]
    pub fn without(mut self, other: Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= !other;
        }
        self
    }

    /// The set shifted up by `distance` numbers, 1 to 63.
    #[inline]
    #[must_use]
    pub fn up(self, distance: u32) -> Self {
        let mut moved = self.0.map(|word| word << distance);
        for (moved, below) in moved[1..].iter_mut().zip(self.0) {
            *moved |= below >> (64 - distance);
        }
        Self(moved)
    }

    /// The set shifted down by `distance` numbers, 1 to 63.
    #[inline]
    #[must_use]
    pub fn down(self, distance: u32) -> Self {
        let mut moved = self.0.map(|word| word >> distance);
        for (moved, above) in moved.iter_mut().zip(&self.0[1..]) {
            *moved |= above << (64 - distance);
        }
        Self(moved)
    }

    /// The numbers of the squares, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let lowest = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (lowest < 64).then_some(64 * word + lowest)
            })
        })
    }
}
