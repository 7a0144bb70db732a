//! Reads the lines of a CSV file by column names, and reports mistakes in them.

use csv::StringRecord;
use thiserror::Error;

use crate::base::sanitise::sanitised;
use crate::game::BySide;
use crate::referee::result::InconsistentResult;
use crate::results::standings::InconsistentGroup;

/// The description of a player column for messages.
pub(super) const PLAYER: &str = "a player's name";

/// A line that cannot be read.
#[derive(Debug, Error)]
#[error("{line}: {problem}")]
pub struct RowError {
    /// The number of the line, from 1.
    pub line: u64,
    /// The problem with this line.
    pub problem: RowProblem,
}

/// A problem with a line.
#[derive(Debug, Error)]
pub enum RowProblem {
    /// The line is not valid CSV.
    #[error("this line is not valid CSV: {0}")]
    NotCsv(csv::Error),
    /// The header lacks a column.
    #[error("no column `{missing}` (expected the columns `{}`){remedy}", expected.join(","))]
    MissingColumn {
        /// The missing column.
        missing: String,
        /// All expected columns.
        expected: Vec<String>,
        /// The remedy, as the rest of the sentence.
        remedy: &'static str,
    },
    /// A value is not allowed in its column.
    #[error("`{column}`: expected {expected}, found {}", quoted(found))]
    Bad {
        /// The column.
        column: String,
        /// The actual value.
        found: String,
        /// A description of the allowed values.
        expected: &'static str,
    },
    /// `at_fault` and the result name different sides.
    #[error("`at_fault`: {} does not agree with `winner` and `termination`", quoted(.0))]
    AtFault(String),
    /// The parts of a result contradict each other.
    #[error("{0}")]
    Inconsistent(#[from] InconsistentResult),
    /// `at_fault` and `outs` name different seats.
    #[error("`at_fault`: {} does not agree with `outs`", quoted(.0))]
    SeatsAtFault(String),
    /// The result of a game with more than two seats contradicts itself.
    #[error("{0}")]
    InconsistentGroup(#[from] InconsistentGroup),
    /// A player plays against itself.
    #[error("`{}` cannot play against itself", sanitised(.0))]
    Itself(String),
    /// An earlier line lists the same game.
    #[error("the game `{}` is listed twice (first in line {first})", sanitised(game))]
    Duplicate {
        /// The game's id.
        game: String,
        /// The line that lists the game first.
        first: u64,
    },
}

/// `value` in back-quotes, or a description of an empty value.
fn quoted(value: &str) -> String {
    if value.is_empty() { "an empty field".to_owned() } else { format!("`{value}`") }
}

/// One line. Its fields are numbered in the order of the columns to read.
pub(super) struct CsvRow<'r> {
    pub(super) line: u64,
    columns: &'r [&'r str],
    /// The position of each column in the file.
    places: &'r [usize],
    record: &'r StringRecord,
}

impl<'r> CsvRow<'r> {
    /// Returns the text in `column`, which is empty if the line is too short.
    pub(super) fn field(&self, column: usize) -> &'r str {
        self.record.get(self.places[column]).unwrap_or_default()
    }

    pub(super) fn bad(&self, column: usize, expected: &'static str) -> RowProblem {
        RowProblem::Bad { column: self.columns[column].to_owned(), found: self.field(column).to_owned(), expected }
    }
}

/// The columns to read from a CSV file.
pub(super) struct CsvColumns<'c> {
    pub(super) names: &'c [&'c str],
    /// How many of the last columns may be missing in a file.
    pub(super) optional: usize,
    /// Whether whitespace around names and values is ignored.
    pub(super) trim: csv::Trim,
    /// The remedy if a column is missing, as the rest of a sentence.
    pub(super) remedy: &'static str,
}

/// Passes every line of `text` to `take`, and collects all errors.
pub(super) fn read(
    text: &str,
    columns: &CsvColumns<'_>,
    mut take: impl FnMut(&CsvRow<'_>) -> Result<(), RowProblem>,
) -> Result<(), Vec<RowError>> {
    let &CsvColumns { names, optional, trim, remedy } = columns;
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(trim).from_reader(text.as_bytes());
    let in_header = |problem| vec![RowError { line: 1, problem }];
    let header = reader.headers().map_err(|error| in_header(RowProblem::NotCsv(error)))?.clone();
    let mut places = Vec::with_capacity(names.len());
    let required = names.len() - optional;
    for (index, &column) in names.iter().enumerate() {
        let missing = || RowProblem::MissingColumn {
            missing: column.to_owned(),
            expected: names[..required].iter().map(|&name| name.to_owned()).collect(),
            remedy,
        };
        let place = header.iter().position(|name| name.trim() == column);
        // No line has a field at this index, so the column is empty.
        let place = place.or_else(|| (index >= required).then_some(usize::MAX));
        places.push(place.ok_or_else(|| in_header(missing()))?);
    }
    let mut errors = Vec::new();
    let mut record = StringRecord::new();
    loop {
        let line = |position: Option<&csv::Position>| position.map_or(0, csv::Position::line);
        let (line, taken) = match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {
                let line = line(record.position());
                (line, take(&CsvRow { line, columns: names, places: &places, record: &record }))
            }
            Err(error) => (line(error.position()), Err(RowProblem::NotCsv(error))),
        };
        errors.extend(taken.err().map(|problem| RowError { line, problem }));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Returns the players of a game, or an error if a player plays against itself.
pub(super) fn opponents(players: BySide<&str>) -> Result<BySide<&str>, RowProblem> {
    if players.black == players.white { Err(RowProblem::Itself(players.black.to_owned())) } else { Ok(players) }
}
