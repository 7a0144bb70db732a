//! The stones on the squares, and the rows that another stone would enclose.

use super::grid::SquareGrid;
use super::set::SquareSet;
use crate::game::quantum::seats::{PerSeat, Seat};

/// The stones on the squares.
///
/// Invariant: no two seats have a stone on the same square, and `occupied` is the union of all stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareBoard<const WORDS: usize> {
    grid: SquareGrid,
    stones: PerSeat<SquareSet<WORDS>>,
    occupied: SquareSet<WORDS>,
}

/// An unbroken row of stones between a placed stone and another stone of the same seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnclosedRow<const WORDS: usize> {
    /// The stones between these two.
    pub stones: SquareSet<WORDS>,
    /// The number of the other stone's square.
    pub far: usize,
}

impl<const WORDS: usize> SquareBoard<WORDS> {
    /// The empty board.
    pub const fn new(grid: SquareGrid) -> Self {
        Self { grid, stones: PerSeat([SquareSet::EMPTY; 6]), occupied: SquareSet::EMPTY }
    }

    /// The grid of squares.
    #[inline]
    pub const fn grid(&self) -> SquareGrid {
        self.grid
    }

    /// The stones of `seat`.
    #[inline]
    pub fn stones(&self, seat: Seat) -> SquareSet<WORDS> {
        self.stones[seat]
    }

    /// The squares with a stone.
    #[inline]
    pub const fn occupied(&self) -> SquareSet<WORDS> {
        self.occupied
    }

    /// The seat whose stone is on the square with this number, if there is one.
    pub fn owner(&self, index: usize) -> Option<Seat> {
        self.stones.of(6).find(|(_, stones)| stones.contains(index)).map(|(seat, _)| seat)
    }

    /// Puts a stone of `seat` on an empty square.
    #[inline]
    pub fn put(&mut self, seat: Seat, index: usize) {
        self.stones[seat].insert(index);
        self.occupied.insert(index);
    }

    /// Turns the stones `turned` of other seats into stones of `seat`.
    #[inline]
    pub fn turn_over(&mut self, seat: Seat, turned: SquareSet<WORDS>) {
        for stones in &mut self.stones.0 {
            *stones = stones.without(turned);
        }
        self.stones[seat] = self.stones[seat].or(turned);
    }

    /// The empty squares of `field` on which a stone of `seat` encloses a row.
    #[inline]
    pub fn enclosing(&self, seat: Seat, field: SquareSet<WORDS>) -> SquareSet<WORDS> {
        let own = self.stones[seat];
        let others = self.occupied.without(own);
        let mut ends = SquareSet::EMPTY;
        for distance in self.grid.distances() {
            #[expect(clippy::cast_possible_truncation, reason = "at most 22")]
            let distance = distance as u32;
            ends = ends.or(beyond(own, others, |set| set.up(distance)));
            ends = ends.or(beyond(own, others, |set| set.down(distance)));
        }
        ends.and(field).without(self.occupied)
    }

    /// The stones of all rows that a stone of `seat` on the empty square `index` encloses.
    #[inline]
    pub fn enclosed(&self, seat: Seat, index: usize) -> SquareSet<WORDS> {
        let own = self.stones[seat];
        let others = self.occupied.without(own);
        let mut enclosed = SquareSet::EMPTY;
        for step in self.directions() {
            let mut row = SquareSet::EMPTY;
            let mut far = index.wrapping_add(step);
            // There is never a stone at a number without a square, so the loop ends at the edge.
            while others.contains(far) {
                row.insert(far);
                far = far.wrapping_add(step);
            }
            if own.contains(far) {
                enclosed = enclosed.or(row);
            }
        }
        enclosed
    }

    /// Each row that a stone of `seat` on the empty square `index` encloses, ordered by the number of the far end.
    pub fn rows(&self, seat: Seat, index: usize) -> Vec<EnclosedRow<WORDS>> {
        let mut rows: Vec<_> = self.directions().into_iter().filter_map(|step| self.row(seat, index, step)).collect();
        rows.sort_unstable_by_key(|row| row.far);
        rows
    }

    /// The empty squares of `field` that are next to a stone.
    pub fn beside(&self, field: SquareSet<WORDS>) -> SquareSet<WORDS> {
        let mut beside = SquareSet::EMPTY;
        for distance in self.grid.distances() {
            #[expect(clippy::cast_possible_truncation, reason = "at most 22")]
            let distance = distance as u32;
            beside = beside.or(self.occupied.up(distance)).or(self.occupied.down(distance));
        }
        beside.and(field).without(self.occupied)
    }

    /// The differences that one step in each of the eight directions makes to a square's number. Negative differences
    /// wrap around.
    #[inline]
    fn directions(&self) -> [usize; 8] {
        let [a, b, c, d] = self.grid.distances();
        [a, b, c, d, a.wrapping_neg(), b.wrapping_neg(), c.wrapping_neg(), d.wrapping_neg()]
    }

    #[inline]
    fn row(&self, seat: Seat, index: usize, step: usize) -> Option<EnclosedRow<WORDS>> {
        let own = &self.stones[seat];
        let mut stones = SquareSet::EMPTY;
        let mut far = index.wrapping_add(step);
        // There is never a stone at a number without a square, so the loop ends at the edge.
        while self.occupied.contains(far) && !own.contains(far) {
            stones.insert(far);
            far = far.wrapping_add(step);
        }
        let is_row = own.contains(far) && far != index.wrapping_add(step);
        is_row.then_some(EnclosedRow { stones, far })
    }
}

/// The squares just beyond each unbroken row of `others` that begins next to `own` and continues in the direction of
/// `step`.
#[inline]
fn beyond<const WORDS: usize>(
    own: SquareSet<WORDS>,
    others: SquareSet<WORDS>,
    step: impl Fn(SquareSet<WORDS>) -> SquareSet<WORDS>,
) -> SquareSet<WORDS> {
    let mut ends = SquareSet::EMPTY;
    let mut row = step(own).and(others);
    while !row.is_empty() {
        let next = step(row);
        ends = ends.or(next);
        row = next.and(others);
    }
    ends
}
