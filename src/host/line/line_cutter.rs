//! Cuts a client's bytes into lines.

use std::collections::VecDeque;

use crate::referee::wire::{BLANKS, Line, MAX_LINE};

/// Cuts bytes into lines. CR, LF and CR LF each end a line. Blank lines are skipped, and a line longer than
/// [`MAX_LINE`] is discarded.
#[derive(Debug, Default)]
pub struct LineCutter {
    partial: Vec<u8>,
    too_long: bool,
}

impl LineCutter {
    /// Consumes `bytes`, and appends the lines that they complete to `lines`.
    pub fn push(&mut self, mut bytes: &[u8], lines: &mut VecDeque<Line>) {
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            self.extend(&bytes[..end]);
            lines.extend(self.end_line());
            bytes = &bytes[end + 1..];
        }
        self.extend(bytes);
    }

    /// Handles the end of the stream, which terminates the last line.
    pub fn finish(&mut self, lines: &mut VecDeque<Line>) {
        lines.extend(self.end_line());
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.too_long |= self.partial.len() + bytes.len() > MAX_LINE;
        if self.too_long {
            self.partial.clear();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self) -> Option<Line> {
        if std::mem::take(&mut self.too_long) {
            self.partial.clear();
            return Some(Line::TooLong);
        }
        let text = String::from_utf8_lossy(&self.partial);
        let blank = text.trim_matches(BLANKS).is_empty();
        let line = (!blank).then(|| Line::Text(text.into_owned()));
        self.partial.clear();
        line
    }
}
