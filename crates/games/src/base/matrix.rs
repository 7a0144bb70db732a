//! Matrices, and systems of equations with symmetric positive definite ones, solved by Cholesky decomposition.

use std::ops::Range;

/// A square matrix, stored by rows.
#[derive(Clone, Debug)]
pub struct Matrix {
    size: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// The `size` by `size` matrix of zeros.
    pub fn zeros(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    /// The number of rows, which is also the number of columns.
    pub const fn size(&self) -> usize {
        self.size
    }

    /// The element in row `i` and column `j`, both counted from 0.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.size + j]
    }

    /// Row `i`, counted from 0.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.size..(i + 1) * self.size]
    }

    /// Adds `value` to the element in row `i` and column `j`.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        self.values[i * self.size + j] += value;
    }

    /// Adds `weight * u u'` for the sparse vector `u` of (index, value) pairs; an index may appear twice.
    pub fn add_outer(&mut self, weight: f64, u: &[(usize, f64)]) {
        for &(i, a) in u {
            for &(j, b) in u {
                self.add(i, j, weight * a * b);
            }
        }
    }

    /// Returns the symmetric product `self middle self` of two symmetric matrices.
    #[must_use]
    pub fn around(&self, middle: &Self) -> Self {
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
        product.fill_symmetric(|i, j| dot(half.row(i), self.row(j)));
        product
    }

    /// Returns the product of this matrix with its transpose.
    #[must_use]
    pub fn squared(&self) -> Self {
        let mut product = Self::zeros(self.size);
        product.fill_symmetric(|i, j| dot(self.row(i), self.row(j)));
        product
    }

    /// Adds `factor * a b'`.
    pub fn add_product(&mut self, factor: f64, a: &[f64], b: &[f64]) {
        for (row, a) in self.values.chunks_exact_mut(self.size.max(1)).zip(a) {
            let factor = factor * a;
            for (value, b) in row.iter_mut().zip(b) {
                *value += factor * b;
            }
        }
    }

    /// Sets all elements of a symmetric matrix. `value` computes the elements of the lower triangle.
    fn fill_symmetric(&mut self, value: impl Fn(usize, usize) -> f64) {
        for block in blocks(self.size) {
            for i in block.start..self.size {
                for j in block.start..block.end.min(i + 1) {
                    let value = value(i, j);
                    self.values[i * self.size + j] = value;
                    self.values[j * self.size + i] = value;
                }
            }
        }
    }

    /// Returns `x' self^- x` for a positive semidefinite matrix and an `x` in its range, and the rank of the matrix. A
    /// pivot that is at most `least` counts as zero.
    ///
    /// This is the pivoted Cholesky decomposition: N. J. Higham, Accuracy and Stability of Numerical Algorithms (2002),
    /// 10.3.
    pub fn quadratic_form(mut self, x: &[f64], least: f64) -> (f64, u32) {
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
    pub fn cholesky(mut self) -> Option<Cholesky> {
        let size = self.size;
        for block in blocks(size) {
            let (above, rest) = self.values.split_at_mut(block.start * size);
            let panel = &mut rest[..block.len() * size];
            // Each row above is read once for all rows of the block.
            for (j, other) in above.chunks_exact(size).enumerate() {
                for row in panel.chunks_exact_mut(size) {
                    row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
                }
            }
            for i in block.clone() {
                let (above, rest) = panel.split_at_mut((i - block.start) * size);
                let row = &mut rest[..size];
                for (j, other) in (block.start..).zip(above.chunks_exact(size)) {
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
#[derive(Clone, Debug)]
pub struct Cholesky {
    lower: Matrix,
}

impl Cholesky {
    /// Returns the solution `x` of `A x = b`.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
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
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..x.len()).map(|i| dot(&self.lower.row(i)[..=i], &x[..=i])).collect()
    }

    /// Returns the inverse of `A`.
    pub fn inverse(&self) -> Matrix {
        let size = self.lower.size;
        // Row j contains column j of the inverse of L, so every sum below accesses adjacent memory.
        let mut columns = Matrix::zeros(size);
        for block in blocks(size) {
            let panel = &mut columns.values[block.start * size..block.end * size];
            for i in block.start..size {
                let row = self.lower.row(i);
                for (j, column) in block.clone().zip(panel.chunks_exact_mut(size)).take(i - block.start + 1) {
                    let above = if i == j { 1.0 } else { -dot(&row[j..i], &column[j..i]) };
                    column[i] = above / row[i];
                }
            }
        }
        let mut inverse = Matrix::zeros(size);
        inverse.fill_symmetric(|i, j| dot(&columns.row(i)[i..], &columns.row(j)[i..]));
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
    use std::cmp::Ordering;

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

    /// The lower triangle, and the inverse, each computed element by element in the order of the definition.
    fn element_by_element(matrix: &Matrix) -> [Matrix; 2] {
        let size = matrix.size();
        let (mut lower, mut columns, mut inverse) = (matrix.clone(), Matrix::zeros(size), Matrix::zeros(size));
        for i in 0..size {
            for j in 0..size {
                let value = match j.cmp(&i) {
                    Ordering::Less => (lower.at(i, j) - dot(&lower.row(i)[..j], &lower.row(j)[..j])) / lower.at(j, j),
                    Ordering::Equal => (lower.at(i, i) - dot(&lower.row(i)[..i], &lower.row(i)[..i])).sqrt(),
                    Ordering::Greater => 0.0,
                };
                lower.values[i * size + j] = value;
            }
        }
        for j in 0..size {
            columns.values[j * size + j] = 1.0 / lower.at(j, j);
            for i in j + 1..size {
                let value = -dot(&lower.row(i)[j..i], &columns.row(j)[j..i]) / lower.at(i, i);
                columns.values[j * size + i] = value;
            }
        }
        for i in 0..size {
            for j in 0..size {
                let (i, j) = (i.max(j), i.min(j));
                inverse.values[i * size + j] = dot(&columns.row(i)[i..], &columns.row(j)[i..]);
                inverse.values[j * size + i] = inverse.values[i * size + j];
            }
        }
        [lower, inverse]
    }

    #[test]
    fn blocks_change_no_bit() {
        let bits = |matrix: &Matrix| matrix.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        for size in [0, 1, 15, 16, 17, 40] {
            let matrix = sample(size);
            let [lower, inverse] = element_by_element(&matrix);
            let found = matrix.cholesky().unwrap();
            assert_eq!(bits(&found.lower), bits(&lower), "{size}");
            assert_eq!(bits(&found.inverse()), bits(&inverse), "{size}");
        }
    }

    #[test]
    fn a_singular_matrix_is_not_decomposed() {
        let mut matrix = Matrix::zeros(2);
        matrix.add_outer(1.0, &[(0, 1.0), (1, -1.0)]);
        assert!(matrix.cholesky().is_none());
    }
}
