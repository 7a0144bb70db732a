//! The clock of one side, and what clocks measure. Times are passed in by the caller and are not measured here.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::digits::parse_digits;
use crate::game::{BySide, Side};
use crate::referee::time_control::SideControl;

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

/// Writes seconds with as many decimals as needed: `60`, `0.5`.
#[derive(Clone, Copy, Debug)]
pub struct DecimalSeconds(pub Duration);

impl fmt::Display for DecimalSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs())?;
        let fraction = format!("{:06}", self.0.subsec_micros());
        match fraction.trim_end_matches('0') {
            "" => Ok(()),
            digits => write!(f, ".{digits}"),
        }
    }
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

/// The error when more time was spent than the clock allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagFall;

/// The clock of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The control, and the allowance of the next turn; `None` if the clock only counts up.
    running: Option<(SideControl, Duration)>,
    used: Duration,
}

impl Clock {
    /// Creates a clock under `control`, or one that only counts up.
    pub fn new(control: Option<SideControl>) -> Self {
        Self { running: control.map(|control| (control, control.allowance())), used: Duration::ZERO }
    }

    /// Ends a turn that took `elapsed`, truncated to whole microseconds. Returns the time that may be used for the next
    /// turn (`None` without a control).
    ///
    /// # Errors
    /// Returns `FlagFall` if the turn took longer than it was allowed to. At exactly zero, the flag has not fallen yet.
    /// The time counts as used either way.
    pub fn press(&mut self, elapsed: Duration) -> Result<Option<Duration>, FlagFall> {
        let elapsed = whole_micros(elapsed);
        self.used += elapsed;
        let Some((control, left)) = &mut self.running else { return Ok(None) };
        let after = control.after(*left, elapsed);
        *left = after.unwrap_or_default();
        after.map(Some).ok_or(FlagFall)
    }

    /// The time that may be used for the next turn before the flag falls, zero once it is down; `None` without a
    /// control.
    pub fn left(&self) -> Option<Duration> {
        self.running.map(|(_, left)| left)
    }

    /// The time control; `None` if the clock only counts up.
    pub fn control(&self) -> Option<SideControl> {
        self.running.map(|(control, _)| control)
    }

    /// The time spent so far.
    pub const fn used(&self) -> Duration {
        self.used
    }
}
