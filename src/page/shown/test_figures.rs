//! The course of a sequential test, from which its figures are drawn.

use crate::results::standings::{GameSummary, Test, played_pairs};
use crate::tournament::sprt::TestedPairs;

/// A sequential test with its course.
#[derive(Clone, Debug)]
pub struct TestFigures {
    pub(super) test: Test,
    /// The log-likelihood ratio before the first pair, and after each pair that the test has seen.
    pub(super) ratios: Vec<f64>,
}

impl TestFigures {
    /// The figures of `test` after `games`.
    pub fn of<'g>(test: Test, games: impl IntoIterator<Item = &'g GameSummary>) -> Self {
        let mut tested = TestedPairs::new(*test.progress.sprt());
        let after = played_pairs(games, &test.player, &test.opponent).into_iter().map_while(|pair| {
            let seen = tested.progress().all_pairs();
            tested.add(pair);
            (tested.progress().all_pairs() > seen).then(|| tested.progress().llr())
        });
        let ratios = std::iter::once(0.0).chain(after).collect();
        Self { test, ratios }
    }
}
