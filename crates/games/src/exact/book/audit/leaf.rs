//! The positions where a book's lines end, with the results that the book promises there.

use super::{BookContradiction, BookProblem};
use crate::exact::book::Class;
use crate::game::Side;
use crate::game::gothello::Game;

/// A position where the book's lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leaf {
    pub(super) class: Class,
    pub(super) passed: bool,
    /// The result promised to the side to move: 1 for a win, 0 for at least a draw.
    pub(super) promised: i32,
}

impl Leaf {
    /// Returns the position, in which the side that plays by the book is to move; that side is black here.
    pub const fn game(&self) -> Game {
        let board = self.class.game().board();
        if self.passed { Game::from_board(board, Side::White).pass() } else { Game::from_board(board, Side::Black) }
    }

    /// Compares the promise with the actual winner of [`Leaf::game`].
    pub fn check(&self, winner: Option<Side>) -> Option<BookContradiction> {
        let found = Side::Black.score(winner);
        let problem = BookProblem::Leaf { passed: self.passed, promised: self.promised, found };
        (found < self.promised).then_some(BookContradiction { class: self.class, problem })
    }
}
