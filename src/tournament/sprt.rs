//! The sequential test of which of two players is stronger, over colour-swapped pairs of games.
//!
//! After every pair, two hypotheses about the first player's advantage in Elo are weighed against each other: H0 says
//! that it is `elo0`, and H1 says that it is `elo1`. The two games of a pair are not independent if they share an
//! opening. The test therefore counts pairs, by the first player's score in each: 0, 1/2, 1, 3/2 or 2 (the pentanomial
//! model).
//!
//! The test is Wald's ("Sequential tests of statistical hypotheses", 1945), with the generalised likelihood ratio for a
//! multinomial distribution of which only the mean is hypothesised (Michel Van den Bergh, "The generalized maximum
//! likelihood ratio for the expectation value of a distribution"). Elo is logistic: an advantage of `e` means an
//! expected score of 1/(1 + 10^(-e/400)) per game.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::units::counted;
use crate::base::word_enum::words;

/// The question of a test, and how certain the answer must be.
///
/// Invariant: `elo0` < `elo1`, both finite, and `alpha` and `beta` lie between 0 and 1/2, both excluded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Numbers")]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// The numbers of a test, as they were written down.
#[derive(Deserialize)]
struct Numbers {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// The numbers do not make a valid test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("`elo0` must be less than `elo1`, and `alpha` and `beta` must be above 0 and below 0.5")]
pub struct NoTest;

impl TryFrom<Numbers> for Sprt {
    type Error = NoTest;

    fn try_from(Numbers { elo0, elo1, alpha, beta }: Numbers) -> Result<Self, NoTest> {
        Self::new(elo0, elo1, alpha, beta).ok_or(NoTest)
    }
}

impl Sprt {
    /// The default of `alpha` and `beta`.
    pub const DEFAULT_RISK: f64 = 0.05;

    /// Makes the test of these hypotheses; `None` if the numbers break the type's invariant.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Option<Self> {
        let is_risk = |risk: f64| risk > 0.0 && risk < 0.5;
        let holds = elo0.is_finite() && elo1.is_finite() && elo0 < elo1 && is_risk(alpha) && is_risk(beta);
        holds.then_some(Self { elo0, elo1, alpha, beta })
    }

    /// Returns the first player's advantage in Elo under H0.
    pub const fn elo0(&self) -> f64 {
        self.elo0
    }

    /// Returns the first player's advantage in Elo under H1.
    pub const fn elo1(&self) -> f64 {
        self.elo1
    }

    /// Returns the probability of accepting H1 if H0 holds.
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Returns the probability of accepting H0 if H1 holds.
    pub const fn beta(&self) -> f64 {
        self.beta
    }

    /// Returns the bound at or below which H0 is accepted: ln(beta / (1 - alpha)).
    pub fn lower(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// Returns the bound at or above which H1 is accepted: ln((1 - beta) / alpha).
    pub fn upper(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// Returns the log-likelihood ratio of H1 over H0, given `pairs`; 0 if there are none.
    ///
    /// A score that no pair had counts as a thousandth of a pair, so that the ratio is always finite.
    #[expect(clippy::cast_precision_loss, reason = "no test has 2^53 pairs")]
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        const UNSEEN: f64 = 1e-3;
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let weights = pairs.counts.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let (score0, score1) = (expected_score(self.elo0), expected_score(self.elo1));
        let (tilt0, tilt1) = (tilt(&weights, score0), tilt(&weights, score1));
        let ratio = |score: f64| (1.0 + tilt0 * (score - score0)) / (1.0 + tilt1 * (score - score1));
        weights.iter().zip(SCORES).map(|(weight, score)| weight * ratio(score).ln()).sum()
    }
}

/// Such as `elo0 0, elo1 10, alpha 0.05, beta 0.05`.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo0, elo1, alpha, beta } = self;
        write!(f, "elo0 {elo0}, elo1 {elo1}, alpha {alpha}, beta {beta}")
    }
}

/// A pair's possible scores for the first player. A game is worth 1/2, so that all of them lie between 0 and 1.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Returns the expected score of a game with this advantage in Elo.
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Finds the distribution on [`SCORES`] with mean `mean` under which `weights` are likeliest. It gives each score a
/// probability in proportion to weight / (1 + t (score - mean)). Returns t, the root of the sum of weight (score -
/// mean) / (1 + t (score - mean)), which decreases in t from one end of its range to the other.
fn tilt(weights: &[f64; 5], mean: f64) -> f64 {
    // After sixty halvings, the interval is too small for a double to divide.
    const HALVINGS: usize = 60;
    let slope = |t: f64| -> f64 {
        weights.iter().zip(SCORES).map(|(weight, score)| weight * (score - mean) / (1.0 + t * (score - mean))).sum()
    };
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// How many pairs had each score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pentanomial {
    /// The numbers of pairs with 0, 1/2, 1, 3/2 and 2 points for the first player.
    pub counts: [u64; 5],
}

impl Pentanomial {
    /// Returns how many pairs there are.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Counts a pair that gave the first player `half_points` half points, 0 to 4.
    pub fn add(&mut self, half_points: u8) {
        self.counts[usize::from(half_points.min(4))] += 1;
    }
}

/// The outcome of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SprtVerdict {
    /// No bound has been crossed.
    #[default]
    Undecided,
    /// The first player's advantage is `elo0` rather than `elo1`.
    H0,
    /// The first player's advantage is `elo1` rather than `elo0`.
    H1,
}

words! { pub SprtVerdict; Undecided => "undecided", H0 => "H0", H1 => "H1" }

/// A test in progress, which takes pairs in the order of the schedule.
///
/// Once a bound has been crossed, further pairs change nothing: the verdict depends on the first pairs in order,
/// however many others were under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtProgress {
    sprt: Sprt,
    pairs: Pentanomial,
    llr: f64,
    verdict: SprtVerdict,
}

impl SprtProgress {
    /// Starts the test, before its first pair.
    pub fn new(sprt: Sprt) -> Self {
        Self { sprt, pairs: Pentanomial::default(), llr: 0.0, verdict: SprtVerdict::Undecided }
    }

    /// Adds the next pair, by the first player's half points in it, 0 to 4.
    pub fn add(&mut self, half_points: u8) {
        if self.verdict != SprtVerdict::Undecided {
            return;
        }
        self.pairs.add(half_points);
        self.llr = self.sprt.llr(&self.pairs);
        if self.llr >= self.sprt.upper() {
            self.verdict = SprtVerdict::H1;
        } else if self.llr <= self.sprt.lower() {
            self.verdict = SprtVerdict::H0;
        }
    }

    /// Returns the question of the test.
    pub const fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// Returns the pairs that count.
    pub const fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// Returns the log-likelihood ratio of the pairs that count.
    pub const fn llr(&self) -> f64 {
        self.llr
    }

    /// Returns the outcome of the test so far.
    pub const fn verdict(&self) -> SprtVerdict {
        self.verdict
    }
}

/// Such as `LLR 1.23 (-2.94, 2.94), 57 pairs, undecided`.
impl fmt::Display for SprtProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sprt, pairs, llr, verdict } = self;
        let (lower, upper, pairs) = (sprt.lower(), sprt.upper(), counted(pairs.pairs(), "pair"));
        write!(f, "LLR {llr:.2} ({lower:.2}, {upper:.2}), {pairs}, {verdict}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::random::SplitMix64;

    fn sprt(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05).expect("a test")
    }

    #[test]
    fn ratios_agree_with_an_independent_computation() {
        // Computed by Newton's method on the other form of the same constrained maximum, with 60 decimal digits.
        for (counts, elo0, elo1, expected) in [
            ([10, 30, 60, 40, 20], 0.0, 10.0, 1.241_089_966_908),
            ([0, 0, 0, 0, 5], 0.0, 10.0, 0.141_896_656_919_85),
            ([7, 0, 3, 0, 0], -5.0, 5.0, -0.287_827_210_750_437),
            ([100, 200, 450, 260, 90], 0.0, 2.0, 0.348_503_169_407_372),
            ([1, 0, 0, 0, 0], 0.0, 50.0, -0.154_559_309_952_093),
            ([3, 9, 27, 19, 4], -20.0, 15.5, 2.705_922_371_038_22),
            ([1000, 2000, 4000, 2000, 1000], 0.0, 5.0, -3.450_685_095_168_62),
        ] {
            let llr = sprt(elo0, elo1).llr(&Pentanomial { counts });
            assert!((llr - expected).abs() < 1e-9, "{counts:?}: {llr}, not {expected}");
        }
        assert_eq!(sprt(0.0, 10.0).llr(&Pentanomial::default()).to_bits(), 0);
    }

    #[test]
    fn bounds_are_walds() {
        let test = Sprt::new(0.0, 10.0, 0.01, 0.1).expect("a test");
        assert!((test.lower() + 2.292_534_757_140_544).abs() < 1e-12, "{}", test.lower());
        assert!((test.upper() - 4.499_809_670_330_265).abs() < 1e-12, "{}", test.upper());
    }

    #[test]
    fn invalid_numbers_make_no_test() {
        for (elo0, elo1, alpha, beta) in [
            (1.0, 1.0, 0.05, 0.05),
            (2.0, 1.0, 0.05, 0.05),
            (f64::NAN, 1.0, 0.05, 0.05),
            (0.0, f64::INFINITY, 0.05, 0.05),
            (0.0, 1.0, 0.0, 0.05),
            (0.0, 1.0, 0.05, 0.5),
        ] {
            assert_eq!(Sprt::new(elo0, elo1, alpha, beta), None);
        }
    }

    #[test]
    fn a_decided_test_ignores_further_pairs() {
        let mut progress = SprtProgress::new(sprt(0.0, 50.0));
        while progress.verdict() == SprtVerdict::Undecided {
            progress.add(4);
        }
        assert_eq!(progress.verdict(), SprtVerdict::H1);
        assert!(progress.llr() >= progress.sprt().upper());
        let decided = progress;
        progress.add(0);
        assert_eq!(progress, decided);
        let shown = format!("LLR {:.2} (-2.94, 2.94), {} pairs, H1", decided.llr(), decided.pairs().pairs());
        assert_eq!(decided.to_string(), shown);
    }

    #[test]
    fn near_the_observed_score_the_ratio_agrees_with_normal_distributions() {
        let counts = [500, 2400, 4000, 2500, 600];
        let shares = [0.05, 0.24, 0.4, 0.25, 0.06];
        let mean: f64 = shares.iter().zip(SCORES).map(|(share, score)| share * score).sum();
        let variance: f64 = shares.iter().zip(SCORES).map(|(share, score)| share * (score - mean).powi(2)).sum();
        let (score0, score1) = (expected_score(2.0), expected_score(8.0));
        let expected = 10_000.0 * (score1 - score0) * (2.0 * mean - score0 - score1) / (2.0 * variance);
        let llr = sprt(2.0, 8.0).llr(&Pentanomial { counts });
        assert!((llr - expected).abs() < 0.01 * expected.abs(), "{llr} {expected}");
    }

    /// If H0 holds, about 5 % of the tests accept H1; if H1 holds, about 5 % accept H0.
    #[test]
    fn verdicts_are_wrong_no_more_often_than_alpha_and_beta() {
        const TESTS: u32 = 400;
        let (elo0, elo1) = (0.0, 60.0);
        let mut random = SplitMix64::new(5);
        let mut share_of_h1 = |elo: f64| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a billion")]
            let wins = (expected_score(elo) * 1e9) as u64;
            let mut accepted = 0_u32;
            for _ in 0..TESTS {
                let mut progress = SprtProgress::new(sprt(elo0, elo1));
                let mut game = || if random.below(1_000_000_000) < wins { 2 } else { 0 };
                (0..2000).for_each(|_| progress.add(game() + game()));
                assert_ne!(progress.verdict(), SprtVerdict::Undecided);
                accepted += u32::from(progress.verdict() == SprtVerdict::H1);
            }
            f64::from(accepted) / f64::from(TESTS)
        };
        let (wrong, right) = (share_of_h1(elo0), share_of_h1(elo1));
        assert!(wrong < 0.09 && right > 0.91, "{wrong} {right}");
    }

    proptest! {
        #[test]
        fn swapping_the_sides_negates_the_ratio(
            counts in proptest::array::uniform5(0_u64..500), low in -100.0..100.0, width in 0.5..100.0,
        ) {
            let pairs = Pentanomial { counts };
            let mut reversed = pairs;
            reversed.counts.reverse();
            let there = sprt(low, low + width).llr(&pairs);
            let back = sprt(-low - width, -low).llr(&reversed);
            prop_assert!((there + back).abs() <= 1e-9 * (1.0 + there.abs()), "{there} {back}");
        }

        #[test]
        fn a_better_pair_is_never_worse_for_h1(
            counts in proptest::array::uniform5(1_u64..50), score in 0_usize..4, low in -100.0..100.0, width in 0.5..100.0,
        ) {
            let test = sprt(low, low + width);
            let (mut worse, mut better) = (Pentanomial { counts }, Pentanomial { counts });
            worse.counts[score] += 1;
            better.counts[score + 1] += 1;
            prop_assert!(test.llr(&better) > test.llr(&worse));
        }
    }
}
