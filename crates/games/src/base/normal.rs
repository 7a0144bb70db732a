//! The normal distribution.

use super::random::SplitMix64;

/// Returns the probability that a standard normal variable is below `x`. The relative error is about 1e-15, even in the
/// tail below zero.
pub fn cumulative(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

/// Returns the natural logarithm of [`cumulative`], even where the probability is too small for a double.
pub fn ln_cumulative(x: f64) -> f64 {
    // At or below this value, the first terms of the asymptotic series are exact to 1e-9.
    const FAR: f64 = -30.0;
    if x > FAR {
        return cumulative(x).ln();
    }
    let inverse = 1.0 / (x * x);
    let series = inverse * (-1.0 + inverse * (3.0 - 15.0 * inverse));
    -x * x / 2.0 - (-x).ln() - (2.0 * std::f64::consts::PI).ln() / 2.0 + series.ln_1p()
}

/// Returns the `probability` quantile of the standard normal distribution; `probability` must be above 0 and below 1.
/// The error is about 1e-14 near the middle, and grows towards the tails.
pub fn quantile(probability: f64) -> f64 {
    if probability < 0.5 {
        return -quantile(1.0 - probability);
    }
    // Newton's method. The distribution is concave here, so the approximations increase until they are exact.
    let mut number = 0.0_f64;
    loop {
        let density = (-number * number / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let next = number + (probability - cumulative(number)) / density;
        if next.is_nan() || next - number <= 1e-14 * next.abs() {
            return number;
        }
        number = next;
    }
}

/// Draws from the standard normal distribution, by the method of Box and Muller ("A note on the generation of random
/// normal deviates", Annals of Mathematical Statistics 29, 1958).
pub fn draw(random: &mut SplitMix64) -> f64 {
    // The logarithm needs a number above 0.
    let radius = (-2.0 * (1.0 - unit(random)).ln()).sqrt();
    radius * (2.0 * std::f64::consts::PI * unit(random)).cos()
}

/// Returns one of the 2^53 evenly spaced numbers from 0 up to, but not including, 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
pub fn unit(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_inverts_the_distribution() {
        // From tables of the normal distribution.
        for (probability, number) in
            [(0.5, 0.0), (0.9, 1.281_551_565_5), (0.975, 1.959_963_984_5), (0.001, -3.090_232_306_2)]
        {
            assert!((quantile(probability) - number).abs() < 1e-9, "{probability}");
        }
    }

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
        for (x, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-1.0, 0.158_655_253_931_457_05),
            (1.96, 0.975_002_104_851_779_6),
            (-4.0, 3.167_124_183_311_992e-5),
        ] {
            assert!((cumulative(x) - expected).abs() < 1e-14 * expected, "{x}: {}", cumulative(x));
        }
    }

    #[test]
    fn logarithms_agree_with_the_probabilities_and_go_on_beyond_them() {
        for x in [-37.0, -30.1, -30.0, -29.9, -5.0, 0.0, 3.0] {
            assert!((ln_cumulative(x) - cumulative(x).ln()).abs() < 1e-8, "{x}: {}", ln_cumulative(x));
        }
        // Computed with 60 decimal digits.
        assert!((ln_cumulative(-100.0) + 5_005.524_208_694_205).abs() < 1e-8, "{}", ln_cumulative(-100.0));
    }
}
