//! The stones on the board by colour.

use std::fmt;
use std::str::FromStr;

use super::options::Options;
use super::play::Play;
use super::squares::{ALL, SIZE, Squares};
use super::view::{FULL, View};
use crate::game::{BoardError, Move, Side, board_text};

/// Stones on the board, without history.
///
/// Invariant: `black` and `white` are disjoint subsets of [`ALL`] that leave a square empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board {
    black: Squares,
    white: Squares,
}

impl Board {
    /// Creates the board with these stones, or returns `None` if two are on the same square, one is off the board, or
    /// no square is empty.
    pub const fn new(black: Squares, white: Squares) -> Option<Self> {
        match View::new(black, white) {
            Some(_) => Some(Self { black, white }),
            None => None,
        }
    }

    /// The board that is `view` from the perspective of `side`.
    #[inline]
    pub const fn of(side: Side, view: View) -> Self {
        match side {
            Side::Black => Self { black: view.own(), white: view.enemy() },
            Side::White => Self { black: view.enemy(), white: view.own() },
        }
    }

    /// The stones from the perspective of `side`.
    #[inline]
    pub const fn view(self, side: Side) -> View {
        View::of_valid(self.stones(side), self.stones(side.opponent()))
    }

    /// The stones of `side`.
    #[inline]
    pub const fn stones(self, side: Side) -> Squares {
        match side {
            Side::Black => self.black,
            Side::White => self.white,
        }
    }

    /// The squares without a stone.
    #[inline]
    pub const fn empty(self) -> Squares {
        ALL & !(self.black | self.white)
    }

    /// The number of stones, at most [`FULL`].
    pub const fn count(self) -> u32 {
        (self.black | self.white).count_ones()
    }

    /// Whether only one square is empty, in which case stones are moved.
    pub const fn is_full(self) -> bool {
        self.count() == FULL
    }

    /// Black's stones minus white's.
    pub const fn margin(self) -> i32 {
        self.black.count_ones().cast_signed() - self.white.count_ones().cast_signed()
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        board_text::write(f, |file, rank| {
            let bit = 1 << (rank * SIZE + file);
            Side::BOTH.into_iter().find(|&side| self.stones(side) & bit != 0)
        })
    }
}

/// Reads ranks from 5 down to 1, separated by white space or `/`.
impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, BoardError> {
        let (mut black, mut white) = (0, 0);
        board_text::read(text, |side, file, rank| {
            let bit = 1 << (rank * SIZE + file);
            match side {
                Side::Black => black |= bit,
                Side::White => white |= bit,
            }
        })?;
        Self::new(black, white).ok_or(BoardError::Full)
    }
}

/// The board between the step and the return of `played`, on the board shown by `before`; `None` if `played` is not a
/// step and return of a stone there.
pub fn stepped(before: &str, played: Move, rules: Options) -> Option<Board> {
    let Play::Return { from, to } = Play::parse(played.as_str(), rules.drop)? else { return None };
    let board: Board = before.parse().ok()?;
    let side = Side::BOTH.into_iter().find(|&side| board.stones(side) & from.bit() != 0)?;
    Some(Board::of(side, board.view(side).carry(from, to, rules.capture).0))
}
