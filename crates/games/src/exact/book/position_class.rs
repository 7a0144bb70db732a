//! Positions without their colours and symmetries.

use std::cmp::Reverse;

use crate::exact::solver::{Stones, Symmetry, folded, stones};
use crate::game::gothello::{Board, Game, Point, Points};
use crate::game::{Move, Side};

/// A position and its images under the symmetries of the board, regardless of which side is to move and whether the
/// other side has just passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    /// The image that represents the whole class.
    stones: Stones,
}

impl Class {
    /// Returns the class of `game`, and how its board is oriented relative to that of [`Class::game`].
    pub fn of(game: &Game) -> (Self, Orientation) {
        let (stones, symmetry) = folded(stones(game));
        (Self { stones }, Orientation(symmetry))
    }

    /// Returns the position that represents the class: black is to move, and there was no pass before it.
    pub const fn game(self) -> Game {
        match Board::new(self.stones.own, self.stones.theirs) {
            Some(board) => Game::from_board(board, Side::Black),
            None => panic!("stones of a game"),
        }
    }

    /// Returns the stones of the side to move minus those of the other side.
    pub const fn lead(self) -> i32 {
        self.stones.lead()
    }

    /// Returns how many points are empty.
    pub const fn empty(self) -> u32 {
        self.stones.empty().count_ones()
    }

    const fn order(self) -> (Reverse<u32>, Points, Points) {
        (Reverse(self.empty()), self.stones.theirs, self.stones.own)
    }
}

/// Orders classes by their empty points, emptiest first, and then by their stones.
impl Ord for Class {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Class {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A class of positions, and whether the other side has just passed in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClassAndPass {
    pub class: Class,
    pub passed: bool,
}

impl From<&Game> for ClassAndPass {
    fn from(game: &Game) -> Self {
        Self { class: Class::of(game).0, passed: game.passed() }
    }
}

/// How a position is oriented relative to the one that represents its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orientation(Symmetry);

impl Orientation {
    /// Translates `moved` from the position that represents the class to this position.
    pub fn back(self, moved: Move) -> Move {
        Point::parse(moved.as_str()).map_or(moved, |point| {
            let bit = self.0.inverse().image_of_bit(point.bit().trailing_zeros());
            crate::game::gothello::points(1 << bit).next().map_or(moved, Point::to_move)
        })
    }
}
