//! The turns as values, and their notation.

use super::options::DropRule;
use super::squares::Square;
use crate::game::Move;

/// A turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Play {
    /// A stone on an empty square, such as `c4`.
    Drop(Square),
    /// Two stones on two empty squares, such as `a1+c4`, with the lower square first.
    Pair(Square, Square),
    /// A step or a lift into the empty square, such as `b1-a1`.
    Move {
        /// The original square of the stone.
        from: Square,
        /// The empty square.
        to: Square,
    },
    /// A step and the return to the original square, such as `b1-a1-b1`.
    Return {
        /// The square to which the stone returns.
        from: Square,
        /// The empty square.
        to: Square,
    },
}

impl Play {
    /// The turn with this canonical text, in a game with this `drop` rule; `None` if the text does not have the form of
    /// a turn.
    pub fn parse(text: &str, drop: DropRule) -> Option<Self> {
        Form::parse(text, drop)?.play()
    }

    /// The original square of the moving stone; `None` for a drop.
    pub const fn from(self) -> Option<Square> {
        match self {
            Self::Drop(_) | Self::Pair(..) => None,
            Self::Move { from, .. } | Self::Return { from, .. } => Some(from),
        }
    }

    /// The canonical text.
    pub const fn to_move(self) -> Move {
        match self {
            Self::Drop(at) => Move::from_bytes(&at.text()),
            Self::Pair(first, second) => joined(first, b'+', second),
            Self::Move { from, to } => joined(from, b'-', to),
            Self::Return { from, to } => {
                let ([a, b], [c, d]) = (from.text(), to.text());
                Move::from_bytes(&[a, b, b'-', c, d, b'-', a, b])
            }
        }
    }
}

const fn joined(first: Square, sign: u8, second: Square) -> Move {
    let ([a, b], [c, d]) = (first.text(), second.text());
    Move::from_bytes(&[a, b, sign, c, d])
}

/// Text in the form of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Drop(Square),
    /// The squares as written, which can be the same.
    Pair(Square, Square),
    Move(Square, Square),
    /// The third square can differ from the first.
    Return(Square, Square, Square),
}

impl Form {
    pub(super) fn parse(text: &str, drop: DropRule) -> Option<Self> {
        let squares = |sign: char| -> Option<Vec<Square>> {
            text.split(sign).map(|part| Square::parse(part.as_bytes())).collect()
        };
        if text.contains('+') {
            let [one, other] = *squares('+')? else { return None };
            return (drop == DropRule::Two).then_some(Self::Pair(one, other));
        }
        match *squares('-')? {
            [at] => (drop == DropRule::One).then_some(Self::Drop(at)),
            [from, to] => Some(Self::Move(from, to)),
            [from, to, back] => Some(Self::Return(from, to, back)),
            _ => None,
        }
    }

    /// Converts this to a turn; `None` for a pair on one square and for a return to a different square.
    pub(super) fn play(self) -> Option<Play> {
        match self {
            Self::Drop(at) => Some(Play::Drop(at)),
            Self::Pair(one, other) => (one != other).then(|| Play::Pair(one.min(other), one.max(other))),
            Self::Move(from, to) => Some(Play::Move { from, to }),
            Self::Return(from, to, back) => (from == back).then_some(Play::Return { from, to }),
        }
    }
}
