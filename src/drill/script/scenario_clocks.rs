//! The clocks of the scenarios about one kind of time control.
//!
//! Each scenario derives its control from that of an ordinary game, with so little time that a bot comes close to
//! running out of it. If the ordinary control is of another kind, because the user named the scenario, defaults replace
//! the missing times.

use std::time::Duration;

use crate::referee::time_control::SideControl;
use crate::referee::times::whole_micros;

const SECOND: Duration = Duration::from_secs(1);

/// By what an ordinary main time or bank is divided.
const PART: u32 = 10;

/// The minimum main time, unless the ordinary main time is shorter.
const LEAST_TIME: Duration = Duration::from_secs(5);

/// The minimum bank, as a multiple of the time for a move, unless the ordinary bank is smaller.
const LEAST_BANK: u32 = 2;

/// The number of periods: a bot may lose the first one.
const PERIODS: u32 = 2;

/// The default increment, period and time for a move, used if the ordinary control lacks them.
const INCREMENT: Duration = SECOND;
const PERIOD: Duration = Duration::from_secs(2);
const MOVE_TIME: Duration = Duration::from_secs(2);

/// A tenth of the main time, with the increment.
pub(super) fn with_increment(ordinary: SideControl) -> SideControl {
    let (time, increment) = match ordinary {
        SideControl::Game { time, increment: Duration::ZERO } => (time, INCREMENT),
        SideControl::Game { time, increment } => (time, increment),
        SideControl::ByoYomi { .. } | SideControl::PerMove { .. } => (LEAST_TIME, INCREMENT),
    };
    SideControl::Game { time: time.min(LEAST_TIME.max(whole_micros(time / PART))), increment }
}

/// Two periods, without a main time.
pub(super) fn in_periods(ordinary: SideControl) -> SideControl {
    let (periods, period) = match ordinary {
        SideControl::ByoYomi { periods, period, .. } => (periods.min(PERIODS), period),
        SideControl::Game { .. } | SideControl::PerMove { .. } => (PERIODS, PERIOD),
    };
    SideControl::ByoYomi { time: Duration::ZERO, periods, period }
}

/// The time for each move, without a bank.
pub(super) const fn per_move(ordinary: SideControl) -> SideControl {
    SideControl::PerMove { move_time: move_time(ordinary), bank: Duration::ZERO }
}

/// The time for each move, with a tenth of the bank.
pub(super) fn with_bank(ordinary: SideControl) -> SideControl {
    let move_time = move_time(ordinary);
    let least = move_time.saturating_mul(LEAST_BANK);
    let bank = match ordinary {
        SideControl::PerMove { bank, .. } if !bank.is_zero() => bank.min(least.max(whole_micros(bank / PART))),
        _ => least,
    };
    SideControl::PerMove { move_time, bank }
}

const fn move_time(ordinary: SideControl) -> Duration {
    match ordinary {
        SideControl::PerMove { move_time, .. } => move_time,
        SideControl::Game { .. } | SideControl::ByoYomi { .. } => MOVE_TIME,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::drill::script::NeededClocks;
    use crate::referee::time_control::tests::any_side_control;

    #[test]
    fn a_scenario_leaves_a_small_part_of_the_ordinary_clock() {
        type Derive = fn(SideControl) -> SideControl;
        let rows: [(Derive, &[(&str, &str)]); 4] = [
            (with_increment, &[("60+1", "6+1"), ("20+1", "5+1"), ("3+1", "3+1"), ("60", "6+1"), ("1/move", "5+1")]),
            (in_periods, &[("600:5x30", "0:2x30"), ("0:1x8", "0:1x8"), ("60", "0:2x2")]),
            (per_move, &[("1/move", "1/move"), ("1/move+60bank", "1/move"), ("60", "2/move")]),
            (
                with_bank,
                &[
                    ("1/move+60bank", "1/move+6bank"),
                    ("1/move+10bank", "1/move+2bank"),
                    ("5/move+3bank", "5/move+3bank"),
                    ("1/move", "1/move+2bank"),
                    ("60:2x9", "2/move+4bank"),
                ],
            ),
        ];
        for (derive, controls) in rows {
            for &(ordinary, expected) in controls {
                assert_eq!(derive(ordinary.parse().expect("a control")).to_string(), expected, "{ordinary}");
            }
        }
    }

    proptest! {
        /// Whatever the ordinary control is, each scenario has a control of its own kind. No part of it is larger than
        /// the corresponding part of the ordinary control.
        #[test]
        fn each_scenario_has_a_control_of_its_kind(ordinary in any_side_control()) {
            for (needed, control) in [
                (NeededClocks::Increment, with_increment(ordinary)),
                (NeededClocks::Periods, in_periods(ordinary)),
                (NeededClocks::MoveTime, per_move(ordinary)),
                (NeededClocks::Bank, with_bank(ordinary)),
            ] {
                prop_assert!(needed.include(control), "{} {}", ordinary, control);
                prop_assert_eq!(control.to_string().parse(), Ok(control));
                if needed.include(ordinary) {
                    prop_assert!(control.allowance() <= ordinary.allowance(), "{} {}", ordinary, control);
                }
            }
        }
    }
}
