//! How games end: with a result, which is due to the players, or void, because of a fault in the arena or the machine.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::word_enum::words;
use crate::game::{Outcome, Side, Standing};

/// A resource whose limit a bot may exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// Memory of the whole process tree.
    Memory,
    /// CPU time of the whole process tree.
    Cpu,
    /// Number of processes and threads.
    Processes,
    /// Bytes in the private scratch space.
    Scratch,
    /// Bytes written to files.
    Output,
}

/// How a game with a result ended. The Termination tag, results.csv and the standings use these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Termination {
    /// By the rules: in Gothello after two passes, in Seegover by too few stones or a repetition, in Othello when
    /// neither side can place a stone, in Go when both sides have passed.
    Normal,
    /// A player resigned.
    Resignation,
    /// A flag fell or, without clocks, the game limit was exceeded.
    Time,
    /// A player made one refused move too many.
    Illegal,
    /// A player sent one garbled line too many or a flood of lines out of turn, or never requested its side.
    Protocol,
    /// The connection ended, and the program, if the arena started one, kept running or exited with status 0.
    Disconnect,
    /// The connection ended, and the program was killed by a signal or exited with a status other than 0.
    Crash,
    /// The player was not seated by its deadline.
    NoShow,
    /// The program could not be run, or its build failed.
    NotStarted,
    /// A resource limit was exceeded.
    Limit(Limit),
    /// Both players failed before both were seated.
    DoubleForfeit,
    /// A proof decided the game before the rules ended it.
    Adjudicated,
}

impl Termination {
    /// Whether a player lost for a reason other than its play. A resignation counts as play.
    pub const fn is_forfeit(self) -> bool {
        match self {
            Self::Normal | Self::Resignation | Self::Adjudicated => false,
            Self::Time
            | Self::Illegal
            | Self::Protocol
            | Self::Disconnect
            | Self::Crash
            | Self::NoShow
            | Self::NotStarted
            | Self::Limit(_)
            | Self::DoubleForfeit => true,
        }
    }

    /// Whether a single player loses in this way, so that its seat can drop out of a game with more than two seats.
    pub const fn is_of_one_player(self) -> bool {
        match self {
            Self::Normal | Self::Adjudicated | Self::DoubleForfeit => false,
            Self::Resignation
            | Self::Time
            | Self::Illegal
            | Self::Protocol
            | Self::Disconnect
            | Self::Crash
            | Self::NoShow
            | Self::NotStarted
            | Self::Limit(_) => true,
        }
    }

    /// Whether there can be a margin, from the final board or from a proof.
    pub const fn has_margin(self) -> bool {
        match self {
            Self::Normal | Self::Adjudicated => true,
            Self::Resignation
            | Self::Time
            | Self::Illegal
            | Self::Protocol
            | Self::Disconnect
            | Self::Crash
            | Self::NoShow
            | Self::NotStarted
            | Self::Limit(_)
            | Self::DoubleForfeit => false,
        }
    }
}

words! {
    pub Termination, UnknownTermination,
    Normal => "normal",
    Resignation => "resignation",
    Time => "time",
    Illegal => "illegal",
    Protocol => "protocol",
    Disconnect => "disconnect",
    Crash => "crash",
    NoShow => "no show",
    NotStarted => "not started",
    Limit(Limit::Memory) => "limit memory",
    Limit(Limit::Cpu) => "limit cpu",
    Limit(Limit::Processes) => "limit processes",
    Limit(Limit::Scratch) => "limit scratch",
    Limit(Limit::Output) => "limit output",
    DoubleForfeit => "double forfeit",
    Adjudicated => "adjudicated",
}

/// The error for a word that is not the name of a termination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("unknown termination")]
pub struct UnknownTermination;

impl Serialize for Termination {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Termination {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The sides that forfeited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Neither side: the game was played to its end.
    Nobody,
    /// One side.
    One(Side),
    /// Both sides.
    Both,
}

impl Fault {
    /// Whether `side` is at fault.
    pub fn is_on(self, side: Side) -> bool {
        match self {
            Self::Nobody => false,
            Self::One(at_fault) => at_fault == side,
            Self::Both => true,
        }
    }
}

// The words of results.csv.
words! { pub Fault; Nobody => "", One(Side::Black) => "black", One(Side::White) => "white", Both => "both" }

/// The result of a game.
///
/// Invariant: a forfeit or a resignation has a winner, and a double forfeit has none. Only [`Termination::Normal`] and
/// [`Termination::Adjudicated`] can have a margin. The margin's sign matches the winner, unless the rules of the game
/// include compensation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "ResultParts")]
pub struct GameResult {
    winner: Option<Side>,
    termination: Termination,
    margin: Option<i32>,
    reason: Option<String>,
}

/// The parts of a result as parsed, before they are checked for consistency.
#[derive(Deserialize)]
struct ResultParts {
    winner: Option<Side>,
    termination: Termination,
    margin: Option<i32>,
    reason: Option<String>,
}

impl TryFrom<ResultParts> for GameResult {
    type Error = InconsistentResult;

    fn try_from(parts: ResultParts) -> Result<Self, InconsistentResult> {
        Self::new(parts.winner, parts.termination, parts.margin, parts.reason)
    }
}

/// The reason why the parts of a result are inconsistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InconsistentResult {
    /// A forfeit or a resignation without a winner.
    #[error("this termination needs a winner")]
    NoWinner,
    /// A double forfeit with a winner.
    #[error("a double forfeit cannot have a winner")]
    DoubleForfeitWon,
    /// A margin with a termination that cannot have one.
    #[error("this termination cannot have a margin")]
    UnexpectedMargin,
    /// The margin and the winner disagree.
    #[error("the margin and the winner disagree")]
    WrongMargin,
}

impl GameResult {
    /// Creates a result from these parts. A record from another tool may lack the margin of a normal game.
    ///
    /// # Errors
    /// Fails if the parts contradict each other.
    pub fn new(
        winner: Option<Side>,
        termination: Termination,
        margin: Option<i32>,
        reason: Option<String>,
    ) -> Result<Self, InconsistentResult> {
        match termination {
            Termination::DoubleForfeit if winner.is_some() => return Err(InconsistentResult::DoubleForfeitWon),
            Termination::Normal | Termination::Adjudicated | Termination::DoubleForfeit => {}
            _ if winner.is_none() => return Err(InconsistentResult::NoWinner),
            _ => {}
        }
        if margin.is_some() && !termination.has_margin() {
            return Err(InconsistentResult::UnexpectedMargin);
        }
        Ok(Self { winner, termination, margin, reason })
    }

    /// Checks that the winner is the side with more points, if there is a margin.
    ///
    /// # Errors
    /// Fails if the margin and the winner disagree.
    pub fn check_margin(&self) -> Result<(), InconsistentResult> {
        let agrees = self.margin.is_none_or(|margin| Side::ahead(margin) == self.winner);
        if agrees { Ok(()) } else { Err(InconsistentResult::WrongMargin) }
    }

    /// Creates the result of a game that its rules ended.
    pub const fn played(outcome: Outcome) -> Self {
        Self { winner: outcome.winner, termination: Termination::Normal, margin: outcome.margin, reason: None }
    }

    /// Returns the result with `reason`, if there is one.
    #[must_use]
    pub fn because(self, reason: Option<&str>) -> Self {
        Self { reason: reason.map(str::to_owned).or(self.reason), ..self }
    }

    /// Creates the result of a game that `loser` resigned.
    pub fn resigned(loser: Side) -> Self {
        let winner = Some(loser.opponent());
        Self { winner, termination: Termination::Resignation, margin: None, reason: None }
    }

    /// Creates the result of a game that `loser` forfeits; `termination` must be a forfeit of one side.
    pub fn forfeit(loser: Side, termination: Termination, reason: impl Into<String>) -> Self {
        debug_assert!(termination.is_forfeit() && termination != Termination::DoubleForfeit);
        Self { winner: Some(loser.opponent()), termination, margin: None, reason: Some(reason.into()) }
    }

    /// Creates the result of a game that ended because this outcome of its last position was proven.
    pub const fn adjudicated(Outcome { winner, margin }: Outcome) -> Self {
        Self { winner, termination: Termination::Adjudicated, margin, reason: None }
    }

    /// Creates the result of a game that both sides forfeit.
    pub fn double_forfeit(reason: impl Into<String>) -> Self {
        Self { winner: None, termination: Termination::DoubleForfeit, margin: None, reason: Some(reason.into()) }
    }

    /// The winner; `None` for a draw or a double forfeit.
    pub const fn winner(&self) -> Option<Side> {
        self.winner
    }

    /// How the game ended.
    pub const fn termination(&self) -> Termination {
        self.termination
    }

    /// Black's points minus white's, if the result has a margin.
    pub const fn margin(&self) -> Option<i32> {
        self.margin
    }

    /// Returns the result with `hint` appended to its reason, if it has one.
    #[must_use]
    pub fn with_hint(mut self, hint: &str) -> Self {
        if let Some(reason) = &mut self.reason {
            reason.push_str("; ");
            reason.push_str(hint);
        }
        self
    }

    /// A description of what happened, if the game was forfeited or the outcome needs an explanation.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Returns the sides that forfeited.
    pub const fn fault(&self) -> Fault {
        match (self.termination, self.winner) {
            (Termination::DoubleForfeit, _) => Fault::Both,
            (termination, Some(winner)) if termination.is_forfeit() => Fault::One(winner.opponent()),
            _ => Fault::Nobody,
        }
    }

    /// Whether the game counts for ratings.
    pub const fn is_rated(&self) -> bool {
        !matches!(self.termination, Termination::DoubleForfeit)
    }
}

/// How a game with a result ended, for all of its seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The result of a game with two seats.
    Two(GameResult),
    /// The places in a game with more than two seats.
    Group(Standing),
}

impl GameEnd {
    /// How the game ended. A game with more than two seats always ends by its rules, even if all seats but one drop
    /// out.
    pub const fn termination(&self) -> Termination {
        match self {
            Self::Two(result) => result.termination(),
            Self::Group(_) => Termination::Normal,
        }
    }

    /// The result, if this is a game with two seats.
    pub const fn two(&self) -> Option<&GameResult> {
        match self {
            Self::Two(result) => Some(result),
            Self::Group(_) => None,
        }
    }
}

/// A game without a result, for a reason that is not a player's fault.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("void: {reason}")]
pub struct Void {
    /// A description of what went wrong.
    pub reason: String,
}

impl Void {
    /// The word that replaces a termination in logs and tables.
    pub const WORD: &str = "void";
}
