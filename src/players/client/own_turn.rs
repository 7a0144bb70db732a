//! The client's turn: which move to send next, and which moves the referee has refused.

use crate::game::Move;
use crate::referee::record::TryKind;

/// What to send next in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextLine {
    /// A new move, which has yet to be chosen.
    Choice,
    /// The given move again.
    Again(Move),
    /// Nothing: a move has been sent and has not been refused.
    Nothing,
}

/// One of the client's turns. The referee may refuse moves in it, rightly or not.
#[derive(Debug)]
pub(super) struct OwnTurn {
    next: NextLine,
    /// The moves that have been given up, in order.
    refused: Vec<Move>,
    /// Whether a move has been resent, which happens at most once per turn.
    has_repeated: bool,
}

impl OwnTurn {
    /// Creates a turn in which nothing has been sent yet.
    pub(super) const fn new() -> Self {
        Self { next: NextLine::Choice, refused: Vec::new(), has_repeated: false }
    }

    /// Returns what to send next, which then counts as sent.
    pub(super) const fn take_next(&mut self) -> NextLine {
        std::mem::replace(&mut self.next, NextLine::Nothing)
    }

    /// The moves that have been given up, in order.
    pub(super) fn refused(&self) -> &[Move] {
        &self.refused
    }

    /// Notes that the referee has refused `played`. If the referee did not understand the line, it may have been
    /// damaged in transit, so the move is resent, but only once per turn. Any other refused move is given up.
    pub(super) fn refuse(&mut self, kind: TryKind, played: Move) {
        self.next = match kind {
            TryKind::Garbled if !self.has_repeated => {
                self.has_repeated = true;
                NextLine::Again(played)
            }
            TryKind::Garbled | TryKind::Illegal => {
                self.refused.push(played);
                NextLine::Choice
            }
        };
    }
}
