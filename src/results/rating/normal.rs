//! The normal distribution.

/// Returns the probability that a standard normal variable is below `x`, accurate to about 1e-7.
///
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.2.17.
pub(super) fn cumulative(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let tail = density * polynomial;
    if x < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_has_its_tabulated_values() {
        for (x, expected) in
            [(0.0, 0.5), (1.0, 0.841_344_7), (-1.0, 0.158_655_3), (1.96, 0.975_002_1), (-4.0, 3.167e-5)]
        {
            assert!((cumulative(x) - expected).abs() < 2e-7, "{x}: {}", cumulative(x));
        }
    }
}
