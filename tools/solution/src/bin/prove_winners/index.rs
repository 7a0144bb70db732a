//! Tables with an entry for every colouring of the stones of a block, and changes of the order of their indices.
//!
//! The index of a colouring has one bit for each stone. The six lowest bits determine the *lane*, which is a bit of a
//! word, and the others the number of the word. Unused lanes are clear.

/// Who wins in 64 colourings: those in which the side to move wins or draws, and those in which it loses or draws. A
/// colouring that is not a position is in neither.
pub(crate) type Results = [u64; 2];

/// The number of bits of an index that determine the lane.
pub(crate) const LANE_BITS: usize = 6;

/// For each set of bits, the lanes in which all of them are set.
pub(crate) static SET: [u64; 64] = lanes_with(true);

/// For each set of bits, the lanes in which all of them are clear.
pub(crate) static CLEAR: [u64; 64] = lanes_with(false);

const fn lanes_with(value: bool) -> [u64; 64] {
    let mut table = [0; 64];
    let mut bits = 0;
    while bits < 64 {
        let mut lane = 0;
        while lane < 64 {
            let same = if value { lane } else { !lane };
            table[bits] |= ((same & bits == bits) as u64) << lane;
            lane += 1;
        }
        bits += 1;
    }
    table
}

/// The number of words of a table for `stones` stones.
pub(crate) const fn words(stones: usize) -> usize {
    1 << stones.saturating_sub(LANE_BITS)
}

/// The lanes that a table for `stones` stones uses.
pub(crate) const fn used_lanes(stones: usize) -> u64 {
    if stones < LANE_BITS { (1 << (1 << stones)) - 1 } else { u64::MAX }
}

/// The bytes of a word of a table, as they are in a file.
pub(crate) fn to_bytes(results: Results) -> impl Iterator<Item = u8> {
    results.into_iter().flat_map(u64::to_le_bytes)
}

/// The words of a table, from the bytes of a file.
pub(crate) fn from_bytes(bytes: &[u8]) -> impl ExactSizeIterator<Item = Results> {
    bytes.as_chunks::<8>().0.as_chunks::<2>().0.iter().map(|pair| pair.map(u64::from_le_bytes))
}

/// Changes the order of the indices of one table at a time.
#[derive(Default)]
pub(crate) struct Rearranged {
    whole: Vec<Results>,
    half: Vec<Results>,
    order: Vec<u32>,
    /// The rearranged table.
    pub(crate) table: Vec<Results>,
}

impl Rearranged {
    /// Rearranges the half of a table in which one stone has the given colour. `bytes` contains the table. The last of
    /// `places` is the bit of this stone, and the others are, for each bit of the new index, the bit of the old one.
    pub(crate) fn arrange(&mut self, bytes: &[u8], places: &[usize], colour: usize) {
        let (&chosen, places) = places.split_last().expect("a table has a stone");
        let top = places.len();
        self.choose(bytes, chosen, top, colour);
        let mut places: Vec<usize> = places.iter().map(|&place| if place == top { chosen } else { place }).collect();
        for bit in 0..top.min(LANE_BITS) {
            let place = std::mem::replace(&mut places[bit], bit);
            if place != bit {
                swap_with_lane_bit(&mut self.half, bit, place);
                let moved = places[bit + 1..].iter_mut().find(|moved| **moved == bit);
                *moved.expect("a stone whose bit was taken") = place;
            }
        }
        self.order.clear();
        self.order.push(0);
        for place in places.iter().skip(LANE_BITS) {
            self.order.extend_from_within(..);
            let upper = self.order.len() / 2;
            self.order[upper..].iter_mut().for_each(|word| *word += 1 << (place - LANE_BITS));
        }
        self.table.clear();
        self.table.extend(self.order.iter().map(|&word| self.half[word as usize]));
    }

    /// Keeps the half of a table in which bit `chosen` of the index is `colour`, and moves bit `top` to its place.
    fn choose(&mut self, bytes: &[u8], chosen: usize, top: usize, colour: usize) {
        self.whole.clear();
        self.whole.extend(from_bytes(bytes));
        self.half.clear();
        if top < LANE_BITS {
            if chosen != top {
                swap_with_lane_bit(&mut self.whole, chosen, top);
            }
            self.half.push(self.whole[0].map(|lanes| lanes >> (colour << top) & used_lanes(top)));
            return;
        }
        let (below, above) = self.whole.split_at(words(top));
        if chosen == top {
            self.half.extend_from_slice([below, above][colour]);
        } else if chosen < LANE_BITS {
            let (shift, clear) = (1 << chosen, CLEAR[1 << chosen]);
            let pairs = below.iter().zip(above);
            if colour == 0 {
                let join = |below, above| (below & clear) | (above & clear) << shift;
                self.half.extend(pairs.map(|(below, above)| [join(below[0], above[0]), join(below[1], above[1])]));
            } else {
                let join = |below, above| (below >> shift & clear) | (above & !clear);
                self.half.extend(pairs.map(|(below, above)| [join(below[0], above[0]), join(below[1], above[1])]));
            }
        } else {
            let run = 1 << (chosen - LANE_BITS);
            for (below, above) in below.chunks_exact(2 * run).zip(above.chunks_exact(2 * run)) {
                self.half.extend_from_slice(&below[colour * run..][..run]);
                self.half.extend_from_slice(&above[colour * run..][..run]);
            }
        }
    }
}

/// Exchanges two bits of the index of a table, of which `one` determines the lane.
fn swap_with_lane_bit(table: &mut [Results], one: usize, other: usize) {
    if other < LANE_BITS {
        let (low, high) = (one.min(other), one.max(other));
        let (shift, lanes) = ((1 << high) - (1 << low), SET[1 << low] & CLEAR[1 << high]);
        for word in table.iter_mut().flatten() {
            let changed = (*word ^ *word >> shift) & lanes;
            *word ^= changed | changed << shift;
        }
    } else {
        let (shift, lanes, run) = (1 << one, CLEAR[1 << one], 1 << (other - LANE_BITS));
        for words in table.chunks_exact_mut(2 * run) {
            let (below, above) = words.split_at_mut(run);
            for (below, above) in below.iter_mut().flatten().zip(above.iter_mut().flatten()) {
                let changed = (*below >> shift ^ *above) & lanes;
                *above ^= changed;
                *below ^= changed << shift;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_rearranged_as_its_entries_are_one_by_one() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> 32
        };
        let entry = |table: &[Results], index: usize| table[index >> 6].map(|lanes| lanes >> (index & 63) & 1);
        let mut rearranged = Rearranged::default();
        for round in 0..600_usize {
            let stones = 1 + round % 11;
            let mut places: Vec<usize> = (0..stones).collect();
            places.sort_by_cached_key(|_| random());
            let whole: Vec<Results> =
                (0..words(stones)).map(|_| [0; 2].map(|_| (random() << 32 | random()) & used_lanes(stones))).collect();
            let bytes: Vec<u8> = whole.iter().copied().flat_map(to_bytes).collect();
            let colour = round / 11 % 2;
            rearranged.arrange(&bytes, &places, colour);
            assert_eq!(rearranged.table.len(), words(stones - 1));
            for index in 0..1_usize << (stones - 1) {
                let bit = |(bit, place): (usize, &usize)| (index | colour << (stones - 1)) >> bit << place & 1 << place;
                let old = places.iter().enumerate().map(bit).sum();
                assert_eq!(entry(&rearranged.table, index), entry(&whole, old), "{places:?} {index}");
            }
            assert!(rearranged.table.iter().flatten().all(|lanes| lanes & !used_lanes(stones - 1) == 0));
        }
    }
}
