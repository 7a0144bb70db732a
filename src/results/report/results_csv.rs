//! The games of a run as CSV: results.csv, written and read back.

mod columns;
mod line_draft;

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use super::csv_rows::{CsvColumns, RowError, RowProblem, read};
use super::csv_sheet::text_of;
use super::game_fields::{OTHER_VERSION, repeated_ids};
use crate::results::standings::{GameSummary, duplicates};
pub use columns::RESULTS_COLUMNS;
use columns::{COLUMNS, ListedGame, OptionalColumns, ResultsColumn};
use line_draft::LineDraft;

/// The content of results.csv for `games`, in the given order.
pub fn results_csv(games: &[GameSummary]) -> String {
    results_csv_parts(games.iter().map(GameSummary::view)).collect()
}

/// The content of results.csv for `games`, in the given order, split into parts of a limited number of lines, so that a
/// run of any length takes little memory.
pub fn results_csv_parts<'g>(
    games: impl Iterator<Item = GameSummary<&'g str>> + Clone,
) -> impl Iterator<Item = String> {
    /// The number of games in a part.
    const GAMES: usize = 256;

    let first = duplicates(games.clone());
    // Only the few games that repeat others need the ids of those games.
    let ids = repeated_ids(&first, games.clone().map(|game| game.game));
    let optional = OptionalColumns::of(games.clone());
    let mut listed = games.zip(first);
    let header = text_of([optional.columns().map(|column| column.name).collect::<Vec<_>>()]);
    let part = move || {
        let rows: Vec<_> = listed
            .by_ref()
            .take(GAMES)
            .map(|(game, first)| {
                let duplicate_of = first.and_then(|first| ids.get(&first).copied());
                let listed = ListedGame { game: &game, duplicate_of };
                optional.columns().map(|column| (column.write)(&listed)).collect::<Vec<String>>()
            })
            .collect();
        (!rows.is_empty()).then(|| text_of(rows))
    };
    std::iter::once(header).chain(std::iter::from_fn(part))
}

/// The games of a results.csv.
///
/// # Errors
/// Returns an error for every line that [`results_csv`] would not have written, or only for the header if the header is
/// wrong.
pub fn read_results_csv(text: &str) -> Result<Vec<GameSummary>, Vec<RowError>> {
    let mut games = Vec::new();
    each_result(text, |game| games.push(game.to_summary()))?;
    Ok(games)
}

/// Passes each game of a results.csv to `take`, in the order of the file. After an error, the caller must discard all
/// games.
///
/// # Errors
/// Returns the same errors as [`read_results_csv`].
pub fn each_result(text: &str, mut take: impl FnMut(&GameSummary<&str>)) -> Result<(), Vec<RowError>> {
    /// Every line has at least this many bytes, so the list of hashes never has to grow.
    const SHORTEST_LINE: usize = 120;

    // Building a table of a million ids would take as long as everything else. Different hashes show that all ids
    // differ; the ids themselves are compared only if two hashes are equal.
    let state = RandomState::new();
    let mut hashes = Vec::with_capacity(text.len() / SHORTEST_LINE);
    let read = each_line(text, |game, _| {
        if !game.game.is_empty() {
            hashes.push(state.hash_one(game.game));
        }
        take(game);
        Ok(())
    });
    hashes.sort_unstable();
    if hashes.is_sorted_by(|one, next| one < next) { read } else { refuse_duplicates(text) }
}

/// Refuses a results.csv that lists a game twice.
fn refuse_duplicates(text: &str) -> Result<(), Vec<RowError>> {
    let mut first_lines: HashMap<Box<str>, u64> = HashMap::new();
    each_line(text, |game, line| {
        if game.game.is_empty() {
            return Ok(());
        }
        match first_lines.insert(game.game.into(), line) {
            None => Ok(()),
            Some(first) => Err(RowProblem::Duplicate { game: game.game.to_owned(), first }),
        }
    })
}

/// Passes the game of each line to `take`, with the number of the line.
fn each_line(
    text: &str,
    mut take: impl FnMut(&GameSummary<&str>, u64) -> Result<(), RowProblem>,
) -> Result<(), Vec<RowError>> {
    let all: Vec<&ResultsColumn> = OptionalColumns { odds: true, thoughts: true }.columns().collect();
    let names: Vec<&str> = all.iter().map(|column| column.name).collect();
    let optional = all.len() - COLUMNS.len();
    let columns = CsvColumns { names: &names, optional, trim: csv::Trim::None, remedy: OTHER_VERSION };
    read(text, &columns, |row| {
        let mut draft = LineDraft::default();
        for (index, column) in all.iter().enumerate() {
            (column.read)(&mut draft, row.field(index)).map_err(|expected| row.bad(index, expected))?;
        }
        take(&draft.finish()?, row.line)
    })
}
