//! Positions without their colours and symmetries.

use std::cmp::Reverse;

use crate::exact::solver::{Stones, Symmetry, folded, stones};
use crate::game::rules::gothello::{Board, Game, Point, Points};
use crate::game::rules::{Move, Side};

/// A position and its images under the symmetries of the board, whichever side is to move and whether or not the other has
/// just passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    /// The image that stands for all.
    stones: Stones,
}

impl Class {
    /// The class of a position, and how its board lies to that of [`Class::game`].
    pub fn of(game: &Game) -> (Self, Orientation) {
        let (stones, symmetry) = folded(stones(game));
        (Self { stones }, Orientation(symmetry))
    }

    /// The position that stands for all: black is to move, and no pass is before it.
    pub const fn game(self) -> Game {
        match Board::new(self.stones.own, self.stones.theirs) {
            Some(board) => Game::from_board(board, Side::Black),
            None => panic!("stones of a game"),
        }
    }

    /// The stones of the side to move minus those of the other.
    pub const fn lead(self) -> i32 {
        self.stones.lead()
    }

    /// How many points are empty.
    pub const fn empty(self) -> u32 {
        self.stones.empty().count_ones()
    }

    const fn order(self) -> (Reverse<u32>, Points, Points) {
        (Reverse(self.empty()), self.stones.theirs, self.stones.own)
    }
}

/// The emptiest first, then by their stones.
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

/// How a position lies to the one that stands for its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orientation(Symmetry);

impl Orientation {
    /// The move of the position that is `moved` in the one that stands for it.
    pub fn back(self, moved: Move) -> Move {
        Point::parse(moved.as_str()).map_or(moved, |point| {
            let bit = self.0.inverse().image_of_bit(point.bit().trailing_zeros());
            crate::game::rules::gothello::points(1 << bit).next().map_or(moved, Point::to_move)
        })
    }
}
