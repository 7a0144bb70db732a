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
        let mut lines = WrappedLines { out: f, column: 0 };
        let mut numbers = BySide::<usize>::default();
        let mut before = Side::White;
        let clocks = self.clocks();
        for ply in &self.plies {
            numbers[ply.side] += 1;
            // As in PGN, white's answer to black's move does not need a number.
            let is_answer = (before, ply.side) == (Side::Black, Side::White);
            before = ply.side;
            lines.tries(&ply.tries)?;
            let reserve = clocks.and_then(|clocks| clocks.of(ply.side)?.reserve(ply.left?));
            lines.token(&ply_token((!is_answer).then_some(numbers[ply.side]), ply, reserve)?)?;
            if let Some(note) = &ply.note {
                lines.token(&note_token(note)?)?;
            }
        }
        if let Some(unfinished) = &self.unfinished {
            lines.tries(&unfinished.tries)?;
            lines.token(&unfinished_token(unfinished)?)?;
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
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let (round, seed) = (number(self.round.map(u64::from)), number(self.seed));
        let opening = number(Some(self.opening_plies as u64).filter(|&plies| plies > 0));
        let (margin, control) =
            (margin.map(|margin| margin.to_string()), self.time_control.map(|control| control.to_string()));
        let scale = (self.time_scale != TimeScale::ONE).then(|| self.time_scale.to_string());
        let meter = meter_text(self.meter);
        let adjudicate = self.adjudicate.map(adjudicate_text);
        let usage = self.usage.map(|usage| usage.map(|usage| usage.to_string()));
        let ruleset = self.ruleset.to_string();
        let tags = [
            ("Event", self.event.as_deref()),
            ("Site", self.site.as_deref()),
            ("Date", self.date.as_deref()),
            ("Round", round.as_deref()),
            ("Black", Some(self.players.black.as_str())),
            ("White", Some(self.players.white.as_str())),
            ("Result", Some(self.result_token())),
            ("Margin", margin.as_deref()),
            ("TimeControl", control.as_deref()),
            ("TimeScale", scale.as_deref()),
            ("Clock", meter.as_deref()),
            ("Adjudicate", adjudicate.as_deref()),
            ("Termination", Some(termination)),
            ("Reason", reason),
            ("Game", self.game.as_deref()),
            ("Seed", seed.as_deref()),
            ("Ruleset", Some(ruleset.as_str())),
            ("BlackDigest", self.digests.black.as_deref()),
            ("WhiteDigest", self.digests.white.as_deref()),
            ("OpeningPlies", opening.as_deref()),
            ("BlackUsage", usage.black.as_deref()),
            ("WhiteUsage", usage.white.as_deref()),
        ];
        let known = tags.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let others = self.other_tags.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in known.chain(others) {
            write!(f, "[{name} ")?;
            quote(f, value, Quoting::Tag)?;
            writeln!(f, "]")?;
        }
        Ok(())
    }
}

/// Formats a ply, such as `1. c3 {[%emt 0:00:00.012034] [%clk 0:00:59.987966]}`: the move with its number, if it needs
/// one, and its time. `reserve` follows the time left, as in `[%period 3]` or `[%bank 0:00:12.500000]`. The whole token
/// stays on one line, because a line-based reader would mistake a `[` at the beginning of a line for a tag.
fn ply_token(number: Option<usize>, ply: &Ply, reserve: Option<Reserve>) -> Result<String, fmt::Error> {
    let mut token = String::new();
    if let Some(number) = number {
        write!(token, "{number}{} ", Numbered::dots(ply.side))?;
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
struct WrappedLines<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    column: usize,
}

impl WrappedLines<'_, '_> {
    fn token(&mut self, token: &str) -> fmt::Result {
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
