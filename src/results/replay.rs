//! Games as text for people: boards with coordinates, the last move marked, clocks, captures and refused lines, as text.
//!
//! Everything here makes strings of what it is given and prints nothing; a [`Frame`] can come from a record or from a
//! game that is still being played.

use std::fmt::Write as _;
use std::time::Duration;

use crate::base::printable::{output_line, printable};
use crate::game::rules::{BySide, Move, Side};
use crate::referee::clock::TimeControl;
use crate::referee::record::{CheckedGame, GameRecord, Numbered, Ply, Tries, TryKind, idle_loss, verdict};

/// Whether text is for a terminal that shows colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No escape sequences.
    Plain,
    /// ANSI colours and bold.
    Colour,
}

impl Style {
    /// `text` in the colour that the numbers `ansi` stand for.
    pub(crate) fn paint(self, ansi: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("\x1b[{ansi}m{text}\x1b[0m"),
        }
    }

    /// `text` in bold.
    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }
}

/// A position, and the ply that led to it.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// The players' names.
    pub players: BySide<&'a str>,
    /// The ply with its index, from 0, and its numbered move; `None` before the first ply.
    pub ply: Option<(usize, Numbered, &'a Ply)>,
    /// The board before the ply, as a [`crate::game::rules::Position`] displays it.
    pub before: &'a str,
    /// The board between the two parts of the ply, if it has two.
    pub between: Option<String>,
    /// The board after it.
    pub board: &'a str,
}

impl<'a> Frame<'a> {
    /// The position after `plies` plies of a game; `None` if it has fewer.
    pub fn of(game: &'a CheckedGame<'_>, plies: usize) -> Option<Self> {
        let record = game.record();
        let board = game.boards().get(plies)?;
        let (ply, before) = match plies.checked_sub(1) {
            Some(index) => (Some((index, record.numbered(index), &record.plies[index])), &game.boards()[index]),
            None => (None, board),
        };
        let between = ply.and_then(|(_, _, ply)| record.ruleset.between(before, ply.played));
        Some(Self { players: record.players.as_ref().map(String::as_str), ply, before, between, board })
    }

    /// What was played, with its time, captures and refused lines; the board; and the stones of each side.
    pub fn render(&self, style: Style) -> String {
        let mut text = match self.ply {
            Some((index, numbered, ply)) => self.ply_lines(index, numbered, ply, style),
            None => style.bold("start") + "\n",
        };
        text += "\n";
        match (&self.between, self.ply) {
            (Some(between), Some((_, _, ply))) => text += &self.two_parts(between, ply.played, style),
            (_, ply) => text += &board(self.board, self.before, ply.map(|(_, _, ply)| ply.played), style),
        }
        let stones = BySide::from_fn(|side| self.board.matches(side.letter()).count());
        let _ = writeln!(text, "{} black, {} white", stones.black, stones.white);
        text
    }

    /// A board for each part of a move such as `b1-a1-b1`, which goes through `between`, with what each part captured.
    fn two_parts(&self, between: &str, played: Move, style: Style) -> String {
        let part = |name: &str, before: &str, after: &str, played: Option<Move>| {
            let captures = captured(before, after);
            let captures = if captures > 0 { format!(", {captures} captured") } else { String::new() };
            format!("{name}{captures}:\n{}", board(after, before, played, style))
        };
        let whole = played.as_str();
        let way_there = whole.rsplit_once('-').and_then(|(there, _)| there.parse().ok());
        let step = part("step", self.before, between, way_there);
        step + "\n" + &part("return", between, self.board, Some(played))
    }

    fn ply_lines(&self, index: usize, numbered: Numbered, ply: &Ply, style: Style) -> String {
        let side = ply.side;
        let mut text = style.bold(&format!("ply {}: {numbered}", index + 1));
        let _ = write!(text, " by {} ({side})", printable(self.players[side]));
        let captures = captured(self.before, self.board);
        if captures > 0 {
            let _ = write!(text, ", {captures} captured");
        }
        text += "\n";
        let spent = ply.elapsed.map(|time| format!("{} spent", clock(time)));
        let left = ply.left.map(|time| format!("{} left", clock(time)));
        let late = ply.late_credit.then(|| "in time by late credit".to_owned());
        let times: Vec<String> = [spent, left, late].into_iter().flatten().collect();
        if !times.is_empty() {
            text += &times.join(", ");
            text += "\n";
        }
        if let Some(note) = &ply.note {
            let _ = writeln!(text, "{}", printable(note));
        }
        text + &refused(&ply.tries)
    }
}

/// A board with coordinates. Where the stones of `played` have arrived is marked by brackets, and in colour the stones that changed sides since `before`
/// too. Boards are text as a [`crate::game::rules::Position`] displays it, of any size.
pub fn board(board: &str, before: &str, played: Option<Move>, style: Style) -> String {
    let ranks = board.lines().count();
    let width = ranks.to_string().len();
    let marks = played.map_or_else(Vec::new, |played| places(played, ranks));
    let mut before = before.lines();
    let mut text = String::new();
    for (row, points) in board.lines().enumerate() {
        let mut earlier = before.next().unwrap_or_default().chars();
        let _ = write!(text, "{:>width$}", ranks - row);
        let mut after_mark = false;
        for (file, point) in points.chars().enumerate() {
            let marked = marks.contains(&(row, file));
            text.push(match (marked, after_mark) {
                (true, _) => '[',
                (false, true) => ']',
                (false, false) => ' ',
            });
            let turned = is_capture(earlier.next().unwrap_or('.'), point);
            let ansi = if turned { "33" } else { "1" };
            let stone = point.to_string();
            text += &if marked || turned { style.paint(ansi, &stone) } else { stone };
            after_mark = marked;
        }
        text += if after_mark { "]\n" } else { "\n" };
    }
    let files = board.lines().next().unwrap_or_default().chars().count();
    let letters = ('a'..='z').take(files).fold(" ".repeat(width), |letters, file| format!("{letters} {file}"));
    text + &letters + "\n"
}

/// Where the stones of a move have arrived, each as the row from the top and the file, both from 0: on `c3` by `c3`, on
/// both points by `a1+c3`, on the last point by `b1-a1`. A pass has no such place.
fn places(played: Move, ranks: usize) -> Vec<(usize, usize)> {
    let points = played.as_str().split('+').map(|part| part.rsplit('-').next().unwrap_or(part));
    points.filter_map(|point| place(point, ranks)).collect()
}

/// The row from the top and the file, both from 0, of a point such as `c3`.
fn place(text: &str, ranks: usize) -> Option<(usize, usize)> {
    let file = text.bytes().next().filter(u8::is_ascii_lowercase)? - b'a';
    let rank: usize = text[1..].parse().ok()?;
    Some((ranks.checked_sub(rank)?, usize::from(file)))
}

/// How many stones changed sides between two boards.
fn captured(before: &str, after: &str) -> usize {
    before.chars().zip(after.chars()).filter(|&(before, after)| is_capture(before, after)).count()
}

fn is_capture(before: char, after: char) -> bool {
    let is_stone = |point| Side::BOTH.iter().any(|side| side.letter() == point);
    is_stone(before) && is_stone(after) && before != after
}

/// The players, and which game it is.
pub fn heading(record: &GameRecord, style: Style) -> String {
    let mut text = String::new();
    for side in Side::BOTH {
        let _ = writeln!(text, "{side}: {}", style.bold(&printable(&record.players[side])));
    }
    let control = record.time_control.map(|control| match control {
        TimeControl::Unlimited => "no clocks".to_owned(),
        TimeControl::SuddenDeath(times) if times.black == times.white => format!("{} each", clock(times.black)),
        TimeControl::SuddenDeath(times) => format!("black {}, white {}", clock(times.black), clock(times.white)),
    });
    let round = record.round.map(|round| format!("round {round}"));
    let facts = [&record.event, &round, &record.game, &record.date, &control];
    let facts: Vec<String> = facts.into_iter().flatten().map(|fact| printable(fact)).collect();
    if !facts.is_empty() {
        let _ = writeln!(text, "{}", facts.join(", "));
    }
    text
}

/// How the game ended, including the turn that its end cut off.
pub fn ending(record: &GameRecord, style: Style) -> String {
    let mut text = String::new();
    if let Some(turn) = &record.unfinished {
        let spent = turn.elapsed.map_or_else(String::new, |time| format!(": {} spent", clock(time)));
        let _ = writeln!(text, "{} did not move any more{spent}", turn.side);
        text += &refused(&turn.tries);
    }
    text += &style.bold(&printable(&verdict(&record.result)));
    if let Ok(result) = &record.result {
        if let Some(winner) = result.winner() {
            let names = BySide::from_fn(|side| printable(&record.players[side]));
            let _ = write!(text, ": {} beats {}", names[winner], names[winner.opponent()]);
        }
        if let Some(reason) = result.reason() {
            let _ = write!(text, " ({})", printable(reason));
        }
        if let Some(idle) = idle_loss(record) {
            let _ = write!(text, "; {idle}");
        }
    }
    text + "\n"
}

/// What the bot of the player called `name` wrote to stderr, or nothing if `stderr` is empty.
pub fn said(name: &str, side: Side, stderr: &[u8]) -> String {
    if stderr.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(stderr);
    let heading = format!("{} ({side}) wrote:\n", printable(name));
    text.lines().fold(heading, |shown, line| shown + "  | " + &output_line(line) + "\n")
}

/// A line about what was refused in a turn, or nothing.
fn refused(tries: &Tries) -> String {
    if tries.is_empty() {
        return String::new();
    }
    let mut parts: Vec<String> = tries
        .shown
        .iter()
        .map(|refused| {
            let kind = match refused.kind {
                TryKind::Illegal => "illegal",
                TryKind::Garbled => "garbled",
            };
            format!("`{}` ({kind})", refused.text())
        })
        .collect();
    if tries.more > 0 {
        parts.push(format!("{} more", tries.more));
    }
    format!("refused: {}\n", parts.join(", "))
}

/// A time for the eye, cut to milliseconds: `0:59.987`, `1:02:03.004`.
fn clock(time: Duration) -> String {
    let (seconds, millis) = (time.as_secs(), time.subsec_millis());
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}.{millis:03}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}.{millis:03}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Ruleset;

    const BEFORE: &str = "b....\nw....\nwb...\nb.w..\n.....";
    const AFTER: &str = "b....\nbb...\nbb...\nb.w..\n.....";

    #[test]
    fn the_last_move_is_marked_and_captures_are_counted() {
        let shown = board(AFTER, BEFORE, "b4".parse().ok(), Style::Plain);
        assert_eq!(shown, "5 b . . . .\n4 b[b]. . .\n3 b b . . .\n2 b . w . .\n1 . . . . .\n  a b c d e\n");
        assert_eq!(captured(BEFORE, AFTER), 2);
    }

    #[test]
    fn a_mark_at_the_edge_is_closed_and_a_pass_has_none() {
        let empty = ".....\n.....\n.....\n.....\n.....";
        let edge = ".....\n.....\n.....\n.....\n....b";
        assert!(board(edge, empty, "e1".parse().ok(), Style::Plain).contains("1 . . . .[b]\n"));
        assert!(!board(empty, empty, Some(Move::PASS), Style::Plain).contains('['));
    }

    #[test]
    fn every_stone_that_arrives_is_marked() {
        let empty = ".....\n.....\n.....\n.....\n.....";
        let marks = |played: &str| board(empty, empty, played.parse().ok(), Style::Plain).matches('[').count();
        assert_eq!(["a1", "a1+c4", "b1-a1", "b1-a1-b1", "pass"].map(marks), [1, 2, 1, 1, 0]);
        assert!(board(empty, empty, "b1-a1".parse().ok(), Style::Plain).contains("1[.]. . . .\n"));
    }

    #[test]
    fn a_step_and_its_return_are_two_boards() {
        let (before, after) = ("bbbbw\nbwbbw\nbwbbb\nwbbbb\n.bwbb", "bbbbw\nbwbbw\nbwbbb\nbbbbb\n.bbbb");
        let ruleset: Ruleset = "seegover".parse().expect("a rule set");
        let played: Move = "b1-a1-b1".parse().expect("a move");
        let [ply, no_other] = [played, "b1-a1".parse().expect("a move")].map(|played| ruleset.between(before, played));
        assert_eq!(no_other, None);
        let players = BySide { black: "one", white: "other" };
        let frame = Frame { players, ply: None, before, between: None, board: after };
        let shown = frame.two_parts(&ply.expect("two parts"), played, Style::Plain);
        let step = "step, 1 captured:\n5 b b b b w\n4 b w b b w\n3 b w b b b\n2 b b b b b\n1[b]. w b b\n  a b c d e\n";
        let back =
            "return, 1 captured:\n5 b b b b w\n4 b w b b w\n3 b w b b b\n2 b b b b b\n1 .[b]b b b\n  a b c d e\n";
        assert_eq!(shown, format!("{step}\n{back}"));
    }

    #[test]
    fn boards_of_any_size_have_their_coordinates() {
        let rank = ".".repeat(11) + "\n";
        let shown = board(&rank.repeat(11), &rank.repeat(11), "k11".parse().ok(), Style::Plain);
        assert!(shown.starts_with("11 . . . . . . . . . .[.]\n10 . "), "{shown}");
        assert!(shown.ends_with(" 1 . . . . . . . . . . .\n   a b c d e f g h i j k\n"), "{shown}");
    }

    #[test]
    fn colour_shows_captures_and_plain_has_no_escapes() {
        let played = "b4".parse().ok();
        assert!(!board(AFTER, BEFORE, played, Style::Plain).contains('\x1b'));
        assert_eq!(board(AFTER, BEFORE, played, Style::Colour).matches("\x1b[33m").count(), 2);
    }

    #[test]
    fn times_are_cut_to_milliseconds() {
        assert_eq!(clock(Duration::from_micros(59_987_966)), "0:59.987");
        assert_eq!(clock(Duration::from_millis(3_723_004)), "1:02:03.004");
    }
}
