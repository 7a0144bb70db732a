//! Reads single values by their keys, and records the problems with them.

use std::net::SocketAddr;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::clock_text::{ClockTextFlaw, game_control};
use super::flaw::Flaw;
use super::key::{FileKey, KeyKind};
use super::key_kinds::{
    AddressAndPort, ByteCount, GameClock, InnerTable, OneWord, OrWord, RealNumber, TimeSpan, TrueOrFalse, WholeNumber,
};
use super::problem_places::KeyReader;
use super::section::{Section, TomlValue};
use super::toml_literals::{duration, size};
use crate::base::units::spaced;
use crate::referee::time_control::SideControl;
use crate::tournament::Quoted;

/// A string, with its key and its span in the file, including the quotes.
#[derive(Clone, Debug)]
pub(crate) struct Text<'t> {
    pub(crate) key: &'static str,
    pub(crate) content: &'t str,
    pub(crate) span: Range<usize>,
}

impl<'t> Text<'t> {
    /// The string `value` of `key`; `None` if `value` is not a string.
    fn of(key: &'static str, value: &'t TomlValue<'t>) -> Option<Self> {
        value.get_ref().as_str().map(|content| Self { key, content, span: value.span() })
    }
}

/// A kind of values that are each written as a single TOML value.
pub(crate) trait ReadableKind: KeyKind {
    /// The value of `key`; `None` if the value is wrong, in which case the problem is recorded.
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<Self::Value>;
}

impl KeyReader<'_> {
    /// The value at `key`; `None` if the key is missing, or if its value is wrong.
    pub(crate) fn given<K: ReadableKind>(&mut self, section: &Section<'_>, key: &FileKey<K>) -> Option<K::Value> {
        key.kind.read(self, key.name, section.get(key.name)?)
    }

    /// The value at `key`, or its default if the key is missing; `None` if there is no default, or if the value is
    /// wrong.
    pub(crate) fn read<K: ReadableKind>(&mut self, section: &Section<'_>, key: &FileKey<K>) -> Option<K::Value>
    where
        K::Value: Copy,
    {
        if section.has(key.name) { self.given(section, key) } else { key.default() }
    }

    /// The string at `key`, if the key is present.
    pub(crate) fn text<'t>(
        &mut self,
        section: &Section<'t>,
        key: &FileKey<impl KeyKind>,
        expected: &'static str,
    ) -> Option<Text<'t>> {
        self.text_of(key.name, section.get(key.name)?, expected)
    }

    fn text_of<'t>(&mut self, key: &'static str, value: &'t TomlValue<'t>, expected: &'static str) -> Option<Text<'t>> {
        let text = Text::of(key, value);
        if text.is_none() {
            self.wrong_type(key, value, expected);
        }
        text
    }

    /// The table at `key`, if the key is present, with its offset.
    pub(crate) fn table<'t>(
        &mut self,
        section: &Section<'t>,
        key: &FileKey<InnerTable>,
        expected: &'static str,
    ) -> Option<(Section<'t>, usize)> {
        let value = section.get(key.name)?;
        let table = self.table_of(key.name, value, expected)?;
        Some((Section::new(table, key.kind.keys), value.span().start))
    }

    /// The table that is the value of `key`.
    pub(crate) fn table_of<'t>(
        &mut self,
        key: &'static str,
        value: &'t TomlValue<'t>,
        expected: &'static str,
    ) -> Option<&'t DeTable<'t>> {
        if let DeValue::Table(table) = value.get_ref() {
            return Some(table);
        }
        self.wrong_type(key, value, expected);
        None
    }

    /// Records that `text`, the value of `key` at byte `offset`, is not within `range`.
    fn out_of_range(&mut self, key: &str, offset: usize, text: &impl ToString, range: &RangeInclusive<impl ToString>) {
        let (least, most) = (range.start().to_string(), range.end().to_string());
        self.note(offset, Flaw::OutOfRange { key: key.to_owned(), text: Quoted::new(&text.to_string()), least, most });
    }

    fn integer(&mut self, key: &'static str, value: &TomlValue<'_>, range: &RangeInclusive<u64>) -> Option<u64> {
        let integer = value.get_ref().as_integer()?;
        let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let within = number.filter(|number| range.contains(number));
        if within.is_none() {
            self.out_of_range(key, value.span().start, integer, range);
        }
        within
    }

    fn duration(&mut self, text: &Text<'_>, range: &RangeInclusive<Duration>) -> Option<Duration> {
        let Some(duration) = duration(text.content) else {
            self.note(text.span.start, Flaw::NotADuration { key: text.key, text: Quoted::new(text.content) });
            return None;
        };
        if !range.contains(&duration) {
            let shown = spaced(*range.start())..=spaced(*range.end());
            self.out_of_range(text.key, text.span.start, &text.content, &shown);
            return None;
        }
        Some(duration)
    }
}

impl ReadableKind for WholeNumber {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<u64> {
        if value.get_ref().is_integer() {
            return reader.integer(key, value, &self.0);
        }
        reader.wrong_type(key, value, "a whole number, without quotes");
        None
    }
}

impl ReadableKind for RealNumber {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<f64> {
        let text = match value.get_ref() {
            DeValue::Float(number) => number.as_str(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            _ => {
                reader.wrong_type(key, value, "a number, without quotes");
                return None;
            }
        };
        let within = text.parse::<f64>().ok().filter(|number| self.0.contains(number));
        if within.is_none() {
            reader.out_of_range(key, value.span().start, &text, &self.0);
        }
        within
    }
}

impl ReadableKind for TrueOrFalse {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<bool> {
        if let DeValue::Boolean(boolean) = value.get_ref() {
            return Some(*boolean);
        }
        reader.wrong_type(key, value, "`true` or `false`, without quotes");
        None
    }
}

impl ReadableKind for TimeSpan {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<Duration> {
        let text = reader.text_of(key, value, "a duration such as \"60s\" or \"2m 30s\"")?;
        reader.duration(&text, &self.0)
    }
}

impl ReadableKind for GameClock {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<SideControl> {
        let text = reader.text_of(key, value, "a time such as \"60s\", \"60s + 1s\" or \"10m, 5 x 30s\"")?;
        let Text { content, span, .. } = &text;
        let flaw = match game_control(content) {
            Ok(control) => return Some(control),
            Err(_) if content.contains('/') => Flaw::MoveTimeInTime { key },
            Err(ClockTextFlaw::Form) => Flaw::NotAClock { key, text: Quoted::new(content) },
            Err(ClockTextFlaw::Range { part: "time", text, least, most }) => {
                Flaw::OutOfRange { key: key.to_owned(), text: Quoted::new(&text), least, most }
            }
            Err(ClockTextFlaw::Range { part, text, least, most }) => {
                Flaw::PartOutOfRange { key, part, text: Quoted::new(&text), least, most }
            }
        };
        reader.note(span.start, flaw);
        None
    }
}

impl ReadableKind for OrWord<TimeSpan> {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<Option<Duration>> {
        let text = reader.text_of(key, value, self.expected)?;
        if text.content == self.word { Some(None) } else { reader.duration(&text, &self.kind.0).map(Some) }
    }
}

impl ReadableKind for OrWord<WholeNumber> {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<Option<u64>> {
        match value.get_ref() {
            DeValue::Integer(_) => return reader.integer(key, value, &self.kind.0).map(Some),
            DeValue::String(text) if text == self.word => return Some(None),
            DeValue::String(text) => {
                let known = vec![self.word, "or a whole number without quotes"];
                reader.note(value.span().start, Flaw::UnknownWord { key, text: Quoted::new(text), known });
            }
            _ => reader.wrong_type(key, value, self.expected),
        }
        None
    }
}

impl ReadableKind for ByteCount {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<u64> {
        match value.get_ref() {
            DeValue::Integer(_) => return reader.integer(key, value, &self.0),
            DeValue::String(text) => match size(text) {
                None => reader.note(value.span().start, Flaw::NotASize { key, text: Quoted::new(text) }),
                Some(size) if self.0.contains(&size) => return Some(size),
                Some(_) => reader.out_of_range(key, value.span().start, text, &self.0),
            },
            _ => reader.wrong_type(key, value, "a number of bytes such as 65536 or \"64 KiB\""),
        }
        None
    }
}

impl ReadableKind for AddressAndPort {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<SocketAddr> {
        let text = reader.text_of(key, value, "an address and port such as \"0.0.0.0:29070\"")?;
        let address = text.content.parse().ok();
        if address.is_none() {
            reader.note(text.span.start, Flaw::NotAnAddress { key, text: Quoted::new(text.content) });
        }
        address
    }
}

impl<T: PartialEq + Sync + 'static> ReadableKind for OneWord<T> {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<T> {
        let text = reader.text_of(key, value, "a word in quotes")?;
        let words = (self.words)();
        let known: Vec<&'static str> = words.iter().map(|&(word, _)| word).collect();
        let found = words.into_iter().find(|(word, _)| *word == text.content).map(|(_, value)| value);
        if found.is_none() {
            reader.note(text.span.start, Flaw::UnknownWord { key, text: Quoted::new(text.content), known });
        }
        found
    }
}
