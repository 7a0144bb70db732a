//! Reads the log of a game of more than two seats.

use std::str::FromStr;

use super::cursor::{LogCursor, excerpt};
use super::group::of_either;
use super::moves::{read_end, take_comment};
use super::replayed::Turns;
use super::tags::{Tag, Tags};
use super::text_errors::{LogProblem, LogTextError};
use super::{GameRecord, GroupRecord, LoggedGame, Ply};
use crate::base::digits::parse_digits;
use crate::game::quantum::Mode;
use crate::game::{BySeat, Move, Seat, Standing};
use crate::referee::result::Void;

impl LoggedGame {
    /// Reads a game log from bytes, for example those of a file.
    ///
    /// # Errors
    /// Fails in the same cases as [`GameRecord::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LogTextError> {
        match (GameRecord::from_bytes(bytes), std::str::from_utf8(bytes)) {
            (Ok(record), _) => Ok(record.into()),
            (Err(error), Ok(text)) if error.problem == LogProblem::Group => {
                text.parse().map(|record: GroupRecord| record.into())
            }
            (Err(error), _) => Err(error),
        }
    }
}

impl FromStr for LoggedGame {
    type Err = LogTextError;

    fn from_str(text: &str) -> Result<Self, LogTextError> {
        Self::from_bytes(text.as_bytes())
    }
}

impl std::fmt::Display for LoggedGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        of_either!(self, record => record.fmt(f))
    }
}

impl FromStr for GroupRecord {
    type Err = LogTextError;

    fn from_str(text: &str) -> Result<Self, LogTextError> {
        let mut cursor = LogCursor::new(text.trim_start_matches('\u{feff}'));
        let mut tags = Tags::read(&mut cursor)?;
        let result = tags.required("Result")?;
        let expected = "`*`, which a game of more than two seats has, because no side wins it";
        result.read("Result", expected, |text| (text == "*").then_some(()))?;
        let ruleset = tags.ruleset()?;
        let seats = tags.seats(ruleset)?;
        let players: Vec<Option<String>> = Seat::all(seats).map(|seat| tags.text(&format!("Player{seat}"))).collect();
        let players = BySeat::new(players).and_then(BySeat::all);
        let players = players.ok_or_else(|| result.at.error(LogProblem::NoSeats { name: ruleset.name(), seats }))?;
        let mut counts = Vec::new();
        while let Some(tag) = tags.take("Counts") {
            counts.push(tag.read("Counts", "a mode and a count for each seat (`go 20 22 12 10`)", |text| {
                let (mode, list) = text.split_once(' ')?;
                let mode = Mode::ALL.into_iter().find(|known| known.name() == mode)?;
                Some((mode.name(), one_a_seat(list, seats)?))
            })?);
        }
        let placing = read_list(tags.take("Placing"), "Placing", "a place for each seat (`2 1 4 3`)", seats)?;
        let totals = read_list(tags.take("Totals"), "Totals", "a total for each seat (`88 90.25 71.5 60.75`)", seats)?;
        let points = read_list(tags.take("Points"), "Points", "the modes that each seat has won (`1 2 0 0`)", seats)?;
        let mut turns = Turns::of(ruleset);
        let plies = moves(&mut cursor, &mut turns)?;
        let is_given = placing.is_some() || totals.is_some() || points.is_some() || !counts.is_empty();
        let result = match turns.standing() {
            Some(board) if is_given || turns.is_over() => Ok(Standing {
                placing: placing.unwrap_or(board.placing),
                totals: totals.unwrap_or(board.totals),
                points: points.unwrap_or(board.points),
                counts: if counts.is_empty() { board.counts } else { counts },
            }),
            _ => Err(Void { reason: "the record does not name a result".to_owned() }),
        };
        Ok(Self { plies, ..Self::of(ruleset, players, result) })
    }
}

fn read_list<T: FromStr>(
    tag: Option<Tag<'_>>,
    name: &'static str,
    expected: &'static str,
    seats: u8,
) -> Result<Option<BySeat<T>>, LogTextError> {
    tag.map(|tag| tag.read(name, expected, |text| one_a_seat(text, seats))).transpose()
}

/// Parses one value for each seat from words separated by spaces.
fn one_a_seat<T: FromStr>(text: &str, seats: u8) -> Option<BySeat<T>> {
    let values: Option<Vec<T>> = text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    BySeat::new(values?).filter(|values| values.seats() == seats)
}

/// Reads moves up to the result. Comments are skipped. There may be a number before the move of seat 1.
fn moves(cursor: &mut LogCursor<'_>, turns: &mut Turns) -> Result<Vec<Ply>, LogTextError> {
    let mut plies: Vec<Ply> = Vec::new();
    let seats = usize::from(turns.seats());
    loop {
        cursor.skip_blank();
        if cursor.peek() == Some('{') {
            take_comment(cursor)?;
            continue;
        }
        let start = *cursor;
        let word = cursor.take_while(|letter| !letter.is_whitespace() && !matches!(letter, '{' | '}' | ';'));
        if word == "*" {
            read_end(cursor)?;
            return Ok(plies);
        }
        let digits = word.len() - word.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        if digits > 0 {
            let (number, rest) = word.split_at(digits);
            let next = plies.len() / seats + 1;
            let is_next = plies.len().is_multiple_of(seats) && parse_digits(number) == u64::try_from(next).ok();
            if !is_next || !rest.starts_with('.') {
                let expected = format!("{next}.");
                return Err(start.error(LogProblem::MoveNumber { expected, found: excerpt(word) }));
            }
            *cursor = start;
            cursor.advance(digits + 1);
            continue;
        }
        let played = word.parse::<Move>().ok().filter(|_| word.starts_with(|letter: char| letter.is_ascii_lowercase()));
        let played = played.ok_or_else(|| match word {
            "" => start.expected("a move, or the result `*` at the game's end"),
            _ => start.error(LogProblem::NotAMove(excerpt(word))),
        })?;
        plies.push(Ply::untimed(turns.play(played), played));
    }
}
