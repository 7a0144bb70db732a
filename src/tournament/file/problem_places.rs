//! Positions in a tournament file, and the problems found there.

use std::ops::Range;
use std::sync::Arc;

use toml::de::DeValue;

use super::flaw::Flaw;
use super::problem::{FileProblem, LineColumn};
use super::section::{Section, TomlValue};
use super::toml_literals::offset_in_literal;
use crate::tournament::Quoted;

/// The text of a tournament file, and the problems found in it so far.
pub(crate) struct KeyReader<'s> {
    source: &'s str,
    line_starts: Vec<usize>,
    /// Each flaw, with its byte offset.
    problems: Vec<(usize, Flaw)>,
}

impl<'s> KeyReader<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        let line_ends = source.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0).chain(line_ends.map(|(i, _)| i + 1)).collect();
        Self { source, line_starts, problems: Vec::new() }
    }

    /// The problems, in the order of the file.
    pub(crate) fn into_problems(mut self) -> Vec<FileProblem> {
        let mut noted = std::mem::take(&mut self.problems);
        noted.sort_by_key(|&(offset, _)| offset);
        // Each column is counted from the previous problem: counting from the start of the line would take too long on
        // a line with many problems.
        let mut before = (0, LineColumn { line: 1, column: 1 });
        let place = |(offset, flaw)| {
            let offset = self.boundary(offset);
            before = (offset, self.place_after(before, offset));
            FileProblem { place: before.1, flaw }
        };
        noted.into_iter().map(place).collect()
    }

    /// Keeps only the problems for which `is_kept` returns true, given their line and flaw.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(usize, &Flaw) -> bool) {
        let mut problems = std::mem::take(&mut self.problems);
        problems.retain(|(offset, flaw)| is_kept(self.line(*offset), flaw));
        self.problems = problems;
    }

    /// Records `flaw` at byte `offset`.
    pub(crate) fn note(&mut self, offset: usize, flaw: Flaw) {
        self.problems.push((offset, flaw));
    }

    /// Calls `read`. The problems that `read` records are kept only if `is_noted` is true.
    pub(crate) fn noting_if<T>(&mut self, is_noted: bool, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.problems.len();
        let value = read(self);
        if !is_noted {
            self.problems.truncate(before);
        }
        value
    }

    /// The line of byte `offset`, starting from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= self.boundary(offset))
    }

    /// The line and column of byte `offset`, or of the next character boundary if `offset` is inside a character.
    pub(crate) fn place(&self, offset: usize) -> LineColumn {
        self.place_after((0, LineColumn { line: 1, column: 1 }), self.boundary(offset))
    }

    /// The place of byte `offset`, counted from `before`: an offset at or before `offset`, with its place. Both offsets
    /// must be character boundaries.
    fn place_after(&self, before: (usize, LineColumn), offset: usize) -> LineColumn {
        let line = self.line(offset);
        let start = self.line_starts[line - 1];
        let (from, column) = if before.0 > start { (before.0, before.1.column) } else { (start, 1) };
        let between = self.source[from..offset].trim_start_matches('\u{feff}');
        LineColumn { line, column: column + between.chars().count() }
    }

    /// The first character boundary at or after byte `offset`.
    fn boundary(&self, offset: usize) -> usize {
        let end = self.source.len();
        (offset..end).find(|&at| self.source.is_char_boundary(at)).unwrap_or(end)
    }

    /// Returns the position in the file of byte `offset` of the string at `span`, accounting for quotes and escapes.
    pub(crate) fn inside(&self, span: &Range<usize>, offset: usize) -> usize {
        let raw = self.source.get(span.clone()).unwrap_or_default();
        span.start + offset_in_literal(raw, offset)
    }

    /// Records each key of `section` that is not known.
    pub(crate) fn unknown_keys(&mut self, section: &Section<'_>) {
        self.unknown_keys_but(section, &[]);
    }

    /// Records each key of `section` that is neither known nor in `elsewhere`.
    pub(crate) fn unknown_keys_but(&mut self, section: &Section<'_>, elsewhere: &[&str]) {
        let known = section.known();
        for (offset, key) in section.unknown().filter(|(_, key)| !elsewhere.contains(key)) {
            self.note(offset, Flaw::UnknownKey { key: Quoted::new(key), known: Arc::clone(&known) });
        }
    }

    /// Records that `value` is of the wrong type, without showing its content.
    pub(crate) fn wrong_type(&mut self, key: impl Into<String>, value: &TomlValue<'_>, expected: &'static str) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number with a decimal point",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.note(value.span().start, Flaw::WrongType { key: key.into(), expected, found });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_count_characters(before in "[aä\n]{0,20}", after in "[aä\n]{0,5}") {
            let text = before.clone() + &after;
            let place = KeyReader::new(&text).place(before.len());
            let line = before.split('\n').count();
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            prop_assert_eq!(place, LineColumn { line, column });
        }

        #[test]
        fn problems_have_the_same_places_together_as_each_alone(
            text in "\u{feff}?[aä😀\n]{0,40}",
            offsets in proptest::collection::vec(0_usize..120, 0..20),
        ) {
            let mut reader = KeyReader::new(&text);
            let mut places: Vec<LineColumn> = offsets.iter().map(|&offset| reader.place(offset)).collect();
            places.sort();
            for offset in offsets {
                reader.note(offset, Flaw::NotUtf8);
            }
            prop_assert_eq!(reader.into_problems().iter().map(|problem| problem.place).collect::<Vec<_>>(), places);
        }
    }
}
