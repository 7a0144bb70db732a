//! The fields that results.csv has for games with two seats and for games with more.

use std::collections::HashMap;
use std::time::Duration;

use super::csv_rows::{PLAYER, RowProblem};
use crate::base::digits::parse_digits;
use crate::referee::time_control::SideControl;
use crate::referee::times::parse_seconds;
use crate::referee::usage::Usage;
use crate::results::text_cell::text_of_cell;

/// The remedy if a column is missing.
pub(super) const OTHER_VERSION: &str = "; if another version of the arena wrote this file, name the run directory instead, or run \
                             `gothello-arena rebuild DIR` to write the file again";

/// The name of the column that says whether a player had its own handicap or compensation.
pub(super) const ODDS_COLUMN: &str = "odds";

/// One side's usage, as far as its columns are filled in.
#[derive(Default, PartialEq)]
pub(super) struct UsageDraft {
    pub(super) user: Option<Duration>,
    pub(super) system: Option<Duration>,
    pub(super) wall: Option<Duration>,
    pub(super) peak_memory: Option<u64>,
    pub(super) processes: Option<u64>,
    pub(super) written: Option<u64>,
}

impl UsageDraft {
    /// The usage of the side or seat whose columns begin with `owner`: either all of these columns are filled in, or
    /// none of them.
    pub(super) fn finish(&self, owner: &str) -> Result<Option<Usage>, RowProblem> {
        if *self == Self::default() {
            return Ok(None);
        }
        let time = |time: Option<Duration>, name| time.ok_or_else(|| bad(format!("{owner}_{name}"), "", USAGE_SECONDS));
        let count = |count: Option<u64>, name| count.ok_or_else(|| bad(format!("{owner}_{name}"), "", USAGE_COUNT));
        Ok(Some(Usage {
            user: time(self.user, "user_seconds")?,
            system: time(self.system, "system_seconds")?,
            wall: time(self.wall, "wall_seconds")?,
            peak_memory: count(self.peak_memory, "peak_memory")?,
            processes: count(self.processes, "processes")?,
            written: count(self.written, "written")?,
        }))
    }
}

pub(super) const fn odds_text(has_odds: bool) -> &'static str {
    if has_odds { "yes" } else { "" }
}

pub(super) fn read_odds(text: &str) -> Result<bool, &'static str> {
    match text {
        "" => Ok(false),
        "yes" => Ok(true),
        _ => Err("`yes` or nothing"),
    }
}

const USAGE_SECONDS: &str = "seconds (`12.345678`), or no usage at all for that side";
const USAGE_COUNT: &str = "a whole number, or no usage at all for that side";

pub(super) fn player<'r>(name: &mut &'r str, text: &'r str) -> Result<(), &'static str> {
    *name = text_of_cell(text);
    if text.is_empty() { Err(PLAYER) } else { Ok(()) }
}

pub(super) fn seconds(time: &mut Duration, text: &str) -> Result<(), &'static str> {
    *time = parse_seconds(text).ok_or("seconds (`12.345678`)")?;
    Ok(())
}

pub(super) fn left(left: &mut Option<SideControl>, text: &str) -> Result<(), &'static str> {
    const EXPECTED: &str = "the time left on the clock (`41.5`, `41.5+1`, `0:3x30`, `1/move+9.5bank`), or nothing";

    *left = if text.is_empty() { None } else { Some(text.parse().map_err(|_| EXPECTED)?) };
    Ok(())
}

pub(super) fn left_text(left: Option<SideControl>) -> String {
    left.map(|left| left.to_string()).unwrap_or_default()
}

pub(super) fn usage_seconds(time: &mut Option<Duration>, text: &str) -> Result<(), &'static str> {
    *time = if text.is_empty() { None } else { Some(parse_seconds(text).ok_or(USAGE_SECONDS)?) };
    Ok(())
}

pub(super) fn usage_count(count: &mut Option<u64>, text: &str) -> Result<(), &'static str> {
    *count = if text.is_empty() { None } else { Some(parse_digits(text).ok_or(USAGE_COUNT)?) };
    Ok(())
}

pub(super) fn bad(column: impl Into<String>, found: &str, expected: &'static str) -> RowProblem {
    RowProblem::Bad { column: column.into(), found: found.to_owned(), expected }
}

/// The ids of the games whose indices are in `first`, by index. `games` are the ids of all games.
pub(super) fn repeated_ids<'g>(
    first: &[Option<usize>],
    games: impl Iterator<Item = &'g str>,
) -> HashMap<usize, &'g str> {
    let mut ids: HashMap<usize, &str> = first.iter().flatten().map(|&first| (first, "")).collect();
    for (index, game) in games.enumerate() {
        if let Some(id) = ids.get_mut(&index) {
            *id = game;
        }
    }
    ids
}
