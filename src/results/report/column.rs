//! Describes the columns of tables once, for text, markdown, CSV and JSON.
//!
//! A [`TableColumn`] has a heading for people, names in CSV and JSON, and a function that returns the cell of a row. A
//! [`TableCell`] determines how its value is written in each format, so that no table does its own rounding or quoting.

use std::borrow::Cow;
use std::time::Duration;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::text_table::Grid;
use crate::base::digits::rounded;
use crate::results::rating::Elo;
use crate::results::text_cell::text_cell;

/// A column of a table whose rows are `R`. A column without a heading, or without a name, is omitted from the
/// corresponding formats.
pub(super) struct TableColumn<'s, R> {
    heading: Option<String>,
    csv: Option<String>,
    json: Option<&'static str>,
    cell: Box<dyn Fn(R) -> TableCell<'s> + 's>,
}

impl<'s, R: 's> TableColumn<'s, R> {
    /// A column in every format.
    pub(super) fn new<C: Into<TableCell<'s>>>(
        name: &'static str,
        heading: impl Into<String>,
        cell: impl Fn(R) -> C + 's,
    ) -> Self {
        Self { heading: Some(heading.into()), ..Self::for_programs(name, cell) }
    }

    /// A column in CSV and JSON.
    pub(super) fn for_programs<C: Into<TableCell<'s>>>(name: &'static str, cell: impl Fn(R) -> C + 's) -> Self {
        Self { csv: Some(name.to_owned()), ..Self::in_json(name, cell) }
    }

    /// A column in text and markdown.
    pub(super) fn for_people<C: Into<TableCell<'s>>>(heading: impl Into<String>, cell: impl Fn(R) -> C + 's) -> Self {
        Self { heading: Some(heading.into()), csv: None, json: None, cell: Box::new(move |row| cell(row).into()) }
    }

    /// A column for CSV only.
    pub(super) fn in_csv<C: Into<TableCell<'s>>>(name: impl Into<String>, cell: impl Fn(R) -> C + 's) -> Self {
        Self { heading: None, csv: Some(name.into()), ..Self::for_people("", cell) }
    }

    /// A member for the JSON object only, which may be a list or another object.
    pub(super) fn in_json<C: Into<TableCell<'s>>>(name: &'static str, cell: impl Fn(R) -> C + 's) -> Self {
        Self { heading: None, json: Some(name), ..Self::for_people("", cell) }
    }

    /// An object in JSON. In CSV, its members are columns of the table, each named `name`, an underscore and the
    /// member's name.
    pub(super) fn nested<P: Copy + 's>(
        name: &'static str,
        columns: fn() -> Vec<TableColumn<'s, P>>,
        part: impl Fn(R) -> P + Copy + 's,
    ) -> Vec<Self> {
        let object = Self::in_json(name, move |row| JsonObject::of(&columns(), part(row)));
        let flat = columns().into_iter().map(|column| {
            let csv = column.csv.as_ref().map(|own| format!("{name}_{own}"));
            Self { heading: None, csv, json: None, ..column.of(part) }
        });
        std::iter::once(object).chain(flat).collect()
    }

    /// This column with `name` as its name in CSV.
    pub(super) fn csv_name(self, name: &str) -> Self {
        Self { csv: Some(name.to_owned()), ..self }
    }

    /// This column with `heading` as its heading.
    pub(super) fn headed(self, heading: String) -> Self {
        Self { heading: Some(heading), ..self }
    }

    /// This column for a table with rows of type `W`. `part` returns the part of such a row that this column reads.
    pub(super) fn of<W: 's>(self, part: impl Fn(W) -> R + 's) -> TableColumn<'s, W> {
        let Self { heading, csv, json, cell } = self;
        TableColumn { heading, csv, json, cell: Box::new(move |whole| cell(part(whole))) }
    }

    /// The name in CSV; `None` if the column is not in CSV.
    pub(super) fn name_in_csv(&self) -> Option<&str> {
        self.csv.as_deref()
    }
}

/// The table of `rows` for people.
pub(super) fn grid<R: Copy>(columns: &[TableColumn<'_, R>], rows: impl IntoIterator<Item = R>) -> Grid {
    let (headings, shown): (Vec<&String>, Vec<_>) =
        columns.iter().filter_map(|column| Some((column.heading.as_ref()?, &column.cell))).unzip();
    let texts = |row| shown.iter().map(|cell| cell(row).text()).collect();
    Grid { header: headings.into_iter().cloned().collect(), rows: rows.into_iter().map(texts).collect() }
}

/// The names of `columns` in the header of a CSV file, each after `prefix`.
pub(super) fn csv_header<R>(columns: &[TableColumn<'_, R>], prefix: &str) -> impl Iterator<Item = String> {
    columns.iter().filter_map(move |column| Some(format!("{prefix}{}", column.csv.as_ref()?)))
}

/// The fields of `row` in CSV, which are all empty if there is no row.
pub(super) fn csv_fields<R: Copy>(columns: &[TableColumn<'_, R>], row: Option<R>) -> impl Iterator<Item = String> {
    let named = columns.iter().filter(|column| column.csv.is_some());
    named.map(move |column| row.map_or(TableCell::Nothing, |row| (column.cell)(row)).csv())
}

/// The members of an object in JSON, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JsonObject<'s>(Vec<(&'s str, TableCell<'s>)>);

impl<'s> JsonObject<'s> {
    /// The object for `row`.
    pub(super) fn of<R: Copy>(columns: &[TableColumn<'s, R>], row: R) -> Self {
        Self(columns.iter().filter_map(|column| Some((column.json?, (column.cell)(row)))).collect())
    }

    /// The object with `members`, sorted by their names.
    pub(super) fn by_name<C: Into<TableCell<'s>>>(members: impl IntoIterator<Item = (&'s str, C)>) -> Self {
        let mut members: Vec<_> = members.into_iter().map(|(name, cell)| (name, cell.into())).collect();
        members.sort_by_key(|(name, _)| *name);
        Self(members)
    }

    /// This object with an additional member.
    #[must_use]
    pub(super) fn with(self, name: &'s str, cell: impl Into<TableCell<'s>>) -> Self {
        self.and(Self(vec![(name, cell.into())]))
    }

    /// This object with an additional member if there is a cell for it.
    #[must_use]
    pub(super) fn with_any(self, name: &'s str, cell: Option<impl Into<TableCell<'s>>>) -> Self {
        match cell {
            Some(cell) => self.with(name, cell),
            None => self,
        }
    }

    /// This object with the members of `other` after its own.
    #[must_use]
    pub(super) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

impl Serialize for JsonObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, cell) in &self.0 {
            map.serialize_entry(name, cell)?;
        }
        map.end()
    }
}

/// The value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TableCell<'s> {
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
    pub(super) fn text(&self) -> String {
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
    fn csv(&self) -> String {
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

/// A number that is rounded differently for programs and for people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RoundedFigure {
    value: f64,
    /// The decimals for programs.
    places: u8,
    /// Whether CSV shows all of these decimals, including trailing zeros.
    is_padded: bool,
    look: FigureLook,
}

/// How a figure is shown to people.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FigureLook {
    Decimals(usize),
    /// With two decimals and a sign; a zero has no sign.
    Signed,
    /// In percent, followed by this unit, which is empty if the table's title contains it.
    Percent(&'static str),
}

impl RoundedFigure {
    /// `value` with `places` decimals for programs, and two for people.
    pub(super) const fn to(places: u8, value: f64) -> Self {
        Self { value, places, is_padded: false, look: FigureLook::Decimals(2) }
    }

    /// This figure with `decimals` for people.
    pub(super) const fn shown_to(self, decimals: usize) -> Self {
        Self { look: FigureLook::Decimals(decimals), ..self }
    }

    /// This figure as a difference.
    pub(super) const fn signed(self) -> Self {
        Self { look: FigureLook::Signed, ..self }
    }

    /// This figure as a share: `91.8%` for people.
    pub(super) const fn share(self) -> Self {
        Self { look: FigureLook::Percent("%"), ..self }
    }

    /// This figure as a share in a table whose title says that it is in %: `91.8` for people.
    pub(super) const fn percentage(self) -> Self {
        Self { look: FigureLook::Percent(""), ..self }
    }

    /// This figure with trailing zeros in CSV.
    pub(super) const fn padded(self) -> Self {
        Self { is_padded: true, ..self }
    }

    fn rounded(self) -> f64 {
        rounded(self.value, self.places)
    }

    fn csv(self) -> String {
        let places = usize::from(self.places);
        if self.is_padded { format!("{:.places$}", self.rounded()) } else { self.rounded().to_string() }
    }

    fn text(self) -> String {
        match self.look {
            FigureLook::Decimals(decimals) => format!("{:.decimals$}", self.value),
            // `Elo` is displayed with the sign that differences need.
            FigureLook::Signed => format!("{:+.2}", Elo(self.value)),
            FigureLook::Percent(unit) => format!("{:.1}{unit}", 100.0 * self.value),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    type Row = (f64, Option<u64>, &'static str);

    fn columns() -> Vec<TableColumn<'static, Row>> {
        let mut columns = vec![
            TableColumn::for_people("#", |_: Row| 1_u64),
            TableColumn::new("figure", "fig.", |(figure, ..): Row| RoundedFigure::to(4, figure).signed()),
            TableColumn::for_programs("elo", |(figure, ..): Row| Elo(figure)),
            TableColumn::new("count", "count", |(_, count, _): Row| count),
            TableColumn::in_json("list", |(_, count, _): Row| vec![count.into(), TableCell::Flag(true)]),
            TableColumn::new("name", "name", |(.., name): Row| name),
        ];
        columns.extend(TableColumn::nested("part", part, |(figure, ..): Row| figure));
        columns
    }

    fn part() -> Vec<TableColumn<'static, f64>> {
        vec![
            TableColumn::new("share", "share", |share| RoundedFigure::to(3, share).share()),
            TableColumn::for_programs("p", TableCell::PValue),
        ]
    }

    fn json(row: Row) -> Value {
        serde_json::to_value(JsonObject::of(&columns(), row)).expect("JSON")
    }

    fn csv(row: Row) -> Vec<(String, String)> {
        csv_header(&columns(), "of_").zip(csv_fields(&columns(), Some(row))).collect()
    }

    proptest! {
        #[test]
        fn csv_and_json_hold_the_same_values_under_the_same_names(
            figure in -2000.0..2000.0,
            count in prop::option::of(any::<u64>()),
            name in prop::sample::select(vec!["=1", "ann", ""]),
        ) {
            let row = (figure, count, name);
            let object = json(row);
            for (column, field) in csv(row) {
                let pointer = format!("/{}", column.trim_start_matches("of_").replace("part_", "part/"));
                let value = object.pointer(&pointer).expect("the same names");
                let same = match value {
                    Value::Null => field.is_empty(),
                    Value::String(text) => field == text_cell(text),
                    // Whole numbers are written differently: `1` in CSV, `1.0` in JSON.
                    number => match number.as_u64() {
                        Some(number) => field == number.to_string(),
                        None => field.parse().ok() == number.as_f64(),
                    },
                };
                prop_assert!(same, "{column}: {field} in CSV, {value} in JSON");
            }
        }

        #[test]
        fn people_and_programs_see_the_same_number(value in -9.0..9.0) {
            let figure = RoundedFigure::to(4, value);
            for figure in [figure, RoundedFigure::to(6, value).shown_to(3), figure.signed()] {
                let [text, field] = [figure.text(), figure.csv()].map(|text| text.parse::<f64>().expect("a number"));
                prop_assert!((text - field).abs() < 0.005_1, "{text} for people, {field} for programs");
                prop_assert!((value - field).abs() < 0.000_051, "{value} is {field}");
            }
        }
    }

    #[test]
    fn every_medium_has_the_columns_with_a_name_in_it_in_order() {
        let row = (0.5, None, "=1");
        let names: Vec<String> = csv(row).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["of_figure", "of_elo", "of_count", "of_name", "of_part_share", "of_part_p"]);
        let text = serde_json::to_string(&JsonObject::of(&columns(), row)).expect("JSON");
        assert_eq!(
            text,
            r#"{"figure":0.5,"elo":0.5,"count":null,"list":[null,true],"name":"=1","part":{"share":0.5,"p":0.5}}"#
        );
        let (header, lines) = grid(&columns(), [row, (-0.001, Some(7), "ann")]).into_lines();
        assert_eq!(header, ["#", "fig.", "count", "name"]);
        assert_eq!(lines, [["1", "+0.50", "-", "=1"], ["1", "0.00", "7", "ann"]]);
    }

    #[test]
    fn a_missing_row_has_empty_fields() {
        assert!(csv_fields(&columns(), None).eq(csv(Row::default()).iter().map(|_| String::new())));
    }

    #[test]
    fn each_cell_has_its_text_for_people_csv_and_json() {
        let time = Duration::from_nanos(1_234_567_891);
        for (cell, text, csv, json) in [
            (TableCell::Nothing, "-", "", "null"),
            (TableCell::from("-1"), "-1", "'-1", "\"-1\""),
            (TableCell::Verbatim("-1".to_owned()), "-1", "-1", "\"-1\""),
            (TableCell::from(12_u64), "12", "12", "12"),
            (TableCell::Balance(12), "+12", "12", "12"),
            (TableCell::Balance(0), "0", "0", "0"),
            (TableCell::from(true), "true", "true", "true"),
            (TableCell::from(7.0), "7", "7", "7.0"),
            (TableCell::from(RoundedFigure::to(4, 0.123_45)), "0.12", "0.1235", "0.1235"),
            (TableCell::from(RoundedFigure::to(2, -0.001).signed()), "0.00", "0", "0.0"),
            (TableCell::from(RoundedFigure::to(4, 0.5).share().padded()), "50.0%", "0.5000", "0.5"),
            (TableCell::from(RoundedFigure::to(3, 0.5).percentage()), "50.0", "0.5", "0.5"),
            (TableCell::from(Elo(-12.3)), "-12.3", "-12.30", "-12.3"),
            (TableCell::from(Elo(-0.001)), "0.0", "0.00", "0.0"),
            (TableCell::from(time), "1.235", "1.234568", "1.234567891"),
            (TableCell::Milliseconds(time), "1234.568", "1.234568", "1.234567891"),
            (TableCell::Bytes(1 << 19), "0.500", "524288", "524288"),
            (TableCell::PValue(0.032_123), "0.0321", "0.03212", "0.03212"),
            (TableCell::PValue(1.234_56e-9), "< 0.0001", "0.000000001235", "1.235e-9"),
            (TableCell::ForPrograms(Box::new(TableCell::Count(0))), "-", "0", "0"),
            (TableCell::from(vec![TableCell::Count(1)]), "-", "", "[1]"),
        ] {
            let found = (cell.text(), cell.csv(), serde_json::to_string(&cell).expect("JSON"));
            assert_eq!(found, (text.to_owned(), csv.to_owned(), json.to_owned()), "{cell:?}");
        }
    }
}
