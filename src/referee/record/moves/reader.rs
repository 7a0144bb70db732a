//! Reads moves and comments one after the other, and remembers what a command may refer to.

use std::time::Duration;

use super::comment_command::CommentCommand;
use super::{Movetext, RecordedOut, RecordedReserve, ResultToken, take_comment};
use crate::base::digits::parse_digits;
use crate::game::Seat;
use crate::referee::record::cursor::{LogCursor, excerpt};
use crate::referee::record::quoting::unquote;
use crate::referee::record::replayed::{Numbered, Turns};
use crate::referee::record::text_errors::{LogProblem, LogTextError};
use crate::referee::record::{Ply, Tries, Try, TryKind, Unfinished};
use crate::referee::time_control::Reserve;

/// The state of reading.
pub(super) struct Reader<'a> {
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
    /// Reads from the first move on. `turns` is the game before it.
    pub(super) fn new(turns: Turns) -> Self {
        Self {
            turns,
            plies: Vec::new(),
            reserves: Vec::new(),
            outs: Vec::new(),
            tries: Tries::default(),
            unfinished: Vec::new(),
            is_cut_off: false,
            at_ply: false,
        }
    }

    /// What has been read.
    pub(super) fn finish(mut self) -> Movetext<'a> {
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
    pub(super) fn word(&mut self, cursor: &mut LogCursor<'_>) -> Result<Option<ResultToken>, LogTextError> {
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
    pub(super) fn comment(&mut self, cursor: &mut LogCursor<'a>) -> Result<(), LogTextError> {
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
