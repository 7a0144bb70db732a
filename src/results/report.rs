//! Standings and games as text: tables, CSV, JSON, markdown, JUnit.
//!
//! Every text depends on its arguments alone, and neither on a terminal nor on the order of the games. What `run` prints and
//! what `standings` later makes of the logs are therefore the same to the byte.

mod accuracy_figures;
pub mod accuracy_tables;
pub mod analysis_json;
pub mod analysis_text;
mod csv_rows;
mod flat;
mod grid;
mod junit;
mod notes;
pub mod readiness;
mod results_csv;
mod score_csv;
mod tables;
mod text_cell;
mod usage_table;

use crate::base::word_enum::words;
use crate::results::standings::Standings;
pub use csv_rows::{RowError, RowProblem};
pub use junit::junit;
pub use results_csv::{RESULTS_COLUMNS, each_result, read_results_csv, results_csv};
pub use score_csv::{SCORE_COLUMNS, read_score_csv};

/// How standings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReportFormat {
    /// Plain text for people, with the crosstable and what the numbers mean.
    #[default]
    Table,
    /// A header, and one line per player.
    Csv,
    /// An array of objects, the best player first.
    Json,
    /// The same as [`ReportFormat::Table`], for a web page.
    Markdown,
}

words! { pub ReportFormat; Table => "table", Csv => "csv", Json => "json", Markdown => "markdown" }

/// What a report shows beside what every report shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// How likely each player is stronger than each other one: a matrix, in CSV more columns, in JSON an object within each
    /// player's.
    pub superiority: bool,
    /// What the players' processes used: a table, in CSV more columns, in JSON an object within each player's.
    pub usage: bool,
}

/// `standings` in this format, with a newline at the end.
pub fn render(standings: &Standings, format: ReportFormat, extras: Extras) -> String {
    match format {
        ReportFormat::Table => tables::render(standings, extras, grid::Look::Plain),
        ReportFormat::Markdown => tables::render(standings, extras, grid::Look::Markdown),
        ReportFormat::Csv => flat::csv(standings, extras),
        ReportFormat::Json => flat::json(standings, extras),
    }
}

/// The report that a run prints at its end, and `standings` without options.
pub fn final_report(standings: &Standings) -> String {
    render(standings, ReportFormat::Table, Extras::default())
}

/// The content of standings.csv.
pub fn standings_csv(standings: &Standings) -> String {
    render(standings, ReportFormat::Csv, Extras::default())
}
