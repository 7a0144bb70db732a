//! The sequential probability ratio test of two players: is the first one stronger by `elo1`, or only by `elo0`?
//!
//! Games go in pairs with colours swapped, so that the advantage of the first move, and an opening that favours a side,
//! cancel out; the distribution over the five scores that a pair can have is estimated from the pairs themselves (hence
//! "pentanomial"). Elo here are logistic, whatever the draws: expected score `1 / (1 + 10^(-elo/400))`.
//!
//! Sources: A. Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945), for the
//! bounds; M. Van den Bergh, "A practical introduction to the GSPRT" (2019), for the ratio of likelihoods.

use thiserror::Error;

/// What is tested, and how sure the verdict has to be.
///
/// Invariant: all are finite, `elo0 < elo1`, and both errors are above 0 and below 1/2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hypotheses {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// Numbers that make no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InvalidHypotheses {
    /// Not two strengths in order.
    #[error("`elo0` has to be less than `elo1`")]
    Order,
    /// A chance of error that is none.
    #[error("`alpha` and `beta` have to be above 0 and below 0.5")]
    Errors,
}

impl Hypotheses {
    /// The chance of either error unless another is asked for.
    pub const DEFAULT_ERROR: f64 = 0.05;

    /// H0: the first player is stronger by `elo0`; H1: by `elo1`. H1 may be accepted wrongly with chance `alpha`, H0 with
    /// chance `beta`.
    ///
    /// # Errors
    /// When the numbers break the type's invariant.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, InvalidHypotheses> {
        if !(elo0 < elo1 && (elo1 - elo0).is_finite()) {
            return Err(InvalidHypotheses::Order);
        }
        let is_error = |chance: f64| chance > 0.0 && chance < 0.5;
        if is_error(alpha) && is_error(beta) {
            Ok(Self { elo0, elo1, alpha, beta })
        } else {
            Err(InvalidHypotheses::Errors)
        }
    }

    /// The log-likelihood ratios at or below which H0, and at or above which H1 is accepted.
    pub fn bounds(self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 against H0 after these pairs; 0 without any.
    pub fn llr(self, pairs: PairCounts) -> f64 {
        let count = pairs.total();
        if count == 0.0 {
            return 0.0;
        }
        let chances = pairs.regular().map(|pairs| pairs / count);
        let (under0, under1) = (likeliest(chances, score(self.elo0)), likeliest(chances, score(self.elo1)));
        let mean: f64 = (0..SCORES).map(|k| chances[k] * (under1[k] / under0[k]).ln()).sum();
        count * mean
    }

    /// Judges pairs in their order, each by the first player's half-points (0 to 4), up to the first that takes the ratio
    /// to a bound: what comes after it changes nothing.
    pub fn judge(self, pairs: impl IntoIterator<Item = usize>) -> Judgement {
        let (lower, upper) = self.bounds();
        let mut counts = PairCounts::default();
        let mut judgement = Judgement { pairs: counts, llr: 0.0, bounds: (lower, upper), verdict: Verdict::Open };
        for half_points in pairs {
            counts.add(half_points);
            let llr = self.llr(counts);
            let verdict = match llr {
                llr if llr <= lower => Verdict::H0,
                llr if llr >= upper => Verdict::H1,
                _ => Verdict::Open,
            };
            judgement = Judgement { pairs: counts, llr, verdict, ..judgement };
            if verdict != Verdict::Open {
                break;
            }
        }
        judgement
    }
}

/// How many scores a pair can have.
const SCORES: usize = 5;

/// How many pairs there were of each score: 0, 1/2, 1, 3/2 and 2 points for the first player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounts(pub [u64; SCORES]);

impl PairCounts {
    /// Adds a pair by the first player's half-points; more than 4 count as 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(SCORES - 1)] += 1;
    }

    /// The counts with something in place of nothing: a score that has not come up is not impossible.
    fn regular(self) -> [f64; SCORES] {
        /// So little that it decides nothing, as in other programs that make this test.
        const INSTEAD_OF_NONE: f64 = 1e-3;

        #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 pairs")]
        self.0.map(|count| if count == 0 { INSTEAD_OF_NONE } else { count as f64 })
    }

    fn total(self) -> f64 {
        if self.0 == [0; SCORES] { 0.0 } else { self.regular().iter().sum() }
    }
}

/// What the pairs so far say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The pairs that were judged.
    pub pairs: PairCounts,
    /// The log-likelihood ratio after them.
    pub llr: f64,
    /// Where H0 and H1 are accepted.
    pub bounds: (f64, f64),
    /// What is accepted.
    pub verdict: Verdict,
}

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first player is not stronger by more than `elo0`.
    H0,
    /// The first player is stronger by `elo1`.
    H1,
    /// No bound has been reached.
    Open,
}

impl Verdict {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::H0 => "H0",
            Self::H1 => "H1",
            Self::Open => "open",
        }
    }
}

/// The expected score of a player that is stronger by `elo`.
fn score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The score of outcome `k` of a pair, as a share of what there is to win.
#[expect(clippy::cast_precision_loss, reason = "0 to 4")]
fn share(k: usize) -> f64 {
    k as f64 / (SCORES - 1) as f64
}

/// Of all distributions over the scores with this mean, the one under which outcomes with the shares `observed` are
/// likeliest: `observed_k / (1 + lambda (a_k - mean))`, where `lambda` makes the mean right (Lagrange's method).
fn likeliest(observed: [f64; SCORES], mean: f64) -> [f64; SCORES] {
    let at =
        |lambda: f64| -> [f64; SCORES] { std::array::from_fn(|k| observed[k] / (1.0 + lambda * (share(k) - mean))) };
    // No denominator may be negative; between these limits what is too much of the mean falls steadily.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..f64::MANTISSA_DIGITS + 8 {
        let middle = f64::midpoint(low, high);
        let excess: f64 = at(middle).iter().enumerate().map(|(k, chance)| chance * (share(k) - mean)).sum();
        if excess > 0.0 { low = middle } else { high = middle }
    }
    at(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn hypotheses(elo0: f64, elo1: f64) -> Hypotheses {
        Hypotheses::new(elo0, elo1, 0.05, 0.05).unwrap()
    }

    #[test]
    fn the_bounds_are_wald_s() {
        let (lower, upper) = Hypotheses::new(0.0, 5.0, 0.05, 0.1).unwrap().bounds();
        assert!((lower - (0.1_f64 / 0.95).ln()).abs() < 1e-12 && (upper - 18_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn without_draws_in_the_pairs_the_ratio_can_be_worked_out_by_hand() {
        // A hundred pairs, all lost or won by both colours: with such a distribution the constrained chances are 1 - s
        // and s themselves, give or take what stands for the scores that did not come up.
        let (s0, s1) = (score(0.0), score(40.0));
        let expected = 45.0 * ((1.0 - s1) / (1.0 - s0)).ln() + 55.0 * (s1 / s0).ln();
        let llr = hypotheses(0.0, 40.0).llr(PairCounts([45, 0, 0, 0, 55]));
        assert!((llr - expected).abs() < 0.01, "{llr} {expected}");
    }

    #[test]
    fn near_the_observed_score_the_ratio_is_that_of_normal_distributions() {
        let pairs = PairCounts([500, 2400, 4000, 2500, 600]);
        let count = 10_000.0;
        let mean: f64 = (0..SCORES).map(|k| f64::from([500, 2400, 4000, 2500, 600][k]) / count * share(k)).sum();
        let variance: f64 =
            (0..SCORES).map(|k| f64::from([500, 2400, 4000, 2500, 600][k]) / count * (share(k) - mean).powi(2)).sum();
        let (s0, s1) = (score(2.0), score(8.0));
        let expected = count * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let llr = hypotheses(2.0, 8.0).llr(pairs);
        assert!((llr - expected).abs() < 0.01 * expected.abs(), "{llr} {expected}");
    }

    #[test]
    fn the_other_player_s_view_has_the_opposite_ratio() {
        let mut reversed = [7, 0, 21, 9, 3];
        let own = hypotheses(-3.0, 12.0).llr(PairCounts(reversed));
        reversed.reverse();
        let other = hypotheses(-12.0, 3.0).llr(PairCounts(reversed));
        assert!((own + other).abs() < 1e-9, "{own} {other}");
    }

    #[test]
    fn what_comes_after_the_verdict_changes_nothing() {
        let test = hypotheses(0.0, 50.0);
        let mut pairs = vec![4, 2, 3, 4, 4, 2, 4, 3, 4, 4, 4, 3, 2, 4, 4, 4, 3, 4, 4, 4, 4, 4, 3, 4, 4, 4, 4];
        let judged = test.judge(pairs.iter().copied());
        assert_eq!(judged.verdict, Verdict::H1, "{judged:?}");
        assert!(judged.pairs.0.iter().sum::<u64>() < pairs.len() as u64, "{judged:?}");
        pairs.extend([0; 100]);
        assert_eq!(test.judge(pairs), judged);
        assert_eq!(test.judge([]).verdict, Verdict::Open);
        assert_eq!(test.judge([0; 400]).verdict, Verdict::H0);
    }

    /// Of tests between players of whom H0 holds, about 5 % accept H1; of whom H1 holds, about 5 % accept H0.
    #[test]
    fn verdicts_are_wrong_as_seldom_as_asked_for() {
        const TESTS: u64 = 400;
        let (low, high) = (0.0, 60.0);
        let mut random = SplitMix64::new(5);
        let mut share_of_h1 = |elo: f64| {
            let mut accepted = 0_u32;
            for _ in 0..TESTS {
                // Each game is won with the expected score's chance.
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let below = (score(elo) * 1e9) as u64;
                let mut game = || if random.below(1_000_000_000) < below { 2 } else { 0 };
                let pairs: Vec<usize> = (0..2000).map(|_| game() + game()).collect();
                let judged = hypotheses(low, high).judge(pairs);
                assert_ne!(judged.verdict, Verdict::Open);
                accepted += u32::from(judged.verdict == Verdict::H1);
            }
            f64::from(accepted) / 400.0
        };
        let (wrong, right) = (share_of_h1(low), share_of_h1(high));
        assert!(wrong < 0.09 && right > 0.91, "{wrong} {right}");
    }

    #[test]
    fn numbers_that_make_no_test_are_refused() {
        for (elo0, elo1, alpha, beta, expected) in [
            (5.0, 5.0, 0.05, 0.05, InvalidHypotheses::Order),
            (f64::NAN, 5.0, 0.05, 0.05, InvalidHypotheses::Order),
            (0.0, f64::INFINITY, 0.05, 0.05, InvalidHypotheses::Order),
            (0.0, 5.0, 0.0, 0.05, InvalidHypotheses::Errors),
            (0.0, 5.0, 0.05, 0.5, InvalidHypotheses::Errors),
        ] {
            assert_eq!(Hypotheses::new(elo0, elo1, alpha, beta), Err(expected));
        }
    }
}
