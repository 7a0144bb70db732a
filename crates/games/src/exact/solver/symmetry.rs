//! The eight symmetries of the board.

use super::stones::Stones;

/// The bits of one rank, for both sides together: bits 0 to 4 of each half.
const RANK: u64 = 0x0000_001F_0000_001F;

/// File a of every rank, for both sides together.
const FILE: u64 = 0x0104_1041_0104_1041;

/// Packs the stones of both sides into one word, with `theirs` in the upper half.
const fn packed(stones: Stones) -> u64 {
    stones.own as u64 | (stones.theirs as u64) << 32
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
const fn unpacked(both: u64) -> Stones {
    Stones { own: both as u32, theirs: (both >> 32) as u32 }
}

/// Flips the board upside down, reversing the ranks.
const fn flipped(both: u64) -> u64 {
    (both >> 24 & RANK)
        | (both >> 12 & RANK << 6)
        | (both & RANK << 12)
        | (both << 12 & RANK << 18)
        | (both << 24 & RANK << 24)
}

/// Mirrors the board left to right, reversing the files.
const fn mirrored(both: u64) -> u64 {
    (both >> 4 & FILE)
        | (both >> 2 & FILE << 1)
        | (both & FILE << 2)
        | (both << 2 & FILE << 3)
        | (both << 4 & FILE << 4)
}

/// Reflects the board along the diagonal a1 to e5, swapping ranks and files. A step along a rank is a shift by 1 and a
/// step along a file is a shift by 6, so a point moves by 5 bits for each step of its distance from the diagonal.
const fn transposed(both: u64) -> u64 {
    let mut result = 0;
    let mut off = 0;
    while off < 5 {
        // The points whose file is `off` higher than their rank, and their images.
        let above = DIAGONALS[off];
        result |= (both & above) << (5 * off);
        if off > 0 {
            let below = above << (5 * off);
            result |= (both & below) >> (5 * off);
        }
        off += 1;
    }
    result
}

/// For each difference from 0 to 4, the points whose file exceeds their rank by this difference.
const DIAGONALS: [u64; 5] = {
    let mut diagonals = [0; 5];
    let mut file = 0;
    while file < 5 {
        let mut rank = 0;
        while rank <= file {
            diagonals[file - rank] |= 0x1_0000_0001 << (6 * rank + file);
            rank += 1;
        }
        file += 1;
    }
    diagonals
};

/// One of the eight symmetries, by number: transposed if bit 2 is set, then flipped if bit 1 is set, then mirrored if
/// bit 0 is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The identity.
    pub(super) const IDENTITY: Self = Self(0);

    /// Returns all eight symmetries.
    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..8).map(Self)
    }

    const fn apply(self, mut both: u64) -> u64 {
        if self.0 & 4 != 0 {
            both = transposed(both);
        }
        if self.0 & 2 != 0 {
            both = flipped(both);
        }
        if self.0 & 1 != 0 {
            both = mirrored(both);
        }
        both
    }

    /// Returns the image of `stones`.
    #[cfg(test)]
    pub(super) const fn image(self, stones: Stones) -> Stones {
        unpacked(self.apply(packed(stones)))
    }

    /// Returns the symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        // A flip before a transposition is the same as a mirroring after it, so the two bits change places.
        if self.0 & 4 == 0 { self } else { Self(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1) }
    }

    /// Returns the image of one point, as a bit number.
    pub(crate) const fn image_of_bit(self, bit: u32) -> u32 {
        self.apply(1 << bit).trailing_zeros()
    }
}

/// Returns the image of `stones` that represents all eight images, and the symmetry that leads to it.
pub fn folded(stones: Stones) -> (Stones, Symmetry) {
    let both = packed(stones);
    let mut least = (both, Symmetry::IDENTITY);
    let mut half = both;
    for transposition in [0, 4] {
        if transposition == 4 {
            half = transposed(both);
        }
        let flip = flipped(half);
        for (image, rest) in [(half, 0), (mirrored(half), 1), (flip, 2), (mirrored(flip), 3)] {
            if image < least.0 {
                least = (image, Symmetry(transposition | rest));
            }
        }
    }
    (unpacked(least.0), least.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::game::gothello::{ALL, neighbours};

    #[test]
    fn symmetries_keep_neighbours_undo_each_other_and_fold_to_the_same_image() {
        let mut random = SplitMix64::new(1);
        for _ in 0..500 {
            #[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
            let [own, other] = [(); 2].map(|()| random.next_u64() as u32 & ALL);
            let stones = Stones { own, theirs: other & !own };
            let mut images = Vec::new();
            for symmetry in Symmetry::all() {
                let image = symmetry.image(stones);
                assert_eq!(symmetry.inverse().image(image), stones, "{symmetry:?}");
                assert_eq!(folded(image).0, folded(stones).0, "{symmetry:?}");
                let around = Stones { own: neighbours(stones.own), theirs: 0 };
                assert_eq!(symmetry.image(around).own, neighbours(image.own), "{symmetry:?}");
                images.push((image.own, image.theirs));
            }
            let (image, symmetry) = folded(stones);
            assert_eq!(symmetry.image(stones), image);
            images.sort_unstable();
            images.dedup();
            assert!(images.len() > 1 || stones == folded(stones).0);
        }
        // An asymmetric board distinguishes all eight symmetries.
        let lone = Stones { own: 0b11, theirs: 1 << 6 };
        let mut images: Vec<Stones> = Symmetry::all().map(|symmetry| symmetry.image(lone)).collect();
        images.sort_by_key(|stones| (stones.own, stones.theirs));
        images.dedup();
        assert_eq!(images.len(), 8);
        for symmetry in Symmetry::all() {
            for bit in (0..32).filter(|bit| ALL >> bit & 1 == 1) {
                assert_eq!(1 << symmetry.image_of_bit(bit), symmetry.image(Stones { own: 1 << bit, theirs: 0 }).own);
            }
        }
    }
}
