//! The games of a CSV file: a run's results.csv, or a list of scores.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::GameFilesError;
use crate::results::report::{
    GROUP_COLUMNS, RESULTS_COLUMNS, SCORE_COLUMNS, each_group_result, each_result, read_score_csv,
};
use crate::results::standings::PlayedSummary;

/// The maximum size of a CSV file in bytes, enough for several million games.
const MOST_CSV: u64 = 1 << 30;

/// Passes each game of the CSV file `path` to `take`.
///
/// # Errors
/// Fails if the file cannot be read, or if one of its lines is wrong.
pub(crate) fn each_game_of_csv(path: &Path, mut take: impl FnMut(&PlayedSummary<&str>)) -> Result<(), GameFilesError> {
    let text = read_csv(path).map_err(|source| GameFilesError::Unreadable { path: path.to_owned(), source })?;
    let header = text.lines().next().unwrap_or_default();
    let has = |columns: &[&str]| columns.iter().all(|column| header.split(',').any(|name| name_of(name) == *column));
    let read = if has(&SCORE_COLUMNS) {
        read_score_csv(&text).map(|games| games.iter().for_each(|game| take(&PlayedSummary::Pair(game.view()))))
    } else if has(&GROUP_COLUMNS) {
        each_group_result(&text, |game| take(&PlayedSummary::Group(game.clone())))
    } else if has(&RESULTS_COLUMNS[..2]) {
        each_result(&text, |game| take(&PlayedSummary::Pair(game.clone())))
    } else {
        return Err(GameFilesError::OtherColumns { path: path.to_owned() });
    };
    read.map_err(|rows| GameFilesError::WrongRows { path: path.to_owned(), rows })
}

fn read_csv(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    // One more byte shows whether the file is too long.
    let read = File::open(path)?.take(MOST_CSV + 1).read_to_string(&mut text)?;
    if read as u64 > MOST_CSV { Err(io::Error::other("it is larger than 1 GiB")) } else { Ok(text) }
}

/// A column's name without a byte order mark, spaces or quotes around it.
fn name_of(cell: &str) -> &str {
    cell.trim_start_matches('\u{feff}').trim().trim_matches('"')
}
