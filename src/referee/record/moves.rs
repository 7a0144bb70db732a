//! The part of a game log after its tags: moves, comments, and the result.

use std::time::Duration;

use super::cursor::{LogCursor, excerpt};
use super::quoting::unquote;
use super::replayed::{Numbered, Turns};
use super::text_errors::{LogProblem, LogTextError};
use super::value_texts::parse_time;
use super::{Ply, Tries, Try, TryKind, Unfinished};
use crate::base::digits::parse_digits;
use crate::base::word_enum::words;
use crate::game::Seat;
use crate::referee::thought::Thought;
use crate::referee::time_control::{Reserve, TimeControl};

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
    let mut reader = Reader {
        turns,
        plies: Vec::new(),
        reserves: Vec::new(),
        outs: Vec::new(),
        tries: Tries::default(),
        unfinished: Vec::new(),
        is_cut_off: false,
        at_ply: false,
    };
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

struct Reader<'a> {
    turns: Turns,
    plies: Vec<Ply>,
    reserves: Vec<RecordedReserve<'a>>,
    /// The lines refused since the last ply.
    tries: Tries,
    unfinished: Vec<Unfinished>,
    outs: Vec<RecordedOut<'a>>,
    /// Whether the current turn has ended without a move.
    is_cut_off: bool,
    /// Whether a command can still refer to the last ply, because there has been no refused line since.
    at_ply: bool,
}

impl<'a> Reader<'a> {
    fn finish(mut self) -> Movetext<'a> {
        self.end_turn_with_tries();
        let Self { turns, plies, reserves, unfinished, outs, .. } = self;
        Movetext { plies, unfinished, outs, turns, reserves }
    }

    /// Ends the turn without a move, if lines were refused in it and it has not ended yet.
    fn end_turn_with_tries(&mut self) {
        if !self.tries.is_empty() {
            self.end_turn(None);
        }
    }

    fn end_turn(&mut self, elapsed: Option<Duration>) {
        let (seat, tries) = (self.turns.seat(), std::mem::take(&mut self.tries));
        self.unfinished.push(Unfinished { seat, elapsed, tries });
        self.is_cut_off = true;
        self.at_ply = false;
    }

    /// Reads a move number, a move or a result; returns the token if it is a result.
    fn word(&mut self, cursor: &mut LogCursor<'_>) -> Result<Option<ResultToken>, LogTextError> {
        let start = *cursor;
        let word = cursor.take_while(|letter| {
            !letter.is_whitespace() && !matches!(letter, '{' | '}' | '(' | ')' | '[' | ']' | ';' | '$' | '"')
        });
        if let Some(token) = ResultToken::parse(word) {
            return Ok(Some(token));
        }
        if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            *cursor = start;
            return self.number(cursor).map(|()| None);
        }
        let text = word.trim_end_matches(['!', '?']);
        let not_a_move = || start.error(LogProblem::NotAMove(excerpt(word)));
        if word.is_empty() {
            return Err(start.expected("a move, or the result at the game's end"));
        }
        if self.is_cut_off {
            return Err(start.expected("the result after the unfinished turn"));
        }
        let played = text.parse().ok().filter(|_| text.starts_with(|letter: char| letter.is_ascii_lowercase()));
        let played = played.ok_or_else(not_a_move)?;
        let seat = self.turns.play(played);
        let tries = std::mem::take(&mut self.tries);
        self.plies.push(Ply { tries, ..Ply::untimed(seat, played) });
        self.at_ply = true;
        Ok(None)
    }

    /// Reads `1.`, `1...` or `1`, which must be the number of the next ply.
    fn number(&self, cursor: &mut LogCursor<'_>) -> Result<(), LogTextError> {
        let start = *cursor;
        let digits = cursor.take_while(|letter| letter.is_ascii_digit());
        let dots = cursor.take_while(|letter| letter == '.');
        let (number, seat) = (self.turns.number(), self.turns.seat());
        let expected_dots = if self.turns.seats() == 2 { Numbered::dots(seat.side()) } else { "." };
        if (dots.is_empty() || dots == expected_dots) && parse_digits(digits) == u64::try_from(number).ok() {
            return Ok(());
        }
        let expected = format!("{number}{expected_dots}");
        Err(start.error(LogProblem::MoveNumber { expected, found: excerpt(&format!("{digits}{dots}")) }))
    }

    /// Reads a comment: executes the commands in it and drops the rest.
    fn comment(&mut self, cursor: &mut LogCursor<'a>) -> Result<(), LogTextError> {
        let (mut inside, content) = take_comment(cursor)?;
        let mut left = content;
        while let Some(start) = left.as_bytes().windows(2).position(|two| two == b"[%") {
            inside.advance(start);
            left = &left[start..];
            let used = self.command(inside, left)?;
            inside.advance(used);
            left = &left[used..];
        }
        Ok(())
    }

    /// Executes the command at the start of `text`, which is located at `at`, and returns its length in bytes.
    fn command(&mut self, at: LogCursor<'a>, text: &'a str) -> Result<usize, LogTextError> {
        let body = &text[2..];
        let name_len = body.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (name, argument) = body.split_at(name_len);
        let mut command = CommentCommand { at, argument: argument.trim_start(), whole: text };
        match name {
            "emt" => {
                let time = command.time("emt")?;
                set_once(&mut self.ply(at, "emt")?.elapsed, time).ok_or_else(|| misplaced(at, "emt"))?;
            }
            "clk" => {
                let time = command.time("clk")?;
                set_once(&mut self.ply(at, "clk")?.left, time).ok_or_else(|| misplaced(at, "clk"))?;
            }
            "period" => {
                let periods =
                    command.number().ok_or_else(|| command.bad("period", "a number of periods (1 or more)"))?;
                self.reserve(at, "period", Reserve::Periods(periods))?;
                command.skip_word();
            }
            "bank" => {
                let bank = command.time("bank")?;
                self.reserve(at, "bank", Reserve::Bank(bank))?;
            }
            "late" => {
                let ply = self.ply(at, "late")?;
                if std::mem::replace(&mut ply.late_credit, true) {
                    return Err(misplaced(at, "late"));
                }
            }
            "eval" => {
                // Other programs write values of their own, which are dropped like all their comments.
                let Some((thought, length)) = command.thought() else { return Ok(2 + name_len) };
                set_once(&mut self.ply(at, "eval")?.thought, thought).ok_or_else(|| misplaced(at, "eval"))?;
                command.argument = &command.argument[length..];
            }
            "note" => {
                let note = command.note()?;
                set_once(&mut self.ply(at, "note")?.note, note).ok_or_else(|| misplaced(at, "note"))?;
            }
            "illegal" => self.refused(&mut command, TryKind::Illegal)?,
            "garbled" => self.refused(&mut command, TryKind::Garbled)?,
            "more" => self.more(&mut command)?,
            "unfinished" => self.unfinished(&mut command)?,
            "out" if self.turns.seats() > 2 => self.out(&mut command)?,
            _ => return Ok(2 + name_len),
        }
        command.close()
    }

    /// The ply to which `command` refers.
    fn ply(&mut self, at: LogCursor<'_>, command: &'static str) -> Result<&mut Ply, LogTextError> {
        let at_ply = self.at_ply;
        self.plies.last_mut().filter(|_| at_ply).ok_or_else(|| misplaced(at, command))
    }

    fn reserve(&mut self, at: LogCursor<'a>, command: &'static str, reserve: Reserve) -> Result<(), LogTextError> {
        self.ply(at, command)?;
        let ply = self.plies.len() - 1;
        if self.reserves.last().is_some_and(|last| last.ply == ply) {
            return Err(misplaced(at, command));
        }
        self.reserves.push(RecordedReserve { at, ply, reserve });
        Ok(())
    }

    fn refused(&mut self, command: &mut CommentCommand<'_>, kind: TryKind) -> Result<(), LogTextError> {
        let name = if kind == TryKind::Illegal { "illegal" } else { "garbled" };
        self.no_turn_is_unfinished(command.at, name)?;
        let expected = "a refused line (in double quotes, printable ASCII, at most 60 characters)";
        let Some((text, rest)) = unquote(command.argument) else {
            return Err(command.bad(name, expected));
        };
        if text.len() > Try::MAX_TEXT || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(command.bad(name, expected));
        }
        if self.tries.shown.len() == Tries::SHOWN || self.tries.more > 0 {
            return Err(command.at.error(LogProblem::Tries));
        }
        command.argument = rest;
        self.tries.shown.push(Try { text, kind });
        self.at_ply = false;
        Ok(())
    }

    fn more(&mut self, command: &mut CommentCommand<'_>) -> Result<(), LogTextError> {
        self.no_turn_is_unfinished(command.at, "more")?;
        let count = command.number().ok_or_else(|| command.bad("more", "a whole number (1 or more)"))?;
        if self.tries.shown.len() < Tries::SHOWN || self.tries.more > 0 {
            return Err(command.at.error(LogProblem::Tries));
        }
        self.tries.more = count;
        command.skip_word();
        Ok(())
    }

    fn unfinished(&mut self, command: &mut CommentCommand<'_>) -> Result<(), LogTextError> {
        self.no_turn_is_unfinished(command.at, "unfinished")?;
        let elapsed = if command.word().is_empty() { None } else { Some(command.time("unfinished")?) };
        self.end_turn(elapsed);
        Ok(())
    }

    /// Records that a seat drops out, which ends its turn if it is to move.
    fn out(&mut self, command: &mut CommentCommand<'a>) -> Result<(), LogTextError> {
        let number = command.number().and_then(|number| u8::try_from(number).ok());
        let seat = number.and_then(Seat::new).filter(|seat| seat.number() <= self.turns.seats());
        let seat = seat.ok_or_else(|| command.bad("out", "a seat of the game"))?;
        let at = command.at;
        if seat == self.turns.seat() {
            self.end_turn_with_tries();
        } else if self.is_cut_off {
            let to_move = self.turns.seat();
            return Err(at.error(LogProblem::OutAfterTurn { seat, to_move }));
        }
        if !self.turns.drop_out(seat) {
            return Err(at.error(LogProblem::OutTwice(seat)));
        }
        self.outs.push(RecordedOut { at, seat, after_plies: self.plies.len() });
        self.is_cut_off = false;
        self.at_ply = false;
        command.skip_word();
        Ok(())
    }

    fn no_turn_is_unfinished(&self, at: LogCursor<'_>, command: &'static str) -> Result<(), LogTextError> {
        if self.is_cut_off { Err(misplaced(at, command)) } else { Ok(()) }
    }
}

/// Sets `slot`, or returns `None` if it is already set.
fn set_once<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    slot.is_none().then(|| *slot = Some(value))
}

fn misplaced(at: LogCursor<'_>, command: &'static str) -> LogTextError {
    let place = match command {
        "unfinished" => "once, before the result",
        "illegal" | "garbled" | "more" => "before the turn's end",
        _ => "once, right after a move",
    };
    at.error(LogProblem::Misplaced { command, place })
}

/// A command `[%name argument]` that is being read.
struct CommentCommand<'a> {
    at: LogCursor<'a>,
    /// The rest of the comment.
    argument: &'a str,
    /// The comment, starting with the command.
    whole: &'a str,
}

impl<'a> CommentCommand<'a> {
    /// The argument, up to whitespace or the end of the command.
    fn word(&self) -> &'a str {
        LogCursor::new(self.argument).take_while(|letter| letter != ']' && !letter.is_whitespace())
    }

    fn skip_word(&mut self) {
        self.argument = &self.argument[self.word().len()..];
    }

    /// The argument as a whole number from 1.
    fn number(&self) -> Option<u32> {
        parse_digits(self.word()).and_then(|number| u32::try_from(number).ok()).filter(|&number| number > 0)
    }

    fn time(&mut self, name: &'static str) -> Result<Duration, LogTextError> {
        let time = parse_time(self.word()).ok_or_else(|| self.bad(name, "a time (`h:mm:ss.ffffff`)"))?;
        self.skip_word();
        Ok(time)
    }

    /// A note in double quotes.
    fn note(&mut self) -> Result<String, LogTextError> {
        let expected = "a note (in double quotes, printable ASCII, at most 60 characters)";
        let Some((text, rest)) = unquote(self.argument) else { return Err(self.bad("note", expected)) };
        if text.len() > Ply::MAX_NOTE || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(self.bad("note", expected));
        }
        self.argument = rest;
        Ok(text)
    }

    /// The claims of a bot and the length of their text; `None` if the text is not in the arena's format.
    fn thought(&self) -> Option<(Box<Thought>, usize)> {
        let text = &self.argument[..self.argument.find(']')?];
        Some((Box::new(text.parse().ok()?), text.len()))
    }

    fn bad(&self, name: &'static str, expected: &'static str) -> LogTextError {
        let value = if self.argument.starts_with('"') { self.argument } else { self.word() };
        self.at.error(LogProblem::BadValue { name, value: excerpt(value), expected })
    }

    /// Consumes the `]`, and returns the length of the whole command in bytes.
    fn close(&self) -> Result<usize, LogTextError> {
        let rest = self.argument.trim_start();
        let used = self.whole.len() - rest.len();
        if rest.starts_with(']') {
            return Ok(used + 1);
        }
        let mut here = self.at;
        here.advance(used);
        Err(here.expected("`]`"))
    }
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
