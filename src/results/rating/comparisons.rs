//! The players of a fit, and how likely it is that one of them is stronger than another, or stronger than a given
//! rating.

use std::cmp::Ordering;

use super::anchors::{Scale, Tie};
use super::estimate::Estimate;
use super::objective::Objective;
use super::win_graph::Pools;
use super::{Basis, Elo, Fit, LOGITS_PER_ELO, PlayerRating, Prior, RankChances, bar, relative_variances};
use crate::base::matrix::Matrix;
use crate::base::normal;

/// The parts of a fit that determine how its values are shown: its prior, its pools, its anchors and its covariance.
pub(super) struct RatingFrame<'f> {
    pub(super) prior: Prior,
    pub(super) pools: &'f Pools,
    pub(super) ties: &'f [Tie],
    pub(super) scale: Option<&'f Scale>,
    pub(super) covariance: &'f Matrix,
}

impl RatingFrame<'_> {
    /// Returns the fitted values of the players with these `names`.
    pub(super) fn players<P: Objective>(&self, names: &[String], estimate: &Estimate<P>) -> Vec<PlayerRating> {
        let &Self { prior, pools, ties, scale, covariance } = self;
        let Estimate { logits, zeros, .. } = estimate;
        let frames = match prior {
            Prior::Weak => vec![0; names.len()],
            Prior::None => pools.of_player.clone(),
        };
        let mut variances = relative_variances(covariance, &frames);
        let moved = |i: usize| prior == Prior::Weak || pools.are_near(i, ties[0].player);
        if let Some(scale) = scale.filter(|scale| scale.has_width) {
            for i in (0..names.len()).filter(|&i| moved(i)) {
                variances[i] = Some(scale.variance(covariance, i));
            }
        }
        let determined = pools.determined(prior, ties);
        let player = |(i, name): (usize, &String)| {
            let free = estimate.rating(i, zeros[i]);
            let shift = scale.filter(|_| moved(i)).map_or(0.0, |scale| scale.shift(logits, zeros[i]));
            // A rating in the pool that defines the zero point can still be unbounded if another value of the model is
            // unbounded.
            let is_determined = determined[i] && free.finite().is_some();
            PlayerRating {
                name: name.clone(),
                rating: free.shifted(shift),
                basis: if is_determined { Basis::Games } else { Basis::Prior },
                error95: free.finite().and_then(|_| variances[i]).and_then(bar),
                pool: pools.of_player[i],
                merit: free.elo().hundredths(),
            }
        };
        names.iter().enumerate().map(player).collect()
    }
}

/// The fitted players, with everything that is needed to compare them.
#[derive(Clone, Copy)]
pub(super) struct Compared<'f> {
    pub(super) players: &'f [PlayerRating],
    pub(super) prior: Prior,
    /// The values of the players in logits; further values may follow.
    pub(super) logits: &'f [f64],
    pub(super) ties: &'f [Tie],
    pub(super) scale: Option<&'f Scale>,
    pub(super) covariance: &'f Matrix,
}

impl Compared<'_> {
    /// See [`Fit::superiority_by`].
    pub(super) fn superiority_by(self, player: usize, other: usize, lead: Elo) -> Option<f64> {
        let (own, others) = (&self.players[player], &self.players[other]);
        let difference = own.rating.finite()?.0 - others.rating.finite()?.0;
        if player == other || !self.are_comparable(player, other) {
            return None;
        }
        let covariance = |i, j| self.covariance.at(i, j);
        let variance = covariance(player, player) + covariance(other, other) - 2.0 * covariance(player, other);
        Some(above(difference - lead.0, variance))
    }

    /// See [`Fit::superiority_over`].
    pub(super) fn superiority_over(self, player: usize, elo: Elo) -> Option<f64> {
        let scale = self.scale?;
        let rating = self.players[player].rating.finite()?;
        if !self.are_comparable(player, self.ties[0].player) {
            return None;
        }
        Some(above(rating.0 - elo.0, scale.variance(self.covariance, player)))
    }

    /// Returns whether the covariance of two players is meaningful.
    pub(super) fn are_comparable(self, player: usize, other: usize) -> bool {
        self.prior == Prior::Weak || self.players[player].pool == self.players[other].pool
    }
}

impl Fit {
    pub(super) fn compared(&self) -> Compared<'_> {
        Compared {
            players: &self.players,
            prior: self.prior,
            logits: &self.logits,
            ties: &self.field.ties,
            scale: self.scale.as_ref(),
            covariance: &self.covariance,
        }
    }

    /// Returns the likelihood of superiority: the probability that `player` is stronger than `other`, in the normal
    /// approximation. Both are indices into [`Fit::players`]. Returns `None` if the games do not link them, that is, if
    /// one of them is unbounded or, without a prior, they are in different pools.
    pub fn superiority(&self, player: usize, other: usize) -> Option<f64> {
        self.superiority_by(player, other, Elo(0.0))
    }

    /// Returns the probability that `player` is stronger than `other` by more than `lead`, under the same conditions as
    /// [`Fit::superiority`].
    pub fn superiority_by(&self, player: usize, other: usize, lead: Elo) -> Option<f64> {
        self.compared().superiority_by(player, other, lead)
    }

    /// Returns the probability that the rating of `player` is above `elo`, on the scale of the anchors. Returns `None`
    /// without anchors, and if the games do not link the player to the anchors.
    pub fn superiority_over(&self, player: usize, elo: Elo) -> Option<f64> {
        self.compared().superiority_over(player, elo)
    }

    /// Returns the rank chances of `players`, which are indices into [`Fit::players`], among themselves. Returns `None`
    /// if the games do not link all of them, in the same sense as in [`Fit::superiority`]. The random numbers are
    /// always the same.
    pub fn rank_chances(&self, players: &[usize]) -> Option<Vec<RankChances>> {
        self.compared().rank_chances(players)
    }
}

/// Returns the probability that a value is positive, given its mean `difference` in Elo and its variance `variance` in
/// logits. Fixed anchors leave no variance.
fn above(difference: f64, variance: f64) -> f64 {
    /// A variance far below the variance that remains after any number of games, and above rounding errors.
    const NONE: f64 = 1e-12;

    if variance > NONE {
        normal::cumulative(difference * LOGITS_PER_ELO / variance.sqrt())
    } else {
        match difference.total_cmp(&0.0) {
            Ordering::Less => 0.0,
            Ordering::Equal => 0.5,
            Ordering::Greater => 1.0,
        }
    }
}
