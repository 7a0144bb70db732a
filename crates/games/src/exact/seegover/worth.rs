//! The worth of a position of the move phase, and its one-byte code.

use std::fmt;

use crate::game::Side;

/// The worth of a position to the side to move, under best play by both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Worth {
    /// The side to move loses after this number of plies, which is even: the winner plays to end the game as early as
    /// possible, and the loser plays to delay the end.
    Lost(u8),
    /// Neither side can win, so positions repeat until one ends the game.
    Drawn,
    /// The side to move wins after this number of plies, which is odd. It is 0 if the side has already won, which does
    /// not occur in games.
    Won(u8),
}

impl Worth {
    /// The maximum number of plies that a byte can represent, apart from the codes with a special meaning.
    pub const MOST_PLIES: u8 = Self::HAS_WON - 2;

    /// The code of a position that is not decided, which is a draw once the table is complete.
    pub(super) const UNDECIDED: u8 = 0;

    /// The code of a position in which the side to move has already won.
    const HAS_WON: u8 = u8::MAX;

    /// The code of this worth.
    pub(super) const fn code(self) -> u8 {
        match self {
            Self::Drawn => Self::UNDECIDED,
            Self::Won(0) => Self::HAS_WON,
            Self::Lost(plies) | Self::Won(plies) => plies + 1,
        }
    }

    /// The worth that has this code.
    pub(super) const fn of_code(code: u8) -> Self {
        match code {
            Self::UNDECIDED => Self::Drawn,
            Self::HAS_WON => Self::Won(0),
            code if code % 2 == 1 => Self::Lost(code - 1),
            code => Self::Won(code - 1),
        }
    }

    /// The worth of a turn that leads to a position of this worth, to the side that makes the turn.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Lost(plies) => Self::Won(plies + 1),
            Self::Drawn => Self::Drawn,
            Self::Won(plies) => Self::Lost(plies + 1),
        }
    }

    /// A number that increases with how good this worth is for the side to move: an early win is better than a late
    /// one, and a late loss is better than an early one.
    pub fn rank(self) -> i32 {
        const MIDDLE: i32 = 1 + u8::MAX as i32;
        match self {
            Self::Lost(plies) => i32::from(plies) - MIDDLE,
            Self::Drawn => 0,
            Self::Won(plies) => MIDDLE - i32::from(plies),
        }
    }

    /// The worth with the highest rank that is not above `rank`.
    pub(super) fn of_rank(rank: i32) -> Self {
        (0..=u8::MAX)
            .map(Self::of_code)
            .filter(|worth| worth.rank() <= rank)
            .max_by_key(|worth| worth.rank())
            .unwrap_or(Self::Lost(0))
    }

    /// The number of plies to the end, if there is a winner.
    pub const fn plies(self) -> Option<u8> {
        match self {
            Self::Lost(plies) | Self::Won(plies) => Some(plies),
            Self::Drawn => None,
        }
    }

    /// This worth as a value, if `to_move` is the side to move.
    pub fn seen_by(self, to_move: Side) -> Value {
        let winner = match self {
            Self::Lost(_) => Some(to_move.opponent()),
            Self::Drawn => None,
            Self::Won(_) => Some(to_move),
        };
        Value { winner, depth: self.plies().map(u32::from) }
    }
}

/// The value of a position: who wins under best play, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// The winner; `None` if the position is a draw.
    pub winner: Option<Side>,
    /// The number of plies to the end if there is a winner: the winner hurries, and the loser delays.
    pub depth: Option<u32>,
}

/// Writes `won in 7 plies`, `lost in 2 plies` or `drawn`.
impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(plies) => write!(f, "lost in {plies} plies"),
            Self::Drawn => f.write_str("drawn"),
            Self::Won(1) => f.write_str("won in 1 ply"),
            Self::Won(plies) => write!(f, "won in {plies} plies"),
        }
    }
}
