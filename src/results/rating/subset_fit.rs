//! Compares parts of the games, such as those played by one machine, with the fit of all games.
//!
//! Let `s - E s` be a result minus its expectation under the fit, from black's point of view, and `V` its variance. For
//! each player, the residual of a part is the sum of `s - E s` over the player's games in that part, from the player's
//! point of view; `r` is the vector of these sums. Its covariance is the Laplacian `C`, the sum of
//! `V (e_b - e_w) (e_b - e_w)'` over the games of black `b` and white `w`. The fit was made from the same games, so
//! only the difference between the residuals of a part and those of the other parts remains. With the sums `R` and `D`
//! of all `r` and `C`, and a generalised inverse `D^-`, this difference is
//!
//! ```text
//! r' = r - C D^- R     with the covariance     A = C - C D^- C
//! ```
//!
//! and the statistic is `r'^T A^- r'`: Rao's score test of the hypothesis that the players are as strong in this part
//! as in the others. Its degrees of freedom are the rank of `A`: the number of players minus the number of groups of
//! connected players, counting only comparisons that both this part and the others allow. With two players that never
//! draw, it is the adjusted chi-squared that fishtest, the testing network of the Stockfish project, computes for each
//! worker (`get_chi2` in server/fishtest/util.py of official-stockfish/fishtest). As in that function, the worst part
//! is set aside before the others are measured.
//!
//! Sources: C. R. Rao, "Large sample tests of statistical hypotheses concerning several parameters", Proceedings of the
//! Cambridge Philosophical Society 44 (1948); S. J. Haberman, "The analysis of residuals in cross-classified tables",
//! Biometrics 29 (1973), on adjusted residuals.

use std::collections::BTreeMap;

use super::chances::Chances;
use super::pair_results::Cell;
use super::{Fit, LineageFit, PairResults, Wdl, chi_squared};
use crate::base::matrix::Matrix;

/// A part is considered different if results as unusual as its own would occur in at most one in a hundred tournaments.
const SIGNIFICANT: f64 = 0.01;

/// Values below this fraction of the largest variance of a part's residuals count as zero. This is far above rounding
/// errors, and far below the effect of one game.
const ROUNDING: f64 = 1e-8;

/// How well the results of a part agree with those of the other parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartFit {
    /// How many rated games the part contains.
    pub games: u64,
    /// The value of the statistic.
    pub chi_squared: f64,
    /// The degrees of freedom of the statistic; 0 if the other parts do not link the players of this part.
    pub degrees: u32,
    /// The probability of a statistic at least as large if the part is like the others; `None` without degrees of
    /// freedom.
    pub p_value: Option<f64>,
    /// The player whose points in the part deviate most, in standard deviations; `None` without degrees of freedom.
    pub strangest: Option<StrangestPlayer>,
    /// Whether the part differs from the others; see [`Fit::parts`].
    pub differs: bool,
}

/// A player whose points in a part deviate from those expected from the other parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrangestPlayer {
    /// The index in [`Fit::players`].
    pub player: usize,
    /// The points in the part minus the expected points.
    pub excess: f64,
}

/// A part in terms of the fit's players.
struct GamesPart {
    games: u64,
    /// The index of each of the part's players in the fit, in order.
    players: Vec<usize>,
    /// For each ordered pair of players, as indices into `players`: the score minus the expected score, and its
    /// variance.
    cells: Vec<PartCell>,
}

/// The games of an ordered pair in a part.
struct PartCell {
    black: usize,
    white: usize,
    residual: f64,
    variance: f64,
}

impl GamesPart {
    fn new(fit: &Fit, results: &PairResults) -> Self {
        let field = results.canonical();
        let found = field
            .names
            .iter()
            .map(|name| fit.players.binary_search_by(|rated| rated.name.as_str().cmp(name)).unwrap_or(usize::MAX));
        let players: Vec<usize> = found.collect();
        let known =
            |cell: &&Cell| cell.black != cell.white && players[cell.black].max(players[cell.white]) < fit.players.len();
        let games = field.cells.iter().map(|cell| cell.games.games()).sum();
        let cells = field.cells.iter().filter(known);
        let cells = cells.map(|cell| PartCell::new(cell, fit.chances(players[cell.black], players[cell.white])));
        Self { games, cells: cells.collect(), players }
    }

    /// The part that consists of these games between the fit's players; `chances` contains the fit's forecasts.
    fn of_cells(mut cells: Vec<Cell>, chances: impl Fn(usize, usize) -> Chances) -> Self {
        let mut players: Vec<usize> = cells.iter().flat_map(|cell| [cell.black, cell.white]).collect();
        players.sort_unstable();
        players.dedup();
        let games = cells.iter().map(|cell| cell.games.games()).sum();
        let number = |player: usize| players.binary_search(&player).unwrap_or(usize::MAX);
        let forecast: Vec<Chances> = cells.iter().map(|cell| chances(cell.black, cell.white)).collect();
        for cell in &mut cells {
            (cell.black, cell.white) = (number(cell.black), number(cell.white));
        }
        let cells = cells.iter().zip(forecast).map(|(cell, chances)| PartCell::new(cell, chances)).collect();
        Self { games, players, cells }
    }

    /// The result for a part in which nothing varies.
    const fn unmeasured(&self) -> PartFit {
        PartFit { games: self.games, chi_squared: 0.0, degrees: 0, p_value: None, strangest: None, differs: false }
    }

    /// The residual of each of the part's players.
    fn residuals(&self) -> Vec<f64> {
        let mut residuals = vec![0.0; self.players.len()];
        for cell in &self.cells {
            residuals[cell.black] += cell.residual;
            residuals[cell.white] -= cell.residual;
        }
        residuals
    }

    /// The covariance of the residuals.
    fn covariance(&self) -> Matrix {
        let mut covariance = Matrix::zeros(self.players.len());
        for cell in &self.cells {
            covariance.add_outer(cell.variance, &[(cell.black, 1.0), (cell.white, -1.0)]);
        }
        covariance
    }
}

impl PartCell {
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
    fn new(cell: &Cell, chances: Chances) -> Self {
        let (number, score) = (cell.games.games() as f64, cell.games.half_points() as f64 / 2.0);
        Self {
            black: cell.black,
            white: cell.white,
            residual: score - number * (chances.win + chances.draw / 2.0),
            variance: number * chances.score_variance(),
        }
    }
}

/// The sums over several parts.
struct Whole {
    /// A generalised inverse of the covariance.
    inverse: Matrix,
    /// The inverse times the sum of the residuals.
    shift: Vec<f64>,
}

impl Whole {
    /// The sums over `parts`, which belong to a fit of `players` players; `None` if nothing in them varies.
    fn new(parts: &[&GamesPart], players: usize) -> Option<Self> {
        let (mut covariance, mut residuals) = (Matrix::zeros(players), vec![0.0; players]);
        let mut groups: Vec<usize> = (0..players).collect();
        for part in parts {
            for cell in &part.cells {
                let (black, white) = (part.players[cell.black], part.players[cell.white]);
                covariance.add_outer(cell.variance, &[(black, 1.0), (white, -1.0)]);
                residuals[black] += cell.residual;
                residuals[white] -= cell.residual;
                if cell.variance > 0.0 {
                    let (one, other) = (root(&groups, black), root(&groups, white));
                    groups[one.max(other)] = one.min(other);
                }
            }
        }
        // One player of each group is left out, so that the remaining matrix is invertible: that player's row and
        // column follow from the others.
        let kept: Vec<usize> = (0..players).filter(|&player| root(&groups, player) != player).collect();
        let mut rest = Matrix::zeros(kept.len());
        for (i, &row) in kept.iter().enumerate() {
            for (j, &column) in kept.iter().enumerate() {
                rest.add(i, j, covariance.at(row, column));
            }
        }
        let small = rest.cholesky()?.inverse();
        let mut inverse = Matrix::zeros(players);
        for (i, &row) in kept.iter().enumerate() {
            for (j, &column) in kept.iter().enumerate() {
                inverse.add(row, column, small.at(i, j));
            }
        }
        let shift = (0..players).map(|player| product(inverse.row(player), &residuals)).collect();
        Some(Self { inverse, shift })
    }

    /// Judges `part`.
    fn fit(&self, part: &GamesPart) -> PartFit {
        let count = part.players.len();
        let own = part.covariance();
        let (mut inverse, mut residuals) = (Matrix::zeros(count), part.residuals());
        for (i, &row) in part.players.iter().enumerate() {
            for (j, &column) in part.players.iter().enumerate() {
                inverse.add(i, j, self.inverse.at(row, column));
            }
        }
        let shift: Vec<f64> = part.players.iter().map(|&player| self.shift[player]).collect();
        for (player, residual) in residuals.iter_mut().enumerate() {
            *residual -= product(own.row(player), &shift);
        }
        let explained = own.around(&inverse);
        let least = ROUNDING * (0..count).map(|player| own.at(player, player)).fold(0.0, f64::max);
        let mut left = own;
        for i in 0..count {
            for j in 0..count {
                left.add(i, j, -explained.at(i, j));
            }
        }
        // Rounding errors must not decide: if two players deviate equally, the player with too few points is chosen.
        let strangeness = |player: usize| {
            let deviations = residuals[player].abs() / left.at(player, player).max(least).sqrt();
            (deviations * 1000.0).round()
        };
        let strangest = (0..count).max_by(|&one, &other| {
            strangeness(one).total_cmp(&strangeness(other)).then(residuals[other].total_cmp(&residuals[one]))
        });
        let strangest =
            strangest.map(|player| StrangestPlayer { player: part.players[player], excess: residuals[player] });
        let (chi_squared, degrees) = left.quadratic_form(&residuals, least);
        let p_value = (degrees > 0).then(|| chi_squared::above(chi_squared, degrees));
        let strangest = strangest.filter(|_| degrees > 0);
        PartFit { games: part.games, chi_squared, degrees, p_value, strangest, differs: false }
    }
}

/// The first member of the group of `player`.
fn root(groups: &[usize], mut player: usize) -> usize {
    while groups[player] != player {
        player = groups[player];
    }
    player
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

impl Fit {
    /// Judges each of `parts`, which together are the games of the fit.
    ///
    /// A part differs if its p-value times the number of parts is below 0.01. The part that differs most is then set
    /// aside, and the others are measured without it, so that they do not seem to differ because of it; this is
    /// repeated. If only two parts remain and they differ, it is impossible to tell which of them is at fault, so both
    /// are marked.
    pub fn parts(&self, parts: &[PairResults]) -> Vec<PartFit> {
        let parts: Vec<GamesPart> = parts.iter().map(|results| GamesPart::new(self, results)).collect();
        let mut found: BTreeMap<usize, PartFit> = BTreeMap::new();
        let mut left: Vec<usize> = (0..parts.len()).collect();
        loop {
            let whole = Whole::new(&left.iter().map(|&part| &parts[part]).collect::<Vec<_>>(), self.players.len());
            let measure = |&part: &usize| {
                let fit = whole.as_ref().map_or_else(|| parts[part].unmeasured(), |whole| whole.fit(&parts[part]));
                let differs = fit.p_value.is_some_and(|p| p * count(left.len()) < SIGNIFICANT);
                (part, PartFit { differs, ..fit })
            };
            let measured: Vec<(usize, PartFit)> = left.iter().map(measure).collect();
            let worst = measured.iter().filter(|(_, fit)| fit.differs).min_by(|(_, one), (_, other)| {
                let p = |fit: &PartFit| fit.p_value.unwrap_or(1.0);
                let excess = |fit: &PartFit| fit.chi_squared / f64::from(fit.degrees.max(1));
                p(one).total_cmp(&p(other)).then(excess(other).total_cmp(&excess(one)))
            });
            match worst {
                Some(&(worst, fit)) if left.len() > 2 => {
                    found.insert(worst, fit);
                    left.retain(|&part| part != worst);
                }
                _ => {
                    found.extend(measured);
                    return found.into_values().collect();
                }
            }
        }
    }
}

impl LineageFit {
    /// Judges the games of `part` against those of `rest`, which together are the games of the fit. Each list contains
    /// the games of ordered pairs, from black's point of view.
    pub(in crate::results) fn part_against_rest(
        &self,
        part: &[(usize, usize, Wdl)],
        rest: &[(usize, usize, Wdl)],
    ) -> PartFit {
        let of = |games: &[(usize, usize, Wdl)]| {
            let met = games.iter().filter(|(black, white, _)| black != white);
            let cells = met.map(|&(black, white, games)| Cell { black, white, games }).collect();
            GamesPart::of_cells(cells, |black, white| self.chances(black, white))
        };
        let (part, rest) = (of(part), of(rest));
        let fit =
            Whole::new(&[&part, &rest], self.players()).map_or_else(|| part.unmeasured(), |whole| whole.fit(&part));
        PartFit { differs: fit.p_value.is_some_and(|p| p < SIGNIFICANT), ..fit }
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of machines are small")]
const fn count(parts: usize) -> f64 {
    parts as f64
}

#[cfg(test)]
mod tests;
