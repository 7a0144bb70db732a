//! Exact fractions of a point.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// An exact number of points that does not have to be whole.
///
/// Invariant: the fraction is in lowest terms, and `denominator` is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: i32,
    denominator: i32,
}

impl Fraction {
    /// Creates the fraction `numerator / denominator` of a point; `denominator` must be above 0.
    pub const fn new(numerator: i32, denominator: u8) -> Self {
        let denominator = denominator as i32;
        assert!(denominator > 0, "a denominator must be above 0");
        let divisor = common_divisor(numerator.abs(), denominator);
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// The fraction as users see it: `90.25`, or `541/6` if a decimal number would have to be rounded.
    pub fn shown(self) -> String {
        self.parts(4).map_or_else(|| self.to_string(), |quarters| (f64::from(quarters) / 4.0).to_string())
    }

    /// This fraction as a number of parts, with `parts` parts to a point; `None` if the number is not whole.
    pub const fn parts(self, parts: u8) -> Option<i32> {
        let parts = parts as i32;
        if parts % self.denominator != 0 { None } else { self.numerator.checked_mul(parts / self.denominator) }
    }

    /// The nearest fraction that is a whole number of parts, with `parts` parts to a point; the larger one if two are
    /// equally near.
    #[must_use]
    pub fn nearest(self, parts: u8) -> Self {
        let (numerator, denominator) = (i64::from(self.numerator), i64::from(self.denominator));
        let rounded = (2 * numerator * i64::from(parts) + denominator).div_euclid(2 * denominator);
        // Only numbers in the hundreds of millions of points do not fit, and these are whole.
        i32::try_from(rounded).map_or(self, |rounded| Self::new(rounded, parts))
    }
}

const fn common_divisor(one: i32, other: i32) -> i32 {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Writes `1/2`, or `6` if the fraction is whole.
impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// The error for text that is not a fraction of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a number such as `6.5`, `13/2` or `7`")]
pub struct NotAFraction;

/// Reads `7`, `13/2` and `6.5`, with or without a leading minus sign. Nothing is rounded.
impl FromStr for Fraction {
    type Err = NotAFraction;

    fn from_str(text: &str) -> Result<Self, NotAFraction> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        let (numerator, denominator) = if let Some((numerator, denominator)) = digits.split_once('/') {
            (natural(numerator)?, natural(denominator)?)
        } else {
            let (whole, places) = digits.split_once('.').unwrap_or((digits, "0"));
            // The decimals of a number such as `0.50` can end in insignificant zeros.
            let kept = places.trim_end_matches('0');
            natural(places)?;
            let scale = u32::try_from(kept.len()).ok().and_then(|places| 10_i32.checked_pow(places));
            let scale = scale.ok_or(NotAFraction)?;
            let part = if kept.is_empty() { 0 } else { natural(kept)? };
            (natural(whole)?.checked_mul(scale).and_then(|whole| whole.checked_add(part)).ok_or(NotAFraction)?, scale)
        };
        if denominator == 0 {
            return Err(NotAFraction);
        }
        let divisor = common_divisor(numerator, denominator);
        Ok(Self { numerator: sign * numerator / divisor, denominator: denominator / divisor })
    }
}

/// Parses a number that consists only of decimal digits.
fn natural(text: &str) -> Result<i32, NotAFraction> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or(NotAFraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_read_in_lowest_terms_and_never_rounded() {
        for (text, expected) in [
            ("0", "0"),
            ("7", "7"),
            ("13/2", "13/2"),
            ("2/4", "1/2"),
            ("6.5", "13/2"),
            ("0.250", "1/4"),
            ("7.0", "7"),
            ("-0.5", "-1/2"),
            ("0/3", "0"),
        ] {
            assert_eq!(text.parse::<Fraction>().map(|read| read.to_string()), Ok(expected.to_owned()), "{text}");
        }
        for text in
            ["", "-", "1/0", "1/", "/2", ".5", "5.", "+1", "1e2", "1/2/3", "0.00000000001", "99999999999", "--1"]
        {
            assert_eq!(text.parse::<Fraction>(), Err(NotAFraction), "{text}");
        }
    }

    #[test]
    fn a_fraction_knows_whether_it_is_a_whole_number_of_parts() {
        let half: Fraction = "0.5".parse().expect("a half");
        assert_eq!([2, 4, 6, 3].map(|parts| half.parts(parts)), [Some(1), Some(2), Some(3), None]);
        assert_eq!(Fraction::new(-6, 4).to_string(), "-3/2");
    }

    #[test]
    fn the_nearest_whole_number_of_parts_is_at_most_half_a_part_away() {
        for (text, parts, expected) in [
            ("0.3", 4, "1/4"),
            ("0.3", 2, "1/2"),
            ("0.25", 2, "1/2"),
            ("-0.3", 4, "-1/4"),
            ("0.1", 6, "1/6"),
            ("2", 6, "2"),
        ] {
            let read: Fraction = text.parse().expect("a fraction");
            assert_eq!(read.nearest(parts).to_string(), expected, "{text}");
        }
        let large: Fraction = "2000000000".parse().expect("a fraction");
        assert_eq!(large.nearest(6), large);
    }
}
