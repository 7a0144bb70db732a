//! Time controls as text: in seconds for logs and the protocol, and with units for people.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::{SideControl, TimeControl};
use crate::base::digits::parse_digits;
use crate::base::units::spaced;
use crate::game::{BySide, Side};
use crate::referee::times::{DecimalSeconds, parse_seconds};

/// The error for text that is not a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "not a time control (`-`, `60`, `60+1`, `600:5x30`, `1/move`, `1/move+60bank` or `black 120 white 60`, in seconds)"
)]
pub struct NoTimeControl;

/// Writes `60`, `60+1`, `600:5x30`, `1/move` or `1/move+60bank`, in seconds.
impl fmt::Display for SideControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Game { time, increment: Duration::ZERO } => DecimalSeconds(time).fmt(f),
            Self::Game { time, increment } => write!(f, "{}+{}", DecimalSeconds(time), DecimalSeconds(increment)),
            Self::ByoYomi { time, periods, period } => {
                write!(f, "{}:{periods}x{}", DecimalSeconds(time), DecimalSeconds(period))
            }
            Self::PerMove { move_time, bank: Duration::ZERO } => write!(f, "{}/move", DecimalSeconds(move_time)),
            Self::PerMove { move_time, bank } => {
                write!(f, "{}/move+{}bank", DecimalSeconds(move_time), DecimalSeconds(bank))
            }
        }
    }
}

impl FromStr for SideControl {
    type Err = NoTimeControl;

    fn from_str(text: &str) -> Result<Self, NoTimeControl> {
        let more_than_none = |text: &str| parse_seconds(text).filter(|time| !time.is_zero());
        let read = || {
            if let Some((move_time, bank)) = text.split_once("/move") {
                let bank = match bank {
                    "" => Duration::ZERO,
                    bank => more_than_none(bank.strip_prefix('+')?.strip_suffix("bank")?)?,
                };
                return Some(Self::PerMove { move_time: parse_seconds(move_time)?, bank });
            }
            if let Some((time, increment)) = text.split_once('+') {
                return Some(Self::Game { time: parse_seconds(time)?, increment: more_than_none(increment)? });
            }
            if let Some((time, overtime)) = text.split_once(':') {
                let (periods, period) = overtime.split_once('x')?;
                let periods = parse_digits(periods).and_then(|periods| u32::try_from(periods).ok());
                let periods = periods.filter(|&periods| periods > 0)?;
                return Some(Self::ByoYomi { time: parse_seconds(time)?, periods, period: more_than_none(period)? });
            }
            parse_seconds(text).map(Self::sudden_death)
        };
        read().ok_or(NoTimeControl)
    }
}

/// Writes `-` without clocks, `60` for 60 seconds each, and `black 120 white 60+1` for unequal clocks.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("-"),
            Self::Clocks(BySide { black, white }) if black == white => black.fmt(f),
            Self::Clocks(BySide { black, white }) => write!(f, "{} {black} {} {white}", Side::Black, Side::White),
        }
    }
}

impl FromStr for TimeControl {
    type Err = NoTimeControl;

    fn from_str(text: &str) -> Result<Self, NoTimeControl> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["-"] => Ok(Self::Unlimited),
            [each] => Ok(Self::both(each.parse()?)),
            ["black", black, "white", white] => {
                Ok(Self::Clocks(BySide { black: black.parse()?, white: white.parse()? }))
            }
            _ => Err(NoTimeControl),
        }
    }
}

impl SideControl {
    /// The control in the form for people, which the command line also accepts: `1m + 1s`, `10m, 5 x 30s`,
    /// `1s/move, bank 1m`.
    pub fn shown(self) -> String {
        match self {
            Self::Game { time, increment: Duration::ZERO } => spaced(time),
            Self::Game { time, increment } => format!("{} + {}", spaced(time), spaced(increment)),
            Self::ByoYomi { time, periods, period } => format!("{}, {periods} x {}", spaced(time), spaced(period)),
            Self::PerMove { move_time, bank: Duration::ZERO } => format!("{}/move", spaced(move_time)),
            Self::PerMove { move_time, bank } => format!("{}/move, bank {}", spaced(move_time), spaced(bank)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::any_control;
    use super::*;

    #[test]
    fn time_controls_read_as_documented() {
        let seconds = Duration::from_secs;
        let unequal = BySide { black: seconds(120), white: Duration::from_millis(500) };
        let game = |time, increment| SideControl::Game { time, increment };
        for (control, text) in [
            (TimeControl::Unlimited, "-"),
            (TimeControl::both(SideControl::sudden_death(seconds(60))), "60"),
            (TimeControl::sudden_death(unequal), "black 120 white 0.5"),
            (TimeControl::both(game(seconds(60), Duration::from_millis(600))), "60+0.6"),
            (
                TimeControl::both(SideControl::ByoYomi { time: seconds(600), periods: 5, period: seconds(30) }),
                "600:5x30",
            ),
            (TimeControl::both(SideControl::PerMove { move_time: seconds(1), bank: Duration::ZERO }), "1/move"),
            (
                TimeControl::Clocks(BySide {
                    black: SideControl::PerMove { move_time: seconds(1), bank: seconds(60) },
                    white: game(seconds(60), seconds(1)),
                }),
                "black 1/move+60bank white 60+1",
            ),
        ] {
            assert_eq!(control.to_string(), text);
            assert_eq!(text.parse(), Ok(control));
        }
    }

    #[test]
    fn other_texts_are_not_time_controls() {
        for text in [
            "",
            "black 60",
            "white 1 black 2",
            "1.2.3",
            "- -",
            "60+0",
            "60+",
            "+1",
            "60:0x5",
            "60:5x0",
            "60:5",
            "60:x5",
            "1/move+0bank",
            "1/move+bank",
            "1/move60bank",
            "/move",
            "1/moves",
            "60+1+1",
            "60:5x30x2",
            "-60",
            "40/60",
        ] {
            assert_eq!(text.parse::<TimeControl>(), Err(NoTimeControl), "{text}");
        }
    }

    #[test]
    fn controls_are_shown_with_units() {
        let shown = |text: &str| text.parse().map(SideControl::shown);
        for (text, expected) in [
            ("60", "1m"),
            ("60+0.6", "1m + 600ms"),
            ("600:5x30", "10m, 5 x 30s"),
            ("1/move", "1s/move"),
            ("1/move+90bank", "1s/move, bank 1m 30s"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(expected));
        }
    }

    proptest! {
        #[test]
        fn every_control_survives(control in any_control()) {
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }
    }
}
