//! Ratings with error bars, based only on wins, draws and losses.
//!
//! With `k = ln 10 / 400`, black `b` and white `w`, the result of a game depends on `d = k (r_b + h - r_w)`, where `h`
//! is the advantage of the first move in Elo. Two models turn `d` into probabilities; see [`Model`].
//!
//! Without a prior, the fit has no finite solution if some player won every game, if there were no draws, or if black
//! always won, which is common in small fields of deterministic bots. The fit therefore has a weak [`Prior`] by
//! default. Without a prior, unbounded values are reported as such; see [`Rating`].
//!
//! Sources: R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
//! experiments", JASA 65 (1970); R. R. Davidson and R. J. Beaver, "On extending the Bradley-Terry model to incorporate
//! within-pair order effects", Biometrics 33 (1977); L. R. Ford, "Solution of a ranking problem from binary
//! comparisons", American Mathematical Monthly 64 (1957), on when a fit exists.

mod anchors;
mod bootstrap;
mod chances;
mod chi_squared;
mod comparisons;
mod elo;
mod estimate;
mod goodness;
mod lineage;
mod model;
mod objective;
mod pair_results;
mod performance;
mod placings;
mod ranks;
mod subset_fit;
mod ties;
mod win_graph;

use crate::base::matrix::Matrix;
use crate::base::word_enum::words;
use anchors::Scale;
pub use anchors::{Anchor, AnchorError};
pub use bootstrap::Bootstrap;
use chances::Chances;
use comparisons::RatingFrame;
use elo::LOGITS_PER_ELO;
pub use elo::{Elo, Rating};
use estimate::Estimate;
pub use goodness::{Goodness, HeadToHead};
pub(in crate::results) use lineage::{Lineage, LineageFit};
use model::FitProblem;
use pair_results::Field;
pub use pair_results::{PairResults, Wdl};
pub use performance::performance;
pub use placings::{PlacedGame, PlacedResults, PlacingFit, SeatEffect};
pub use ranks::RankChances;
pub use subset_fit::{PartFit, StrangestPlayer};
use win_graph::Pools;

/// The number of standard deviations in half of a 95% interval.
pub(in crate::results) const SDS_IN_95_PERCENT: f64 = 1.96;

/// An error bar wider than this many Elo means that the games contain no information.
const NO_INFORMATION: f64 = 20_000.0;

/// How a difference in strength translates to probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// Davidson's model with order effect: the probabilities of a win, a draw and a loss are in the ratio `e^(d/2) : nu
    /// : e^(-d/2)`. If a quarter of the games are drawn, its ratings are about 1.3 times as far apart as those of
    /// `bt-half`.
    #[default]
    Davidson,
    /// The Bradley-Terry model in which a draw counts as half a win, as in Ordo: the expected score is
    /// `1 / (1 + e^-d)`.
    BtHalf,
}

// The names that options and files use.
words! { pub Model; Davidson => "davidson", BtHalf => "bt-half" }

/// What the fit assumes before the first game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prior {
    /// Normal distributions: each rating and the first-move advantage have mean 0 and standard deviation 400 Elo, and
    /// `ln nu` has mean `ln 0.3` and standard deviation 2.
    #[default]
    Weak,
    /// Nothing. The fit is the limit for increasingly weak priors.
    None,
}

// The names that files use.
words! { pub Prior; Weak => "weak", None => "none" }

/// The source of a player's rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The games, and the anchors if there are any: they determine the difference between the player and the players
    /// that define the zero point.
    Games,
    /// The prior: the games do not bound the difference between the player and the players that define the zero point.
    Prior,
    /// Nothing: the player has no rated games.
    Nothing,
}

// The names that files use.
words! { pub Basis; Games => "games", Prior => "prior", Nothing => "nothing" }

/// The fitted values of one player.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerRating {
    /// The player's name.
    pub name: String,
    /// The player's rating.
    pub rating: Rating,
    /// What the rating is based on.
    pub basis: Basis,
    /// Half the 95% interval of the difference from the mean of all players or, without a prior, from the mean of the
    /// player's own pool; `None` if the games do not bound the difference. With several anchors, or a loose one, this
    /// is half the interval of the rating itself, and also `None` for a fixed anchor.
    pub error95: Option<Elo>,
    /// The player's pool: an index below [`Fit::pools`]. Within a pool, a chain of wins and draws leads from each
    /// player to every other one; anchors count as connected. Only the prior limits the gap between pools.
    pub pool: usize,
    /// The rating in hundredths before anchors shift the zero point; see [`PlayerRating::merit`].
    merit: i64,
}

impl PlayerRating {
    /// Returns the value by which players are ordered. An anchor that only shifts the zero point does not change this
    /// value, not even by rounding.
    pub const fn merit(&self) -> i64 {
        self.merit
    }
}

/// How often equal players draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawTendency {
    /// The models' parameter: 0 if there were no draws (and there is no prior), infinite if only draws fit.
    pub nu: f64,
}

impl DrawTendency {
    /// Returns the proportion of draws between equal players if there is no first-move advantage: `nu / (2 + nu)`.
    pub fn between_equals(self) -> f64 {
        if self.nu.is_infinite() { 1.0 } else { self.nu / (2.0 + self.nu) }
    }
}

/// The probabilities of a game's three results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The probability that black wins.
    pub win: f64,
    /// The probability of a draw.
    pub draw: f64,
    /// The probability that white wins.
    pub loss: f64,
}

impl Forecast {
    /// Returns black's expected score.
    pub fn score(self) -> f64 {
        self.win + self.draw / 2.0
    }
}

/// How games connect the players of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerGroups {
    /// The number of groups: within a group, a chain of games leads from each player to every other one, regardless
    /// of who won.
    pub count: usize,
    /// Whether any group contains a pool of two or more players; see [`PlayerRating::pool`].
    pub have_pools: bool,
}

/// The fitted ratings of all players of a field.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model of the fit.
    pub model: Model,
    /// The prior of the fit.
    pub prior: Prior,
    /// The players in the order of their names.
    pub players: Vec<PlayerRating>,
    /// The first-move advantage in Elo, for black.
    pub advantage: Rating,
    /// Half the 95% interval of the advantage; `None` if the games do not bound it.
    pub advantage_error95: Option<Elo>,
    /// How often equal players draw.
    pub draws: DrawTendency,
    /// The number of pools; see [`PlayerRating::pool`].
    pub pools: usize,
    /// How games connect the players. Without a prior, this also determines which players define the zero point.
    pub connection: PlayerGroups,
    /// The source of the error bars, if it is not the normal approximation; see [`Fit::bootstrap`].
    pub bootstrap: Option<Bootstrap>,
    /// The fitted parameters in logits: one for each player, then the advantage, then `ln nu` if it was fitted together
    /// with the others.
    logits: Vec<f64>,
    /// The covariance of the ratings, in logits.
    covariance: Matrix,
    /// The position of the zero point according to the anchors.
    scale: Option<Scale>,
    /// The input of the fit.
    field: Field,
}

impl Fit {
    /// Fits `model` to `results`. The result is identical to the last bit for any order of the games and of the
    /// players. Players without a rated game are not part of the fit.
    pub fn new(results: &PairResults, model: Model, prior: Prior) -> Self {
        Self::of_field(results.canonical(), model, prior)
    }

    /// Fits `model` to `results` and to `anchors`. A single fixed anchor only shifts the zero point.
    ///
    /// # Errors
    /// Returns an error if an anchor is not a player with a rated game, is given twice, or has no finite rating.
    pub fn anchored(
        results: &PairResults,
        model: Model,
        prior: Prior,
        anchors: &[Anchor],
    ) -> Result<Self, AnchorError> {
        let mut field = results.canonical();
        field.ties = anchors::ties(anchors, &field.names, results)?;
        let fit = Self::of_field(field, model, prior);
        let unbounded =
            fit.field.ties.iter().map(|tie| &fit.players[tie.player]).find(|player| player.rating.finite().is_none());
        match unbounded {
            Some(player) => Err(AnchorError::Unbounded { name: player.name.clone() }),
            None => Ok(fit),
        }
    }

    fn of_field(field: Field, model: Model, prior: Prior) -> Self {
        let pools = Pools::of(&field);
        let estimate = Estimate::of(prior, |looseness| FitProblem::new(model, &field, looseness), &pools, None);
        Self::assemble(estimate, &pools, field)
    }

    fn assemble(estimate: Estimate<FitProblem>, pools: &Pools, field: Field) -> Self {
        let Estimate { problem, logits, unbounded, .. } = &estimate;
        let count = field.names.len();
        let (model, prior) = (problem.model(), problem.prior());
        let draws = DrawTendency { nu: problem.nu(logits, unbounded.get(count + 1).copied().flatten()) };
        let covariance = problem.covariance(logits, draws.nu, Some(pools));
        let scale = Scale::of(&field.ties);
        let frame = RatingFrame { prior, pools, ties: &field.ties, scale: scale.as_ref(), covariance: &covariance };
        let players = frame.players(&field.names, &estimate);
        let advantage = estimate.rating(count, 0.0);
        let advantage_error95 = advantage.finite().and_then(|_| bar(covariance.at(count, count)));
        Self {
            model,
            prior,
            players,
            advantage,
            advantage_error95,
            draws,
            pools: pools.count,
            connection: pools.groups(),
            bootstrap: None,
            logits: estimate.logits,
            covariance,
            scale,
            field,
        }
    }

    /// Returns the probabilities for a game of `black` against `white`, both indices into [`Fit::players`].
    pub fn forecast(&self, black: usize, white: usize) -> Forecast {
        let chances = self.chances(black, white);
        Forecast { win: chances.win, draw: chances.draw, loss: chances.loss }
    }

    fn chances(&self, black: usize, white: usize) -> Chances {
        let d = self.logits[black] + self.logits[self.players.len()] - self.logits[white];
        match self.model {
            // An unbounded `nu` keeps the balance with the other unbounded values.
            Model::Davidson => {
                Chances::davidson(d, self.logits.get(self.players.len() + 1).map_or(0.0, |ln_nu| ln_nu.exp()))
            }
            Model::BtHalf => Chances::bt_half(d, self.draws.nu),
        }
    }
}

/// Returns half of a 95% interval, unless it is so wide that it says nothing.
fn bar(variance: f64) -> Option<Elo> {
    let bar = Elo::from_logits(SDS_IN_95_PERCENT * variance.max(0.0).sqrt());
    (bar.0 > 0.0 && bar.0 < NO_INFORMATION).then_some(bar)
}

fn mean(values: &[f64], members: impl ExactSizeIterator<Item = usize>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "numbers of players are small")]
    let count = members.len().max(1) as f64;
    members.map(|i| values[i]).sum::<f64>() / count
}

/// Returns the variance of each value relative to the mean of its frame: `C_ii - 2 mean_j C_ij + mean_jk C_jk` over all
/// j and k of the frame. The result is `None` for the only value in a frame.
fn relative_variances(covariance: &Matrix, frames: &[usize]) -> Vec<Option<f64>> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); frames.iter().max().map_or(0, |max| max + 1)];
    for (i, &frame) in frames.iter().enumerate() {
        members[frame].push(i);
    }
    let mut variances = vec![None; frames.len()];
    for frame in members.iter().filter(|frame| frame.len() > 1) {
        let row_means: Vec<f64> = frame.iter().map(|&i| mean(covariance.row(i), frame.iter().copied())).collect();
        let all_mean = mean(&row_means, 0..row_means.len());
        for (&i, row_mean) in frame.iter().zip(&row_means) {
            variances[i] = Some(covariance.at(i, i) - 2.0 * row_mean + all_mean);
        }
    }
    variances
}

#[cfg(test)]
pub(in crate::results) mod tests;
