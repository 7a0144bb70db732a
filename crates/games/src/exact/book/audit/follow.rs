//! Finds the outcomes that follow from the book's lines.

use std::collections::BTreeMap;

use crate::exact::book::planned_positions::{BookPlan, successors};
use crate::exact::book::{Book, ClassAndPass};
use crate::game::Move;
use crate::game::gothello::Game;

/// The outcomes that follow from the positions where the book's lines end, if these keep the book's promises.
pub(super) struct Following<'a> {
    book: &'a Book,
    plan: &'a BookPlan,
    /// For each position that has been visited, whether the side to move is sure of the book's outcome.
    sure: BTreeMap<ClassAndPass, bool>,
}

impl<'a> Following<'a> {
    pub(super) const fn new(book: &'a Book, plan: &'a BookPlan) -> Self {
        Self { book, plan, sure: BTreeMap::new() }
    }

    /// Returns whether the outcome is exactly that in the book: the side to move is sure of at least this outcome and,
    /// after every move, the other side is sure that it is not better.
    pub(super) fn exactly(&mut self, game: &Game) -> bool {
        let Some(outcome) = self.book.outcome(game) else { return false };
        let at_most = |following: &mut Self| {
            successors(game).all(|next| {
                let theirs = following.book.outcome(&next);
                theirs.is_some_and(|theirs| theirs >= -outcome) && following.at_least(&next)
            })
        };
        self.at_least(game) && (outcome > 0 || at_most(self))
    }

    /// Returns whether the side to move is sure of the outcome that the book states, by the moves of the book.
    pub(super) fn at_least(&mut self, game: &Game) -> bool {
        let key = ClassAndPass::from(game);
        if let Some(&sure) = self.sure.get(&key) {
            return sure;
        }
        let sure = match (self.book.outcome(game), self.book.reply(game)) {
            (Some(..0), _) => true,
            (Some(outcome), Some(reply)) => self.keeps(game, reply, outcome),
            (Some(_), None) | (None, _) => false,
        };
        self.sure.insert(key, sure);
        sure
    }

    fn keeps(&mut self, game: &Game, reply: Move, outcome: i32) -> bool {
        // After a pass, the other side can end the game with the stones as they are, unless the pass has already ended
        // the game.
        if reply == Move::PASS && lead(game) < outcome {
            return false;
        }
        let next = game.after(reply);
        next.is_over()
            || successors(&next).all(|answered| {
                let kept = self.book.outcome(&answered);
                self.plan.is_live(&answered) || kept.is_some_and(|kept| kept >= outcome) && self.at_least(&answered)
            })
    }
}

/// Returns who is ahead, from the perspective of the side to move: 1, 0 or -1.
fn lead(game: &Game) -> i32 {
    game.side().own(game.board().margin().signum())
}
