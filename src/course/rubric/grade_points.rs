//! Points of a grade.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Sub};

/// Points of a grade, stored as a whole number of thousandths, so that sums are exact.
///
/// Displays without unnecessary digits: `20`, `14.5`, `0.125`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GradePoints(u32);

impl GradePoints {
    /// No points.
    pub const ZERO: Self = Self(0);

    /// Half a point.
    pub const HALF: Self = Self(Self::WHOLE / 2);

    /// The maximum number of points of an item or a rubric.
    pub const MOST: Self = Self(100_000 * Self::WHOLE);

    /// The number of thousandths in a point.
    const WHOLE: u32 = 1000;

    /// The number `points` as points of a grade; `None` unless it is a multiple of a thousandth from 0 to
    /// [`GradePoints::MOST`].
    pub fn new(points: f64) -> Option<Self> {
        let thousandths = points * f64::from(Self::WHOLE);
        let whole = thousandths.round();
        // A decimal fraction such as 0.3 has no exact binary representation.
        let is_whole = (thousandths - whole).abs() < 1e-6;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to MOST")]
        (is_whole && (0.0..=f64::from(Self::MOST.0)).contains(&whole)).then_some(Self(whole as u32))
    }

    /// The points as a number.
    pub fn number(self) -> f64 {
        f64::from(self.0) / f64::from(Self::WHOLE)
    }

    /// Whether these points are a multiple of `step`, which must not be zero.
    pub const fn is_multiple_of(self, step: Self) -> bool {
        self.0.is_multiple_of(step.0)
    }

    /// The `share` of these points, rounded to the nearest multiple of `step` and capped at `self`. Half a step is
    /// rounded up. `share` must be from 0 to 1, and `step` must not be zero.
    #[must_use]
    pub fn part(self, share: f64, step: Self) -> Self {
        // A value within a rounding error of half a step counts as half a step.
        const TINY: f64 = 1e-9;
        let steps = (f64::from(self.0) * share / f64::from(step.0) + 0.5 + TINY).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to MOST")]
        let steps = steps.max(0.0) as u32;
        Self(steps.saturating_mul(step.0).min(self.0))
    }
}

impl fmt::Display for GradePoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / Self::WHOLE, self.0 % Self::WHOLE);
        if rest == 0 {
            return f.pad(&whole.to_string());
        }
        let digits = format!("{rest:03}");
        f.pad(&format!("{whole}.{}", digits.trim_end_matches('0')))
    }
}

impl Add for GradePoints {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for GradePoints {
    type Output = Self;

    /// The difference; zero if `other` is greater.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for GradePoints {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(number: f64) -> GradePoints {
        GradePoints::new(number).expect("thousandths")
    }

    #[test]
    fn points_are_printed_without_needless_digits() {
        let shown = [0.0, 20.0, 14.5, 0.125, 0.3, 99_999.999].map(|number| points(number).to_string());
        assert_eq!(shown, ["0", "20", "14.5", "0.125", "0.3", "99999.999"]);
    }

    #[test]
    fn only_thousandths_are_points() {
        for wrong in [-1.0, 0.0001, 100_001.0, f64::NAN, f64::INFINITY] {
            assert_eq!(GradePoints::new(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn half_a_step_is_rounded_up() {
        let part = |share| points(20.0).part(share, points(0.5)).to_string();
        let parts = [0.0, 0.012, 0.0125, 0.5, 0.737, 0.7375, 1.0].map(part);
        assert_eq!(parts, ["0", "0", "0.5", "10", "14.5", "15", "20"]);
        // As a binary fraction, 0.3 is slightly less than three tenths.
        assert_eq!(points(5.0).part(0.3, points(1.0)), points(2.0));
    }

    proptest! {
        #[test]
        fn a_part_is_a_multiple_of_the_step_within_half_a_step(steps in 1_u32..400, share in 0.0..=1.0, step in 1_u32..2000) {
            let (whole, step) = (GradePoints(steps * step), GradePoints(step));
            let part = whole.part(share, step);
            prop_assert!(part <= whole && part.is_multiple_of(step));
            prop_assert!((part.number() - whole.number() * share).abs() <= step.number() / 2.0 + 1e-6);
        }

        #[test]
        fn sums_and_differences_are_exact(one in 0_u32..1_000_000, other in 0_u32..1_000_000) {
            let (one, other) = (GradePoints(one), GradePoints(other));
            prop_assert_eq!(one + other - other, one);
            prop_assert_eq!(GradePoints::new((one + other).number()), Some(one + other));
        }
    }
}
