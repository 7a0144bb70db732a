//! The value of a position: who wins, and by how much.

use std::fmt;

use super::Span;
use crate::game::rules::Side;

/// The outcome of a position with best play by both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Who wins; `None` is a draw.
    pub winner: Option<Side>,
    /// Black's stones minus white's at the end; `None` if only the winner is known.
    pub margin: Option<i32>,
}

impl Value {
    /// Returns the value with the given margin, from which the winner follows.
    pub const fn of_margin(margin: i32) -> Self {
        let winner = match margin {
            1.. => Some(Side::Black),
            0 => None,
            _ => Some(Side::White),
        };
        Self { winner, margin: Some(margin) }
    }

    /// Returns what `span` leaves no doubt about; `None` if it does not even settle who wins.
    pub fn of(span: Span) -> Option<Self> {
        Some(Self { winner: span.winner()?, margin: span.margin() })
    }

    /// Returns the margins that this value allows.
    pub fn span(self) -> Span {
        self.margin.map_or_else(|| Span::won_by(self.winner), Span::exactly)
    }

    /// Returns the margin as `side` sees it: its own stones minus its opponent's.
    pub fn lead(self, side: Side) -> Option<i32> {
        self.margin.map(|margin| if side == Side::Black { margin } else { -margin })
    }
}

/// Such as `black wins by 3`, `white wins` or `draw`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.winner, self.margin) {
            (None, _) => f.write_str("draw"),
            (Some(winner), None) => write!(f, "{winner} wins"),
            (Some(winner), Some(margin)) => write!(f, "{winner} wins by {}", margin.unsigned_abs()),
        }
    }
}
