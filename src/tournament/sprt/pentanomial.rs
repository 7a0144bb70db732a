//! The number of pairs with each score, and figures based only on these numbers.

use std::fmt;

/// The first player's possible scores in a pair. A game is worth 1/2, so the scores are between 0 and 1.
pub(super) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Returns the expected score of a game with this advantage in Elo.
pub(super) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The number of pairs with each score.
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

    /// Returns the numbers as weights. A score that no pair has counts as a thousandth of a pair.
    #[expect(clippy::cast_precision_loss, reason = "no test has 2^53 pairs")]
    pub(super) fn weights(&self) -> [f64; 5] {
        const UNSEEN: f64 = 1e-3;
        self.counts.map(|count| if count == 0 { UNSEEN } else { count as f64 })
    }

    /// Finds the distribution on [`SCORES`] with mean `mean` under which the pairs are most likely. It gives each score
    /// a probability in proportion to `weight / (1 + t (score - mean))`. Returns `t`, the root of the sum of
    /// `weight (score - mean) / (1 + t (score - mean))`, which decreases in `t` from one end of its range to the other.
    pub(super) fn tilt(&self, mean: f64) -> f64 {
        // After sixty halvings, the interval is too small for a double to divide.
        const HALVINGS: usize = 60;
        let weights = self.weights();
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

    /// Returns the mean of the pairs' scores.
    fn mean(&self) -> Option<f64> {
        self.moment(|score| score)
    }

    /// Returns the variance of the pairs' scores; `None` if there are no pairs.
    pub(super) fn variance(&self) -> Option<f64> {
        let mean = self.mean()?;
        self.moment(|score| (score - mean).powi(2))
    }

    /// Returns the variance about `mean` of the distribution that [`Pentanomial::tilt`] finds. If the mean of the
    /// pairs' scores is m, then `t` equals (m - `mean`) divided by this variance.
    pub(super) fn variance_about(&self, mean: f64) -> f64 {
        let (weights, t) = (self.weights(), self.tilt(mean));
        let tilted = weights.iter().zip(SCORES).map(|(weight, score)| (weight / (1.0 + t * (score - mean)), score));
        let (sum, squares) = tilted.fold((0.0, 0.0), |(sum, squares), (weight, score)| {
            (sum + weight, squares + weight * (score - mean).powi(2))
        });
        squares / sum
    }

    #[expect(clippy::cast_precision_loss, reason = "no test has 2^53 pairs")]
    fn moment(&self, of: impl Fn(f64) -> f64) -> Option<f64> {
        let sum: f64 = self.counts.iter().zip(SCORES).map(|(&count, score)| count as f64 * of(score)).sum();
        (self.pairs() > 0).then(|| sum / self.pairs() as f64)
    }

    /// Returns the normalized Elo of the first player's lead; `None` if all pairs have the same score, or if there are
    /// none.
    #[expect(clippy::cast_precision_loss, reason = "no test has 2^53 pairs")]
    pub fn normalized_elo(&self) -> Option<NormalizedElo> {
        /// 800 / ln 10: if games are independent and few are drawn, a small lead is about the same in both kinds of
        /// Elo.
        const SCALE: f64 = 800.0 / std::f64::consts::LN_10;

        let pairs = self.pairs() as f64;
        let (mean, variance) = (self.mean()?, self.variance()?);
        // The mean of two games has half the variance of one.
        let of_a_game = (2.0 * variance).sqrt();
        (variance > 0.0).then(|| NormalizedElo {
            elo: SCALE * (mean - 0.5) / of_a_game,
            error95: 1.96 * SCALE / (2.0 * pairs).sqrt(),
        })
    }
}

/// A lead in units of the standard deviation of a game, which determines how many games are needed to detect it.
///
/// Source: Michel Van den Bergh, "Normalized Elo" (2021).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalizedElo {
    /// The estimate.
    pub elo: f64,
    /// Half of its 95% interval, in the normal approximation, ignoring the stopping rule.
    pub error95: f64,
}

/// Writes the lead as `12.3 ± 4.5`.
impl fmt::Display for NormalizedElo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} ± {:.1}", self.elo, self.error95)
    }
}

/// Writes the numbers as `1-3-20-25-8`, from the pairs that the first player lost to those that it won.
impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lost, half, level, three_halves, won] = self.counts;
        write!(f, "{lost}-{half}-{level}-{three_halves}-{won}")
    }
}
