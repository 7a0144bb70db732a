//! Describes the columns of tables once, for text, markdown, CSV and JSON.
//!
//! A [`TableColumn`] has a heading for people, names in CSV and JSON, and a function that returns the cell of a row. A
//! [`TableCell`] determines how its value is written in each format, so that no table does its own rounding or quoting.

mod rounded_figure;
mod table_cell;
#[cfg(test)]
mod tests;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::text_table::Grid;
pub(super) use rounded_figure::RoundedFigure;
pub(super) use table_cell::TableCell;

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
