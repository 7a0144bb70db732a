//! Computes the margins of a block again, position by position, by placing stones on boards.
//!
//! This is slower than [`super::block`] and shares nothing with it but the numbering of the positions: it makes every
//! placement in every position individually, and looks up the resulting position. Groups are followed one by one, and
//! only once for each set of stones of one colour, since neither the liberties of a group nor the stones that are
//! captured with it depend on the other colour's stones.

use thiserror::Error;

use super::entry::{EntryMeaning, ILLEGAL};
use super::grid::{BoardGrid, MOST_POINTS, PointSet, numbers};
use super::numbering::{packed, unpacked};

/// How many bits of an index one lookup translates, and how many lookups an index takes.
const CHUNK: usize = 8;
const CHUNKS: usize = MOST_POINTS.div_ceil(CHUNK) - 1;

/// The value of the best placement in a colouring in which a group has no liberty.
const NO_POSITION: i16 = i16::MIN;
/// The value of the best placement if there is no placement: it is less than all other values, and its negative is
/// greater than all of them.
const NO_PLACEMENT: i16 = -i16::MAX;

/// The stones of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridStones {
    /// The stones of the side to move.
    pub own: PointSet,
    /// The stones of the other side.
    pub theirs: PointSet,
}

impl GridStones {
    /// The stones of the side to move minus those of the other side.
    pub const fn lead(self) -> i8 {
        #[expect(clippy::cast_possible_truncation, reason = "at most 25")]
        let lead = (self.own.count_ones().cast_signed() - self.theirs.count_ones().cast_signed()) as i8;
        lead
    }
}

/// The rules on a [`BoardGrid`], for one position at a time.
#[derive(Clone, Copy, Debug)]
pub struct GridRules<'g> {
    grid: &'g BoardGrid,
    /// The points that are not on the first file, and those that are not on the last one.
    not_first: PointSet,
    not_last: PointSet,
}

impl<'g> GridRules<'g> {
    /// The rules on `grid`.
    pub fn on(grid: &'g BoardGrid) -> Self {
        let first = (0..grid.size()).fold(0, |file, rank| file | 1 << (rank * grid.size()));
        Self { grid, not_first: grid.all() & !first, not_last: grid.all() & !(first << (grid.size() - 1)) }
    }

    const fn neighbours(&self, set: PointSet) -> PointSet {
        let size = self.grid.size();
        ((set & self.not_last) << 1 | (set & self.not_first) >> 1 | set << size | set >> size) & self.grid.all()
    }

    const fn group(&self, seed: PointSet, within: PointSet) -> PointSet {
        let mut group = seed;
        loop {
            let grown = (group | self.neighbours(group)) & within;
            if grown == group {
                return group;
            }
            group = grown;
        }
    }

    /// Whether every group has a liberty.
    pub const fn is_position(&self, stones: GridStones) -> bool {
        let empty = self.grid.all() & !(stones.own | stones.theirs);
        let near = self.neighbours(empty);
        self.group(near & stones.own, stones.own) == stones.own
            && self.group(near & stones.theirs, stones.theirs) == stones.theirs
    }

    /// The stones after the side to move has placed a stone on the empty point in `point`, from that side's
    /// perspective; `None` if the placed stone would have no liberty.
    pub const fn place(&self, stones: GridStones, point: PointSet) -> Option<GridStones> {
        let empty = self.grid.all() & !(stones.own | stones.theirs | point);
        let placed = self.neighbours(point);
        if placed & empty == 0 && self.neighbours(self.group(point, stones.own | point)) & empty == 0 {
            return None;
        }
        let mut captured = 0;
        let mut touched = placed & stones.theirs;
        while touched != 0 {
            let group = self.group(touched & touched.wrapping_neg(), stones.theirs);
            touched &= !group;
            if self.neighbours(group) & empty == 0 {
                captured |= group;
            }
        }
        Some(GridStones { own: stones.own | point | captured, theirs: stones.theirs & !captured })
    }
}

/// The facts that follow from the stones of one colour alone, for every set of its stones in a block. A set is
/// represented by the index of the position in which the side to move has these stones.
#[derive(Debug)]
pub(super) struct ColourSets {
    /// The number of empty points.
    points: usize,
    /// For each set, the empty points on which this colour may place a stone; [`Self::DEAD`] if a group has no liberty.
    playable: Vec<PointSet>,
    /// For each set and each empty point in order, the stones that a stone of the other colour on that point captures.
    captured: Vec<u32>,
}

impl ColourSets {
    /// A number greater than any set of points.
    const DEAD: PointSet = PointSet::MAX;

    /// The sets in the block with the empty points `empty`.
    pub(super) fn new(rules: &GridRules<'_>, empty: PointSet) -> Self {
        let occupied = rules.grid.all() & !empty;
        let (stones, gaps): (Vec<usize>, Vec<usize>) = (numbers(occupied).collect(), numbers(empty).collect());
        let (sets, points) = (1_usize << stones.len(), gaps.len());
        let free = gaps.iter().filter(|&&gap| rules.grid.neighbours(gap) & empty != 0);
        let mut playable = vec![free.fold(0, |free, &gap| free | 1 << gap); sets];
        let mut captured = vec![0; sets * points];
        for set in 1..sets {
            // Only the group of the last stone is followed. All others are the groups of the set without that stone,
            // which has a lower index.
            let last = stones[set.ilog2() as usize];
            let group = rules.group(1 << last, unpacked(set, occupied));
            let index = packed(group, occupied);
            let (rest, liberties) = (set & !index, rules.neighbours(group) & empty);
            if liberties == 0 || playable[rest] == Self::DEAD {
                playable[set] = Self::DEAD;
                continue;
            }
            captured.copy_within(rest * points..(rest + 1) * points, set * points);
            playable[set] = playable[rest];
            if liberties.is_power_of_two() {
                // On the group's only liberty, a stone of the other colour captures the group, and one of the same
                // colour does not save it.
                let gap = (empty & (liberties - 1)).count_ones() as usize;
                captured[set * points + gap] |= u32::try_from(index).expect("at most 24 stones");
            } else {
                playable[set] |= liberties;
            }
        }
        Self { points, playable, captured }
    }

    /// The empty points on which a colour with the stones of `set` may place a stone, regardless of the stones of the
    /// other colour; `None` if a group has no liberty.
    pub(super) fn playable(&self, set: usize) -> Option<PointSet> {
        (self.playable[set] != Self::DEAD).then_some(self.playable[set])
    }

    /// For each empty point, the stones of `set` that a stone of the other colour on that point captures.
    pub(super) fn captured(&self, set: usize) -> &[u32] {
        &self.captured[set * self.points..][..self.points]
    }
}

/// Translates indices of a block to those of one of its children.
#[derive(Debug)]
struct Way {
    /// The empty point on which a stone is placed.
    point: PointSet,
    /// For each chunk of an index, the corresponding bits of the child's index.
    bits: [[u32; 1 << CHUNK]; CHUNKS],
}

impl Way {
    fn new(grid: &BoardGrid, empty: PointSet, point: usize) -> Self {
        let (left, symmetry) = grid.lowest_image(empty & !(1 << point));
        let occupied = grid.all() & !left;
        let bit = |stone: usize| 1_u32 << (occupied & ((1 << grid.image(symmetry, stone)) - 1)).count_ones();
        let mut bits = [[0; 1 << CHUNK]; CHUNKS];
        for (place, stone) in numbers(grid.all() & !empty).enumerate() {
            let (chunk, low) = (place / CHUNK, place % CHUNK);
            for set in (0..1_usize << CHUNK).filter(|set| set >> low & 1 != 0) {
                bits[chunk][set] |= bit(stone);
            }
        }
        Self { point: 1 << point, bits }
    }

    /// The child's index for the position in which the side to move has the stones of `set`; `set` is an index in the
    /// parent.
    fn index(&self, set: u32) -> usize {
        let chunk = |number: usize| self.bits[number][(set >> (CHUNK * number)) as usize & ((1 << CHUNK) - 1)];
        (chunk(0) | chunk(1) | chunk(2)) as usize
    }
}

/// The first entry of a block that contradicts the rules and the entries of the block's children.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("x to move on `{board}`: the entry is {found}, but should be {expected}")]
pub struct WrongEntry {
    /// The board from its last rank to its first, with `x` for the stones of the side to move and `o` for the others.
    pub board: String,
    /// The entry.
    pub found: i8,
    /// The value that it should have.
    pub expected: i8,
}

/// Computes every entry of the block with the empty points `empty` again, from the entries `below` of its children,
/// which are in the order of its empty points, and compares the results with `entries`. `kind` is the meaning of all
/// entries.
///
/// # Errors
/// Returns the first entry that is wrong.
pub fn verify<C: AsRef<[u8]>>(
    grid: &BoardGrid,
    empty: PointSet,
    kind: EntryMeaning,
    below: &[C],
    entries: &[u8],
) -> Result<(), WrongEntry> {
    let rules = GridRules::on(grid);
    let ways: Vec<Way> = numbers(empty).map(|point| Way::new(grid, empty, point)).collect();
    let colour = ColourSets::new(&rules, empty);
    let (occupied, all) = (grid.all() & !empty, entries.len() - 1);
    // The value of the best placement, in the order of the entries.
    let placed: Vec<i16> = (0..=all)
        .map(|own| {
            let theirs = all ^ own;
            let (Some(playable), Some(_)) = (colour.playable(own), colour.playable(theirs)) else {
                return NO_POSITION;
            };
            let captured = colour.captured(theirs);
            let theirs = u32::try_from(theirs).expect("at most 24 stones");
            let worth = |((way, below), captured): ((&Way, &C), &u32)| {
                match below.as_ref().get(way.index(theirs & !captured)) {
                    Some(entry) if playable & way.point != 0 => -i16::from(entry.cast_signed()),
                    // The full board is not a position, and its block has no entries.
                    _ => NO_PLACEMENT,
                }
            };
            ways.iter().zip(below).zip(captured).map(worth).fold(NO_PLACEMENT, i16::max)
        })
        .collect();
    for (own, &entry) in entries.iter().enumerate() {
        let (placed, others) = (placed[own], placed[all ^ own]);
        let stones = || {
            let own = unpacked(own, occupied);
            GridStones { own, theirs: occupied & !own }
        };
        let expected = if placed == NO_POSITION {
            ILLEGAL
        } else {
            let lead = 2 * own.count_ones().cast_signed() - all.count_ones().cast_signed();
            let lead = match kind {
                EntryMeaning::Margin => lead,
                EntryMeaning::Winner => lead.signum(),
            };
            let value = i32::from(placed).max(lead.min(-i32::from(others)));
            i8::try_from(value).unwrap_or(ILLEGAL)
        };
        if entry.cast_signed() != expected {
            return Err(WrongEntry { board: drawn(grid, stones()), found: entry.cast_signed(), expected });
        }
    }
    Ok(())
}

/// Draws the board for [`WrongEntry::board`].
fn drawn(grid: &BoardGrid, stones: GridStones) -> String {
    let size = usize::from(grid.size());
    let point = |number: usize| match (stones.own >> number & 1, stones.theirs >> number & 1) {
        (1, _) => 'x',
        (_, 1) => 'o',
        _ => '.',
    };
    let rank = |rank: usize| (0..size).map(|file| point(rank * size + file)).collect::<String>();
    (0..size).rev().map(rank).collect::<Vec<_>>().join(" ")
}
