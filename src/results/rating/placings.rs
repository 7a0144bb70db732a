//! Ratings from placings: the Plackett-Luce model, with a strength for each seat.
//!
//! A player `p` at seat `s` has the weight `w = e^(r_p + c_s)`, where `r_p` is its rating and `c_s` the advantage of
//! the seat, both in logits. The player in first place is drawn from all players of the game with probabilities
//! proportional to their weights, the player in second place from the others, and so on. For any two players at one
//! table, the probability that the first is placed ahead of the second is therefore `w / (w + w')`, whoever else plays:
//! a player that is 400 Elo ahead is ten times as likely to be placed ahead of an opponent as behind it. With two seats
//! and without shared places, this is the Bradley-Terry model, and `c_1 - c_2` is the advantage of the first move.
//!
//! Efron's approximation handles shared places. If `m` players share a place, and `D` is the sum of the weights of all
//! players in that place or behind, the sum for the k-th of the `m` (from 0) is `D` minus `k / m` of the sum of their
//! weights.
//!
//! The weak prior is the same as in the other models: each rating has mean 0 and standard deviation 400 Elo, and so
//! does the difference between the advantages of any two seats. The likelihood does not change if all seats gain the
//! same advantage, so each advantage is relative to the mean of all seats.
//!
//! Sources: R. D. Luce, Individual Choice Behavior (1959); R. L. Plackett, "The analysis of permutations", Applied
//! Statistics 24 (1975); D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32
//! (2004), on when a fit exists; B. Efron, "The efficiency of Cox's likelihood function for censored data", JASA 72
//! (1977), on ties.

mod placed_results;
mod plackett_luce;

use super::anchors::{self, Scale, Tie};
use super::comparisons::{Compared, RatingFrame};
use super::estimate::Estimate;
use super::win_graph::Pools;
use super::{
    Anchor, AnchorError, Elo, PlayerGroups, PlayerRating, Prior, RankChances, Rating, bar, relative_variances,
};
use crate::base::matrix::Matrix;
use placed_results::PlacedField;
pub use placed_results::{PlacedGame, PlacedResults};
use plackett_luce::PlacingProblem;

/// The advantage of a seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeatEffect {
    /// The advantage, relative to the mean of all seats.
    pub advantage: Rating,
    /// Half the 95% interval of the advantage; `None` if the games do not bound it.
    pub error95: Option<Elo>,
}

/// The fitted ratings of all players of a field, and the advantages of the seats.
#[derive(Clone, Debug)]
pub struct PlacingFit {
    /// The prior of the fit.
    pub prior: Prior,
    /// The players in the order of their names.
    pub players: Vec<PlayerRating>,
    /// The advantages of the seats, seat 1 first.
    pub seats: Vec<SeatEffect>,
    /// The number of pools; see [`PlayerRating::pool`]. A player that is placed ahead of another counts as the winner,
    /// and players that share a place as having drawn.
    pub pools: usize,
    /// Whether there are players without any chain of games between them, and which players define the zero point if
    /// there is no prior.
    pub connection: PlayerGroups,
    /// The fitted values in logits: one for each player, then one for each seat.
    logits: Vec<f64>,
    covariance: Matrix,
    /// The zero point according to the anchors.
    scale: Option<Scale>,
    ties: Vec<Tie>,
}

impl PlacingFit {
    /// Fits the model to `results` and to `anchors`, as [`super::Fit::anchored`] does for games with two players.
    ///
    /// The result is identical to the last bit for any order of the games and of the players. Players without a rated
    /// game are not part of the fit.
    ///
    /// # Errors
    /// Returns an error if an anchor is not a player with a rated game, is given twice, or has no finite rating.
    pub fn anchored(results: &PlacedResults, prior: Prior, anchors: &[Anchor]) -> Result<Self, AnchorError> {
        let mut placed = results.canonical();
        placed.field.ties = anchors::ties(anchors, &placed.field.names, results.pairs())?;
        let fit = Self::of(&placed, prior);
        let unbounded = fit.ties.iter().map(|tie| &fit.players[tie.player]);
        match unbounded.into_iter().find(|player| player.rating.finite().is_none()) {
            Some(player) => Err(AnchorError::Unbounded { name: player.name.clone() }),
            None => Ok(fit),
        }
    }

    fn of(placed: &PlacedField, prior: Prior) -> Self {
        let field = &placed.field;
        let pools = Pools::of(field);
        let estimate = Estimate::of(prior, |looseness| PlacingProblem::new(placed, looseness), &pools, None);
        let covariance = estimate.problem.covariance(&estimate.logits, &pools);
        let scale = Scale::of(&field.ties);
        let frame =
            RatingFrame { prior, pools: &pools, ties: &field.ties, scale: scale.as_ref(), covariance: &covariance };
        let players = frame.players(&field.names, &estimate);
        Self {
            prior,
            players,
            seats: seats(&estimate, &covariance, field.names.len()),
            pools: pools.count,
            connection: pools.groups(),
            logits: estimate.logits,
            covariance,
            scale,
            ties: field.ties.clone(),
        }
    }

    fn compared(&self) -> Compared<'_> {
        Compared {
            players: &self.players,
            prior: self.prior,
            logits: &self.logits,
            ties: &self.ties,
            scale: self.scale.as_ref(),
            covariance: &self.covariance,
        }
    }

    /// Returns the probability that `player` is stronger than `other` by more than `lead`; see
    /// [`super::Fit::superiority_by`].
    pub fn superiority_by(&self, player: usize, other: usize, lead: Elo) -> Option<f64> {
        self.compared().superiority_by(player, other, lead)
    }

    /// Returns the probability that the rating of `player` is above `elo`; see [`super::Fit::superiority_over`].
    pub fn superiority_over(&self, player: usize, elo: Elo) -> Option<f64> {
        self.compared().superiority_over(player, elo)
    }

    /// Returns the chances of each of `players` among themselves; see [`super::Fit::rank_chances`].
    pub fn rank_chances(&self, players: &[usize]) -> Option<Vec<RankChances>> {
        self.compared().rank_chances(players)
    }
}

/// Returns the advantages of the seats, which are the values after those of `players` players.
fn seats(estimate: &Estimate<PlacingProblem>, covariance: &Matrix, players: usize) -> Vec<SeatEffect> {
    // The players form the first frame, the seats the second.
    let frames: Vec<usize> = (0..estimate.logits.len()).map(|i| usize::from(i >= players)).collect();
    let variances = relative_variances(covariance, &frames);
    let effect = |i: usize| {
        let advantage = estimate.rating(i, 0.0);
        SeatEffect { advantage, error95: advantage.finite().and_then(|_| variances[i]).and_then(bar) }
    };
    (players..estimate.logits.len()).map(effect).collect()
}

#[cfg(test)]
mod tests;
