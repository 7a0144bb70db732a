//! Builds a table layer by layer, from the fullest boards to the empty one.
//!
//! Each layer is computed from the one with one more stone, in ranges of consecutive blocks, which are distributed
//! among the threads. A layer that is not kept in the table is deleted as soon as the next one is complete, so that
//! there are never more than two large layers on the disk.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::block::Block;
use super::classes::Classes;
use super::entry::EntryMeaning;
use super::grid::{BoardGrid, PointSet};
use super::layer_files::{BlockRecord, LayerFiles, LayerTotal, RECORD, Records, total_of};
use super::numbering::Numbering;
use super::table_file::{self, MarginHeader};
use super::verification::{WrongEntry, verify};
use super::winners;
use crate::base::sanitise::Shown as _;
use crate::exact::threads::Sharers;

/// The minimum number of entries of consecutive blocks that a thread processes at a time.
const PARCEL: usize = 1 << 22;

/// The number of bytes of child blocks that all threads together keep in memory.
const HELD: usize = 1 << 28;

/// The sets of empty points of a layer, and the location of its entries.
#[derive(Debug)]
struct Layer {
    stones: u32,
    classes: Classes,
    files: LayerFiles,
}

impl Layer {
    const fn block_bytes(&self) -> usize {
        1 << self.stones
    }

    const fn bytes(&self) -> u64 {
        (self.classes.count() as u64) << self.stones
    }

    const fn winner_bytes(&self) -> u64 {
        (self.classes.count() * winners::block_bytes(self.stones)) as u64
    }
}

/// The progress of a build.
#[derive(Clone, Copy, Debug)]
pub struct Headway {
    /// The number of stones of the layer that is being computed.
    pub stones: u32,
    /// The fraction of the layer's blocks that are done, from 0 to 1.
    pub of_layer: f64,
    /// The fraction of the whole work that is done, from 0 to 1.
    pub of_all: f64,
    /// The fraction of the whole work that was done by earlier processes.
    pub before: f64,
}

/// The reason why a build stopped.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A file of a layer cannot be read or written.
    #[error("cannot continue with the layers in `{}`", dir.shown())]
    Layers {
        /// The directory of the build.
        dir: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The table cannot be written.
    #[error("cannot write `{}`", file.shown())]
    Table {
        /// The file.
        file: PathBuf,
        /// The system's error, or that of a layer.
        source: io::Error,
    },
    /// A block contradicts the rules.
    #[error("the {stones}-stone layer is wrong")]
    Wrong {
        /// The layer.
        stones: u32,
        /// The entry.
        source: WrongEntry,
    },
}

/// The reason why a layer is not complete.
enum LayerError {
    File(io::Error),
    Wrong(WrongEntry),
}

impl From<io::Error> for LayerError {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

/// The optional tasks of a build, in addition to computing the margins.
#[derive(Clone, Copy, Debug, Default)]
pub struct MarginPlan {
    /// Whether to compute every entry a second time, by [`verify`].
    pub verify: bool,
    /// Whether to keep the winner of every position of every layer.
    pub keep_winners: bool,
}

/// The computation of all layers of a board.
#[derive(Debug)]
pub struct Build {
    grid: BoardGrid,
    dir: PathBuf,
    /// The layers, by the number of stones.
    layers: Vec<Layer>,
    plan: MarginPlan,
}

impl Build {
    /// A build for `grid` with its files in `dir`, which must exist.
    pub fn new(grid: BoardGrid, dir: &Path, plan: MarginPlan) -> Self {
        let layer = |stones| {
            let classes = Classes::of_sets(&grid, grid.points() - stones);
            Layer { stones, classes, files: LayerFiles::new(dir, grid.size(), stones) }
        };
        let layers = (0..grid.points()).map(layer).collect();
        Self { grid, dir: dir.to_owned(), layers, plan }
    }

    /// The largest number of stones of a position in the finished table: 9 on the board of 25 points; on smaller
    /// boards, the table contains all positions.
    fn kept(&self) -> u32 {
        (self.grid.points() - 1).min(if self.grid.size() == 5 { 9 } else { u32::MAX })
    }

    /// The number of bytes that the build still needs on the disk that holds its files, in addition to those that it
    /// already uses there. The build uses the most either while it computes a large layer from its neighbour, or at the
    /// end, when it copies the layers to be kept to the table. The latter matters only if `has_table`, which means that
    /// the table is on the same disk.
    ///
    /// # Errors
    /// Fails if the files of an earlier build cannot be read.
    pub fn bytes_needed(&self, has_table: bool) -> io::Result<u64> {
        let first = self.first_missing()?;
        // The files that exist while the layer of `stones` stones is computed.
        let during = |stones: u32| -> u64 {
            let is_there = |layer: &&Layer| layer.stones <= (stones + 1).max(self.kept());
            let from = &self.layers[stones as usize..];
            let winners = from.iter().filter(|_| self.plan.keep_winners).map(Layer::winner_bytes);
            let records = from.iter().map(|layer| (layer.classes.count() * RECORD) as u64);
            from.iter().filter(is_there).map(Layer::bytes).chain(winners).chain(records).sum()
        };
        let table = if has_table { self.table_bytes() } else { 0 };
        let left = first.map_or(0..0, |first| 0..first + 1);
        let most = left.map(during).fold(during(0) + table, u64::max);
        let is_used = |layer: &&Layer| first.is_none_or(|first| layer.stones >= first);
        let there: u64 = self.layers.iter().filter(is_used).map(|layer| layer.files.bytes()).sum();
        Ok(most.saturating_sub(there))
    }

    /// The number of bytes of the finished table's entries.
    pub fn table_bytes(&self) -> u64 {
        self.layers.iter().filter(|layer| layer.stones <= self.kept()).map(Layer::bytes).sum()
    }

    /// Writes the finished table to `file`, and returns its header. All layers must be complete.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written.
    pub fn write_table(&self, file: &Path) -> Result<MarginHeader, BuildError> {
        let layers: Result<Vec<LayerTotal>, BuildError> =
            self.layers.iter().map(|layer| self.known_total(layer)).collect();
        let index = table_file::index_of(&Numbering::new(self.grid.clone()), self.kept());
        let digest = Sha256::digest(&index).into();
        let header = MarginHeader { size: self.grid.size(), kept: self.kept(), layers: layers?, index: digest };
        table_file::write(file, &header, &index, |stones| File::open(self.layers[stones as usize].files.margins()))
            .map_err(|source| BuildError::Table { file: file.to_owned(), source })?;
        Ok(header)
    }

    /// Deletes the files of all layers, except those of the winners if the plan keeps these.
    ///
    /// # Errors
    /// Fails if a file cannot be deleted.
    pub fn delete_layers(&self) -> io::Result<()> {
        self.layers.iter().try_for_each(|layer| layer.files.delete())
    }

    /// Computes the layers that are missing, and calls `told` with the total of each layer, in order. `told` also
    /// receives whether the entries of that layer, and of the layer from which it was computed, are still in their
    /// files. Returns whether all layers are complete: `false` if the stop was raised.
    ///
    /// # Errors
    /// Fails if a file cannot be written or read, if an entry is wrong, or if `told` does.
    pub fn run<E: From<BuildError>>(
        &self,
        sharers: &Sharers<'_>,
        mut tick: impl FnMut(Headway),
        mut told: impl FnMut(&LayerTotal, bool) -> Result<(), E>,
    ) -> Result<bool, E> {
        #[expect(clippy::cast_precision_loss, reason = "a part is shown")]
        let weight = |layer: &Layer| layer.bytes() as f64 * f64::from(self.grid.points() - layer.stones + 2);
        let all: f64 = self.layers.iter().map(weight).sum();
        let first = self.first_missing().map_err(|error| self.layers_error(error))?;
        // Layers of another build have the same file names, so they are computed again.
        for stale in self.layers.iter().filter(|layer| first.is_some_and(|first| layer.stones < first)) {
            stale.files.delete_margins().map_err(|error| self.layers_error(error))?;
        }
        let (mut done, mut before) = (0.0, 0.0);
        for layer in self.layers.iter().rev() {
            let total = if first.is_none_or(|first| layer.stones > first) {
                before += weight(layer);
                self.known_total(layer)?
            } else {
                let share = weight(layer) / all;
                let mut of_known = 0.0;
                let tick = |of_layer: f64, known: f64| {
                    of_known = known;
                    let (of_all, before) = (done / all + share * of_layer, before / all + share * known);
                    tick(Headway { stones: layer.stones, of_layer, of_all, before });
                };
                let computed = self.compute(layer, sharers, tick).map_err(|error| self.layer_error(layer, error))?;
                let Some(total) = computed else { return Ok(false) };
                before += weight(layer) * of_known;
                total
            };
            done += weight(layer);
            let child = self.layers.get(layer.stones as usize + 1);
            let is_there = |layer: &Layer| layer.files.has_margins(layer.bytes());
            told(&total, is_there(layer) && child.is_none_or(is_there))?;
            if let Some(child) = child.filter(|child| child.stones > self.kept()) {
                child.files.delete_margins().map_err(|error| self.layers_error(error))?;
            }
        }
        Ok(true)
    }

    /// The total of a layer that is complete.
    fn known_total(&self, layer: &Layer) -> Result<LayerTotal, BuildError> {
        let total = self.total(layer).and_then(|total| total.ok_or_else(|| io::ErrorKind::NotFound.into()));
        total.map_err(|error| self.layers_error(error))
    }

    fn layer_error(&self, layer: &Layer, error: LayerError) -> BuildError {
        match error {
            LayerError::File(error) => self.layers_error(error),
            LayerError::Wrong(source) => BuildError::Wrong { stones: layer.stones, source },
        }
    }

    fn layers_error(&self, source: io::Error) -> BuildError {
        BuildError::Layers { dir: self.dir.clone(), source }
    }

    fn total(&self, layer: &Layer) -> io::Result<Option<LayerTotal>> {
        layer.files.total(layer.classes.count(), |place| self.grid.orbit(layer.classes.sets()[place]))
    }

    /// Whether a layer is complete, with everything that the plan asks for.
    fn is_complete(&self, layer: &Layer) -> io::Result<bool> {
        let Some(total) = self.total(layer)? else { return Ok(false) };
        let has_winners = !self.plan.keep_winners || layer.files.has_winners(layer.winner_bytes());
        let is_kept = layer.stones > self.kept() || layer.files.has_margins(layer.bytes());
        Ok((total.is_verified || !self.plan.verify) && has_winners && is_kept)
    }

    /// The largest number of stones of a layer that has to be computed, if there is one.
    fn first_missing(&self) -> io::Result<Option<u32>> {
        let mut missing = None;
        for layer in self.layers.iter().rev() {
            if !self.is_complete(layer)? {
                missing = Some(layer.stones);
                break;
            }
        }
        // A layer needs the margins of the one with one more stone, which may have been deleted.
        while let Some(stones) = missing
            && let Some(child) = self.layers.get(stones as usize + 1)
            && !child.files.has_margins(child.bytes())
        {
            missing = Some(child.stones);
        }
        Ok(missing)
    }

    /// Computes a layer. `tick` is called with the fraction of the layer that is done, and with the fraction that was
    /// done by earlier processes.
    fn compute(
        &self,
        layer: &Layer,
        sharers: &Sharers<'_>,
        mut tick: impl FnMut(f64, f64),
    ) -> Result<Option<LayerTotal>, LayerError> {
        let child = self.layers.get(layer.stones as usize + 1);
        let below = child.map(|child| File::open(child.files.margins())).transpose()?;
        let (margins, records) = layer.files.begin(layer.classes.count(), layer.bytes())?;
        let known = records.all()?;
        let winners = self.plan.keep_winners.then(|| layer.files.begin_winners(layer.winner_bytes())).transpose()?;
        let work = LayerWork {
            grid: &self.grid,
            layer,
            child: child.zip(below.as_ref()),
            margins: &margins,
            winners: winners.as_ref(),
            records: &records,
            known: &known,
            verify: self.plan.verify,
            held: HELD / sharers.threads,
        };
        let per_parcel = (PARCEL / layer.block_bytes()).max(1);
        let parcels = layer.classes.count().div_ceil(per_parcel);
        let failure = OnceLock::new();
        let (finished, found) = (AtomicUsize::new(0), AtomicUsize::new(0));
        #[expect(clippy::cast_precision_loss, reason = "a part is shown")]
        let part = |parcels_of: &AtomicUsize| parcels_of.load(Ordering::Relaxed) as f64 / parcels as f64;
        let is_done = sharers.share_out(
            parcels,
            |_| tick(part(&finished), part(&found)),
            |parcel| {
                let first = parcel * per_parcel;
                let blocks = first..(first + per_parcel).min(layer.classes.count());
                if failure.get().is_none() {
                    match work.parcel(blocks) {
                        Ok(was_known) => drop(found.fetch_add(usize::from(was_known), Ordering::Relaxed)),
                        Err(error) => drop(failure.set(error)),
                    }
                }
                finished.fetch_add(1, Ordering::Relaxed);
            },
        );
        if let Some(error) = failure.into_inner() {
            return Err(error);
        }
        if !is_done {
            return Ok(None);
        }
        for file in [Some(&margins), winners.as_ref()].into_iter().flatten() {
            file.sync_all()?;
        }
        records.sync()?;
        let all: Option<Vec<BlockRecord>> = records.all()?.into_iter().collect();
        let all = all.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
        let total = total_of(layer.stones, &all, |place| self.grid.orbit(layer.classes.sets()[place]));
        layer.files.complete(&total)?;
        Ok(Some(total))
    }
}

/// The data that the threads need to compute a layer.
struct LayerWork<'w> {
    grid: &'w BoardGrid,
    layer: &'w Layer,
    child: Option<(&'w Layer, &'w File)>,
    margins: &'w File,
    winners: Option<&'w File>,
    records: &'w Records,
    known: &'w [Option<BlockRecord>],
    verify: bool,
    /// The number of bytes of child blocks that a thread keeps in memory.
    held: usize,
}

impl LayerWork<'_> {
    /// Computes the blocks at the places `blocks`, unless an earlier process has done so. Returns whether it has.
    fn parcel(&self, blocks: Range<usize>) -> Result<bool, LayerError> {
        let bytes = self.layer.block_bytes();
        let mut entries = vec![0; bytes * blocks.len()];
        let offset = (blocks.start * bytes) as u64;
        let was_known = self.is_known(blocks.clone(), &mut entries, offset)?;
        if !was_known {
            let records = self.computed(blocks.clone(), &mut entries)?;
            self.margins.write_all_at(&entries, offset)?;
            self.records.write(blocks.start, &records)?;
        }
        if let Some(file) = self.winners {
            let winners: Vec<u8> = entries.chunks_exact(bytes).flat_map(winners::packed).collect();
            file.write_all_at(&winners, (blocks.start * winners::block_bytes(self.layer.stones)) as u64)?;
        }
        Ok(was_known)
    }

    /// Computes the entries of blocks, and returns their records.
    fn computed(&self, blocks: Range<usize>, entries: &mut [u8]) -> Result<Vec<BlockRecord>, LayerError> {
        let mut children = Children { of: self.child, held: HashMap::new(), bytes: 0, most: self.held };
        let mut records = Vec::with_capacity(blocks.len());
        let all = entries.chunks_exact_mut(self.layer.block_bytes());
        for (&empty, entries) in self.layer.classes.sets()[blocks].iter().zip(all) {
            let block = Block::new(self.grid, empty, |left| children.place(left));
            let below = children.read(&block)?;
            let counts = block.compute(&below, entries);
            if self.verify {
                verify(self.grid, empty, EntryMeaning::Margin, &below, entries).map_err(LayerError::Wrong)?;
            }
            records.push(BlockRecord { digest: Sha256::digest(&*entries).into(), counts, is_verified: self.verify });
        }
        Ok(records)
    }

    /// Whether all of `blocks` were done by an earlier process, and are on disk as recorded. If so, reads them into
    /// `entries`.
    fn is_known(&self, blocks: Range<usize>, entries: &mut [u8], offset: u64) -> io::Result<bool> {
        let is_enough = |record: &Option<BlockRecord>| record.filter(|record| record.is_verified || !self.verify);
        let Some(known) = self.known[blocks].iter().map(is_enough).collect::<Option<Vec<_>>>() else {
            return Ok(false);
        };
        self.margins.read_exact_at(entries, offset)?;
        let blocks = entries.chunks_exact(self.layer.block_bytes());
        Ok(blocks.zip(known).all(|(entries, record)| Sha256::digest(entries).as_slice() == record.digest))
    }
}

/// The blocks of the layer with one more stone that a thread has read.
struct Children<'w> {
    of: Option<(&'w Layer, &'w File)>,
    held: HashMap<usize, Arc<[u8]>>,
    bytes: usize,
    /// The maximum number of bytes to keep, unless a single block is larger.
    most: usize,
}

impl Children<'_> {
    /// The place of the block whose set of empty points is `left`. A full board has no block, because it is never
    /// reached.
    fn place(&self, left: PointSet) -> usize {
        self.of.map_or(0, |(layer, _)| layer.classes.place(left).expect("all classes are there"))
    }

    /// The entries of all children of `block`.
    fn read(&mut self, block: &Block) -> io::Result<Vec<Arc<[u8]>>> {
        block.children().iter().map(|child| self.entries(child.place)).collect()
    }

    fn entries(&mut self, place: usize) -> io::Result<Arc<[u8]>> {
        let Some((layer, file)) = self.of else { return Ok(Arc::new([])) };
        if let Some(entries) = self.held.get(&place) {
            return Ok(Arc::clone(entries));
        }
        let mut entries = vec![0; layer.block_bytes()];
        file.read_exact_at(&mut entries, (place * layer.block_bytes()) as u64)?;
        let entries: Arc<[u8]> = entries.into();
        if self.bytes + entries.len() > self.most {
            self.held.clear();
            self.bytes = 0;
        }
        self.bytes += entries.len();
        self.held.insert(place, Arc::clone(&entries));
        Ok(entries)
    }
}
