//! Head to head: the expected score of the fit for each pairing, and how the results deviate from it.
//!
//! The test is Pearson's chi-squared, with one cell for each pairing and its score as the observation: the sum of `(s -
//! E s)^2 / Var s`, where `s` is the score of all games with two players, and the fit determines `E s` and `Var s`.
//! Source: K. Pearson, "On the criterion that a given system of deviations...", Philosophical Magazine 50 (1900); P.
//! `McCullagh` and J. Nelder, Generalized Linear Models (1989), 2.3 and 4.4, on the degrees of freedom of a fit.

use std::collections::BTreeMap;

use super::{Fit, Wdl, chi_squared};

/// The rated games with two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadToHead {
    /// The index of a player in [`Fit::players`].
    pub player: usize,
    /// The index of the other player.
    pub other: usize,
    /// The results, from the player's point of view.
    pub games: Wdl,
    /// In how many of the games the player moved first.
    pub begun: u64,
    /// The score that the fit expects of the player in these games, given their colours.
    pub expected: f64,
    /// The variance of the score.
    pub variance: f64,
}

impl HeadToHead {
    /// Returns the player's points.
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
    pub const fn score(&self) -> f64 {
        self.games.half_points() as f64 / 2.0
    }

    /// Returns how many standard deviations the score is above the expected score.
    pub fn deviation(&self) -> f64 {
        /// The variance below which a result is certain except for rounding.
        const CERTAIN: f64 = 1e-12;

        (self.score() - self.expected) / self.variance.max(CERTAIN).sqrt()
    }

    /// Returns the same games from the other player's point of view.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
    pub fn reversed(&self) -> Self {
        let games = self.games.games();
        Self {
            player: self.other,
            other: self.player,
            games: self.games.reversed(),
            begun: games - self.begun,
            expected: games as f64 - self.expected,
            variance: self.variance,
        }
    }
}

/// How well a fit agrees with the results on which it is based.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goodness {
    /// Pearson's statistic.
    pub chi_squared: f64,
    /// The number of pairings.
    pub pairings: usize,
    /// The number of pairings minus the number of fitted values; see [`Fit::goodness`].
    pub degrees: u32,
    /// The probability of a statistic at least as large if the model is correct; `None` without degrees of freedom.
    pub p_value: Option<f64>,
}

impl Fit {
    /// Returns the games of all pairs of players that met, in the order of the players.
    pub fn head_to_head(&self) -> Vec<HeadToHead> {
        let mut met: BTreeMap<(usize, usize), HeadToHead> = BTreeMap::new();
        for cell in self.field.cells.iter().filter(|cell| cell.black != cell.white) {
            let chances = self.chances(cell.black, cell.white);
            let games = cell.games.games();
            #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
            let number = games as f64;
            let as_black = HeadToHead {
                player: cell.black,
                other: cell.white,
                games: cell.games,
                begun: games,
                expected: number * (chances.win + chances.draw / 2.0),
                variance: number * chances.score_variance(),
            };
            let (player, other) = (cell.black.min(cell.white), cell.black.max(cell.white));
            let seen = if cell.black == player { as_black } else { as_black.reversed() };
            met.entry((player, other)).and_modify(|all| all.add(&seen)).or_insert(seen);
        }
        met.into_values().collect()
    }

    /// Returns how well the fit agrees with `met`, its [`Fit::head_to_head`].
    ///
    /// Each fitted value takes one degree of freedom: in each group of connected players, all ratings but one, except
    /// those of fixed anchors; and the advantage, unless both players of each pairing moved first in half of their
    /// games.
    pub fn goodness(&self, met: &[HeadToHead]) -> Goodness {
        let chi_squared = met.iter().map(|pairing| pairing.deviation().powi(2)).sum();
        let fixed = self.field.ties.iter().filter(|tie| tie.sd.is_none()).count();
        let ratings = self.players.len() - fixed.saturating_sub(1) - self.connection.count.min(self.players.len());
        let has_advantage = met.iter().any(|pairing| 2 * pairing.begun != pairing.games.games());
        let fitted = ratings + usize::from(has_advantage);
        let degrees = u32::try_from(met.len().saturating_sub(fitted)).unwrap_or(u32::MAX);
        let p_value = (degrees > 0).then(|| chi_squared::above(chi_squared, degrees));
        Goodness { chi_squared, pairings: met.len(), degrees, p_value }
    }
}

impl HeadToHead {
    /// Adds games of the same two players.
    fn add(&mut self, more: &Self) {
        self.games += more.games;
        self.begun += more.begun;
        self.expected += more.expected;
        self.variance += more.variance;
    }
}

#[cfg(test)]
mod tests;
