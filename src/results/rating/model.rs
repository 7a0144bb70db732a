//! The equations of the models of pairs.

use super::chances::Chances;
use super::objective::{Looseness, Objective, RATING_SD, RatingTerms};
use super::pair_results::{Cell, Field};
use super::ties::Ties;
use super::win_graph::Pools;
use super::{Model, Prior, Rating};
use crate::base::matrix::Matrix;

/// The games of one ordered pair, as the equations use them.
struct Weights {
    /// The parameter of black.
    black: usize,
    /// The parameter of white.
    white: usize,
    /// How far black's rating is above its parameter, minus how far white's rating is above its own.
    above: f64,
    wins: f64,
    draws: f64,
    losses: f64,
}

impl Weights {
    fn games(&self) -> f64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the derivative of black's lead with respect to the parameters.
    fn direction(&self, advantage: usize) -> [(usize, f64); 3] {
        [(self.black, 1.0), (self.white, -1.0), (advantage, 1.0)]
    }
}

/// A fit to solve: the games, the requirements of the anchors, and normal priors on all values. The values are the
/// players' ratings, the first-move advantage and, in Davidson's model unless `nu` is 0, `ln nu`.
///
/// `bt-half` is solved as Davidson's model with `nu = 0`, and with each draw as half a win and half a loss, because the
/// estimating equations are the same. The objective is concave in both models.
pub(super) struct FitProblem {
    model: Model,
    terms: RatingTerms,
    /// Whether `ln nu` is a parameter.
    fits_nu: bool,
    weights: Vec<Weights>,
    observed_draws: f64,
}

/// The mean of the prior on `nu`.
const NU: f64 = 0.3;
/// The standard deviation of the prior on `ln nu`.
pub(super) const LN_NU_SD: f64 = 2.0;

impl FitProblem {
    pub(super) fn new(model: Model, field: &Field, looseness: Looseness) -> Self {
        let observed_draws = count(field.cells.iter().map(|cell| cell.games.draws).sum());
        let fits_nu = model == Model::Davidson && (observed_draws > 0.0 || looseness == Looseness::Weak);
        let further = [(0.0, RATING_SD), (NU.ln(), LN_NU_SD)];
        let terms = RatingTerms::new(field, looseness, &further[..=usize::from(fits_nu)]);
        let weights = field.cells.iter().map(|cell| weights(model, cell, &terms.ties)).collect();
        Self { model, terms, fits_nu, weights, observed_draws }
    }

    pub(super) const fn model(&self) -> Model {
        self.model
    }

    pub(super) fn prior(&self) -> Prior {
        if self.terms.looseness == Looseness::Weak { Prior::Weak } else { Prior::None }
    }

    const fn advantage(&self) -> usize {
        self.terms.ties.count
    }

    const fn ln_nu(&self) -> usize {
        self.terms.ties.count + 1
    }

    /// Returns `nu` as used in the rating equations.
    fn solved_nu(&self, at: &[f64]) -> f64 {
        if self.fits_nu { at[self.ln_nu()].exp() } else { 0.0 }
    }

    fn chances(&self, pair: &Weights, at: &[f64], nu: f64) -> Chances {
        Chances::davidson(self.lead(pair, at), nu)
    }

    /// Returns black's lead in `pair`, including the first-move advantage.
    fn lead(&self, pair: &Weights, at: &[f64]) -> f64 {
        at[pair.black] + at[self.advantage()] - at[pair.white] + pair.above
    }

    /// Returns the `nu` of the fit `values`; `unbounded` is the estimate of `ln nu` if the games do not bound it.
    pub(super) fn nu(&self, values: &[f64], unbounded: Option<Rating>) -> f64 {
        let at = self.terms.ties.contract(values);
        let precision = if self.terms.looseness == Looseness::Weak { LN_NU_SD.powi(-2) } else { 0.0 };
        match self.model {
            Model::Davidson if unbounded.is_some() => f64::INFINITY,
            Model::Davidson => self.solved_nu(&at),
            Model::BtHalf => self.nu_of_bt_half(&at, precision),
        }
    }

    /// Returns the `nu` for which the expected number of draws is the observed one, corrected by a prior with this
    /// `precision` on `ln nu`. Without a prior, `nu` is infinite if the games contain all the draws that the expected
    /// scores allow.
    fn nu_of_bt_half(&self, at: &[f64], precision: f64) -> f64 {
        /// The range beyond which the probabilities no longer change.
        const RANGE: (f64, f64) = (-40.0, 40.0);

        if self.observed_draws == 0.0 && precision == 0.0 {
            return 0.0;
        }
        let undrawn: Vec<(f64, Chances)> =
            self.weights.iter().map(|pair| (pair.games(), self.chances(pair, at, 0.0))).collect();
        let expected =
            |nu: f64| -> f64 { undrawn.iter().map(|(games, chances)| games * chances.with_draws(nu).draw).sum() };
        if precision == 0.0 {
            // The loose prior on the ratings, which represents no prior, moves the expected scores by at most this
            // much, and the number of draws by at most twice as much.
            let moved: f64 =
                at.iter().zip(&self.terms.priors).map(|(value, (mean, weight))| (mean - value).abs() * weight).sum();
            let rounding = 1e-9 * self.observed_draws;
            if self.observed_draws >= expected(f64::INFINITY) - 2.0 * moved - rounding {
                return f64::INFINITY;
            }
        }
        let excess = |ln_nu: f64| self.observed_draws - expected(ln_nu.exp()) - (ln_nu - NU.ln()) * precision;
        let (mut low, mut high) = RANGE;
        if excess(high) >= 0.0 {
            return f64::INFINITY;
        }
        while high - low > 1e-10 {
            let middle = f64::midpoint(low, high);
            if middle <= low || middle >= high {
                break;
            }
            if excess(middle) > 0.0 { low = middle } else { high = middle }
        }
        low.exp()
    }

    /// Returns the probability of a draw under `bt-half`.
    fn draw_chance(&self, pair: &Weights, at: &[f64], nu: f64) -> f64 {
        Chances::bt_half(self.lead(pair, at), nu).draw
    }

    /// Returns the covariance of all values of the fit `values`: the inverse information or, in `bt-half`, the sandwich
    /// `H^-1 J H^-1`, because there a draw is one whole game, which varies less than two half games. If `nu` is
    /// infinite, results vary as little as possible, which means not at all if all games were drawn; their variation is
    /// then computed with the `nu` of the weak prior.
    ///
    /// Without a prior, the covariance is only valid for differences within one of `pools`, and for the advantage; see
    /// [`RatingTerms::fix_levels`]. With a prior, the pools do not matter.
    pub(super) fn covariance(&self, values: &[f64], nu: f64, pools: Option<&Pools>) -> Matrix {
        let at = &self.terms.ties.contract(values);
        let mut variability = self.information(at);
        let mut information = variability.clone();
        self.terms.fix_levels(&mut information, pools);
        let inverse = match information.cholesky() {
            Some(decomposed) => decomposed.inverse(),
            // This cannot happen, because every parameter has a prior; error bars of zero width are not shown.
            None => return Matrix::zeros(self.terms.values()),
        };
        if self.model == Model::Davidson {
            return self.terms.ties.expand_covariance(inverse);
        }
        let nu = if nu.is_infinite() { self.nu_of_bt_half(at, LN_NU_SD.powi(-2)) } else { nu };
        for pair in &self.weights {
            // Var s is less than E (1 - E) by a quarter of the probability of a draw.
            let less = pair.games() * self.draw_chance(pair, at, nu) / 4.0;
            variability.add_outer(-less, &pair.direction(self.advantage()));
        }
        self.terms.ties.expand_covariance(inverse.around(&variability))
    }
}

impl Objective for FitProblem {
    fn terms(&self) -> &RatingTerms {
        &self.terms
    }

    fn add_gradient(&self, at: &[f64], gradient: &mut [f64]) {
        let nu = self.solved_nu(at);
        for pair in &self.weights {
            let Chances { win, draw, loss } = self.chances(pair, at, nu);
            let surplus =
                pair.wins * (loss + draw / 2.0) + pair.draws * (loss - win) / 2.0 - pair.losses * (win + draw / 2.0);
            for (i, sign) in pair.direction(self.advantage()) {
                gradient[i] += sign * surplus;
            }
            if self.fits_nu {
                gradient[self.ln_nu()] += pair.draws - pair.games() * draw;
            }
        }
    }

    /// The second derivative does not depend on the results in these models.
    fn add_information(&self, at: &[f64], information: &mut Matrix) {
        let nu = self.solved_nu(at);
        for pair in &self.weights {
            let chances = self.chances(pair, at, nu);
            let Chances { win, draw, loss } = chances;
            let direction = pair.direction(self.advantage());
            information.add_outer(pair.games() * chances.score_variance(), &direction);
            if self.fits_nu {
                let mixed = pair.games() * draw * (loss - win) / 2.0;
                for (i, sign) in direction {
                    information.add(i, self.ln_nu(), sign * mixed);
                    information.add(self.ln_nu(), i, sign * mixed);
                }
                information.add(self.ln_nu(), self.ln_nu(), pair.games() * draw * (win + loss));
            }
        }
    }
}

fn weights(model: Model, cell: &Cell, ties: &Ties) -> Weights {
    let (wins, draws, losses) = (count(cell.games.wins), count(cell.games.draws), count(cell.games.losses));
    let (black, white) = (ties.parameter(cell.black), ties.parameter(cell.white));
    let above = ties.above(cell.black) - ties.above(cell.white);
    let half = draws / 2.0;
    match model {
        Model::Davidson => Weights { black, white, above, wins, draws, losses },
        Model::BtHalf => Weights { black, white, above, wins: wins + half, draws: 0.0, losses: losses + half },
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
const fn count(games: u64) -> f64 {
    games as f64
}
