//! How accurate the predictions in a file are.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use csv::StringRecord;
use thiserror::Error;

use super::baseline::PredictionErrors;
use super::move_places::{MOVES, place_of};
use crate::base::sanitise::sanitised;
use crate::exact::phase::Phase;
use crate::game::Move;
use crate::game::gothello::Point;

/// Why a file cannot be used. Each message begins with the number of the faulty line.
#[derive(Debug, Error)]
pub enum ScoreError {
    /// A line is not valid CSV.
    #[error("{line}: this line is not valid CSV: {source}")]
    NotCsv {
        /// The line.
        line: u64,
        /// What is wrong with it.
        source: csv::Error,
    },
    /// A column is missing.
    #[error("1: no column `{0}`")]
    NoColumn(&'static str),
    /// There is neither a column for values nor one for moves.
    #[error("1: expected the columns `id,value` or `id,move`")]
    NoPrediction,
    /// A cell cannot be read.
    #[error("{line}: `{}` is not {what}", sanitised(found))]
    Cell {
        /// The line.
        line: u64,
        /// The cell.
        found: String,
        /// The expected content of the cell.
        what: &'static str,
    },
    /// A position is predicted twice, or is not in the data set.
    #[error("{line}: position {id} is {why}")]
    Position {
        /// The line.
        line: u64,
        /// The position.
        id: u64,
        /// The problem with the position.
        why: &'static str,
    },
    /// The file contains no predictions.
    #[error("1: no predictions follow the header")]
    Empty,
}

impl From<csv::Error> for ScoreError {
    fn from(source: csv::Error) -> Self {
        Self::NotCsv { line: source.position().map_or(0, csv::Position::line), source }
    }
}

/// The data of a position in a data set.
#[derive(Clone, Debug)]
struct KnownPosition {
    empty: u32,
    winner: i8,
    margin: Option<i8>,
    best: Vec<i16>,
    legal: Vec<i16>,
    values: Option<Vec<i16>>,
}

/// The accuracy of predicted moves.
#[derive(Clone, Copy, Debug, Default)]
struct MoveErrors {
    count: u32,
    best: u32,
    with_values: u32,
    keep_winner: u32,
    lost: u32,
}

/// The score of predictions, by phase.
#[derive(Clone, Debug, Default)]
pub struct PredictionScore {
    values: BTreeMap<Phase, PredictionErrors>,
    moves: BTreeMap<Phase, MoveErrors>,
}

/// Which file an error is about.
#[derive(Debug, Error)]
pub enum ScoreFileError {
    /// The data set.
    #[error("{0}")]
    Dataset(#[source] ScoreError),
    /// The predictions.
    #[error("{0}")]
    Predictions(#[source] ScoreError),
}

/// Compares `predictions`, the text of a CSV file with the columns `id` and `value` or `move`, with `dataset`, the text
/// of a data set. The predictions do not have to cover all positions.
///
/// # Errors
/// Returns the first mistake in one of the files.
pub fn score(dataset: &[u8], predictions: &[u8]) -> Result<PredictionScore, ScoreFileError> {
    let known = known(dataset).map_err(ScoreFileError::Dataset)?;
    compared(&known, predictions).map_err(ScoreFileError::Predictions)
}

fn known(dataset: &[u8]) -> Result<HashMap<u64, KnownPosition>, ScoreError> {
    let mut reader = csv::Reader::from_reader(dataset);
    let header = reader.headers()?.clone();
    let column = |name: &'static str| place(&header, name).ok_or(ScoreError::NoColumn(name));
    let [id, empty, winner] = [column("id")?, column("empty")?, column("winner")?];
    let [margin, best, legal] = [column("margin")?, column("best")?, column("legal")?];
    let values = place(&header, "values");
    let mut known = HashMap::new();
    for row in reader.records() {
        let row = row?;
        let margin =
            if row.get(margin).is_none_or(str::is_empty) { None } else { Some(cell(&row, margin, "a margin")?) };
        let position = KnownPosition {
            empty: cell(&row, empty, "a number")?,
            winner: cell(&row, winner, "a winner")?,
            margin,
            best: list(&row, best)?,
            legal: list(&row, legal)?,
            values: values.map(|values| list(&row, values)).transpose()?,
        };
        known.insert(cell(&row, id, "an id")?, position);
    }
    Ok(known)
}

fn compared(known: &HashMap<u64, KnownPosition>, predictions: &[u8]) -> Result<PredictionScore, ScoreError> {
    let mut reader = csv::Reader::from_reader(predictions);
    let header = reader.headers()?.clone();
    let id = place(&header, "id").ok_or(ScoreError::NoPrediction)?;
    let (value, played) = (place(&header, "value"), place(&header, "move"));
    if value.is_none() && played.is_none() {
        return Err(ScoreError::NoPrediction);
    }
    let (mut score, mut seen) = (PredictionScore::default(), HashSet::new());
    for row in reader.records() {
        let row = row?;
        let id: u64 = cell(&row, id, "an id")?;
        let wrong = |why| ScoreError::Position { line: line(&row), id, why };
        let position = known.get(&id).ok_or_else(|| wrong("not in the data set"))?;
        if !seen.insert(id) {
            return Err(wrong("predicted twice"));
        }
        let phase = Phase::of_empty(position.empty);
        if let Some(value) = value {
            let predicted: f64 = cell(&row, value, "a number")?;
            if !predicted.is_finite() {
                return Err(ScoreError::Cell { line: line(&row), found: predicted.to_string(), what: "a number" });
            }
            score.values.entry(phase).or_default().add(predicted, position.winner, position.margin);
        }
        if let Some(played) = played {
            let place = legal_place(&row, played, position)?;
            score.moves.entry(phase).or_default().add(position, place);
        }
    }
    if seen.is_empty() { Err(ScoreError::Empty) } else { Ok(score) }
}

/// The place of the legal move that a cell contains.
fn legal_place(row: &StringRecord, column: usize, position: &KnownPosition) -> Result<usize, ScoreError> {
    let text = row.get(column).unwrap_or_default();
    let wrong = || ScoreError::Cell { line: line(row), found: text.to_owned(), what: "a legal move" };
    let played = match Point::parse(text) {
        Some(point) => point.to_move(),
        None if text == Move::PASS.as_str() => Move::PASS,
        None => return Err(wrong()),
    };
    let place = place_of(played);
    if position.legal[place] == 1 { Ok(place) } else { Err(wrong()) }
}

fn place(header: &StringRecord, name: &str) -> Option<usize> {
    header.iter().position(|column| column.trim() == name)
}

fn line(row: &StringRecord) -> u64 {
    row.position().map_or(0, csv::Position::line)
}

fn cell<T: std::str::FromStr>(row: &StringRecord, column: usize, what: &'static str) -> Result<T, ScoreError> {
    let text = row.get(column).unwrap_or_default();
    text.trim().parse().map_err(|_| ScoreError::Cell { line: line(row), found: text.to_owned(), what })
}

/// The numbers in a cell, one for each move.
fn list(row: &StringRecord, column: usize) -> Result<Vec<i16>, ScoreError> {
    let text = row.get(column).unwrap_or_default();
    let numbers: Option<Vec<i16>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    let what = "list of 26 numbers";
    let wrong = || ScoreError::Cell { line: line(row), found: text.to_owned(), what };
    numbers.filter(|numbers| numbers.len() == MOVES).ok_or_else(wrong)
}

impl MoveErrors {
    fn add(&mut self, position: &KnownPosition, place: usize) {
        self.count += 1;
        self.best += u32::from(position.best[place] == 1);
        if let (Some(values), Some(margin)) = (&position.values, position.margin) {
            let value = values[place];
            self.with_values += 1;
            self.keep_winner += u32::from(value.signum() == i16::from(position.winner));
            self.lost += u32::try_from(i16::from(margin) - value).unwrap_or(0);
        }
    }
}

impl PredictionScore {
    /// The score as a table, with a line for each phase and a line for all positions.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if !self.values.is_empty() {
            text += "phase    positions  mean error  right winner\n";
            let mut all = PredictionErrors::default();
            for (phase, errors) in &self.values {
                all.count += errors.count;
                all.right += errors.right;
                all.with_margin += errors.with_margin;
                all.distance += errors.distance;
                value_line(&mut text, phase.name(), errors);
            }
            value_line(&mut text, "all", &all);
        }
        if !self.moves.is_empty() {
            text += if text.is_empty() { "" } else { "\n" };
            text += "phase    positions  best move  keeps winner  stones lost per move\n";
            let mut all = MoveErrors::default();
            for (phase, errors) in &self.moves {
                all.count += errors.count;
                all.best += errors.best;
                all.with_values += errors.with_values;
                all.keep_winner += errors.keep_winner;
                all.lost += errors.lost;
                move_line(&mut text, phase.name(), errors);
            }
            move_line(&mut text, "all", &all);
        }
        text
    }
}

fn value_line(text: &mut String, name: &str, errors: &PredictionErrors) {
    let mean = errors.mean().map_or_else(|| "-".to_owned(), |mean| format!("{mean:.3}"));
    let _ = writeln!(text, "{name:<9}{:>9}{mean:>12}{:>13.1}%", errors.count, 100.0 * errors.accuracy());
}

fn move_line(text: &mut String, name: &str, errors: &MoveErrors) {
    let share = |part: u32, whole: u32| match whole {
        0 => "-".to_owned(),
        _ => format!("{:.1}%", 100.0 * f64::from(part) / f64::from(whole)),
    };
    let lost = match errors.with_values {
        0 => "-".to_owned(),
        count => format!("{:.3}", f64::from(errors.lost) / f64::from(count)),
    };
    let [best, keeps] = [share(errors.best, errors.count), share(errors.keep_winner, errors.with_values)];
    let _ = writeln!(text, "{name:<9}{:>9}{best:>11}{keeps:>14}{lost:>22}", errors.count);
}
