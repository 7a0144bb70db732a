//! Reads a log's text from start to end, keeping track of the line and column for errors.

use super::text_errors::{LogProblem, LogTextError};
use crate::base::sanitise::is_unprintable;

/// A position in text that is being read.
#[derive(Clone, Copy)]
pub(super) struct LogCursor<'a> {
    whole: &'a str,
    at: usize,
}

impl<'a> LogCursor<'a> {
    pub(super) const fn new(whole: &'a str) -> Self {
        Self { whole, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.whole[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Advances by `bytes`, which must end on a character boundary.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Takes characters while `belongs` returns true.
    pub(super) fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        // Nearly all text is ASCII, which does not need decoding.
        let ascii = rest.bytes().take_while(|&byte| byte.is_ascii() && belongs(char::from(byte))).count();
        let end = if rest.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
            ascii
        } else {
            rest[ascii..].find(|letter| !belongs(letter)).map_or(rest.len(), |more| ascii + more)
        };
        let taken = &rest[..end];
        self.advance(taken.len());
        taken
    }

    pub(super) fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.advance(prefix.len());
        }
        found
    }

    /// Skips whitespace, comments that run to the end of the line, and lines with `%` in the first column.
    pub(super) fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            let line_start = self.at == 0 || self.whole[..self.at].ends_with('\n');
            match self.peek() {
                Some(';') => {}
                Some('%') if line_start => {}
                _ => return,
            }
            self.take_while(|letter| letter != '\n');
        }
    }

    pub(super) fn error(&self, problem: LogProblem) -> LogTextError {
        let before = &self.whole[..self.at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        LogTextError { line: self.line(), column: before[line_start..].chars().count() + 1, problem }
    }

    /// The line of the next character, starting from 1.
    pub(super) fn line(&self) -> usize {
        self.whole[..self.at].bytes().filter(|&byte| byte == b'\n').count() + 1
    }

    /// The error that states that `expected` was not found here.
    pub(super) fn expected(&self, expected: &'static str) -> LogTextError {
        let word = self.rest().split_whitespace().next().unwrap_or_default();
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(_) => format!("`{}`", excerpt(word)),
        };
        self.error(LogProblem::Expected { expected, found })
    }
}

/// The start of `text`, sanitised for a message.
pub(super) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 24;
    let mut shown = String::new();
    for letter in text.chars().take(SHOWN) {
        if is_unprintable(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}
