//! A test's estimate of the first player's lead, given where the test stopped.
//!
//! A test that stops as soon as its ratio crosses a bound is most likely to stop while the score is better, or worse,
//! than the players' strengths warrant. The plain estimate is thus too extreme. Here, a test's outcomes are ordered
//! from the earliest acceptance of H0, through those without a verdict, to the earliest acceptance of H1. The estimate
//! is the lead under which the test would end worse as often as better, and the ends of the interval are the leads
//! under which it would end worse in 97.5% and in 2.5% of all cases. The ratio is modelled as a Brownian motion: with
//! pairs of mean score s and variance v, it moves by (s1 - s0)(s - (s0 + s1) / 2) / v per pair, with variance (s1 -
//! s0)^2 / v, where s0 and s1 are the scores of the two hypotheses. The variance is that of the most likely
//! distribution with the mean (s0 + s1) / 2, because then the model moves the ratio by as much as the pairs did. The
//! variance of the pairs themselves can be much smaller if the score is far from both hypotheses.
//!
//! Sources: D. Siegmund, "Estimation following sequential tests", Biometrika 65 (1978), for the order of the outcomes;
//! Michel Van den Bergh, "Comments on normalized Elo" (2021), for the ratio as a Brownian motion.

use std::fmt;

use super::SprtProgress;
use super::brownian::Motion;
use super::pentanomial::expected_score;

/// The first player's lead in Elo, with its 95% interval. Values lie between -2000 and 2000.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeadEstimate {
    /// The median-unbiased estimate.
    pub elo: f64,
    /// The lower end of the interval; `None` if it is unbounded.
    pub low: Option<f64>,
    /// The upper end of the interval; `None` if it is unbounded.
    pub high: Option<f64>,
}

/// The largest lead, in Elo. Larger leads are not distinguished from this one.
const MOST: f64 = 2000.0;

impl LeadEstimate {
    /// Returns the estimate; `None` if all pairs that count have the same score, or if there are none.
    pub(super) fn of(progress: &SprtProgress) -> Option<Self> {
        let end = TestEnd::of(progress)?;
        let solve = |worse: f64| {
            // After fifty halvings, the interval is far smaller than a hundredth of an Elo point.
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
        let end_of_interval = |worse: f64| Some(solve(worse)).filter(|elo| elo.abs() < MOST - 1.0);
        Some(Self { elo: solve(0.5), low: end_of_interval(0.975), high: end_of_interval(0.025) })
    }
}

/// Writes the estimate as `12.3 logistic Elo (95%: -4.5 to 28.9)`.
impl fmt::Display for LeadEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo, low, high } = self;
        let shown = |end: &Option<f64>| end.map_or_else(|| "no bound".to_owned(), |end| format!("{end:.1}"));
        write!(f, "{elo:.1} logistic Elo (95%: {} to {})", shown(low), shown(high))
    }
}

/// Where a test ended, or where it currently stands.
struct TestEnd<'p> {
    progress: &'p SprtProgress,
    /// The variance of a pair's score, under the distribution between the hypotheses that fits the pairs best.
    variance: f64,
    /// The number of pairs, up to the exact crossing of a bound.
    time: f64,
    /// The ratio, clamped to the bounds.
    llr: f64,
}

impl<'p> TestEnd<'p> {
    fn of(progress: &'p SprtProgress) -> Option<Self> {
        let (test, pairs, llr) = (progress.sprt(), progress.pairs(), progress.llr());
        pairs.variance().filter(|variance| *variance > 0.0)?;
        let middle = f64::midpoint(expected_score(test.elo0()), expected_score(test.elo1()));
        #[expect(clippy::cast_precision_loss, reason = "no test has 2^53 pairs")]
        let all = pairs.pairs() as f64;
        // The last pair moves the ratio past the bound, at which the motion would have stopped.
        let bounded = llr.clamp(test.lower(), test.upper());
        let time = if llr == 0.0 { all } else { all * bounded / llr };
        Some(Self { progress, variance: pairs.variance_about(middle), time, llr: bounded })
    }

    /// Returns the probability that the test would end worse for the first player than it did, if that player led by
    /// `elo`.
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

    /// Returns how the ratio moves with each pair if the first player leads by `elo`.
    fn motion(&self, elo: f64) -> Motion {
        let test = self.progress.sprt();
        let (score0, score1) = (expected_score(test.elo0()), expected_score(test.elo1()));
        let step = (score1 - score0) / self.variance;
        let drift = step * (expected_score(elo) - f64::midpoint(score0, score1));
        let variance = step * (score1 - score0);
        Motion { lower: test.lower(), upper: test.upper(), drift, variance }
    }
}
