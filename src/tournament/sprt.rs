//! The sequential test that decides which of two players is stronger, using colour-swapped pairs of games.
//!
//! After every pair, the test compares two hypotheses about the first player's advantage in Elo: H0, that it is `elo0`,
//! and H1, that it is `elo1`. The two games of a pair are not independent if they share an opening. So the test counts
//! pairs, by the first player's score in each: 0, 1/2, 1, 3/2 or 2 (the pentanomial model).
//!
//! A pair whose two games repeat those of an earlier pair move for move is not new evidence, and is not counted again.
//!
//! The test is Wald's ("Sequential tests of statistical hypotheses", 1945), with the generalised likelihood ratio for a
//! multinomial distribution, where the hypotheses are only about its mean (Michel Van den Bergh, "The generalized
//! maximum likelihood ratio for the expectation value of a distribution"). Elo is logistic: an advantage of `e` means
//! an expected score of 1/(1 + 10^(-e/400)) per game.

mod brownian;
mod lead_estimate;
mod pentanomial;
mod progress;

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use lead_estimate::LeadEstimate;
pub use pentanomial::{NormalizedElo, Pentanomial};
pub use progress::{PlayedPair, SprtProgress, SprtVerdict, TestedPairs};

use pentanomial::{SCORES, expected_score};

/// The question of a test, and how certain the answer must be.
///
/// Invariant: `elo0` < `elo1`, both finite, and `alpha` and `beta` are strictly between 0 and 1/2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Numbers")]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// A test's numbers as read, before they are checked.
#[derive(Deserialize)]
struct Numbers {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// The error for numbers that do not make a valid test.
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
    /// The default value of `alpha` and `beta`.
    pub const DEFAULT_RISK: f64 = 0.05;

    /// Creates the test of these hypotheses; `None` if the numbers violate the type's invariant.
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

    /// Returns the probability of accepting H1 if H0 is true.
    pub const fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Returns the probability of accepting H0 if H1 is true.
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
    /// A score that no pair has counts as a thousandth of a pair, so that the ratio is always finite.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        pairs.weights().iter().zip(self.gains(pairs)).map(|(weight, gain)| weight * gain).sum()
    }

    /// Returns, for each score, how much a pair with that score adds to the ratio, given `pairs`.
    fn gains(&self, pairs: &Pentanomial) -> [f64; 5] {
        let (score0, score1) = (expected_score(self.elo0), expected_score(self.elo1));
        let (tilt0, tilt1) = (pairs.tilt(score0), pairs.tilt(score1));
        SCORES.map(|score| ((1.0 + tilt0 * (score - score0)) / (1.0 + tilt1 * (score - score1))).ln())
    }
}

/// Writes the test as `elo0 0, elo1 10, alpha 0.05, beta 0.05`.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo0, elo1, alpha, beta } = self;
        write!(f, "elo0 {elo0}, elo1 {elo1}, alpha {alpha}, beta {beta}")
    }
}

#[cfg(test)]
mod tests;
