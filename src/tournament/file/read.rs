//! Reading single values out of a TOML table, noting what is wrong with them.

use std::net::SocketAddr;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Flaw, Place, Problem, Written};

/// A TOML value with its bytes in the file.
pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// The text of the file, and everything found wrong with it so far.
pub(super) struct Reader<'s> {
    source: &'s str,
    line_starts: Vec<usize>,
    /// Each with the byte at which it stands.
    problems: Vec<(usize, Flaw)>,
}

/// A string with its key and the bytes of the file that hold it, quotes included.
#[derive(Clone, Debug)]
pub(super) struct Text<'t> {
    pub(super) key: &'static str,
    pub(super) content: &'t str,
    pub(super) span: Range<usize>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        let line_ends = source.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(0).chain(line_ends.map(|(i, _)| i + 1)).collect();
        Self { source, line_starts, problems: Vec::new() }
    }

    /// The problems in the order in which they stand in the file.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        let mut noted = std::mem::take(&mut self.problems);
        noted.sort_by_key(|&(offset, _)| offset);
        // Each column is counted from the problem before: from the start of a line with many problems it would take too long.
        let mut before = (0, Place { line: 1, column: 1 });
        let place = |(offset, flaw)| {
            let offset = self.boundary(offset);
            before = (offset, self.place_after(before, offset));
            Problem { place: before.1, flaw }
        };
        noted.into_iter().map(place).collect()
    }

    /// Drops the problems for which `is_kept` does not hold, by their line and what they are.
    pub(super) fn retain(&mut self, is_kept: impl Fn(usize, &Flaw) -> bool) {
        let mut problems = std::mem::take(&mut self.problems);
        problems.retain(|(offset, flaw)| is_kept(self.line(*offset), flaw));
        self.problems = problems;
    }

    /// Notes that `flaw` stands at byte `offset`.
    pub(super) fn note(&mut self, offset: usize, flaw: Flaw) {
        self.problems.push((offset, flaw));
    }

    /// The line of byte `offset`, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= self.boundary(offset))
    }

    /// Line and column of byte `offset`; one that is no boundary of characters counts as the next one that is.
    pub(super) fn place(&self, offset: usize) -> Place {
        self.place_after((0, Place { line: 1, column: 1 }), self.boundary(offset))
    }

    /// The place of byte `offset`, where `before` is a byte that is not behind it, with its place. Both are boundaries.
    fn place_after(&self, before: (usize, Place), offset: usize) -> Place {
        let line = self.line(offset);
        let start = self.line_starts[line - 1];
        let (from, column) = if before.0 > start { (before.0, before.1.column) } else { (start, 1) };
        let between = self.source[from..offset].trim_start_matches('\u{feff}');
        Place { line, column: column + between.chars().count() }
    }

    /// The first boundary of characters from byte `offset` on.
    fn boundary(&self, offset: usize) -> usize {
        let end = self.source.len();
        (offset..end).find(|&at| self.source.is_char_boundary(at)).unwrap_or(end)
    }

    /// Byte `offset` of the string that stands at `span`, as a byte of the file: quotes and escapes come between.
    pub(super) fn inside(&self, span: &Range<usize>, offset: usize) -> usize {
        let raw = self.source.get(span.clone()).unwrap_or_default();
        span.start + offset_in_literal(raw, offset)
    }

    /// Where the key `key` of `table` stands.
    pub(super) fn key_offset(table: &DeTable<'_>, key: &str) -> usize {
        table.get_key_value(key).map_or(0, |(key, _)| key.span().start)
    }

    /// Notes each key of `table` that `known` does not hold.
    pub(super) fn unknown_keys(&mut self, table: &DeTable<'_>, known: &'static [&'static str]) {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                self.note(key.span().start, Flaw::UnknownKey { key: Written::new(name), known });
            }
        }
    }

    /// Notes that `value` is of the wrong type; its content is not shown.
    pub(super) fn wrong_type(&mut self, key: impl Into<String>, value: &Value<'_>, expected: &'static str) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number with a point",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.note(value.span().start, Flaw::WrongType { key: key.into(), expected, found });
    }

    /// The string at `key`, if it is there.
    pub(super) fn text<'t>(
        &mut self,
        table: &'t DeTable<'_>,
        key: &'static str,
        expected: &'static str,
    ) -> Option<Text<'t>> {
        let value = table.get(key)?;
        if let DeValue::String(text) = value.get_ref() {
            return Some(Text { key, content: text, span: value.span() });
        }
        self.wrong_type(key, value, expected);
        None
    }

    /// The whole number at `key`, if it is there and within `range`.
    pub(super) fn integer(
        &mut self,
        table: &DeTable<'_>,
        key: &'static str,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        let value = table.get(key)?;
        if value.get_ref().is_integer() {
            return self.integer_value(key, value, range);
        }
        self.wrong_type(key, value, "a whole number, without quotes");
        None
    }

    /// The number at `key`, with or without a point, if it is within `range`; `default` if it is not there, and `None` if
    /// it is wrong.
    pub(super) fn number(
        &mut self,
        table: &DeTable<'_>,
        key: &'static str,
        range: RangeInclusive<f64>,
        default: f64,
    ) -> Option<f64> {
        let Some(value) = table.get(key) else {
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
            self.out_of_range(key, value.span().start, &text, range.start(), range.end());
        }
        within
    }

    /// The boolean at `key`, if it is there.
    pub(super) fn boolean(&mut self, table: &DeTable<'_>, key: &'static str) -> Option<bool> {
        let value = table.get(key)?;
        if let DeValue::Boolean(boolean) = value.get_ref() {
            return Some(*boolean);
        }
        self.wrong_type(key, value, "`true` or `false`, without quotes");
        None
    }

    fn integer_value(&mut self, key: &'static str, value: &Value<'_>, range: RangeInclusive<u64>) -> Option<u64> {
        let integer = value.get_ref().as_integer()?;
        let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let within = number.filter(|number| range.contains(number));
        if within.is_none() {
            self.out_of_range(key, value.span().start, integer, range.start(), range.end());
        }
        within
    }

    fn out_of_range(
        &mut self,
        key: &str,
        offset: usize,
        text: &impl ToString,
        least: &impl ToString,
        most: &impl ToString,
    ) {
        let (least, most) = (least.to_string(), most.to_string());
        self.note(offset, Flaw::OutOfRange { key: key.to_owned(), text: Written::new(&text.to_string()), least, most });
    }

    /// The number of tries at `key`, `None` for `"unlimited"`; `default` if it is not there or wrong.
    pub(super) fn tries(&mut self, table: &DeTable<'_>, key: &'static str, default: Option<u32>) -> Option<u32> {
        let Some(value) = table.get(key) else {
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
                self.note(value.span().start, Flaw::UnknownWord { key, text: Written::new(text), known });
            }
            _ => self.wrong_type(key, value, "a whole number or \"unlimited\""),
        }
        default
    }

    /// The duration at `key`, if it is there and within `range`.
    pub(super) fn duration(
        &mut self,
        table: &DeTable<'_>,
        key: &'static str,
        range: RangeInclusive<Duration>,
    ) -> Option<Duration> {
        let text = self.text(table, key, "a duration such as \"60s\" or \"2m 30s\"")?;
        self.duration_text(&text, range)
    }

    /// Like [`Reader::duration`], but `None` for `"unlimited"` and `default` if it is not there or wrong.
    pub(super) fn duration_or_unlimited(
        &mut self,
        table: &DeTable<'_>,
        key: &'static str,
        range: RangeInclusive<Duration>,
        default: Option<Duration>,
    ) -> Option<Duration> {
        match self.text(table, key, "a duration such as \"10m\", or \"unlimited\"") {
            None => default,
            Some(text) if text.content == UNLIMITED => None,
            Some(text) => self.duration_text(&text, range).or(default),
        }
    }

    fn duration_text(&mut self, text: &Text<'_>, range: RangeInclusive<Duration>) -> Option<Duration> {
        let Some(duration) = duration(text.content) else {
            self.note(text.span.start, Flaw::NotADuration { key: text.key, text: Written::new(text.content) });
            return None;
        };
        if !range.contains(&duration) {
            let [least, most] = [range.start(), range.end()].map(|bound| humantime::format_duration(*bound));
            self.out_of_range(text.key, text.span.start, &text.content, &least, &most);
            return None;
        }
        Some(duration)
    }

    /// The number of bytes at `key`, if it is there and within `range`.
    pub(super) fn size(&mut self, table: &DeTable<'_>, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let value = table.get(key)?;
        match value.get_ref() {
            DeValue::Integer(_) => self.integer_value(key, value, range),
            DeValue::String(text) => {
                let Some(size) = size(text) else {
                    self.note(value.span().start, Flaw::NotASize { key, text: Written::new(text) });
                    return None;
                };
                if !range.contains(&size) {
                    self.out_of_range(key, value.span().start, text, range.start(), range.end());
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

    /// The address at `key`, if it is there.
    pub(super) fn address(&mut self, table: &DeTable<'_>, key: &'static str) -> Option<SocketAddr> {
        let text = self.text(table, key, "an address and port such as \"0.0.0.0:29070\"")?;
        let address = text.content.parse().ok();
        if address.is_none() {
            self.note(text.span.start, Flaw::NotAnAddress { key, text: Written::new(text.content) });
        }
        address
    }

    /// The value that the word at `key` stands for, if it is there and one of `words`.
    pub(super) fn word<T: Copy>(
        &mut self,
        table: &DeTable<'_>,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let text = self.text(table, key, "a word in quotes")?;
        let found = words.iter().find(|(word, _)| *word == text.content).map(|&(_, value)| value);
        if found.is_none() {
            let known: Vec<&'static str> = words.iter().map(|&(word, _)| word).collect();
            self.note(text.span.start, Flaw::UnknownWord { key, text: Written::new(text.content), known });
        }
        found
    }
}

/// The word for no bound.
const UNLIMITED: &str = "unlimited";

/// The duration that `text` is. No sensible one has more than eleven digits; more could overflow inside humantime.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if digits > 11 { None } else { humantime::parse_duration(text).ok() }
}

/// The number of bytes that a text such as `64 KiB` is.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.replace('_', "").parse::<u64>().ok()?.checked_mul(factor)
}

/// Byte `wanted` of the string that the TOML literal `raw` stands for, as a byte of `raw`.
fn offset_in_literal(raw: &str, wanted: usize) -> usize {
    let quote = if raw.starts_with('\'') { "'" } else { "\"" };
    let multi_line = raw.len() >= 6 && raw.starts_with(&quote.repeat(3));
    let mut at = if multi_line { 3 } else { usize::from(raw.starts_with(quote)) };
    if multi_line {
        // The first line break belongs to the quotes.
        at += ["\r\n", "\n"].into_iter().find(|newline| raw[at..].starts_with(newline)).map_or(0, str::len);
    }
    let mut decoded = 0;
    while let Some(c) = raw[at..].chars().next() {
        let (length, stands_for) =
            if c == '\\' && quote == "\"" { escape(&raw[at..]) } else { (c.len_utf8(), c.len_utf8()) };
        // An escape that stands for nothing, at a line's end, is passed over to what comes after it.
        if decoded + stands_for > wanted {
            break;
        }
        decoded += stands_for;
        at += length;
    }
    at
}

/// How many bytes the escape at the start of `raw` has, and how many the text has for which it stands.
fn escape(raw: &str) -> (usize, usize) {
    let digits = match raw[1..].chars().next() {
        Some('x') => 2,
        Some('u') => 4,
        Some('U') => 8,
        Some(c) if c.is_whitespace() => return (1 + raw[1..].len() - raw[1..].trim_start().len(), 0),
        Some(c) => return (1 + c.len_utf8(), 1),
        None => return (1, 0),
    };
    let hex = raw.get(2..2 + digits);
    let decoded = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
    (hex.map_or(2, |hex| 2 + hex.len()), decoded.map_or(0, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_those_of_humantime() {
        assert_eq!(duration("2m 30s"), Some(Duration::from_secs(150)));
        assert_eq!(duration("1.5s"), Some(Duration::from_millis(1_500)));
        for text in ["", "ten", "60", "-1s", "18446744073709551615s1000ms"] {
            assert_eq!(duration(text), None, "{text:?}");
        }
    }

    #[test]
    fn sizes_have_binary_and_decimal_units() {
        assert_eq!(size("64 KiB"), Some(65_536));
        assert_eq!(size("65_536"), Some(65_536));
        assert_eq!(size("1kB"), Some(1_000));
        for text in ["", "KiB", "1 kb", "-1", "99999999999 GiB"] {
            assert_eq!(size(text), None, "{text:?}");
        }
    }

    #[test]
    fn offsets_pass_over_quotes_and_escapes() {
        for (raw, decoded) in [
            ("\"a{x\"", "a{x"),
            ("'a\\{x'", "a\\{x"),
            (r#""\t\u00e4\U0001F600{x""#, "\tä😀{x"),
            ("\"\"\"\nab\\\n   {x\"\"\"", "ab{x"),
            ("'''\r\na\n{x'''", "a\n{x"),
        ] {
            let text = format!("key = {raw}");
            let table: toml::Table = toml::from_str(&text).unwrap();
            assert_eq!(table["key"].as_str(), Some(decoded));
            let offset = offset_in_literal(raw, decoded.find('{').unwrap());
            assert_eq!(Some(offset), raw.find('{'), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn nothing_written_as_a_duration_panics(text in "[0-9]{0,20}[. ]?[0-9]{0,20}(ms|s|m|h|d|w|y|ns)?[0-9]{0,13}(ms|s|y)?") {
            let _ = duration(&text);
        }

        #[test]
        fn places_count_characters(before in "[aä\n]{0,20}", after in "[aä\n]{0,5}") {
            let text = before.clone() + &after;
            let place = Reader::new(&text).place(before.len());
            let line = before.split('\n').count();
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            prop_assert_eq!(place, Place { line, column });
        }

        #[test]
        fn problems_have_the_same_places_together_as_each_alone(
            text in "\u{feff}?[aä😀\n]{0,40}",
            offsets in proptest::collection::vec(0_usize..120, 0..20),
        ) {
            let mut reader = Reader::new(&text);
            let mut places: Vec<Place> = offsets.iter().map(|&offset| reader.place(offset)).collect();
            places.sort();
            for offset in offsets {
                reader.note(offset, Flaw::NotUtf8);
            }
            prop_assert_eq!(reader.into_problems().iter().map(|problem| problem.place).collect::<Vec<_>>(), places);
        }

        #[test]
        fn no_literal_is_too_strange(raw in "['\"]{0,3}[\\\\xuU0-9a-fä \n{]{0,12}['\"]{0,3}", wanted in 0_usize..12) {
            prop_assert!(raw.is_char_boundary(offset_in_literal(&raw, wanted)));
        }
    }
}
