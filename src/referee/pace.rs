//! The speed of a machine, and how a game's clocks are scaled for it.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::clock::Meter;
use super::time_control::{SideControl, TimeControl};
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
    /// The speed of a machine that visited `nodes` nodes in `time`; `None` if the result is not a speed, for example
    /// because `time` is zero.
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

/// The error for text that is not a speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a speed is a whole number of nodes per second, at least 1")]
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
    /// The smallest scale. A machine that would need a smaller scale would play different games from the reference
    /// machine, because its processor is not just a faster one of the same kind.
    const LEAST: u16 = 25;
    /// The largest scale.
    const MOST: u16 = 400;
    /// Main times, times for a move and periods are not scaled below this, because the protocol announces whole
    /// seconds.
    const SHORTEST: Duration = Duration::from_secs(1);
    /// Increments are not scaled below this.
    const LEAST_INCREMENT: Duration = Duration::from_millis(1);

    /// The scale with which bots can think as much on a machine of speed `own` as on one of speed `reference`:
    /// `reference / own`, rounded to a hundredth. `None` if this is less than a quarter or more than four.
    pub fn between(reference: Speed, own: Speed) -> Option<Self> {
        let (reference, own) = (u128::from(reference.0.get()), u128::from(own.0.get()));
        let hundredths = (reference * 200 + own) / (own * 2);
        Self::new(u16::try_from(hundredths).ok()?)
    }

    /// A scale of `hundredths` hundredths; `None` if this is out of range.
    fn new(hundredths: u16) -> Option<Self> {
        (Self::LEAST..=Self::MOST).contains(&hundredths).then_some(Self(hundredths))
    }

    /// `time`, scaled and truncated to whole microseconds. A time of `least` or more never becomes shorter than
    /// `least`.
    fn of(self, time: Duration, least: Duration) -> Duration {
        let scaled = whole_micros(time.saturating_mul(u32::from(self.0)) / 100);
        scaled.max(time.min(least))
    }

    /// The clocks of `control`, scaled. Each time in it is scaled, but not the number of periods. A main time, a time
    /// for a move or a period never becomes shorter than a second if it was not shorter before; for an increment, this
    /// limit is a millisecond.
    pub fn clocks(self, control: TimeControl) -> TimeControl {
        if self == Self::ONE { control } else { control.map(|side| self.side_clock(side)) }
    }

    fn side_clock(self, control: SideControl) -> SideControl {
        let main = |time| self.of(time, Self::SHORTEST);
        match control {
            SideControl::Game { time, increment } => {
                SideControl::Game { time: main(time), increment: self.of(increment, Self::LEAST_INCREMENT) }
            }
            SideControl::ByoYomi { time, periods, period } => {
                SideControl::ByoYomi { time: main(time), periods, period: main(period) }
            }
            SideControl::PerMove { move_time, bank } => {
                SideControl::PerMove { move_time: main(move_time), bank: self.of(bank, Duration::ZERO) }
            }
        }
    }

    /// The meter with its limit of wall time scaled. A limit of a second or more never becomes shorter than a second.
    pub fn meter(self, meter: Meter) -> Meter {
        match meter {
            Meter::Wall => Meter::Wall,
            Meter::Cpu { wall_limit } => Meter::Cpu { wall_limit: self.both(wall_limit) },
        }
    }

    fn both(self, times: BySide<Duration>) -> BySide<Duration> {
        if self == Self::ONE { times } else { times.map(|time| self.of(time, Self::SHORTEST)) }
    }
}

/// Writes `1.25`, always with two decimals.
impl fmt::Display for TimeScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// The error for text that is not a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a clock scale is a number from 0.25 to 4.00, with two decimals")]
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
    use proptest::prelude::*;

    use super::*;
    use crate::referee::time_control::tests::any_side_control;

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
    fn each_part_of_a_clock_is_scaled_by_its_own_rule() {
        let scaled = |scale: &str, control: &str| {
            let scale: TimeScale = scale.parse().expect("a scale");
            control.parse().map(|control: TimeControl| scale.clocks(control).to_string())
        };
        for (scale, control, expected) in [
            ("0.50", "60", "30"),
            ("0.50", "black 8 white 2", "black 4 white 1"),
            ("0.50", "60+2", "30+1"),
            ("0.50", "600:5x30", "300:5x15"),
            ("0.50", "4/move+60bank", "2/move+30bank"),
            ("1.25", "60+0.5", "75+0.625"),
            ("0.50", "-", "-"),
            // The protocol announces main times, periods and times for a move in whole seconds.
            ("0.25", "4", "1"),
            ("0.25", "2", "1"),
            ("0.25", "0.5", "0.5"),
            ("0.25", "2:3x2", "1:3x1"),
            ("0.25", "0:3x2", "0:3x1"),
            ("0.25", "2/move", "1/move"),
            // The protocol announces neither increments nor banks.
            ("0.50", "60+1", "30+0.5"),
            ("0.25", "60+0.5", "15+0.125"),
            ("0.33", "60+0.100001", "19.8+0.033"),
            ("0.25", "60+0.003", "15+0.001"),
            ("0.25", "60+0.000400", "15+0.0004"),
            ("0.25", "4/move+1bank", "1/move+0.25bank"),
        ] {
            assert_eq!(scaled(scale, control).as_deref(), Ok(expected), "{scale} {control}");
        }
    }

    #[test]
    fn no_limit_of_wall_time_falls_below_a_second() {
        let half: TimeScale = "0.50".parse().expect("a scale");
        let limits = |black, white| Meter::Cpu { wall_limit: BySide { black, white }.map(Duration::from_millis) };
        assert_eq!(half.meter(limits(8_000, 1_500)), limits(4_000, 1_000));
        assert_eq!(half.meter(limits(1_000, 500)), limits(1_000, 500));
        assert_eq!(half.meter(Meter::Wall), Meter::Wall);
        // A log can contain any time.
        assert!(half.of(Duration::MAX, TimeScale::SHORTEST) <= Duration::MAX / 100 + Duration::from_secs(1));
    }

    #[test]
    fn other_texts_are_not_scales() {
        for text in ["", "1", "1.2", "1.250", "01.25", "0.24", "4.01", "-1.00", "1,25", "+.25", "1.+5"] {
            assert_eq!(text.parse::<TimeScale>(), Err(NoTimeScale), "{text}");
        }
    }

    /// The parts of `control` that the protocol announces in whole seconds, its increment, and its bank.
    fn parts(control: SideControl) -> ([Duration; 2], Duration, Duration) {
        const NONE: Duration = Duration::ZERO;
        match control {
            SideControl::Game { time, increment } => ([time, NONE], increment, NONE),
            SideControl::ByoYomi { time, period, .. } => ([time, period], NONE, NONE),
            SideControl::PerMove { move_time, bank } => ([move_time, NONE], NONE, bank),
        }
    }

    proptest! {
        #[test]
        fn a_scale_reads_back(hundredths in 25_u16..=400) {
            let scale = TimeScale(hundredths);
            prop_assert_eq!(scale.to_string().parse(), Ok(scale));
        }

        /// Every part is scaled exactly, to the microsecond, unless that would make it too short.
        #[test]
        fn every_part_is_multiplied(hundredths in 25_u16..=400, control in any_side_control()) {
            let (scale, one) = (TimeScale(hundredths), Duration::from_secs(1));
            let exactly = |time: Duration| {
                Duration::from_micros(u64::try_from(time.as_micros() * u128::from(hundredths) / 100).expect("small"))
            };
            let scaled = scale.side_clock(control);
            prop_assert_eq!(std::mem::discriminant(&scaled), std::mem::discriminant(&control));
            let ((times, increment, bank), (own_times, own_increment, own_bank)) = (parts(scaled), parts(control));
            for (time, own) in times.into_iter().zip(own_times) {
                prop_assert_eq!(time, exactly(own).max(own.min(one)));
            }
            prop_assert_eq!(increment, exactly(own_increment).max(own_increment.min(one / 1000)));
            prop_assert_eq!(bank, exactly(own_bank));
            prop_assert_eq!(TimeScale::ONE.side_clock(control), control);
        }

        #[test]
        fn a_scale_keeps_the_order_of_times(hundredths in 25_u16..=400, one in 0_u64..1 << 40, other in 0_u64..1 << 40) {
            let (scale, [one, other]) = (TimeScale(hundredths), [one, other].map(Duration::from_micros));
            for least in [Duration::ZERO, TimeScale::LEAST_INCREMENT, TimeScale::SHORTEST] {
                prop_assert!(one > other || scale.of(one, least) <= scale.of(other, least));
            }
        }

        #[test]
        fn both_machines_think_alike(reference in 1_000_u64..1 << 40, hundredths in 25_u64..=400) {
            let own = speed(reference * 100 / hundredths);
            let scale = TimeScale::between(speed(reference), own).map(|scale| u64::from(scale.0));
            prop_assert!(scale.is_none_or(|scale| scale.abs_diff(hundredths) <= hundredths / 25 + 1), "{:?}", scale);
        }
    }
}
