//! The built-in bots by name, and what can be said about each.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use thiserror::Error;

use crate::base::words::{alternatives, words};

/// A built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Which one.
    pub engine: Engine,
    /// Search depth in plies, for those that search: 1 to [`Builtin::MAX_DEPTH`].
    pub depth: Option<NonZeroU32>,
    /// Playouts a move, for [`Engine::Mcts`]: 1 to [`Builtin::MAX_PLAYOUTS`].
    pub playouts: Option<NonZeroU32>,
    /// How often it makes another move than the one that it has found, for those that search.
    pub error: ErrorRate,
    /// Its own seed, instead of the game's.
    pub seed: Option<u64>,
}

impl Builtin {
    /// The deepest search that can be asked for: the board has no more points.
    pub const MAX_DEPTH: u32 = 25;

    /// The most playouts a move that can be asked for.
    pub const MAX_PLAYOUTS: u32 = 10_000_000;

    /// The bot of this engine with nothing else said.
    pub const fn new(engine: Engine) -> Self {
        Self { engine, depth: None, playouts: None, error: ErrorRate::NEVER, seed: None }
    }
}

/// How likely a bot makes another move than the one that it has found: a number of millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorRate(u32);

impl ErrorRate {
    /// Never.
    pub const NEVER: Self = Self(0);

    /// A chance from 0 to 1, rounded to millionths; `None` of any other number.
    pub fn new(chance: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to a million")]
        (0.0..=1.0).contains(&chance).then(|| Self((chance * f64::from(Self::WHOLE)).round() as u32))
    }

    /// How many millionths a certainty has.
    pub const WHOLE: u32 = 1_000_000;

    /// In millionths.
    pub const fn millionths(self) -> u32 {
        self.0
    }
}

/// As a decimal number, such as `0.1`.
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

/// No chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a number from 0 to 1")]
pub struct InvalidErrorRate;

/// The built-in bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Any legal placement, each as likely as the next.
    Random,
    /// The placement that captures most.
    Greedy,
    /// Alpha-beta search to a fixed depth.
    Alphabeta,
    /// Monte Carlo tree search with a fixed number of playouts a move.
    Mcts,
    /// Best play, by the opening book and the solver.
    Perfect,
}

impl Engine {
    /// Whether it searches, so that it can be made to err.
    pub const fn searches(self) -> bool {
        matches!(self, Self::Alphabeta | Self::Mcts | Self::Perfect)
    }
}

// The words that files and the command line use, the weakest bot first.
words! {
    pub Engine, UnknownEngine,
    Random => "random",
    Greedy => "greedy",
    Alphabeta => "alphabeta",
    Mcts => "mcts",
    Perfect => "perfect",
}

/// A word for no built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {}", alternatives(&Engine::ALL.map(Engine::name)))]
pub struct UnknownEngine;
