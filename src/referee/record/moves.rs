//! The part of a game log after its tags: moves, comments, and the result.

mod comment_command;
mod reader;

use super::cursor::LogCursor;
use super::replayed::Turns;
use super::text_errors::{LogProblem, LogTextError};
use super::{Ply, Unfinished};
use crate::base::word_enum::words;
use crate::game::Seat;
use crate::referee::time_control::{Reserve, TimeControl};
use reader::Reader;

/// The result as written in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultToken {
    White,
    Black,
    Draw,
    None,
}

words! { pub(super) ResultToken; White => "1-0", Black => "0-1", Draw => "1/2-1/2", None => "*" }

impl ResultToken {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|token| token.name() == text)
    }
}

/// The plies that were played, and the turns without a move.
pub(super) struct Movetext<'a> {
    pub(super) plies: Vec<Ply>,
    /// The turns of seats that dropped out, and the turn that was cut off by the game's end.
    pub(super) unfinished: Vec<Unfinished>,
    /// Where seats dropped out.
    pub(super) outs: Vec<RecordedOut<'a>>,
    /// The game after its last move.
    pub(super) turns: Turns,
    /// The periods and banks that are recorded.
    pub(super) reserves: Vec<RecordedReserve<'a>>,
}

/// A command `[%out 3]`.
pub(super) struct RecordedOut<'a> {
    pub(super) at: LogCursor<'a>,
    pub(super) seat: Seat,
    /// How many plies had been made before the seat dropped out.
    pub(super) after_plies: usize,
}

/// A command `[%period 3]` or `[%bank 0:00:12.500000]`, which must agree with the time left.
pub(super) struct RecordedReserve<'a> {
    at: LogCursor<'a>,
    /// The index of the ply.
    ply: usize,
    reserve: Reserve,
}

impl Movetext<'_> {
    /// Checks that the recorded periods and banks follow from the time left under `clocks`, and that either all moves
    /// of a seat have them or none do. Nothing is checked if the time control is not recorded.
    pub(super) fn check_reserves(&self, clocks: Option<TimeControl>) -> Result<(), LogTextError> {
        let Some(clocks) = clocks else { return Ok(()) };
        let seats = self.turns.seats();
        let expected = |ply: &Ply| clocks.of(ply.seat).zip(ply.left).and_then(|(control, left)| control.reserve(left));
        for recorded in &self.reserves {
            let expected = expected(&self.plies[recorded.ply]);
            if expected != Some(recorded.reserve) {
                let (recorded, at) = (recorded.reserve, recorded.at);
                return Err(at.error(LogProblem::WrongReserve { recorded, expected }));
            }
        }
        for seat in Seat::all(seats) {
            let Some(first) = self.reserves.iter().find(|recorded| self.plies[recorded.ply].seat == seat) else {
                continue;
            };
            let own = self.plies.iter().enumerate().filter(|(_, ply)| ply.seat == seat);
            let is_recorded = |index| self.reserves.binary_search_by_key(&index, |recorded| recorded.ply).is_ok();
            let mut lacking =
                (1..).zip(own).filter(|(_, (index, ply))| expected(ply).is_some() && !is_recorded(*index));
            if let Some((number, _)) = lacking.next() {
                return Err(first.at.error(LogProblem::SomeReserves {
                    recorded: first.reserve,
                    mover: seat.name(seats),
                    number,
                }));
            }
        }
        Ok(())
    }
}

/// Reads moves and comments up to the end of the text, which must be the result given in the `Result` tag. `turns` is
/// the game before its first move.
pub(super) fn read_moves<'a>(
    cursor: &mut LogCursor<'a>,
    result: ResultToken,
    turns: Turns,
) -> Result<Movetext<'a>, LogTextError> {
    let mut reader = Reader::new(turns);
    loop {
        cursor.skip_blank();
        match cursor.peek() {
            None => return Err(cursor.expected("a move, or the result at the game's end")),
            Some('{') => reader.comment(cursor)?,
            Some('$') => {
                cursor.advance(1);
                if cursor.take_while(|letter| letter.is_ascii_digit()).is_empty() {
                    return Err(cursor.expected("an annotation number (`$1`)"));
                }
            }
            Some('(') => return Err(cursor.expected("a move (a game log has no variations)")),
            Some('[') => return Err(cursor.expected("a move (tags come before the first move)")),
            Some(_) => {
                if let Some(token) = reader.word(cursor)? {
                    check_token(cursor, token, result)?;
                    read_end(cursor)?;
                    return Ok(reader.finish());
                }
            }
        }
    }
}

/// Checks that `token`, the result just before `cursor`, is the same as `result`, the value of the tag.
fn check_token(cursor: &LogCursor<'_>, token: ResultToken, result: ResultToken) -> Result<(), LogTextError> {
    if token == result {
        return Ok(());
    }
    let mut error = cursor.error(LogProblem::ResultsDisagree { tag: result.name(), token: token.name() });
    error.column -= token.name().len();
    Err(error)
}

/// Reads the rest of the text. Only comments may follow the result.
pub(super) fn read_end(cursor: &mut LogCursor<'_>) -> Result<(), LogTextError> {
    loop {
        cursor.skip_blank();
        match cursor.peek() {
            None => return Ok(()),
            Some('{') => drop(take_comment(cursor)?),
            Some(_) => return Err(cursor.expected("the end (a log contains one game)")),
        }
    }
}

/// Consumes `{..}`; returns a cursor at its content, and the content.
pub(super) fn take_comment<'a>(cursor: &mut LogCursor<'a>) -> Result<(LogCursor<'a>, &'a str), LogTextError> {
    let open = *cursor;
    cursor.advance(1);
    let inside = *cursor;
    let Some(length) = cursor.rest().find('}') else { return Err(open.error(LogProblem::Unclosed("comment"))) };
    let content = &cursor.rest()[..length];
    cursor.advance(length + 1);
    Ok((inside, content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BySide, Outcome, Ruleset, Side};
    use crate::referee::record::GameRecord;
    use crate::referee::record::verify::{Evidence, check_from};
    use crate::referee::result::GameResult;
    use crate::referee::uneven::{MOVERS, Uneven};

    const TEXT: &str = "1. a1 b1 2... c1 2. d1 3. e1 f1 0-1\n";

    fn read(text: &str) -> Result<Movetext<'_>, LogTextError> {
        read_moves(&mut LogCursor::new(text), ResultToken::Black, Turns::starting_at(Box::new(Uneven::default())))
    }

    #[test]
    fn a_side_that_moves_twice_in_a_row_is_read_written_and_checked() {
        let plies = read(TEXT).expect("what is written below").plies;
        assert!(plies.iter().map(Ply::side).eq(MOVERS));
        let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
        let result = Ok(GameResult::played(Outcome::of_margin(6)));
        let mut record = GameRecord { plies, ..GameRecord::of(Ruleset::Gothello, players, result) };
        let text = record.to_string();
        assert_eq!(text.split_once("\n\n").expect("tags and moves").1, TEXT);
        assert_eq!(record.numbered(2).to_string(), "2... c1");
        let uneven = || Evidence { start: Box::new(Uneven::default()), table: None };
        assert!(check_from(&record, uneven()).is_ok());
        record.plies[2].seat = Side::Black.into();
        let error = check_from(&record, uneven()).expect_err("white moves twice");
        assert_eq!(error.to_string(), "ply 3 (2. c1): it is white's turn");
    }

    #[test]
    fn a_number_must_fit_the_side_to_move() {
        let error = read("1. a1 b1 2. c1 0-1").err().expect("it is white's turn");
        assert_eq!(error.to_string(), "1:10: expected the move number `2...`, but found `2.`");
    }
}
