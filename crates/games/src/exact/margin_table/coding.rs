//! Compresses blocks of margins.
//!
//! The entries of a block are coded in ascending order of their indices. Colourings that are not positions are left
//! out. Each margin is a symbol whose frequency depends on a *context*, which is derived from earlier entries. In some
//! of the earlier entries, one stone belongs to the other side instead of the side to move, so their margins are mostly
//! smaller; in the second half of a block, the earlier entries also include the same stones with all colours exchanged.
//! The frequencies are the same for a whole layer, so every chunk of blocks can be decoded independently.
//!
//! The symbols are coded by asymmetric numeral systems. Source: Jarek Duda, "Asymmetric numeral systems: entropy coding
//! combining speed of Huffman coding with compression rate of arithmetic coding" (2013).

use super::entry::{ILLEGAL, LARGEST};

/// The number of symbols: the margins from -25 to 25.
pub(super) const SYMBOLS: usize = 51;

/// The maximum difference between the two parts of a context; larger differences count as this value.
const FARTHEST: i32 = 3;

/// The number of contexts. A context consists of the largest margin among the entries with one stone exchanged, if
/// there are any, and the difference between this margin and the negated margin of the entry with all stones exchanged,
/// if that entry comes earlier.
pub(super) const CONTEXTS: usize = (SYMBOLS + 1) * (2 * FARTHEST as usize + 2);

/// The binary logarithm of the sum of a context's frequencies.
const SCALE_BITS: u32 = 14;
const SCALE: u32 = 1 << SCALE_BITS;

/// The minimum state of the coder between two symbols.
const LOWEST: u32 = 1 << 23;

/// The frequencies of all symbols in all contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SymbolModel {
    /// For each context, the sum of the frequencies of the symbols below each symbol, followed by the sum of all
    /// frequencies.
    below: Vec<[u16; SYMBOLS + 1]>,
}

impl SymbolModel {
    /// The length in bytes of a model.
    pub(super) const BYTES: usize = CONTEXTS * SYMBOLS * 2;

    /// The model for entries in which the symbols occur `counts` times in each context.
    pub(super) fn of_counts(counts: &[[u64; SYMBOLS]]) -> Self {
        Self { below: counts.iter().map(|counts| sums(&scaled(counts))).collect() }
    }

    /// Reads a model as written by [`SymbolModel::bytes`]; `None` if it is damaged.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let context = |bytes: &[u8]| {
            let mut frequencies = [0; SYMBOLS];
            for (frequency, bytes) in frequencies.iter_mut().zip(bytes.chunks_exact(2)) {
                *frequency = u32::from(u16::from_le_bytes(*bytes.first_chunk()?));
            }
            (frequencies.iter().sum::<u32>() == SCALE).then(|| sums(&frequencies))
        };
        let below: Option<Vec<_>> = bytes.chunks_exact(2 * SYMBOLS).map(context).collect();
        below.filter(|below| below.len() == CONTEXTS).map(|below| Self { below })
    }

    /// The bytes of this model.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let frequencies = self.below.iter().flat_map(|below| below.windows(2).map(|pair| pair[1] - pair[0]));
        frequencies.flat_map(u16::to_le_bytes).collect()
    }
}

/// Frequencies that add up to [`SCALE`]. Each symbol that occurs has a frequency of at least 1; if none occurs, one
/// symbol gets the whole scale.
fn scaled(counts: &[u64; SYMBOLS]) -> [u32; SYMBOLS] {
    let total: u64 = counts.iter().sum();
    let mut scaled = counts.map(|count| {
        let share = (count * u64::from(SCALE)).checked_div(total).unwrap_or(0);
        u32::try_from(share).unwrap_or(SCALE).max(u32::from(count > 0))
    });
    // The most frequent symbol compensates for rounding.
    let most = (0..SYMBOLS).max_by_key(|&symbol| scaled[symbol]).unwrap_or(0);
    let others: u32 = scaled.iter().sum::<u32>() - scaled[most];
    scaled[most] = SCALE - others;
    scaled
}

fn sums(frequencies: &[u32; SYMBOLS]) -> [u16; SYMBOLS + 1] {
    let mut below = [0; SYMBOLS + 1];
    let mut sum = 0;
    for (below, frequency) in below[1..].iter_mut().zip(frequencies) {
        sum += frequency;
        *below = u16::try_from(sum).expect("at most the scale");
    }
    below
}

/// The context of the entry with the index `index`, derived from the earlier entries.
pub(super) fn context(entries: &[u8], index: usize) -> usize {
    let mut largest = None;
    let mut own = index;
    while own != 0 {
        let margin = entries[index & !(own & own.wrapping_neg())].cast_signed();
        own &= own - 1;
        if margin != ILLEGAL {
            largest = largest.max(Some(margin));
        }
    }
    let opposite = !index & (entries.len() - 1);
    let distance = |largest: i8| {
        let distance = i32::from(largest) + i32::from(entries[opposite].cast_signed());
        1 + usize::try_from(distance.clamp(-FARTHEST, FARTHEST) + FARTHEST).unwrap_or(0)
    };
    let second = largest.filter(|_| opposite < index).map_or(0, distance);
    largest.map_or(SYMBOLS, symbol) + second * (SYMBOLS + 1)
}

fn symbol(margin: i8) -> usize {
    usize::try_from(margin + LARGEST).expect("no margin is less than -25")
}

/// Counts the symbols of a block in their contexts.
pub(super) fn count(entries: &[u8], counts: &mut [[u64; SYMBOLS]]) {
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.cast_signed() != ILLEGAL) {
        counts[context(entries, index)][symbol(entry.cast_signed())] += 1;
    }
}

/// Codes consecutive blocks.
pub(super) fn encoded<'b>(model: &SymbolModel, blocks: impl DoubleEndedIterator<Item = &'b [u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut state = LOWEST;
    // The decoder returns the last coded symbol first, so the coder begins at the end.
    for entries in blocks.rev() {
        for (index, entry) in entries.iter().enumerate().rev().filter(|(_, entry)| entry.cast_signed() != ILLEGAL) {
            let (below, symbol) = (&model.below[context(entries, index)], symbol(entry.cast_signed()));
            let frequency = u32::from(below[symbol + 1] - below[symbol]);
            let most = ((LOWEST >> SCALE_BITS) << 8) * frequency;
            while state >= most {
                bytes.push(state.to_le_bytes()[0]);
                state >>= 8;
            }
            state = ((state / frequency) << SCALE_BITS) + state % frequency + u32::from(below[symbol]);
        }
    }
    bytes.extend(state.to_le_bytes());
    bytes.reverse();
    bytes
}

/// Decodes consecutive blocks into `blocks`. Initially, the entries of positions may have any value, but those of all
/// other colourings must be [`ILLEGAL`]. Returns `None` if the bytes are damaged.
pub(super) fn decode<'b>(model: &SymbolModel, bytes: &[u8], blocks: impl Iterator<Item = &'b mut [u8]>) -> Option<()> {
    let (first, rest) = bytes.split_first_chunk()?;
    let mut state = u32::from_be_bytes(*first);
    let mut rest = rest.iter();
    for entries in blocks {
        for index in 0..entries.len() {
            if entries[index].cast_signed() == ILLEGAL {
                continue;
            }
            let below = &model.below[context(entries, index)];
            let slot = state & (SCALE - 1);
            let symbol = below.partition_point(|&sum| u32::from(sum) <= slot).checked_sub(1)?;
            let frequency = below.get(symbol + 1)? - below[symbol];
            state = u32::from(frequency) * (state >> SCALE_BITS) + slot - u32::from(below[symbol]);
            while state < LOWEST {
                state = state << 8 | u32::from(*rest.next()?);
            }
            entries[index] = (i8::try_from(symbol).ok()? - LARGEST).cast_unsigned();
        }
    }
    (state == LOWEST && rest.next().is_none()).then_some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_blocks() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let entry = prop_oneof![2 => Just(ILLEGAL), 3 => -LARGEST..=LARGEST, 9 => -2_i8..3];
        let block = proptest::collection::vec(entry.prop_map(i8::cast_unsigned), 16..=16);
        proptest::collection::vec(block, 1..20)
    }

    fn model_of(blocks: &[Vec<u8>]) -> SymbolModel {
        let mut counts = vec![[0; SYMBOLS]; CONTEXTS];
        for block in blocks {
            count(block, &mut counts);
        }
        SymbolModel::of_counts(&counts)
    }

    /// Decodes `bytes` into blocks with the positions of `blocks`.
    fn decoded(model: &SymbolModel, bytes: &[u8], blocks: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
        let blank = |&entry: &u8| if entry.cast_signed() == ILLEGAL { entry } else { 0 };
        let mut found: Vec<Vec<u8>> = blocks.iter().map(|block| block.iter().map(blank).collect()).collect();
        decode(model, bytes, found.iter_mut().map(Vec::as_mut_slice)).map(|()| found)
    }

    proptest! {
        #[test]
        fn what_was_coded_is_decoded(blocks in any_blocks()) {
            let model = model_of(&blocks);
            prop_assert_eq!(SymbolModel::parse(&model.bytes()), Some(model.clone()));
            let bytes = encoded(&model, blocks.iter().map(Vec::as_slice));
            prop_assert_eq!(decoded(&model, &bytes, &blocks), Some(blocks));
        }

        #[test]
        fn damaged_bytes_are_refused_or_decode_to_margins(blocks in any_blocks(), at in any::<usize>(), cut in any::<bool>()) {
            let model = model_of(&blocks);
            let mut bytes = encoded(&model, blocks.iter().map(Vec::as_slice));
            let at = at % bytes.len();
            if cut { bytes.truncate(at) } else { bytes[at] ^= 0x10 }
            if let Some(found) = decoded(&model, &bytes, &blocks) {
                prop_assert!(found.concat().iter().all(|entry| entry.cast_signed() == ILLEGAL || entry.cast_signed().abs() <= LARGEST));
            }
        }
    }
}
