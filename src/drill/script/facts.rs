//! What happened in a bout.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::rival::{SoFar, position_after};
use super::{BotSeat, DropOut, Transcript};
use crate::game::{Position, Ruleset};
use crate::referee::record::{Ply, TryKind};
use crate::referee::result::{GameResult, Termination};
use crate::referee::starvation::Starvation;
use crate::referee::time_control::{SideControl, TimeControl};
use crate::referee::usage::Usage;

/// The facts of one game of a scenario, from the bot's point of view.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoutFacts {
    /// The bot's side or seat.
    pub side: BotSeat,
    /// The rules.
    pub ruleset: Ruleset,
    /// The clocks.
    pub time_control: TimeControl,
    /// Whether the bot connected to its seat.
    pub coming: Coming,
    /// How long after its start the bot took its seat, or the arena gave up on it.
    pub came_after: Duration,
    /// The time from the bot's start until its process had exited.
    pub took: Duration,
    /// The number of connections to its seat on which the bot sent something. In most bouts, the seat is closed once
    /// the bot has taken it, and later connections are not seen.
    pub talkers: usize,
    /// The accepted moves of all seats.
    pub plies: Vec<Ply>,
    /// The rivals that dropped out of a game with more than two seats, in chronological order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outs: Vec<DropOut>,
    /// The bot's lines that were refused, including false refusals.
    pub refusals: Vec<Refusal>,
    /// How the bout ended.
    pub end: BoutEnd,
    /// Whether the arena replaced the code that ended the game.
    pub forged: bool,
    /// How much wall time all of the bot's turns together may take if its clock counts CPU time; `None` if the clock
    /// counts wall time, or if there are no clocks.
    #[serde(default)]
    pub wall_limit: Option<Duration>,
    /// How long the bot's slowest turn took on its clock; zero if it made no move.
    pub slowest: Duration,
    /// How much of its clock the bot used.
    pub used: Duration,
    /// How much wall time each of the bot's accepted moves took, if its clock counts CPU time; otherwise empty.
    #[serde(default)]
    pub walls: Vec<Duration>,
    /// How much the bot was starved in its turns, up to the end of the game; `None` if this could not be measured.
    pub starvation: Option<Starvation>,
    /// How much the bot was starved in its last turn; `None` if this could not be measured.
    pub last_starvation: Option<Starvation>,
    /// The CPU time that the bot used while the arena kept it waiting on purpose; `None` if the arena did not do so, or
    /// could not measure the time.
    pub idle_cpu: Option<Duration>,
    /// Whether the bot sent something while the arena held back one of the opponent's moves; `None` if the arena did
    /// not hold back any move.
    pub early: Option<bool>,
    /// The lines that the bot sent after the end of the game, or after the arena had given up on it, at most
    /// [`BoutFacts::MAX_AFTER_END`].
    pub said_after_end: Vec<String>,
    /// How long after the end of the game the first of `said_after_end` arrived.
    pub spoke_after: Option<Duration>,
    /// The bot's process; `None` if the arena did not start it.
    pub process: Option<ProcessFacts>,
    /// Every byte that was transferred.
    pub transcript: Transcript,
}

impl BoutFacts {
    /// The maximum number of lines after the game's end that are recorded.
    pub const MAX_AFTER_END: usize = 8;

    /// The facts of a bout that has not begun.
    pub fn not_begun(side: impl Into<BotSeat>, ruleset: Ruleset, time_control: TimeControl) -> Self {
        Self {
            side: side.into(),
            ruleset,
            time_control,
            coming: Coming::Seated,
            came_after: Duration::ZERO,
            took: Duration::ZERO,
            talkers: 0,
            plies: Vec::new(),
            outs: Vec::new(),
            refusals: Vec::new(),
            end: BoutEnd::NotBegun,
            forged: false,
            wall_limit: None,
            slowest: Duration::ZERO,
            used: Duration::ZERO,
            walls: Vec::new(),
            starvation: None,
            last_starvation: None,
            idle_cpu: None,
            early: None,
            said_after_end: Vec::new(),
            spoke_after: None,
            process: None,
            transcript: Transcript::default(),
        }
    }

    /// The position after the first `plies` plies, without the rivals that had dropped out by then.
    pub fn position_after(&self, plies: usize) -> Box<dyn Position> {
        let plies = &self.plies[..plies.min(self.plies.len())];
        position_after(self.ruleset.start(), &SoFar { plies, outs: &self.outs })
    }

    /// The bot's accepted moves, excluding its opponent's moves.
    pub fn own_plies(&self) -> impl Iterator<Item = &Ply> {
        // The moves before the mode that the bot plays for its team have no times.
        self.plies.iter().filter(|ply| ply.seat == self.side.seat() && ply.elapsed.is_some())
    }

    /// The bot's lines that were refused for a genuine reason.
    pub fn true_refusals(&self) -> impl Iterator<Item = &Refusal> {
        self.refusals.iter().filter(|refusal| !refusal.forged)
    }

    /// Whether the bot's clock counts CPU time.
    pub const fn counts_cpu(&self) -> bool {
        self.wall_limit.is_some()
    }

    /// How much wall time each of the bot's accepted moves took.
    pub fn wall_turns(&self) -> Vec<Duration> {
        if self.counts_cpu() { self.walls.clone() } else { self.own_plies().filter_map(|ply| ply.elapsed).collect() }
    }

    /// How much of the time on its clock the bot spent ready to run while the machine had no core for it; zero if that
    /// could not be measured, or if the clock counts CPU time, since no CPU time passes while the bot waits for a core.
    pub fn starved(&self) -> Duration {
        if self.counts_cpu() { Duration::ZERO } else { self.starvation.unwrap_or_default().starved }
    }

    /// How much the bot was starved in the turns that decide whether its flag falls. If there is a time for each move
    /// and no bank, this is only the last turn; otherwise, all turns. If the clock counts CPU time, waiting only uses
    /// up the limit of wall time, to which all turns contribute.
    pub fn deciding_starvation(&self) -> Option<Starvation> {
        if self.counts_cpu() {
            return self.starvation.filter(|_| self.end != BoutEnd::FlagFell);
        }
        let is_last = self.time_control.of(self.side).is_some_and(SideControl::is_the_same_each_turn);
        if is_last { self.last_starvation } else { self.starvation }
    }

    /// Whether the bout is void, and so reveals nothing about the bot.
    pub const fn is_void(&self) -> bool {
        matches!(self.end, BoutEnd::Void(_))
    }

    /// Whether the bout is void because the machine had no core for the bot.
    pub fn is_starved_out(&self) -> bool {
        self.is_void() && self.deciding_starvation().is_some_and(Starvation::explains_time_loss)
    }

    /// The end of the bot's stderr; empty if the arena did not start the bot.
    pub fn stderr(&self) -> &str {
        self.process.as_ref().map_or("", |process| &process.stderr)
    }
}

/// Whether a bot connected to its seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coming {
    /// The bot sent its hello and took its seat.
    Seated,
    /// The bot did not take its seat.
    Failed {
        /// How a game would end because of this failure.
        termination: Termination,
        /// What happened.
        reason: String,
    },
}

/// A line from the bot that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The number of plies before the line.
    pub ply: usize,
    /// The line as received, which is hostile text.
    pub text: String,
    /// Why the line was refused, in the referee's words.
    pub why: String,
    /// Whether the line was refused as illegal (291) or as garbled (299).
    pub kind: TryKind,
    /// Whether the refusal was forged: the referee would have accepted the line.
    pub forged: bool,
}

/// How a bout ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoutEnd {
    /// The bout did not begin, because the bot did not connect.
    NotBegun,
    /// The bout ended as planned: by the rules, or by an action of the opponent.
    Played(GameResult),
    /// The bout, in a game with more than two seats, ended as planned.
    PlayedInGroup,
    /// The mode that the bot plays for its team ended, and the game would go on with another bot.
    PlayedMode,
    /// The bot resigned.
    Resigned,
    /// The bot's flag fell.
    FlagFell,
    /// The bot's clock counts CPU time, and its turns took longer than the limit of wall time.
    OutOfWallTime,
    /// The bot's connection ended before the game did, and no fault of its process is known.
    Disconnected,
    /// The bot's process ended before the game did, as the text describes.
    Crashed(String),
    /// The bot exceeded a resource limit, as the text describes.
    LimitExceeded(String),
    /// The bot sent one refused line after another, or kept sending lines out of turn, as the text describes.
    Stuck(String),
    /// The bout took longer than its plan allows.
    TimedOut,
    /// The machine or the arena is at fault, for the reason given. The bout reveals nothing about the bot.
    Void(String),
}

impl BoutEnd {
    /// Whether the bout ended as planned.
    pub const fn is_as_planned(&self) -> bool {
        matches!(self, Self::Played(_) | Self::PlayedInGroup | Self::PlayedMode)
    }

    /// Whether the bout ended as planned with the end of a game. When only a mode has ended, it does not matter how the
    /// bot leaves.
    pub const fn is_of_whole_game(&self) -> bool {
        matches!(self, Self::Played(_) | Self::PlayedInGroup)
    }
}

/// A bot's process in a bout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessFacts {
    /// How the process ended on its own; `None` if the arena had to kill it.
    pub exit: Option<ProcessExit>,
    /// How long after the game's end the process exited on its own; `None` if the process did not do so, or if the bot
    /// did not play the game to the end.
    pub left_after: Option<Duration>,
    /// The beginning of the process's stdout, unless stdout was the bot's connection. Hostile text.
    #[serde(default)]
    pub stdout: String,
    /// The end of the process's stderr. Hostile text.
    pub stderr: String,
    /// How many bytes the process wrote to stderr.
    pub stderr_bytes: u64,
    /// The resources used by the bot's processes.
    pub usage: Option<Usage>,
}

/// How a process ended on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessExit {
    /// The process exited with this status.
    Status(i32),
    /// This signal killed the process.
    Signal(i32),
}
