//! One game's whole record, and its text: the PGN-like game log.

use std::time::Duration;

use crate::clock::TimeControl;
use crate::result::{GameResult, Void};
use crate::rules::{BySide, Move, Ruleset};

/// Everything that is kept of a game. Its `Display` is the game log's text and `FromStr` reads it back, equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The tournament's name.
    pub event: Option<String>,
    /// The machine.
    pub site: Option<String>,
    /// The day on which the game ended, UTC, as `2026.11.21`.
    pub date: Option<String>,
    /// The round, from 1.
    pub round: Option<u32>,
    /// The players' names.
    pub players: BySide<String>,
    /// The game's id, unique in its tournament.
    pub game: Option<String>,
    /// The game's own seed.
    pub seed: Option<u64>,
    /// The rules.
    pub ruleset: Ruleset,
    /// The clocks; `None` where the record does not say.
    pub time_control: Option<TimeControl>,
    /// SHA-256 digests of what was run, in hexadecimal.
    pub digests: BySide<Option<String>>,
    /// Tags that the arena gives no meaning to, in the order of the file.
    pub other_tags: Vec<(String, String)>,
    /// The moves, black's first.
    pub plies: Vec<Ply>,
    /// The turn that the game's end cut off, if it left a trace.
    pub unfinished: Option<Unfinished>,
    /// How it ended.
    pub result: Result<GameResult, Void>,
}

/// One accepted move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// Time spent on it, in whole microseconds.
    pub elapsed: Option<Duration>,
    /// Time left on the mover's clock after it.
    pub left: Option<Duration>,
    /// Whether it came in time only by the arena's own measured lateness (and then left 0 on the clock).
    pub late_credit: bool,
    /// What was refused before it in the same turn.
    pub tries: Tries,
}

/// A turn without a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// Time spent on it, in whole microseconds.
    pub elapsed: Option<Duration>,
    /// What was refused in it.
    pub tries: Tries,
}

/// The lines that were refused in one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    /// The first of them, [`Tries::SHOWN`] at most.
    pub shown: Vec<Try>,
    /// How many more there were.
    pub more: u32,
}

impl Tries {
    /// How many refused lines of one turn a record keeps.
    pub const SHOWN: usize = 16;

    /// Adds a refused line, keeping it while there is room.
    pub fn push(&mut self, refused: Try) {
        if self.shown.len() < Self::SHOWN {
            self.shown.push(refused);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Whether nothing was refused.
    pub const fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.more == 0
    }
}

/// One refused line.
///
/// Invariant: `text` is what was sent, with everything outside printable ASCII escaped, cut to [`Try::MAX_TEXT`]
/// characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    text: String,
    /// Whether the line was understood.
    pub kind: TryKind,
}

/// What was wrong with a refused line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TryKind {
    /// Understood, but not allowed (291).
    Illegal,
    /// Not understood (299).
    Garbled,
}

impl Try {
    /// The longest text kept, in characters.
    pub const MAX_TEXT: usize = 60;

    /// A refused line, `text` being made fit for a log.
    pub fn new(kind: TryKind, text: &str) -> Self {
        let text = text.chars().flat_map(char::escape_default).take(Self::MAX_TEXT).collect();
        Self { text, kind }
    }

    /// What was sent, fit for a log.
    pub fn text(&self) -> &str {
        &self.text
    }
}
