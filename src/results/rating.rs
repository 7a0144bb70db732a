//! Ratings with error bars, from wins, draws and losses alone.
//!
//! With `k = ln 10 / 400`, black `b` and white `w`, the result of a game depends on `d = k (r_b + h - r_w)`, where `h`
//! is the advantage of the first move in Elo. Two models turn `d` into probabilities; see [`Model`].
//!
//! By itself, such a fit has no finite answer if some player won everything, if nobody drew, or if black always won,
//! and small fields of deterministic bots do this all the time. The fit therefore has a weak [`Prior`] by default.
//! Without the prior, values that have no bound are reported as such; see [`Rating`].
//!
//! Sources: R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
//! JASA 65 (1970); R. R. Davidson and R. J. Beaver, "On extending the Bradley-Terry model to incorporate within-pair
//! order effects", Biometrics 33 (1977); L. R. Ford, "Solution of a ranking problem from binary comparisons", American
//! Mathematical Monthly 64 (1957), on when a fit exists.

mod bootstrap;
mod components;
mod linalg;
mod model;
mod pair_results;

use std::fmt;

use crate::base::normal::cumulative;
use crate::base::word_enum::words;
pub use bootstrap::Bootstrap;
use components::Pools;
use linalg::Matrix;
use model::{Chances, FitProblem, Looseness};
pub use pair_results::{PairResults, Wdl};

/// One Elo in units of the models' exponent: `ln 10 / 400`.
const LOGITS_PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;

/// The standard deviations in half of a 95 % interval.
const SDS_IN_95_PERCENT: f64 = 1.96;

/// An error bar wider than this many Elo means that the games say nothing.
const NO_INFORMATION: f64 = 20_000.0;

/// A difference of strength on the 400-point scale: a player that is stronger by 400 scores ten times as much as its
/// opponent (in the `bt-half` model; Davidson's is wider, see [`Model`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    fn from_logits(logits: f64) -> Self {
        Self(logits / LOGITS_PER_ELO)
    }

    /// Returns the value in hundredths, rounded: this is what files show and what players are ordered by.
    #[expect(clippy::cast_possible_truncation, reason = "saturates, far beyond any rating")]
    pub fn hundredths(self) -> i64 {
        (self.0 * 100.0).round() as i64
    }
}

impl fmt::Display for Elo {
    /// Writes two decimals, or as many as the format asks for; a zero has no sign.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(2);
        let text = format!("{:.decimals$}", self.0);
        let is_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
        let text = if is_zero { text.trim_start_matches('-') } else { &text };
        if f.sign_plus() && self.0 > 0.0 && !is_zero { write!(f, "+{text}") } else { f.write_str(text) }
    }
}

/// How a difference of strength turns into probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// Davidson's model with order effect: win, draw and loss are as `e^(d/2) : nu : e^(-d/2)`. If a quarter of the
    /// games is drawn, its ratings are about 1.3 times as wide as those of `bt-half`.
    #[default]
    Davidson,
    /// Bradley and Terry's model with a draw as half a win, as in Ordo: the expected score is `1 / (1 + e^-d)`.
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
    /// Nothing. The fit is the limit of ever weaker priors.
    None,
}

// The names that files use.
words! { pub Prior; Weak => "weak", None => "none" }

/// A fitted value. Without a prior, it may have no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rating {
    /// The value that fits best.
    Finite(Elo),
    /// The value has no upper bound: the higher, the better the fit. The number is the fit with the weak prior.
    Above(Elo),
    /// The value has no lower bound: the lower, the better the fit. The number is the fit with the weak prior.
    Below(Elo),
}

impl Rating {
    /// Returns the number, whether it is a fit or not.
    pub const fn elo(self) -> Elo {
        match self {
            Self::Finite(elo) | Self::Above(elo) | Self::Below(elo) => elo,
        }
    }

    /// Returns the number if it is a fit.
    pub const fn finite(self) -> Option<Elo> {
        match self {
            Self::Finite(elo) => Some(elo),
            Self::Above(_) | Self::Below(_) => None,
        }
    }

    /// Returns the same rating, higher by `by`.
    fn shifted(self, by: f64) -> Self {
        let shift = |elo: Elo| Elo(elo.0 + by);
        match self {
            Self::Finite(elo) => Self::Finite(shift(elo)),
            Self::Above(elo) => Self::Above(shift(elo)),
            Self::Below(elo) => Self::Below(shift(elo)),
        }
    }
}

impl fmt::Display for Rating {
    /// Writes `12.34`, `> 12.34` or `< 12.34`, with two decimals or as many as the format asks for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finite(_) => {}
            Self::Above(_) => f.write_str("> ")?,
            Self::Below(_) => f.write_str("< ")?,
        }
        fmt::Display::fmt(&self.elo(), f)
    }
}

/// What the fit says about one player.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerRating {
    /// The player's name.
    pub name: String,
    /// The player's rating.
    pub rating: Rating,
    /// Half the 95 % interval of the difference from the mean of all players or, without a prior, from the mean of the
    /// player's own pool; `None` if the games do not bound it.
    pub error95: Option<Elo>,
    /// The player's pool: an index below [`Fit::pools`]. Within a pool, a chain of wins and draws leads from each
    /// player to every other one. Nothing but the prior limits the gap between pools.
    pub pool: usize,
}

/// How often equal players draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawTendency {
    /// The models' parameter: 0 if there was no draw (and no prior), infinite if only draws fit.
    pub nu: f64,
}

impl DrawTendency {
    /// Returns the share of draws between equal players without the first-move advantage: `nu / (2 + nu)`.
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
    /// Half the 95 % interval of the advantage; `None` if the games do not bound it.
    pub advantage_error95: Option<Elo>,
    /// How often equal players draw.
    pub draws: DrawTendency,
    /// The number of pools; see [`PlayerRating::pool`].
    pub pools: usize,
    /// Where the error bars come from, if not from the normal approximation; see [`Fit::bootstrap`].
    pub bootstrap: Option<Bootstrap>,
    /// The fitted parameters in logits: one for each player, then the advantage, then `ln nu` if it was fitted with
    /// them.
    logits: Vec<f64>,
    /// The covariance of the ratings, in logits.
    covariance: Matrix,
}

impl Fit {
    /// Fits `model` to `results`. The result is the same to the last bit in any order of the games and of the players.
    pub fn new(results: &PairResults, model: Model, prior: Prior) -> Self {
        let field = results.canonical();
        let pools = Pools::of(field.names.len(), &field.cells);
        let estimate = match prior {
            Prior::Weak => Estimate::weak(model, &field, None),
            Prior::None => Estimate::without_prior(model, &field, &pools),
        };
        Self::assemble(estimate, &pools, field.names)
    }

    fn assemble(estimate: Estimate, pools: &Pools, names: Vec<String>) -> Self {
        let Estimate { problem, logits, zeros, unbounded } = estimate;
        let count = names.len();
        let prior = problem.prior();
        let draws = DrawTendency { nu: problem.nu(&logits, unbounded.get(count + 1).copied().flatten()) };
        let covariance = problem.covariance(&logits, draws.nu, pools);
        let frames = match prior {
            Prior::Weak => vec![0; count],
            Prior::None => pools.of_player.clone(),
        };
        let variances = relative_variances(&covariance, &frames);
        let rating =
            |i: usize, zero: f64| unbounded[i].unwrap_or_else(|| Rating::Finite(Elo::from_logits(logits[i] - zero)));
        let players = names
            .into_iter()
            .enumerate()
            .map(|(i, name)| {
                let rating = rating(i, zeros[i]);
                let error95 = rating.finite().and_then(|_| variances[i]).and_then(bar);
                PlayerRating { name, rating, error95, pool: pools.of_player[i] }
            })
            .collect();
        let advantage = rating(count, 0.0);
        let advantage_error95 = advantage.finite().and_then(|_| bar(covariance.at(count, count)));
        let pools = pools.count;
        let model = problem.model();
        let bootstrap = None;
        Self { model, prior, players, advantage, advantage_error95, draws, pools, bootstrap, logits, covariance }
    }

    /// Moves the zero so that the player at index `player` gets the rating `elo`; nothing else changes. Returns `false`
    /// and changes nothing if that player's rating has no bound.
    pub fn anchor(&mut self, player: usize, elo: Elo) -> bool {
        let Some(now) = self.players[player].rating.finite() else {
            return false;
        };
        for player in &mut self.players {
            player.rating = player.rating.shifted(elo.0 - now.0);
        }
        true
    }

    /// Returns the probabilities for the game of `black` against `white`, both of which are indices into
    /// [`Fit::players`].
    pub fn forecast(&self, black: usize, white: usize) -> Forecast {
        let d = self.logits[black] + self.logits[self.players.len()] - self.logits[white];
        let chances = match self.model {
            Model::Davidson => Chances::davidson(d, self.draws.nu),
            Model::BtHalf => Chances::bt_half(d, self.draws.nu),
        };
        Forecast { win: chances.win, draw: chances.draw, loss: chances.loss }
    }

    /// Returns the likelihood of superiority: the probability that `player` is stronger than `other`, in the normal
    /// approximation. Both are indices into [`Fit::players`]. Returns `None` if the games do not compare them: one of
    /// them has no bound, or, without a prior, they are in different pools.
    pub fn superiority(&self, player: usize, other: usize) -> Option<f64> {
        self.superiority_by(player, other, Elo(0.0))
    }

    /// Returns the probability that `player` is stronger than `other` by more than `lead`, as [`Fit::superiority`]
    /// does.
    pub fn superiority_by(&self, player: usize, other: usize, lead: Elo) -> Option<f64> {
        let (own, others) = (&self.players[player], &self.players[other]);
        let difference = own.rating.finite()?.0 - others.rating.finite()?.0;
        if player == other || (self.prior == Prior::None && own.pool != others.pool) {
            return None;
        }
        let covariance = |i, j| self.covariance.at(i, j);
        let variance = covariance(player, player) + covariance(other, other) - 2.0 * covariance(player, other);
        let sd = bar(variance)?.0 / SDS_IN_95_PERCENT;
        Some(cumulative((difference - lead.0) / sd))
    }
}

/// Fitted parameters, without their uncertainty.
struct Estimate {
    problem: FitProblem,
    /// One parameter for each player, then the advantage, then `ln nu` if it was fitted with them, all in logits.
    logits: Vec<f64>,
    /// Each player's zero.
    zeros: Vec<f64>,
    /// The rating to report for each parameter that has no bound.
    unbounded: Vec<Option<Rating>>,
}

impl Estimate {
    /// Fits with the weak prior. The search begins at `start`, a fit of similar games, if there is one.
    fn weak(model: Model, field: &pair_results::Field, start: Option<&[f64]>) -> Self {
        let problem = FitProblem::new(model, field, Looseness::Weak);
        let logits = problem.solve(start.map_or_else(|| problem.start(), <[f64]>::to_vec));
        let zeros = vec![mean(&logits, 0..field.names.len()); field.names.len()];
        let unbounded = vec![None; logits.len()];
        Self { problem, logits, zeros, unbounded }
    }

    /// Takes the limit of ever weaker priors, from two very weak ones: a bounded value is the same with both, and an
    /// unbounded value drifts by a few hundred Elo.
    fn without_prior(model: Model, field: &pair_results::Field, pools: &Pools) -> Self {
        /// This is far below the drift of an unbounded value, and far above that of a bounded one.
        const DRIFT: f64 = 50.0 * LOGITS_PER_ELO;

        let weak_fit = Self::weak(model, field, None).logits;
        let loose = FitProblem::new(model, field, Looseness::Loose);
        let looser = FitProblem::new(model, field, Looseness::Looser);
        let before = loose.solve(looser.fit_start(&weak_fit));
        let after = looser.solve(before.clone());
        let zeros_before = pools.zeros(&before);
        let zeros_after = pools.zeros(&after);
        let zeros_weak = pools.zeros(&weak_fit);
        let zero = |zeros: &[f64], i: usize| zeros.get(i).copied().unwrap_or(0.0);
        let unbounded: Vec<Option<Rating>> = (0..after.len())
            .map(|i| {
                let drift = (after[i] - zero(&zeros_after, i)) - (before[i] - zero(&zeros_before, i));
                let with_prior = weak_fit.get(i).map_or(0.0, |fit| fit - zero(&zeros_weak, i));
                match drift {
                    drift if drift > DRIFT => Some(Rating::Above(Elo::from_logits(with_prior))),
                    drift if drift < -DRIFT => Some(Rating::Below(Elo::from_logits(with_prior))),
                    _ => None,
                }
            })
            .collect();
        Self { problem: looser, logits: after, zeros: zeros_after, unbounded }
    }
}

/// Returns half of a 95 % interval, unless it is so wide that it says nothing.
fn bar(variance: f64) -> Option<Elo> {
    let bar = SDS_IN_95_PERCENT * variance.max(0.0).sqrt() / LOGITS_PER_ELO;
    (bar > 0.0 && bar < NO_INFORMATION).then_some(Elo(bar))
}

fn mean(values: &[f64], members: impl ExactSizeIterator<Item = usize>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "numbers of players are small")]
    let count = members.len().max(1) as f64;
    members.map(|i| values[i]).sum::<f64>() / count
}

/// Returns the variance of each value relative to the mean of its frame: `C_ii - 2 mean_j C_ij + mean_jk C_jk` over the
/// frame's j, k. A value that is alone in its frame gets `None`.
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
