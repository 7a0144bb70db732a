//! Writes a game log's text.

use std::fmt::{self, Write as _};

use super::quoting::{Quoting, quote};
use super::replayed::Numbered;
use super::text_errors::ReserveCommand;
use super::value_texts::{adjudicate_text, meter_text, write_time};
use super::{GameRecord, Ply, Tries, Try, TryKind, Unfinished};
use crate::game::{BySide, Side};
use crate::referee::pace::TimeScale;
use crate::referee::result::Void;
use crate::referee::time_control::Reserve;

/// The maximum width of lines of moves, in columns, which is PGN's limit for export.
const WIDTH: usize = 79;

/// Writes the game log. See the [module's documentation](super) for the format.
impl fmt::Display for GameRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_tags(f)?;
        writeln!(f)?;
        let mut lines = WrappedLines::new(f);
        let mut numbers = BySide::<usize>::default();
        let mut before = Side::White;
        let clocks = self.clocks();
        for ply in &self.plies {
            let side = ply.side();
            numbers[side] += 1;
            // As in PGN, white's answer to black's move does not need a number.
            let is_answer = (before, side) == (Side::Black, Side::White);
            before = side;
            let reserve = clocks.and_then(|clocks| clocks.of(side)?.reserve(ply.left?));
            lines.ply((!is_answer).then_some((numbers[side], Numbered::dots(side))), ply, reserve)?;
        }
        if let Some(unfinished) = &self.unfinished {
            lines.unfinished(unfinished)?;
        }
        lines.token(self.result_token())?;
        writeln!(f)
    }
}

impl GameRecord {
    fn write_tags(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (margin, termination, reason) = match &self.result {
            Ok(result) => (result.margin(), result.termination().name(), result.reason()),
            Err(void) => (None, Void::WORD, Some(void.reason.as_str())),
        };
        let mut tags = TagLines(f);
        tags.add("Event", self.event.as_ref())?;
        tags.add("Site", self.site.as_ref())?;
        tags.add("Date", self.date.as_ref())?;
        tags.add("Round", self.round)?;
        tags.add("Black", Some(&self.players.black))?;
        tags.add("White", Some(&self.players.white))?;
        tags.add("Result", Some(self.result_token()))?;
        tags.add("Margin", margin)?;
        tags.add("TimeControl", self.time_control)?;
        tags.add("TimeScale", Some(self.time_scale).filter(|&scale| scale != TimeScale::ONE))?;
        tags.add("Clock", meter_text(self.meter))?;
        tags.add("Adjudicate", self.adjudicate.map(adjudicate_text))?;
        tags.add("Termination", Some(termination))?;
        tags.add("Reason", reason)?;
        tags.add("Game", self.game.as_ref())?;
        tags.add("Seed", self.seed)?;
        tags.add("Ruleset", Some(self.ruleset))?;
        tags.add("BlackDigest", self.digests.black.as_ref())?;
        tags.add("WhiteDigest", self.digests.white.as_ref())?;
        tags.add("OpeningPlies", Some(self.opening_plies).filter(|&plies| plies > 0))?;
        tags.add("BlackUsage", self.usage.black)?;
        tags.add("WhiteUsage", self.usage.white)?;
        self.other_tags.iter().try_for_each(|(name, value)| tags.add(name, Some(value)))
    }
}

/// Writes tags, one per line.
pub(super) struct TagLines<'a, 'f>(pub(super) &'a mut fmt::Formatter<'f>);

impl TagLines<'_, '_> {
    /// Writes `[name "value"]`, or nothing without a value.
    pub(super) fn add(&mut self, name: &str, value: Option<impl fmt::Display>) -> fmt::Result {
        let Some(value) = value else { return Ok(()) };
        write!(self.0, "[{name} ")?;
        quote(self.0, &value.to_string(), Quoting::Tag)?;
        writeln!(self.0, "]")
    }
}

/// Formats a ply, such as `1. c3 {[%emt 0:00:00.012034] [%clk 0:00:59.987966]}`: the move, preceded by its number if
/// `number` is given, and its time. `reserve` follows the time left, as in `[%period 3]` or `[%bank 0:00:12.500000]`.
/// The whole token stays on one line, because a line-based reader would mistake a `[` at the beginning of a line for a
/// tag.
fn ply_token(number: Option<(usize, &str)>, ply: &Ply, reserve: Option<Reserve>) -> Result<String, fmt::Error> {
    let mut token = String::new();
    if let Some((number, dots)) = number {
        write!(token, "{number}{dots} ")?;
    }
    write!(token, "{}", ply.played)?;
    let mut gap = " {";
    for (command, time) in [("emt", ply.elapsed), ("clk", ply.left)] {
        if let Some(time) = time {
            write!(token, "{gap}[%{command} ")?;
            write_time(&mut token, time)?;
            token.push(']');
            gap = " ";
        }
    }
    if let Some(reserve) = reserve {
        write!(token, " {}", ReserveCommand(reserve))?;
    }
    if ply.late_credit {
        write!(token, "{gap}[%late]")?;
        gap = " ";
    }
    if let Some(thought) = &ply.thought {
        write!(token, "{gap}[%eval {thought}]")?;
        gap = " ";
    }
    if gap == " " {
        token.push('}');
    }
    Ok(token)
}

/// Formats a note, such as `{[%note "blunder: white wins by 1 instead of black by 3"]}`.
fn note_token(note: &str) -> Result<String, fmt::Error> {
    let mut token = String::from("{[%note ");
    quote(&mut token, note, Quoting::Comment)?;
    token.push_str("]}");
    Ok(token)
}

/// Formats an unfinished turn, such as `{[%unfinished 0:00:01.000000]}`.
fn unfinished_token(unfinished: &Unfinished) -> Result<String, fmt::Error> {
    let mut token = String::from("{[%unfinished");
    if let Some(elapsed) = unfinished.elapsed {
        token.push(' ');
        write_time(&mut token, elapsed)?;
    }
    token.push_str("]}");
    Ok(token)
}

/// Writes tokens, with a line break instead of a space if the line would become too long.
pub(super) struct WrappedLines<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    column: usize,
}

impl<'a, 'f> WrappedLines<'a, 'f> {
    pub(super) const fn new(out: &'a mut fmt::Formatter<'f>) -> Self {
        Self { out, column: 0 }
    }

    pub(super) fn token(&mut self, token: &str) -> fmt::Result {
        // All tokens are ASCII.
        let width = token.len();
        if self.column > 0 {
            let fits = self.column + 1 + width <= WIDTH;
            self.out.write_char(if fits { ' ' } else { '\n' })?;
            self.column = if fits { self.column + 1 } else { 0 };
        }
        self.column += width;
        self.out.write_str(token)
    }

    /// Writes a turn without a move.
    pub(super) fn unfinished(&mut self, turn: &Unfinished) -> fmt::Result {
        self.tries(&turn.tries)?;
        self.token(&unfinished_token(turn)?)
    }

    /// Writes a ply after the lines refused in its turn. `number`, with its dots, precedes the move, and `reserve`
    /// follows the time left.
    pub(super) fn ply(&mut self, number: Option<(usize, &str)>, ply: &Ply, reserve: Option<Reserve>) -> fmt::Result {
        self.tries(&ply.tries)?;
        self.token(&ply_token(number, ply, reserve)?)?;
        match &ply.note {
            Some(note) => self.token(&note_token(note)?),
            None => Ok(()),
        }
    }

    /// Writes a comment for each refused line.
    fn tries(&mut self, tries: &Tries) -> fmt::Result {
        for refused in &tries.shown {
            self.token(&try_token(refused)?)?;
        }
        if tries.more > 0 {
            self.token(&format!("{{[%more {}]}}", tries.more))?;
        }
        Ok(())
    }
}

/// Formats a refused line, such as `{[%illegal "2 c3"]}`.
fn try_token(refused: &Try) -> Result<String, fmt::Error> {
    let command = match refused.kind {
        TryKind::Illegal => "illegal",
        TryKind::Garbled => "garbled",
    };
    let mut token = format!("{{[%{command} ");
    quote(&mut token, refused.text(), Quoting::Comment)?;
    token.push_str("]}");
    Ok(token)
}
