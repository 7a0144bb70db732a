//! The values of cells, and how each is written for people, in CSV and in JSON.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::{JsonObject, RoundedFigure};
use crate::results::rating::Elo;
use crate::results::text_cell::text_cell;

/// The value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::results::report) enum TableCell<'s> {
    /// Nothing: a dash for people, an empty field in CSV, `null` in JSON.
    Nothing,
    /// Text that may be untrusted. In CSV, it is written so that no spreadsheet treats it as a formula.
    Text(Cow<'s, str>),
    /// Text written by the arena. It may begin with a sign, because it may be a number.
    Verbatim(String),
    /// A count.
    Count(u64),
    /// A whole number, shown to people with its sign.
    Balance(i64),
    /// Yes or no.
    Flag(bool),
    /// A number that needs no rounding.
    Exact(f64),
    /// A number that is rounded for programs as well.
    Rounded(RoundedFigure),
    /// Elo, with one decimal for people and two for programs.
    Elo(Elo),
    /// A time in seconds, with milliseconds for people, microseconds in CSV, and the full precision in JSON.
    Seconds(Duration),
    /// Like [`TableCell::Seconds`], but shown to people in milliseconds.
    Milliseconds(Duration),
    /// A number of bytes, in mebibytes for people.
    Bytes(u64),
    /// A probability that may be tiny, with four significant digits for programs.
    PValue(f64),
    /// A value that would mislead people, who see a dash instead.
    ForPrograms(Box<Self>),
    /// A list, which only JSON can represent.
    List(Vec<Self>),
    /// An object, which only JSON can represent.
    Object(JsonObject<'s>),
}

impl TableCell<'_> {
    /// The cell for people.
    pub(in crate::results::report) fn text(&self) -> String {
        match self {
            Self::Nothing | Self::ForPrograms(_) | Self::List(_) | Self::Object(_) => "-".to_owned(),
            Self::Text(text) => text.clone().into_owned(),
            Self::Balance(0) => "0".to_owned(),
            Self::Balance(number) => format!("{number:+}"),
            Self::Rounded(figure) => figure.text(),
            Self::Elo(elo) => format!("{elo:.1}"),
            Self::Seconds(time) => format!("{:.3}", time.as_secs_f64()),
            Self::Milliseconds(time) => format!("{:.3}", time.as_secs_f64() * 1e3),
            #[expect(clippy::cast_precision_loss, reason = "shown to three decimals")]
            Self::Bytes(bytes) => format!("{:.3}", *bytes as f64 / f64::from(1 << 20)),
            Self::PValue(p) if *p < 0.0001 => "< 0.0001".to_owned(),
            Self::PValue(p) => format!("{p:.4}"),
            Self::Verbatim(_) | Self::Count(_) | Self::Flag(_) | Self::Exact(_) => self.csv(),
        }
    }

    /// The field in CSV.
    pub(super) fn csv(&self) -> String {
        match self {
            Self::Nothing | Self::List(_) | Self::Object(_) => String::new(),
            Self::Text(text) => text_cell(text).into_owned(),
            Self::Verbatim(text) => text.clone(),
            Self::Count(number) | Self::Bytes(number) => number.to_string(),
            Self::Balance(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Exact(number) => number.to_string(),
            Self::Rounded(figure) => figure.csv(),
            Self::Elo(elo) => elo.to_string(),
            Self::Seconds(time) | Self::Milliseconds(time) => format!("{:.6}", time.as_secs_f64()),
            Self::PValue(p) => significant(*p).to_string(),
            Self::ForPrograms(cell) => cell.csv(),
        }
    }
}

impl Serialize for TableCell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => serializer.serialize_none(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Verbatim(text) => serializer.serialize_str(text),
            Self::Count(number) | Self::Bytes(number) => serializer.serialize_u64(*number),
            Self::Balance(number) => serializer.serialize_i64(*number),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Exact(number) => serializer.serialize_f64(*number),
            Self::Rounded(figure) => serializer.serialize_f64(figure.rounded()),
            #[expect(clippy::cast_precision_loss, reason = "exact for any rating")]
            Self::Elo(elo) => serializer.serialize_f64(elo.hundredths() as f64 / 100.0),
            Self::Seconds(time) | Self::Milliseconds(time) => serializer.serialize_f64(time.as_secs_f64()),
            Self::PValue(p) => serializer.serialize_f64(significant(*p)),
            Self::ForPrograms(cell) => cell.serialize(serializer),
            Self::List(cells) => cells.serialize(serializer),
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

/// Rounds to four significant digits, so that a small probability does not become zero.
fn significant(p_value: f64) -> f64 {
    format!("{p_value:.3e}").parse().unwrap_or(p_value)
}

impl<'s, C: Into<TableCell<'s>>> From<Option<C>> for TableCell<'s> {
    fn from(cell: Option<C>) -> Self {
        cell.map_or(Self::Nothing, Into::into)
    }
}

/// Converts types to cells.
macro_rules! cells {
    ($($from:ty, $value:ident => $cell:expr;)+) => {
        $(impl<'s> From<$from> for TableCell<'s> {
            fn from($value: $from) -> Self {
                $cell
            }
        })+
    };
}

cells! {
    &'s str, text => Self::Text(text.into());
    String, text => Self::Text(text.into());
    u64, number => Self::Count(number);
    u32, number => Self::Count(number.into());
    usize, number => Self::Count(number as u64);
    bool, flag => Self::Flag(flag);
    f64, number => Self::Exact(number);
    RoundedFigure, figure => Self::Rounded(figure);
    Elo, elo => Self::Elo(elo);
    Duration, time => Self::Seconds(time);
    JsonObject<'s>, object => Self::Object(object);
    Vec<TableCell<'s>>, cells => Self::List(cells);
}
