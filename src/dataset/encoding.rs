//! The data set as CSV, JSON lines, or NPZ.

mod csv_text;
mod json_lines;
mod npz;

pub use csv_text::csv_bytes;
pub use json_lines::json_lines;
pub use npz::{NpzTooLarge, npz};

use super::example::DatasetExample;
use super::move_places::POINTS;
use crate::base::word_enum::words;

/// The formats of a data set, by the extensions of their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetFormat {
    /// A line for each position.
    Csv,
    /// A line with a JSON object for each position.
    Jsonl,
    /// Arrays for numpy.
    Npz,
}

words! { pub DatasetFormat; Csv => "csv", Jsonl => "jsonl", Npz => "npz" }

/// The points in reading order: `b`, `w` or `.`.
fn board_text(example: &DatasetExample) -> String {
    let text = example.game.to_string();
    text.chars().filter(|letter| !letter.is_whitespace()).take(POINTS).collect()
}
