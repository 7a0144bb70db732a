//! The clock of one side, and what clocks measure. Times are passed in by the caller and are not measured here.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::game::{BySide, Seat};
use crate::referee::time_control::SideControl;
use crate::referee::times::whole_micros;

/// What the clocks measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Meter {
    /// Wall time.
    #[default]
    Wall,
    /// The CPU time, user and system, that all processes of the side to move use. Other programs on the machine
    /// therefore do not cost a player any time.
    Cpu {
        /// How much wall time all of a side's turns may take, in whole microseconds. With more than two seats, all
        /// seats have the same limit. A waiting player uses no CPU time, so this limit is needed as well.
        wall_limit: BySide<Duration>,
    },
}

impl Meter {
    /// How much wall time all turns of this seat or side may take; `None` if the clock is the only limit.
    pub fn wall_limit(self, seat: impl Into<Seat>) -> Option<Duration> {
        match self {
            Self::Wall => None,
            Self::Cpu { wall_limit } => Some(wall_limit[seat.into().side()]),
        }
    }
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

    /// The time that may be used for the next turn before the flag falls, zero once it has fallen; `None` without a
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
