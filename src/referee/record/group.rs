//! The log of a game of more than two seats. So far, these logs can only be read.

use std::fmt::Display;
use std::str::FromStr;

use thiserror::Error;

use super::GameRecord;
use super::cursor::{LogCursor, excerpt};
use super::moves::{read_end, take_comment};
use super::tags::{Tag, Tags};
use super::text_errors::{LogProblem, LogTextError};
use crate::base::digits::parse_digits;
use crate::game::quantum::{Fraction, Game, Mode, QuantumRules, Seat};
use crate::game::{IllegalMove, Move, Position as _, Ruleset};

/// A game of any number of seats, as read from its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoggedGame {
    /// A game of two seats.
    Two(Box<GameRecord>),
    /// A game of more than two seats.
    Group(Box<GroupRecord>),
}

impl LoggedGame {
    /// Reads a game log from bytes, for example those of a file.
    ///
    /// # Errors
    /// Fails in the same cases as [`GameRecord::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LogTextError> {
        match (GameRecord::from_bytes(bytes), std::str::from_utf8(bytes)) {
            (Ok(record), _) => Ok(Self::Two(Box::new(record))),
            (Err(error), Ok(text)) if error.problem == LogProblem::Group => {
                text.parse().map(|record| Self::Group(Box::new(record)))
            }
            (Err(error), _) => Err(error),
        }
    }
}

/// The record of a game of more than two seats.
///
/// Invariant: the number of players is the number of seats, and every per-seat list has this length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRecord {
    /// The rules.
    pub rules: QuantumRules,
    /// The players' names, seat 1 first.
    pub players: Vec<String>,
    /// The moves of all seats in order.
    pub moves: Vec<Move>,
    /// The place of each seat, if the log has it.
    placing: Option<Vec<u8>>,
    totals: Option<Vec<Fraction>>,
    points: Option<Vec<u8>>,
    counts: Vec<(Mode, Vec<u16>)>,
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
        let Ruleset::Quantum(rules) = ruleset else { return Err(result.at.error(LogProblem::Group)) };
        let players = Seat::all(seats).map(|seat| tags.text(&format!("Player{seat}")));
        let players: Option<Vec<String>> = players.collect();
        let no_player = || result.at.error(LogProblem::NoSeats { name: ruleset.name(), seats });
        let mut counts = Vec::new();
        while let Some(tag) = tags.take("Counts") {
            counts.push(tag.read("Counts", "a mode and a count for each seat (`go 20 22 12 10`)", |text| {
                let (mode, list) = text.split_once(' ')?;
                let mode = Mode::ALL.into_iter().find(|known| known.name() == mode)?;
                Some((mode, one_a_seat(list, seats)?))
            })?);
        }
        let mut list = |name| tags.take(name);
        let (placing, totals, points) = (list("Placing"), list("Totals"), list("Points"));
        Ok(Self {
            rules,
            players: players.ok_or_else(no_player)?,
            placing: read_list(placing, "Placing", "a place for each seat (`2 1 4 3`)", seats)?,
            totals: read_list(totals, "Totals", "a total for each seat (`88 90.25 71.5 60.75`)", seats)?,
            points: read_list(points, "Points", "the modes that each seat has won (`1 2 0 0`)", seats)?,
            counts,
            moves: moves(&mut cursor, usize::from(seats))?,
        })
    }
}

fn read_list<T: FromStr>(
    tag: Option<Tag<'_>>,
    name: &'static str,
    expected: &'static str,
    seats: u8,
) -> Result<Option<Vec<T>>, LogTextError> {
    tag.map(|tag| tag.read(name, expected, |text| one_a_seat(text, seats))).transpose()
}

/// Parses one value for each seat from words separated by spaces.
fn one_a_seat<T: FromStr>(text: &str, seats: u8) -> Option<Vec<T>> {
    let values: Option<Vec<T>> = text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    values.filter(|values| values.len() == usize::from(seats))
}

/// Reads moves up to the result. Comments are skipped. There may be a number before the move of seat 1.
fn moves(cursor: &mut LogCursor<'_>, seats: usize) -> Result<Vec<Move>, LogTextError> {
    let mut moves = Vec::new();
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
            return Ok(moves);
        }
        let digits = word.len() - word.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        if digits > 0 {
            let (number, rest) = word.split_at(digits);
            let next = moves.len() / seats + 1;
            let is_next = moves.len().is_multiple_of(seats) && parse_digits(number) == u64::try_from(next).ok();
            if !is_next || !rest.starts_with('.') {
                let expected = format!("{next}.");
                return Err(start.error(LogProblem::MoveNumber { expected, found: excerpt(word) }));
            }
            *cursor = start;
            cursor.advance(digits + 1);
            continue;
        }
        let played = word.parse::<Move>().ok().filter(|_| word.starts_with(|letter: char| letter.is_ascii_lowercase()));
        moves.push(played.ok_or_else(|| match word {
            "" => start.expected("a move, or the result `*` at the game's end"),
            _ => start.error(LogProblem::NotAMove(excerpt(word))),
        })?);
    }
}

/// The error for a log of a game of more than two seats that could not have been played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GroupContradiction {
    /// A move that the rules refuse.
    #[error("ply {ply}, `{played}` of seat {seat}: {why}")]
    Refused {
        /// The ply, starting from 1.
        ply: usize,
        /// The seat on move.
        seat: Seat,
        /// The move.
        played: Move,
        /// The reason why it is refused.
        why: IllegalMove,
    },
    /// A move that is not in its canonical spelling.
    #[error("ply {ply}: `{played}` is written `{canonical}`")]
    Spelling {
        /// The ply, starting from 1.
        ply: usize,
        /// The move in the log.
        played: Move,
        /// The canonical spelling.
        canonical: Move,
    },
    /// The result of a game that is not over.
    #[error("the log has the tag `{0}`, but the game is not over")]
    NotOver(&'static str),
    /// The counts of a mode that has not ended.
    #[error("the log has the counts of {0}, but this mode has not ended")]
    NotCounted(Mode),
    /// A tag that disagrees with the board.
    #[error("the board says `{board}`, but the tag `{tag}` says `{recorded}`")]
    Differs {
        /// The tag.
        tag: &'static str,
        /// The tag's value.
        recorded: String,
        /// The value that the tag should have.
        board: String,
    },
}

impl GroupRecord {
    /// Checks every move by the rules, and the placing, totals, points and counts, as far as the log contains them.
    /// Returns the last position.
    ///
    /// # Errors
    /// Returns the first error.
    pub fn check(&self) -> Result<Game, GroupContradiction> {
        let mut game = Game::new(self.rules);
        for (index, &played) in self.moves.iter().enumerate() {
            let (ply, seat) = (index + 1, game.seat_to_move());
            let canonical =
                game.play(played.as_str()).map_err(|why| GroupContradiction::Refused { ply, seat, played, why })?;
            if canonical != played {
                return Err(GroupContradiction::Spelling { ply, played, canonical });
            }
        }
        self.check_result(&game)?;
        Ok(game)
    }

    fn check_result(&self, game: &Game) -> Result<(), GroupContradiction> {
        let (seats, standing) = (|| Seat::all(self.rules.seats()), game.standing());
        for (mode, recorded) in &self.counts {
            let board = game.counts().get(*mode).ok_or(GroupContradiction::NotCounted(*mode))?;
            agree("Counts", recorded, seats().map(|seat| board[seat]))?;
        }
        let given =
            [("Placing", self.placing.is_some()), ("Totals", self.totals.is_some()), ("Points", self.points.is_some())];
        if let Some((tag, _)) = given.into_iter().find(|(_, is_given)| *is_given && !game.is_over()) {
            return Err(GroupContradiction::NotOver(tag));
        }
        let (placing, totals, points) = (&self.placing, &self.totals, &self.points);
        placing.iter().try_for_each(|list| agree("Placing", list, seats().map(|seat| standing.placing[seat])))?;
        totals.iter().try_for_each(|list| agree("Totals", list, seats().map(|seat| standing.total(seat))))?;
        points.iter().try_for_each(|list| agree("Points", list, seats().map(|seat| standing.points[seat])))
    }
}

/// Compares a tag's list with that of the board.
fn agree<T: PartialEq + Display>(
    tag: &'static str,
    recorded: &[T],
    board: impl Iterator<Item = T>,
) -> Result<(), GroupContradiction> {
    let board: Vec<T> = board.collect();
    if board == recorded {
        return Ok(());
    }
    let text = |list: &[T]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    Err(GroupContradiction::Differs { tag, recorded: text(recorded), board: text(&board) })
}
