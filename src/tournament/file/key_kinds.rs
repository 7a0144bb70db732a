//! The kinds of values that keys have.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::{Value, json};

use super::clock_text::CLOCK_TIMES;
use super::key::{AnyKey, KeyKind, object, table_schema};
use crate::referee::time_control::SideControl;

/// The largest possible seed: TOML does not have larger numbers.
pub(crate) const MAX_SEED: u64 = i64::MAX as u64;

/// A whole number within bounds.
#[derive(Clone, Debug)]
pub(crate) struct WholeNumber(pub(crate) RangeInclusive<u64>);

impl KeyKind for WholeNumber {
    type Value = u64;
    const HAS_BOUNDS: bool = true;

    fn schema(&self) -> Value {
        json!({ "type": "integer", "minimum": self.0.start(), "maximum": self.0.end() })
    }

    fn allowed(&self) -> String {
        let most = if *self.0.end() == MAX_SEED { "2^63 - 1".to_owned() } else { self.0.end().to_string() };
        format!("{} to {most}", self.0.start())
    }

    fn json(&self, value: &u64) -> Value {
        json!(value)
    }
}

/// A number within bounds, with or without a decimal point.
#[derive(Clone, Debug)]
pub(crate) struct RealNumber(pub(crate) RangeInclusive<f64>);

/// `number` in JSON, without a decimal point if it is whole.
pub(crate) fn real_json(number: f64) -> Value {
    number.to_string().parse::<i64>().map_or_else(|_| json!(number), |whole| json!(whole))
}

impl KeyKind for RealNumber {
    type Value = f64;
    const HAS_BOUNDS: bool = true;

    fn schema(&self) -> Value {
        json!({ "type": "number", "minimum": real_json(*self.0.start()), "maximum": real_json(*self.0.end()) })
    }

    fn allowed(&self) -> String {
        format!("{} to {}", self.0.start(), self.0.end())
    }

    fn json(&self, value: &f64) -> Value {
        real_json(*value)
    }
}

/// `true` or `false`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrueOrFalse;

impl KeyKind for TrueOrFalse {
    type Value = bool;

    fn schema(&self) -> Value {
        json!({ "type": "boolean" })
    }

    fn allowed(&self) -> String {
        "`true`, `false`".to_owned()
    }

    fn json(&self, value: &bool) -> Value {
        json!(value)
    }
}

/// A duration within bounds, such as `"2m 30s"`.
#[derive(Clone, Debug)]
pub(crate) struct TimeSpan(pub(crate) RangeInclusive<Duration>);

impl TimeSpan {
    /// From one second to one week.
    pub(crate) const SECOND_TO_WEEK: Self = Self(CLOCK_TIMES);
}

/// `time` as a multiple of the largest possible unit.
fn time_text(time: Duration) -> String {
    let millis = time.as_millis();
    let unit =
        [(3_600_000, "h"), (60_000, "m"), (1_000, "s")].into_iter().find(|(unit, _)| millis.is_multiple_of(*unit));
    match unit {
        _ if millis == 0 => "0s".to_owned(),
        Some((unit, letter)) => format!("{}{letter}", millis / unit),
        None => format!("{millis}ms"),
    }
}

impl KeyKind for TimeSpan {
    type Value = Duration;
    const HAS_BOUNDS: bool = true;

    fn schema(&self) -> Value {
        json!({
            "allOf": [{ "$ref": "#/definitions/duration" }],
            "x-minimum": time_text(*self.0.start()),
            "x-maximum": time_text(*self.0.end()),
        })
    }

    fn allowed(&self) -> String {
        format!("`\"{}\"` to `\"{}\"`", time_text(*self.0.start()), time_text(*self.0.end()))
    }

    fn json(&self, value: &Duration) -> Value {
        json!(time_text(*value))
    }
}

/// A time for the whole game, with or without an increment or periods, such as `"60s + 1s"`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameClock;

impl KeyKind for GameClock {
    type Value = SideControl;
    const HAS_BOUNDS: bool = true;

    fn schema(&self) -> Value {
        json!({ "allOf": [{ "$ref": "#/definitions/clock" }] })
    }

    fn allowed(&self) -> String {
        "`\"1s\"` to `\"168h\"`, as in `\"60s\"`, `\"60s + 1s\"`, `\"10m, 5 x 30s\"`".to_owned()
    }

    fn json(&self, value: &SideControl) -> Value {
        json!(value.shown())
    }
}

/// A value, or a word that stands for no value.
#[derive(Clone, Debug)]
pub(crate) struct OrWord<K> {
    pub(crate) kind: K,
    pub(crate) word: &'static str,
    /// The description of the expected value in a message about a value of another type.
    pub(crate) expected: &'static str,
}

impl<K: KeyKind> KeyKind for OrWord<K> {
    type Value = Option<K::Value>;
    const HAS_BOUNDS: bool = K::HAS_BOUNDS;

    fn schema(&self) -> Value {
        json!({ "anyOf": [self.kind.schema(), { "type": "string", "const": self.word }] })
    }

    fn allowed(&self) -> String {
        format!("{}, or `\"{}\"`", self.kind.allowed(), self.word)
    }

    fn json(&self, value: &Self::Value) -> Value {
        value.as_ref().map_or_else(|| json!(self.word), |value| self.kind.json(value))
    }
}

/// A number of bytes within bounds, such as `"64 KiB"`.
#[derive(Clone, Debug)]
pub(crate) struct ByteCount(pub(crate) RangeInclusive<u64>);

/// `number` bytes, as a multiple of the largest possible unit.
fn bytes_text(number: u64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(power, _)| number > 0 && number.is_multiple_of(1 << power));
    unit.map_or_else(|| number.to_string(), |(power, unit)| format!("{} {unit}", number >> power))
}

impl KeyKind for ByteCount {
    type Value = u64;
    const HAS_BOUNDS: bool = true;

    fn schema(&self) -> Value {
        let (least, most) = (self.0.start(), self.0.end());
        json!({
            "anyOf": [{ "type": "integer", "minimum": least, "maximum": most }, { "$ref": "#/definitions/size" }],
            "x-minimum": bytes_text(*least),
            "x-maximum": bytes_text(*most),
        })
    }

    fn allowed(&self) -> String {
        let text = |number: u64| if number == 0 { "0".to_owned() } else { format!("`\"{}\"`", bytes_text(number)) };
        format!("{} to {}", text(*self.0.start()), text(*self.0.end()))
    }

    fn json(&self, value: &u64) -> Value {
        json!(bytes_text(*value))
    }
}

/// One of a list of words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneWord<T> {
    /// The words, with their values.
    pub(crate) words: fn() -> Vec<(&'static str, T)>,
    /// The meaning of each word, for editors; empty if the text of the key explains it.
    pub(crate) meanings: &'static [&'static str],
}

/// The kind of a key whose values are the words of an enum, optionally with the meaning of each word.
macro_rules! one_word {
    ($Enum:ty $(, $meaning:literal)* $(,)?) => {
        $crate::tournament::file::key_kinds::OneWord::<$Enum> {
            words: || <$Enum>::ALL.map(|value| (value.name(), value)).to_vec(),
            meanings: &[$($meaning),*],
        }
    };
}
pub(crate) use one_word;

impl<T: PartialEq + Sync + 'static> KeyKind for OneWord<T> {
    type Value = T;

    fn schema(&self) -> Value {
        let words: Vec<&str> = (self.words)().iter().map(|&(word, _)| word).collect();
        let mut schema = json!({ "enum": words });
        if !self.meanings.is_empty() {
            schema["x-taplo"] = json!({ "docs": { "enumValues": self.meanings } });
        }
        schema
    }

    fn allowed(&self) -> String {
        (self.words)().iter().map(|(word, _)| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
    }

    fn json(&self, value: &T) -> Value {
        json!((self.words)().iter().find(|(_, known)| known == value).map(|&(word, _)| word))
    }
}

/// The address and port of a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressAndPort;

impl KeyKind for AddressAndPort {
    type Value = SocketAddr;

    fn schema(&self) -> Value {
        json!({ "allOf": [{ "$ref": "#/definitions/address" }] })
    }

    fn allowed(&self) -> String {
        "`\"address:port\"`".to_owned()
    }

    fn json(&self, value: &SocketAddr) -> Value {
        json!(value.to_string())
    }
}

/// A table within the file.
#[derive(Clone, Copy)]
pub(crate) struct InnerTable {
    pub(crate) keys: &'static [&'static dyn AnyKey],
    /// An example for the documentation.
    pub(crate) example: &'static str,
}

impl KeyKind for InnerTable {
    type Value = &'static str;

    fn schema(&self) -> Value {
        table_schema(self.keys)
    }

    fn allowed(&self) -> String {
        format!("`{}`", self.example)
    }

    fn json(&self, value: &&'static str) -> Value {
        Value::Object(object(value))
    }
}

/// A value with its own reader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnReader {
    /// The allowed values, in Markdown.
    pub(crate) allowed: &'static str,
    /// The JSON Schema of the value.
    pub(crate) schema: &'static str,
}

impl KeyKind for OwnReader {
    /// A value as JSON.
    type Value = &'static str;

    fn schema(&self) -> Value {
        Value::Object(object(self.schema))
    }

    fn allowed(&self) -> String {
        self.allowed.to_owned()
    }

    fn json(&self, value: &&'static str) -> Value {
        serde_json::from_str(value).unwrap_or_else(|error| unreachable!("{error}: {value}"))
    }
}
