//! Standings and games as text: tables, CSV, JSON, markdown, JUnit.
//!
//! The text depends only on the arguments, not on a terminal or on the order of the games. Therefore, the output of
//! `run` and the later output of `standings` for the same logs are identical byte for byte. `summary` is for people at
//! a terminal; everything else is for any reader.
//!
//! A table is a list of columns, each described once for all formats; `column` contains the types. A file whose name
//! ends in `_table` or `_tables` contains the columns for one subject and the notes on them. `standings_tables`
//! assembles the tables of a report; `standings_for_programs` produces CSV and JSON.

mod accuracy_figures;
pub mod accuracy_tables;
pub mod analysis_json;
pub mod analysis_text;
mod bracket_drawing;
mod column;
mod csv_rows;
mod csv_sheet;
mod extras;
mod fit_table;
mod format_result_fields;
mod format_result_text;
mod game_fields;
mod group_columns;
mod group_for_programs;
mod group_notes;
mod group_results_csv;
mod group_tables;
mod head_to_head_tables;
mod headline;
mod ladder_table;
mod ranks_table;
pub(crate) mod requirements_junit;
mod result_points;
mod results_csv;
mod score_csv;
mod sprt_fields;
mod standings_columns;
mod standings_for_programs;
mod standings_notes;
mod standings_tables;
mod summary;
mod text_table;
mod usage_table;
mod workers_table;

use crate::base::word_enum::words;
use crate::results::format_result::FormatResult;
use crate::results::standings::{FieldStandings, GroupStandings, Standings};
pub use csv_rows::{RowError, RowProblem};
pub use extras::{Extra, Extras};
pub use group_results_csv::{
    GROUP_COLUMNS, each_group_result, group_results_columns, group_results_csv, group_results_csv_parts,
    read_group_results_csv,
};
pub use ladder_table::{LadderRow, LadderSummary, RefusedRow, WaitingRow, ladder_json, ladder_text};
pub use requirements_junit::junit;
pub(crate) use result_points::{counted_points, halves};
pub use results_csv::{RESULTS_COLUMNS, each_result, read_results_csv, results_csv, results_csv_parts};
pub use score_csv::{SCORE_COLUMNS, read_score_csv};
pub use summary::summary;

/// The format of standings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReportFormat {
    /// Plain text, with the crosstable and, if the extras request them, explanations of the numbers.
    #[default]
    Table,
    /// A header, and one line per player: the columns of standings.csv and more.
    Csv,
    /// An array of objects, the best player first.
    Json,
    /// The same as [`ReportFormat::Table`], for a web page.
    Markdown,
}

words! { pub ReportFormat; Table => "table", Csv => "csv", Json => "json", Markdown => "markdown" }

/// Renders `standings` in `format`, with a newline at the end.
pub fn render(standings: &Standings, format: ReportFormat, extras: Extras) -> String {
    match format {
        ReportFormat::Table => standings_tables::render(standings, extras, text_table::Look::Plain),
        ReportFormat::Markdown => standings_tables::render(standings, extras, text_table::Look::Markdown),
        ReportFormat::Csv => standings_for_programs::csv(standings, extras),
        ReportFormat::Json => standings_for_programs::json(standings, extras),
    }
}

/// The report that a run prints when it ends, and that `standings` prints without options.
pub fn final_report(standings: &Standings) -> String {
    render(standings, ReportFormat::Table, Extras::default())
}

/// Renders `standings` of games with more than two seats in `format`, with a newline at the end.
///
/// The extras [`Extra::Fit`] and [`Extra::Workers`] apply only to games with two players, so they have no effect here.
pub fn render_groups(standings: &GroupStandings, format: ReportFormat, extras: Extras) -> String {
    match format {
        ReportFormat::Table => group_tables::render(standings, extras, text_table::Look::Plain),
        ReportFormat::Markdown => group_tables::render(standings, extras, text_table::Look::Markdown),
        ReportFormat::Csv => group_for_programs::csv(standings, extras),
        ReportFormat::Json => group_for_programs::json(standings, extras),
    }
}

/// Renders the standings of a field whose games have any number of seats.
pub fn render_field(standings: &FieldStandings, format: ReportFormat, extras: Extras) -> String {
    match standings {
        FieldStandings::Pairs(standings) => render(standings, format, extras),
        FieldStandings::Groups(standings) => render_groups(standings, format, extras),
    }
}

/// The report of a field; see [`final_report`].
pub fn field_report(standings: &FieldStandings) -> String {
    render_field(standings, ReportFormat::Table, Extras::default())
}

/// The content of standings.csv for a field; see [`standings_csv`].
pub fn field_csv(standings: &FieldStandings) -> String {
    match standings {
        FieldStandings::Pairs(standings) => standings_csv(standings),
        FieldStandings::Groups(standings) => group_for_programs::file(standings),
    }
}

/// The notes on a page, which explain its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageNotes {
    /// The basis of the ratings, and the share of draws between equal players.
    pub ratings: Vec<String>,
    /// What the first move is worth, if it is known.
    pub first_move: Option<String>,
    /// Repeated games, and losses on time with little CPU used.
    pub games: Vec<String>,
    /// The figures of a sequential test.
    pub test: Vec<String>,
}

/// The notes on `standings` for a page. They name neither games nor the reasons why games are void.
pub(crate) fn page_notes(standings: &Standings) -> PageNotes {
    standings_notes::of_page(standings)
}

/// The notes on `standings` of games with more than two seats for a page: the basis of the ratings, and which games are
/// not rated. They do not name games.
pub(crate) fn group_page_notes(standings: &GroupStandings) -> Vec<String> {
    group_notes::of_page(standings)
}

/// Who won, and what the games do not show yet, for a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageHeadline {
    /// The sentence that says who won.
    pub sentence: String,
    /// The winner's lead, and the players that cannot be told apart.
    pub details: Vec<String>,
}

/// The headline of `standings` for a page; `None` if there are no players.
pub(crate) fn page_headline(standings: &Standings) -> Option<PageHeadline> {
    headline::of_pairs(standings)
}

/// The headline of `standings` of games with more than two seats for a page; `None` if there are no players.
pub(crate) fn group_page_headline(standings: &GroupStandings) -> Option<PageHeadline> {
    headline::of_groups(standings)
}

/// The text on a page about a tournament's result.
pub(crate) struct ResultTexts {
    /// The heading, without a full stop.
    pub heading: String,
    /// The caption of the table of places.
    pub caption: String,
    /// The names of the table's columns. Column 1 contains the players.
    pub header: Vec<String>,
    /// The cells of each player, in the order of the places; in a Swiss tournament, they include one for each round.
    pub lines: Vec<Vec<String>>,
    /// The meaning of the columns, and results that were not decided on the board.
    pub notes: Vec<String>,
}

/// The text about `result` for a page.
pub(crate) fn result_texts(result: &FormatResult) -> ResultTexts {
    format_result_text::of_page(result)
}

/// The resources that the players used, as a header and a line for each player.
pub(crate) fn usage_lines(standings: &Standings) -> (Vec<String>, Vec<Vec<String>>) {
    usage_table::table(standings).into_lines()
}

/// The resources that the players of games with more than two seats used, in the form of [`usage_lines`].
pub(crate) fn group_usage_lines(standings: &GroupStandings) -> (Vec<String>, Vec<Vec<String>>) {
    group_tables::usage(standings).into_lines()
}

/// The title of the table of [`usage_lines`].
pub(crate) const USAGE_TITLE: &str = usage_table::TITLE;

/// The content of standings.csv; [`ReportFormat::Csv`] has more columns.
pub fn standings_csv(standings: &Standings) -> String {
    standings_for_programs::file(standings)
}

#[cfg(test)]
mod group_tests;
#[cfg(test)]
mod tests;
