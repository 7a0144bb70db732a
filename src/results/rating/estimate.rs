//! Fitted parameters, with a prior or without one.

use super::elo::LOGITS_PER_ELO;
use super::objective::{Looseness, Objective};
use super::win_graph::Pools;
use super::{Elo, Prior, Rating, mean};

/// Fitted parameters, without their uncertainty.
pub(super) struct Estimate<P> {
    pub(super) problem: P,
    /// One value for each player, and then the further values of the model, all in logits.
    pub(super) logits: Vec<f64>,
    /// Each player's zero point.
    pub(super) zeros: Vec<f64>,
    /// The rating to report for each unbounded value.
    pub(super) unbounded: Vec<Option<Rating>>,
}

impl<P: Objective> Estimate<P> {
    /// Fits the problem that `make` creates. The search starts at `start`, a fit of similar games, if there is one.
    pub(super) fn of(prior: Prior, make: impl Fn(Looseness) -> P, pools: &Pools, start: Option<&[f64]>) -> Self {
        match prior {
            Prior::Weak => Self::weak(make(Looseness::Weak), start),
            Prior::None => Self::without_prior(make, pools),
        }
    }

    /// Fits `problem`, whose prior is the weak one.
    fn weak(problem: P, start: Option<&[f64]>) -> Self {
        let players = problem.terms().ties.players();
        let logits = start.map_or_else(|| problem.solve(&problem.terms().start()), |start| problem.solve(start));
        let zeros = vec![mean(&logits, 0..players); players];
        let unbounded = vec![None; logits.len()];
        Self { problem, logits, zeros, unbounded }
    }

    /// Computes the limit for increasingly weak priors, based on two very weak ones: a bounded value is the same with
    /// both, and an unbounded value drifts by a few hundred Elo.
    fn without_prior(make: impl Fn(Looseness) -> P, pools: &Pools) -> Self {
        /// A threshold far below the drift of an unbounded value, and far above the drift of a bounded one.
        const DRIFT: f64 = 50.0 * LOGITS_PER_ELO;

        let weak_fit = Self::weak(make(Looseness::Weak), None).logits;
        let loose = make(Looseness::Loose);
        let looser = make(Looseness::Looser);
        let before = loose.solve(&weak_fit[..looser.terms().values()]);
        let after = looser.solve(&before);
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

    /// Returns the rating of the value `i`, relative to `zero`.
    pub(super) fn rating(&self, i: usize, zero: f64) -> Rating {
        self.unbounded[i].unwrap_or_else(|| Rating::Finite(Elo::from_logits(self.logits[i] - zero)))
    }
}
