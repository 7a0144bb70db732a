//! Lines that arrived before their player's turn.

use std::collections::VecDeque;

use crate::referee::wire::{Line, MAX_LINE};

/// The maximum number of lines kept for a player that is not to move.
pub const MAX_KEPT_LINES: usize = 16;

/// The maximum total size of the lines kept for a player, in bytes.
pub const MAX_KEPT_BYTES: usize = 4096;

/// The error when a player has sent more lines than are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overflow;

/// The early lines of one player, in the order in which they arrived.
#[derive(Debug, Default)]
pub(super) struct EarlyLines {
    lines: VecDeque<Line>,
    bytes: usize,
}

impl EarlyLines {
    /// Keeps a line, or refuses it if there are too many.
    pub(super) fn push(&mut self, line: Line) -> Result<(), Overflow> {
        if self.lines.len() == MAX_KEPT_LINES || self.bytes + size(&line) > MAX_KEPT_BYTES {
            return Err(Overflow);
        }
        self.bytes += size(&line);
        self.lines.push_back(line);
        Ok(())
    }

    /// Whether no lines are kept.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Removes the oldest line and returns it.
    pub(super) fn pop(&mut self) -> Option<Line> {
        let line = self.lines.pop_front()?;
        self.bytes -= size(&line);
        Some(line)
    }
}

fn size(line: &Line) -> usize {
    match line {
        Line::Text(text) | Line::Foreign { said: text, .. } => text.len(),
        Line::TooLong => MAX_LINE,
    }
}
