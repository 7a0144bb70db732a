//! How the arena's lines are sent over the wire.

use std::time::Duration;

use crate::referee::sans_io::Sayings;
use crate::referee::wire::{Dialect, Response, Speech};

/// How the arena's lines are sent over the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// All lines of one event at once, with CR LF after each line.
    #[default]
    Whole,
    /// Reply, status and the opponent's move in one write.
    Merged,
    /// Some of the lines one byte at a time, [`Delivery::BYTE_PAUSE`] apart.
    Split,
    /// Only a line feed after each line.
    LineFeeds,
    /// About 200 characters of text after each code and its fields.
    LongText,
    /// A pause of [`Delivery::SILENCE`] before one of the opponent's moves.
    Slow,
    /// The connection stays open for [`Delivery::LATE_CLOSE`] after the last line.
    LateClose,
    /// A pause of [`Delivery::HOLD`] before each of the opponent's moves, until the bot has sent something out of turn.
    Held,
}

impl Delivery {
    /// The pause after each byte of a line that is split.
    pub const BYTE_PAUSE: Duration = Duration::from_millis(5);

    /// How long the arena is silent before a move.
    pub const SILENCE: Duration = Duration::from_secs(3);

    /// How long the connection stays open after the last line.
    pub const LATE_CLOSE: Duration = Duration::from_secs(1);

    /// How long each of the opponent's moves is held back. A bot that does not wait for the move sends its next line
    /// sooner.
    pub const HOLD: Duration = Duration::from_millis(400);

    /// The maximum total time that the arena pauses in a game.
    pub(super) const fn pauses(self) -> Duration {
        match self {
            Self::Slow => Self::SILENCE,
            Self::LateClose => Self::LATE_CLOSE,
            Self::Split => LONGEST_SPLIT,
            Self::Held => LONGEST_HELD,
            Self::Whole | Self::Merged | Self::LineFeeds | Self::LongText => Duration::ZERO,
        }
    }
}

/// An upper bound on the time that all bytes of split lines take, even on a machine that wakes the arena late.
const LONGEST_SPLIT: Duration = Duration::from_secs(20);

/// An upper bound on the total time for which the moves of a game of Gothello are held back.
const LONGEST_HELD: Duration = Duration::from_secs(20);

/// An action of the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Sends the bytes.
    Send(Vec<u8>),
    /// Waits. Lines that the bot sends in the meantime are judged afterwards, with the times at which they arrived.
    Wait(Duration),
    /// Waits, and measures the CPU time that the bot uses meanwhile.
    WaitIdle(Duration),
    /// Waits, unless the bot has sent something during an earlier wait of this kind.
    Hold(Duration),
    /// Adds a note to the transcript.
    Note(String),
}

/// The pause between the response to the bot's move and the opponent's move, unless both are sent together.
const BETWEEN_EVENTS: Duration = Duration::from_millis(2);

/// Of every `SPLIT_EVERY` writes by the arena, one is split, until `MAX_SPLIT` writes have been split.
const SPLIT_EVERY: usize = 3;
const MAX_SPLIT: usize = 4;

/// The number of the opponent's move before which a slow arena is silent.
const SILENT_BEFORE: u32 = 3;

/// Turns responses into acts.
#[derive(Debug)]
pub(super) struct Sender {
    delivery: Delivery,
    /// The dialect in which the bot is addressed.
    pub(super) speech: Speech,
    acts: Vec<Act>,
    /// The number of writes so far.
    writes: usize,
    /// Whether the silence has been planned.
    has_waited: bool,
}

impl Sender {
    pub(super) const fn new(delivery: Delivery) -> Self {
        Self {
            delivery,
            speech: Speech { dialect: Dialect::Original, is_told_clock: true },
            acts: Vec::new(),
            writes: 0,
            has_waited: false,
        }
    }

    /// Takes all pending acts, in order.
    pub(super) fn take(&mut self) -> Vec<Act> {
        std::mem::take(&mut self.acts)
    }

    pub(super) fn note(&mut self, text: &str) {
        self.acts.push(Act::Note(text.to_owned()));
    }

    /// Announces that the opponent is about to make its move with the given `number`.
    pub(super) fn before_move(&mut self, number: u32) {
        if self.delivery == Delivery::Slow && number >= SILENT_BEFORE && !self.has_waited {
            self.has_waited = true;
            self.acts.push(Act::WaitIdle(Delivery::SILENCE));
        }
        if self.delivery == Delivery::Held {
            self.acts.push(Act::Hold(Delivery::HOLD));
        }
    }

    /// Sends the lines of one event.
    pub(super) fn say(&mut self, responses: &[Response]) {
        if responses.is_empty() {
            return;
        }
        let mut text = String::new();
        Sayings::append(responses, self.speech, &mut text);
        let bytes = match self.delivery {
            Delivery::LineFeeds => text.replace("\r\n", "\n"),
            Delivery::LongText => text.replace("\r\n", &format!(" {}\r\n", "and so on ".repeat(20).trim_end())),
            _ => text,
        }
        .into_bytes();
        self.writes += 1;
        if self.delivery == Delivery::Merged
            && let Some(Act::Send(before)) = self.acts.last_mut()
        {
            before.extend(bytes);
            return;
        }
        if matches!(self.acts.last(), Some(Act::Send(_))) {
            self.acts.push(Act::Wait(BETWEEN_EVENTS));
        }
        let is_split = self.delivery == Delivery::Split
            && self.writes % SPLIT_EVERY == 1
            && self.writes <= SPLIT_EVERY * MAX_SPLIT;
        if is_split {
            let bytewise = bytes.into_iter().flat_map(|byte| [Act::Send(vec![byte]), Act::Wait(Delivery::BYTE_PAUSE)]);
            self.acts.extend(bytewise);
        } else {
            self.acts.push(Act::Send(bytes));
        }
    }
}
