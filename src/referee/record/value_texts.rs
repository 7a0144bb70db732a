//! Writes and reads times, time controls and other terms in a game log.

use std::fmt;
use std::time::Duration;

use crate::base::digits::parse_digits;
use crate::exact::adjudication::{Adjudication, ProofBy};
use crate::referee::clock::Meter;
use crate::referee::time_control::TimeControl;
use crate::referee::times::parse_seconds;

/// Writes a time as `h:mm:ss.ffffff`, as in PGN's `%emt` and `%clk`.
pub(super) fn write_time(f: &mut impl fmt::Write, time: Duration) -> fmt::Result {
    let seconds = time.as_secs();
    write!(f, "{}:{:02}:{:02}.{:06}", seconds / 3600, seconds / 60 % 60, seconds % 60, time.subsec_micros())
}

/// Reads `h:mm:ss`, with or without a fraction of at most six digits.
pub(super) fn parse_time(text: &str) -> Option<Duration> {
    let mut parts = text.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || minutes.len() > 2 {
        return None;
    }
    let (hours, minutes, rest) = (parse_digits(hours)?, parse_digits(minutes)?, parse_seconds(seconds)?);
    if minutes >= 60 || rest >= Duration::from_mins(1) {
        return None;
    }
    let whole = hours.checked_mul(3600)?.checked_add(minutes * 60)?;
    Duration::from_secs(whole).checked_add(rest)
}

/// How the `Clock` tag begins if the clocks count CPU time.
const CPU: &str = "cpu wall ";

/// The `Clock` tag: `None` for wall time; `cpu wall 600` for CPU time, with 600 seconds of wall time for each side.
pub(super) fn meter_text(meter: Meter) -> Option<String> {
    let Meter::Cpu { wall_limit } = meter else { return None };
    Some(format!("{CPU}{}", TimeControl::sudden_death(wall_limit)))
}

/// Reads the `Clock` tag.
pub(super) fn parse_meter(text: &str) -> Option<Meter> {
    let wall_limit: TimeControl = text.strip_prefix(CPU)?.parse().ok()?;
    Some(Meter::Cpu { wall_limit: wall_limit.sudden_death_times()? })
}

/// The `Adjudicate` tag: `nodes 200000 after_ply 22`, or `table after_ply 30`.
pub(super) fn adjudicate_text(adjudicate: Adjudication) -> String {
    let by = match adjudicate.by() {
        ProofBy::Nodes(nodes) => format!("nodes {nodes}"),
        ProofBy::SeegoverTable => "table".to_owned(),
    };
    format!("{by} after_ply {}", adjudicate.after_ply())
}

/// Reads the `Adjudicate` tag.
pub(super) fn parse_adjudicate(text: &str) -> Option<Adjudication> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plies = |text: &str| u32::try_from(parse_digits(text)?).ok();
    match words[..] {
        ["nodes", nodes, "after_ply", after_ply] => Adjudication::new(parse_digits(nodes)?, plies(after_ply)?),
        ["table", "after_ply", after_ply] => Adjudication::by_table(plies(after_ply)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BySide;
    use crate::referee::times::DecimalSeconds;
    use proptest::prelude::*;

    #[test]
    fn text_that_is_not_a_time_is_refused() {
        let texts =
            ["", "1", "1:2", "0:00:60", "0:60:00", "0:00:00.", "0:00:00.1234567", "-1:00:00", "0:+1:00", "1:2:3:4"];
        for text in texts {
            assert_eq!(parse_time(text), None, "{text}");
        }
        assert_eq!(parse_time("99999999999999999999:00:00"), None);
        assert_eq!(parse_time("5124095576030431:00:15.999999").map(|time| time.as_secs()), Some(u64::MAX));
        assert_eq!(parse_time("5124095576030431:00:16"), None);
    }

    #[test]
    fn foreign_times_may_be_short() {
        assert_eq!(parse_time("1:2:3.5"), Some(Duration::from_millis(3_723_500)));
        assert_eq!(parse_time("0:03:00"), Some(Duration::from_mins(3)));
    }

    #[test]
    fn meters_read_as_documented() {
        let wall_limit = BySide { black: Duration::from_mins(10), white: Duration::from_mins(10) };
        assert_eq!(meter_text(Meter::Cpu { wall_limit }).as_deref(), Some("cpu wall 600"));
        assert_eq!(parse_meter("cpu wall 600"), Some(Meter::Cpu { wall_limit }));
        for text in
            ["", "wall", "cpu", "cpu wall ", "cpu wall -", "cpu wall black 1", "cpu wall 60+1", "cpu wall 1/move"]
        {
            assert_eq!(parse_meter(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_time_survives(seconds: u64, micros in 0_u32..1_000_000) {
            let time = Duration::new(seconds, micros * 1000);
            let mut text = String::new();
            write_time(&mut text, time).unwrap();
            prop_assert_eq!(parse_time(&text), Some(time));
            prop_assert_eq!(parse_seconds(&DecimalSeconds(time).to_string()), Some(time));
        }
    }
}
