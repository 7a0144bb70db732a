//! The speed of a machine, and how a game's clocks are scaled for it.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::clock::Meter;
use super::time_control::TimeControl;
use super::times::whole_micros;
use crate::base::digits::parse_digits;
use crate::game::BySide;

/// The speed of a machine: how many nodes of a fixed search it visits in a second of CPU time, on one core.
///
/// Its `Display` is the whole number, as in a game log; [`Speed::shown`] is for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Speed(NonZeroU64);

impl Speed {
    /// The speed of a search of `nodes` nodes that took `time`; `None` if that is not a speed, for example because the
    /// search took no time.
    pub fn of(nodes: u64, time: Duration) -> Option<Self> {
        let per_second = u128::from(nodes) * 1_000_000_000 / time.as_nanos().max(1);
        if time.is_zero() {
            return None;
        }
        NonZeroU64::new(u64::try_from(per_second).ok()?).map(Self)
    }

    /// Nodes per second.
    pub const fn nodes_per_second(self) -> u64 {
        self.0.get()
    }

    /// The speed for users, with a suitable unit: `1.94 M nodes/s`.
    pub fn shown(self) -> String {
        #[expect(clippy::cast_precision_loss, reason = "shown with two decimals")]
        let nodes = self.0.get() as f64;
        match self.0.get() {
            0..1_000 => format!("{nodes} nodes/s"),
            1_000..1_000_000 => format!("{:.0} k nodes/s", nodes / 1e3),
            _ => format!("{:.2} M nodes/s", nodes / 1e6),
        }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The error for a text that is not a speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a speed is a whole number of nodes a second, at least 1")]
pub struct NoSpeed;

impl FromStr for Speed {
    type Err = NoSpeed;

    fn from_str(text: &str) -> Result<Self, NoSpeed> {
        parse_digits(text).and_then(NonZeroU64::new).map(Self).ok_or(NoSpeed)
    }
}

/// The factor by which the clocks of a game are scaled, in hundredths.
///
/// Invariant: from 25 to 400, that is, from a quarter to four times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeScale(u16);

impl Default for TimeScale {
    fn default() -> Self {
        Self::ONE
    }
}

impl TimeScale {
    /// The scale that leaves the clocks as they are in the tournament file.
    pub const ONE: Self = Self(100);
    /// The smallest scale. A machine that would need a smaller one would play different games from the reference,
    /// because its processor is not just a faster one of the same kind.
    const LEAST: u16 = 25;
    /// The largest scale.
    const MOST: u16 = 400;
    /// No clock is scaled below this, because the protocol announces whole seconds.
    const SHORTEST: Duration = Duration::from_secs(1);

    /// The scale for a machine of speed `own` with which bots can think as much as on one of speed `reference`:
    /// `reference / own`, rounded to a hundredth. `None` if that is less than a quarter or more than four.
    pub fn between(reference: Speed, own: Speed) -> Option<Self> {
        let (reference, own) = (u128::from(reference.0.get()), u128::from(own.0.get()));
        let hundredths = (reference * 200 + own) / (own * 2);
        Self::new(u16::try_from(hundredths).ok()?)
    }

    /// A scale of `hundredths` hundredths; `None` if that is out of range.
    fn new(hundredths: u16) -> Option<Self> {
        (Self::LEAST..=Self::MOST).contains(&hundredths).then_some(Self(hundredths))
    }

    /// `time`, scaled and truncated to whole microseconds. A time of a second or more never becomes shorter than a
    /// second.
    pub fn of(self, time: Duration) -> Duration {
        let scaled = whole_micros(time.saturating_mul(u32::from(self.0)) / 100);
        scaled.max(time.min(Self::SHORTEST))
    }

    /// The clocks of `control`, scaled. Each time in it is scaled, but not the number of periods.
    pub fn clocks(self, control: TimeControl) -> TimeControl {
        if self == Self::ONE { control } else { control.map(|side| side.map(|time| self.of(time))) }
    }

    /// The meter with its limit of wall time scaled.
    pub fn meter(self, meter: Meter) -> Meter {
        match meter {
            Meter::Wall => Meter::Wall,
            Meter::Cpu { wall_limit } => Meter::Cpu { wall_limit: self.both(wall_limit) },
        }
    }

    fn both(self, times: BySide<Duration>) -> BySide<Duration> {
        if self == Self::ONE { times } else { times.map(|time| self.of(time)) }
    }
}

/// Writes `1.25`, always with two decimals.
impl fmt::Display for TimeScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// The error for a text that is not a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a scale of clocks is a number from 0.25 to 4.00, with two decimals")]
pub struct NoTimeScale;

impl FromStr for TimeScale {
    type Err = NoTimeScale;

    fn from_str(text: &str) -> Result<Self, NoTimeScale> {
        let read = || {
            let (whole, hundredths) = text.split_once('.')?;
            let two = (whole.len() == 1 && hundredths.len() == 2).then_some((whole, hundredths))?;
            let hundredths = parse_digits(two.0)? * 100 + parse_digits(two.1)?;
            Self::new(u16::try_from(hundredths).ok()?)
        };
        read().ok_or(NoTimeScale)
    }
}

/// The speed of the machine that plays, and the resulting scale of its games' clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachinePace {
    /// The machine's speed; `None` if the run needs no measurement.
    pub speed: Option<Speed>,
    /// The scale of all clocks.
    pub scale: TimeScale,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn speed(nodes: u64) -> Speed {
        Speed::of(nodes, Duration::from_secs(1)).expect("a speed")
    }

    #[test]
    fn speeds_are_read_and_shown() {
        assert_eq!(Speed::of(1_000, Duration::from_millis(2)), "500000".parse().ok());
        assert_eq!((Speed::of(0, Duration::from_secs(1)), Speed::of(9, Duration::ZERO)), (None, None));
        let shown = [7, 53_100, 1_936_000].map(|nodes| speed(nodes).shown());
        assert_eq!(shown, ["7 nodes/s", "53 k nodes/s", "1.94 M nodes/s"]);
        for text in ["", "0", "-1", "1.5", "+3", "18446744073709551616", "1 M"] {
            assert_eq!(text.parse::<Speed>(), Err(NoSpeed), "{text}");
        }
    }

    #[test]
    fn a_slower_machine_gets_more_time_up_to_four_times() {
        let scale = |reference, own| TimeScale::between(speed(reference), speed(own)).map(|scale| scale.to_string());
        assert_eq!(scale(2_000_000, 1_600_000).as_deref(), Some("1.25"));
        assert_eq!(scale(1_000, 3_000).as_deref(), Some("0.33"));
        assert_eq!(scale(4_000, 1_000).as_deref(), Some("4.00"));
        assert_eq!(scale(1_000, 4_000).as_deref(), Some("0.25"));
        assert_eq!((scale(4_100, 1_000), scale(1_000, 4_200), scale(u64::MAX, 1)), (None, None, None));
    }

    #[test]
    fn no_clock_falls_below_a_second() {
        let quarter: TimeScale = "0.25".parse().expect("a scale");
        let scaled = [60_000, 4_000, 2_000, 1_000, 500].map(|time| quarter.of(Duration::from_millis(time)).as_millis());
        assert_eq!(scaled, [15_000, 1_000, 1_000, 1_000, 500]);
        let unequal = BySide { black: Duration::from_secs(8), white: Duration::from_secs(2) };
        let halved = BySide { black: Duration::from_secs(4), white: Duration::from_secs(1) };
        let half: TimeScale = "0.50".parse().expect("a scale");
        assert_eq!(half.clocks(TimeControl::sudden_death(unequal)), TimeControl::sudden_death(halved));
        assert_eq!(half.meter(Meter::Cpu { wall_limit: unequal }), Meter::Cpu { wall_limit: halved });
        assert_eq!(half.clocks(TimeControl::Unlimited), TimeControl::Unlimited);
        let scaled = |text: &str| text.parse().map(|control: TimeControl| half.clocks(control).to_string());
        for (control, expected) in
            [("60+2", "30+1"), ("600:5x30", "300:5x15"), ("4/move+60bank", "2/move+30bank"), ("60+0.5", "30+0.5")]
        {
            assert_eq!(scaled(control).as_deref(), Ok(expected));
        }
        // A log can contain any time.
        assert!(half.of(Duration::MAX) <= Duration::MAX / 100 + Duration::from_secs(1));
    }

    #[test]
    fn other_texts_are_no_scales() {
        for text in ["", "1", "1.2", "1.250", "01.25", "0.24", "4.01", "-1.00", "1,25", "+.25", "1.+5"] {
            assert_eq!(text.parse::<TimeScale>(), Err(NoTimeScale), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_scale_reads_back_and_keeps_the_order_of_times(hundredths in 25_u16..=400, one in 0_u64..1 << 40, other in 0_u64..1 << 40) {
            let scale = TimeScale(hundredths);
            prop_assert_eq!(scale.to_string().parse(), Ok(scale));
            let [one, other] = [one, other].map(Duration::from_micros);
            prop_assert_eq!(scale.of(one), whole_micros(scale.of(one)));
            prop_assert!(one > other || scale.of(one) <= scale.of(other));
            prop_assert_eq!(TimeScale::ONE.of(one), one);
        }

        #[test]
        fn both_machines_think_alike(reference in 1_000_u64..1 << 40, hundredths in 25_u64..=400) {
            let own = speed(reference * 100 / hundredths);
            let scale = TimeScale::between(speed(reference), own).map(|scale| u64::from(scale.0));
            prop_assert!(scale.is_none_or(|scale| scale.abs_diff(hundredths) <= hundredths / 25 + 1), "{:?}", scale);
        }
    }
}
