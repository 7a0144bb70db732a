//! How much a game between two versions would reduce the variance of the ratings.
//!
//! Let `C` be the covariance of the ratings of the active versions, `e_i` the unit vector of version `i`, and `v` the
//! information that a game of `i` against `j` provides about the difference of their ratings. The variance of this
//! difference is `D_ij = (e_i - e_j)' C (e_i - e_j)`. After a game with the expected result, the ratings are the same,
//! and their covariance is
//!
//! ```text
//! C - v / (1 + v D_ij) u u'     with     u = C (e_i - e_j)
//! ```
//!
//! so the sum of the variances of the versions in a set `W` falls by `v |u|^2 / (1 + v D_ij)`, where `|u|^2` is the sum
//! of the squares of the elements of `u` in `W`. With `S = C W C`, where `W` is the diagonal matrix with a 1 for each
//! version in the set, `|u|^2 = S_ii + S_jj - 2 S_ij`. So the time for comparing all pairs is proportional to their
//! number, and so is the time for updating both matrices after a game.
//!
//! The first-move advantage and the draws are treated as known: the two versions of a pair alternate colours, so the
//! effects cancel.
//!
//! Sources: J. Sherman and W. J. Morrison, "Adjustment of an inverse matrix corresponding to a change in one element of
//! a given matrix", Annals of Mathematical Statistics 21 (1950); the sum of the variances is the criterion of A-optimal
//! designs: A. C. Atkinson, A. N. Donev and R. D. Tobias, Optimum Experimental Designs (2007), 10.1.

use std::ops::Range;

use crate::base::matrix::Matrix;

/// The covariance of the active versions, and the values derived from it. Versions are numbered by their positions
/// among the active ones.
#[derive(Clone, Debug)]
pub(super) struct Gains {
    /// The information of a game, by pair.
    information: Matrix,
    /// `C`.
    covariance: Matrix,
    /// `S`.
    squares: Matrix,
    /// Whether each version is in `W`.
    counts: Vec<bool>,
}

impl Gains {
    /// Returns the gains for these symmetric matrices. Only the variances of versions for which `counts` is true are
    /// part of the sum.
    pub(super) fn new(covariance: Matrix, information: Matrix, counts: Vec<bool>) -> Self {
        // `C W C` is the product of `C W` with its transpose, because `W` has only ones and zeros.
        let mut counted = covariance.clone();
        for (j, _) in counts.iter().enumerate().filter(|(_, counts)| !**counts) {
            for i in 0..covariance.size() {
                counted.add(i, j, -covariance.at(i, j));
            }
        }
        Self { information, squares: counted.squared(), covariance, counts }
    }

    /// Returns the number of versions.
    pub(super) const fn size(&self) -> usize {
        self.covariance.size()
    }

    /// Returns the variance of version `i`.
    pub(super) fn variance(&self, i: usize) -> f64 {
        self.covariance.at(i, i)
    }

    /// Returns whether the variance of version `i` counts.
    pub(super) fn counts(&self, i: usize) -> bool {
        self.counts[i]
    }

    /// Removes version `i` from the set of versions whose variances count.
    pub(super) fn leave_out(&mut self, i: usize) {
        if std::mem::replace(&mut self.counts[i], false) {
            let column = self.covariance.row(i);
            self.squares.add_product(-1.0, column, column);
        }
    }

    /// Returns the pair whose game has the largest gain, or `None` if no gain is positive. If `rows` is given, at least
    /// one version of the pair is in `rows`. If several pairs have the largest gain, the first of them is returned.
    pub(super) fn best(&self, rows: Option<&[usize]>) -> Option<(usize, usize)> {
        let variances: Vec<f64> = (0..self.size()).map(|i| self.covariance.at(i, i)).collect();
        let own_squares: Vec<f64> = (0..self.size()).map(|i| self.squares.at(i, i)).collect();
        let (mut best, mut most) = (None, 0.0);
        let mut search = |i: usize, others: Range<usize>| {
            let (covariance, squares, information) =
                (self.covariance.row(i), self.squares.row(i), self.information.row(i));
            for j in others {
                let difference = variances[i] + variances[j] - 2.0 * covariance[j];
                let square = own_squares[i] + own_squares[j] - 2.0 * squares[j];
                let gain = information[j] * square / (1.0 + information[j] * difference);
                if gain > most {
                    (best, most) = (Some((i.min(j), i.max(j))), gain);
                }
            }
        };
        match rows {
            Some(rows) => rows.iter().for_each(|&i| search(i, 0..self.size())),
            None => (0..self.size()).for_each(|i| search(i, i + 1..self.size())),
        }
        best
    }

    /// Replaces the covariance with the one that is expected after a game between `i` and `j`.
    pub(super) fn play(&mut self, i: usize, j: usize) {
        let difference = |matrix: &Matrix| -> Vec<f64> {
            matrix.row(i).iter().zip(matrix.row(j)).map(|(one, other)| one - other).collect()
        };
        let u = difference(&self.covariance);
        let information = self.information.at(i, j);
        let factor = information / (1.0 + information * (u[i] - u[j]));
        // With `C' = C - f u u'`, `C' W C' = S - f (u w' + w u') + f^2 (u' W u) u u'`, where `w = C W u` is the
        // difference of two rows of `S`. That is `S - u z' - z u'` with `z = f w - f^2 (u' W u) u / 2`.
        let within: f64 = u.iter().zip(&self.counts).filter(|(_, counts)| **counts).map(|(u, _)| u * u).sum();
        let half = factor * factor * within / 2.0;
        let z: Vec<f64> =
            difference(&self.squares).iter().zip(&u).map(|(square, u)| factor * square - half * u).collect();
        self.covariance.add_product(-factor, &u, &u);
        self.squares.add_product(-1.0, &u, &z);
        self.squares.add_product(-1.0, &z, &u);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A covariance without a special structure: the covariance of sums of independent values.
    fn covariance(size: usize, numbers: &[f64]) -> Matrix {
        let mut factor = Matrix::zeros(size);
        for i in 0..size {
            for j in 0..size {
                factor.add(i, j, numbers[(i * size + j) % numbers.len()]);
            }
            factor.add(i, i, 2.0);
        }
        factor.squared()
    }

    fn information(size: usize, numbers: &[f64]) -> Matrix {
        let mut information = Matrix::zeros(size);
        for i in 0..size {
            for j in 0..i {
                let v = 0.01 + numbers[(i * 3 + j * 7) % numbers.len()].abs() / 4.0;
                information.add(i, j, v);
                information.add(j, i, v);
            }
        }
        information
    }

    fn sum_of_variances(gains: &Gains) -> f64 {
        (0..gains.size()).filter(|&i| gains.counts(i)).map(|i| gains.variance(i)).sum()
    }

    proptest! {
        /// The best pair is found independently by computing, for each pair, the sum of the variances after a game with
        /// the expected result.
        #[test]
        fn the_best_pair_leaves_the_least_variance(
            size in 2..8_usize,
            numbers in prop::collection::vec(-1.0..1.0_f64, 70),
            counts in prop::collection::vec(any::<bool>(), 8),
            later in 0..4_usize,
        ) {
            let mut counts = counts[..size].to_vec();
            counts[0] = true;
            let mut gains = Gains::new(covariance(size, &numbers), information(size, &numbers), counts);
            for _ in 0..later {
                let (i, j) = gains.best(None).unwrap();
                gains.play(i, j);
                gains.leave_out(size - 1);
            }
            let before = sum_of_variances(&gains);
            let after = |i: usize, j: usize| {
                let mut played = gains.clone();
                played.play(i, j);
                sum_of_variances(&played)
            };
            let pairs = (0..size).flat_map(|i| (i + 1..size).map(move |j| (i, j)));
            let least = pairs.clone().map(|(i, j)| after(i, j)).fold(f64::INFINITY, f64::min);
            if let Some((i, j)) = gains.best(None) {
                prop_assert!(i < j && after(i, j) < before);
                prop_assert!(after(i, j) <= least + 1e-9, "{i} {j}: {} {least}", after(i, j));
            } else {
                prop_assert!(least > before - 1e-9);
            }
            let of_last = pairs.filter(|&(_, j)| j == size - 1).map(|(i, j)| after(i, j)).fold(f64::INFINITY, f64::min);
            if let Some((i, j)) = gains.best(Some(&[size - 1])) {
                prop_assert!(j == size - 1 && after(i, j) <= of_last + 1e-9);
            }
        }
    }

    /// The game is one more observation of the difference, so its information is added to the inverse of the
    /// covariance.
    #[test]
    fn a_game_adds_its_information_to_the_inverse_of_the_covariance() {
        // Two versions with the variances 4 and 1, and the information 1/2: the inverse is [[3/4, -1/2], [-1/2, 3/2]].
        let mut covariance = Matrix::zeros(2);
        covariance.add(0, 0, 4.0);
        covariance.add(1, 1, 1.0);
        let mut information = Matrix::zeros(2);
        information.add(0, 1, 0.5);
        information.add(1, 0, 0.5);
        let mut gains = Gains::new(covariance, information, vec![true; 2]);
        gains.play(0, 1);
        assert!((gains.variance(0) - 1.5 / 0.875).abs() < 1e-12, "{}", gains.variance(0));
        assert!((gains.variance(1) - 0.75 / 0.875).abs() < 1e-12, "{}", gains.variance(1));
    }
}
