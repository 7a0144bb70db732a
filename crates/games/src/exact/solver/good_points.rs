//! Remembers which points have recently been good, so that a search can try them earlier.

use crate::game::gothello::Points;

/// The amount by which reaching a bound increases the score of a placement.
const GAIN: i32 = 1 << 10;

/// Whenever a placement reaches its bound, all scores at the same depth decrease by 1 / 2^`DECAY` of their values.
const DECAY: u32 = 5;

/// The bonus for a placement if all recent good placements were on its point.
const MOST: i32 = 160;

/// For each number of empty points and each point, a score that is high if placements there have often reached their
/// bounds recently.
#[derive(Debug, Default)]
pub(super) struct GoodPoints([[i32; 32]; 26]);

impl GoodPoints {
    /// Records that a placement on `point` with `empty` empty points has reached its bound.
    pub(super) fn reached(&mut self, empty: u32, point: Points) {
        let points = &mut self.0[empty as usize];
        for kept in points.iter_mut() {
            *kept -= *kept >> DECAY;
        }
        points[point.trailing_zeros() as usize] += GAIN;
    }

    /// Returns how much better a placement on `point` with `empty` empty points looks because of recent good
    /// placements.
    pub(super) const fn score(&self, empty: u32, point: Points) -> i32 {
        (self.0[empty as usize][point.trailing_zeros() as usize] * MOST) >> (GAIN.trailing_zeros() + DECAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_that_is_always_good_approaches_the_most_and_is_forgotten_later() {
        let mut good_points = GoodPoints::default();
        assert_eq!(good_points.score(9, 4), 0);
        for _ in 0..300 {
            good_points.reached(9, 4);
        }
        assert!((MOST - 8..=MOST).contains(&good_points.score(9, 4)), "{}", good_points.score(9, 4));
        assert_eq!((good_points.score(9, 8), good_points.score(8, 4)), (0, 0));
        for _ in 0..300 {
            good_points.reached(9, 8);
        }
        assert!(good_points.score(9, 4) < 8 && good_points.score(9, 8) > MOST - 8);
    }
}
