//! The squares of a game: the stones, the area of the current mode, and where the seat to move may place a stone.

use super::choices::{StartRule, StuckRule};
use super::options::QuantumRules;
use super::seats::Seat;
use super::squares::{GridSquare, SquareBoard, SquareGrid, SquareSet};

/// The rule that determines where a seat may place a stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    /// The stone must enclose a row.
    Row,
    /// With `start=open`, one of the first four turns: the stone must be placed in the middle.
    Opening,
    /// With `start=none`, the seat's first stone: it must be next to a stone of any seat, or anywhere on an empty
    /// board.
    Entry,
    /// With `stuck=beside`, if no row can be enclosed: the stone must be next to a stone of any seat.
    Beside,
}

/// The squares, with sets of the size needed for the grid.
#[derive(Clone, Debug)]
pub enum SquareLayer {
    /// There are no squares.
    None,
    /// Up to 10 squares per side.
    Small(SquareField<2>),
    /// Up to 20 squares per side.
    Large(Box<SquareField<7>>),
}

/// Evaluates an expression for the field of either size, or another expression if there are no squares.
macro_rules! on_squares {
    ($layer:expr, $field:ident => $value:expr, $without:expr) => {
        match $layer {
            SquareLayer::None => $without,
            SquareLayer::Small($field) => $value,
            SquareLayer::Large($field) => $value,
        }
    };
}
pub(crate) use on_squares;

impl SquareLayer {
    /// The squares with the starting stones of a game with `rules`. `first` is the size of the first mode's area.
    pub(super) fn new(rules: &QuantumRules, first: u8) -> Self {
        match rules.lineup().squares() {
            0 => Self::None,
            size @ ..=10 => Self::Small(SquareField::new(SquareGrid::new(size), rules, first)),
            size => Self::Large(Box::new(SquareField::new(SquareGrid::new(size), rules, first))),
        }
    }
}

/// The stones, the area of the current mode, and where the seat to move may place a stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareField<const WORDS: usize> {
    board: SquareBoard<WORDS>,
    field: SquareSet<WORDS>,
    open: SquareSet<WORDS>,
    ground: Ground,
    /// The seats that have placed a stone, one bit for each seat.
    entered: u8,
}

impl<const WORDS: usize> SquareField<WORDS> {
    fn new(grid: SquareGrid, rules: &QuantumRules, first: u8) -> Self {
        let mut board = SquareBoard::new(grid);
        let in_turn = |seats: u8| Seat::all(seats).cycle();
        let middle = grid.corners(2);
        match (rules.start(), rules.seats()) {
            (StartRule::Open | StartRule::None, _) => {}
            // The second seat gets the square nearest to a1.
            (_, 2) => in_turn(2).skip(1).zip(middle).for_each(|(seat, index)| board.put(seat, index)),
            (start, seats) => {
                in_turn(seats).zip(middle).for_each(|(seat, index)| board.put(seat, index));
                if start == StartRule::Corners {
                    in_turn(seats).zip(grid.corners(first)).for_each(|(seat, index)| board.put(seat, index));
                }
            }
        }
        Self { board, field: SquareSet::EMPTY, open: SquareSet::EMPTY, ground: Ground::Row, entered: 0 }
    }

    /// The stones.
    #[inline]
    pub const fn board(&self) -> &SquareBoard<WORDS> {
        &self.board
    }

    /// The squares on which stones may be placed in the current mode.
    #[inline]
    pub const fn field(&self) -> SquareSet<WORDS> {
        self.field
    }

    /// Begins a mode on the `size` squares per side in the middle.
    pub(super) fn set_field(&mut self, size: u8) {
        self.field = self.board.grid().inner(size);
    }

    /// Finds the squares on which `seat`, which has a stone left, may place a stone. Returns whether there are any.
    #[inline]
    pub(super) fn look(&mut self, seat: Seat, rules: &QuantumRules) -> bool {
        (self.ground, self.open) = self.placements(seat, rules);
        !self.open.is_empty()
    }

    /// Records that the seat to move may not place a stone anywhere.
    pub(super) fn close(&mut self) {
        (self.ground, self.open) = (Ground::Row, SquareSet::EMPTY);
    }

    /// The squares on which `seat`, which has a stone left, may place a stone.
    #[inline]
    pub(super) fn placements(&self, seat: Seat, rules: &QuantumRules) -> (Ground, SquareSet<WORDS>) {
        if rules.start() == StartRule::Open && self.board.occupied().len() < 4 {
            let middle = self.board.grid().inner(2).without(self.board.occupied());
            return (Ground::Opening, middle);
        }
        if rules.start() == StartRule::None && self.entered >> seat.index() & 1 == 0 {
            let is_first = self.board.occupied().is_empty();
            return (Ground::Entry, if is_first { self.field } else { self.board.beside(self.field) });
        }
        let enclosing = self.board.enclosing(seat, self.field);
        if rules.stuck() == StuckRule::Beside && enclosing.is_empty() {
            return (Ground::Beside, self.board.beside(self.field));
        }
        (Ground::Row, enclosing)
    }

    /// The squares on which the seat to move may place a stone.
    #[inline]
    pub(super) const fn open(&self) -> SquareSet<WORDS> {
        self.open
    }

    /// The rule that allows the squares of [`SquareField::open`].
    pub(super) const fn ground(&self) -> Ground {
        self.ground
    }

    /// The number of `square`, if it is in the current mode's area.
    pub(super) fn index(&self, square: GridSquare) -> Option<usize> {
        self.board.grid().index(square).filter(|&index| self.field.contains(index))
    }

    /// Places a stone of `seat` on the square `index`, which must be in [`SquareField::open`], and turns over all
    /// enclosed rows.
    #[inline]
    pub(super) fn place(&mut self, seat: Seat, index: usize) {
        let turned = if self.ground == Ground::Row { self.board.enclosed(seat, index) } else { SquareSet::EMPTY };
        self.place_turning(seat, index, turned);
    }

    /// Places a stone of `seat` on the square `index`, which must be in [`SquareField::open`], and turns over the row
    /// that ends on `far`.
    pub(super) fn place_row(&mut self, seat: Seat, index: usize, far: usize) {
        let rows = self.board.rows(seat, index).into_iter();
        let turned = rows.filter(|row| row.far == far).fold(SquareSet::EMPTY, |all, row| all.or(row.stones));
        self.place_turning(seat, index, turned);
    }

    #[inline]
    fn place_turning(&mut self, seat: Seat, index: usize, turned: SquareSet<WORDS>) {
        self.board.put(seat, index);
        self.board.turn_over(seat, turned);
        self.entered |= 1 << seat.index();
    }
}
