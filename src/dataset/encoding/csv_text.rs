//! A data set as CSV.

use std::fmt::{Display, Write as _};

use super::board_text;
use crate::dataset::example::{DatasetExample, own};

/// The columns, except for `values`, which only a data set with the values of all moves contains.
const COLUMNS: [&str; 14] = [
    "id", "class", "board", "own", "to_move", "passed", "empty", "legal", "winner", "margin", "best", "ply", "source",
    "count",
];

/// The data set: a header, and a line for each example. A list is written as numbers separated by spaces.
pub fn csv_bytes(examples: &[DatasetExample], has_values: bool) -> Vec<u8> {
    let mut text = COLUMNS.join(",");
    text += if has_values { ",split,values\n" } else { ",split\n" };
    for (id, example) in examples.iter().enumerate() {
        let DatasetExample { game, class, label, ply, source, count, split } = example;
        let margin = label.margin.map(|margin| margin.to_string()).unwrap_or_default();
        let _ = write!(
            text,
            "{id},{class:016x},{},{},{},{},{},{},{},{margin},{},{ply},{},{count},{split}",
            board_text(example),
            spaced(&own(game)),
            game.side(),
            u8::from(game.passed()),
            game.empty_points(),
            spaced(&example.legal()),
            label.winner,
            spaced(&label.marks()),
            quoted(source),
        );
        if has_values {
            let _ = write!(text, ",{}", spaced(&label.values(game)));
        }
        text.push('\n');
    }
    text.into_bytes()
}

fn spaced<T: Display>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// A cell, in quotes if it needs them.
fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
