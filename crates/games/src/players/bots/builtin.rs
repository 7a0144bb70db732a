//! The built-in bots, by name, and their settings.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use thiserror::Error;

use crate::base::word_enum::{alternatives, words};

/// How many plies [`Thinker::Alphabeta`] looks ahead by default.
pub const DEFAULT_DEPTH: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// How many playouts [`Thinker::Mcts`] spends on a move by default.
pub const DEFAULT_PLAYOUTS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// A built-in bot and its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// How the bot finds its moves.
    pub thinker: Thinker,
    /// The search depth in plies, for thinkers that search: 1 to [`Builtin::MAX_DEPTH`].
    pub depth: Option<NonZeroU32>,
    /// The number of playouts per move, for [`Thinker::Mcts`]: 1 to [`Builtin::MAX_PLAYOUTS`].
    pub playouts: Option<NonZeroU32>,
    /// The probability that the bot plays a move other than the one it found, for thinkers that search.
    pub error: ErrorRate,
    /// The bot's own seed, instead of the game's.
    pub seed: Option<u64>,
}

impl Builtin {
    /// The maximum depth that a user can ask for, which is the number of points on the board.
    pub const MAX_DEPTH: u32 = 25;

    /// The maximum number of playouts per move that a user can ask for.
    pub const MAX_PLAYOUTS: u32 = 10_000_000;

    /// Returns the bot with this `thinker` and the default settings.
    pub const fn new(thinker: Thinker) -> Self {
        Self { thinker, depth: None, playouts: None, error: ErrorRate::NEVER, seed: None }
    }
}

/// The probability that a bot plays a move other than the one it found, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorRate(u32);

impl ErrorRate {
    /// The rate of a bot that never errs.
    pub const NEVER: Self = Self(0);

    /// Returns the rate for a probability from 0 to 1, rounded to millionths; `None` for any other number.
    pub fn new(chance: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to a million")]
        (0.0..=1.0).contains(&chance).then(|| Self((chance * f64::from(Self::WHOLE)).round() as u32))
    }

    /// The number of millionths in a certainty.
    pub const WHOLE: u32 = 1_000_000;

    /// Returns the rate in millionths.
    pub const fn millionths(self) -> u32 {
        self.0
    }
}

/// Writes a decimal number, such as `0.1`.
impl fmt::Display for ErrorRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", f64::from(self.0) / f64::from(Self::WHOLE))
    }
}

impl FromStr for ErrorRate {
    type Err = InvalidErrorRate;

    fn from_str(text: &str) -> Result<Self, InvalidErrorRate> {
        text.parse().ok().and_then(Self::new).ok_or(InvalidErrorRate)
    }
}

/// The error for text that is not a probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a number from 0 to 1")]
pub struct InvalidErrorRate;

/// How built-in bots find their moves. Each has the name of its bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Thinker {
    /// A legal placement chosen uniformly at random; in Go, never one that fills the bot's own eye.
    Random,
    /// The placement that captures the most, or that gives the seat the largest lead in whatever the game counts.
    Greedy,
    /// Alpha-beta search to a fixed depth. With more than two seats, this is a paranoid search: all other seats are
    /// expected to play against the bot.
    Alphabeta,
    /// Monte Carlo tree search with a fixed number of playouts for each move. With more than two seats, each seat is
    /// expected to play for its own place.
    Mcts,
    /// Best play, based on exact values.
    Perfect,
}

impl Thinker {
    /// Returns whether the thinker searches, and can therefore be made to err.
    pub const fn searches(self) -> bool {
        matches!(self, Self::Alphabeta | Self::Mcts | Self::Perfect)
    }
}

// The words that files and the command line use, weakest bot first.
words! {
    pub Thinker, UnknownThinker,
    Random => "random",
    Greedy => "greedy",
    Alphabeta => "alphabeta",
    Mcts => "mcts",
    Perfect => "perfect",
}

/// The error for a word that does not name a built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {}", alternatives(&Thinker::ALL.map(Thinker::name)))]
pub struct UnknownThinker;
