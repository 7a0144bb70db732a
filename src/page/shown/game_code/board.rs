//! The board as used by the code: 25 points in the order of their letters.

use super::ply_part::PlyPart;
use crate::game::{Position, Side};

/// The number of files and of ranks.
const SIZE: usize = 5;

/// The number of points.
pub(super) const POINTS: usize = SIZE * SIZE;

/// The stones on the 25 points, a1 first, rank by rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeBoard([Option<Side>; POINTS]);

impl CodeBoard {
    /// The board of `position`.
    pub fn of(position: &dyn Position) -> Self {
        Self::of_text(&position.to_string())
    }

    /// The board that `text` shows: one line per rank, the highest first, with `b`, `w` and `.`.
    pub fn of_text(text: &str) -> Self {
        let mut board = Self::default();
        for (row, line) in text.lines().enumerate().take(SIZE) {
            for (file, letter) in line.bytes().enumerate().take(SIZE) {
                let side = Side::BOTH.into_iter().find(|side| side.letter() == char::from(letter));
                board.0[(SIZE - 1 - row) * SIZE + file] = side;
            }
        }
        board
    }

    /// The stone on `point`.
    pub(super) const fn at(&self, point: u8) -> Option<Side> {
        self.0[point as usize]
    }

    /// Applies `part` of a ply by `side`.
    pub(super) fn apply(&mut self, part: &PlyPart, side: Side) {
        if let Some(from) = part.emptied {
            self.0[usize::from(from)] = None;
        }
        if let Some(to) = part.placed {
            self.0[usize::from(to)] = Some(side);
        }
        for &flip in &part.flips {
            let point = &mut self.0[usize::from(flip)];
            *point = point.map(Side::opponent);
        }
    }

    /// The points with a stone of one colour here and of the other colour in `after`, except for `except`.
    pub(super) fn flips(&self, after: &Self, except: Option<u8>) -> Vec<u8> {
        let turned = |&point: &u8| {
            Some(point) != except
                && matches!((self.at(point), after.at(point)), (Some(before), Some(after)) if before != after)
        };
        (0..25).filter(turned).collect()
    }
}
