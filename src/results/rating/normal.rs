//! The normal distribution.

use crate::base::random::SplitMix64;

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

/// Draws from the standard normal distribution, by the method of Box and Muller ("A note on the generation of random
/// normal deviates", Annals of Mathematical Statistics 29, 1958).
pub(super) fn draw(random: &mut SplitMix64) -> f64 {
    // The logarithm needs a number above 0.
    let radius = (-2.0 * (1.0 - unit(random)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * unit(random)).cos()
}

/// Returns one of the 2^53 evenly spaced numbers from 0 up to, but not including, 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
pub(super) fn unit(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_mean_the_variance_and_the_tails_of_the_distribution() {
        let mut random = SplitMix64::new(1);
        let draws: Vec<f64> = (0..100_000).map(|_| draw(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|draw| draw * draw).sum::<f64>() / 1e5;
        let beyond = draws.iter().filter(|draw| draw.abs() > 1.959_964).count();
        // Each bound is six standard deviations.
        assert!(mean.abs() < 0.019 && (variance - 1.0).abs() < 0.027, "{mean} {variance}");
        assert!(beyond.abs_diff(5000) < 414, "{beyond}");
    }

    #[test]
    fn the_distribution_has_its_tabulated_values() {
        for (x, expected) in
            [(0.0, 0.5), (1.0, 0.841_344_7), (-1.0, 0.158_655_3), (1.96, 0.975_002_1), (-4.0, 3.167e-5)]
        {
            assert!((cumulative(x) - expected).abs() < 2e-7, "{x}: {}", cumulative(x));
        }
    }
}
