//! The place at which a table stores each position, shared by its images under the eight symmetries of the board.
//!
//! The symmetries map each empty square to one of six. For each of these six, the table has one place for every way to
//! colour the other 24 squares. A symmetry that maps the empty square to itself maps a place to another one, so the
//! same value is stored several times; in return, a lookup needs only one symmetry and no search.

use super::full::Full;
use crate::game::seegover::{ALL, CENTRE, FULL, Square, Squares};

/// The number of squares.
const COUNT: usize = 25;

/// The empty squares that have places: a1, b1, c1, b2, c2 and c3.
const CLASSES: [usize; 6] = [0, 1, 2, 6, 7, 12];

/// The number of ways to colour the 24 other squares.
const COLOURINGS: usize = 1 << FULL;

/// The number of symmetries: bit 0 mirrors files, bit 1 mirrors ranks, and bit 2 swaps files and ranks.
pub(super) const SYMMETRIES: usize = 8;

/// The number of places.
pub(super) const PLACES: usize = CLASSES.len() * COLOURINGS;

/// The square to which `symmetry` maps `square`.
pub(super) const fn image(symmetry: usize, square: usize) -> usize {
    let (mut rank, mut file) = (square / 5, square % 5);
    if symmetry & 1 != 0 {
        file = 4 - file;
    }
    if symmetry & 2 != 0 {
        rank = 4 - rank;
    }
    if symmetry & 4 != 0 {
        (rank, file) = (file, rank);
    }
    rank * 5 + file
}

/// The images of all sets of squares in each rank, under each symmetry.
static IMAGES: [[[Squares; 32]; 5]; SYMMETRIES] = {
    let mut table = [[[0; 32]; 5]; SYMMETRIES];
    let mut at = 0;
    while at < SYMMETRIES * COUNT * 32 {
        let (symmetry, square, line) = (at / (COUNT * 32), at / 32 % COUNT, at % 32);
        if line >> (square % 5) & 1 == 1 {
            table[symmetry][square / 5][line] |= 1 << image(symmetry, square);
        }
        at += 1;
    }
    table
};

/// The image of a set of squares.
pub(super) const fn image_of(symmetry: usize, set: Squares) -> Squares {
    let ranks = &IMAGES[symmetry];
    ranks[0][(set & 31) as usize]
        | ranks[1][(set >> 5 & 31) as usize]
        | ranks[2][(set >> 10 & 31) as usize]
        | ranks[3][(set >> 15 & 31) as usize]
        | ranks[4][(set >> 20 & 31) as usize]
}

/// For each square, the first symmetry that maps it to one of the [`CLASSES`], and the index of that class.
static TO_CLASS: [(usize, usize); COUNT] = {
    let mut table = [(0, 0); COUNT];
    let mut at = SYMMETRIES * COUNT * CLASSES.len();
    while at > 0 {
        at -= 1;
        let (symmetry, square, class) = (at / (COUNT * CLASSES.len()), at / CLASSES.len() % COUNT, at % CLASSES.len());
        if image(symmetry, square) == CLASSES[class] {
            table[square] = (symmetry, class);
        }
    }
    table
};

/// All squares, by their index.
const SQUARES: [Square; COUNT] = {
    let mut table = [CENTRE; COUNT];
    let mut rest = ALL;
    while let Some((square, others)) = Square::pop(rest) {
        table[square.index() as usize] = square;
        rest = others;
    }
    table
};

/// One place of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TablePlace(usize);

impl TablePlace {
    /// The place of a position.
    pub(super) fn of(full: Full) -> Self {
        let (symmetry, class) = TO_CLASS[usize::from(full.hole().index())];
        Self::in_class(class, image_of(symmetry, full.own()))
    }

    /// The place of the position in which the side to move has the stones `own`, and the square of `class` is empty.
    const fn in_class(class: usize, own: Squares) -> Self {
        let low = (1 << CLASSES[class]) - 1;
        let colouring = (own & low) | (own >> 1 & !low);
        Self(class * COLOURINGS + colouring as usize)
    }

    /// The place with this index, which must be less than [`PLACES`].
    pub(super) const fn at(index: usize) -> Self {
        debug_assert!(index < PLACES);
        Self(index)
    }

    /// The index of this place.
    pub(super) const fn index(self) -> usize {
        self.0
    }

    const fn class(self) -> usize {
        self.0 / COLOURINGS
    }

    /// One of the positions stored at this place.
    #[expect(clippy::cast_possible_truncation, reason = "a colouring has 24 bits")]
    pub(super) const fn full(self) -> Full {
        let (hole, colouring) = (CLASSES[self.class()], (self.0 % COLOURINGS) as Squares);
        let low = (1 << hole) - 1;
        Full::of(colouring & low | (colouring & !low) << 1, SQUARES[hole])
    }

    /// How many stones the side to move has.
    pub(super) const fn own_stones(self) -> u32 {
        (self.0 % COLOURINGS).count_ones()
    }

    /// How many stones the other side has.
    pub(super) const fn other_stones(self) -> u32 {
        FULL - self.own_stones()
    }

    /// How many squares are represented by this place's empty square. This is the average number of images per place.
    pub(super) fn weight(self) -> u64 {
        /// How many images each of the [`CLASSES`] has.
        const WEIGHTS: [u64; CLASSES.len()] = [4, 8, 4, 4, 4, 1];
        WEIGHTS[self.class()]
    }

    /// The other places that store this position. A place occurs once for each symmetry that leads to it.
    pub(super) fn twins(self) -> impl Iterator<Item = Self> {
        /// For each of the [`CLASSES`], the symmetries other than the identity that map it to itself.
        const KEEPING: [&[usize]; CLASSES.len()] = [&[4], &[], &[1], &[4], &[1], &[1, 2, 3, 4, 5, 6, 7]];
        let own = self.full().own();
        KEEPING[self.class()].iter().map(move |&symmetry| Self::in_class(self.class(), image_of(symmetry, own)))
    }
}
