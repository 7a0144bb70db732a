//! The equations of the Plackett-Luce model.

use super::placed_results::{PlacedField, PlacedGame};
use crate::base::matrix::Matrix;
use crate::game::MOST_SEATS;
use crate::results::rating::objective::{Looseness, Objective, RATING_SD, RatingTerms, fix_level};
use crate::results::rating::win_graph::Pools;

/// A game as the equations use it.
struct Ranking {
    count: f64,
    /// The players in the order of their places.
    order: [OrderedPlayer; MOST_SEATS],
}

/// A player in the order of a game's places.
#[derive(Clone, Copy, Default)]
struct OrderedPlayer {
    /// The player's parameter.
    player: usize,
    /// How far the player's rating is above its parameter.
    above: f64,
    /// The seat's parameter.
    seat: usize,
    /// How many players share this place and come no earlier in the order.
    sharing: usize,
}

/// A fit to solve. The values are the players' ratings and the advantages of the seats.
pub(super) struct PlacingProblem {
    terms: RatingTerms,
    seats: usize,
    games: Vec<Ranking>,
}

impl PlacingProblem {
    pub(super) fn new(placed: &PlacedField, looseness: Looseness) -> Self {
        // The difference between two seats then has the standard deviation of the first-move advantage.
        let seats = vec![(0.0, RATING_SD / std::f64::consts::SQRT_2); placed.seats];
        let terms = RatingTerms::new(&placed.field, looseness, &seats);
        let games = placed.games.iter().map(|&(game, count)| ranking(&game, count, placed.seats, &terms)).collect();
        Self { terms, seats: placed.seats, games }
    }

    /// Returns the covariance of all values of the fit `values`. Only differences between seats are meaningful and,
    /// without a prior, between players of a pool; see [`RatingTerms::fix_levels`].
    pub(super) fn covariance(&self, values: &[f64], pools: &Pools) -> Matrix {
        let at = self.terms.ties.contract(values);
        let mut information = self.information(&at);
        self.terms.fix_levels(&mut information, Some(pools));
        if self.terms.looseness != Looseness::Weak {
            let seats: Vec<usize> = (self.terms.ties.count..self.terms.ties.count + self.seats).collect();
            fix_level(&mut information, &seats);
        }
        match information.cholesky() {
            Some(decomposed) => self.terms.ties.expand_covariance(decomposed.inverse()),
            // This cannot happen, because every parameter has a prior; error bars of zero width are not shown.
            None => Matrix::zeros(self.terms.values()),
        }
    }

    /// Passes to `take`, for each choice in `game`, the probabilities of the players in the order of their places: each
    /// player's share of the total weight from which the next player is chosen.
    fn each_choice(&self, game: &Ranking, at: &[f64], mut take: impl FnMut(&[f64])) {
        let mut weights = [0.0; MOST_SEATS];
        let order = &game.order[..self.seats];
        for (weight, ranked) in weights.iter_mut().zip(order) {
            *weight = at[ranked.player] + ranked.above + at[ranked.seat];
        }
        // Because the weights are relative to the largest, none overflows, and no sum is zero: values differ by far
        // less than the 700 logits at which a weight would underflow.
        let most = weights[..self.seats].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for weight in &mut weights[..self.seats] {
            *weight = (*weight - most).exp();
        }
        let mut first = 0;
        while first < self.seats {
            let members = order[first].sharing;
            for taken in 0..members {
                #[expect(clippy::cast_precision_loss, reason = "at most six seats")]
                let left = 1.0 - taken as f64 / members as f64;
                let mut shares = weights;
                shares[..first].fill(0.0);
                shares[first..first + members].iter_mut().for_each(|share| *share *= left);
                let sum: f64 = shares[first..self.seats].iter().sum();
                shares[first..self.seats].iter_mut().for_each(|share| *share /= sum);
                take(&shares[..self.seats]);
            }
            first += members;
        }
    }
}

impl Objective for PlacingProblem {
    fn terms(&self) -> &RatingTerms {
        &self.terms
    }

    fn add_gradient(&self, at: &[f64], gradient: &mut [f64]) {
        for game in &self.games {
            // The number of times each player is chosen, which is 1, minus the expected number of times.
            let mut surplus = [1.0; MOST_SEATS];
            self.each_choice(game, at, |shares| {
                for (surplus, share) in surplus.iter_mut().zip(shares) {
                    *surplus -= share;
                }
            });
            for (ranked, surplus) in game.order[..self.seats].iter().zip(surplus) {
                gradient[ranked.player] += game.count * surplus;
                gradient[ranked.seat] += game.count * surplus;
            }
        }
    }

    fn add_information(&self, at: &[f64], information: &mut Matrix) {
        for game in &self.games {
            let mut within = [[0.0; MOST_SEATS]; MOST_SEATS];
            self.each_choice(game, at, |shares| {
                for (i, &share) in shares.iter().enumerate() {
                    within[i][i] += share;
                    for (j, &other) in shares.iter().enumerate() {
                        within[i][j] -= share * other;
                    }
                }
            });
            let order = &game.order[..self.seats];
            for (one, row) in order.iter().zip(&within) {
                for (other, value) in order.iter().zip(row) {
                    for i in [one.player, one.seat] {
                        for j in [other.player, other.seat] {
                            information.add(i, j, game.count * value);
                        }
                    }
                }
            }
        }
    }
}

fn ranking(game: &PlacedGame, count: u64, seats: usize, terms: &RatingTerms) -> Ranking {
    let mut placed: Vec<(u8, usize, usize)> =
        game.seats(seats).enumerate().map(|(seat, (player, place))| (place, seat, player)).collect();
    placed.sort_unstable();
    let mut order = [OrderedPlayer::default(); MOST_SEATS];
    for (i, &(place, seat, player)) in placed.iter().enumerate() {
        order[i] = OrderedPlayer {
            player: terms.ties.parameter(player),
            above: terms.ties.above(player),
            seat: terms.ties.count + seat,
            sharing: placed[i..].iter().filter(|other| other.0 == place).count(),
        };
    }
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
    let count = count as f64;
    Ranking { count, order }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BySeat, Seat};
    use crate::results::rating::placings::PlacedResults;

    /// The log-likelihood, straight from the definition: a product over the places, with Efron's sums.
    fn log_likelihood(games: &[(Vec<usize>, Vec<u8>)], players: usize, at: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (names, placing) in games {
            let weight = |seat: usize| (at[names[seat]] + at[players + seat]).exp();
            let total = |seats: &mut dyn Iterator<Item = usize>| seats.map(weight).sum::<f64>();
            let all = 0..names.len();
            for place in placing.iter().copied().collect::<std::collections::BTreeSet<u8>>() {
                let behind = total(&mut all.clone().filter(|&seat| placing[seat] >= place));
                let sharing: Vec<usize> = all.clone().filter(|&seat| placing[seat] == place).collect();
                let own = total(&mut sharing.iter().copied());
                for (k, &seat) in sharing.iter().enumerate() {
                    #[expect(clippy::cast_precision_loss, reason = "small")]
                    let share = k as f64 / sharing.len() as f64;
                    sum += weight(seat).ln() - (behind - share * own).ln();
                }
            }
        }
        sum
    }

    fn games() -> Vec<(Vec<usize>, Vec<u8>)> {
        vec![
            (vec![0, 1, 2, 3], vec![1, 2, 3, 4]),
            (vec![3, 0, 4, 1], vec![2, 2, 1, 4]),
            (vec![2, 4, 1, 0], vec![1, 1, 1, 4]),
            (vec![1, 3, 0, 4], vec![1, 2, 2, 2]),
            (vec![4, 2, 3, 0], vec![1, 1, 1, 1]),
            (vec![0, 2, 4, 3], vec![4, 3, 1, 1]),
        ]
    }

    /// The step of the finite differences.
    const STEP: f64 = 1e-5;

    #[test]
    fn the_derivatives_are_those_of_finite_differences() {
        let seat_values = |values: &[usize]| BySeat::new(values.to_vec()).expect("seats");
        let mut results = PlacedResults::new(4);
        for player in 0..5 {
            results.player(&player.to_string());
        }
        for (names, placing) in games() {
            let placing = BySeat::from_fn(4, |seat: Seat| placing[seat.index()]);
            results.add(PlacedGame::new(&seat_values(&names), &placing));
        }
        let problem = PlacingProblem::new(&results.canonical(), Looseness::Weak);
        let at: Vec<f64> = (0..9).map(|i| f64::from(i * 7 % 5) / 2.0 - 0.8).collect();
        let objective = |at: &[f64]| {
            let prior = |(i, value): (usize, &f64)| value.powi(2) / if i < 5 { 1.0 } else { 0.5 };
            log_likelihood(&games(), 5, at) - at.iter().enumerate().map(prior).sum::<f64>() / (2.0 * RATING_SD.powi(2))
        };
        let moved = |i: usize, by: f64| {
            let mut at = at.clone();
            at[i] += by;
            at
        };
        let gradient = problem.gradient(&at);
        let information = problem.information(&at);
        for (i, found) in gradient.iter().enumerate() {
            let slope = (objective(&moved(i, STEP)) - objective(&moved(i, -STEP))) / (2.0 * STEP);
            assert!((found - slope).abs() < 1e-7, "value {i}: {found} is not {slope}");
            let (up, down) = (problem.gradient(&moved(i, STEP)), problem.gradient(&moved(i, -STEP)));
            for j in 0..at.len() {
                let curve = (down[j] - up[j]) / (2.0 * STEP);
                let found = information.at(i, j);
                assert!((found - curve).abs() < 1e-7, "values {i} and {j}: {found} is not {curve}");
            }
        }
    }
}
