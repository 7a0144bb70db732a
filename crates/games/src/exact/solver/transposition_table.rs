//! The transposition table, which stores the known bounds of positions. Entries are identified by the whole position,
//! not by a digest.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use super::stones::Stones;
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::game::gothello::Game;

/// The error if there is not enough memory for a table of the size that the user has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("--memory: cannot allocate {mebibytes} MiB for the table")]
pub struct TableTooLarge {
    /// The size in MiB.
    pub mebibytes: NonZeroU32,
}

impl CommandError for TableTooLarge {
    fn error_exit(&self) -> ErrorExit {
        Exit::Usage.alone()
    }
}

/// The number of bits of a [`Key`].
const KEY_BITS: u32 = 50;
const KEY_MASK: u64 = (1 << KEY_BITS) - 1;

/// How many entries share a cache line, and are examined together.
const WAYS: usize = 8;

// The fields of an entry, from its lowest bit: the upper bound and the lower bound, each plus `OFFSET`; the best move,
// as a bit number; the effort; and the rest of the key.
const BOUND_BITS: u32 = 6;
const BOUND_MASK: u64 = (1 << BOUND_BITS) - 1;
const OFFSET: i32 = 26;
const MOVE_SHIFT: u32 = 2 * BOUND_BITS;
const MOVE_BITS: u32 = 5;
const EFFORT_SHIFT: u32 = MOVE_SHIFT + MOVE_BITS;
const EFFORT_BITS: u32 = 5;
const TAG_SHIFT: u32 = EFFORT_SHIFT + EFFORT_BITS;

/// The minimum number of bucket bits with which the rest of the key, that is, the part not implied by the bucket, fits
/// into an entry.
const LEAST_BUCKET_BITS: u32 = KEY_BITS + TAG_SHIFT - u64::BITS;

/// A whole position of 50 bits, scrambled so that any of its bits can serve as an index into a table. Different
/// positions always have different keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(u64);

impl Key {
    /// Returns the key of a position.
    pub(super) const fn of(stones: Stones) -> Self {
        /// The bits of one rank, for both sides.
        const RANK: u64 = 0x0000_001F_0000_001F;
        let both = stones.own as u64 | (stones.theirs as u64) << 32;
        // Each rank loses its empty sixth bit, and each half loses its upper bits.
        let dense = (both & RANK)
            | (both >> 1 & RANK << 5)
            | (both >> 2 & RANK << 10)
            | (both >> 3 & RANK << 15)
            | (both >> 4 & RANK << 20);
        Self::new((dense & 0x1FF_FFFF) | (dense >> 7 & 0x1FF_FFFF << 25))
    }

    /// Returns the key's bits.
    pub(super) const fn bits(self) -> u64 {
        self.0
    }

    /// Creates a key from 50 bits. Each step is invertible: the xor of a number with its own upper half, and the
    /// product with an odd number modulo a power of two.
    const fn new(bits: u64) -> Self {
        let mut key = bits;
        key ^= key >> 25;
        key = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) & KEY_MASK;
        key ^= key >> 25;
        key = key.wrapping_mul(0xBF58_476D_1CE4_E5B9) & KEY_MASK;
        key ^= key >> 25;
        Self(key)
    }
}

/// The known bounds on the value of a position, and a good placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownBounds {
    /// The value is not less than this.
    pub(super) lower: i32,
    /// The value is not more than this.
    pub(super) upper: i32,
    /// The bit number of a good placement, or [`KnownBounds::NO_MOVE`].
    pub(super) best: u32,
}

impl KnownBounds {
    /// The bit number that means "no placement". It is not the number of a point.
    pub(super) const NO_MOVE: u32 = 31;
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([AtomicU64; WAYS]);

/// A table that any number of threads can use at the same time. An entry is one word, so threads never see it
/// half-written.
#[derive(Debug)]
pub struct TranspositionTable {
    buckets: Vec<Bucket>,
    bucket_bits: u32,
}

/// The error if the system cannot provide the memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is not enough memory for a table of {bytes} bytes")]
pub struct NoRoom {
    /// The size that was requested.
    pub bytes: usize,
}

impl TranspositionTable {
    /// Makes an empty table of at most `bytes`, but at least 16 KiB; the size is a power of two. If there is not enough
    /// memory for it, the program ends, as with any other allocation.
    pub fn with_bytes(bytes: usize) -> Self {
        let bucket_bits = bucket_bits(bytes);
        Self { buckets: (0..1_usize << bucket_bits).map(|_| Bucket::default()).collect(), bucket_bits }
    }

    /// Makes a table like [`TranspositionTable::with_bytes`], but for a size chosen by the user.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory for the table.
    pub fn try_with_bytes(bytes: usize) -> Result<Self, NoRoom> {
        let bucket_bits = bucket_bits(bytes);
        let count = 1_usize << bucket_bits;
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).map_err(|_| NoRoom { bytes })?;
        buckets.resize_with(count, Bucket::default);
        Ok(Self { buckets, bucket_bits })
    }

    /// Makes a table of the size that the user has chosen with `--memory`.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory for the table.
    pub fn try_with_mebibytes(mebibytes: NonZeroU32) -> Result<Self, TableTooLarge> {
        let too_large = TableTooLarge { mebibytes };
        let bytes = usize::try_from(u64::from(mebibytes.get()) << 20).map_err(|_| too_large)?;
        Self::try_with_bytes(bytes).map_err(|_| too_large)
    }

    /// Makes a table that is large enough for a question about `game`, up to 1 GiB, and small enough to be created
    /// quickly.
    pub fn for_game(game: &Game) -> Self {
        Self::with_bytes(Self::bytes_for(game))
    }

    /// Returns the size in bytes of [`TranspositionTable::for_game`].
    pub fn bytes_for(game: &Game) -> usize {
        // This is a few entries for each node of a long search: about five times as many for every two more empty
        // points.
        let bits = if game.is_over() { 0 } else { (game.board().empty().count_ones() * 6 / 5 + 3).min(30) };
        1 << bits
    }

    fn bucket(&self, key: Key) -> (&[AtomicU64; WAYS], u64) {
        let place = key.0 >> (KEY_BITS - self.bucket_bits);
        let tag = key.0 & ((1 << (KEY_BITS - self.bucket_bits)) - 1);
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of buckets")]
        let place = place as usize;
        (&self.buckets[place].0, tag)
    }

    /// Returns the known bounds of the position with this key, if it has an entry.
    pub(super) fn get(&self, key: Key) -> Option<KnownBounds> {
        let (entries, tag) = self.bucket(key);
        entries.iter().map(|entry| entry.load(Ordering::Relaxed)).find(|&entry| holds(entry, tag)).map(known)
    }

    /// Adds knowledge about the position with this key, which took `nodes` nodes to find. If the bucket is full, the
    /// cheapest entry is replaced.
    pub(super) fn put(&self, key: Key, new: KnownBounds, nodes: u64) {
        let (entries, tag) = self.bucket(key);
        let mut cheapest = (u64::MAX, &entries[0]);
        for place in entries {
            let entry = place.load(Ordering::Relaxed);
            if holds(entry, tag) {
                let old = known(entry);
                let best = if new.best == KnownBounds::NO_MOVE { old.best } else { new.best };
                let merged = KnownBounds { lower: old.lower.max(new.lower), upper: old.upper.min(new.upper), best };
                let magnitude = magnitude(nodes).max(effort(entry));
                place.store(packed(merged, magnitude, tag), Ordering::Relaxed);
                return;
            }
            let cost = if entry == 0 { 0 } else { 1 + effort(entry) };
            if cost < cheapest.0 {
                cheapest = (cost, place);
            }
        }
        cheapest.1.store(packed(new, magnitude(nodes), tag), Ordering::Relaxed);
    }
}

/// Returns the binary logarithm of the number of buckets that fit into `bytes`, rounded down.
fn bucket_bits(bytes: usize) -> u32 {
    let buckets = bytes / size_of::<Bucket>();
    buckets.checked_ilog2().unwrap_or(0).clamp(LEAST_BUCKET_BITS, KEY_BITS - 1)
}

/// Returns whether an entry exists and belongs to `tag`. An entry is never 0, because its bounds are not.
const fn holds(entry: u64, tag: u64) -> bool {
    entry != 0 && entry >> TAG_SHIFT == tag
}

/// Returns the magnitude of an entry's effort.
const fn effort(entry: u64) -> u64 {
    entry >> EFFORT_SHIFT & ((1 << EFFORT_BITS) - 1)
}

fn magnitude(nodes: u64) -> u64 {
    u64::from(nodes.max(1).ilog2()).min((1 << EFFORT_BITS) - 1)
}

const fn known(entry: u64) -> KnownBounds {
    KnownBounds {
        lower: ((entry >> BOUND_BITS) & BOUND_MASK) as i32 - OFFSET,
        upper: (entry & BOUND_MASK) as i32 - OFFSET,
        best: ((entry >> MOVE_SHIFT) & ((1 << MOVE_BITS) - 1)) as u32,
    }
}

fn packed(known: KnownBounds, magnitude: u64, tag: u64) -> u64 {
    let bound = |value: i32| u64::from((value + OFFSET).cast_unsigned());
    bound(known.upper)
        | bound(known.lower) << BOUND_BITS
        | u64::from(known.best) << MOVE_SHIFT
        | magnitude << EFFORT_SHIFT
        | tag << TAG_SHIFT
}
