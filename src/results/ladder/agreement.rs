//! Whether the games whose pairings were drawn at random agree with the games whose pairings were chosen.
//!
//! The chosen pairings depend on the results so far. This does not bias the fit if the model is right. But if the model
//! is wrong, for example because one version's strength depends on the opponent, the two kinds of games disagree. The
//! test is that of `results/rating/subset_fit.rs`: it checks whether the versions are as strong in one part as in the
//! other, given the fit of all games.

use super::{LadderCounts, LadderFit};
use crate::results::rating::PartFit;

/// How well the randomly drawn games agree with the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectionTest {
    /// The number of randomly drawn games.
    pub drawn: u64,
    /// The statistic.
    pub chi_squared: f64,
    /// The degrees of freedom of the statistic; 0 if the games do not link enough versions.
    pub degrees: u32,
    /// The probability of a statistic at least as large if the two kinds of games agree; `None` without degrees of
    /// freedom.
    pub p_value: Option<f64>,
    /// Whether the two kinds of games disagree, which means that the probability is below 0.01.
    pub disagrees: bool,
}

impl LadderFit {
    /// Tests whether the randomly drawn games of `counts`, from which this fit was made, agree with the others. With a
    /// thousand versions, the test takes several times as long as the fit.
    pub fn selection_test(&self, counts: &LadderCounts) -> SelectionTest {
        let rated = |(black, white, games)| Some((self.number(black)?, self.number(white)?, games));
        let drawn: Vec<_> = counts.drawn_pairs().filter_map(rated).collect();
        let chosen: Vec<_> = counts.chosen_pairs().filter_map(rated).collect();
        let part: PartFit = self.lineage().part_against_rest(&drawn, &chosen);
        SelectionTest {
            drawn: part.games,
            chi_squared: part.chi_squared,
            degrees: part.degrees,
            p_value: part.p_value,
            disagrees: part.differs,
        }
    }
}
