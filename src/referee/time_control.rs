//! Time controls: how much time a side has, and how much of it a turn costs.
//!
//! Every control is described by one figure, the *allowance*: the time that a side may use for its next turn before its
//! flag falls. The parts that remain, such as byo-yomi periods or a bank, follow from the allowance, so a clock stores
//! nothing else, and a game log can be checked with this figure alone.

mod text;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use text::NoTimeControl;

use crate::game::{BySide, Ruleset, Seat};
use crate::referee::times::whole_micros;

/// A number of moves that a side exceeds in hardly any game of Gothello, and the minimum that [`many_moves`] returns.
pub const MANY_MOVES: u32 = 50;

/// A number of moves that a side exceeds in hardly any game of `ruleset`: the number of fields on the board, but at
/// least [`MANY_MOVES`]. Limits that depend on the length of a game use this number.
pub fn many_moves(ruleset: Ruleset) -> u32 {
    let fields = ruleset.start().to_string().chars().filter(|field| !field.is_whitespace()).count();
    u32::try_from(fields).unwrap_or(u32::MAX).max(MANY_MOVES)
}

/// The clocks of both sides, or of all seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimeControl {
    /// No clocks.
    #[default]
    Unlimited,
    /// Each side has its own clock.
    Clocks(BySide<SideControl>),
}

impl TimeControl {
    /// Creates a sudden-death control with these times, truncated to whole microseconds.
    pub fn sudden_death(times: BySide<Duration>) -> Self {
        Self::Clocks(times.map(|time| SideControl::sudden_death(whole_micros(time))))
    }

    /// Creates a control that is the same for both sides.
    pub const fn both(control: SideControl) -> Self {
        Self::Clocks(BySide { black: control, white: control })
    }

    /// The control of this seat or side, or `None` without clocks. With more than two seats, all seats have the same
    /// control.
    pub fn of(self, seat: impl Into<Seat>) -> Option<SideControl> {
        match self {
            Self::Unlimited => None,
            Self::Clocks(controls) => Some(controls[seat.into().side()]),
        }
    }

    /// The time that this seat or side may use for its first turn, or `None` without clocks.
    pub fn first_allowance(self, seat: impl Into<Seat>) -> Option<Duration> {
        self.of(seat).map(SideControl::allowance)
    }

    /// The times of a sudden-death control; `None` for any other control.
    pub fn sudden_death_times(self) -> Option<BySide<Duration>> {
        match self {
            Self::Unlimited => None,
            Self::Clocks(controls) => controls.map(SideControl::sudden_death_time).both(),
        }
    }

    /// The control with `change` applied to each side's control.
    #[must_use]
    pub fn map(self, change: impl Fn(SideControl) -> SideControl) -> Self {
        match self {
            Self::Unlimited => Self::Unlimited,
            Self::Clocks(controls) => Self::Clocks(controls.map(change)),
        }
    }
}

/// The clock of one side. All times are in whole microseconds.
///
/// This type also represents the parts that remain during a game; see [`SideControl::remaining`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SideControl {
    /// A time for the whole game.
    Game {
        /// The time at the start.
        time: Duration,
        /// The time added after each move; zero for sudden death.
        increment: Duration,
    },
    /// A main time, followed by periods (Japanese byo-yomi). A turn that ends within a period leaves the whole period
    /// for the next turn; a period that runs out is lost.
    ByoYomi {
        /// The main time.
        time: Duration,
        /// The number of periods, at least 1.
        periods: u32,
        /// The length of a period, more than zero.
        period: Duration,
    },
    /// A time for each move, and a bank for turns that take longer. The bank is never refilled.
    PerMove {
        /// The time for each move.
        move_time: Duration,
        /// The bank; zero if the flag falls at the end of `move_time`.
        bank: Duration,
    },
}

impl SideControl {
    /// Creates a control with `time` for the whole game.
    pub const fn sudden_death(time: Duration) -> Self {
        Self::Game { time, increment: Duration::ZERO }
    }

    /// The time for the whole game, if this is sudden death.
    pub const fn sudden_death_time(self) -> Option<Duration> {
        match self {
            Self::Game { time, increment: Duration::ZERO } => Some(time),
            _ => None,
        }
    }

    /// The time that may be used for a turn before the flag falls, if `self` represents the parts that remain.
    pub fn allowance(self) -> Duration {
        match self {
            Self::Game { time, .. } => time,
            Self::ByoYomi { time, periods, period } => time.saturating_add(period.saturating_mul(periods)),
            Self::PerMove { move_time, bank } => move_time.saturating_add(bank),
        }
    }

    /// The allowance of the next turn after a turn with `allowance` that took `elapsed`; `None` if the flag has fallen,
    /// that is, if `elapsed` is more than `allowance`. The flag does not fall at exactly zero, and a period is lost
    /// only when it has been exceeded.
    pub fn after(self, allowance: Duration, elapsed: Duration) -> Option<Duration> {
        let rest = allowance.checked_sub(elapsed)?;
        Some(match self {
            Self::Game { increment, .. } => rest.saturating_add(increment),
            Self::ByoYomi { periods, period, .. } => {
                let in_periods = period.saturating_mul(periods);
                // A turn that ends within the main time costs its length. A turn that ends within a period leaves the
                // whole period.
                if rest >= in_periods {
                    rest
                } else {
                    let begun = (rest.as_nanos() / period.as_nanos()).saturating_add(1);
                    let begun = u32::try_from(begun).unwrap_or(periods);
                    period.saturating_mul(begun.min(periods_in(allowance, period)).min(periods))
                }
            }
            Self::PerMove { move_time, .. } => {
                let over = elapsed.saturating_sub(move_time);
                move_time.saturating_add(allowance.saturating_sub(move_time).saturating_sub(over))
            }
        })
    }

    /// The parts that remain if the allowance is `allowance`. Its `Display` and [`SideControl::shown`] write them in
    /// the form of the control.
    #[must_use]
    pub fn remaining(self, allowance: Duration) -> Self {
        match self {
            Self::Game { increment, .. } => Self::Game { time: allowance, increment },
            Self::ByoYomi { periods, period, .. } => {
                let time = allowance.saturating_sub(period.saturating_mul(periods));
                Self::ByoYomi { time, periods: periods_in(allowance, period).min(periods), period }
            }
            Self::PerMove { move_time, .. } => Self::PerMove { move_time, bank: allowance.saturating_sub(move_time) },
        }
    }

    /// The limit that a side exceeded when its flag fell on move `number`, with `left` as the allowance, such as
    /// `more than 5m`.
    pub fn overrun(self, left: Duration, number: u32) -> String {
        match self.sudden_death_time() {
            Some(time) => format!("more than {}", humantime::format_duration(time)),
            None => {
                let left = humantime::format_duration(left);
                format!("more than the remaining {left} for move {number} ({})", self.shown())
            }
        }
    }

    /// The part that remains in reserve if the allowance is `allowance`; `None` if the control has no reserve.
    pub fn reserve(self, allowance: Duration) -> Option<Reserve> {
        match (self, self.remaining(allowance)) {
            (Self::PerMove { bank: Duration::ZERO, .. }, _) | (_, Self::Game { .. }) => None,
            (_, Self::ByoYomi { periods, .. }) => Some(Reserve::Periods(periods)),
            (_, Self::PerMove { bank, .. }) => Some(Reserve::Bank(bank)),
        }
    }

    /// Whether each turn has the same time, regardless of how long earlier turns took. If so, only the last turn
    /// can make the flag fall.
    pub const fn is_the_same_each_turn(self) -> bool {
        matches!(self, Self::PerMove { bank: Duration::ZERO, .. })
    }

    /// The most time that a side can use for `moves` moves.
    pub fn usable_in(self, moves: u32) -> Duration {
        let more = moves.saturating_sub(1);
        match self {
            Self::Game { time, increment } => time.saturating_add(increment.saturating_mul(more)),
            Self::ByoYomi { period, .. } => self.allowance().saturating_add(period.saturating_mul(more)),
            Self::PerMove { move_time, bank } => bank.saturating_add(move_time.saturating_mul(moves)),
        }
    }
}

/// The number of periods of length `period` that are needed for `time`.
fn periods_in(time: Duration, period: Duration) -> u32 {
    u32::try_from(time.as_nanos().div_ceil(period.as_nanos())).unwrap_or(u32::MAX)
}

/// The part of a clock that remains in reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// The number of periods of a byo-yomi, including the current one.
    Periods(u32),
    /// The bank.
    Bank(Duration),
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Any time control of one side, with times of up to half an hour.
    pub(crate) fn any_side_control() -> impl Strategy<Value = SideControl> {
        let time = || (1_u64..1_800_000_000).prop_map(Duration::from_micros);
        prop_oneof![
            time().prop_map(SideControl::sudden_death),
            (time(), time()).prop_map(|(time, increment)| SideControl::Game { time, increment }),
            (proptest::option::of(time()), 1..9_u32, time()).prop_map(|(time, periods, period)| {
                SideControl::ByoYomi { time: time.unwrap_or_default(), periods, period }
            }),
            (time(), proptest::option::of(time()))
                .prop_map(|(move_time, bank)| SideControl::PerMove { move_time, bank: bank.unwrap_or_default() }),
        ]
    }

    /// Any time control.
    pub(crate) fn any_control() -> impl Strategy<Value = TimeControl> {
        prop_oneof![
            1 => Just(TimeControl::Unlimited),
            3 => any_side_control().prop_map(TimeControl::both),
            3 => (any_side_control(), any_side_control())
                .prop_map(|(black, white)| TimeControl::Clocks(BySide { black, white })),
        ]
    }

    /// The allowances, in seconds, after turns of the given lengths in seconds; the last is `None` if the flag falls.
    fn allowances(control: SideControl, turns: &[u64]) -> Vec<Option<u64>> {
        let mut allowance = Some(control.allowance());
        let after = |&seconds: &u64| {
            allowance = control.after(allowance?, SECOND * u32::try_from(seconds).ok()?);
            allowance.map(|time| time.as_secs())
        };
        turns.iter().map(after).collect()
    }

    #[test]
    fn larger_boards_have_longer_games() {
        let moves = ["gothello", "othello", "go-19", "quantum"].map(|name| name.parse().map(many_moves).ok());
        assert_eq!(moves, [Some(50), Some(64), Some(361), Some(221)]);
    }

    #[test]
    fn an_increment_is_added_after_each_move() {
        let control = SideControl::Game { time: 10 * SECOND, increment: 2 * SECOND };
        assert_eq!(allowances(control, &[1, 0, 13, 3]), [Some(11), Some(13), Some(2), None]);
    }

    #[test]
    fn a_period_comes_back_unless_it_is_exceeded() {
        let control = SideControl::ByoYomi { time: 10 * SECOND, periods: 3, period: 5 * SECOND };
        assert_eq!(control.allowance(), 25 * SECOND);
        // The main time runs out exactly; then 5 s fit into one period, 6 s need two, and the last 5 s fit into the
        // only period that is left.
        assert_eq!(
            allowances(control, &[4, 6, 5, 6, 0, 10, 5, 6]),
            [Some(21), Some(15), Some(15), Some(10), Some(10), Some(5), Some(5), None]
        );
        // A turn that starts in the main time can use periods as well.
        assert_eq!(allowances(control, &[25]), [Some(5)]);
        assert_eq!(allowances(control, &[26]), [None]);
    }

    #[test]
    fn a_bank_pays_what_a_move_takes_longer() {
        let control = SideControl::PerMove { move_time: 3 * SECOND, bank: 4 * SECOND };
        assert_eq!(allowances(control, &[1, 3, 5, 0, 5, 4]), [Some(7), Some(7), Some(5), Some(5), Some(3), None]);
    }

    #[test]
    fn what_remains_is_in_the_terms_of_the_control() {
        let byo_yomi = SideControl::ByoYomi { time: 10 * SECOND, periods: 3, period: 5 * SECOND };
        let remaining = |seconds| byo_yomi.remaining(SECOND * seconds).to_string();
        assert_eq!([25, 16, 15, 14, 10, 5].map(remaining), ["10:3x5", "1:3x5", "0:3x5", "0:3x5", "0:2x5", "0:1x5"]);
        let banked = SideControl::PerMove { move_time: SECOND, bank: 9 * SECOND };
        assert_eq!(
            [10, 4, 1].map(|seconds| banked.remaining(SECOND * seconds).to_string()),
            ["1/move+9bank", "1/move+3bank", "1/move"]
        );
    }

    #[test]
    fn turns_are_independent_only_without_a_bank() {
        let same = |control: &str| control.parse().map(SideControl::is_the_same_each_turn);
        assert_eq!(
            ["1/move", "1/move+60bank", "60+1", "0:3x5", "60"].map(same),
            [Ok(true), Ok(false), Ok(false), Ok(false), Ok(false)]
        );
    }

    proptest! {
        /// The flag falls exactly when a turn takes longer than its allowance, and a side never uses more time than
        /// [`SideControl::usable_in`] returns.
        #[test]
        fn the_flag_falls_exactly_when_the_allowance_is_exceeded(
            control in any_side_control(), turns in proptest::collection::vec(0_u64..2_000_000_000, 1..40)
        ) {
            let (mut allowance, mut used, mut moves) = (control.allowance(), Duration::ZERO, 0);
            for micros in turns {
                let elapsed = Duration::from_micros(micros);
                let Some(after) = control.after(allowance, elapsed) else {
                    prop_assert!(elapsed > allowance);
                    return Ok(());
                };
                prop_assert!(elapsed <= allowance);
                moves += 1;
                used += elapsed;
                prop_assert!(used <= control.usable_in(moves));
                // The parts that remain are the whole state of the clock.
                prop_assert_eq!(control.remaining(after).allowance(), after);
                let growth = match control {
                    SideControl::Game { increment, .. } => increment,
                    _ => Duration::ZERO,
                };
                prop_assert!(after <= allowance + growth);
                allowance = after;
            }
        }

        #[test]
        fn a_turn_without_time_costs_nothing(control in any_side_control(), elapsed in 0_u64..2_000_000_000) {
            let allowance = control.after(control.allowance(), Duration::from_micros(elapsed)).unwrap_or_default();
            if !allowance.is_zero() {
                let growth = if let SideControl::Game { increment, .. } = control { increment } else { Duration::ZERO };
                prop_assert_eq!(control.after(allowance, Duration::ZERO), Some(allowance + growth));
            }
        }
    }
}
