//! Errors in a record that has been parsed.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::replayed::Numbered;
use super::verdict;
use crate::exact::adjudication::ProofBy;
use crate::game::{IllegalMove, MissingFeature, Move, Outcome, Side};
use crate::referee::result::{GameResult, Termination};

/// The reason why a record fails the check, and the place of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    /// The number of the ply, starting from 1; if `played` is `None`, the number of plies that had been played.
    pub ply: usize,
    /// The ply's move with its number; `None` if the error is after the last ply, in the unfinished turn or the result.
    pub played: Option<Numbered>,
    /// The error.
    pub reason: Contradiction,
}

impl std::error::Error for CheckError {}

/// Writes `ply 12 (6... d4): the point is occupied`, or `after ply 27: ...`.
impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.played {
            Some(played) => write!(f, "ply {} ({}): {}", self.ply, played, self.reason),
            None => write!(f, "after ply {}: {}", self.ply, self.reason),
        }
    }
}

/// An error in a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Contradiction {
    /// The rules refuse the move.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The move is not in its canonical spelling.
    #[error("the canonical spelling of this move is `{0}`")]
    Spelling(Move),
    /// The ply was made by the side that is not to move.
    #[error("it is {0}'s turn")]
    WrongSide(Side),
    /// A line that names a legal move was refused as illegal.
    #[error("`{0}` was refused in this turn, but is legal")]
    LegalTry(String),
    /// The opening has more plies than the whole game.
    #[error("`OpeningPlies` is {0}, but the game has fewer plies")]
    OpeningTooLong(usize),
    /// A ply of the opening has times or refused lines, which only played plies can have.
    #[error("this ply belongs to the opening, so it cannot have times or refused lines")]
    OpeningTimed,
    /// The rules ended the game within its opening.
    #[error("the opening ended the game")]
    OverInOpening,
    /// A time is not in whole microseconds.
    #[error("a time is not a whole number of microseconds")]
    FractionOfMicrosecond,
    /// Some plies have times and others do not.
    #[error("some plies record the time spent, and others do not")]
    SomeElapsed,
    /// Some plies have clocks and others do not.
    #[error("some plies record the time left, and others do not")]
    SomeLeft,
    /// A ply has a clock, but the game has no clocks.
    #[error("the game has no clocks, but this ply records the time left")]
    NoClocks,
    /// The record has a scale for the clocks, but the game has no clocks.
    #[error("`TimeScale` is set, but the game has no clocks")]
    ScaleWithoutClocks,
    /// A clock disagrees with the times spent.
    #[error("the record says that {left:?} is left, but the times spent leave {expected:?}")]
    WrongClock {
        /// The recorded value.
        left: Duration,
        /// The correct value.
        expected: Duration,
    },
    /// A clock shows more time than the control allows.
    #[error("{left:?} is left, but at most {most:?} can be left after this ply")]
    ClockGained {
        /// The recorded value.
        left: Duration,
        /// The largest possible value.
        most: Duration,
    },
    /// A move was made after the clock had run out.
    #[error("{elapsed:?} was spent, but only {left:?} was left: the flag had fallen")]
    FlagFell {
        /// The time spent on this ply.
        elapsed: Duration,
        /// The time left before it.
        left: Duration,
    },
    /// A ply has late credit, but its clock does not show that all of its time was used.
    #[error("this ply has late credit, but its clock does not show that all of its time was used")]
    LateCredit,
    /// The rules have ended the game, but the record says otherwise.
    #[error("the rules had ended the game ({}), but the record says {recorded}", outcome_words(*.outcome))]
    Over {
        /// How the rules ended the game.
        outcome: Outcome,
        /// The recorded value.
        recorded: String,
    },
    /// The rules have not ended the game.
    #[error("the record says that the rules ended the game (`normal`), but the game was not over")]
    NotOver,
    /// Something happened after the rules had ended the game.
    #[error("the game was over, but a further turn is recorded")]
    TurnAfterEnd,
    /// The winner or the margin disagrees with the board.
    #[error("the board says {}, but the record says {recorded}", outcome_words(*.outcome))]
    WrongOutcome {
        /// How the rules ended the game.
        outcome: Outcome,
        /// The recorded value.
        recorded: String,
    },
    /// The rules ended the game, but their reason differs from the recorded reason or has no text.
    #[error("the rules ended the game{}, but the record gives the reason `{recorded}`", because(*.reason))]
    WrongReason {
        /// The rules' reason.
        reason: Option<&'static str>,
        /// The recorded value, sanitised for a message.
        recorded: String,
    },
    /// A game can end in this way only before it starts, or when a mode begins.
    #[error("a game that ended with `{0}` cannot have moves, unless the last one began a mode")]
    Started(Termination),
    /// Only the side to move can lose in this way.
    #[error("only the side to move, {to_move}, can lose by `{termination}`, but {loser} lost")]
    WrongLoser {
        /// How the game ended.
        termination: Termination,
        /// The side to move.
        to_move: Side,
        /// The side that lost.
        loser: Side,
    },
    /// A flag fell in a game with recorded times, but the time of the last turn is missing.
    #[error("{0}'s flag fell, but the time spent in the last turn is missing")]
    NoLastTurn(Side),
    /// The record says that a flag fell, although there was time left.
    #[error("the record says that {loser}'s flag fell, but only {elapsed:?} of {left:?} was used up")]
    FlagStood {
        /// The side that lost.
        loser: Side,
        /// The time spent in the last turn.
        elapsed: Duration,
        /// The time left before it.
        left: Duration,
    },
    /// The rule set lacks a feature that the record mentions.
    #[error(transparent)]
    Missing(#[from] MissingFeature),
    /// The game ended by proof, but the record does not say how to repeat the proof.
    #[error(
        "the record says that the game was adjudicated, but the proof cannot be repeated without the tag `Adjudicate`"
    )]
    NoProof,
    /// The game ended by proof before proofs were due.
    #[error("the record says that the game was adjudicated, but no proof was due after ply {0}")]
    NothingTried(usize),
    /// The proof fails.
    #[error("{by} prove{} nothing about the last position, but the record says {recorded}", if *.by == ProofBy::SeegoverTable { "s" } else { "" })]
    Unproven {
        /// How the proof was found.
        by: ProofBy,
        /// The recorded value.
        recorded: String,
    },
    /// The proof shows a different outcome.
    #[error("{by} prove{} {proven}, but the record says {recorded}", if *.by == ProofBy::SeegoverTable { "s" } else { "" })]
    WrongProof {
        /// How the proof was found.
        by: ProofBy,
        /// The outcome that the proof shows.
        proven: String,
        /// The recorded value.
        recorded: String,
    },
    /// Without clocks, the side that has used more time loses.
    #[error("{0} lost at the time limit of a game without clocks, but used less time than the other side")]
    UsedLess(Side),
}

/// Returns ` because the position repeated`, or an empty string.
fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(" because {reason}"))
}

/// Describes an outcome: `black wins by 5`, `draw`.
fn outcome_words(outcome: Outcome) -> String {
    verdict(&Ok(GameResult::played(outcome)))
}
