//! The margins of the positions of Gothello with up to [`STONES`] stones, as the program has them.
//!
//! `embedded.bin` begins with a [`Model`] for the layers of up to five stones, one for six and one for seven. Then it has
//! the lengths of all chunks of [`CHUNK`] blocks, from the empty board upwards, two bytes each, and the chunks. A chunk is
//! decoded when one of its entries is needed for the first time.

use std::sync::{LazyLock, OnceLock};

use super::block::ILLEGAL;
use super::classes::Classes;
use super::coding::{CONTEXTS, Model, SYMBOLS, count, decode, encoded};
use super::grid::Grid;
use super::numbering::{EntryPlace, Numbering, unpacked};
use super::verification::{Rules, Stones};

/// The largest number of stones of a position whose margin is in the program.
pub const STONES: u32 = 7;

/// The number of models, and the layer of the first.
const MODELS: usize = 3;
const FIRST_MODEL: u32 = STONES - 2;

/// How many consecutive blocks of a layer are coded together.
const CHUNK: usize = 16;

static BYTES: &[u8] = include_bytes!("embedded.bin");

/// The coded layers.
#[derive(Debug)]
struct Embedded {
    models: Vec<Model>,
    /// For each number of stones, the chunks of the layer.
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

/// The number of the model of the layer with `stones` stones.
const fn model(stones: u32) -> usize {
    stones.saturating_sub(FIRST_MODEL) as usize
}

impl Embedded {
    fn parse(bytes: &'static [u8], numbering: &Numbering) -> Option<Self> {
        let (models, bytes) = bytes.split_at_checked(MODELS * Model::BYTES)?;
        let models: Option<Vec<Model>> = models.chunks_exact(Model::BYTES).map(Model::parse).collect();
        let counts: Vec<usize> = (0..=STONES).map(|stones| numbering.layer(stones).len().div_ceil(CHUNK)).collect();
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
fn positions(grid: &Grid, empty: u32) -> impl Iterator<Item = u8> {
    let (rules, occupied) = (Rules::on(grid), grid.all() & !empty);
    (0..1_usize << occupied.count_ones()).map(move |index| {
        let own = unpacked(index, occupied);
        let is_position = rules.is_position(Stones { own, theirs: occupied & !own });
        if is_position { 0 } else { ILLEGAL.cast_unsigned() }
    })
}

/// The bytes of `embedded.bin` for the entries that `block` returns for a number of stones and a place.
pub fn coded(numbering: &Numbering, block: impl Fn(u32, usize) -> Vec<u8>) -> Vec<u8> {
    let layers: Vec<Vec<Vec<u8>>> =
        (0..=STONES).map(|stones| (0..numbering.layer(stones).len()).map(|place| block(stones, place)).collect()).collect();
    let mut counts = vec![Box::new([[0; SYMBOLS]; CONTEXTS]); MODELS];
    for (stones, layer) in (0..).zip(&layers) {
        layer.iter().for_each(|entries| count(entries, &mut counts[model(stones)]));
    }
    let models: Vec<Model> = counts.iter().map(|counts| Model::of_counts(counts)).collect();
    let mut bytes: Vec<u8> = models.iter().flat_map(Model::bytes).collect();
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
