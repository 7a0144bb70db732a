//! Times in whole microseconds, and as text in seconds.

use std::fmt;
use std::time::Duration;

use crate::base::digits::parse_digits;

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
