//! How often a perfect opponent must err to keep its game against a person even.

use crate::game::{Outcome, Side};
use crate::players::bots::ErrorRate;

/// The chance of an error in a drawn position, the chance in a won position, its increase for each point of the margin,
/// and its maximum.
const DRAWN: f64 = 0.1;
const WON: f64 = 0.3;
const FOR_A_POINT: f64 = 0.05;
const MOST: f64 = 0.8;

/// The rate at which the opponent on `side` errs in a position that has this `value` with best play: never if the
/// person is ahead or nothing is known, and otherwise more often the further ahead the opponent is.
pub(crate) fn error_for(side: Side, value: Option<Outcome>) -> ErrorRate {
    let chance = match value {
        None => 0.0,
        Some(outcome) => match side.score(outcome.winner) {
            1 => {
                let lead = f64::from(outcome.lead(side).unwrap_or(0));
                FOR_A_POINT.mul_add(lead, WON).min(MOST)
            }
            0 => DRAWN,
            _ => 0.0,
        },
    };
    ErrorRate::new(chance).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_become_more_frequent_with_the_lead_and_stop_behind() {
        let rate = |margin: i32| error_for(Side::Black, Some(Outcome::of_margin(margin))).millionths();
        assert_eq!([rate(-3), rate(0), rate(2), rate(25)], [0, 100_000, 400_000, 800_000]);
        let white = error_for(Side::White, Some(Outcome { winner: Some(Side::White), margin: None }));
        assert_eq!((white.millionths(), error_for(Side::White, None)), (300_000, ErrorRate::NEVER));
    }
}
