//! The resources that a player's processes used in a game, and what they indicate about a loss on time.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::digits::parse_digits;
use crate::base::word_enum::words;
use crate::game::{BySide, Side};
use crate::referee::result::{GameResult, Termination};
use crate::referee::times::{parse_seconds, seconds_text};

/// The resources that all of a player's processes used in a game, from the start of its program to the end of its last
/// process. See docs/reference/confinement.md for how each figure is measured.
///
/// Its text form is the value of a tag in a log: `user 0.123456 system 0.012345 wall 1.234567 memory 12345678 processes
/// 3 written 4096`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// User CPU time, in whole microseconds.
    pub user: Duration,
    /// System CPU time, in whole microseconds.
    pub system: Duration,
    /// Wall time from the program's start to its end, or to the game's end if that came first, in whole microseconds.
    pub wall: Duration,
    /// Peak memory, in bytes.
    pub peak_memory: u64,
    /// The highest number of simultaneous processes and threads.
    pub processes: u64,
    /// Bytes written to files, pipes, stdout and stderr.
    pub written: u64,
}

impl Usage {
    /// User and system CPU time together.
    pub const fn cpu(&self) -> Duration {
        self.user.saturating_add(self.system)
    }

    /// The usage of a player whose program was replaced by another program with the usage `next`. Both programs may
    /// have run at the same time for a moment.
    #[must_use]
    pub fn followed_by(self, next: Self) -> Self {
        Self {
            user: self.user.saturating_add(next.user),
            system: self.system.saturating_add(next.system),
            wall: self.wall.saturating_add(next.wall),
            peak_memory: self.peak_memory.max(next.peak_memory),
            processes: self.processes.max(next.processes),
            written: self.written.saturating_add(next.written),
        }
    }
}

/// The names of the figures, in the order in which `Display` writes them.
const NAMES: [&str; 6] = ["user", "system", "wall", "memory", "processes", "written"];

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [user, system, wall] = [self.user, self.system, self.wall].map(seconds_text);
        let [memory, processes, written] = [self.peak_memory, self.processes, self.written].map(|n| n.to_string());
        for (name, value) in NAMES.into_iter().zip([user, system, wall, memory, processes, written]) {
            let gap = if name == NAMES[0] { "" } else { " " };
            write!(f, "{gap}{name} {value}")?;
        }
        Ok(())
    }
}

/// The error for text that is not a [`Usage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected `user 0.1 system 0.1 wall 0.1 memory 1 processes 1 written 1`, in seconds and bytes")]
pub struct NotAUsage;

/// Reads the text that `Display` writes. The names must be in the same order; seconds can have fewer decimals, and
/// words can be separated by any whitespace.
impl FromStr for Usage {
    type Err = NotAUsage;

    fn from_str(text: &str) -> Result<Self, NotAUsage> {
        let mut words = text.split_whitespace();
        let mut values = [""; NAMES.len()];
        for (name, value) in NAMES.into_iter().zip(&mut values) {
            if words.next() != Some(name) {
                return Err(NotAUsage);
            }
            *value = words.next().ok_or(NotAUsage)?;
        }
        if words.next().is_some() {
            return Err(NotAUsage);
        }
        let [user, system, wall, memory, processes, written] = values;
        let time = |text| parse_seconds(text).ok_or(NotAUsage);
        let number = |text: &str| parse_digits(text).ok_or(NotAUsage);
        Ok(Self {
            user: time(user)?,
            system: time(system)?,
            wall: time(wall)?,
            peak_memory: number(memory)?,
            processes: number(processes)?,
            written: number(written)?,
        })
    }
}

/// The resources that a player used in several games. The order in which games are added does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// The number of games for which there are figures.
    pub games: u64,
    /// User CPU time.
    pub user: Duration,
    /// System CPU time.
    pub system: Duration,
    /// Wall time of all games.
    pub wall: Duration,
    /// The highest peak memory of any game, in bytes.
    pub peak_memory: u64,
    /// The highest number of processes and threads of any game.
    pub processes: u64,
    /// Bytes written in all games.
    pub written: u64,
}

impl Total {
    /// Adds a game.
    pub fn add(&mut self, usage: &Usage) {
        self.games += 1;
        self.user = self.user.saturating_add(usage.user);
        self.system = self.system.saturating_add(usage.system);
        self.wall = self.wall.saturating_add(usage.wall);
        self.peak_memory = self.peak_memory.max(usage.peak_memory);
        self.processes = self.processes.max(usage.processes);
        self.written = self.written.saturating_add(usage.written);
    }

    /// User and system CPU time together.
    pub const fn cpu(&self) -> Duration {
        self.user.saturating_add(self.system)
    }

    /// The mean CPU time of a game, in seconds; `None` without games.
    pub fn cpu_per_game(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
        let games = self.games as f64;
        (self.games > 0).then(|| self.cpu().as_secs_f64() / games)
    }

    /// CPU time divided by wall time: 1 means that one core was busy all the time. `None` if no time passed.
    pub fn cpu_share(&self) -> Option<f64> {
        (!self.wall.is_zero()).then(|| self.cpu().as_secs_f64() / self.wall.as_secs_f64())
    }
}

/// A loss on time counts as idle if the loser's CPU time in the whole game, including its start and pondering, is less
/// than 1/`IDLE_PART` of the time charged to its clock.
///
/// A program that thinks in one thread gets a third of its time as CPU time even if two others share its core, and
/// everything else that it does counts in its favour. So a program below this threshold slept, waited, or was prevented
/// from running.
pub const IDLE_PART: u32 = 4;

/// What the CPU time indicates about a loss on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeLoss {
    /// The loser used little CPU time: it slept or waited, or the machine prevented it from running. It was not
    /// thinking.
    Idle,
    /// The loser spent its time computing.
    Busy,
}

// The words in results.csv.
words! { pub TimeLoss; Idle => "idle", Busy => "busy" }

impl TimeLoss {
    /// Returns what `usage` indicates about a loss on time by a player whose clock was charged `charged`.
    pub fn of(usage: &Usage, charged: Duration) -> Self {
        if usage.cpu() < charged / IDLE_PART { Self::Idle } else { Self::Busy }
    }

    /// Returns what the usage of the side that lost on time indicates, where `used` is the time that the clocks were
    /// charged. Returns `None` if neither side lost on time according to this result, or if the loser's usage is
    /// unknown.
    pub fn in_game(
        result: Option<&GameResult>,
        used: &BySide<Duration>,
        usage: &BySide<Option<Usage>>,
    ) -> Option<(Side, Self)> {
        let lost_on_time = result.filter(|result| result.termination() == Termination::Time)?;
        let loser = lost_on_time.winner()?.opponent();
        Some((loser, Self::of(usage[loser].as_ref()?, used[loser])))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn usage(cpu: Duration) -> Usage {
        Usage { user: cpu, system: Duration::ZERO, wall: cpu, peak_memory: 1, processes: 1, written: 0 }
    }

    #[test]
    fn the_documented_text_is_written_and_other_text_is_refused() {
        let text = "user 0.123456 system 0.012345 wall 1.234567 memory 12345678 processes 3 written 4096";
        let usage: Usage = text.parse().expect("a usage");
        assert_eq!(usage.to_string(), text);
        assert_eq!(usage.cpu(), Duration::from_micros(135_801));
        for wrong in [
            "",
            "user 0.1 system 0.1 wall 0.1 memory 1 processes 1",
            "user 0.1 system 0.1 wall 0.1 memory 1 processes 1 written 1 more",
            "system 0.1 user 0.1 wall 0.1 memory 1 processes 1 written 1",
            "user 0.1s system 0.1 wall 0.1 memory 1 processes 1 written 1",
            "user 0.1 system -1 wall 0.1 memory 1 processes 1 written 1",
            "user 0.1 system 0.1 wall 0.1234567 memory 1 processes 1 written 1",
            "user 0.1 system 0.1 wall 0.1 memory +1 processes 1 written 1",
            "user 0.1 system 0.1 wall 0.1 memory 99999999999999999999 processes 1 written 1",
        ] {
            assert_eq!(wrong.parse::<Usage>(), Err(NotAUsage), "{wrong}");
        }
    }

    #[test]
    fn a_loss_on_time_is_idle_below_a_quarter_of_what_was_charged() {
        let charged = Duration::from_secs(2);
        for (cpu_millis, expected) in
            [(0, TimeLoss::Idle), (499, TimeLoss::Idle), (500, TimeLoss::Busy), (9000, TimeLoss::Busy)]
        {
            assert_eq!(TimeLoss::of(&usage(Duration::from_millis(cpu_millis)), charged), expected, "{cpu_millis}");
        }
        let used = BySide { black: Duration::ZERO, white: charged };
        let known = BySide { black: None, white: Some(usage(Duration::ZERO)) };
        let lost = |loser, termination| GameResult::forfeit(loser, termination, "");
        let time = Termination::Time;
        let says = |result: &GameResult| TimeLoss::in_game(Some(result), &used, &known);
        assert_eq!(says(&lost(Side::White, time)), Some((Side::White, TimeLoss::Idle)));
        assert_eq!(says(&lost(Side::Black, time)), None, "what black used is not known");
        assert_eq!(says(&lost(Side::White, Termination::Crash)), None);
        assert_eq!(TimeLoss::in_game(None, &used, &known), None);
    }

    proptest! {
        #[test]
        fn totals_add_times_and_bytes_and_keep_the_most_of_the_rest(games in prop::collection::vec(any::<[u32; 6]>(), 0..9)) {
            let micros = |micros: u32| Duration::from_micros(micros.into());
            let usages: Vec<Usage> = games.iter().map(|&[user, system, wall, memory, processes, written]| Usage {
                user: micros(user), system: micros(system), wall: micros(wall),
                peak_memory: memory.into(), processes: processes.into(), written: written.into(),
            }).collect();
            let mut total = Total::default();
            for usage in &usages {
                total.add(usage);
            }
            prop_assert_eq!(total.games, usages.len() as u64);
            prop_assert_eq!(total.cpu(), usages.iter().map(Usage::cpu).sum::<Duration>());
            prop_assert_eq!(total.wall, usages.iter().map(|usage| usage.wall).sum::<Duration>());
            prop_assert_eq!(total.written, usages.iter().map(|usage| usage.written).sum::<u64>());
            prop_assert_eq!(total.peak_memory, usages.iter().map(|usage| usage.peak_memory).max().unwrap_or(0));
            prop_assert_eq!(total.processes, usages.iter().map(|usage| usage.processes).max().unwrap_or(0));
            prop_assert_eq!(total.cpu_per_game().is_some(), !usages.is_empty());
            prop_assert_eq!(total.cpu_share().is_some(), !total.wall.is_zero());
        }
    }
}
