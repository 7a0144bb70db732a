//! A command in a comment of a game log.

use std::time::Duration;

use crate::base::digits::parse_digits;
use crate::referee::record::Ply;
use crate::referee::record::cursor::{LogCursor, excerpt};
use crate::referee::record::quoting::unquote;
use crate::referee::record::text_errors::{LogProblem, LogTextError};
use crate::referee::record::value_texts::parse_time;
use crate::referee::thought::Thought;

/// A command `[%name argument]` that is being read.
pub(super) struct CommentCommand<'a> {
    pub(super) at: LogCursor<'a>,
    /// The rest of the comment.
    pub(super) argument: &'a str,
    /// The comment, starting with the command.
    pub(super) whole: &'a str,
}

impl<'a> CommentCommand<'a> {
    /// The argument, up to whitespace or the end of the command.
    pub(super) fn word(&self) -> &'a str {
        LogCursor::new(self.argument).take_while(|letter| letter != ']' && !letter.is_whitespace())
    }

    pub(super) fn skip_word(&mut self) {
        self.argument = &self.argument[self.word().len()..];
    }

    /// The argument as a whole number from 1.
    pub(super) fn number(&self) -> Option<u32> {
        parse_digits(self.word()).and_then(|number| u32::try_from(number).ok()).filter(|&number| number > 0)
    }

    pub(super) fn time(&mut self, name: &'static str) -> Result<Duration, LogTextError> {
        let time = parse_time(self.word()).ok_or_else(|| self.bad(name, "a time (`h:mm:ss.ffffff`)"))?;
        self.skip_word();
        Ok(time)
    }

    /// A note in double quotes.
    pub(super) fn note(&mut self) -> Result<String, LogTextError> {
        let expected = "a note (in double quotes, printable ASCII, at most 60 characters)";
        let Some((text, rest)) = unquote(self.argument) else { return Err(self.bad("note", expected)) };
        if text.len() > Ply::MAX_NOTE || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(self.bad("note", expected));
        }
        self.argument = rest;
        Ok(text)
    }

    /// The claims of a bot and the length of their text; `None` if the text is not in the arena's format.
    pub(super) fn thought(&self) -> Option<(Box<Thought>, usize)> {
        let text = &self.argument[..self.argument.find(']')?];
        Some((Box::new(text.parse().ok()?), text.len()))
    }

    pub(super) fn bad(&self, name: &'static str, expected: &'static str) -> LogTextError {
        let value = if self.argument.starts_with('"') { self.argument } else { self.word() };
        self.at.error(LogProblem::BadValue { name, value: excerpt(value), expected })
    }

    /// Consumes the `]`, and returns the length of the whole command in bytes.
    pub(super) fn close(&self) -> Result<usize, LogTextError> {
        let rest = self.argument.trim_start();
        let used = self.whole.len() - rest.len();
        if rest.starts_with(']') {
            return Ok(used + 1);
        }
        let mut here = self.at;
        here.advance(used);
        Err(here.expected("`]`"))
    }
}
