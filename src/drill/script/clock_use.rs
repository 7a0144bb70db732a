//! How close a bot came to the end of its clock in a game, in terms of its time control.

use std::fmt;
use std::time::Duration;

use super::{BoutEnd, BoutFacts};
use crate::base::units::counted;
use crate::referee::time_control::SideControl;
use crate::referee::times::DecimalSeconds;

/// The percentage of a part of its clock that a bot may use without a warning.
const CLOCK_SHARE: u32 = 90;

/// How much a bot used of the decisive part of its clock. The flag falls when this part runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockUse {
    /// The part of the clock.
    pub part: ClockPart,
    /// How much of this part was used. On a clock of wall time, this includes the time that the bot waited for a core.
    pub used: Duration,
    /// The full amount of this part.
    pub whole: Duration,
    /// The number of the last turn. If the flag fell, it fell in this turn.
    last_turn: u32,
    /// Whether the clock counts CPU time.
    is_cpu: bool,
}

/// A part of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockPart {
    /// The time for the whole game, without an increment.
    Game,
    /// The main time of a clock with an increment. The amount used is measured at the moment when the least time was
    /// left.
    MainTime,
    /// The last byo-yomi period.
    LastPeriod,
    /// The time for a move, without a bank.
    Move {
        /// The number of the slowest move.
        number: u32,
    },
    /// The bank.
    Bank {
        /// The time for each move. The bank pays for any time beyond it.
        move_time: Duration,
        /// How many moves the bank paid for.
        moves: u32,
    },
}

/// One of the bot's turns.
#[derive(Clone, Copy)]
struct TimedTurn {
    /// The time that it was allowed.
    allowance: Duration,
    /// The time that it took.
    elapsed: Duration,
}

impl ClockUse {
    /// How the bot used its clock in `game`; `None` without clocks.
    pub fn of(game: &BoutFacts) -> Option<Self> {
        let control = game.time_control.of(game.side)?;
        let turns = turns(game, control);
        let lowest = turns.iter().map(|turn| turn.allowance.saturating_sub(turn.elapsed)).min();
        let down_from = |whole: Duration| whole.saturating_sub(lowest.unwrap_or(whole));
        let (part, used, whole) = match control {
            SideControl::Game { time, increment: Duration::ZERO } => (ClockPart::Game, game.used, time),
            SideControl::Game { time, .. } => (ClockPart::MainTime, down_from(time), time),
            SideControl::ByoYomi { period, .. } => (ClockPart::LastPeriod, down_from(period), period),
            SideControl::PerMove { move_time, bank: Duration::ZERO } => {
                let slowest = (1..).zip(&turns).max_by_key(|(_, turn)| turn.elapsed);
                let (number, used) = slowest.map_or((0, Duration::ZERO), |(number, turn)| (number, turn.elapsed));
                (ClockPart::Move { number }, used, move_time)
            }
            SideControl::PerMove { move_time, bank } => {
                let paid = turns.iter().map(|turn| turn.elapsed.min(turn.allowance).saturating_sub(move_time));
                let paid: Vec<Duration> = paid.filter(|paid| !paid.is_zero()).collect();
                (ClockPart::Bank { move_time, moves: number(paid.len()) }, paid.iter().sum(), bank)
            }
        };
        Some(Self { part, used, whole, last_turn: number(turns.len()), is_cpu: game.counts_cpu() })
    }

    /// Whether more than nine tenths were used, even after `starved`, the time that the bot waited for a core, is
    /// deducted.
    pub fn is_nearly_all(&self, starved: Duration) -> bool {
        self.used.saturating_sub(starved) * 100 > self.whole * CLOCK_SHARE
    }

    /// What was used up when the flag fell, worded to follow a colon, such as `its move 4 took longer than the 1 s
    /// allowed for a move`.
    pub fn of_flag_fall(&self) -> String {
        let Self { part, last_turn, .. } = *self;
        let whole = self.shown_whole();
        match part {
            ClockPart::Game => format!("it had used all of its {whole}"),
            ClockPart::MainTime => format!("it had used all of its {whole}, and all of its increments"),
            ClockPart::LastPeriod => format!("its move {last_turn} did not end within the last period of {whole}"),
            ClockPart::Move { .. } => format!("its move {last_turn} took longer than the {whole} allowed for a move"),
            ClockPart::Bank { move_time, .. } => format!(
                "its move {last_turn} took longer than the {} allowed for a move plus what was left of the bank of {whole}",
                seconds(move_time)
            ),
        }
    }
}

impl ClockUse {
    /// The full amount of the part, such as `10 s` or `10 s of CPU time`.
    fn shown_whole(&self) -> String {
        format!("{}{}", seconds(self.whole), if self.is_cpu { " of CPU time" } else { "" })
    }
}

/// Writes the rest of a sentence about the bot, such as `used 9.5 of 10 s`.
impl fmt::Display for ClockUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, used, whole, .. } = *self;
        let shown_whole = self.shown_whole();
        let of_whole = format!("{} of {shown_whole}", measured(used, whole));
        let rest = measured(whole.saturating_sub(used), whole);
        match part {
            ClockPart::Game => write!(f, "used {of_whole}"),
            ClockPart::MainTime => {
                write!(f, "had only {rest} s of its initial {shown_whole} left at one point")
            }
            ClockPart::LastPeriod => {
                write!(f, "was {rest} s from the end of its last period of {shown_whole}")
            }
            ClockPart::Move { number } => write!(f, "used {of_whole} for its move {number}"),
            ClockPart::Bank { move_time, moves } => write!(
                f,
                "used {of_whole} from its bank on {} that took longer than {}",
                counted(moves, "move"),
                seconds(move_time)
            ),
        }
    }
}

/// The bot's turns under `control`. If the flag fell, no move was made in the last turn.
fn turns(game: &BoutFacts, control: SideControl) -> Vec<TimedTurn> {
    let mut times: Vec<Duration> = game.own_plies().map(|ply| ply.elapsed.unwrap_or_default()).collect();
    if matches!(game.end, BoutEnd::FlagFell | BoutEnd::OutOfWallTime) {
        times.push(game.used.saturating_sub(times.iter().sum()));
    }
    let mut allowance = control.allowance();
    let turn = |elapsed: Duration| {
        let turn = TimedTurn { allowance, elapsed };
        allowance = control.after(allowance, elapsed).unwrap_or_default();
        turn
    };
    times.into_iter().map(turn).collect()
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A time from a time control, in seconds.
fn seconds(time: Duration) -> String {
    format!("{} s", DecimalSeconds(time))
}

/// A measured time in seconds, to be compared with `whole`, with enough decimals to distinguish 0.95 s from 1 s.
fn measured(time: Duration, whole: Duration) -> String {
    let decimals = if whole.as_secs() < 10 { 2 } else { 1 };
    format!("{:.decimals$}", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ruleset, Side};
    use crate::referee::record::{Ply, Tries};
    use crate::referee::result::GameResult;
    use crate::referee::time_control::TimeControl;

    fn begun(time_control: TimeControl) -> BoutFacts {
        BoutFacts::not_begun(Side::Black, Ruleset::Gothello, time_control)
    }

    /// A game under `control` in which the bot's turns take `turns`, in milliseconds. If `flags`, the flag falls in the
    /// last turn.
    fn game(control: &str, turns: &[u64], flags: bool) -> BoutFacts {
        let mut game = begun(TimeControl::both(control.parse().expect("a control")));
        let moves = &turns[..turns.len() - usize::from(flags)];
        let ply = |&millis: &u64| Ply {
            seat: Side::Black.into(),
            played: "c3".parse().expect("a move"),
            elapsed: Some(Duration::from_millis(millis)),
            left: None,
            late_credit: false,
            tries: Tries::default(),
            thought: None,
            note: None,
        };
        game.plies = moves.iter().map(ply).collect();
        game.used = Duration::from_millis(turns.iter().sum());
        game.end = if flags { BoutEnd::FlagFell } else { BoutEnd::Played(GameResult::resigned(Side::White)) };
        game
    }

    fn used(control: &str, turns: &[u64], flags: bool) -> ClockUse {
        ClockUse::of(&game(control, turns, flags)).expect("clocks")
    }

    #[test]
    fn what_is_nearly_all_depends_on_the_control() {
        for (control, turns, expected, is_nearly_all) in [
            ("10", &[4_000, 5_000][..], "used 9.0 of 10 s", false),
            ("10", &[4_000, 5_001], "used 9.0 of 10 s", true),
            // The clock shows 10, 2, 3, 0.5 and 5 s at these points.
            ("10+1", &[9_000, 100], "had only 1.0 s of its initial 10 s left at one point", false),
            ("10+1", &[9_500, 100], "had only 0.5 s of its initial 10 s left at one point", true),
            ("3+1", &[900; 20], "had only 2.10 s of its initial 3 s left at one point", false),
            // The bot may use up all periods but the last.
            ("10:2x5", &[9_000, 6_000], "was 5.00 s from the end of its last period of 5 s", false),
            ("10:2x5", &[9_000, 10_800], "was 0.20 s from the end of its last period of 5 s", true),
            ("0:1x5", &[4_000, 100], "was 1.00 s from the end of its last period of 5 s", false),
            ("1/move", &[400, 900, 10], "used 0.90 of 1 s for its move 2", false),
            ("1/move", &[400, 950, 10], "used 0.95 of 1 s for its move 2", true),
            (
                "1/move+5bank",
                &[1_000, 1_200, 2_300, 900],
                "used 1.50 of 5 s from its bank on 2 moves that took longer than 1 s",
                false,
            ),
            ("1/move+5bank", &[5_800], "used 4.80 of 5 s from its bank on 1 move that took longer than 1 s", true),
        ] {
            let used = used(control, turns, false);
            assert_eq!(
                (used.to_string().as_str(), used.is_nearly_all(Duration::ZERO)),
                (expected, is_nearly_all),
                "{control}"
            );
            // Deducting a second of waiting for a core makes the difference.
            assert!(!used.is_nearly_all(Duration::from_secs(1)), "{control}");
        }
    }

    /// The reported use is the time that was charged, whichever kind of time the clock counts.
    #[test]
    fn the_use_of_a_clock_of_cpu_time_says_so() {
        let told = |control: &str, turns: &[u64]| {
            let counted = BoutFacts { wall_limit: Some(Duration::from_mins(1)), ..game(control, turns, false) };
            ClockUse::of(&counted).expect("clocks").to_string()
        };
        assert_eq!(told("10", &[4_000, 5_001]), "used 9.0 of 10 s of CPU time");
        assert_eq!(told("1/move", &[400, 950, 10]), "used 0.95 of 1 s of CPU time for its move 2");
        let fallen = BoutFacts { wall_limit: Some(Duration::from_mins(1)), ..game("10", &[9_000, 1_001], true) };
        let used = ClockUse::of(&fallen).expect("clocks");
        assert_eq!(used.of_flag_fall(), "it had used all of its 10 s of CPU time");
        // The turn that was cut off when the wall time ran out contributes the CPU time that it had used.
        let waited = BoutFacts { end: BoutEnd::OutOfWallTime, ..fallen };
        assert_eq!(ClockUse::of(&waited).map(|used| used.used), Some(Duration::from_millis(10_001)));
    }

    #[test]
    fn a_flag_fall_is_described_in_the_terms_of_the_control() {
        for (control, turns, expected) in [
            ("10", &[6_000, 4_001][..], "it had used all of its 10 s"),
            ("5+1", &[4_000, 2_001], "it had used all of its 5 s, and all of its increments"),
            ("0:2x5", &[6_000, 5_001], "its move 2 did not end within the last period of 5 s"),
            ("1/move", &[900, 100, 1_001], "its move 3 took longer than the 1 s allowed for a move"),
            (
                "1/move+2bank",
                &[2_500, 1_501],
                "its move 2 took longer than the 1 s allowed for a move plus what was left of the bank of 2 s",
            ),
        ] {
            let used = used(control, turns, true);
            assert_eq!(used.of_flag_fall(), expected);
            assert!(used.is_nearly_all(Duration::ZERO), "{control}: {used:?}");
        }
        assert_eq!(ClockUse::of(&begun(TimeControl::Unlimited)), None);
    }
}
