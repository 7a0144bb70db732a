//! The record of a game with more than two seats.

use std::time::Duration;

use super::{GameRecord, Ply, Unfinished};
use crate::game::{BySeat, Ruleset, Seat, Standing};
use crate::referee::clock::Meter;
use crate::referee::pace::TimeScale;
use crate::referee::result::{Termination, Void};
use crate::referee::time_control::TimeControl;
use crate::referee::usage::Usage;

/// Everything that is recorded about a game with more than two seats. Its `Display` is the game log's text, which
/// `FromStr` reads back to an equal value.
///
/// Invariant: every `BySeat` value has the number of seats of the rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRecord {
    /// The tournament's name.
    pub event: Option<String>,
    /// The machine.
    pub site: Option<String>,
    /// The day on which the game ended, UTC, as `2026.11.21`.
    pub date: Option<String>,
    /// The round, starting from 1.
    pub round: Option<u32>,
    /// The players' names.
    pub players: BySeat<String>,
    /// The game's id, unique in its tournament.
    pub game: Option<String>,
    /// The game's own seed.
    pub seed: Option<u64>,
    /// The rules.
    pub ruleset: Ruleset,
    /// The clocks before they were scaled; `None` if not recorded. All seats have the same clock.
    pub time_control: Option<TimeControl>,
    /// How the clocks were scaled for the machine that played the game.
    pub time_scale: TimeScale,
    /// What the clocks measured.
    pub meter: Meter,
    /// SHA-256 digests of the programs that were run, in hexadecimal.
    pub digests: BySeat<Option<String>>,
    /// The resources that each player's processes used, if known.
    pub usage: BySeat<Option<Usage>>,
    /// Tags that are not known to the arena, in file order, as in [`GameRecord::other_tags`].
    pub other_tags: Vec<(String, String)>,
    /// The moves in the order in which they were made.
    pub plies: Vec<Ply>,
    /// The seats that dropped out, in chronological order.
    pub outs: Vec<Out>,
    /// The turns in which no move was made: those of seats that dropped out during their own turn and, last, the turn
    /// that was cut off by the game's end. A seat has at most one such turn.
    pub unfinished: Vec<Unfinished>,
    /// The places of all seats.
    pub result: Result<Standing, Void>,
}

/// A seat that dropped out of a game while it was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// The seat.
    pub seat: Seat,
    /// How many plies had been made before the seat dropped out.
    pub after_plies: usize,
    /// Why the seat dropped out: a resignation, or a forfeit by one player.
    pub termination: Termination,
    /// A description of what happened.
    pub reason: Option<String>,
}

impl GroupRecord {
    /// Creates the record of a game without moves, about which nothing else is known.
    pub fn of(ruleset: Ruleset, players: BySeat<String>, result: Result<Standing, Void>) -> Self {
        let seats = players.seats();
        Self {
            event: None,
            site: None,
            date: None,
            round: None,
            players,
            game: None,
            seed: None,
            ruleset,
            time_control: None,
            time_scale: TimeScale::ONE,
            meter: Meter::default(),
            digests: BySeat::from_fn(seats, |_| None),
            usage: BySeat::from_fn(seats, |_| None),
            other_tags: Vec::new(),
            plies: Vec::new(),
            outs: Vec::new(),
            unfinished: Vec::new(),
            result,
        }
    }

    /// How many seats the game has.
    pub fn seats(&self) -> u8 {
        self.players.seats()
    }

    /// The clocks that were used, that is, the tournament's clocks after scaling. `None` if not recorded.
    pub fn clocks(&self) -> Option<TimeControl> {
        self.time_control.map(|control| self.time_scale.clocks(control))
    }

    /// How `seat` dropped out, if it did.
    pub fn out(&self, seat: Seat) -> Option<&Out> {
        self.outs.iter().find(|out| out.seat == seat)
    }

    /// Whether every seat failed, so that there is no winner. This can happen only before the first move.
    pub fn is_failed_by_all(&self) -> bool {
        self.outs.len() == usize::from(self.seats())
    }

    /// The time that `seat` has spent according to the record, including an unfinished turn.
    pub fn used(&self, seat: Seat) -> Duration {
        let own = self.plies.iter().filter(|ply| ply.seat == seat);
        let unfinished = self.unfinished.iter().filter(|turn| turn.seat == seat);
        own.filter_map(|ply| ply.elapsed)
            .chain(unfinished.filter_map(|turn| turn.elapsed))
            .fold(Duration::ZERO, Duration::saturating_add)
    }
}

/// The record of a game with any number of seats. Its `Display` is the game log's text, which `FromStr` reads back to
/// an equal value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoggedGame {
    /// A game with two seats.
    Two(Box<GameRecord>),
    /// A game with more than two seats.
    Group(Box<GroupRecord>),
}

impl From<GameRecord> for LoggedGame {
    fn from(record: GameRecord) -> Self {
        Self::Two(Box::new(record))
    }
}

impl From<GroupRecord> for LoggedGame {
    fn from(record: GroupRecord) -> Self {
        Self::Group(Box::new(record))
    }
}

/// Applies an expression to the record of either kind.
macro_rules! of_either {
    ($game:expr, $record:ident => $value:expr) => {
        match $game {
            LoggedGame::Two($record) => $value,
            LoggedGame::Group($record) => $value,
        }
    };
}
pub(super) use of_either;

impl LoggedGame {
    /// The record, if the game has two seats.
    pub fn two(&self) -> Option<&GameRecord> {
        match self {
            Self::Two(record) => Some(record),
            Self::Group(_) => None,
        }
    }

    /// Returns the record of a game with two seats.
    ///
    /// # Errors
    /// Returns the record of a game with more than two seats.
    pub fn into_two(self) -> Result<GameRecord, Box<GroupRecord>> {
        match self {
            Self::Two(record) => Ok(*record),
            Self::Group(record) => Err(record),
        }
    }

    /// The record, if the game has more than two seats.
    pub fn group(&self) -> Option<&GroupRecord> {
        match self {
            Self::Two(_) => None,
            Self::Group(record) => Some(record),
        }
    }

    /// The game's id, unique in its tournament.
    pub fn game(&self) -> Option<&str> {
        of_either!(self, record => record.game.as_deref())
    }

    /// The tournament's name.
    pub fn event(&self) -> Option<&str> {
        of_either!(self, record => record.event.as_deref())
    }

    /// The day on which the game ended, UTC, as `2026.11.21`.
    pub fn date(&self) -> Option<&str> {
        of_either!(self, record => record.date.as_deref())
    }

    /// The round, starting from 1.
    pub fn round(&self) -> Option<u32> {
        of_either!(self, record => record.round)
    }

    /// The game's own seed.
    pub fn seed(&self) -> Option<u64> {
        of_either!(self, record => record.seed)
    }

    /// The rules.
    pub fn ruleset(&self) -> Ruleset {
        of_either!(self, record => record.ruleset)
    }

    /// The moves in the order in which they were made.
    pub fn plies(&self) -> &[Ply] {
        of_either!(self, record => &record.plies)
    }

    /// Why the game has no result, if it is void.
    pub fn void(&self) -> Option<&Void> {
        match self {
            Self::Two(record) => record.result.as_ref().err(),
            Self::Group(record) => record.result.as_ref().err(),
        }
    }

    /// Makes the game void.
    pub fn make_void(&mut self, void: Void) {
        match self {
            Self::Two(record) => record.result = Err(void),
            Self::Group(record) => record.result = Err(void),
        }
    }

    /// How many seats the game has.
    pub fn seats(&self) -> u8 {
        match self {
            Self::Two(_) => 2,
            Self::Group(record) => record.seats(),
        }
    }

    /// The name of the player in `seat`.
    ///
    /// # Panics
    /// Panics if the game does not have the seat.
    pub fn player(&self, seat: Seat) -> &str {
        match self {
            Self::Two(record) if seat.number() <= 2 => &record.players[seat.side()],
            Self::Two(_) => panic!("a game with two seats has no seat {seat}"),
            Self::Group(record) => &record.players[seat],
        }
    }

    /// The tags that are not known to the arena, in file order.
    pub fn other_tags_mut(&mut self) -> &mut Vec<(String, String)> {
        of_either!(self, record => &mut record.other_tags)
    }

    /// The same tags as [`LoggedGame::other_tags_mut`], read-only.
    pub fn other_tags(&self) -> &[(String, String)] {
        of_either!(self, record => &record.other_tags)
    }

    /// How the clocks were scaled for the machine that played the game.
    pub fn time_scale(&self) -> TimeScale {
        of_either!(self, record => record.time_scale)
    }

    /// Replaces the digests of the programs that were run.
    ///
    /// # Panics
    /// Panics if the number of digests does not equal the number of seats.
    pub fn set_digests(&mut self, digests: BySeat<Option<String>>) {
        assert_eq!(digests.seats(), self.seats(), "each seat has a program");
        match self {
            Self::Two(record) => record.digests = digests.by_side().unwrap_or_default(),
            Self::Group(record) => record.digests = digests,
        }
    }

    /// Returns the record with these circumstances instead of its own. The time control and the meter in
    /// `circumstances` are the values before the clocks were scaled.
    #[must_use]
    pub fn under(self, circumstances: Circumstances) -> Self {
        let Circumstances { event, site, date, round, game, seed, clocks, digests, usage, other_tags } = circumstances;
        let RecordedClocks { time_control, time_scale, meter } = clocks;
        let time_control = Some(time_control);
        match self {
            Self::Two(record) => {
                let none = "two seats have two programs";
                let digests = digests.by_side().unwrap_or_else(|_| panic!("{none}"));
                let usage = usage.by_side().unwrap_or_else(|_| panic!("{none}"));
                let record = GameRecord { event, site, date, round, game, seed, ..*record };
                GameRecord { time_control, time_scale, meter, digests, usage, other_tags, ..record }.into()
            }
            Self::Group(record) => {
                let record = GroupRecord { event, site, date, round, game, seed, ..*record };
                GroupRecord { time_control, time_scale, meter, digests, usage, other_tags, ..record }.into()
            }
        }
    }
}

/// The part of a game's record that only its tournament can supply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// The tournament's name.
    pub event: Option<String>,
    /// The machine.
    pub site: Option<String>,
    /// The day on which the game ended, UTC, as `2026.11.21`.
    pub date: Option<String>,
    /// The round, starting from 1.
    pub round: Option<u32>,
    /// The game's id, unique in its tournament.
    pub game: Option<String>,
    /// The game's own seed.
    pub seed: Option<u64>,
    /// The clocks.
    pub clocks: RecordedClocks,
    /// SHA-256 digests of the programs that were run, in hexadecimal.
    pub digests: BySeat<Option<String>>,
    /// The resources that each player's processes used, if known.
    pub usage: BySeat<Option<Usage>>,
    /// Further tags.
    pub other_tags: Vec<(String, String)>,
}

/// The clocks of a game as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedClocks {
    /// The clocks before they were scaled.
    pub time_control: TimeControl,
    /// How the clocks were scaled for the machine that played the game.
    pub time_scale: TimeScale,
    /// What the clocks measured, before the limit of wall time was scaled.
    pub meter: Meter,
}

#[cfg(test)]
mod tests;
