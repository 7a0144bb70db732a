//! The clock of each side in an ordinary game, from which all scenarios derive theirs.

use std::time::Duration;

use crate::game::{BySide, Ruleset, Side};
use crate::referee::clock::Meter;
use crate::referee::time_control::{MANY_MOVES, SideControl, TimeControl, many_moves};

/// The clock of each side in an ordinary game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrdinaryClock {
    /// The time control.
    pub control: SideControl,
    /// How much wall time all of a side's turns together may take if the clock counts CPU time; `None` if the clock
    /// counts wall time.
    pub wall_limit: Option<Duration>,
}

impl OrdinaryClock {
    /// The clock for a bot without a tournament, or without clocks in its tournament.
    pub const DEFAULT: Self = Self::of_wall_time(SideControl::sudden_death(Duration::from_secs(10)));

    /// A clock that counts wall time.
    pub const fn of_wall_time(control: SideControl) -> Self {
        Self { control, wall_limit: None }
    }

    /// The clock for a tournament with these clocks and this `meter`. It is the stricter of the two sides' clocks,
    /// since a bot has to cope with both: the clock that allows less time for a long game or, if both allow the same
    /// time for it, less for the first turn.
    pub fn of(clocks: TimeControl, meter: Meter) -> Self {
        let each = Side::BOTH
            .into_iter()
            .filter_map(|side| clocks.of(side).map(|control| Self { control, wall_limit: meter.wall_limit(side) }));
        each.min_by_key(|clock| (clock.control.usable_in(MANY_MOVES), clock.control.allowance()))
            .unwrap_or(Self::DEFAULT)
    }

    /// A clock with `control` that measures the same kind of time. Its limit of wall time is in proportion to the time
    /// that it allows for a long game of `ruleset`.
    #[must_use]
    pub fn with_control(self, control: SideControl, ruleset: Ruleset) -> Self {
        let usable = |control: SideControl| control.usable_in(many_moves(ruleset)).as_micros();
        let (allowed, ordinary) = (usable(control), usable(self.control).max(1));
        let in_proportion = |limit: Duration| {
            let micros = limit.as_micros().saturating_mul(allowed) / ordinary;
            Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
        };
        Self { control, wall_limit: self.wall_limit.map(in_proportion) }
    }

    /// The kind of time that the clocks of a scenario measure. `clocks` are their time controls.
    pub fn meter(self, clocks: TimeControl, ruleset: Ruleset) -> Meter {
        let limit = |side| self.with_control(clocks.of(side)?, ruleset).wall_limit;
        BySide::from_fn(limit).both().map_or(Meter::Wall, |wall_limit| Meter::Cpu { wall_limit })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::referee::time_control::tests::any_side_control;

    fn clocks(text: &str) -> TimeControl {
        text.parse().expect("clocks")
    }

    const fn cpu(black: u64, white: u64) -> Meter {
        Meter::Cpu { wall_limit: BySide { black: Duration::from_secs(black), white: Duration::from_secs(white) } }
    }

    #[test]
    fn an_ordinary_game_has_the_stricter_clock_or_ten_seconds() {
        for (text, expected) in [
            ("-", "10"),
            ("60", "60"),
            ("60+1", "60+1"),
            ("black 3 white 60", "3"),
            ("black 60 white 5", "5"),
            ("black 60 white 20+1", "60"),
            ("black 1/move+60bank white 1/move", "1/move"),
            ("black 50 white 1/move", "1/move"),
            ("black 10:2x5 white 1/move+30bank", "1/move+30bank"),
        ] {
            let clock = OrdinaryClock::of(clocks(text), Meter::Wall);
            assert_eq!((clock.control.to_string().as_str(), clock.wall_limit), (expected, None), "{text}");
        }
    }

    #[test]
    fn a_clock_of_cpu_time_has_the_wall_limit_of_its_side_and_scenarios_one_in_proportion() {
        let limit = |text, meter| OrdinaryClock::of(clocks(text), meter).wall_limit.map(|limit| limit.as_secs());
        assert_eq!(limit("60", cpu(600, 600)), Some(600));
        assert_eq!(limit("black 60 white 5", cpu(600, 50)), Some(50));
        assert_eq!(limit("black 3 white 60", cpu(30, 600)), Some(30));
        let ordinary = OrdinaryClock::of(clocks("60"), cpu(90, 90));
        for (scenario, expected) in
            [("60", cpu(90, 90)), ("2", cpu(3, 3)), ("black 120 white 20", cpu(180, 30)), ("-", Meter::Wall)]
        {
            assert_eq!(ordinary.meter(clocks(scenario), Ruleset::Gothello), expected, "{scenario}");
        }
        let of_wall_time = OrdinaryClock::of_wall_time(ordinary.control);
        assert_eq!(of_wall_time.meter(clocks("60"), Ruleset::Gothello), Meter::Wall);
    }

    proptest! {
        /// A scenario with the ordinary clocks has the same limit of wall time as the tournament.
        #[test]
        fn the_ordinary_clocks_keep_their_limit(control in any_side_control(), limit in 1_u64..1 << 40) {
            let wall_limit = Duration::from_micros(limit);
            let both = TimeControl::both(control);
            let meter = Meter::Cpu { wall_limit: BySide { black: wall_limit, white: wall_limit } };
            prop_assert_eq!(OrdinaryClock::of(both, meter).meter(both, Ruleset::Gothello), meter);
        }
    }
}
