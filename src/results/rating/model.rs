//! The equations of the models, and their solution by Newton's method.

use super::components::Pools;
use super::linalg::Matrix;
use super::pair_results::{Cell, Field};
use super::{Model, Prior, Rating};

/// The probabilities of a game's three results, as black sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chances {
    pub(super) win: f64,
    pub(super) draw: f64,
    pub(super) loss: f64,
}

impl Chances {
    /// Returns probabilities in the ratio `e^(d/2) : nu : e^(-d/2)`.
    pub(super) fn davidson(d: f64, nu: f64) -> Self {
        if nu.is_infinite() {
            return Self { win: 0.0, draw: 1.0, loss: 0.0 };
        }
        // The exponents are relative to the larger one, so that nothing overflows.
        let equal = (-d.abs() / 2.0).exp();
        let (more, draw, less) = (1.0, nu * equal, equal * equal);
        let sum = more + draw + less;
        let (more, draw, less) = (more / sum, draw / sum, less / sum);
        if d >= 0.0 { Self { win: more, draw, loss: less } } else { Self { win: less, draw, loss: more } }
    }

    /// Returns probabilities with the expected score `E = 1 / (1 + e^-d)` and `D = nu sqrt(W L)`.
    pub(super) fn bt_half(d: f64, nu: f64) -> Self {
        Self::davidson(d, 0.0).with_draws(nu)
    }

    /// Returns probabilities with the same expected score as these, which have no draws, and with `D = nu sqrt(W L)`: a
    /// quadratic equation in `D`.
    fn with_draws(self, nu: f64) -> Self {
        let Self { win: score, loss: missed, .. } = self;
        let most = 2.0 * score.min(missed);
        let c = nu * nu * score * missed;
        let draw = if nu.is_infinite() {
            most
        } else if c == 0.0 {
            0.0
        } else {
            let (a, b) = (1.0 - nu * nu / 4.0, nu * nu / 2.0);
            let root = (b * b + 4.0 * a * c).max(0.0).sqrt();
            (2.0 * c / (b + root)).min(most)
        };
        Self { win: score - draw / 2.0, draw, loss: missed - draw / 2.0 }
    }

    /// Returns `Var s = (W + L - (W - L)^2) / 4`, in a form in which nothing cancels near 0 and 1.
    fn score_variance(self) -> f64 {
        self.win * self.loss + self.draw * (self.win + self.loss) / 4.0
    }
}

/// How far a prior lets the values go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looseness {
    /// The weak prior of [`Prior::Weak`].
    Weak,
    /// A hundred times as wide: almost no prior.
    Loose,
    /// A thousand times as wide: the answer without a prior, to a millionth of an Elo if there is one.
    Looser,
}

impl Looseness {
    const fn width(self) -> f64 {
        match self {
            Self::Weak => 1.0,
            Self::Loose => 100.0,
            Self::Looser => 1000.0,
        }
    }
}

/// The games of one ordered pair, as the equations use them.
struct Weights {
    black: usize,
    white: usize,
    wins: f64,
    draws: f64,
    losses: f64,
}

impl Weights {
    fn games(&self) -> f64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the derivative of `d` with respect to the parameters.
    fn direction(&self, advantage: usize) -> [(usize, f64); 3] {
        [(self.black, 1.0), (self.white, -1.0), (advantage, 1.0)]
    }
}

/// A fit to solve: the games, and normal priors on all parameters. The parameters are the players' ratings, the
/// first-move advantage and, in Davidson's model unless `nu` is 0, `ln nu`, all in logits.
///
/// `bt-half` is solved as Davidson's model with `nu = 0`, and with each draw as half a win and half a loss, because the
/// estimating equations are the same. The objective is concave in both models.
pub(super) struct FitProblem {
    model: Model,
    looseness: Looseness,
    players: usize,
    /// Whether `ln nu` is a parameter.
    fits_nu: bool,
    weights: Vec<Weights>,
    observed_draws: f64,
}

/// The mean of the prior on `nu`.
const NU: f64 = 0.3;
/// The standard deviation of the prior on `ln nu`.
const LN_NU_SD: f64 = 2.0;
/// The standard deviation of the prior on ratings and on the advantage: 400 Elo in logits.
const RATING_SD: f64 = std::f64::consts::LN_10;

impl FitProblem {
    pub(super) fn new(model: Model, field: &Field, looseness: Looseness) -> Self {
        let observed_draws = count(field.cells.iter().map(|cell| cell.games.draws).sum());
        let weights = field.cells.iter().map(|cell| weights(model, cell)).collect();
        let fits_nu = model == Model::Davidson && (observed_draws > 0.0 || looseness == Looseness::Weak);
        Self { model, looseness, players: field.names.len(), fits_nu, weights, observed_draws }
    }

    pub(super) const fn model(&self) -> Model {
        self.model
    }

    pub(super) fn prior(&self) -> Prior {
        if self.looseness == Looseness::Weak { Prior::Weak } else { Prior::None }
    }

    const fn advantage(&self) -> usize {
        self.players
    }

    const fn ln_nu(&self) -> usize {
        self.players + 1
    }

    fn parameters(&self) -> usize {
        self.players + 1 + usize::from(self.fits_nu)
    }

    /// Returns the mean of the prior, where every search begins.
    pub(super) fn start(&self) -> Vec<f64> {
        (0..self.parameters()).map(|i| self.prior_of(i).0).collect()
    }

    /// Turns `fit`, of the same field under another prior, into a start.
    pub(super) fn fit_start(&self, fit: &[f64]) -> Vec<f64> {
        fit[..self.parameters()].to_vec()
    }

    /// Returns the mean and the precision of the prior on parameter `i`.
    fn prior_of(&self, i: usize) -> (f64, f64) {
        let (mean, sd) = if i == self.ln_nu() { (NU.ln(), LN_NU_SD) } else { (0.0, RATING_SD) };
        (mean, (sd * self.looseness.width()).powi(-2))
    }

    /// Returns `nu` as the equations of the ratings use it.
    fn solved_nu(&self, at: &[f64]) -> f64 {
        if self.fits_nu { at[self.ln_nu()].exp() } else { 0.0 }
    }

    fn chances(&self, pair: &Weights, at: &[f64], nu: f64) -> Chances {
        Chances::davidson(at[pair.black] + at[self.advantage()] - at[pair.white], nu)
    }

    fn gradient(&self, at: &[f64]) -> Vec<f64> {
        let nu = self.solved_nu(at);
        let mut gradient: Vec<f64> = at
            .iter()
            .enumerate()
            .map(|(i, value)| {
                let (mean, precision) = self.prior_of(i);
                (mean - value) * precision
            })
            .collect();
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
        gradient
    }

    /// Returns minus the second derivative, which does not depend on the results in these models.
    fn information(&self, at: &[f64]) -> Matrix {
        let nu = self.solved_nu(at);
        let mut information = Matrix::zeros(self.parameters());
        for i in 0..self.parameters() {
            information.add(i, i, self.prior_of(i).1);
        }
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
        information
    }

    /// Returns the parameters that fit best, by Newton's method from `at`.
    ///
    /// A step is halved until the slope along it has not reversed by more than half of its first value. With a concave
    /// objective, this does not need the value of the objective itself, whose rounding would hide the last digits.
    pub(super) fn solve(&self, mut at: Vec<f64>) -> Vec<f64> {
        /// In logits. Each step squares the error, so after a step as small as this almost no error is left.
        const CLOSE_ENOUGH: f64 = 1e-6;
        /// An unbounded value moves by about one logit in each step, and by some thirty in all before the prior holds
        /// it.
        const MAX_STEPS: usize = 500;
        const MAX_HALVINGS: i32 = 60;

        let mut gradient = self.gradient(&at);
        for _ in 0..MAX_STEPS {
            let Some(decomposed) = self.information(&at).cholesky() else {
                break;
            };
            let step = decomposed.solve(&gradient);
            let slope = dot(&gradient, &step);
            for halvings in 0..MAX_HALVINGS {
                let length = 0.5_f64.powi(halvings);
                let next: Vec<f64> = at.iter().zip(&step).map(|(value, step)| value + length * step).collect();
                let next_gradient = self.gradient(&next);
                if dot(&next_gradient, &step) >= -0.5 * slope || halvings == MAX_HALVINGS - 1 {
                    at = next;
                    gradient = next_gradient;
                    break;
                }
            }
            if step.iter().all(|step| step.abs() < CLOSE_ENOUGH) {
                break;
            }
        }
        at
    }

    /// Returns `nu` of the fit `at`; `unbounded` is the rating of `ln nu` if it has no bound.
    pub(super) fn nu(&self, at: &[f64], unbounded: Option<Rating>) -> f64 {
        match self.model {
            Model::Davidson if unbounded.is_some() => f64::INFINITY,
            Model::Davidson => self.solved_nu(at),
            Model::BtHalf => self.nu_of_bt_half(at),
        }
    }

    /// Returns the `nu` at which the expected number of draws is the observed one, except for what the prior adds.
    fn nu_of_bt_half(&self, at: &[f64]) -> f64 {
        /// Beyond this range, the probabilities no longer change.
        const RANGE: (f64, f64) = (-40.0, 40.0);

        let precision = if self.looseness == Looseness::Weak { LN_NU_SD.powi(-2) } else { 0.0 };
        if self.observed_draws == 0.0 && precision == 0.0 {
            return 0.0;
        }
        let undrawn: Vec<(f64, Chances)> =
            self.weights.iter().map(|pair| (pair.games(), self.chances(pair, at, 0.0))).collect();
        let excess = |ln_nu: f64| {
            let nu = ln_nu.exp();
            let expected: f64 = undrawn.iter().map(|(games, chances)| games * chances.with_draws(nu).draw).sum();
            self.observed_draws - expected - (ln_nu - NU.ln()) * precision
        };
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

    /// Returns the probability of a draw in `bt-half`.
    fn draw_chance(&self, pair: &Weights, at: &[f64], nu: f64) -> f64 {
        Chances::bt_half(at[pair.black] + at[self.advantage()] - at[pair.white], nu).draw
    }

    /// Returns the covariance of all parameters at the fit `at`: the inverse information or, in `bt-half`, the sandwich
    /// `H^-1 J H^-1`, because a draw there is not two half games but one whole game, which varies less.
    ///
    /// Without a prior, the covariance is only valid for differences within a pool, and for the advantage. The levels
    /// of the pools, on which nothing else depends, are held in place: numbers as large as their variances would drown
    /// all others.
    pub(super) fn covariance(&self, at: &[f64], nu: f64, pools: &Pools) -> Matrix {
        let mut variability = self.information(at);
        let mut information = variability.clone();
        if self.looseness != Looseness::Weak {
            for pool in pools.members() {
                // A weight of one logit is about what a few games say.
                let level: Vec<(usize, f64)> = pool.iter().map(|&player| (player, 1.0)).collect();
                information.add_outer(1.0 / count(pool.len() as u64), &level);
            }
        }
        let inverse = match information.cholesky() {
            Some(decomposed) => decomposed.inverse(),
            // This cannot happen, because every parameter has a prior; an error bar of no width is shown as none.
            None => return Matrix::zeros(self.parameters()),
        };
        if self.model == Model::Davidson {
            return inverse;
        }
        for pair in &self.weights {
            // Var s is less than E (1 - E) by a quarter of the probability of a draw.
            let less = pair.games() * self.draw_chance(pair, at, nu) / 4.0;
            variability.add_outer(-less, &pair.direction(self.advantage()));
        }
        inverse.around(&variability)
    }
}

fn weights(model: Model, cell: &Cell) -> Weights {
    let (wins, draws, losses) = (count(cell.games.wins), count(cell.games.draws), count(cell.games.losses));
    let Cell { black, white, .. } = *cell;
    match model {
        Model::Davidson => Weights { black, white, wins, draws, losses },
        Model::BtHalf => Weights { black, white, wins: wins + draws / 2.0, draws: 0.0, losses: losses + draws / 2.0 },
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
const fn count(games: u64) -> f64 {
    games as f64
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
