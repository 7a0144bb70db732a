//! The files of the layers while a table is being built.
//!
//! `5x5-17.margins` contains the entries of the positions with 17 stones on 5x5 points, block by block, in one byte
//! each. `5x5-17.blocks` contains a record for each block that is done: the digest of its entries, and its counts.
//! `5x5-17.total` is written once all blocks are done and on disk. `5x5-17.winners`, if requested, contains the winner
//! of each position. A build that was killed continues from these files: it reuses every block whose entries have the
//! recorded digest.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::tally::{Counts, LayerTally};
use crate::base::files::write_whole;
use crate::base::hex::hex;

/// The length of a record: the digest, six counts, whether the block was verified, and the first bytes of a digest of
/// all this.
pub(super) const RECORD: usize = 96;
const CHECKED: usize = 88;

/// A SHA-256 digest.
pub type BlockDigest = [u8; 32];

/// The record of a block that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRecord {
    /// The digest of the block's entries.
    pub digest: BlockDigest,
    /// The counts of the block's positions; each colouring counts once.
    pub counts: Counts,
    /// Whether the block's entries were also computed in a second way.
    pub is_verified: bool,
}

impl BlockRecord {
    fn bytes(&self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..32].copy_from_slice(&self.digest);
        for (field, number) in bytes[32..80].chunks_exact_mut(8).zip(self.counts.to_array()) {
            field.copy_from_slice(&number.to_le_bytes());
        }
        bytes[80] = u8::from(self.is_verified);
        let check = Sha256::digest(&bytes[..CHECKED]);
        bytes[CHECKED..].copy_from_slice(&check[..RECORD - CHECKED]);
        bytes
    }

    /// Reads a record; `None` if it is damaged or was never written.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let digest = *bytes.first_chunk()?;
        if Sha256::digest(bytes.get(..CHECKED)?)[..RECORD - CHECKED] != *bytes.get(CHECKED..RECORD)? {
            return None;
        }
        let mut numbers = [0; Counts::FIELDS];
        for (number, field) in numbers.iter_mut().zip(bytes[32..80].chunks_exact(8)) {
            *number = u64::from_le_bytes(*field.first_chunk()?);
        }
        Some(Self { digest, counts: Counts::from_array(numbers), is_verified: bytes[80] != 0 })
    }
}

/// A layer that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerTotal {
    /// The number of stones of the layer's positions.
    pub stones: u32,
    /// The number of blocks.
    pub blocks: u64,
    /// The counts of the layer's positions.
    pub tally: LayerTally,
    /// The digest of the blocks' digests, in their order.
    pub digest: BlockDigest,
    /// Whether every block was verified.
    pub is_verified: bool,
}

/// The file names of one layer in the directory of a build.
#[derive(Clone, Debug)]
pub struct LayerFiles {
    dir: PathBuf,
    size: u8,
    stones: u32,
}

impl LayerFiles {
    /// The files in `dir` for the layer with `stones` stones on the board of `size` by `size` points.
    pub fn new(dir: &Path, size: u8, stones: u32) -> Self {
        Self { dir: dir.to_owned(), size, stones }
    }

    fn path(&self, kind: &str) -> PathBuf {
        let Self { size, stones, .. } = self;
        self.dir.join(format!("{size}x{size}-{stones}.{kind}"))
    }

    /// The file with the entries.
    pub fn margins(&self) -> PathBuf {
        self.path("margins")
    }

    /// Whether all `bytes` bytes of the entries of a complete layer are still there.
    pub fn has_margins(&self, bytes: u64) -> bool {
        self.path("total").exists() && has_length(&self.margins(), bytes)
    }

    /// The file with the winners.
    pub fn winners(&self) -> PathBuf {
        self.path("winners")
    }

    /// Whether all `bytes` bytes of the winners are there.
    pub fn has_winners(&self, bytes: u64) -> bool {
        has_length(&self.winners(), bytes)
    }

    /// Opens the file with the winners for writing, and sets its length to `bytes` bytes.
    ///
    /// # Errors
    /// Fails if the file cannot be created or extended.
    pub fn begin_winners(&self, bytes: u64) -> io::Result<File> {
        let file = opened(&self.winners())?;
        file.set_len(bytes)?;
        Ok(file)
    }

    /// The number of bytes that the files take up on disk.
    pub fn bytes(&self) -> u64 {
        let files = ["margins", "winners", "blocks", "total"].map(|kind| self.path(kind));
        files.iter().filter_map(|file| fs::metadata(file).ok()).map(|metadata| metadata.blocks() * 512).sum()
    }

    /// Deletes all files except the one with the winners.
    ///
    /// # Errors
    /// Fails if a file cannot be deleted.
    pub fn delete(&self) -> io::Result<()> {
        ["total", "margins", "blocks"].into_iter().try_for_each(|kind| deleted(&self.path(kind)))
    }

    /// The total of a complete layer with `blocks` blocks, computed from its records; `None` if the layer is not
    /// complete. `orbit` returns the number of images of a block.
    ///
    /// # Errors
    /// Fails if the records cannot be read.
    pub fn total(&self, blocks: usize, orbit: impl Fn(usize) -> u32) -> io::Result<Option<LayerTotal>> {
        if !self.path("total").exists() {
            return Ok(None);
        }
        let records = File::open(self.path("blocks")).and_then(|file| Records { file, blocks }.all());
        let records = match records {
            Ok(records) => records.into_iter().collect::<Option<Vec<_>>>(),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof) => None,
            Err(error) => return Err(error),
        };
        Ok(records.map(|records| total_of(self.stones, &records, orbit)))
    }

    /// Opens the files for writing, and creates them if they are missing; `bytes` is the length of the file with the
    /// entries.
    ///
    /// # Errors
    /// Fails if a file cannot be created or extended.
    pub fn begin(&self, blocks: usize, bytes: u64) -> io::Result<(File, Records)> {
        // A layer that is computed again is no longer complete.
        deleted(&self.path("total"))?;
        let (margins, records) = (opened(&self.margins())?, opened(&self.path("blocks"))?);
        margins.set_len(bytes)?;
        records.set_len((blocks * RECORD) as u64)?;
        Ok((margins, Records { file: records, blocks }))
    }

    /// Declares the layer complete. Its data must already be on disk.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn complete(&self, total: &LayerTotal) -> io::Result<()> {
        let counts = total.tally.of_board;
        let text = format!("stones {} positions {} digest {}\n", self.stones, counts.positions(), hex(&total.digest));
        write_whole(&self.path("total"), text.as_bytes())
    }

    /// Deletes the entries, and keeps the records.
    ///
    /// # Errors
    /// Fails if the file cannot be deleted.
    pub fn delete_margins(&self) -> io::Result<()> {
        deleted(&self.margins())
    }
}

/// Opens `file` for reading and writing, and creates it if it is missing.
fn opened(file: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(file)
}

/// Deletes `file`, if it is there.
fn deleted(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn has_length(file: &Path, bytes: u64) -> bool {
    fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.len() == bytes)
}

/// The records of a layer's blocks.
#[derive(Debug)]
pub struct Records {
    file: File,
    blocks: usize,
}

impl Records {
    /// The records of all blocks, in order; `None` for a block that is not done.
    ///
    /// # Errors
    /// Fails if they cannot be read.
    pub fn all(&self) -> io::Result<Vec<Option<BlockRecord>>> {
        let mut bytes = vec![0; self.blocks * RECORD];
        self.file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes.chunks_exact(RECORD).map(BlockRecord::parse).collect())
    }

    /// Writes the records of consecutive blocks, starting with the block at the place `first`.
    ///
    /// # Errors
    /// Fails if they cannot be written.
    pub fn write(&self, first: usize, records: &[BlockRecord]) -> io::Result<()> {
        let bytes: Vec<u8> = records.iter().flat_map(BlockRecord::bytes).collect();
        self.file.write_all_at(&bytes, (first * RECORD) as u64)
    }

    /// Waits until the records are on disk.
    ///
    /// # Errors
    /// Fails if the disk reports an error.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

/// The total of a layer with these records.
pub fn total_of(stones: u32, records: &[BlockRecord], orbit: impl Fn(usize) -> u32) -> LayerTotal {
    let mut digest = Sha256::new();
    let mut tally = LayerTally::default();
    for (place, record) in records.iter().enumerate() {
        digest.update(record.digest);
        tally += LayerTally::of_class(record.counts, orbit(place));
    }
    LayerTotal {
        stones,
        blocks: records.len() as u64,
        tally,
        digest: digest.finalize().into(),
        is_verified: records.iter().all(|record| record.is_verified),
    }
}
