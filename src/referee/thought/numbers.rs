//! The numbers in claims, as bots and logs write them.

use std::fmt;

use crate::base::digits::{parse_digits, rounded};

/// Points from the point of view of the bot that claims them, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimedPoints(i32);

/// A chance of winning that a bot claims to have, in ten-thousandths.
///
/// Invariant: at most 10,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimedChance(u16);

impl ClaimedPoints {
    /// The largest claim, in points.
    const MOST: u32 = 9999;

    /// Reads points with or without a sign, rounded to hundredths: `+3`, `0.5`, `-12.25`.
    pub fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = match text.as_bytes().first()? {
            b'-' => (-1, &text[1..]),
            b'+' => (1, &text[1..]),
            _ => (1, text),
        };
        let hundredths = decimal(digits, 2)?;
        let hundredths = i32::try_from(hundredths).ok().filter(|_| hundredths <= u64::from(Self::MOST) * 100)?;
        Some(Self(sign * hundredths))
    }

    /// The claim nearest to `points`; `None` if no claim can represent them.
    pub fn of(points: f64) -> Option<Self> {
        Self::parse(&format!("{points:.2}"))
    }

    /// The points.
    pub fn points(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl ClaimedChance {
    const ONE: u16 = 10_000;

    /// Reads a chance from 0 to 1, rounded to four decimals: `0.73`, `1`.
    pub fn parse(text: &str) -> Option<Self> {
        let parts = decimal(text, 4)?;
        u16::try_from(parts).ok().filter(|&parts| parts <= Self::ONE).map(Self)
    }

    /// The claim nearest to `chance`; `None` if `chance` is not from 0 to 1.
    pub fn of(chance: f64) -> Option<Self> {
        Self::parse(&format!("{chance:.4}"))
    }

    /// The chance, from 0 to 1.
    pub fn chance(self) -> f64 {
        rounded(f64::from(self.0) / f64::from(Self::ONE), 4)
    }
}

/// Reads a decimal number with at most nine digits on each side of its decimal point, multiplies it by `10^places`, and
/// rounds it.
fn decimal(text: &str, places: usize) -> Option<u64> {
    const MOST_DIGITS: usize = 9;
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (text, ""),
    };
    if whole.is_empty() || whole.len() > MOST_DIGITS || fraction.len() > MOST_DIGITS {
        return None;
    }
    let whole = parse_digits(whole)?;
    let kept = format!("{fraction:0<places$}");
    // The digit after the last place decides whether to round up.
    let up = match parse_digits(kept.get(places..=places).unwrap_or("0"))? {
        0..=4 => 0,
        _ => 1,
    };
    if !kept.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let factor = 10_u64.pow(u32::try_from(places).ok()?);
    Some(whole * factor + parse_digits(&kept[..places])? + up)
}

/// Writes `+3`, `-0.5` or `+0`.
impl fmt::Display for ClaimedPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        write!(f, "{sign}{}", f64::from(self.0.unsigned_abs()) / 100.0)
    }
}

/// Writes `0.73`, `0` or `1`.
impl fmt::Display for ClaimedChance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.chance())
    }
}
