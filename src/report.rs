//! Standings and games as text: tables, CSV, JSON, markdown, JUnit.
//!
//! Every text depends on its arguments alone, neither on a terminal nor on the order of the games, so that what `run`
//! printed and what `standings` makes of the logs later are the same to the byte.

mod flat;
mod grid;
mod junit;
mod notes;
pub mod results_csv;
pub mod results_dir;
mod tables;

use crate::standings::Standings;
pub use junit::junit;
pub use results_csv::{each_result, read_results_csv, read_score_csv, results_csv};

/// How standings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Format {
    /// Plain text for the eye, with the crosstable and what the numbers mean.
    #[default]
    Table,
    /// One line a player, with a header.
    Csv,
    /// An array of objects, the best first.
    Json,
    /// The same as `table`, for a web page.
    Markdown,
}

/// Whether the likelihood of superiority of each player over each other one is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Superiority {
    /// It is not.
    #[default]
    Hidden,
    /// As a matrix; in CSV as more columns, in JSON as an object within each player's.
    Shown,
}

/// `standings` in this format, with a newline at the end.
pub fn render(standings: &Standings, format: Format, superiority: Superiority) -> String {
    match format {
        Format::Table => tables::render(standings, superiority, grid::Look::Plain),
        Format::Markdown => tables::render(standings, superiority, grid::Look::Markdown),
        Format::Csv => flat::csv(standings, superiority),
        Format::Json => flat::json(standings, superiority),
    }
}

/// What a run prints at its end, and `standings` without options.
pub fn final_report(standings: &Standings) -> String {
    render(standings, Format::Table, Superiority::Hidden)
}

/// The content of standings.csv.
pub fn standings_csv(standings: &Standings) -> String {
    render(standings, Format::Csv, Superiority::Hidden)
}
