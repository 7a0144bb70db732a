//! Reading single values by their keys, noting what is wrong with them.

use std::net::SocketAddr;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use toml::de::DeValue;

use super::flaw::Flaw;
use super::problem_places::KeyReader;
use super::section::{Section, TomlValue};
use super::toml_literals::{duration, size};
use crate::base::units::spaced;
use crate::tournament::Quoted;

/// The most that a seed can be: TOML has no greater numbers.
const MAX_SEED: u64 = i64::MAX as u64;

/// The word for no limit.
const UNLIMITED: &str = "unlimited";

/// A string with its key and the bytes of the file that hold the string, quotes included.
#[derive(Clone, Debug)]
pub(crate) struct Text<'t> {
    pub(crate) key: &'static str,
    pub(crate) content: &'t str,
    pub(crate) span: Range<usize>,
}

impl KeyReader<'_> {
    /// The whole number at `seed`, if the key is there and its value can be a seed.
    pub(crate) fn seed(&mut self, section: &mut Section<'_>) -> Option<u64> {
        self.integer(section, "seed", 0..=MAX_SEED)
    }

    /// The string at `key`, if the key is there.
    pub(crate) fn text<'t>(
        &mut self,
        section: &mut Section<'t>,
        key: &'static str,
        expected: &'static str,
    ) -> Option<Text<'t>> {
        let value = section.get(key)?;
        if let DeValue::String(text) = value.get_ref() {
            return Some(Text { key, content: text, span: value.span() });
        }
        self.wrong_type(key, value, expected);
        None
    }

    /// The whole number at `key`, if the key is there and its value within `range`.
    pub(crate) fn integer(
        &mut self,
        section: &mut Section<'_>,
        key: &'static str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let value = section.get(key)?;
        if value.get_ref().is_integer() {
            return self.integer_value(key, value, range);
        }
        self.wrong_type(key, value, "a whole number, without quotes");
        None
    }

    /// The number at `key`, with or without a point, if it is within `range`; `default` if the key is not there, and `None`
    /// if its value is wrong.
    pub(crate) fn number(
        &mut self,
        section: &mut Section<'_>,
        key: &'static str,
        range: RangeInclusive<f64>,
        default: f64,
    ) -> Option<f64> {
        let Some(value) = section.get(key) else {
            return Some(default);
        };
        let text = match value.get_ref() {
            DeValue::Float(number) => number.as_str(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            _ => {
                self.wrong_type(key, value, "a number, without quotes");
                return None;
            }
        };
        let within = text.parse::<f64>().ok().filter(|number| range.contains(number));
        if within.is_none() {
            self.out_of_range(key, value.span().start, &text, &range);
        }
        within
    }

    /// The boolean at `key`, if the key is there.
    pub(crate) fn boolean(&mut self, section: &mut Section<'_>, key: &'static str) -> Option<bool> {
        let value = section.get(key)?;
        if let DeValue::Boolean(boolean) = value.get_ref() {
            return Some(*boolean);
        }
        self.wrong_type(key, value, "`true` or `false`, without quotes");
        None
    }

    fn integer_value(&mut self, key: &'static str, value: &TomlValue<'_>, range: RangeInclusive<u64>) -> Option<u64> {
        let integer = value.get_ref().as_integer()?;
        let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let within = number.filter(|number| range.contains(number));
        if within.is_none() {
            self.out_of_range(key, value.span().start, integer, &range);
        }
        within
    }

    /// Notes that `text`, the value of `key` at byte `offset`, is not within `range`.
    fn out_of_range(&mut self, key: &str, offset: usize, text: &impl ToString, range: &RangeInclusive<impl ToString>) {
        let (least, most) = (range.start().to_string(), range.end().to_string());
        self.note(offset, Flaw::OutOfRange { key: key.to_owned(), text: Quoted::new(&text.to_string()), least, most });
    }

    /// The number of tries at `key`, `None` for `"unlimited"`; `default` if the key is not there or its value wrong.
    pub(crate) fn tries(&mut self, section: &mut Section<'_>, key: &'static str, default: Option<u32>) -> Option<u32> {
        let Some(value) = section.get(key) else {
            return default;
        };
        match value.get_ref() {
            DeValue::Integer(_) => {
                let tries = self.integer_value(key, value, 0..=1_000_000);
                return tries.and_then(|tries| u32::try_from(tries).ok()).or(default);
            }
            DeValue::String(text) if text == UNLIMITED => return None,
            DeValue::String(text) => {
                let known = vec![UNLIMITED, "or a whole number without quotes"];
                self.note(value.span().start, Flaw::UnknownWord { key, text: Quoted::new(text), known });
            }
            _ => self.wrong_type(key, value, "a whole number or \"unlimited\""),
        }
        default
    }

    /// The duration at `key`, if the key is there and its value within `range`.
    pub(crate) fn duration(
        &mut self,
        section: &mut Section<'_>,
        key: &'static str,
        range: RangeInclusive<Duration>,
    ) -> Option<Duration> {
        let text = self.text(section, key, "a duration such as \"60s\" or \"2m 30s\"")?;
        self.duration_text(&text, range)
    }

    /// Like [`KeyReader::duration`], but `None` for `"unlimited"`, and `default` if the key is not there or its value wrong.
    pub(crate) fn duration_or_unlimited(
        &mut self,
        section: &mut Section<'_>,
        key: &'static str,
        range: RangeInclusive<Duration>,
        default: Option<Duration>,
    ) -> Option<Duration> {
        match self.text(section, key, "a duration such as \"10m\", or \"unlimited\"") {
            None => default,
            Some(text) if text.content == UNLIMITED => None,
            Some(text) => self.duration_text(&text, range).or(default),
        }
    }

    fn duration_text(&mut self, text: &Text<'_>, range: RangeInclusive<Duration>) -> Option<Duration> {
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

    /// The number of bytes at `key`, if the key is there and its value within `range`.
    pub(crate) fn size(
        &mut self,
        section: &mut Section<'_>,
        key: &'static str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let value = section.get(key)?;
        match value.get_ref() {
            DeValue::Integer(_) => self.integer_value(key, value, range),
            DeValue::String(text) => {
                let Some(size) = size(text) else {
                    self.note(value.span().start, Flaw::NotASize { key, text: Quoted::new(text) });
                    return None;
                };
                if !range.contains(&size) {
                    self.out_of_range(key, value.span().start, text, &range);
                    return None;
                }
                Some(size)
            }
            _ => {
                self.wrong_type(key, value, "a number of bytes such as 65536 or \"64 KiB\"");
                None
            }
        }
    }

    /// The address at `key`, if the key is there.
    pub(crate) fn address(&mut self, section: &mut Section<'_>, key: &'static str) -> Option<SocketAddr> {
        let text = self.text(section, key, "an address and port such as \"0.0.0.0:29070\"")?;
        let address = text.content.parse().ok();
        if address.is_none() {
            self.note(text.span.start, Flaw::NotAnAddress { key, text: Quoted::new(text.content) });
        }
        address
    }

    /// The value that the word at `key` stands for, if the key is there and its word one of `words`.
    pub(crate) fn word<T: Copy>(
        &mut self,
        section: &mut Section<'_>,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let text = self.text(section, key, "a word in quotes")?;
        let found = words.iter().find(|(word, _)| *word == text.content).map(|&(_, value)| value);
        if found.is_none() {
            let known: Vec<&'static str> = words.iter().map(|&(word, _)| word).collect();
            self.note(text.span.start, Flaw::UnknownWord { key, text: Quoted::new(text.content), known });
        }
        found
    }
}
