//! The range of margins that a position may still have.

use super::Question;
use super::task::MOST;
use crate::game::{Outcome, Side};

/// The range of possible margins, as black's stones minus white's at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The margin is not less than this.
    pub lower: i32,
    /// The margin is not more than this.
    pub upper: i32,
}

impl Span {
    /// The span in which nothing is certain.
    pub const OPEN: Self = Self { lower: -MOST, upper: MOST };

    /// Returns the span of a known margin.
    pub const fn exactly(margin: i32) -> Self {
        Self { lower: margin, upper: margin }
    }

    /// Returns the span in which only the winner is known; `None` means a draw.
    pub const fn won_by(winner: Option<Side>) -> Self {
        match winner {
            Some(Side::Black) => Self { lower: 1, upper: MOST },
            Some(Side::White) => Self { lower: -MOST, upper: -1 },
            None => Self::exactly(0),
        }
    }

    /// Returns the margins that `outcome` allows.
    pub fn of(outcome: Outcome) -> Self {
        outcome.margin.map_or_else(|| Self::won_by(outcome.winner), Self::exactly)
    }

    /// Returns the part of the outcome that is certain; `None` if it is not even certain who wins.
    pub fn outcome(self) -> Option<Outcome> {
        Some(Outcome { winner: self.winner()?, margin: self.margin() })
    }

    /// Returns who wins, if that is certain; `Some(None)` means a draw.
    pub const fn winner(self) -> Option<Option<Side>> {
        match (self.lower, self.upper) {
            (1.., _) => Some(Some(Side::Black)),
            (_, ..0) => Some(Some(Side::White)),
            (0, 0) => Some(None),
            _ => None,
        }
    }

    /// Returns the margin, if it is certain.
    pub fn margin(self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Returns whether the span answers `question`.
    pub fn answers(self, question: Question) -> bool {
        match question {
            Question::Winner => self.winner().is_some(),
            Question::Margin => self.margin().is_some(),
        }
    }

    /// Returns the span that is certain if both spans are valid.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    /// Returns the span before a move of `side` that leads to a position with this span: `side` achieves at least as
    /// much, since it can make this move.
    #[must_use]
    pub const fn before(self, side: Side) -> Self {
        match side {
            Side::Black => Self { lower: self.lower, upper: MOST },
            Side::White => Self { lower: -MOST, upper: self.upper },
        }
    }

    /// Returns the span after any move of `side` in a position with this span: a move never improves the value.
    #[must_use]
    pub const fn after(self, side: Side) -> Self {
        match side {
            Side::Black => Self { lower: -MOST, upper: self.upper },
            Side::White => Self { lower: self.lower, upper: MOST },
        }
    }

    /// Converts the span from black's perspective to that of `side`. Applying it twice gives the original span.
    pub(in crate::exact) const fn seen_by(self, side: Side) -> Self {
        match side {
            Side::Black => self,
            Side::White => Self { lower: -self.upper, upper: -self.lower },
        }
    }
}
