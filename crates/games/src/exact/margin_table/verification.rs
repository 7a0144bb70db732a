//! The margins of a block once more, position by position, with stones placed on boards.
//!
//! This is slower than [`super::block`] and shares nothing with it but the numbering of the positions: it places each
//! stone on its own, follows each group on its own, and looks up where the move leads.

use thiserror::Error;

use super::entry::{EntryMeaning, ILLEGAL};
use super::grid::{BoardGrid, MOST_POINTS, PointSet, numbers};

/// How many points one look-up translates, and how many look-ups a board takes.
const CHUNK: usize = 9;
const CHUNKS: usize = MOST_POINTS.div_ceil(CHUNK);

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
    /// The points that are not on the first file, and those not on the last.
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

    /// The stones after a placement of the side to move on the empty points `point`, as that side sees them; `None` if
    /// it would have no liberty.
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

/// The way from the points of a parent to the entries of one of its children.
#[derive(Debug)]
struct Way {
    /// The empty point on which a stone is placed.
    point: PointSet,
    /// For each chunk of points and each set of its points, the bits in the child's index.
    bits: Box<[[usize; 1 << CHUNK]; CHUNKS]>,
}

impl Way {
    fn new(grid: &BoardGrid, empty: PointSet, point: usize) -> Self {
        let (left, symmetry) = grid.lowest_image(empty & !(1 << point));
        let occupied = grid.all() & !left;
        let mut bits = Box::new([[0; 1 << CHUNK]; CHUNKS]);
        for stone in numbers(grid.all() & !empty) {
            let image = grid.image(symmetry, stone);
            let bit = 1 << (occupied & ((1 << image) - 1)).count_ones();
            let (chunk, low) = (stone / CHUNK, stone % CHUNK);
            for set in (0..1_usize << CHUNK).filter(|set| set >> low & 1 != 0) {
                bits[chunk][set] |= bit;
            }
        }
        Self { point: 1 << point, bits }
    }

    /// The child's index of the position in which the stones of the side to move are `own`.
    fn index(&self, own: PointSet) -> usize {
        let chunk = |number: usize| self.bits[number][(own >> (CHUNK * number)) as usize & ((1 << CHUNK) - 1)];
        chunk(0) | chunk(1) | chunk(2)
    }
}

/// The first entry of a block that is not what the rules and the entries of its children say.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("x to move on `{board}`: the entry is {found} and should be {expected}")]
pub struct WrongEntry {
    /// The board from its last rank to its first, with `x` for the stones of the side to move and `o` for the others.
    pub board: String,
    /// The entry.
    pub found: i8,
    /// What it should be.
    pub expected: i8,
}

/// Computes every entry of the block with the empty points `empty` again, from the entries `below` of its children, in
/// the order of its empty points, and compares them with `entries`. All entries are of this `kind`.
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
    let occupied = grid.all() & !empty;
    // What the best placement is worth, in the order of the entries.
    let mut placed = Vec::with_capacity(entries.len());
    // The sets of the side to move in the order of the entries: the subsets of `occupied` in ascending order.
    let subsets = || {
        std::iter::successors(Some(0), |&own: &PointSet| {
            let next = own.wrapping_sub(occupied) & occupied;
            (next != 0).then_some(next)
        })
    };
    for own in subsets() {
        let stones = GridStones { own, theirs: occupied & !own };
        placed.push(rules.is_position(stones).then(|| {
            let worth = |(way, below): (&Way, &C)| {
                let after = rules.place(stones, way.point)?;
                Some(-i32::from(below.as_ref()[way.index(after.theirs)].cast_signed()))
            };
            ways.iter().zip(below).filter_map(worth).max()
        }));
    }
    for ((own, &entry), (placed, others)) in subsets().zip(entries).zip(placed.iter().zip(placed.iter().rev())) {
        let stones = GridStones { own, theirs: occupied & !own };
        let expected = match (placed, others) {
            (Some(placed), Some(others)) => {
                let lead = match kind {
                    EntryMeaning::Margin => i32::from(stones.lead()),
                    EntryMeaning::Winner => i32::from(stones.lead().signum()),
                };
                let pass = others.map_or(lead, |others| lead.min(-others));
                i8::try_from(placed.map_or(pass, |placed| placed.max(pass))).unwrap_or(ILLEGAL)
            }
            _ => ILLEGAL,
        };
        if entry.cast_signed() != expected {
            return Err(WrongEntry { board: drawn(grid, stones), found: entry.cast_signed(), expected });
        }
    }
    Ok(())
}

/// The board of [`WrongEntry::board`].
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
