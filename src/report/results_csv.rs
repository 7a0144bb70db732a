//! Games as CSV: results.csv, written and read back, and plain lists of scores.

use std::collections::HashMap;
use std::time::Duration;

use csv::StringRecord;
use thiserror::Error;

use super::flat::text_of;
use crate::clock::whole_micros;
use crate::result::{GameResult, InconsistentResult, Termination};
use crate::rules::{BySide, Side};
use crate::standings::{GameSummary, MovesDigest};

/// The columns of results.csv.
pub const RESULTS_COLUMNS: [&str; 12] = [
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
];

/// The columns of a list of scores; any others are ignored.
pub const SCORE_COLUMNS: [&str; 3] = ["first", "second", "first_score"];

/// The termination of a game without a result.
const VOID: &str = "void";

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
    #[error("`{0}` cannot play against itself")]
    Itself(String),
    /// A game that is there already.
    #[error("the game `{game}` is listed twice (first in line {first})")]
    Duplicate {
        /// The game's id.
        game: String,
        /// Where it was first.
        first: u64,
    },
}

/// The content of results.csv for these games, in their order.
pub fn results_csv(games: &[GameSummary]) -> String {
    let header = RESULTS_COLUMNS.map(str::to_owned);
    text_of(std::iter::once(header).chain(games.iter().map(fields)))
}

fn fields(game: &GameSummary) -> [String; 12] {
    let result = game.result.as_ref();
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
        result.map_or(VOID, |result| result.termination().name()).to_owned(),
        result.map_or("", |result| result.fault().name()).to_owned(),
        game.plies.to_string(),
        seconds(game.used.black),
        seconds(game.used.white),
        game.moves.to_string(),
    ]
}

/// Seconds with six decimals.
fn seconds(time: Duration) -> String {
    format!("{}.{:06}", time.as_secs(), whole_micros(time).subsec_micros())
}

/// The games of a results.csv.
///
/// # Errors
/// Every line that is not as [`results_csv`] writes it, or the header alone.
pub fn read_results_csv(text: &str) -> Result<Vec<GameSummary>, Vec<RowError>> {
    let mut first_lines: HashMap<String, u64> = HashMap::new();
    read(text, csv::Trim::None, &RESULTS_COLUMNS, |row| {
        let game = game_of(row)?;
        match first_lines.insert(game.game.clone(), row.line) {
            Some(first) if !game.game.is_empty() => Err(RowProblem::Duplicate { game: game.game, first }),
            _ => Ok(game),
        }
    })
}

/// The games of a list of scores, with the columns [`SCORE_COLUMNS`] in any order. Who is first moves first. Nothing
/// else is known of these games: they have neither id nor moves, and count as played to their ends.
///
/// # Errors
/// Every line that has another score than 0, 0.5 or 1, or no names; or the header alone.
pub fn read_score_csv(text: &str) -> Result<Vec<GameSummary>, Vec<RowError>> {
    read(text, csv::Trim::All, &SCORE_COLUMNS, |row| {
        let players = players(row, "first", "second")?;
        let score = row.field("first_score");
        let winner = match score.parse::<f64>() {
            Ok(1.0) => Some(Side::Black),
            Ok(0.5) => None,
            Ok(0.0) => Some(Side::White),
            _ => return Err(row.bad("first_score", "0, 0.5 or 1")),
        };
        Ok(GameSummary {
            game: String::new(),
            round: None,
            players,
            result: Some(GameResult::new(winner, Termination::Normal, None, None)?),
            plies: 0,
            used: BySide::default(),
            moves: MovesDigest::of([]),
        })
    })
}

/// One line, by the columns' names.
struct Row<'r> {
    line: u64,
    columns: &'r HashMap<&'static str, usize>,
    record: &'r StringRecord,
}

impl Row<'_> {
    /// Empty where the line is too short.
    fn field(&self, column: &str) -> &str {
        self.columns.get(column).and_then(|&index| self.record.get(index)).unwrap_or_default()
    }

    fn bad(&self, column: &'static str, expected: &'static str) -> RowProblem {
        RowProblem::Bad { column, found: self.field(column).to_owned(), expected }
    }
}

/// Reads every line with `parse`, collecting all errors.
fn read<T>(
    text: &str,
    trim: csv::Trim,
    columns: &'static [&'static str],
    mut parse: impl FnMut(&Row<'_>) -> Result<T, RowProblem>,
) -> Result<Vec<T>, Vec<RowError>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(trim).from_reader(text.as_bytes());
    let in_header = |problem| vec![RowError { line: 1, problem }];
    let header = reader.headers().map_err(|error| in_header(RowProblem::NotCsv(error)))?.clone();
    let mut places = HashMap::new();
    for &column in columns {
        let Some(place) = header.iter().position(|name| name.trim() == column) else {
            return Err(in_header(RowProblem::MissingColumn { missing: column, expected: columns }));
        };
        places.insert(column, place);
    }
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let line = |position: Option<&csv::Position>| position.map_or(0, csv::Position::line);
        let (line, parsed) = match record {
            Ok(record) => {
                let line = line(record.position());
                (line, parse(&Row { line, columns: &places, record: &record }))
            }
            Err(error) => (line(error.position()), Err(RowProblem::NotCsv(error))),
        };
        match parsed {
            Ok(value) => values.push(value),
            Err(problem) => errors.push(RowError { line, problem }),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

fn players(row: &Row<'_>, black: &'static str, white: &'static str) -> Result<BySide<String>, RowProblem> {
    for column in [black, white] {
        if row.field(column).is_empty() {
            return Err(row.bad(column, "a player's name"));
        }
    }
    let players = BySide { black: row.field(black).to_owned(), white: row.field(white).to_owned() };
    if players.black == players.white { Err(RowProblem::Itself(players.black)) } else { Ok(players) }
}

fn game_of(row: &Row<'_>) -> Result<GameSummary, RowProblem> {
    let result = result_of(row)?;
    let at_fault = result.as_ref().map_or("", |result| result.fault().name());
    if row.field("at_fault") != at_fault {
        return Err(row.bad("at_fault", "who is at fault by winner and termination"));
    }
    let round = match row.field("round") {
        "" => None,
        round => Some(round.parse().map_err(|_| row.bad("round", "a number from 1"))?),
    };
    let time = |column| parse_seconds(row.field(column)).ok_or_else(|| row.bad(column, "seconds (`12.345678`)"));
    Ok(GameSummary {
        game: row.field("game").to_owned(),
        round,
        players: players(row, "black", "white")?,
        result,
        plies: row.field("plies").parse().map_err(|_| row.bad("plies", "a number of moves"))?,
        used: BySide { black: time("black_seconds")?, white: time("white_seconds")? },
        moves: row
            .field("moves_sha256")
            .parse()
            .map_err(|_| row.bad("moves_sha256", "64 hexadecimal digits in lower case"))?,
    })
}

fn result_of(row: &Row<'_>) -> Result<Option<GameResult>, RowProblem> {
    let termination = row.field("termination");
    let winner = row.field("winner");
    if termination == VOID {
        return if winner.is_empty() { Ok(None) } else { Err(row.bad("winner", "empty, as the game is void")) };
    }
    let termination: Termination =
        termination.parse().map_err(|_| row.bad("termination", "a word for how games end (`normal`, `time`, ...)"))?;
    let winner = match (winner, termination) {
        ("", Termination::DoubleForfeit) | ("draw", _) => None,
        (winner, _) => Some(winner.parse().map_err(|_| row.bad("winner", "`black`, `white` or `draw`"))?),
    };
    let margin = match row.field("margin") {
        "" => None,
        margin => Some(margin.parse().map_err(|_| row.bad("margin", "a whole number"))?),
    };
    Ok(Some(GameResult::new(winner, termination, margin, None)?))
}

/// `12.345678` with at most six decimals.
fn parse_seconds(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if decimals.len() > 6 || !digits(whole) || !digits(decimals) {
        return None;
    }
    let micros: u32 = format!("{decimals:0<6}").parse().ok()?;
    Some(Duration::new(whole.parse().ok()?, micros * 1000))
}
