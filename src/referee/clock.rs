//! Time controls and the clock of one side. Times are passed in by the caller and are not measured here.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::digits::parse_digits;
use crate::game::{BySide, Side};

/// The time that each side has for the whole game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimeControl {
    /// No clocks.
    #[default]
    Unlimited,
    /// Sudden death, each side with its own time, in whole microseconds.
    SuddenDeath(BySide<Duration>),
}

impl TimeControl {
    /// Creates a sudden-death control with these times, truncated to whole microseconds.
    pub fn sudden_death(times: BySide<Duration>) -> Self {
        Self::SuddenDeath(times.map(whole_micros))
    }

    /// The time of `side`, or `None` without clocks.
    pub fn of(self, side: Side) -> Option<Duration> {
        match self {
            Self::Unlimited => None,
            Self::SuddenDeath(times) => Some(times[side]),
        }
    }
}

/// What the clocks measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Meter {
    /// Wall time.
    #[default]
    Wall,
    /// The CPU time, user and system, that all processes of the side on move use. Other programs on the machine then do
    /// not cost a player any time.
    Cpu {
        /// How much wall time all of a side's turns may take, in whole microseconds. A player that waits uses no CPU
        /// time, so this limit is needed as well.
        wall_limit: BySide<Duration>,
    },
}

impl Meter {
    /// How much wall time all turns of `side` may take; `None` if the clock is the only limit.
    pub fn wall_limit(self, side: Side) -> Option<Duration> {
        match self {
            Self::Wall => None,
            Self::Cpu { wall_limit } => Some(wall_limit[side]),
        }
    }
}

/// `time`, truncated to whole microseconds.
pub fn whole_micros(time: Duration) -> Duration {
    Duration::new(time.as_secs(), time.subsec_micros() * 1_000)
}

/// Writes seconds with six decimals, `12.345678`, truncated to whole microseconds.
pub fn seconds_text(time: Duration) -> String {
    format!("{}.{:06}", time.as_secs(), time.subsec_micros())
}

/// Reads seconds, with or without a fraction of one to six decimals: `60`, `0.5`, `12.345678`.
pub fn parse_seconds(text: &str) -> Option<Duration> {
    const MOST_DECIMALS: usize = 6;

    let Some((whole, fraction)) = text.split_once('.') else {
        return parse_digits(text).map(Duration::from_secs);
    };
    let missing = u32::try_from(MOST_DECIMALS.checked_sub(fraction.len())?).ok()?;
    let micros = parse_digits(fraction)? * 10_u64.pow(missing);
    Duration::from_secs(parse_digits(whole)?).checked_add(Duration::from_micros(micros))
}

/// The error when more time was spent than the clock had left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagFall;

/// The clock of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    budget: Option<Duration>,
    used: Duration,
}

impl Clock {
    /// Creates a clock with `budget` on it, or one that only counts up.
    pub const fn new(budget: Option<Duration>) -> Self {
        Self { budget, used: Duration::ZERO }
    }

    /// Spends `elapsed`, truncated to whole microseconds. Returns the remaining time (`None` without a budget).
    ///
    /// # Errors
    /// Returns `FlagFall` once more than the whole budget has been spent. At exactly zero, the flag has not fallen yet.
    /// The time counts as used either way.
    pub fn press(&mut self, elapsed: Duration) -> Result<Option<Duration>, FlagFall> {
        self.used += whole_micros(elapsed);
        match self.budget {
            Some(budget) => budget.checked_sub(self.used).map(Some).ok_or(FlagFall),
            None => Ok(None),
        }
    }

    /// Time left, zero once the flag is down; `None` without a budget.
    pub fn left(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.saturating_sub(self.used))
    }

    /// Time spent so far.
    pub const fn used(&self) -> Duration {
        self.used
    }
}
