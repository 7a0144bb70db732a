//! A Brownian motion with drift between two barriers, as a continuous model of a test's log-likelihood ratio.
//!
//! The probabilities are sums over the images of the start under reflection at the barriers. A few terms suffice, and
//! none of them exceeds a probability: D. A. Darling and A. J. F. Siegert, "The first passage problem for a continuous
//! Markov process", Annals of Mathematical Statistics 24 (1953); T. W. Anderson, "A modification of the sequential
//! probability ratio test to reduce the sample size", Annals of Mathematical Statistics 31 (1960).

use crate::base::normal::ln_cumulative;

/// A motion that starts at 0 and ends at a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    /// The lower barrier, below 0.
    pub(super) lower: f64,
    /// The upper barrier, above 0.
    pub(super) upper: f64,
    /// The mean change per unit of time.
    pub(super) drift: f64,
    /// The variance of the change per unit of time, above 0.
    pub(super) variance: f64,
}

impl Motion {
    /// Returns the probability of reaching the lower barrier by `time`, before the upper one.
    pub(super) fn lower_by(self, time: f64) -> f64 {
        let (start, width) = (-self.lower, self.upper - self.lower);
        let sum = self.images(time).map(|image| {
            let distance = start + 2.0 * image * width;
            distance.signum() * self.passage(distance.abs(), start, time)
        });
        sum.sum::<f64>().clamp(0.0, 1.0)
    }

    /// Returns the probability of reaching the upper barrier by `time`, before the lower one.
    pub(super) fn upper_by(self, time: f64) -> f64 {
        let Self { lower, upper, drift, variance } = self;
        Self { lower: -upper, upper: -lower, drift: -drift, variance }.lower_by(time)
    }

    /// Returns the probability of being at `level` or below it at `time`, without having reached a barrier.
    pub(super) fn below_at(self, level: f64, time: f64) -> f64 {
        let width = self.upper - self.lower;
        let sum = self.images(time).map(|image| {
            let shift = 2.0 * image * width;
            self.mass(shift, level, time) - self.mass(2.0 * self.lower - shift, level, time)
        });
        sum.sum::<f64>().clamp(0.0, 1.0)
    }

    /// Returns the indices of the images that contribute to the sums at `time`.
    #[expect(clippy::cast_possible_truncation, reason = "saturates, far beyond any sum")]
    fn images(self, time: f64) -> impl Iterator<Item = f64> {
        const SDS: f64 = 9.0;
        const MOST: i32 = 1000;
        let width = self.upper - self.lower;
        let reach = (SDS * (self.variance * time).sqrt() + self.drift.abs() * time) / (2.0 * width);
        let most = (reach as i32).saturating_add(2).min(MOST);
        (-most..=most).map(f64::from)
    }

    /// Returns the probability that a motion without barriers falls by `distance` within `time`, weighted for an image
    /// that starts `distance` above the barrier, where the true start is `start` above it.
    fn passage(self, distance: f64, start: f64, time: f64) -> f64 {
        let (tilt, sd) = (self.drift / self.variance, (self.variance * time).sqrt());
        let term = |sign: f64| {
            let ln_tail = ln_cumulative((-distance - sign * self.drift * time) / sd);
            (-tilt * start + sign * tilt * distance + ln_tail).exp()
        };
        term(1.0) + term(-1.0)
    }

    /// Returns the weighted probability mass that the image starting at `from` contributes between the lower barrier
    /// and `level`.
    fn mass(self, from: f64, level: f64, time: f64) -> f64 {
        let (tilt, sd) = (self.drift / self.variance, (self.variance * time).sqrt());
        let at = |place: f64| (place - from - self.drift * time) / sd;
        let (low, high) = (at(self.lower), at(level));
        // If both ends are above the centre, the tails above it are more precise.
        let (low, high) = if low > 0.0 { (-high, -low) } else { (low, high) };
        let weighted = |end: f64| (tilt * from + ln_cumulative(end)).exp();
        weighted(high) - weighted(low)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::random::SplitMix64;

    /// The probability of ever reaching the lower barrier first, from the motion's scale function.
    fn lower_ever(motion: Motion) -> f64 {
        let Motion { lower, upper, drift, variance } = motion;
        let tilt = 2.0 * drift / variance;
        if tilt.abs() < 1e-9 {
            upper / (upper - lower)
        } else {
            (-tilt * upper).exp_m1() / ((-tilt * upper).exp() - (-tilt * lower).exp())
        }
    }

    fn motion() -> impl Strategy<Value = Motion> {
        (0.5..4.0_f64, 0.5..4.0_f64, -0.3..0.3_f64, 0.02..1.0_f64).prop_map(|(below, upper, drift, variance)| Motion {
            lower: -below,
            upper,
            drift,
            variance,
        })
    }

    proptest! {
        #[test]
        fn all_probabilities_add_up_to_one(motion in motion(), time in 0.1..300.0) {
            let sum = motion.lower_by(time) + motion.upper_by(time) + motion.below_at(motion.upper, time);
            prop_assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }

        #[test]
        fn in_the_long_run_a_barrier_is_reached_as_the_scale_function_says(motion in motion()) {
            let (reached, expected) = (motion.lower_by(4000.0), lower_ever(motion));
            prop_assert!((reached - expected).abs() < 1e-6, "{reached} {expected}");
        }

        #[test]
        fn more_time_reaches_more_and_more_drift_reaches_the_upper_barrier(motion in motion(), time in 0.1..100.0, more in 0.01..0.5) {
            prop_assert!(motion.lower_by(time + more) >= motion.lower_by(time) - 1e-9);
            let faster = Motion { drift: motion.drift + more, ..motion };
            prop_assert!(faster.upper_by(time) >= motion.upper_by(time) - 1e-9);
        }
    }

    #[test]
    fn a_walk_in_small_steps_agrees() {
        const WALKS: u32 = 4000;
        const STEPS: u32 = 1600;
        let (motion, time) = (Motion { lower: -1.0, upper: 1.5, drift: 0.2, variance: 0.8 }, 1.0);
        let mut random = SplitMix64::new(3);
        let sd = (motion.variance * time / f64::from(STEPS)).sqrt();
        let step_drift = motion.drift * time / f64::from(STEPS);
        let (mut low, mut high) = (0_u32, 0_u32);
        for _ in 0..WALKS {
            let mut at = 0.0;
            for _ in 0..STEPS {
                at += step_drift + if random.below(2) == 0 { sd } else { -sd };
                if at <= motion.lower {
                    low += 1;
                    break;
                }
                if at >= motion.upper {
                    high += 1;
                    break;
                }
            }
        }
        let share = |count: u32| f64::from(count) / f64::from(WALKS);
        assert!((share(low) - motion.lower_by(time)).abs() < 0.03, "{} {}", share(low), motion.lower_by(time));
        assert!((share(high) - motion.upper_by(time)).abs() < 0.03, "{} {}", share(high), motion.upper_by(time));
    }

    #[test]
    fn strong_drifts_give_probabilities_and_not_numbers_beyond_them() {
        for drift in [-1e4, -10.0, 10.0, 1e4] {
            let motion = Motion { lower: -2.9, upper: 2.9, drift, variance: 0.01 };
            for time in [1e-6, 1.0, 1e5] {
                for found in [motion.lower_by(time), motion.upper_by(time), motion.below_at(0.3, time)] {
                    assert!((0.0..=1.0).contains(&found), "{drift} {time}: {found}");
                }
            }
            assert!((motion.upper_by(1e5) - f64::from(u8::from(drift > 0.0))).abs() < 1e-9);
        }
    }
}
