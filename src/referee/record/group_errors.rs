//! Errors in a parsed record of a game with more than two seats.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::check_errors::Contradiction;
use crate::game::{Move, Seat};
use crate::referee::result::Termination;

/// The reason why the record of a game with more than two seats fails the check, and the place of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupCheckError {
    /// The place.
    pub place: GroupPlace,
    /// The error.
    pub reason: GroupContradiction,
}

/// A place in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupPlace {
    /// A ply.
    Ply {
        /// The number of the ply, starting from 1.
        ply: usize,
        /// The seat that made it.
        seat: Seat,
        /// The move.
        played: Move,
    },
    /// Where a seat drops out.
    Out {
        /// How many plies had been played.
        after: usize,
        /// The seat.
        seat: Seat,
    },
    /// After the last ply that was played.
    After(usize),
}

impl std::error::Error for GroupCheckError {}

/// Writes ``ply 12, `f7` by seat 3: the point is occupied``, `after ply 27, seat 3 drops out: ...` or `after ply 27:
/// ...`.
impl fmt::Display for GroupCheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            GroupPlace::Ply { ply, seat, played } => write!(f, "ply {ply}, `{played}` by seat {seat}: {}", self.reason),
            GroupPlace::Out { after, seat } => write!(f, "after ply {after}, seat {seat} drops out: {}", self.reason),
            GroupPlace::After(after) => write!(f, "after ply {after}: {}", self.reason),
        }
    }
}

/// An error in the record of a game with more than two seats.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GroupContradiction {
    /// An error that can occur in games with any number of seats.
    #[error(transparent)]
    Common(#[from] Contradiction),
    /// The seats have different clocks.
    #[error("`{0}` has different times, but all seats have the same clock in a game with more than two seats")]
    UnequalClocks(&'static str),
    /// A ply was made by a seat that has dropped out.
    #[error("seat {0} has already dropped out")]
    OutMoves(Seat),
    /// A ply was made, or a turn ended, by a seat that is not to move.
    #[error("it is seat {0}'s turn")]
    WrongSeat(Seat),
    /// Seats drop out in an order that contradicts the order of the plies, or after more plies than were played.
    #[error("it is recorded after ply {0}, out of order with the plies or with the other seats that drop out")]
    OutOfOrder(usize),
    /// A seat drops out after the end of the game.
    #[error("the game was already over")]
    OutAfterEnd,
    /// A game can end in this way, but a seat cannot drop out in this way.
    #[error("`{0}` is not a way to drop out")]
    NoWayOut(Termination),
    /// A seat can drop out in this way only before the first move, or when a mode begins.
    #[error(
        "a seat can drop out with `{0}` only before the first move or as a mode begins, and before its turn has begun"
    )]
    Late(Termination),
    /// Only the seat to move can drop out in this way.
    #[error("only seat {to_move}, whose turn it is, can drop out with `{termination}`")]
    NotToMove {
        /// How the seat drops out.
        termination: Termination,
        /// The seat to move.
        to_move: Seat,
    },
    /// A flag fell in a game with recorded times, but the time of the last turn is missing.
    #[error("its flag fell, but the time spent in its last turn is missing")]
    NoLastTurn,
    /// The record says that a flag fell, although there was time left.
    #[error("the record says that its flag fell, but only {elapsed:?} of {left:?} was used up")]
    FlagStood {
        /// The time spent in the last turn.
        elapsed: Duration,
        /// The time left before it.
        left: Duration,
    },
    /// Without clocks, the seat that has used the most time drops out.
    #[error("it dropped out at the time limit of a game without clocks, but used less time than seat {0}")]
    UsedLess(Seat),
    /// A seat has more than one turn without a move, or it has such a turn although it neither dropped out nor was cut
    /// off by the end of the game.
    #[error(
        "seat {0} has a turn without a move, although it neither dropped out then nor was cut off by the end of the game"
    )]
    UnexplainedTurn(Seat),
    /// The record contains the result of a game that is not over.
    #[error("the log has a result, but the game is not over: {in_game} seats remain, and the rules have not ended it")]
    NotOver {
        /// How many seats have not dropped out.
        in_game: usize,
    },
    /// A game is recorded as void, although it is over.
    #[error("the game is over, with the placing {placing}, but the record says `{recorded}`")]
    Over {
        /// The placing.
        placing: String,
        /// The recorded value.
        recorded: String,
    },
    /// The record contains the counts of a mode that has not ended.
    #[error("the log has counts for {0}, but this mode has not ended")]
    NotCounted(&'static str),
    /// The counts of a mode that has ended are missing, given twice or not in the order of the modes.
    #[error("the modes that have ended are {board}, but the `Counts` tags are for {recorded}")]
    OtherModes {
        /// The modes that have ended.
        board: String,
        /// The modes of the tags.
        recorded: String,
    },
    /// A tag disagrees with the board.
    #[error("the board says `{board}`, but the tag `{tag}` says `{recorded}`")]
    Differs {
        /// The tag.
        tag: &'static str,
        /// The tag's value.
        recorded: String,
        /// The value that the tag should have.
        board: String,
    },
}
