//! Fitted parameters, with a prior or without one.

use super::components::Pools;
use super::elo::LOGITS_PER_ELO;
use super::model::{FitProblem, Looseness};
use super::pair_results::Field;
use super::{Elo, Model, Rating, mean};

/// Fitted parameters, without their uncertainty.
pub(super) struct Estimate {
    pub(super) problem: FitProblem,
    /// One parameter for each player, then the advantage, then `ln nu` if it was fitted together with these, all in logits.
    pub(super) logits: Vec<f64>,
    /// Each player's zero.
    pub(super) zeros: Vec<f64>,
    /// The rating to report for each unbounded parameter.
    pub(super) unbounded: Vec<Option<Rating>>,
}

impl Estimate {
    /// Fits with the weak prior. The search starts at `start`, a fit of similar games, if there is one.
    pub(super) fn weak(model: Model, field: &Field, start: Option<&[f64]>) -> Self {
        let problem = FitProblem::new(model, field, Looseness::Weak);
        let logits = start.map_or_else(|| problem.solve(&problem.start()), |start| problem.solve(start));
        let zeros = vec![mean(&logits, 0..field.names.len()); field.names.len()];
        let unbounded = vec![None; logits.len()];
        Self { problem, logits, zeros, unbounded }
    }

    /// Computes the limit for increasingly weak priors, based on two very weak ones: a bounded value is the same with both,
    /// and an unbounded value drifts by a few hundred Elo.
    pub(super) fn without_prior(model: Model, field: &Field, pools: &Pools) -> Self {
        /// Far below the drift of an unbounded value, and far above the drift of a bounded one.
        const DRIFT: f64 = 50.0 * LOGITS_PER_ELO;

        let weak_fit = Self::weak(model, field, None).logits;
        let loose = FitProblem::new(model, field, Looseness::Loose);
        let looser = FitProblem::new(model, field, Looseness::Looser);
        let before = loose.solve(&weak_fit[..looser.values()]);
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
}
