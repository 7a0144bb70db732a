//! Linear algebra for the fits: symmetric positive definite systems, solved by Cholesky decomposition.

use std::ops::Range;

/// A square matrix, stored by rows.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    size: usize,
    values: Vec<f64>,
}

impl Matrix {
    pub(super) fn zeros(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    pub(super) const fn size(&self) -> usize {
        self.size
    }

    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.size + j]
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.size..(i + 1) * self.size]
    }

    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.size..(i + 1) * self.size]
    }

    pub(super) fn add(&mut self, i: usize, j: usize, value: f64) {
        self.values[i * self.size + j] += value;
    }

    /// Adds `weight * u u'` for the sparse vector `u` of (index, value) pairs; an index may appear twice.
    pub(super) fn add_outer(&mut self, weight: f64, u: &[(usize, f64)]) {
        for &(i, a) in u {
            for &(j, b) in u {
                self.add(i, j, weight * a * b);
            }
        }
    }

    /// Returns the symmetric product `self middle self` of two symmetric matrices.
    pub(super) fn around(&self, middle: &Self) -> Self {
        // The matrices are symmetric, so their columns are their rows, and every sum accesses adjacent memory.
        let mut half = Self::zeros(self.size);
        for block in blocks(self.size) {
            for i in 0..self.size {
                for j in block.clone() {
                    half.values[i * self.size + j] = dot(self.row(i), middle.row(j));
                }
            }
        }
        let mut product = Self::zeros(self.size);
        for block in blocks(self.size) {
            for i in block.start..self.size {
                for j in block.start..block.end.min(i + 1) {
                    let value = dot(half.row(i), self.row(j));
                    product.values[i * self.size + j] = value;
                    product.values[j * self.size + i] = value;
                }
            }
        }
        product
    }

    /// Returns `x' self^- x` for a positive semidefinite matrix and an `x` in its range, and the rank of the matrix. A pivot
    /// of `least` or below counts as zero.
    ///
    /// This is the pivoted Cholesky decomposition: N. J. Higham, Accuracy and Stability of Numerical Algorithms (2002), 10.3.
    pub(super) fn quadratic_form(mut self, x: &[f64], least: f64) -> (f64, u32) {
        let mut x = x.to_vec();
        let mut left: Vec<usize> = (0..self.size).collect();
        let (mut sum, mut rank) = (0.0, 0);
        while let Some(at) =
            (0..left.len()).max_by(|&a, &b| self.at(left[a], left[a]).total_cmp(&self.at(left[b], left[b])))
        {
            let pivot = left.swap_remove(at);
            let variance = self.at(pivot, pivot);
            if variance <= least || variance.is_nan() {
                break;
            }
            sum += x[pivot] * x[pivot] / variance;
            rank += 1;
            for &i in &left {
                let factor = self.at(i, pivot) / variance;
                x[i] -= factor * x[pivot];
                for &j in &left {
                    let value = factor * self.at(pivot, j);
                    self.add(i, j, -value);
                }
            }
        }
        (sum, rank)
    }

    /// Returns the lower triangle `L` with `L L' = self`, or `None` if the matrix is not positive definite. Only the
    /// lower triangle of `self` is read.
    pub(super) fn cholesky(mut self) -> Option<Cholesky> {
        for i in 0..self.size {
            let (above, rest) = self.values.split_at_mut(i * self.size);
            let row = &mut rest[..self.size];
            for (j, other) in above.chunks_exact(self.size).enumerate() {
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let pivot = row[i] - dot(&row[..i], &row[..i]);
            // The negation also handles NaN.
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            row[i] = pivot.sqrt();
            row[i + 1..].fill(0.0);
        }
        Some(Cholesky { lower: self })
    }
}

/// Splits the row numbers into blocks, each small enough to stay in a cache while all other rows are processed.
fn blocks(size: usize) -> impl Iterator<Item = Range<usize>> {
    const ROWS: usize = 16;
    (0..size).step_by(ROWS).map(move |start| start..size.min(start + ROWS))
}

/// The Cholesky decomposition of a matrix `A`.
pub(super) struct Cholesky {
    lower: Matrix,
}

impl Cholesky {
    /// Returns the solution `x` of `A x = b`.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        for i in 0..x.len() {
            let row = self.lower.row(i);
            x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
        }
        for i in (0..x.len()).rev() {
            let row = self.lower.row(i);
            let (before, rest) = x.split_at_mut(i);
            rest[0] /= row[i];
            for (value, factor) in before.iter_mut().zip(row) {
                *value -= factor * rest[0];
            }
        }
        x
    }

    /// Returns `L x`.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..x.len()).map(|i| dot(&self.lower.row(i)[..=i], &x[..=i])).collect()
    }

    /// Returns the inverse of `A`.
    pub(super) fn inverse(&self) -> Matrix {
        let size = self.lower.size;
        // Row j contains column j of the inverse of L, so every sum below accesses adjacent memory.
        let mut columns = Matrix::zeros(size);
        for j in 0..size {
            let column = columns.row_mut(j);
            column[j] = 1.0 / self.lower.at(j, j);
            for i in j + 1..size {
                let row = self.lower.row(i);
                column[i] = -dot(&row[j..i], &column[j..i]) / row[i];
            }
        }
        let mut inverse = Matrix::zeros(size);
        for i in 0..size {
            for j in 0..=i {
                let value = dot(&columns.row(i)[i..], &columns.row(j)[i..]);
                inverse.values[i * size + j] = value;
                inverse.values[j * size + i] = value;
            }
        }
        inverse
    }
}

/// Returns the scalar product, computed as eight sums: each step of a single sum would have to wait for the previous
/// one.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a positive definite matrix without a special structure.
    fn sample(size: usize) -> Matrix {
        let mut matrix = Matrix::zeros(size);
        for i in 0..size {
            matrix.add(i, i, 2.0);
            let (a, b) = (i * 7 % size, (i * 3 + 1) % size);
            matrix.add_outer(1.5, &[(i, 1.0), (a, -2.0), (b, 0.5)]);
        }
        matrix
    }

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let matrix = sample(21);
        let inverse = matrix.clone().cholesky().unwrap().inverse();
        for i in 0..21 {
            for j in 0..21 {
                let product = dot(matrix.row(i), inverse.row(j));
                let expected = f64::from(u8::from(i == j));
                assert!((product - expected).abs() < 1e-12, "at {i}, {j}: {product}");
            }
        }
    }

    #[test]
    fn a_matrix_between_its_inverses_is_its_inverse() {
        let matrix = sample(37);
        let inverse = matrix.clone().cholesky().unwrap().inverse();
        let around = inverse.around(&matrix);
        for i in 0..37 {
            for j in 0..37 {
                assert!((around.at(i, j) - inverse.at(i, j)).abs() < 1e-12, "at {i}, {j}: {}", around.at(i, j));
            }
        }
    }

    #[test]
    fn a_quadratic_form_is_that_of_the_inverse_and_of_a_singular_matrix_too() {
        let x: Vec<f64> = (0..21).map(|i| f64::from(i % 5) - 1.5).collect();
        let solution = sample(21).cholesky().unwrap().solve(&x);
        let (form, rank) = sample(21).quadratic_form(&x, 1e-9);
        assert!((form - dot(&x, &solution)).abs() < 1e-9 && rank == 21, "{form} {rank}");
        // The Laplacian of three games in a row between four players: `x' L^- x` is the sum of the squared flows.
        let mut path = Matrix::zeros(4);
        for i in 0..3 {
            path.add_outer(1.0, &[(i, 1.0), (i + 1, -1.0)]);
        }
        let (form, rank) = path.quadratic_form(&[3.0, -1.0, 2.0, -4.0], 1e-9);
        assert!((form - (9.0 + 4.0 + 16.0)).abs() < 1e-9 && rank == 3, "{form} {rank}");
        assert_eq!(Matrix::zeros(3).quadratic_form(&[0.0; 3], 1e-9), (0.0, 0));
    }

    #[test]
    fn a_solution_satisfies_its_equations() {
        let matrix = sample(13);
        let wanted: Vec<f64> = (0..13).map(|i| f64::from(i) - 4.5).collect();
        let b: Vec<f64> = (0..13).map(|i| dot(matrix.row(i), &wanted)).collect();
        let solution = matrix.cholesky().unwrap().solve(&b);
        assert!(solution.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{solution:?}");
    }

    #[test]
    fn a_singular_matrix_is_not_decomposed() {
        let mut matrix = Matrix::zeros(2);
        matrix.add_outer(1.0, &[(0, 1.0), (1, -1.0)]);
        assert!(matrix.cholesky().is_none());
    }
}
