//! The place of each position's entry in the table.

use std::sync::LazyLock;

use super::classes::Classes;
use super::grid::{BoardGrid, PointSet};

/// The blocks of each layer of a board, listed when they are first needed.
pub struct Numbering {
    grid: BoardGrid,
    layers: Vec<LazyLock<Classes, Box<dyn FnOnce() -> Classes + Send + Sync>>>,
}

/// The place of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryPlace {
    /// The number of stones, which identifies the layer.
    pub stones: u32,
    /// The place of the block in its layer.
    pub block: usize,
    /// The index in the block.
    pub index: usize,
}

impl std::fmt::Debug for Numbering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Numbering").field("grid", &self.grid).finish_non_exhaustive()
    }
}

impl Numbering {
    /// The numbering of the positions on `grid`.
    pub fn new(grid: BoardGrid) -> Self {
        let layer = |stones| {
            let grid = grid.clone();
            let list = move || Classes::of_sets(&grid, grid.points() - stones);
            LazyLock::new(Box::new(list) as Box<dyn FnOnce() -> Classes + Send + Sync>)
        };
        let layers = (0..grid.points()).map(layer).collect();
        Self { grid, layers }
    }

    /// The numbering of the Gothello positions.
    pub fn gothello() -> &'static Self {
        static NUMBERING: LazyLock<Numbering> = LazyLock::new(|| Numbering::new(BoardGrid::new(5)));
        &NUMBERING
    }

    /// The board.
    pub const fn grid(&self) -> &BoardGrid {
        &self.grid
    }

    /// The blocks of the layer with `stones` stones.
    pub fn layer(&self, stones: u32) -> &Classes {
        &self.layers[stones as usize]
    }

    /// The place of the position in which the side to move has the stones `own` and the other side has the stones
    /// `theirs`. These sets of points must be disjoint, and must leave at least one point of the board empty.
    pub fn place(&self, own: PointSet, theirs: PointSet) -> EntryPlace {
        let empty = self.grid.all() & !(own | theirs);
        let (lowest, symmetry) = self.grid.lowest_image(empty);
        let own = self.grid.image_of_set(symmetry, own);
        let stones = (self.grid.all() & !lowest).count_ones();
        let block = self.layer(stones).place(lowest).expect("the layer has all classes");
        EntryPlace { stones, block, index: packed(own, self.grid.all() & !lowest) }
    }
}

/// The bits of `set` selected by `mask`, packed into the lowest bits.
pub fn packed(set: PointSet, mut mask: PointSet) -> usize {
    let (mut packed, mut bit) = (0, 0);
    while mask != 0 {
        packed |= ((set >> mask.trailing_zeros() & 1) as usize) << bit;
        mask &= mask - 1;
        bit += 1;
    }
    packed
}

/// The lowest bits of `packed`, spread over the set bits of `mask`: the inverse of [`packed()`].
pub fn unpacked(packed: usize, mut mask: PointSet) -> PointSet {
    let (mut set, mut bit) = (0, 0);
    while mask != 0 {
        if packed >> bit & 1 != 0 {
            set |= mask & mask.wrapping_neg();
        }
        mask &= mask - 1;
        bit += 1;
    }
    set
}
