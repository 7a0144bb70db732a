//! Errors in a game log's text.

use std::fmt;

use thiserror::Error;

use super::value_texts::write_time;
use crate::game::{MissingFeature, Seat, UnknownRuleset};
use crate::referee::result::InconsistentResult;
use crate::referee::time_control::Reserve;

/// The maximum size of text that is read as a game log, in bytes. Real logs are a few thousand bytes long.
pub const MAX_BYTES: usize = 4 << 20;

/// The reason why text is not a game log, and the place of the error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {problem}")]
pub struct LogTextError {
    /// The line, starting from 1.
    pub line: usize,
    /// The column in characters, starting from 1.
    pub column: usize,
    /// The error at this place.
    pub problem: LogProblem,
}

/// An error in a game log's text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LogProblem {
    /// The text has more than [`MAX_BYTES`] bytes.
    #[error("the text is longer than {MAX_BYTES} bytes, the limit for the log of one game")]
    TooLong,
    /// The bytes are not UTF-8.
    #[error("the text is not UTF-8 from here on")]
    NotUtf8,
    /// Something that is not allowed here.
    #[error("expected {expected}, but found {found}")]
    Expected {
        /// The text that is allowed here.
        expected: &'static str,
        /// The text that was found, in backticks, or `the end`.
        found: String,
    },
    /// A string or comment that is not closed.
    #[error("this {0} is never closed")]
    Unclosed(&'static str),
    /// A tag that is given twice.
    #[error("the tag `{name}` is given twice (first on line {first})")]
    DuplicateTag {
        /// The tag.
        name: String,
        /// The line on which the tag is given first.
        first: usize,
    },
    /// A tag that every log must have.
    #[error("the tag `{0}` is missing (every log must have `Black`, `White` and `Result`)")]
    MissingTag(&'static str),
    /// A tag or comment with an invalid value.
    #[error("`{name}`: `{value}` is not {expected}")]
    BadValue {
        /// The tag or command.
        name: &'static str,
        /// The value.
        value: String,
        /// A description of valid values.
        expected: &'static str,
    },
    /// A rule set with a word that is not one of its options.
    #[error("`Ruleset`: `{value}`: {why}")]
    BadOptions {
        /// The tag's value.
        value: String,
        /// The error in the options.
        why: Box<UnknownRuleset>,
    },
    /// A game with more than two seats, where a game with two seats is expected.
    #[error("expected a game with two seats, but this one has more (`replay` can show it)")]
    Group,
    /// The `Seats` tag and the rule set disagree.
    #[error("`Seats` is {seats}, but a game of `{name}` has {expected} seats")]
    SeatsDisagree {
        /// The tag.
        seats: u8,
        /// The rule set's name.
        name: &'static str,
        /// How many seats the rule set has.
        expected: u8,
    },
    /// A rule set with more than two seats in the log of a game with two seats.
    #[error("`{name}` has {seats} seats, so its log must have the tags `Seats` and `Player1` to `Player{seats}`")]
    NoSeats {
        /// The rule set's name.
        name: &'static str,
        /// How many seats it has.
        seats: u8,
    },
    /// A tag that only games with two seats have.
    #[error("a game with more than two seats cannot have the tag `{0}`")]
    NotInGroup(&'static str),
    /// A tag of a seat that the game does not have.
    #[error("a game with {seats} seats cannot have the tag `{tag}`")]
    SeatTag {
        /// The tag's name.
        tag: String,
        /// How many seats the game has.
        seats: u8,
    },
    /// A game with more than two seats that is void, but has a tag with its outcome.
    #[error("a void game cannot have the tag `{0}`")]
    VoidPlaced(&'static str),
    /// A seat drops out in the moves, but its tag is missing.
    #[error("seat {0} drops out here, but the tag `Out{0}`, which says why, is missing")]
    NoOutTag(Seat),
    /// There is a tag for a seat that does not drop out in the moves.
    #[error("the log has the tag `{tag}`, but the moves do not say where seat {seat} drops out (`{{[%out {seat}]}}`)")]
    NoOut {
        /// The tag.
        tag: String,
        /// The seat.
        seat: Seat,
    },
    /// A seat drops out for the second time.
    #[error("seat {0} has already dropped out")]
    OutTwice(Seat),
    /// A seat drops out right after another seat's turn has ended without a move.
    #[error("seat {to_move}'s turn ended without a move, so seat {to_move} must drop out next, not seat {seat}")]
    OutAfterTurn {
        /// The seat that drops out.
        seat: Seat,
        /// The seat whose turn has ended.
        to_move: Seat,
    },
    /// A word that cannot be a move.
    #[error("`{0}` is neither a move (`c3`, `pass`, `b1-a1`) nor a result (`1-0`, `0-1`, `1/2-1/2`, `*`)")]
    NotAMove(String),
    /// A move number out of sequence.
    #[error("expected the move number `{expected}`, but found `{found}`")]
    MoveNumber {
        /// The number of the next ply.
        expected: String,
        /// The number in the text.
        found: String,
    },
    /// A command in a comment, at a place where the command is not allowed.
    #[error("`[%{command}]` must appear {place}")]
    Misplaced {
        /// The command.
        command: &'static str,
        /// Where it is allowed.
        place: &'static str,
    },
    /// Periods or a bank that disagree with the time left.
    #[error("`{}` disagrees with the time left and the time control{}", ReserveCommand(*.recorded), or_rather(*.expected))]
    WrongReserve {
        /// The recorded value.
        recorded: Reserve,
        /// The value that follows from the time left; `None` if the control has no reserve.
        expected: Option<Reserve>,
    },
    /// Periods or a bank after some moves of a side or seat, but not after others.
    #[error(
        "{mover} has a `{}` here, but none after its move {number} (either all of its moves must have one, or none)",
        ReserveCommand(*.recorded)
    )]
    SomeReserves {
        /// The value after the player's first move that is followed by such a value.
        recorded: Reserve,
        /// The name of the player's seat, such as `black` or `seat 3`.
        mover: &'static str,
        /// The number of the player's first move without such a value, from 1.
        number: usize,
    },
    /// More refused lines in a turn than a record keeps, or a count of further lines although fewer were kept.
    #[error("only the first 16 refused lines of a turn are listed, and `[%more]` counts the others")]
    Tries,
    /// The `Result` tag and the token after the moves disagree.
    #[error("the game ends with `{token}`, but its `Result` is `{tag}`")]
    ResultsDisagree {
        /// The `Result` tag.
        tag: &'static str,
        /// The token after the moves.
        token: &'static str,
    },
    /// A termination that does not fit the result.
    #[error("a game that ended with `{termination}` cannot have the result `{result}`")]
    TerminationDisagrees {
        /// The `Termination` tag.
        termination: String,
        /// The `Result` tag.
        result: &'static str,
    },
    /// A tag for a feature that the rule set lacks.
    #[error(transparent)]
    Missing(#[from] Box<MissingFeature>),
    /// Winner, termination and margin disagree.
    #[error(transparent)]
    Inconsistent(#[from] InconsistentResult),
}

/// Writes `[%period 3]` or `[%bank 0:00:12.500000]`, as in a log.
pub(super) struct ReserveCommand(pub(super) Reserve);

impl fmt::Display for ReserveCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reserve::Periods(periods) => write!(f, "[%period {periods}]"),
            Reserve::Bank(bank) => {
                f.write_str("[%bank ")?;
                write_time(f, bank)?;
                f.write_str("]")
            }
        }
    }
}

/// The end of a message about a wrong reserve.
fn or_rather(expected: Option<Reserve>) -> String {
    match expected {
        Some(expected) => format!(" (it should be `{}`)", ReserveCommand(expected)),
        None => " (there should be none)".to_owned(),
    }
}
