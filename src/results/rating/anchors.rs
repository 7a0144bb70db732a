//! Players whose ratings are given, exactly or with a deviation.
//!
//! Let `A_a` be the given ratings. The ratings of the fit are `x_i + m`, and the zero point `m` is free. A fixed anchor
//! requires `x_a + m = A_a`; a loose anchor with the deviation `s_a` is an observation of `x_a + m` with the error
//! `s_a`. Without fixed anchors, the best `m` is the mean of `A_a - x_a` with the weights `1 / s_a^2`.

use std::collections::HashSet;

use thiserror::Error;

use super::{Elo, PairResults};
use crate::base::matrix::Matrix;
use crate::base::sanitise::sanitised;

/// A player whose rating is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// The player.
    pub player: String,
    /// The rating.
    pub elo: Elo,
    /// The standard deviation of the rating, if the rating is not exact; positive.
    pub deviation: Option<Elo>,
}

/// Why a player cannot be an anchor.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AnchorError {
    /// No player has this name.
    #[error("no player is named `{}`", sanitised(name))]
    Unknown {
        /// The name.
        name: String,
    },
    /// The player has no rated game.
    #[error("`{}` cannot be an anchor: the player has no rated games", sanitised(name))]
    NoGames {
        /// The player.
        name: String,
    },
    /// The player is named twice.
    #[error("`{}` has two ratings: name each anchor only once", sanitised(name))]
    Twice {
        /// The player.
        name: String,
    },
    /// The player's rating is unbounded.
    #[error("`{}` cannot be an anchor: without a prior, its rating is unbounded", sanitised(name))]
    Unbounded {
        /// The player.
        name: String,
    },
}

/// An anchor in the form that the fit uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tie {
    /// The index of the player.
    pub(super) player: usize,
    /// The given rating in logits.
    pub(super) value: f64,
    /// The standard deviation of the given rating, in logits.
    pub(super) sd: Option<f64>,
}

impl Tie {
    pub(super) fn new(player: usize, elo: Elo, deviation: Option<Elo>) -> Self {
        Self { player, value: elo.logits(), sd: deviation.map(Elo::logits) }
    }

    /// Returns the weight of a loose anchor.
    pub(super) fn precision(self) -> Option<f64> {
        self.sd.map(|sd| sd.powi(-2))
    }
}

/// Finds the anchors among `names`, which are sorted. The result is sorted by player.
pub(super) fn ties(anchors: &[Anchor], names: &[String], results: &PairResults) -> Result<Vec<Tie>, AnchorError> {
    let mut seen = HashSet::new();
    let mut ties = Vec::with_capacity(anchors.len());
    for Anchor { player, elo, deviation } in anchors {
        let name = || player.clone();
        if !seen.insert(player) {
            return Err(AnchorError::Twice { name: name() });
        }
        let Ok(index) = names.binary_search(player) else {
            let is_player = results.players().any(|(known, _)| known == player);
            return Err(if is_player {
                AnchorError::NoGames { name: name() }
            } else {
                AnchorError::Unknown { name: name() }
            });
        };
        ties.push(Tie::new(index, *elo, *deviation));
    }
    ties.sort_unstable_by_key(|tie| tie.player);
    Ok(ties)
}

/// Where the anchors put the zero point: the weighted mean of `x_a - A_a`, which has an error of its own.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// The decisive anchors, and their weights, which add up to 1.
    weights: Vec<(Tie, f64)>,
    /// The variance of the zero point itself.
    variance: f64,
    /// Whether ratings have error bars on this scale: a single fixed anchor only shifts the zero point.
    pub(super) has_width: bool,
}

impl Scale {
    /// Returns the scale of `ties`, if there are any.
    pub(super) fn of(ties: &[Tie]) -> Option<Self> {
        let has_width = ties.len() > 1 || ties.iter().any(|tie| tie.sd.is_some());
        if let Some(&fixed) = ties.iter().find(|tie| tie.sd.is_none()) {
            return Some(Self { weights: vec![(fixed, 1.0)], variance: 0.0, has_width });
        }
        let total: f64 = ties.iter().filter_map(|tie| tie.precision()).sum();
        let weight = |tie: &Tie| Some((*tie, tie.precision()? / total));
        (!ties.is_empty()).then(|| Self {
            weights: ties.iter().filter_map(weight).collect(),
            variance: 1.0 / total,
            has_width,
        })
    }

    /// Returns how much higher, in Elo, a rating is on this scale than on the scale whose zero point is `zero`.
    pub(super) fn shift(&self, logits: &[f64], zero: f64) -> f64 {
        Elo::from_logits(self.offset(logits) + zero).0
    }

    /// Returns the value to add to `logits` to put them on this scale.
    pub(super) fn offset(&self, logits: &[f64]) -> f64 {
        self.weights.iter().map(|(tie, weight)| weight * (tie.value - logits[tie.player])).sum()
    }

    /// Returns the variance of player `i` on this scale.
    pub(super) fn variance(&self, covariance: &Matrix, i: usize) -> f64 {
        covariance.at(i, i) - 2.0 * self.with_zero(covariance, i) + self.variance_of_zero(covariance)
    }

    /// Returns the covariance of player `i` with the weighted mean of the anchors.
    pub(super) fn with_zero(&self, covariance: &Matrix, i: usize) -> f64 {
        self.weights.iter().map(|(tie, w)| w * covariance.at(i, tie.player)).sum()
    }

    /// Returns the variance of the weighted mean of the anchors, with the error of the zero point itself.
    pub(super) fn variance_of_zero(&self, covariance: &Matrix) -> f64 {
        let among: f64 = self.weights.iter().map(|&(tie, w)| w * self.with_zero(covariance, tie.player)).sum();
        among + self.variance
    }
}

#[cfg(test)]
pub(super) mod tests;
