//! Who sits where.

use crate::game::Side;
use crate::practice::opponent::BuiltinOpponent;
use crate::referee::record::Ply;

/// Who sits where.
#[derive(Debug)]
pub(crate) enum BoardSeating {
    /// A person on this side, and an opponent on the other.
    Against(Side, BuiltinOpponent),
    /// A person on both sides.
    Two,
}

impl BoardSeating {
    /// Whether the moves of `side` are a person's.
    pub(crate) fn is_person(&self, side: Side) -> bool {
        match self {
            Self::Against(person, _) => *person == side,
            Self::Two => true,
        }
    }

    /// The side whose last move is taken back or explained: the person's, or after `plies` that of whoever moved last.
    pub(crate) fn taker(&self, plies: &[Ply]) -> Option<Side> {
        match self {
            Self::Against(person, _) => Some(*person),
            Self::Two => plies.last().map(Ply::side),
        }
    }
}
