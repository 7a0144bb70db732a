//! What happened in a bout.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Transcript;
use crate::game::{Ruleset, Side};
use crate::referee::record::{Ply, TryKind};
use crate::referee::result::{GameResult, Termination};
use crate::referee::starvation::Starvation;
use crate::referee::time_control::TimeControl;
use crate::referee::usage::Usage;

/// What happened in one game of a scenario, as the bot's side saw it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoutFacts {
    /// The bot's side.
    pub side: Side,
    /// The rules.
    pub ruleset: Ruleset,
    /// The clocks.
    pub time_control: TimeControl,
    /// Whether the bot connected to its seat.
    pub coming: Coming,
    /// How long after its start the bot took its seat, or the arena gave up on it.
    pub came_after: Duration,
    /// How long the bout took from the bot's start until its process had exited.
    pub took: Duration,
    /// On how many connections to its seat the bot sent something. In most bouts, the seat is closed once the bot has it,
    /// and later connections are not seen.
    pub talkers: usize,
    /// The accepted moves of both sides.
    pub plies: Vec<Ply>,
    /// The bot's lines that were refused, including false refusals.
    pub refusals: Vec<Refusal>,
    /// How the bout ended.
    pub end: BoutEnd,
    /// Whether the arena replaced the code that ended the game.
    pub forged: bool,
    /// How long the bot's slowest turn took; zero if it made no move.
    pub slowest: Duration,
    /// How much of its clock the bot used.
    pub used: Duration,
    /// How much the bot was starved in its turns, up to the end of the game; `None` if that could not be measured.
    pub starvation: Option<Starvation>,
    /// The CPU time that the bot used while the arena kept it waiting on purpose; `None` if it did not, or could not
    /// measure it.
    pub idle_cpu: Option<Duration>,
    /// Whether the bot sent something while the arena held back a move of its opponent; `None` if it held back none.
    pub early: Option<bool>,
    /// The lines that the bot sent after the end of the game, or after the arena had given up on it, at most
    /// [`BoutFacts::MAX_AFTER_END`].
    pub said_after_end: Vec<String>,
    /// How long after the end of the game the first of these lines arrived.
    pub spoke_after: Option<Duration>,
    /// The bot's process; `None` if the arena did not start it.
    pub process: Option<ProcessFacts>,
    /// Every byte that was transferred.
    pub transcript: Transcript,
}

impl BoutFacts {
    /// How many of the lines after the game's end are kept.
    pub const MAX_AFTER_END: usize = 8;

    /// The facts of a bout that has not begun.
    pub fn not_begun(side: Side, ruleset: Ruleset, time_control: TimeControl) -> Self {
        Self {
            side,
            ruleset,
            time_control,
            coming: Coming::Seated,
            came_after: Duration::ZERO,
            took: Duration::ZERO,
            talkers: 0,
            plies: Vec::new(),
            refusals: Vec::new(),
            end: BoutEnd::NotBegun,
            forged: false,
            slowest: Duration::ZERO,
            used: Duration::ZERO,
            starvation: None,
            idle_cpu: None,
            early: None,
            said_after_end: Vec::new(),
            spoke_after: None,
            process: None,
            transcript: Transcript::default(),
        }
    }

    /// The bot's accepted moves, without those of its opponent.
    pub fn own_plies(&self) -> impl Iterator<Item = &Ply> {
        self.plies.iter().filter(|ply| ply.side == self.side)
    }

    /// The bot's lines that were refused for a genuine reason.
    pub fn true_refusals(&self) -> impl Iterator<Item = &Refusal> {
        self.refusals.iter().filter(|refusal| !refusal.forged)
    }

    /// How much of its clock the bot used, excluding the time during which it was ready to run but the machine had no
    /// core for it.
    pub fn used_unstarved(&self) -> Duration {
        self.used.saturating_sub(self.starvation.unwrap_or_default().starved)
    }

    /// Whether the bout says nothing about the bot.
    pub const fn is_void(&self) -> bool {
        matches!(self.end, BoutEnd::Void(_))
    }

    /// Whether the bout is void because the machine had no core for the bot.
    pub fn is_starved_out(&self) -> bool {
        self.is_void() && self.starvation.is_some_and(Starvation::explains_time_loss)
    }

    /// The end of the bot's stderr; empty if the arena did not start it.
    pub fn stderr(&self) -> &str {
        self.process.as_ref().map_or("", |process| &process.stderr)
    }
}

/// Whether a bot connected to its seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coming {
    /// It sent its hello and took its seat.
    Seated,
    /// It did not.
    Failed {
        /// The word for the failure.
        termination: Termination,
        /// What happened.
        reason: String,
    },
}

/// A line of the bot that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// How many plies had been made before it.
    pub ply: usize,
    /// The line as received, which is hostile text.
    pub text: String,
    /// Why it was refused, in the referee's words.
    pub why: String,
    /// Whether it was illegal (291) or garbled (299).
    pub kind: TryKind,
    /// Whether the referee would have accepted it.
    pub forged: bool,
}

/// How a bout ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoutEnd {
    /// It did not begin, because the bot did not connect.
    NotBegun,
    /// As planned: by the rules, or by an action of the opponent.
    Played(GameResult),
    /// The bot resigned.
    Resigned,
    /// The bot's flag fell.
    FlagFell,
    /// The bot's connection ended before the game did, and no fault of its process is known.
    Disconnected,
    /// The bot's process ended before the game did, as the text describes.
    Crashed(String),
    /// The bot exceeded a resource limit, as the text describes.
    LimitExceeded(String),
    /// The bot sent one refused line after another, or endless lines out of turn, as the text describes.
    Stuck(String),
    /// The bout took longer than a scenario may.
    TimedOut,
    /// The machine or the arena is at fault, for the reason given. The bout says nothing about the bot.
    Void(String),
}

/// A bot's process in a bout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessFacts {
    /// How the process ended on its own; `None` if the arena had to kill it.
    pub exit: Option<ProcessExit>,
    /// How long after the game's end the process exited on its own; `None` if it did not, or if the bot did not play the
    /// game to the end.
    pub left_after: Option<Duration>,
    /// The beginning of its stdout, unless that was its connection. Hostile text.
    #[serde(default)]
    pub stdout: String,
    /// The end of its stderr. Hostile text.
    pub stderr: String,
    /// How many bytes it wrote to stderr.
    pub stderr_bytes: u64,
    /// The resources used by its processes.
    pub usage: Option<Usage>,
}

/// How a process ended on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessExit {
    /// It exited with this status.
    Status(i32),
    /// This signal killed it.
    Signal(i32),
}
