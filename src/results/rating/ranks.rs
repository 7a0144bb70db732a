//! How likely each player is to be the strongest, and the range of its true rank.
//!
//! In the normal approximation, the true ratings are distributed around the fitted ratings with the covariance of the
//! fit. The probabilities are estimated from draws from that distribution. Every draw is paired with its mirror image
//! about the fit, which makes the estimates more precise (J. Hammersley and K. Morton, "A new Monte Carlo technique:
//! antithetic variates", Mathematical Proceedings of the Cambridge Philosophical Society 52, 1956).

use super::comparisons::Compared;
use crate::base::matrix::Matrix;
use crate::base::normal;
use crate::base::random::{SplitMix64, mix};

/// An estimate of a player's true rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankChances {
    /// The probability that the player is the strongest one.
    pub first: f64,
    /// The best rank in the 95% range: the probability of a better rank is at most 2.5%.
    pub best: usize,
    /// The worst rank in the 95% range.
    pub worst: usize,
}

/// The maximum number of draws.
const DRAWS: usize = 100_000;

/// The minimum number of draws, used in fields so large that more draws would take too long.
const FEWEST_DRAWS: usize = 2_000;

/// The approximate limit on the number of products computed for the draws.
const PRODUCTS: usize = 400_000_000;

impl Compared<'_> {
    /// See [`super::Fit::rank_chances`].
    pub(super) fn rank_chances(self, players: &[usize]) -> Option<Vec<RankChances>> {
        let comparable =
            |&player: &usize| self.players[player].rating.finite().is_some() && self.are_comparable(player, players[0]);
        if !players.iter().all(comparable) {
            return None;
        }
        let count = players.len();
        let draws = (PRODUCTS / (count * count).max(1)).clamp(FEWEST_DRAWS, DRAWS);
        let lower = self.among(players).cholesky()?;
        let mut random = SplitMix64::new(mix(0, "ranks"));
        let mut ranks = vec![vec![0_usize; count]; count];
        let mut order: Vec<usize> = (0..count).collect();
        for _ in 0..draws / 2 {
            let independent: Vec<f64> = (0..count).map(|_| normal::draw(&mut random)).collect();
            let errors = lower.times(&independent);
            for sign in [1.0, -1.0] {
                let strength = |i: usize| self.logits[players[i]] + sign * errors[i];
                order.sort_unstable_by(|&one, &other| strength(other).total_cmp(&strength(one)));
                for (rank, &player) in order.iter().enumerate() {
                    ranks[player][rank] += 1;
                }
            }
        }
        Some(ranks.iter().map(|times| chances(times)).collect())
    }

    /// Returns the covariance of `players`.
    fn among(self, players: &[usize]) -> Matrix {
        /// The variance, in squared logits, that is added to each rating so that fixed anchors differ, too. It
        /// corresponds to a standard deviation of a hundredth of an Elo.
        const LEAST: f64 = 3e-9;

        let mut among = Matrix::zeros(players.len());
        for (i, &player) in players.iter().enumerate() {
            for (j, &other) in players.iter().enumerate() {
                among.add(i, j, self.covariance.at(player, other));
            }
            among.add(i, i, LEAST);
        }
        among
    }
}

/// Computes a player's chances from the number of draws in which it had each rank.
#[expect(clippy::cast_precision_loss, reason = "numbers of draws")]
fn chances(times: &[usize]) -> RankChances {
    let draws: usize = times.iter().sum();
    let rank = |share: f64| {
        let mut so_far = 0;
        let is_there = |&times: &usize| {
            so_far += times;
            so_far as f64 > share * draws as f64
        };
        1 + times.iter().position(is_there).unwrap_or(times.len() - 1)
    };
    RankChances { first: times[0] as f64 / draws as f64, best: rank(0.025), worst: rank(0.975) }
}
