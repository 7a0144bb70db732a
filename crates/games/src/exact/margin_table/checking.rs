//! Compares a finished table, or the files of the winners, with the rules.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::entry::{EntryMeaning, ILLEGAL};
use super::grid::{PointSet, numbers};
use super::layer_files::BlockDigest;
use super::numbering::Numbering;
use super::verification::{WrongEntry, verify};
use crate::exact::threads::Sharers;

/// The minimum number of entries of consecutive blocks that a thread checks at a time.
const PARCEL: usize = 1 << 20;

/// The reason why a check fails.
#[derive(Debug, Error)]
pub enum TableCheckError {
    /// A file cannot be read.
    #[error("a layer cannot be read")]
    File(#[from] io::Error),
    /// An entry contradicts the rules.
    #[error("the {stones}-stone layer is wrong")]
    Wrong {
        /// The layer.
        stones: u32,
        /// The entry.
        source: WrongEntry,
    },
}

/// The result of checking a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedLayer {
    /// The numbers of positions on the whole board that the side to move wins, draws and loses.
    pub counts: [u64; 3],
    /// The digest of the digests of the blocks.
    pub digest: BlockDigest,
}

/// The entries to check.
pub struct CheckedEntries<'c, R> {
    /// The location of the entries.
    pub numbering: &'c Numbering,
    /// The kind of value in the entries.
    pub kind: EntryMeaning,
    /// Reads a block, given the number of stones of its layer and the block's place in the layer.
    pub read: R,
}

impl<R: Fn(u32, usize) -> io::Result<Vec<u8>> + Sync> CheckedEntries<'_, R> {
    /// Checks the layer of `stones` stones. Its entries are compared with those of the next layer if `has_next` is
    /// true, or if there is no next layer because the board would be full. `tick` is called with the fraction of the
    /// blocks that are done. Returns `None` if the stop was raised.
    ///
    /// # Errors
    /// Returns the first entry that is wrong, or the error of `read`.
    pub fn layer(
        &self,
        stones: u32,
        has_next: bool,
        sharers: &Sharers<'_>,
        mut tick: impl FnMut(f64),
    ) -> Result<Option<CheckedLayer>, TableCheckError> {
        let blocks = self.numbering.layer(stones).count();
        let per_parcel = (PARCEL >> stones).max(1);
        let parcels = blocks.div_ceil(per_parcel);
        let found: Mutex<Result<Vec<Option<FoundBlock>>, TableCheckError>> = Mutex::new(Ok(vec![None; blocks]));
        let finished = AtomicUsize::new(0);
        let work = |parcel: usize| {
            for block in parcel * per_parcel..((parcel + 1) * per_parcel).min(blocks) {
                let one = self.block(stones, block, has_next);
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                match (found.as_mut(), one) {
                    (Ok(found), Ok(one)) => found[block] = Some(one),
                    (Ok(_), Err(error)) => *found = Err(error),
                    (Err(_), _) => return,
                }
            }
            finished.fetch_add(1, Ordering::Relaxed);
        };
        #[expect(clippy::cast_precision_loss, reason = "a part is shown")]
        let part = |finished: usize| finished as f64 / parcels as f64;
        let is_complete = sharers.share_out(parcels, |_| tick(part(finished.load(Ordering::Relaxed))), work);
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>().filter(|_| is_complete) else {
            return Ok(None);
        };
        let (mut digest, mut counts) = (Sha256::new(), [0; 3]);
        for block in found {
            digest.update(block.digest);
            for (sum, count) in counts.iter_mut().zip(block.counts) {
                *sum += count;
            }
        }
        Ok(Some(CheckedLayer { counts, digest: digest.finalize().into() }))
    }

    fn block(&self, stones: u32, block: usize, has_next: bool) -> Result<FoundBlock, TableCheckError> {
        let grid = self.numbering.grid();
        let empty = self.numbering.layer(stones).sets()[block];
        let entries = (self.read)(stones, block)?;
        let child = |point: usize| {
            let left = grid.lowest_image(empty & !(1 << point)).0;
            if left == 0 { Ok(Vec::new()) } else { (self.read)(stones + 1, self.place(stones + 1, left)) }
        };
        if has_next || stones + 1 == grid.points() {
            let below: io::Result<Vec<Vec<u8>>> = numbers(empty).map(child).collect();
            verify(grid, empty, self.kind, &below?, &entries)
                .map_err(|source| TableCheckError::Wrong { stones, source })?;
        }
        let orbit = u64::from(grid.orbit(empty));
        let count = |holds: fn(i8) -> bool| {
            entries.iter().filter(|entry| entry.cast_signed() != ILLEGAL && holds(entry.cast_signed())).count() as u64
        };
        let counts = [count(|margin| margin > 0), count(|margin| margin == 0), count(|margin| margin < 0)];
        Ok(FoundBlock { counts: counts.map(|count| count * orbit), digest: Sha256::digest(&entries).into() })
    }

    fn place(&self, stones: u32, empty: PointSet) -> usize {
        self.numbering.layer(stones).place(empty).expect("the layer has all classes")
    }
}

#[derive(Clone, Copy)]
struct FoundBlock {
    counts: [u64; 3],
    digest: BlockDigest,
}
