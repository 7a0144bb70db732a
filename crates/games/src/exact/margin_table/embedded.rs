//! The margins of the Gothello positions with up to [`STONES`] stones, as stored in the program.
//!
//! `embedded.bin` begins with three models of the symbols: for the layers of up to five stones, of six stones and of
//! seven stones. These are followed by the lengths of all chunks of 16 blocks, in two bytes each, and by the chunks
//! themselves, both from the empty board upwards. A chunk is decoded when one of its entries is needed for the first
//! time.

use std::sync::{LazyLock, OnceLock};

use super::classes::Classes;
use super::coding::{CONTEXTS, SYMBOLS, SymbolModel, count, decode, encoded};
use super::entry::ILLEGAL;
use super::grid::BoardGrid;
use super::numbering::{EntryPlace, Numbering, unpacked};
use super::verification::{GridRules, GridStones};

/// The maximum number of stones of a position whose margin is in the program.
pub const STONES: u32 = 7;

/// The number of models, and the last layer of the first model.
const MODELS: usize = 3;
const FIRST_MODEL: u32 = STONES - 2;

/// How many consecutive blocks of a layer are coded together.
const CHUNK: usize = 16;

static BYTES: &[u8] = include_bytes!("embedded.bin");

/// The coded layers.
#[derive(Debug)]
struct Embedded {
    models: Vec<SymbolModel>,
    /// The chunks of each layer, by the number of stones.
    layers: Vec<Vec<Chunk>>,
}

#[derive(Debug)]
struct Chunk {
    bytes: &'static [u8],
    entries: OnceLock<Box<[u8]>>,
}

/// The margin at `place`, which must have at most [`STONES`] stones, or [`ILLEGAL`].
pub fn margin(place: EntryPlace) -> i8 {
    static EMBEDDED: LazyLock<Embedded> =
        LazyLock::new(|| Embedded::parse(BYTES, Numbering::gothello()).expect("the margins are decoded in a test"));
    let EntryPlace { stones, block, index } = place;
    let chunk = &EMBEDDED.layers[stones as usize][block / CHUNK];
    let decoded = || EMBEDDED.decoded(stones, block / CHUNK, chunk.bytes).expect("the margins are decoded in a test");
    chunk.entries.get_or_init(decoded)[((block % CHUNK) << stones) + index].cast_signed()
}

/// The index of the model for the layer with `stones` stones.
const fn model(stones: u32) -> usize {
    stones.saturating_sub(FIRST_MODEL) as usize
}

impl Embedded {
    fn parse(bytes: &'static [u8], numbering: &Numbering) -> Option<Self> {
        let (models, bytes) = bytes.split_at_checked(MODELS * SymbolModel::BYTES)?;
        let models: Option<Vec<SymbolModel>> =
            models.chunks_exact(SymbolModel::BYTES).map(SymbolModel::parse).collect();
        let counts: Vec<usize> = (0..=STONES).map(|stones| numbering.layer(stones).count().div_ceil(CHUNK)).collect();
        let (lengths, mut rest) = bytes.split_at_checked(2 * counts.iter().sum::<usize>())?;
        let mut lengths = lengths.chunks_exact(2);
        let mut layers = Vec::new();
        for count in counts {
            let mut chunks = Vec::with_capacity(count);
            for length in lengths.by_ref().take(count) {
                let length = u16::from_le_bytes(*length.first_chunk()?);
                let (bytes, after) = rest.split_at_checked(length.into())?;
                rest = after;
                chunks.push(Chunk { bytes, entries: OnceLock::new() });
            }
            layers.push(chunks);
        }
        rest.is_empty().then_some(Self { models: models?, layers })
    }

    fn decoded(&self, stones: u32, chunk: usize, bytes: &[u8]) -> Option<Box<[u8]>> {
        let numbering = Numbering::gothello();
        let classes = chunk_of(numbering.layer(stones), chunk);
        let mut entries: Vec<u8> = Vec::with_capacity(classes.len() << stones);
        for &empty in classes {
            entries.extend(positions(numbering.grid(), empty));
        }
        decode(&self.models[model(stones)], bytes, entries.chunks_exact_mut(1 << stones))?;
        Some(entries.into())
    }
}

fn chunk_of(classes: &Classes, chunk: usize) -> &[u32] {
    let sets = &classes.sets()[chunk * CHUNK..];
    &sets[..sets.len().min(CHUNK)]
}

/// The entries of the block with the empty points `empty`: zero for positions, and [`ILLEGAL`] for other colourings.
fn positions(grid: &BoardGrid, empty: u32) -> impl Iterator<Item = u8> {
    let (rules, occupied) = (GridRules::on(grid), grid.all() & !empty);
    (0..1_usize << occupied.count_ones()).map(move |index| {
        let own = unpacked(index, occupied);
        let is_position = rules.is_position(GridStones { own, theirs: occupied & !own });
        if is_position { 0 } else { ILLEGAL.cast_unsigned() }
    })
}

/// The contents of `embedded.bin`, built from the entries that `block` returns for a number of stones and a place.
pub fn coded(numbering: &Numbering, block: impl Fn(u32, usize) -> Vec<u8>) -> Vec<u8> {
    let layers: Vec<Vec<Vec<u8>>> = (0..=STONES)
        .map(|stones| (0..numbering.layer(stones).count()).map(|place| block(stones, place)).collect())
        .collect();
    let mut counts = vec![vec![[0; SYMBOLS]; CONTEXTS]; MODELS];
    for (stones, layer) in (0..).zip(&layers) {
        for entries in layer {
            count(entries, &mut counts[model(stones)]);
        }
    }
    let models: Vec<SymbolModel> = counts.iter().map(|counts| SymbolModel::of_counts(counts)).collect();
    let mut bytes: Vec<u8> = models.iter().flat_map(SymbolModel::bytes).collect();
    let chunks = (0..).zip(&layers).flat_map(|(stones, layer)| layer.chunks(CHUNK).map(move |chunk| (stones, chunk)));
    let chunks: Vec<Vec<u8>> =
        chunks.map(|(stones, chunk)| encoded(&models[model(stones)], chunk.iter().map(Vec::as_slice))).collect();
    for chunk in &chunks {
        let length = u16::try_from(chunk.len()).expect("a chunk has at most 2048 entries, of less than two bytes each");
        bytes.extend(length.to_le_bytes());
    }
    bytes.extend(chunks.concat());
    bytes
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::base::hex::hex;
    use crate::exact::margin_table::checking::CheckedEntries;
    use crate::exact::margin_table::entry::EntryMeaning;
    use crate::exact::margin_table::table_file::MarginFile;
    use crate::exact::threads::Sharers;

    /// The digests of the layers of the whole table, which docs/measure/solution.md publishes.
    const DIGESTS: [&str; STONES as usize + 1] = [
        "c942a06c127c2c18022677e888020afb174208d299354f3ecfedb124a1f3fa45",
        "720c441db8810156e38d7dde57729c2ab90497ee85c04084643a1978fedab4c9",
        "f41cf612e07a3474df66d1a325bb6b6e74f9fc0f330a9c5fd14f83466b1d1e1d",
        "55a479aa27685139525e09c3fb8603a3e1b585f46333291214dfd64817f1b21d",
        "771dc8d98b5dbd03dcbe6963ccdacffa16d3d0b30f552aa1e20dbf8861d8adc6",
        "7db4318d48d95f1dfcbdca04f1baa380968ff547ddaada775c13ef0dddc6eed9",
        "9ae2c3aa89ae26d95019b38e37831937daea1edb0b80cf7fdf5900c0650c1d8c",
        "7c3bf63eefadadbfa784807a22ab6f16db12a60cc492f6b9d495882dacaa345f",
    ];

    fn block(stones: u32, block: usize) -> Vec<u8> {
        (0..1 << stones).map(|index| margin(EntryPlace { stones, block, index }).cast_unsigned()).collect()
    }

    /// Decodes every entry, and compares it with the entries to which its moves lead. To write the file from the table
    /// in the user's cache, run this test with `GOTHELLO_ARENA_WRITE_MARGINS=1`.
    #[test]
    fn the_program_has_the_margins_of_the_table() {
        if std::env::var_os("GOTHELLO_ARENA_WRITE_MARGINS").is_some() {
            let table = MarginFile::cached().expect("a sound table").expect("a table in the cache");
            let bytes = coded(Numbering::gothello(), |stones, block| {
                let mut entries = vec![0; 1_usize << stones];
                table.read_block(stones, block, &mut entries).expect("readable");
                entries
            });
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/exact/margin_table/embedded.bin"), bytes)
                .expect("written");
            return;
        }
        let read = |stones, place| Ok::<_, io::Error>(block(stones, place));
        let checked = CheckedEntries { numbering: Numbering::gothello(), kind: EntryMeaning::Margin, read };
        let sharers = Sharers { threads: NonZeroUsize::MIN.saturating_add(1), stop: &AtomicBool::new(false) };
        for stones in 0..=STONES {
            let found = checked.layer(stones, stones < STONES, &sharers, |_| ()).expect("sound").expect("not stopped");
            assert_eq!(hex(&found.digest), DIGESTS[stones as usize], "{stones} stones");
        }
        assert_eq!(coded(Numbering::gothello(), block), BYTES);
    }
}
