//! The positions that a search of the drops remembers.

use crate::exact::seegover::place::{SYMMETRIES, image};
use crate::game::seegover::{Square, Squares, squares};

/// The eight images of a position, with the opener's stones in the low bits, and the follower's above them.
#[derive(Clone, Copy, Debug)]
pub(super) struct DropImages([u64; SYMMETRIES]);

/// The bits of one side's stones.
const SIDE: u32 = 25;

/// The bit of each square's image under each symmetry.
static IMAGES: [[u64; SYMMETRIES]; 25] = {
    let mut table = [[0; SYMMETRIES]; 25];
    let mut at = 0;
    while at < 25 * SYMMETRIES {
        let (square, symmetry) = (at / SYMMETRIES, at % SYMMETRIES);
        table[square][symmetry] = 1 << image(symmetry, square);
        at += 1;
    }
    table
};

impl DropImages {
    pub(super) fn of(opener: Squares, follower: Squares) -> Self {
        let empty = Self([0; SYMMETRIES]);
        let with = |key: Self, set, is_openers| squares(set).fold(key, |key, at| key.with(at, is_openers));
        with(with(empty, opener, true), follower, false)
    }

    /// The key with one more stone.
    #[inline]
    pub(super) fn with(self, at: Square, is_openers: bool) -> Self {
        let (images, shift) = (&IMAGES[usize::from(at.index())], if is_openers { 0 } else { SIDE });
        Self(std::array::from_fn(|symmetry| self.0[symmetry] | images[symmetry] << shift))
    }

    /// A number that is the same for all images of a position and different for all other positions.
    #[inline]
    pub(super) fn canonical(self) -> u64 {
        self.0.into_iter().fold(u64::MAX, u64::min)
    }
}

/// Positions with the answers that were found for them.
///
/// An entry has the position's number in its low 50 bits, then the answer, then the number of free squares, which is
/// not 0. When a bucket is full, the position with the fewest free squares is replaced, because it is the quickest to
/// search again.
///
/// The memo has no capacity until it first grows.
#[derive(Default)]
pub(super) struct Memo {
    entries: Vec<[u64; 4]>,
}

impl std::fmt::Debug for Memo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memo").field("buckets", &self.entries.len()).finish()
    }
}

impl Memo {
    const ANSWER: u32 = 2 * SIDE;
    const LEFT: u32 = Self::ANSWER + 1;
    const POSITION: u64 = (1 << Self::ANSWER) - 1;

    /// Makes the memo large enough for a search from `left` free squares. Each additional drop multiplies the number of
    /// nodes by about four.
    pub(super) fn grow_for(&mut self, left: u32) {
        let bits = (left.saturating_sub(8) * 3 / 2).clamp(4, 22);
        if self.entries.len() < 1 << bits {
            let old = std::mem::replace(&mut self.entries, vec![[0; 4]; 1 << bits]);
            old.into_iter().flatten().filter(|&entry| entry != 0).for_each(|entry| self.put(entry));
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the result is less than the number of buckets")]
    const fn bucket(&self, position: u64) -> usize {
        // Multiplying by an odd number spreads the position over the high bits.
        let hash = position.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> (u64::BITS - self.entries.len().ilog2())) as usize
    }

    pub(super) fn find(&self, position: u64) -> Option<bool> {
        let bucket = &self.entries[self.bucket(position)];
        let entry = bucket.iter().find(|&&entry| entry != 0 && entry & Self::POSITION == position)?;
        Some(entry >> Self::ANSWER & 1 == 1)
    }

    pub(super) fn insert(&mut self, position: u64, left: u32, answer: bool) {
        self.put(position | u64::from(answer) << Self::ANSWER | u64::from(left) << Self::LEFT);
    }

    fn put(&mut self, entry: u64) {
        let place = self.bucket(entry & Self::POSITION);
        if let Some(oldest) = self.entries[place].iter_mut().min_by_key(|entry| **entry >> Self::LEFT) {
            *oldest = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_still_there_after_the_memo_has_grown() {
        let mut memo = Memo::default();
        memo.grow_for(8);
        let least = memo.entries.len();
        for position in 1..20 {
            memo.insert(position, 8, position % 3 == 0);
        }
        memo.grow_for(20);
        assert!(memo.entries.len() > 100 * least);
        let large = memo.entries.len();
        memo.grow_for(8);
        assert_eq!(memo.entries.len(), large);
        for position in 1..20 {
            assert_eq!(memo.find(position), Some(position % 3 == 0));
        }
        assert_eq!(memo.find(20), None);
    }
}
