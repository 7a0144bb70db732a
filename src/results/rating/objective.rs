//! The function that every fit maximises, and its solution by Newton's method.

use super::pair_results::{Field, Succession};
use super::ties::{Link, Ties};
use super::win_graph::Pools;
use crate::base::matrix::Matrix;

/// How far a prior allows the values to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looseness {
    /// The weak prior of [`super::Prior::Weak`].
    Weak,
    /// A prior a hundred times as wide: almost none.
    Loose,
    /// A prior a thousand times as wide: the result differs from the solution without a prior, if there is one, by at
    /// most a millionth of an Elo.
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

    /// Returns the precision of a prior whose standard deviation in its weak form is `sd`.
    pub(super) fn precision(self, sd: f64) -> f64 {
        (sd * self.width()).powi(-2)
    }
}

/// The standard deviation of the prior on ratings and on the first-move advantage: 400 Elo in logits.
pub(super) const RATING_SD: f64 = std::f64::consts::LN_10;

/// The standard deviation of the prior on the difference between a player and its predecessor: 120 Elo in logits.
const SUCCESSION_SD: f64 = 0.3 * RATING_SD;

/// The part of an objective that does not depend on the model: the requirements of the anchors, and normal priors on
/// all values.
///
/// The values are the players' ratings and the model's other values, all in logits. The parameters are the same, except
/// that all fixed anchors share one parameter.
pub(super) struct RatingTerms {
    pub(super) looseness: Looseness,
    pub(super) ties: Ties,
    /// The mean and the precision of the prior on each parameter.
    pub(super) priors: Vec<(f64, f64)>,
}

impl RatingTerms {
    /// Returns the terms for the players of `field` and for the values in `further`, whose priors have these means and
    /// standard deviations. The prior on the parameter that fixed anchors share combines one term for each of them. The
    /// prior on a player that succeeds another links the two.
    pub(super) fn new(field: &Field, looseness: Looseness, further: &[(f64, f64)]) -> Self {
        let mut ties = Ties::of(field);
        let players = field.names.len();
        let centre =
            |i: usize, usual: f64| field.centres.as_ref().and_then(|centres| centres.get(i)).copied().unwrap_or(usual);
        let mut priors = vec![(0.0, 0.0); ties.count];
        let mut succeeds = vec![false; players];
        for &Succession { player, predecessor } in &field.successions {
            succeeds[player] = true;
            let link = Link {
                high: ties.parameter(player),
                low: ties.parameter(predecessor),
                gap: ties.above(predecessor) - ties.above(player),
                precision: looseness.precision(SUCCESSION_SD),
            };
            ties.links.push(link);
        }
        for player in (0..players).filter(|&player| !succeeds[player]) {
            let (sum, total) = &mut priors[ties.parameter(player)];
            *sum += looseness.precision(RATING_SD) * (centre(player, 0.0) - ties.above(player));
            *total += looseness.precision(RATING_SD);
        }
        for (sum, total) in priors.iter_mut().filter(|(_, total)| *total > 0.0) {
            *sum /= *total;
        }
        let further = further.iter().enumerate();
        priors.extend(further.map(|(i, &(mean, sd))| (centre(players + i, mean), looseness.precision(sd))));
        Self { looseness, ties, priors }
    }

    /// Returns the number of values.
    pub(super) const fn values(&self) -> usize {
        self.ties.players() + self.priors.len() - self.ties.count
    }

    /// Returns the mean of the prior, where every search starts.
    pub(super) fn start(&self) -> Vec<f64> {
        let means: Vec<f64> = self.priors.iter().map(|&(mean, _)| mean).collect();
        self.ties.expand(&means)
    }

    fn gradient(&self, at: &[f64]) -> Vec<f64> {
        let priors = at.iter().zip(&self.priors);
        let mut gradient: Vec<f64> = priors.map(|(value, (mean, precision))| (mean - value) * precision).collect();
        for link in &self.ties.links {
            let pull = link.precision * (link.gap - (at[link.high] - at[link.low]));
            gradient[link.high] += pull;
            gradient[link.low] -= pull;
        }
        gradient
    }

    fn information(&self) -> Matrix {
        let mut information = Matrix::zeros(self.priors.len());
        for (i, &(_, precision)) in self.priors.iter().enumerate() {
            information.add(i, i, precision);
        }
        for link in &self.ties.links {
            information.add_outer(link.precision, &[(link.high, 1.0), (link.low, -1.0)]);
        }
        information
    }

    /// Fixes the level of each pool in `information` if there is no prior. Nothing else depends on these levels, whose
    /// variances would otherwise be so large that all other numbers would be lost to rounding.
    pub(super) fn fix_levels(&self, information: &mut Matrix, pools: Option<&Pools>) {
        let Some(pools) = pools.filter(|_| self.looseness != Looseness::Weak) else {
            return;
        };
        for pool in pools.members() {
            let parameters: Vec<usize> = pool.iter().map(|&player| self.ties.parameter(player)).collect();
            fix_level(information, &parameters);
        }
    }
}

/// Adds to `information` the information that a few games would give about the mean of `parameters`, with a standard
/// deviation of one logit.
pub(super) fn fix_level(information: &mut Matrix, parameters: &[usize]) {
    #[expect(clippy::cast_precision_loss, reason = "numbers of players are small")]
    let count = parameters.len() as f64;
    let level: Vec<(usize, f64)> = parameters.iter().map(|&parameter| (parameter, 1.0)).collect();
    information.add_outer(1.0 / count, &level);
}

/// A concave function of parameters: [`RatingTerms`], and the log-likelihood of games under a model.
pub(super) trait Objective {
    /// The terms that do not depend on the model.
    fn terms(&self) -> &RatingTerms;

    /// Adds the derivative of the log-likelihood at `at`, a list of parameters.
    fn add_gradient(&self, at: &[f64], gradient: &mut [f64]);

    /// Adds minus the second derivative of the log-likelihood.
    fn add_information(&self, at: &[f64], information: &mut Matrix);

    fn gradient(&self, at: &[f64]) -> Vec<f64> {
        let mut gradient = self.terms().gradient(at);
        self.add_gradient(at, &mut gradient);
        gradient
    }

    /// Returns minus the second derivative of the objective.
    fn information(&self, at: &[f64]) -> Matrix {
        let mut information = self.terms().information();
        self.add_information(at, &mut information);
        information
    }

    /// Returns the values of the best fit, using Newton's method from the values `start`.
    ///
    /// A step is halved as long as the slope at its end is reversed and more than half as steep as at its start. For a
    /// concave objective, this does not require the value of the objective itself, whose rounding would hide the last
    /// digits.
    fn solve(&self, start: &[f64]) -> Vec<f64> {
        /// The tolerance, in logits. Each step squares the error, so after a step this small, almost no error remains.
        const CLOSE_ENOUGH: f64 = 1e-6;
        /// An unbounded value moves by about one logit in each step, and by about thirty logits in total before the
        /// prior stops it.
        const MAX_STEPS: usize = 500;
        const MAX_HALVINGS: i32 = 60;

        let mut at = self.terms().ties.contract(start);
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
        self.terms().ties.expand(&at)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
