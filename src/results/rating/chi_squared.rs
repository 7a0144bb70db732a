//! The chi-squared distribution.

use crate::base::normal;

/// Returns the probability that a chi-squared variable with `degrees` degrees of freedom is above `x`.
///
/// The value for two more degrees of freedom is higher by `(x/2)^(degrees/2) e^(-x/2) / Gamma(degrees/2 + 1)`; the
/// values for one and two degrees are `2 (1 - Phi(sqrt x))` and `e^(-x/2)`. Source: Abramowitz and Stegun, Handbook of
/// Mathematical Functions (1964), 26.4.4, 26.4.5 and 26.4.8.
pub(super) fn above(x: f64, degrees: u32) -> f64 {
    if x <= 0.0 || degrees == 0 {
        return if x <= 0.0 { 1.0 } else { 0.0 };
    }
    let half = x / 2.0;
    // The logarithm of Gamma(3/2) is ln(pi)/2 - ln 2.
    let (mut sum, first, mut ln_gamma) = if degrees.is_multiple_of(2) {
        ((-half).exp(), 2, 0.0)
    } else {
        (2.0 * normal::cumulative(-x.sqrt()), 1, std::f64::consts::PI.ln() / 2.0 - std::f64::consts::LN_2)
    };
    for below in (first..degrees).step_by(2) {
        let exponent = f64::from(below) / 2.0;
        sum += (exponent * half.ln() - half - ln_gamma).exp();
        ln_gamma += (exponent + 1.0).ln();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values come from tables of the distribution's quantiles.
    #[test]
    fn the_distribution_has_its_tabulated_values() {
        for (x, degrees, expected) in [
            (3.841_459, 1, 0.05),
            (6.634_897, 1, 0.01),
            (5.991_465, 2, 0.05),
            (7.814_728, 3, 0.05),
            (2.705_543, 1, 0.1),
            (18.307_038, 10, 0.05),
            (23.209_251, 10, 0.01),
            (3.940_299, 10, 0.95),
            (43.772_972, 30, 0.05),
            (67.504_807, 50, 0.05),
            (124.342_113, 100, 0.05),
        ] {
            let found = above(x, degrees);
            assert!((found - expected).abs() < 1e-6, "{x} {degrees}: {found}");
        }
        assert!((above(0.0, 5) - 1.0).abs() < 1e-12);
        assert!(above(1e6, 4950) < 1e-12 && (above(4950.0, 4950) - 0.4973).abs() < 1e-3);
    }
}
