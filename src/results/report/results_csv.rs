//! The games of a run as CSV: results.csv, written and read back.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use super::csv_rows::{CsvColumns, PLAYER, RowError, RowProblem, opponents, read};
use super::csv_sheet::text_of;
use crate::base::digits::parse_digits;
use crate::game::{BySide, Side};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::{GameResult, Termination, Void};
use crate::referee::thought::{ClaimedChance, ClaimedPoints};
use crate::referee::time_control::SideControl;
use crate::referee::times::{parse_seconds, seconds_text};
use crate::referee::usage::{TimeLoss, Usage};
use crate::results::standings::{GameSummary, MeanDepth, ThoughtMeans, duplicates};
use crate::results::text_cell::{text_cell, text_of_cell};

/// A column of results.csv.
struct ResultsColumn {
    name: &'static str,
    /// The text of the column for a game.
    write: fn(&ListedGame<'_>) -> String,
    /// Reads the column's text from a line, or returns a description of what the column expects. Checks that involve
    /// several columns follow later.
    read: for<'r> fn(&mut LineDraft<'r>, &'r str) -> Result<(), &'static str>,
}

/// The remedy if a column is missing.
pub(super) const OTHER_VERSION: &str = "; if another version of the arena wrote this file, name the run directory instead, or run \
                             `gothello-arena rebuild DIR` to write the file again";

/// A game, and the facts about it that depend on other games.
struct ListedGame<'g> {
    game: &'g GameSummary<&'g str>,
    duplicate_of: Option<&'g str>,
}

/// A line while its columns are being read. Text whose meaning depends on other columns is stored unchanged.
#[derive(Default)]
struct LineDraft<'r> {
    game: &'r str,
    round: Option<u32>,
    players: BySide<&'r str>,
    winner: &'r str,
    margin: &'r str,
    termination: &'r str,
    at_fault: &'r str,
    plies: usize,
    used: BySide<Duration>,
    left: BySide<Option<SideControl>>,
    usage: BySide<UsageDraft>,
    starved: Option<bool>,
    has_odds: bool,
    thoughts: BySide<ThoughtMeans>,
    moves: Option<MovesDigest>,
}

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

/// The columns of the resources that one side's processes used.
macro_rules! usage_column {
    ($name:literal, $side:ident, $field:ident, $text:expr, $read:ident) => {
        ResultsColumn {
            name: $name,
            write: |listed| listed.game.usage.$side.map(|usage| $text(usage.$field)).unwrap_or_default(),
            read: |draft, text| $read(&mut draft.usage.$side.$field, text),
        }
    };
}

/// The columns of results.csv.
const COLUMNS: [ResultsColumn; 29] = [
    ResultsColumn {
        name: "game",
        write: |listed| text_cell(listed.game.game).into_owned(),
        read: |draft, text| {
            draft.game = text_of_cell(text);
            Ok(())
        },
    },
    ResultsColumn {
        name: "round",
        write: |listed| listed.game.round.map(|round| round.to_string()).unwrap_or_default(),
        read: |draft, text| {
            draft.round =
                if text.is_empty() { None } else { Some(text.parse().map_err(|_| "a whole number (1 or more)")?) };
            Ok(())
        },
    },
    ResultsColumn {
        name: "black",
        write: |listed| text_cell(listed.game.players.black).into_owned(),
        read: |draft, text| player(&mut draft.players.black, text),
    },
    ResultsColumn {
        name: "white",
        write: |listed| text_cell(listed.game.players.white).into_owned(),
        read: |draft, text| player(&mut draft.players.white, text),
    },
    ResultsColumn {
        name: "winner",
        write: |listed| winner_text(listed.game.result.as_ref()).to_owned(),
        read: |draft, text| {
            draft.winner = text;
            Ok(())
        },
    },
    ResultsColumn {
        name: "margin",
        write: |listed| {
            let margin = listed.game.result.as_ref().and_then(GameResult::margin);
            margin.map(|margin| margin.to_string()).unwrap_or_default()
        },
        read: |draft, text| {
            draft.margin = text;
            Ok(())
        },
    },
    ResultsColumn {
        name: "termination",
        write: |listed| listed.game.result.as_ref().map_or(Void::WORD, |result| result.termination().name()).to_owned(),
        read: |draft, text| {
            draft.termination = text;
            Ok(())
        },
    },
    ResultsColumn {
        name: "at_fault",
        write: |listed| at_fault(listed.game.result.as_ref()).to_owned(),
        read: |draft, text| {
            draft.at_fault = text;
            Ok(())
        },
    },
    ResultsColumn {
        name: "plies",
        write: |listed| listed.game.plies.to_string(),
        read: |draft, text| {
            draft.plies = text.parse().map_err(|_| "a number of moves")?;
            Ok(())
        },
    },
    ResultsColumn {
        name: "black_seconds",
        write: |listed| seconds_text(listed.game.used.black),
        read: |draft, text| seconds(&mut draft.used.black, text),
    },
    ResultsColumn {
        name: "white_seconds",
        write: |listed| seconds_text(listed.game.used.white),
        read: |draft, text| seconds(&mut draft.used.white, text),
    },
    ResultsColumn {
        name: "black_left",
        write: |listed| left_text(listed.game.left.black),
        read: |draft, text| left(&mut draft.left.black, text),
    },
    ResultsColumn {
        name: "white_left",
        write: |listed| left_text(listed.game.left.white),
        read: |draft, text| left(&mut draft.left.white, text),
    },
    ResultsColumn {
        name: "moves_sha256",
        write: |listed| listed.game.moves.to_string(),
        read: |draft, text| {
            draft.moves = Some(text.parse().map_err(|_| "64 hexadecimal digits in lower case")?);
            Ok(())
        },
    },
    ResultsColumn {
        name: "duplicate_of",
        write: |listed| text_cell(listed.duplicate_of.unwrap_or_default()).into_owned(),
        read: FOLLOWS_FROM_OTHERS,
    },
    usage_column!("black_user_seconds", black, user, seconds_text, usage_seconds),
    usage_column!("black_system_seconds", black, system, seconds_text, usage_seconds),
    usage_column!("black_wall_seconds", black, wall, seconds_text, usage_seconds),
    usage_column!("black_peak_memory", black, peak_memory, count_text, usage_count),
    usage_column!("black_processes", black, processes, count_text, usage_count),
    usage_column!("black_written", black, written, count_text, usage_count),
    usage_column!("white_user_seconds", white, user, seconds_text, usage_seconds),
    usage_column!("white_system_seconds", white, system, seconds_text, usage_seconds),
    usage_column!("white_wall_seconds", white, wall, seconds_text, usage_seconds),
    usage_column!("white_peak_memory", white, peak_memory, count_text, usage_count),
    usage_column!("white_processes", white, processes, count_text, usage_count),
    usage_column!("white_written", white, written, count_text, usage_count),
    ResultsColumn {
        name: "time_loss_cpu",
        write: |ListedGame { game, .. }| {
            let time_loss = TimeLoss::in_game(game.result.as_ref(), &game.used, &game.usage);
            time_loss.map_or("", |(_, time_loss)| time_loss.name()).to_owned()
        },
        read: FOLLOWS_FROM_OTHERS,
    },
    ResultsColumn {
        name: "time_loss_starved",
        write: |listed| listed.game.starved.map_or("", |starved| if starved { "yes" } else { "no" }).to_owned(),
        read: |draft, text| {
            draft.starved = match text {
                "" => None,
                "yes" => Some(true),
                "no" => Some(false),
                _ => return Err("`yes`, `no` or nothing"),
            };
            Ok(())
        },
    },
];

/// Ignores a column that the other columns determine; it is written only for the reader's convenience.
const FOLLOWS_FROM_OTHERS: for<'r> fn(&mut LineDraft<'r>, &'r str) -> Result<(), &'static str> = |_, _| Ok(());

/// The names of the columns of results.csv.
pub const RESULTS_COLUMNS: [&str; COLUMNS.len()] = {
    let mut names = [""; COLUMNS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = COLUMNS[index].name;
        index += 1;
    }
    names
};

/// A column with one side's claims.
macro_rules! thought_column {
    ($name:literal, $side:ident, $claim:ident, $read:expr, $expected:literal) => {
        ResultsColumn {
            name: $name,
            write: |listed| {
                let mean = listed.game.thoughts.as_deref().and_then(|sides| sides.$side.$claim);
                mean.map(|mean| mean.to_string()).unwrap_or_default()
            },
            read: |draft, text| {
                draft.thoughts.$side.$claim = if text.is_empty() { None } else { Some($read(text).ok_or($expected)?) };
                Ok(())
            },
        }
    };
}

/// The name of the column of [`ODDS`].
pub(super) const ODDS_COLUMN: &str = "odds";

/// The column that says whether a player had its own handicap or compensation.
const ODDS: ResultsColumn = ResultsColumn {
    name: ODDS_COLUMN,
    write: |listed| odds_text(listed.game.has_odds).to_owned(),
    read: |draft, text| {
        draft.has_odds = read_odds(text)?;
        Ok(())
    },
};

/// The bots' claims, as means over their moves.
const THOUGHTS: [ResultsColumn; 8] = [
    thought_column!("black_value", black, value, ClaimedPoints::parse, "points (`+3.25`), or nothing"),
    thought_column!("black_win", black, win, ClaimedChance::parse, "a chance from 0 to 1, or nothing"),
    thought_column!("black_depth", black, depth, MeanDepth::parse, "a number of plies (`6.25`), or nothing"),
    thought_column!("black_nodes", black, nodes, parse_digits, "a whole number, or nothing"),
    thought_column!("white_value", white, value, ClaimedPoints::parse, "points (`+3.25`), or nothing"),
    thought_column!("white_win", white, win, ClaimedChance::parse, "a chance from 0 to 1, or nothing"),
    thought_column!("white_depth", white, depth, MeanDepth::parse, "a number of plies (`6.25`), or nothing"),
    thought_column!("white_nodes", white, nodes, parse_digits, "a whole number, or nothing"),
];

/// The columns that a file contains only if any of its games needs them.
#[derive(Clone, Copy, Debug, Default)]
struct OptionalColumns {
    odds: bool,
    thoughts: bool,
}

impl OptionalColumns {
    /// The columns that `games` need.
    fn of<'g>(games: impl Iterator<Item = GameSummary<&'g str>>) -> Self {
        games.fold(Self::default(), |columns, game| Self {
            odds: columns.odds || game.has_odds,
            thoughts: columns.thoughts || game.thoughts.is_some(),
        })
    }

    /// All columns of the file, in their order.
    fn columns(self) -> impl Iterator<Item = &'static ResultsColumn> {
        let odds = self.odds.then_some(&ODDS).into_iter();
        COLUMNS.iter().chain(odds).chain(THOUGHTS.iter().filter(move |_| self.thoughts))
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

pub(super) const USAGE_SECONDS: &str = "seconds (`12.345678`), or no usage at all for that side";
pub(super) const USAGE_COUNT: &str = "a whole number, or no usage at all for that side";

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

fn count_text(count: u64) -> String {
    count.to_string()
}

const fn winner_text(result: Option<&GameResult>) -> &'static str {
    match result {
        Some(result) => match (result.termination(), result.winner()) {
            (Termination::DoubleForfeit, _) => "",
            (_, Some(winner)) => winner.name(),
            (_, None) => "draw",
        },
        None => "",
    }
}

fn at_fault(result: Option<&GameResult>) -> &'static str {
    result.map_or("", |result| result.fault().name())
}

pub(super) fn bad(column: impl Into<String>, found: &str, expected: &'static str) -> RowProblem {
    RowProblem::Bad { column: column.into(), found: found.to_owned(), expected }
}

impl<'r> LineDraft<'r> {
    /// The game on the line, once all its columns have been read.
    fn finish(&self) -> Result<GameSummary<&'r str>, RowProblem> {
        let result = self.result()?;
        if self.at_fault != at_fault(result.as_ref()) {
            return Err(RowProblem::AtFault(self.at_fault.to_owned()));
        }
        Ok(GameSummary {
            game: self.game,
            round: self.round,
            players: opponents(self.players)?,
            result,
            plies: self.plies,
            used: self.used,
            left: self.left,
            usage: BySide {
                black: self.usage.black.finish(Side::Black.name())?,
                white: self.usage.white.finish(Side::White.name())?,
            },
            starved: self.starved,
            has_odds: self.has_odds,
            thoughts: ThoughtMeans::of_both(self.thoughts),
            moves: self.moves.unwrap_or_else(|| MovesDigest::of([])),
        })
    }

    fn result(&self) -> Result<Option<GameResult>, RowProblem> {
        let &Self { winner, margin, termination, .. } = self;
        if termination == Void::WORD {
            return if winner.is_empty() {
                Ok(None)
            } else {
                Err(bad("winner", winner, "an empty field, because the game is void"))
            };
        }
        let termination: Termination = termination
            .parse()
            .map_err(|_| bad("termination", termination, "a termination (`normal`, `time`, ...)"))?;
        let winner = match (winner, termination) {
            ("", Termination::DoubleForfeit) | ("draw", _) => None,
            (winner, _) => Some(winner.parse().map_err(|_| bad("winner", winner, "`black`, `white` or `draw`"))?),
        };
        let margin = match margin {
            "" => None,
            margin => Some(margin.parse().map_err(|_| bad("margin", margin, "a whole number"))?),
        };
        let result = GameResult::new(winner, termination, margin, None)?;
        if termination == Termination::Adjudicated {
            // No rule set with proofs uses compensation. For other games, the file does not show what decided the
            // result.
            result.check_margin()?;
        }
        Ok(Some(result))
    }
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
