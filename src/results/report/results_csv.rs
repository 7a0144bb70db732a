//! Games as CSV: results.csv, written and read back, and plain lists of scores.

use std::borrow::Borrow;
use std::collections::HashMap;

use csv::StringRecord;
use thiserror::Error;

use super::flat::text_of;
use crate::base::digits::parse_digits;
use crate::base::printable::printable;
use crate::game::rules::{BySide, Side};
use crate::referee::clock::{parse_seconds, seconds_text};
use crate::referee::result::{GameResult, InconsistentResult, Termination, Void};
use crate::referee::usage::{TimeLoss, Usage};
use crate::results::standings::{GameSummary, GameView, MovesDigest, duplicates};

/// The columns of results.csv. `duplicate_of` and `time_loss_cpu` are for the reader's eye: they follow from the others, and
/// are not read back.
pub const RESULTS_COLUMNS: [&str; 26] = [
    "game",
    "round",
    "black",
    "white",
    "winner",
    "margin",
    "termination",
    "at_fault",
    "plies",
    "black_seconds",
    "white_seconds",
    "moves_sha256",
    "duplicate_of",
    "black_user_seconds",
    "black_system_seconds",
    "black_wall_seconds",
    "black_peak_memory",
    "black_processes",
    "black_written",
    "white_user_seconds",
    "white_system_seconds",
    "white_wall_seconds",
    "white_peak_memory",
    "white_processes",
    "white_written",
    "time_loss_cpu",
];

/// Where the columns stand in [`RESULTS_COLUMNS`].
mod column {
    pub(super) const GAME: usize = 0;
    pub(super) const ROUND: usize = 1;
    pub(super) const BLACK: usize = 2;
    pub(super) const WHITE: usize = 3;
    pub(super) const WINNER: usize = 4;
    pub(super) const MARGIN: usize = 5;
    pub(super) const TERMINATION: usize = 6;
    pub(super) const AT_FAULT: usize = 7;
    pub(super) const PLIES: usize = 8;
    pub(super) const BLACK_SECONDS: usize = 9;
    pub(super) const WHITE_SECONDS: usize = 10;
    pub(super) const MOVES: usize = 11;
    pub(super) const BLACK_USAGE: usize = 13;
    pub(super) const WHITE_USAGE: usize = BLACK_USAGE + super::USAGE;
}

/// How many columns there must be, from the first; the others may be missing.
const REQUIRED: usize = 12;

/// How many columns the usage of one side has.
const USAGE: usize = 6;

/// The columns of a list of scores; any others are ignored.
pub const SCORE_COLUMNS: [&str; 3] = ["first", "second", "first_score"];

/// A line that is not what it should be.
#[derive(Debug, Error)]
#[error("{line}: {problem}")]
pub struct RowError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub problem: RowProblem,
}

/// What is wrong with a line.
#[derive(Debug, Error)]
pub enum RowProblem {
    /// No CSV.
    #[error("not CSV: {0}")]
    NotCsv(csv::Error),
    /// A header without what is needed.
    #[error("no column `{missing}` (expected the columns `{}`)", expected.join(","))]
    MissingColumn {
        /// What is not there.
        missing: &'static str,
        /// All that should be.
        expected: &'static [&'static str],
    },
    /// A value that means nothing.
    #[error("`{column}`: `{found}` is not {expected}")]
    Bad {
        /// The column.
        column: &'static str,
        /// What it says.
        found: String,
        /// What it could say.
        expected: &'static str,
    },
    /// The parts of a result contradict each other.
    #[error("{0}")]
    Inconsistent(#[from] InconsistentResult),
    /// A player that meets itself.
    #[error("`{}` cannot play against itself", printable(.0))]
    Itself(String),
    /// A game that is there already.
    #[error("the game `{}` is listed twice (first in line {first})", printable(game))]
    Duplicate {
        /// The game's id.
        game: String,
        /// Where it was first.
        first: u64,
    },
}

/// The content of results.csv for these games, in their order.
pub fn results_csv<G: Borrow<GameSummary>>(games: &[G]) -> String {
    let header = RESULTS_COLUMNS.map(str::to_owned);
    let first = duplicates(games);
    let id = |index: usize| games[index].borrow().game.as_str();
    let rows = games.iter().zip(first).map(|(game, first)| fields(game.borrow(), first.map(id)));
    text_of(std::iter::once(header).chain(rows))
}

fn fields(game: &GameSummary, duplicate_of: Option<&str>) -> [String; 26] {
    let result = game.result.as_ref();
    let time_loss = TimeLoss::in_game(result, &game.used, &game.usage).map_or("", |(_, time_loss)| time_loss.name());
    let [black_user, black_system, black_wall, black_memory, black_processes, black_written] =
        usage_fields(game.usage.black.as_ref());
    let [white_user, white_system, white_wall, white_memory, white_processes, white_written] =
        usage_fields(game.usage.white.as_ref());
    let winner = match result {
        None => "",
        Some(result) if result.termination() == Termination::DoubleForfeit => "",
        Some(result) => result.winner().map_or("draw", Side::name),
    };
    [
        game.game.clone(),
        game.round.map(|round| round.to_string()).unwrap_or_default(),
        game.players.black.clone(),
        game.players.white.clone(),
        winner.to_owned(),
        result.and_then(GameResult::margin).map(|margin| margin.to_string()).unwrap_or_default(),
        result.map_or(Void::WORD, |result| result.termination().name()).to_owned(),
        result.map_or("", |result| result.fault().name()).to_owned(),
        game.plies.to_string(),
        seconds_text(game.used.black),
        seconds_text(game.used.white),
        game.moves.to_string(),
        duplicate_of.unwrap_or_default().to_owned(),
        black_user,
        black_system,
        black_wall,
        black_memory,
        black_processes,
        black_written,
        white_user,
        white_system,
        white_wall,
        white_memory,
        white_processes,
        white_written,
        time_loss.to_owned(),
    ]
}

/// One side's columns, empty where nothing is known.
fn usage_fields(usage: Option<&Usage>) -> [String; USAGE] {
    usage.map_or_else(Default::default, |usage| {
        let Usage { user, system, wall, peak_memory, processes, written } = *usage;
        let [user, system, wall] = [user, system, wall].map(seconds_text);
        let [memory, processes, written] = [peak_memory, processes, written].map(|number| number.to_string());
        [user, system, wall, memory, processes, written]
    })
}

/// The games of a results.csv.
///
/// # Errors
/// Every line that is not as [`results_csv`] writes it, or the header alone.
pub fn read_results_csv(text: &str) -> Result<Vec<GameSummary>, Vec<RowError>> {
    let mut games = Vec::new();
    each_result(text, |game| games.push(game.to_summary()))?;
    Ok(games)
}

/// Hands each game of a results.csv to `take`, in their order. What was taken means nothing if there is an error.
///
/// # Errors
/// As [`read_results_csv`].
pub fn each_result(text: &str, mut take: impl FnMut(&GameView<'_>)) -> Result<(), Vec<RowError>> {
    /// What a line has at least, so that the table of ids need not grow with them.
    const SHORTEST_LINE: usize = 120;

    let mut first_lines: HashMap<Box<str>, u64> = HashMap::with_capacity(text.len() / SHORTEST_LINE);
    read(text, csv::Trim::None, &RESULTS_COLUMNS, REQUIRED, |row| {
        let game = game_of(row)?;
        if !game.game.is_empty()
            && let Some(first) = first_lines.insert(game.game.into(), row.line)
        {
            return Err(RowProblem::Duplicate { game: game.game.to_owned(), first });
        }
        take(&game);
        Ok(())
    })
}

/// The games of a list of scores: who had the first move, who had the second, and the first one's score. Such games
/// have no ids, and all end in the normal way. Columns may come in any order, and others among them.
///
/// # Errors
/// Every line that is no score, or the header alone.
pub fn read_score_csv(text: &str) -> Result<Vec<GameSummary>, Vec<RowError>> {
    const FIRST: usize = 0;
    const SECOND: usize = 1;
    const SCORE: usize = 2;

    let mut games = Vec::new();
    read(text, csv::Trim::All, &SCORE_COLUMNS, SCORE_COLUMNS.len(), |row| {
        let players = players(row, FIRST, SECOND)?.map(str::to_owned);
        let winner = match row.field(SCORE).parse::<f64>() {
            Ok(1.0) => Some(Side::Black),
            Ok(0.5) => None,
            Ok(0.0) => Some(Side::White),
            _ => return Err(row.bad(SCORE, "0, 0.5 or 1")),
        };
        games.push(GameSummary {
            game: String::new(),
            round: None,
            players,
            result: Some(GameResult::new(winner, Termination::Normal, None, None)?),
            plies: 0,
            used: BySide::default(),
            usage: BySide::default(),
            moves: MovesDigest::of([]),
        });
        Ok(())
    })?;
    Ok(games)
}

/// One line, by the columns' places in the list of those that are read.
struct Row<'r> {
    line: u64,
    columns: &'static [&'static str],
    /// Where each column stands in the file, if it is there.
    places: &'r [Option<usize>],
    record: &'r StringRecord,
}

impl<'r> Row<'r> {
    /// Empty where the line is too short, or the file has no such column.
    fn field(&self, column: usize) -> &'r str {
        self.places[column].and_then(|place| self.record.get(place)).unwrap_or_default()
    }

    fn bad(&self, column: usize, expected: &'static str) -> RowProblem {
        RowProblem::Bad { column: self.columns[column], found: self.field(column).to_owned(), expected }
    }
}

/// Takes every line, collecting all errors. The first so many of the columns must be there.
fn read(
    text: &str,
    trim: csv::Trim,
    columns: &'static [&'static str],
    required: usize,
    mut take: impl FnMut(&Row<'_>) -> Result<(), RowProblem>,
) -> Result<(), Vec<RowError>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(trim).from_reader(text.as_bytes());
    let in_header = |problem| vec![RowError { line: 1, problem }];
    let header = reader.headers().map_err(|error| in_header(RowProblem::NotCsv(error)))?.clone();
    let mut places = Vec::with_capacity(columns.len());
    for (index, &column) in columns.iter().enumerate() {
        let place = header.iter().position(|name| name.trim() == column);
        if place.is_none() && index < required {
            let expected = &columns[..required];
            return Err(in_header(RowProblem::MissingColumn { missing: column, expected }));
        }
        places.push(place);
    }
    let mut errors = Vec::new();
    let mut record = StringRecord::new();
    loop {
        let line = |position: Option<&csv::Position>| position.map_or(0, csv::Position::line);
        let (line, taken) = match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {
                let line = line(record.position());
                (line, take(&Row { line, columns, places: &places, record: &record }))
            }
            Err(error) => (line(error.position()), Err(RowProblem::NotCsv(error))),
        };
        errors.extend(taken.err().map(|problem| RowError { line, problem }));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn players<'r>(row: &Row<'r>, black: usize, white: usize) -> Result<BySide<&'r str>, RowProblem> {
    for column in [black, white] {
        if row.field(column).is_empty() {
            return Err(row.bad(column, "a player's name"));
        }
    }
    let players = BySide { black: row.field(black), white: row.field(white) };
    if players.black == players.white { Err(RowProblem::Itself(players.black.to_owned())) } else { Ok(players) }
}

fn game_of<'r>(row: &Row<'r>) -> Result<GameView<'r>, RowProblem> {
    let result = result_of(row)?;
    let at_fault = result.as_ref().map_or("", |result| result.fault().name());
    if row.field(column::AT_FAULT) != at_fault {
        return Err(row.bad(column::AT_FAULT, "who is at fault by winner and termination"));
    }
    let round = match row.field(column::ROUND) {
        "" => None,
        round => Some(round.parse().map_err(|_| row.bad(column::ROUND, "a number from 1"))?),
    };
    let time = |column| parse_seconds(row.field(column)).ok_or_else(|| row.bad(column, "seconds (`12.345678`)"));
    let digest = row.field(column::MOVES).parse();
    Ok(GameView {
        game: row.field(column::GAME),
        round,
        players: players(row, column::BLACK, column::WHITE)?,
        result,
        plies: row.field(column::PLIES).parse().map_err(|_| row.bad(column::PLIES, "a number of moves"))?,
        used: BySide { black: time(column::BLACK_SECONDS)?, white: time(column::WHITE_SECONDS)? },
        usage: BySide { black: usage_of(row, column::BLACK_USAGE)?, white: usage_of(row, column::WHITE_USAGE)? },
        moves: digest.map_err(|_| row.bad(column::MOVES, "64 hexadecimal digits in lower case"))?,
    })
}

fn result_of(row: &Row<'_>) -> Result<Option<GameResult>, RowProblem> {
    let termination = row.field(column::TERMINATION);
    let winner = row.field(column::WINNER);
    if termination == Void::WORD {
        return if winner.is_empty() { Ok(None) } else { Err(row.bad(column::WINNER, "empty, as the game is void")) };
    }
    let termination: Termination = termination
        .parse()
        .map_err(|_| row.bad(column::TERMINATION, "a word for how games end (`normal`, `time`, ...)"))?;
    let winner = match (winner, termination) {
        ("", Termination::DoubleForfeit) | ("draw", _) => None,
        (winner, _) => Some(winner.parse().map_err(|_| row.bad(column::WINNER, "`black`, `white` or `draw`"))?),
    };
    let margin = match row.field(column::MARGIN) {
        "" => None,
        margin => Some(margin.parse().map_err(|_| row.bad(column::MARGIN, "a whole number"))?),
    };
    Ok(Some(GameResult::new(winner, termination, margin, None)?))
}

/// The usage whose columns begin with this one: all of them are filled, or none.
fn usage_of(row: &Row<'_>, first: usize) -> Result<Option<Usage>, RowProblem> {
    if (first..first + USAGE).all(|column| row.field(column).is_empty()) {
        return Ok(None);
    }
    let time = |column| {
        let bad = || row.bad(column, "seconds (`12.345678`), as others of the same side are given");
        parse_seconds(row.field(column)).ok_or_else(bad)
    };
    let number = |column| {
        let bad = || row.bad(column, "a whole number, as others of the same side are given");
        parse_digits(row.field(column)).ok_or_else(bad)
    };
    Ok(Some(Usage {
        user: time(first)?,
        system: time(first + 1)?,
        wall: time(first + 2)?,
        peak_memory: number(first + 3)?,
        processes: number(first + 4)?,
        written: number(first + 5)?,
    }))
}
