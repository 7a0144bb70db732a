//! The time left on the clocks at the end of a game.

use std::time::Duration;

use super::{GameRecord, GroupRecord, Ply, Unfinished};
use crate::game::{Seat, Side};
use crate::referee::clock::Meter;
use crate::referee::result::{GameResult, Termination};
use crate::referee::time_control::{SideControl, TimeControl};

/// The time left after a flag has fallen, under any control. Its text is `0`.
const NOTHING: SideControl = SideControl::sudden_death(Duration::ZERO);

impl GameRecord {
    /// The time that `side` had left at the end of the game, in the form of its control; `0` if its flag had fallen. A
    /// turn that was cut off by the game's end is charged, but earns no increment, because no move was made in it. As
    /// in the check of a record, a control that is not recorded is treated as sudden death.
    ///
    /// `None` without clocks, or if the times that the side spent are not recorded.
    pub fn left(&self, side: Side) -> Option<SideControl> {
        let control = match self.clocks() {
            Some(TimeControl::Unlimited) => return None,
            Some(TimeControl::Clocks(controls)) => Some(controls[side]),
            None => None,
        };
        if control.is_some() && self.has_fallen_flag(side) {
            return Some(NOTHING);
        }
        let plies = self.plies.iter().skip(self.opening_plies).filter(|ply| ply.side() == side);
        left(control, plies, self.unfinished.as_ref().filter(|turn| turn.side() == side))
    }

    /// Whether the clock of `side` is known to have run out. With CPU time, this is `false`, because a loss on time can
    /// also be due to the limit of wall time.
    fn has_fallen_flag(&self, side: Side) -> bool {
        let lost_on_time =
            |result: &GameResult| result.termination() == Termination::Time && result.winner() == Some(side.opponent());
        self.meter == Meter::Wall && self.result.as_ref().is_ok_and(lost_on_time)
    }
}

impl GroupRecord {
    /// The time that `seat` had left at the end of the game. This is the equivalent of [`GameRecord::left`] for more
    /// than two seats.
    pub fn left(&self, seat: Seat) -> Option<SideControl> {
        let control = match self.clocks() {
            Some(TimeControl::Unlimited) => return None,
            // All seats have the same clock.
            Some(TimeControl::Clocks(controls)) => Some(controls.black),
            None => None,
        };
        let has_fallen_flag = self.out(seat).is_some_and(|out| out.termination == Termination::Time);
        if control.is_some() && self.meter == Meter::Wall && has_fallen_flag {
            return Some(NOTHING);
        }
        let plies = self.plies.iter().filter(|ply| ply.seat == seat);
        left(control, plies, self.unfinished.iter().find(|turn| turn.seat == seat))
    }
}

/// The time left on a clock under `control` after the `plies` and the `unfinished` turn of its seat. A control that is
/// not known is treated as sudden death.
fn left<'p>(
    control: Option<SideControl>,
    plies: impl Iterator<Item = &'p Ply>,
    unfinished: Option<&Unfinished>,
) -> Option<SideControl> {
    let mut allowance = control.map(SideControl::allowance);
    let control = control.unwrap_or(NOTHING);
    for ply in plies {
        allowance = ply.left.or_else(|| control.after(allowance?, ply.elapsed?));
    }
    let Some(turn) = unfinished else {
        return allowance.map(|allowance| control.remaining(allowance));
    };
    let (allowance, elapsed) = (allowance?, turn.elapsed?);
    let charged = match control {
        SideControl::Game { .. } => allowance.checked_sub(elapsed),
        SideControl::ByoYomi { .. } | SideControl::PerMove { .. } => control.after(allowance, elapsed),
    };
    // A turn can exceed its allowance without a flag fall, because the arena reacts late.
    Some(charged.map_or(NOTHING, |left| control.remaining(left)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BySide;

    /// The time left on both clocks of a game under `control` after `moves`, the last word of which is the result.
    fn left(control: &str, termination: &str, moves: &str) -> [String; 2] {
        let (_, result) = moves.rsplit_once(' ').expect("moves and a result");
        let record: GameRecord = format!(
            "[Black \"a\"]\n[White \"b\"]\n[Result \"{result}\"]\n[TimeControl \"{control}\"]\n[Termination \"{termination}\"]\n\n{moves}\n"
        )
        .parse()
        .unwrap_or_else(|error| panic!("{error}"));
        let BySide { black, white } =
            BySide::from_fn(|side| record.left(side).map_or_else(|| "-".to_owned(), |left| left.to_string()));
        [black, white]
    }

    /// The first move of each side: black used 4 s, and white used 2 s.
    const MOVES: &str = "1. c3 {[%emt 0:00:04]} b2 {[%emt 0:00:02]}";

    #[test]
    fn what_is_left_is_in_the_terms_of_each_control() {
        let over = |control| left(control, "crash", &format!("{MOVES} 1-0"));
        assert_eq!(over("60"), ["56", "58"]);
        assert_eq!(over("60+1"), ["57+1", "59+1"]);
        assert_eq!(over("3:5x30"), ["0:5x30", "1:5x30"]);
        assert_eq!(over("3/move+9bank"), ["3/move+8bank", "3/move+9bank"]);
        assert_eq!(over("black 60+1 white 3/move"), ["57+1", "3/move"]);
        assert_eq!(over("-"), ["-", "-"]);
    }

    #[test]
    fn a_turn_that_was_cut_off_is_charged_but_earns_nothing() {
        let resigned = |control| left(control, "resignation", &format!("{MOVES} {{[%unfinished 0:00:35]}} 1-0"));
        assert_eq!(resigned("60"), ["21", "58"]);
        assert_eq!(resigned("60+1"), ["22+1", "59+1"]);
        assert_eq!(resigned("3:5x30"), ["0:4x30", "1:5x30"]);
        assert_eq!(resigned("30/move+9bank"), ["30/move+4bank", "30/move+9bank"]);
        assert_eq!(resigned("20"), ["0", "18"], "the arena was late");
    }

    #[test]
    fn nothing_is_left_under_a_fallen_flag() {
        for control in ["60", "60+1", "3:1x30", "3/move", "3/move+9bank"] {
            let fallen = left(control, "time", &format!("{MOVES} {{[%unfinished 0:05:00]}} 1-0"));
            assert_eq!(fallen[0], "0", "{control}");
        }
        let cpu = "60\"]\n[Clock \"cpu wall 600";
        let waited = left(cpu, "time", &format!("{MOVES} {{[%unfinished 0:00:01]}} 1-0"));
        assert_eq!(waited, ["55", "58"], "the clock had not run out");
    }

    #[test]
    fn what_is_not_recorded_is_unknown() {
        assert_eq!(left("60+1", "crash", "1. c3 b2 1-0"), ["-", "-"]);
        assert_eq!(left("60+1", "crash", "1. c3 1-0"), ["-", "60+1"], "white has not moved");
        assert_eq!(left("60+1", "crash", "1. c3 {[%emt 0:00:04]} {[%garbled \"x\"]} 1-0"), ["57+1", "-"]);
        assert_eq!(left("?", "crash", "1. c3 {[%clk 0:00:56]} 1-0"), ["56", "-"]);
        assert_eq!(left("?", "crash", &format!("{MOVES} 1-0")), ["-", "-"]);
        let opening = "60\"]\n[OpeningPlies \"2";
        assert_eq!(left(opening, "crash", "1. c3 b2 2. d4 {[%emt 0:00:04]} 1-0"), ["56", "60"]);
    }
}
