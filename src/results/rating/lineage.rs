//! The fit of players that change over time: each version is a player, and its prior is centred on the rating of the
//! version before it.
//!
//! The model, the anchors and the weak prior are the same as in [`super::Fit`], except for a version that has a
//! predecessor: the difference between the two has a normal prior with mean 0 and a standard deviation of 120 Elo, and
//! the version has no other prior. So a version without games has its predecessor's rating, with an error that also
//! includes these 120 Elo. The fit depends only on how many times each ordered pair of versions had each result, not on
//! the order of the games.
//!
//! Source: R. Coulom, "Whole-History Rating: A Bayesian Rating System for Players of Time-Varying Strength", Computers
//! and Games (2008), which has the same prior for the difference between a player's strengths at different times. Here,
//! versions take the place of points in time, and the time between them does not matter.

use super::anchors::{Scale, Tie};
use super::chances::Chances;
use super::model::FitProblem;
use super::objective::{Looseness, Objective as _};
use super::pair_results::{Cell, Field, Succession};
use super::{Elo, Forecast, Model, Wdl, mean};
use crate::base::matrix::Matrix;

/// The input of a fit. Players are indices into `predecessors`.
#[derive(Clone, Debug, Default)]
pub(in crate::results) struct Lineage {
    /// For each player, its predecessor, which is an earlier player.
    pub(in crate::results) predecessors: Vec<Option<usize>>,
    /// The players whose ratings are given, each once, and their standard deviations, if the ratings are not exact.
    pub(in crate::results) anchors: Vec<(usize, Elo, Option<Elo>)>,
    /// The games of ordered pairs, from black's point of view: each pair once, in order.
    pub(in crate::results) games: Vec<(usize, usize, Wdl)>,
}

/// The fitted ratings of all players of a [`Lineage`].
#[derive(Clone, Debug)]
pub(in crate::results) struct LineageFit {
    model: Model,
    players: usize,
    nu: f64,
    /// The fitted values in logits: one for each player, then the advantage, then `ln nu` in Davidson's model.
    logits: Vec<f64>,
    /// The covariance of all values, in logits.
    covariance: Matrix,
    /// The position of the zero point according to the anchors.
    scale: Option<Scale>,
}

impl LineageFit {
    /// Fits `model`. The search starts at `start`, an earlier fit of the first players of the same lineage, if there is
    /// one. The result does not depend on `start` except for rounding errors, which are far below a millionth of an
    /// Elo.
    pub(in crate::results) fn new(model: Model, lineage: Lineage, start: Option<&Self>) -> Self {
        let players = lineage.predecessors.len();
        let predecessors = lineage.predecessors.clone();
        let field = lineage.field();
        let scale = Scale::of(&field.ties);
        let problem = FitProblem::new(model, &field, Looseness::Weak);
        // A million pairs take a lot of memory, and the problem has its own copy.
        drop(field);
        let earlier = start.filter(|start| start.model == model && start.players <= players);
        let logits = match earlier {
            Some(earlier) => problem.solve(&earlier.extended(&predecessors)),
            None => problem.solve(&problem.terms().start()),
        };
        let nu = problem.nu(&logits, None);
        let covariance = problem.covariance(&logits, nu, None);
        Self { model, players, nu, logits, covariance, scale }
    }

    /// Returns the fitted values, extended by one value for each player added since, which is the value of that
    /// player's predecessor.
    fn extended(&self, predecessors: &[Option<usize>]) -> Vec<f64> {
        let mut values = self.logits[..self.players].to_vec();
        for predecessor in &predecessors[self.players..] {
            values.push(predecessor.map_or(0.0, |predecessor| values[predecessor]));
        }
        values.extend(&self.logits[self.players..]);
        values
    }

    /// Returns the number of players.
    pub(in crate::results) const fn players(&self) -> usize {
        self.players
    }

    /// Returns the first-move advantage.
    pub(in crate::results) fn advantage(&self) -> Elo {
        Elo::from_logits(self.logits[self.players])
    }

    /// Returns the parameter for draws; see [`super::DrawTendency`].
    pub(in crate::results) const fn nu(&self) -> f64 {
        self.nu
    }

    /// Returns the ratings of all players: on the scale of the anchors or, if there is none, relative to the mean of
    /// `frame`.
    pub(in crate::results) fn ratings(&self, frame: &[usize]) -> Vec<Elo> {
        let offset = match &self.scale {
            Some(scale) => scale.offset(&self.logits),
            None => -mean(&self.logits, frame.iter().copied()),
        };
        self.logits[..self.players].iter().map(|value| Elo::from_logits(value + offset)).collect()
    }

    /// Returns the standard error of each player's rating: on the scale of the anchors if that scale has a width of its
    /// own, and otherwise relative to the mean of `frame`.
    pub(in crate::results) fn errors(&self, frame: &[usize]) -> Vec<Elo> {
        let variance: Box<dyn Fn(usize) -> f64> = match self.wide_scale() {
            Some(scale) => Box::new(|player| scale.variance(&self.covariance, player)),
            None => {
                let (with_mean, of_mean) = self.about_mean(frame);
                Box::new(move |player| self.covariance.at(player, player) - 2.0 * with_mean[player] + of_mean)
            }
        };
        (0..self.players).map(|player| Elo::from_logits(variance(player).max(0.0).sqrt())).collect()
    }

    /// Returns the covariance of the ratings of `frame`, in logits and relative to the same zero point as
    /// [`LineageFit::errors`].
    pub(in crate::results) fn covariance_within(&self, frame: &[usize]) -> Matrix {
        let (with_zero, of_zero) = match self.wide_scale() {
            Some(scale) => {
                let with_zero = (0..self.players).map(|player| scale.with_zero(&self.covariance, player)).collect();
                (with_zero, scale.variance_of_zero(&self.covariance))
            }
            None => self.about_mean(frame),
        };
        let mut within = Matrix::zeros(frame.len());
        for (row, &i) in frame.iter().enumerate() {
            for (column, &j) in frame.iter().enumerate() {
                within.add(row, column, self.covariance.at(i, j) - with_zero[i] - with_zero[j] + of_zero);
            }
        }
        within
    }

    /// Returns the covariance of each player with the mean of `frame`, and the variance of this mean.
    fn about_mean(&self, frame: &[usize]) -> (Vec<f64>, f64) {
        let with_mean: Vec<f64> =
            (0..self.players).map(|player| mean(self.covariance.row(player), frame.iter().copied())).collect();
        let of_mean = mean(&with_mean, frame.iter().copied());
        (with_mean, of_mean)
    }

    fn wide_scale(&self) -> Option<&Scale> {
        self.scale.as_ref().filter(|scale| scale.has_width)
    }

    /// Returns the probabilities for a game of `black` against `white`.
    pub(in crate::results) fn forecast(&self, black: usize, white: usize) -> Forecast {
        let Chances { win, draw, loss } = self.chances(black, white);
        Forecast { win, draw, loss }
    }

    pub(super) fn chances(&self, black: usize, white: usize) -> Chances {
        let d = self.logits[black] + self.logits[self.players] - self.logits[white];
        match self.model {
            Model::Davidson => Chances::davidson(d, self.nu),
            Model::BtHalf => Chances::bt_half(d, self.nu),
        }
    }

    /// Returns the information that a game of `black` against `white` provides about the difference between their
    /// ratings, per square logit.
    ///
    /// In an exponential family such as Davidson's model, this is the variance of the score. In `bt-half`, it is `H^2 /
    /// J` with the derivative `H = E (1 - E)` of the expected score and the variance `J` of the score, as in that
    /// model's covariance.
    pub(in crate::results) fn information(&self, black: usize, white: usize) -> f64 {
        let chances = self.chances(black, white);
        let variance = chances.score_variance();
        match self.model {
            Model::Davidson => variance,
            Model::BtHalf => {
                let score = chances.win + chances.draw / 2.0;
                let slope = score * (1.0 - score);
                if variance > 0.0 { slope * slope / variance } else { 0.0 }
            }
        }
    }
}

impl Lineage {
    fn field(self) -> Field {
        let tie = |(player, elo, deviation)| Tie::new(player, elo, deviation);
        let mut ties: Vec<Tie> = self.anchors.into_iter().map(tie).collect();
        ties.sort_unstable_by_key(|tie| tie.player);
        let successions = self.predecessors.iter().enumerate();
        Field {
            names: vec![String::new(); self.predecessors.len()],
            cells: self.games.into_iter().map(|(black, white, games)| Cell { black, white, games }).collect(),
            ties,
            centres: None,
            successions: successions
                .filter_map(|(player, &predecessor)| Some(Succession { player, predecessor: predecessor? }))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests;
