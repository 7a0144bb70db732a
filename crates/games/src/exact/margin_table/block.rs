//! The margins of all positions of one block, computed from those of the blocks below it.
//!
//! 256 positions are processed at once, one in each *lane*. They differ in the colours of the block's eight lowest
//! stones; their higher stones, which are the same in all lanes, make up the number of their *row*. A property that
//! differs between lanes, such as the colour of a stone, is a *plane* of 256 bits. One operation on a plane thus
//! applies to the groups of 256 positions at once. The positions with all colours exchanged have the same groups and
//! liberties, so they are processed in the same step, as the other side's view.

#![expect(clippy::needless_range_loop, reason = "several arrays of lanes or words are indexed together")]

use super::entry::ILLEGAL;
use super::grid::{BoardGrid, MOST_POINTS, PointSet, numbers};
use super::tally::Counts;

/// The value of the best placement if a side cannot place a stone: less than every margin. Its negation does not
/// overflow.
const NONE: i8 = -i8::MAX;

const LOW_STONES: usize = 8;
const LANES: usize = 1 << LOW_STONES;
const WORDS: usize = LANES / 64;

type Plane = [u64; WORDS];
type Lanes = [i8; LANES];

const NO_LANE: Plane = [0; WORDS];
const ALL_LANES: Plane = [u64::MAX; WORDS];

/// The colours of the eight lowest stones in all lanes.
const LOW_COLOURS: [Plane; LOW_STONES] = {
    let mut planes = [NO_LANE; LOW_STONES];
    let mut lane = 0;
    while lane < LANES {
        let mut stone = 0;
        while stone < LOW_STONES {
            planes[stone][lane / 64] |= ((lane >> stone & 1) as u64) << (lane % 64);
            stone += 1;
        }
        lane += 1;
    }
    planes
};

/// For each value of a byte of a plane, eight bytes, one for each bit: all ones if the bit is set, and zero otherwise.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                spread[byte] |= 0xFF << (8 * bit);
            }
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// For each lane, twice the number of set bits in its number.
const LOW_OWN: Lanes = {
    let mut counts = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        #[expect(clippy::cast_possible_truncation, reason = "at most 8")]
        let own = lane.count_ones() as i8;
        counts[lane] = 2 * own;
        lane += 1;
    }
    counts
};

/// Where a placement leads: an empty point of the block, and the block of the layer with one more stone.
#[derive(Debug)]
pub struct ChildBlock {
    /// The place of the block among those of its layer.
    pub place: usize,
    /// For each stone of the parent, its bit in the index of the child's block.
    bits: [u32; MOST_POINTS],
    /// For the eight lowest stones, the next eight, and the others: the sum of the bits of each set.
    sums: [Box<[u32; 256]>; 3],
    /// The sum of the bits of all the parent's stones.
    full: u32,
    /// Whether the point has an empty neighbour, so that every placement there is legal.
    is_open: bool,
    /// The stones next to the point.
    next_to: Vec<usize>,
}

/// A block that is about to be computed.
#[derive(Debug)]
pub struct Block {
    stones: usize,
    /// For each stone, the stones next to it, each with the index in `edges` of the edge between the two.
    touching: Vec<Vec<(usize, usize)>>,
    edges: Vec<(usize, usize)>,
    children: Vec<ChildBlock>,
}

impl Block {
    /// Prepares the block of positions whose set of empty points is `empty`. `place` returns the place of the block for
    /// the lowest image of a set with one fewer empty point.
    pub fn new(grid: &BoardGrid, empty: PointSet, place: impl Fn(PointSet) -> usize) -> Self {
        let occupied = grid.all() & !empty;
        let points: Vec<usize> = numbers(occupied).collect();
        let stone_at = |point: usize| (occupied & ((1 << point) - 1)).count_ones() as usize;
        let mut touching = vec![Vec::new(); points.len()];
        let mut edges = Vec::new();
        for (stone, &point) in points.iter().enumerate() {
            for other in numbers(grid.neighbours(point) & occupied).map(stone_at).filter(|&other| other > stone) {
                touching[stone].push((other, edges.len()));
                touching[other].push((stone, edges.len()));
                edges.push((stone, other));
            }
        }
        let child = |point: usize| {
            let (left, symmetry) = grid.lowest_image(empty & !(1 << point));
            let theirs = grid.all() & !left;
            let mut bits = [0; MOST_POINTS];
            for (bit, &point) in bits.iter_mut().zip(&points) {
                let image = grid.image(symmetry, point);
                *bit = 1 << (theirs & ((1 << image) - 1)).count_ones();
            }
            let sums = [0, 1, 2].map(|byte| {
                let mut sums = Box::new([0; 256]);
                for set in 1..256_usize {
                    let stone = 8 * byte + set.trailing_zeros() as usize;
                    sums[set] = sums[set & (set - 1)] + bits.get(stone).copied().unwrap_or(0);
                }
                sums
            });
            ChildBlock {
                place: place(left),
                bits,
                sums,
                full: bits.iter().sum(),
                is_open: grid.neighbours(point) & empty != 0,
                next_to: numbers(grid.neighbours(point) & occupied).map(stone_at).collect(),
            }
        };
        Self { stones: points.len(), touching, edges, children: numbers(empty).map(child).collect() }
    }

    /// The blocks that the computation reads.
    pub fn children(&self) -> &[ChildBlock] {
        &self.children
    }

    /// The number of entries.
    pub const fn entries(&self) -> usize {
        1 << self.stones
    }

    /// Computes the block's entries into `margins`, and counts the block's positions. `below` contains the entries of
    /// [`Block::children`], in the same order.
    pub fn compute<C: AsRef<[u8]>>(&self, below: &[C], margins: &mut [u8]) -> Counts {
        assert_eq!((margins.len(), below.len()), (self.entries(), self.children.len()));
        let mut counts = Counts::default();
        let mut row = Row::new(self);
        // Rows come in pairs, each with all colours exchanged relative to the other; with eight stones or fewer, there
        // is one row.
        let rows = (self.entries() / LANES).max(1);
        for number in 0..rows.div_ceil(2) {
            row.compute(number, below);
            let [own, theirs] = &row.sides;
            let count = self.entries().min(LANES);
            for (entry, &margin) in margins[number * LANES..].iter_mut().zip(&own.margins) {
                *entry = margin.cast_unsigned();
            }
            counts.add(&own.margins[..count], &own.tied[..count], &own.winning[..count], &own.drawing[..count]);
            if rows > 1 {
                let opposite = &mut margins[(rows - 1 - number) * LANES..][..LANES];
                for (entry, &margin) in opposite.iter_mut().rev().zip(&theirs.margins) {
                    *entry = margin.cast_unsigned();
                }
                counts.add(&theirs.margins, &theirs.tied, &theirs.winning, &theirs.drawing);
            }
        }
        counts
    }
}

/// The best move of a side in every lane.
#[derive(Debug)]
struct Best {
    margins: Lanes,
    /// How many moves keep the margin.
    tied: [u8; LANES],
    winning: [u8; LANES],
    drawing: [u8; LANES],
}

impl Best {
    const fn none() -> Self {
        Self { margins: [NONE; LANES], tied: [0; LANES], winning: [0; LANES], drawing: [0; LANES] }
    }

    /// Adds a move with the value `values` in each lane.
    #[inline]
    fn add(&mut self, values: &Lanes) {
        for lane in 0..LANES {
            let (value, best) = (values[lane], self.margins[lane]);
            let better = mask(value > best);
            self.tied[lane] = (self.tied[lane] & !better).wrapping_sub(better | mask(value == best));
            self.winning[lane] = self.winning[lane].wrapping_sub(mask(value > 0));
            self.drawing[lane] = self.drawing[lane].wrapping_sub(mask(value == 0));
            self.margins[lane] = value.max(best);
        }
    }
}

/// All ones if `holds`.
#[inline]
const fn mask(holds: bool) -> u8 {
    (holds as u8).wrapping_neg()
}

/// 256 positions of a block, and those with the colours exchanged.
struct Row<'b> {
    block: &'b Block,
    /// The colour of each stone: 1 if it belongs to the side to move.
    colours: [Plane; MOST_POINTS],
    /// For each edge, whether both stones have the same colour.
    same: Vec<Plane>,
    /// For each empty point and each stone, whether the stone's group has this liberty.
    reached: Vec<[Plane; MOST_POINTS]>,
    /// Whether the stone's group has two liberties or more.
    safe: [Plane; MOST_POINTS],
    sides: [Best; 2],
    reduced: [u32; LANES],
}

impl<'b> Row<'b> {
    fn new(block: &'b Block) -> Self {
        Self {
            block,
            colours: [NO_LANE; MOST_POINTS],
            same: vec![NO_LANE; block.edges.len()],
            reached: vec![[NO_LANE; MOST_POINTS]; block.children.len()],
            safe: [NO_LANE; MOST_POINTS],
            sides: [Best::none(), Best::none()],
            reduced: [0; LANES],
        }
    }

    fn compute<C: AsRef<[u8]>>(&mut self, number: usize, below: &[C]) {
        let legal = self.find_liberties(number);
        self.sides = [Best::none(), Best::none()];
        if legal != NO_LANE {
            for (at, entries) in below.iter().enumerate() {
                self.place_stones(number, at, entries.as_ref(), legal);
            }
        }
        // The value of a pass is that of the position it leaves to the other side, which can also place a stone or
        // pass.
        #[expect(clippy::cast_possible_truncation, reason = "at most 25")]
        let row_own = 2 * number.count_ones() as i8 - self.block.stones as i8;
        let [own, theirs] = &mut self.sides;
        let [mut passes, mut their_passes] = [[0; LANES]; 2];
        for lane in 0..LANES {
            let lead = LOW_OWN[lane].wrapping_add(row_own);
            passes[lane] = lead.min(-theirs.margins[lane]);
            their_passes[lane] = (-lead).min(-own.margins[lane]);
        }
        own.add(&passes);
        theirs.add(&their_passes);
        let legal = spread(legal);
        for side in &mut self.sides {
            for lane in 0..LANES {
                let keep = legal[lane];
                side.margins[lane] = (side.margins[lane] & keep) | (ILLEGAL & !keep);
            }
        }
    }

    /// Finds the groups' liberties, and returns the lanes in which every group has one.
    fn find_liberties(&mut self, number: usize) -> Plane {
        let block = self.block;
        for (stone, colour) in self.colours.iter_mut().enumerate().take(block.stones) {
            *colour = match LOW_COLOURS.get(stone) {
                Some(&low) => low,
                None if number >> (stone - LOW_STONES) & 1 != 0 => ALL_LANES,
                None => NO_LANE,
            };
        }
        for (same, &(one, other)) in self.same.iter_mut().zip(&block.edges) {
            for word in 0..WORDS {
                same[word] = !(self.colours[one][word] ^ self.colours[other][word]);
            }
        }
        let mut once = [NO_LANE; MOST_POINTS];
        self.safe = [NO_LANE; MOST_POINTS];
        for (child, reached) in block.children.iter().zip(&mut self.reached) {
            *reached = [NO_LANE; MOST_POINTS];
            for &stone in &child.next_to {
                reached[stone] = ALL_LANES;
            }
            if !child.next_to.is_empty() {
                flood(reached, &block.touching, &self.same);
            }
            for stone in 0..block.stones {
                for word in 0..WORDS {
                    self.safe[stone][word] |= once[stone][word] & reached[stone][word];
                    once[stone][word] |= reached[stone][word];
                }
            }
        }
        let mut legal = ALL_LANES;
        for once in &once[..block.stones] {
            for word in 0..WORDS {
                legal[word] &= once[word];
            }
        }
        legal
    }

    /// Adds both sides' placements on the empty point of child `at`, whose block has the entries `below`.
    fn place_stones(&mut self, number: usize, at: usize, below: &[u8], legal: Plane) {
        let block = self.block;
        let child = &block.children[at];
        let mut may = [legal; 2];
        if !child.is_open {
            let [mut own, mut theirs] = [NO_LANE; 2];
            for &stone in &child.next_to {
                for word in 0..WORDS {
                    let safe = self.safe[stone][word];
                    own[word] |= safe & self.colours[stone][word];
                    theirs[word] |= safe & !self.colours[stone][word];
                }
            }
            for word in 0..WORDS {
                may[0][word] &= own[word];
                may[1][word] &= theirs[word];
            }
            if may == [NO_LANE; 2] {
                return;
            }
        }
        let [low, middle, high] = &child.sums;
        let row = middle[number & 0xFF] + high[number >> 8 & 0xFF];
        // A bit that is set marks a stone of the side to move in the child, which is the other side in the parent.
        let [mut own, mut theirs] = [[0_i8; LANES]; 2];
        let top = child.full - row;
        for lane in 0..LANES {
            own[lane] = below[(top - low[lane]) as usize].cast_signed();
            theirs[lane] = below[(row + low[lane]) as usize].cast_signed();
        }
        let only_here = |stone: usize, word: usize| self.reached[at][stone][word] & !self.safe[stone][word];
        for (side, values) in [&mut own, &mut theirs].into_iter().enumerate() {
            let mut captures = NO_LANE;
            for stone in 0..block.stones {
                for word in 0..WORDS {
                    let colour = self.colours[stone][word] ^ (side as u64).wrapping_neg();
                    let mut taken = only_here(stone, word) & !colour & may[side][word];
                    captures[word] |= taken;
                    while taken != 0 {
                        let lane = 64 * word + taken.trailing_zeros() as usize;
                        self.reduced[lane] += child.bits[stone];
                        taken &= taken - 1;
                    }
                }
            }
            for (word, mut lanes) in captures.into_iter().enumerate() {
                while lanes != 0 {
                    let lane = 64 * word + lanes.trailing_zeros() as usize;
                    let index = if side == 0 { top - low[lane] } else { row + low[lane] };
                    values[lane] = below[(index - self.reduced[lane]) as usize].cast_signed();
                    self.reduced[lane] = 0;
                    lanes &= lanes - 1;
                }
            }
            let may = spread(may[side]);
            for lane in 0..LANES {
                values[lane] = (values[lane].wrapping_neg() & may[lane]) | (NONE & !may[lane]);
            }
        }
        self.sides[0].add(&own);
        self.sides[1].add(&theirs);
    }
}

/// Extends the planes of the stones in `reached` to their whole groups.
fn flood(reached: &mut [Plane; MOST_POINTS], touching: &[Vec<(usize, usize)>], same: &[Plane]) {
    let mut step = |stone: usize, touching: &[(usize, usize)]| {
        let mut plane = reached[stone];
        for &(other, edge) in touching {
            for word in 0..WORDS {
                plane[word] |= same[edge][word] & reached[other][word];
            }
        }
        let changed = plane != reached[stone];
        reached[stone] = plane;
        changed
    };
    loop {
        let mut changed = false;
        for (stone, touching) in touching.iter().enumerate() {
            changed |= step(stone, touching);
        }
        if !changed {
            return;
        }
        changed = false;
        for (stone, touching) in touching.iter().enumerate().rev() {
            changed |= step(stone, touching);
        }
        if !changed {
            return;
        }
    }
}

/// A byte for each bit of `plane`: all ones if the bit is set.
fn spread(plane: Plane) -> Lanes {
    let mut lanes = [0; LANES];
    let bytes = plane.iter().flat_map(|word| word.to_le_bytes());
    for (eight, byte) in lanes.chunks_exact_mut(8).zip(bytes) {
        for (lane, spread) in eight.iter_mut().zip(SPREAD[usize::from(byte)].to_le_bytes()) {
            *lane = spread.cast_signed();
        }
    }
    lanes
}
