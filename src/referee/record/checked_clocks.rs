//! Follows the clocks of a game while its record is checked.

use std::time::Duration;

use super::Ply;
use super::check_errors::Contradiction;
use crate::game::BySeat;
use crate::referee::time_control::{SideControl, TimeControl};
use crate::referee::times::whole_micros;

/// Which times of a ply are recorded.
#[derive(Clone, Copy, Default)]
struct KeptTimes {
    elapsed: bool,
    left: bool,
}

/// The clocks of all seats while a record is checked.
pub(super) struct Clocks {
    pub(super) control: Option<TimeControl>,
    /// The time that each seat may use for its next turn, if it is known.
    pub(super) left: BySeat<Option<Duration>>,
    /// Which times are recorded for the first ply played by a player. The other plies must have the same kinds of
    /// times.
    kept: Option<KeptTimes>,
}

impl Clocks {
    /// The clocks of `seats` seats under `control`. `first` is the first ply that was played.
    pub(super) fn new(seats: u8, control: Option<TimeControl>, first: Option<&Ply>) -> Self {
        let left = BySeat::from_fn(seats, |seat| control.and_then(|control| control.first_allowance(seat)));
        let kept = first.map(|ply| KeptTimes { elapsed: ply.elapsed.is_some(), left: ply.left.is_some() });
        Self { control, left, kept }
    }

    /// Whether the record contains the times spent. A record without plies counts as containing them.
    pub(super) fn are_timed(&self) -> bool {
        self.kept.is_none_or(|kept| kept.elapsed)
    }

    /// Whether the game had clocks.
    pub(super) const fn are_running(&self) -> bool {
        matches!(self.control, Some(TimeControl::Clocks(_)))
    }

    /// Checks the times of `ply`, and charges them to the clocks.
    pub(super) fn press(&mut self, ply: &Ply) -> Result<(), Contradiction> {
        let whole = |time: Option<Duration>| time.is_none_or(|time| time == whole_micros(time));
        if !whole(ply.elapsed) || !whole(ply.left) {
            return Err(Contradiction::FractionOfMicrosecond);
        }
        let kept = self.kept.unwrap_or_default();
        if ply.elapsed.is_some() != kept.elapsed {
            return Err(Contradiction::SomeElapsed);
        }
        if self.control == Some(TimeControl::Unlimited) && (ply.left.is_some() || ply.late_credit) {
            return Err(Contradiction::NoClocks);
        }
        if ply.left.is_some() != kept.left {
            return Err(Contradiction::SomeLeft);
        }
        // A control that is not recorded is treated as sudden death.
        let control = self.control.and_then(|control| control.of(ply.seat));
        let control = control.unwrap_or(SideControl::sudden_death(Duration::ZERO));
        let exhausted = self.left[ply.seat].map_or(Some(Duration::ZERO), |before| control.after(before, before));
        if ply.late_credit && ply.left != exhausted {
            return Err(Contradiction::LateCredit);
        }
        let clock = &mut self.left[ply.seat];
        let after = match (*clock, ply.elapsed) {
            // The first clock of a seat whose time control is not recorded.
            (None, _) => ply.left,
            (Some(before), Some(elapsed)) => Some(spend(control, before, elapsed, ply.late_credit)?),
            (Some(before), None) => {
                let most = control.after(before, Duration::ZERO).unwrap_or(before);
                match ply.left {
                    Some(left) if left > most => return Err(Contradiction::ClockGained { left, most }),
                    left => left.or(Some(most)),
                }
            }
        };
        if let (Some(left), Some(expected)) = (ply.left, after)
            && left != expected
        {
            return Err(Contradiction::WrongClock { left, expected });
        }
        *clock = after;
        Ok(())
    }
}

/// The time left of `before` after a turn that took `elapsed`. With late credit, a longer turn counts as if it had used
/// exactly `before`.
fn spend(
    control: SideControl,
    before: Duration,
    elapsed: Duration,
    late_credit: bool,
) -> Result<Duration, Contradiction> {
    let charged = if late_credit { elapsed.min(before) } else { elapsed };
    control.after(before, charged).ok_or(Contradiction::FlagFell { elapsed, left: before })
}
