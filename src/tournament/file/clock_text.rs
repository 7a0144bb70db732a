//! Time controls as users write them: `60s`, `60s + 1s`, `10m, 5 x 30s`, `1s/move, bank 60s`.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::toml_literals::duration;
use crate::base::digits::parse_digits;
use crate::base::units::spaced;
use crate::referee::time_control::SideControl;

/// The range of a time for the whole game, of a time for each move, and of a bank. The minimum is one second, since the
/// protocol has only whole seconds and 0 would have another meaning; the maximum is one week.
pub(crate) const CLOCK_TIMES: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(168);
const INCREMENTS: RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_hours(1);
const PERIODS: RangeInclusive<u64> = 1..=1_000;
const PERIOD_TIMES: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(1);
/// With periods, the main time can be zero.
const MAIN_TIMES: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_hours(168);

/// The reason why a string is not a time control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClockTextFlaw {
    /// The text does not have any of the forms of a time control.
    Form,
    /// A part is out of range.
    Range {
        /// The part, such as `increment`.
        part: &'static str,
        /// The part's text.
        text: String,
        least: String,
        most: String,
    },
}

/// Formats the reason as part of a message about a command-line option.
impl fmt::Display for ClockTextFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str(
                "not a time control (write 60s, \"60s + 1s\", \"10m, 5 x 30s\", 1s/move or \"1s/move, bank 60s\")",
            ),
            Self::Range { part, text, least, most } => write!(f, "{part}: `{text}` is not between {least} and {most}"),
        }
    }
}

/// Reads the time control of a side in one of its forms.
///
/// # Errors
/// Fails if `text` does not have one of these forms, or if a part is out of range.
pub(crate) fn side_control(text: &str) -> Result<SideControl, ClockTextFlaw> {
    let Some((move_time, rest)) = text.split_once('/') else { return game_control(text) };
    let (word, bank) = rest.split_once(',').map_or((rest, None), |(word, bank)| (word, Some(bank)));
    if word.trim() != "move" {
        return Err(ClockTextFlaw::Form);
    }
    let move_time = time("move time", move_time, &CLOCK_TIMES)?;
    let bank = match bank.map(|bank| bank.trim_start().strip_prefix("bank").ok_or(ClockTextFlaw::Form)) {
        None => Duration::ZERO,
        Some(bank) => time("bank", bank?, &CLOCK_TIMES)?,
    };
    Ok(SideControl::PerMove { move_time, bank })
}

/// Reads a time for the whole game, with or without an increment or periods.
///
/// # Errors
/// Fails in the same cases as [`side_control`].
pub(super) fn game_control(text: &str) -> Result<SideControl, ClockTextFlaw> {
    if let Some((main, increment)) = text.split_once('+') {
        let time = time("time", main, &CLOCK_TIMES)?;
        return Ok(SideControl::Game { time, increment: self::time("increment", increment, &INCREMENTS)? });
    }
    let Some((main, overtime)) = text.split_once(',') else {
        return time("time", text, &CLOCK_TIMES).map(SideControl::sudden_death);
    };
    let (number, period) = overtime.split_once(['x', 'X', '×']).ok_or(ClockTextFlaw::Form)?;
    let main = time("time", main, &MAIN_TIMES)?;
    let number = number.trim();
    let periods = parse_digits(number).ok_or(ClockTextFlaw::Form)?;
    let within = Some(periods).filter(|periods| PERIODS.contains(periods));
    let Some(periods) = within.and_then(|periods| u32::try_from(periods).ok()) else {
        return Err(out_of_range("periods", number, PERIODS.start(), PERIODS.end()));
    };
    Ok(SideControl::ByoYomi { time: main, periods, period: time("period", period, &PERIOD_TIMES)? })
}

/// Reads one of the times of a control, in whole microseconds.
fn time(part: &'static str, text: &str, range: &RangeInclusive<Duration>) -> Result<Duration, ClockTextFlaw> {
    let text = text.trim();
    let time = duration(text).ok_or(ClockTextFlaw::Form)?;
    if range.contains(&time) {
        return Ok(crate::referee::times::whole_micros(time));
    }
    Err(out_of_range(part, text, &spaced(*range.start()), &spaced(*range.end())))
}

fn out_of_range(part: &'static str, text: &str, least: &impl ToString, most: &impl ToString) -> ClockTextFlaw {
    ClockTextFlaw::Range { part, text: text.to_owned(), least: least.to_string(), most: most.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        side_control(text).map(|control| control.to_string()).map_err(|flaw| flaw.to_string())
    }

    #[test]
    fn every_form_reads_with_and_without_blanks() {
        for (text, control) in [
            ("60s", "60"),
            ("2m 30s", "150"),
            ("60s + 1s", "60+1"),
            ("60s+600ms", "60+0.6"),
            ("10m, 5 x 30s", "600:5x30"),
            ("10m,5x30s", "600:5x30"),
            ("0s, 1 × 10s", "0:1x10"),
            ("1s/move", "1/move"),
            ("1s / move", "1/move"),
            ("1500ms/move, bank 1m", "1.5/move+60bank"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(control), "{text}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in ["60", "60+0.6", "600:5x30", "1/move", "1.5/move+90bank", "604800"] {
            let control: SideControl = text.parse().expect("a time control");
            assert_eq!(side_control(&control.shown()), Ok(control), "{}", control.shown());
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "60",
            "60s +",
            "+ 1s",
            "60s, 30s",
            "60s, x 30s",
            "60s, 1.5 x 30s",
            "60s/turn",
            "60s/move, 5s",
            "1s + 1s + 1s",
        ] {
            assert_eq!(side_control(text), Err(ClockTextFlaw::Form), "{text}");
        }
        for (text, why) in [
            ("60s + 0s", "increment: `0s` is not between 1ms and 1h"),
            ("10m, 5 x 0s", "period: `0s` is not between 1s and 1h"),
            ("10m, 0 x 30s", "periods: `0` is not between 1 and 1000"),
            ("10m, 1001 x 30s", "periods: `1001` is not between 1 and 1000"),
            ("0s", "time: `0s` is not between 1s and 7 days"),
            ("0s + 1s", "time: `0s` is not between 1s and 7 days"),
            ("500ms/move", "move time: `500ms` is not between 1s and 7 days"),
            ("1s/move, bank 0s", "bank: `0s` is not between 1s and 7 days"),
        ] {
            assert_eq!(read(text), Err(why.to_owned()));
        }
    }
}
