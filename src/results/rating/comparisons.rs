//! How likely it is that a player is stronger than another, or than a given rating.

use std::cmp::Ordering;

use super::{Elo, Fit, LOGITS_PER_ELO, Prior};
use crate::base::normal;

impl Fit {
    /// Returns the likelihood of superiority: the probability that `player` is stronger than `other`, in the normal
    /// approximation. Both are indices into [`Fit::players`]. Returns `None` if the games do not compare them: one of
    /// them is unbounded, or, without a prior, they are in different pools.
    pub fn superiority(&self, player: usize, other: usize) -> Option<f64> {
        self.superiority_by(player, other, Elo(0.0))
    }

    /// Returns the probability that `player` is stronger than `other` by more than `lead`, under the same conditions as
    /// [`Fit::superiority`].
    pub fn superiority_by(&self, player: usize, other: usize, lead: Elo) -> Option<f64> {
        let (own, others) = (&self.players[player], &self.players[other]);
        let difference = own.rating.finite()?.0 - others.rating.finite()?.0;
        if player == other || !self.are_comparable(player, other) {
            return None;
        }
        let covariance = |i, j| self.covariance.at(i, j);
        let variance = covariance(player, player) + covariance(other, other) - 2.0 * covariance(player, other);
        Some(above(difference - lead.0, variance))
    }

    /// Returns the probability that the rating of `player` is above `elo`, on the scale of the anchors. Returns `None`
    /// without anchors, and if the games do not compare the player with the anchors.
    pub fn superiority_over(&self, player: usize, elo: Elo) -> Option<f64> {
        let scale = self.scale.as_ref()?;
        let rating = self.players[player].rating.finite()?;
        if !self.are_comparable(player, self.field.ties[0].player) {
            return None;
        }
        Some(above(rating.0 - elo.0, scale.variance(&self.covariance, player)))
    }

    /// Returns whether the covariance of two players is meaningful.
    pub(super) fn are_comparable(&self, player: usize, other: usize) -> bool {
        self.prior == Prior::Weak || self.players[player].pool == self.players[other].pool
    }
}

/// Returns the probability that a value is positive, given its mean `difference` in Elo and its variance `variance` in
/// logits. Fixed anchors leave no variance.
fn above(difference: f64, variance: f64) -> f64 {
    /// Far below the variance that remains after any number of games, and above rounding errors.
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
