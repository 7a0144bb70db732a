//! What a test says about the first player's lead, given that it stopped where it did.
//!
//! A test that stops as soon as its ratio crosses a bound stops most easily while the score is better, or worse, than the
//! players deserve. The plain estimate therefore exaggerates. Here, outcomes of a test are ordered from the earliest acceptance of
//! H0 over those without a verdict to the earliest acceptance of H1. The estimate is the lead under which the test would end
//! worse as often as better, and the ends of the interval are the leads under which it would end worse in 97.5 % and in 2.5 % of
//! all cases. The ratio is taken for a Brownian motion whose drift and variance follow from the pairs.
//!
//! Sources: D. Siegmund, "Estimation following sequential tests", Biometrika 65 (1978), for the order of the outcomes; Michel Van
//! den Bergh, "Comments on normalized Elo" (2021), for the ratio as a Brownian motion.

use std::fmt;

use super::brownian::Motion;
use super::pentanomial::{SCORES, expected_score};
use super::{Sprt, SprtProgress};

/// The first player's lead in Elo, with its 95 % interval. Each value lies between -2000 and 2000, at which it means: that or
/// beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeadEstimate {
    /// The median-unbiased estimate.
    pub elo: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The largest lead, in Elo, that is told from larger ones.
const MOST: f64 = 2000.0;

impl LeadEstimate {
    /// Returns the estimate; `None` if no pair counts.
    pub(super) fn of(progress: &SprtProgress) -> Option<Self> {
        let end = TestEnd::of(progress)?;
        let solve = |worse: f64| {
            // After fifty halvings, the interval is far below a hundredth of an Elo.
            const HALVINGS: usize = 50;
            let (mut low, mut high) = (-MOST, MOST);
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(low, high);
                if end.share_of_worse(middle) > worse {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            f64::midpoint(low, high)
        };
        Some(Self { elo: solve(0.5), low: solve(0.975), high: solve(0.025) })
    }
}

/// Such as `12.3 logistic Elo (95 %: -4.5 to 28.9)`.
impl fmt::Display for LeadEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo, low, high } = self;
        write!(f, "{elo:.1} logistic Elo (95 %: {low:.1} to {high:.1})")
    }
}

/// Where a test ended, or stands.
struct TestEnd<'p> {
    progress: &'p SprtProgress,
    /// What a pair of each score adds to the ratio.
    gains: [f64; 5],
    /// The number of pairs, up to the very crossing of a bound.
    time: f64,
    /// The ratio, no further than a bound.
    llr: f64,
}

impl<'p> TestEnd<'p> {
    fn of(progress: &'p SprtProgress) -> Option<Self> {
        if progress.pairs().pairs() == 0 {
            return None;
        }
        let (test, pairs, llr) = (progress.sprt(), progress.pairs(), progress.llr());
        let all: f64 = pairs.weights().iter().sum();
        // The last pair carries the ratio past the bound. The motion would have stopped at it.
        let bounded = llr.clamp(test.lower(), test.upper());
        let time = if llr == 0.0 { all } else { all * bounded / llr };
        Some(Self { progress, gains: test.gains(pairs), time, llr: bounded })
    }

    /// Returns how often the test would end worse for the first player, if it led by `elo`.
    fn share_of_worse(&self, elo: f64) -> f64 {
        let (motion, test) = (self.motion(elo), self.progress.sprt());
        if self.llr >= test.upper() {
            1.0 - motion.upper_by(self.time)
        } else if self.llr <= test.lower() {
            motion.lower_by(self.time)
        } else {
            motion.lower_by(self.time) + motion.below_at(self.llr, self.time)
        }
    }

    /// Returns how the ratio moves with each pair, if the first player leads by `elo`.
    fn motion(&self, elo: f64) -> Motion {
        let (test, pairs): (&Sprt, _) = (self.progress.sprt(), self.progress.pairs());
        let mean = expected_score(elo);
        let tilt = pairs.tilt(mean);
        let weights = pairs.weights();
        let shares: Vec<f64> =
            weights.iter().zip(SCORES).map(|(weight, score)| weight / (1.0 + tilt * (score - mean))).collect();
        let all: f64 = shares.iter().sum();
        let moment = |of: &dyn Fn(f64) -> f64| -> f64 {
            shares.iter().zip(self.gains).map(|(share, gain)| share / all * of(gain)).sum()
        };
        let drift = moment(&|gain| gain);
        let variance = moment(&|gain| (gain - drift).powi(2)).max(f64::MIN_POSITIVE);
        Motion { lower: test.lower(), upper: test.upper(), drift, variance }
    }
}
