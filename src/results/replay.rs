//! Games as text for users: boards with coordinates and the last move marked, clocks, captures and refused lines.
//!
//! Everything here returns strings and prints nothing; a [`Frame`] can come from a record or from a game that is still
//! being played.

mod ggf;
mod grid;
mod group_game;
mod layers;
mod picture;
mod sgf;

use std::fmt::Write as _;
use std::time::Duration;

use crate::base::sanitise::{output_line, sanitised};
use crate::base::units::spaced;
use crate::game::{BySide, Move, Ruleset, Side};
use crate::referee::pace::TimeScale;
use crate::referee::record::{CheckedGame, GameRecord, Numbered, Ply, Tries, TryKind, doubtful_loss, verdict};
use crate::referee::time_control::{SideControl, TimeControl};
pub use ggf::{NoGgf, ggf};
pub(crate) use grid::arrivals;
pub use grid::board;
use grid::captured;
pub use group_game::GroupReplay;
use layers::ModeHistory;
pub use picture::PicturedGame;
pub use sgf::{NoSgf, sgf};

/// The styling of text, limited to what its reader can display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether there are ANSI colours and bold; if not, there are no escape sequences.
    pub has_colours: bool,
    /// Whether the stones of black and white are drawn as `●` and `○`; if not, as letters.
    pub has_discs: bool,
}

impl Style {
    /// Letters without escape sequences.
    pub const PLAIN: Self = Self { has_colours: false, has_discs: false };

    /// `text` in the colour given by the ANSI codes `ansi`.
    pub(crate) fn paint(self, ansi: &str, text: &str) -> String {
        if self.has_colours { format!("\x1b[{ansi}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// The name of `side`, with its disc if stones are drawn as discs.
    fn side(self, side: Side) -> String {
        if self.has_discs { format!("{side} {}", grid::disc(side)) } else { side.to_string() }
    }

    /// The character that is drawn for a field that a position shows as `letter`.
    pub(crate) const fn stone(self, letter: char) -> char {
        match (letter, self.has_discs) {
            ('b', true) => grid::disc(Side::Black),
            ('w', true) => grid::disc(Side::White),
            _ => letter,
        }
    }

    /// `text` in bold.
    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }
}

/// All positions of a game.
#[derive(Debug)]
pub struct Frames<'a> {
    game: &'a CheckedGame<'a>,
    /// The history of modes, for games that have modes.
    course: Option<ModeHistory>,
}

impl<'a> Frames<'a> {
    /// The positions of a valid game.
    pub fn new(game: &'a CheckedGame<'_>) -> Self {
        let record = game.record();
        let course = match record.ruleset {
            Ruleset::Gothello | Ruleset::Seegover(_) => None,
            Ruleset::Quantum(rules) => Some(ModeHistory::new(rules, record.plies.iter().map(|ply| ply.played))),
        };
        Self { game, course }
    }

    /// The position after `plies` plies; `None` if the game has fewer plies.
    pub fn at(&self, plies: usize) -> Option<Frame<'_>> {
        let (record, boards) = (self.game.record(), self.game.boards());
        let board = boards.get(plies)?;
        let (ply, before) = match plies.checked_sub(1) {
            Some(index) => (Some((index, record.numbered(index), &record.plies[index])), &boards[index]),
            None => (None, board),
        };
        let between = ply.and_then(|(_, _, ply)| record.ruleset.between(before, ply.played));
        let players = record.players.as_ref().map(String::as_str);
        Some(Frame {
            players,
            clocks: record.clocks().unwrap_or_default(),
            ply,
            before,
            between,
            board,
            course: self.course.as_ref(),
        })
    }

    /// How the game ended, with the counts of each mode.
    pub fn ending(&self, style: Style) -> String {
        let counts = self.course.as_ref().map(ModeHistory::counted).unwrap_or_default();
        counts + &ending(self.game.record(), style)
    }
}

/// A position, and the ply that led to it.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// The players' names.
    pub players: BySide<&'a str>,
    /// The clocks that were used; [`TimeControl::Unlimited`] if they are not recorded.
    pub clocks: TimeControl,
    /// The ply with its index, from 0, and its numbered move; `None` before the first ply.
    pub ply: Option<(usize, Numbered, &'a Ply)>,
    /// The board before the ply, as a [`crate::game::Position`] displays it.
    pub before: &'a str,
    /// The board between the two parts of the ply, if it has two.
    pub between: Option<String>,
    /// The board after the ply.
    pub board: &'a str,
    /// The modes of the whole game, if it has any.
    course: Option<&'a ModeHistory>,
}

impl Frame<'_> {
    /// The move, with its time, captures and refused lines; the board; and the stones of each side.
    pub fn render(&self, style: Style) -> String {
        let plies = self.ply.map_or(0, |(index, _, _)| index + 1);
        let mut text = match self.ply {
            Some((index, numbered, ply)) => self.ply_lines(index, numbered, ply, style),
            None => style.bold("start") + &self.course.map(|course| course.played_in(0)).unwrap_or_default() + "\n",
        };
        text += "\n";
        if let Some(course) = self.course {
            return text + &course.position(plies, style);
        }
        match (&self.between, self.ply) {
            (Some(between), Some((_, _, ply))) => text += &self.two_parts(between, ply.played, style),
            (_, ply) => text += &board(self.board, self.before, ply.map(|(_, _, ply)| ply.played), style),
        }
        let stones = BySide::from_fn(|side| self.board.matches(side.letter()).count());
        let _ = writeln!(text, "{} black, {} white", stones.black, stones.white);
        text
    }

    /// A board for each part of a move such as `b1-a1-b1`, which goes through `between`, with the captures of each
    /// part.
    fn two_parts(&self, between: &str, played: Move, style: Style) -> String {
        let part = |name: &str, before: &str, after: &str, played: Option<Move>| {
            let captures = captures_of(captured(before, after));
            format!("{name}{captures}:\n{}", board(after, before, played, style))
        };
        let whole = played.as_str();
        let way_there = whole.rsplit_once('-').and_then(|(there, _)| there.parse().ok());
        let step = part("step", self.before, between, way_there);
        step + "\n" + &part("return", between, self.board, Some(played))
    }

    fn ply_lines(&self, index: usize, numbered: Numbered, ply: &Ply, style: Style) -> String {
        let side = ply.side();
        let mut text = style.bold(&format!("ply {}: {numbered}", index + 1));
        let _ = write!(text, " by {} ({side})", sanitised(self.players[side]));
        text += &match self.course {
            Some(course) => course.played_in(index + 1),
            None => captures_of(captured(self.before, self.board)),
        };
        text += "\n";
        text + &ply_lines(ply, self.clocks.of(side))
    }
}

/// The lines about a ply by a player with the clock `control`: the time that it took, the player's claims, the note,
/// and the lines that were refused before the ply.
pub(crate) fn ply_lines(ply: &Ply, control: Option<SideControl>) -> String {
    let mut text = times_of(ply, control);
    if let Some(thought) = &ply.thought {
        let _ = writeln!(text, "{}", thought.in_words());
    }
    if let Some(note) = &ply.note {
        let _ = writeln!(text, "{}", sanitised(note));
    }
    text + &refused(&ply.tries)
}

/// The time that a ply took and the time left under `control`, on a line of its own; empty if no times are recorded.
fn times_of(ply: &Ply, control: Option<SideControl>) -> String {
    let spent = ply.elapsed.map(|time| format!("{} spent", clock(time)));
    let left = ply.left.and_then(|left| match control {
        Some(control) => left_words(control, left),
        None => Some(format!("{} left", clock(left))),
    });
    let late = ply.late_credit.then(|| "in time by late credit".to_owned());
    let times: Vec<String> = [spent, left, late].into_iter().flatten().collect();
    if times.is_empty() { String::new() } else { times.join(", ") + "\n" }
}

/// Returns `, 3 captured`, or the empty string if nothing was captured.
fn captures_of(captures: usize) -> String {
    if captures > 0 { format!(", {captures} captured") } else { String::new() }
}

/// The time left on the clock `control` if its allowance is `left`: `0:42.000 + 1s left`, `3 x 30s left`, `0:42.000
/// left in the bank`; `None` if every move has the same time.
fn left_words(control: SideControl, left: Duration) -> Option<String> {
    match control {
        SideControl::PerMove { bank: Duration::ZERO, .. } => None,
        SideControl::PerMove { move_time, .. } => {
            Some(format!("{} left in the bank", clock(left.saturating_sub(move_time))))
        }
        SideControl::Game { .. } | SideControl::ByoYomi { .. } => {
            Some(format!("{} left", control_words(control.remaining(left))))
        }
    }
}

/// The clock of a side in words: `1:00.000`, `1:00.000 + 1s`, `10:00.000 + 5 x 30s`, `1s a move + a bank of 1:00.000`.
fn control_words(control: SideControl) -> String {
    match control {
        SideControl::Game { time, increment: Duration::ZERO } => clock(time),
        SideControl::Game { time, increment } => format!("{} + {}", clock(time), spaced(increment)),
        SideControl::ByoYomi { time: Duration::ZERO, periods, period } => format!("{periods} x {}", spaced(period)),
        SideControl::ByoYomi { time, periods, period } => format!("{} + {periods} x {}", clock(time), spaced(period)),
        SideControl::PerMove { move_time, bank: Duration::ZERO } => format!("{} a move", spaced(move_time)),
        SideControl::PerMove { move_time, bank } => format!("{} a move + a bank of {}", spaced(move_time), clock(bank)),
    }
}

/// The players' names, and the place of the game in its tournament.
pub fn heading(record: &GameRecord, style: Style) -> String {
    let mut text = String::new();
    for side in Side::BOTH {
        let _ = writeln!(text, "{}: {}", style.side(side), style.bold(&sanitised(&record.players[side])));
    }
    let control = record.clocks().map(|control| clocks_words(control, record.time_scale));
    let round = record.round.map(|round| format!("round {round}"));
    let rules = match record.ruleset {
        Ruleset::Gothello | Ruleset::Seegover(_) => None,
        ruleset @ Ruleset::Quantum(_) => Some(ruleset.to_string()),
    };
    let facts = [&record.event, &round, &record.game, &record.date, &control, &rules];
    text + &facts_line(&facts)
}

/// The facts that are known, on one line.
fn facts_line(facts: &[&Option<String>]) -> String {
    let facts: Vec<String> = facts.iter().copied().flatten().map(|fact| sanitised(fact)).collect();
    if facts.is_empty() { String::new() } else { facts.join(", ") + "\n" }
}

/// A game's clocks in words; `scale` is the factor by which they were scaled.
fn clocks_words(control: TimeControl, scale: TimeScale) -> String {
    let control = match control {
        TimeControl::Unlimited => "no clocks".to_owned(),
        TimeControl::Clocks(BySide { black, white }) if black == white => match black {
            SideControl::PerMove { .. } => control_words(black),
            SideControl::Game { .. } | SideControl::ByoYomi { .. } => format!("{} each", control_words(black)),
        },
        TimeControl::Clocks(BySide { black, white }) => {
            format!("black {}, white {}", control_words(black), control_words(white))
        }
    };
    match scale {
        TimeScale::ONE => control,
        scale => format!("{control} (scaled by {scale})"),
    }
}

/// How the game ended, including the turn that the end cut off.
pub fn ending(record: &GameRecord, style: Style) -> String {
    let mut text = String::new();
    if let Some(turn) = &record.unfinished {
        let spent = turn.elapsed.map_or_else(String::new, |time| format!(": {} spent", clock(time)));
        let _ = writeln!(text, "{} made no further move{spent}", turn.side());
        text += &refused(&turn.tries);
    }
    text += &style.bold(&sanitised(&verdict(&record.result)));
    if let Ok(result) = &record.result {
        if let Some(winner) = result.winner() {
            let names = BySide::from_fn(|side| sanitised(&record.players[side]));
            let _ = write!(text, ": {} beats {}", names[winner], names[winner.opponent()]);
        }
        if let Some(reason) = result.reason() {
            let _ = write!(text, " ({})", sanitised(reason));
        }
        if let Some(doubt) = doubtful_loss(record) {
            let _ = write!(text, "; {doubt}");
        }
    }
    text + "\n"
}

/// The stderr output of the bot whose player is called `name`; empty if `stderr` is empty.
pub fn said(name: &str, side: Side, stderr: &[u8]) -> String {
    if stderr.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(stderr);
    let heading = format!("{} ({side}) wrote:\n", sanitised(name));
    text.lines().fold(heading, |shown, line| shown + "  | " + &output_line(line) + "\n")
}

/// A line about the lines that were refused in a turn; empty if there were none.
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

/// The year, the month and the day of `text`, if it is a date such as `2026.11.21`.
fn date_parts(text: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = text.split('.').collect();
    let is_day = parts.iter().map(|part| part.len()).eq([4, 2, 2])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    is_day.then_some(parts)
}

/// A time for display, truncated to milliseconds: `0:59.987`, `1:02:03.004`.
pub(crate) fn clock(time: Duration) -> String {
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
    use crate::game::Ruleset;

    const BEFORE: &str = "b....\nw....\nwb...\nb.w..\n.....";
    const AFTER: &str = "b....\nbb...\nbb...\nb.w..\n.....";

    #[test]
    fn the_last_move_is_marked_and_captures_are_counted() {
        let shown = board(AFTER, BEFORE, "b4".parse().ok(), Style::PLAIN);
        assert_eq!(shown, "5 b . . . .\n4 b[b]. . .\n3 b b . . .\n2 b . w . .\n1 . . . . .\n  a b c d e\n");
        assert_eq!(captured(BEFORE, AFTER), 2);
    }

    #[test]
    fn a_mark_at_the_edge_is_closed_and_a_pass_has_none() {
        let empty = ".....\n.....\n.....\n.....\n.....";
        let edge = ".....\n.....\n.....\n.....\n....b";
        assert!(board(edge, empty, "e1".parse().ok(), Style::PLAIN).contains("1 . . . .[b]\n"));
        assert!(!board(empty, empty, Some(Move::PASS), Style::PLAIN).contains('['));
    }

    #[test]
    fn every_stone_that_arrives_is_marked() {
        let empty = ".....\n.....\n.....\n.....\n.....";
        let marks = |played: &str| board(empty, empty, played.parse().ok(), Style::PLAIN).matches('[').count();
        assert_eq!(["a1", "a1+c4", "b1-a1", "b1-a1-b1", "pass"].map(marks), [1, 2, 1, 1, 0]);
        assert!(board(empty, empty, "b1-a1".parse().ok(), Style::PLAIN).contains("1[.]. . . .\n"));
    }

    #[test]
    fn a_step_and_its_return_are_two_boards() {
        let (before, after) = ("bbbbw\nbwbbw\nbwbbb\nwbbbb\n.bwbb", "bbbbw\nbwbbw\nbwbbb\nbbbbb\n.bbbb");
        let ruleset: Ruleset = "seegover".parse().expect("a rule set");
        let played: Move = "b1-a1-b1".parse().expect("a move");
        let [ply, no_other] = [played, "b1-a1".parse().expect("a move")].map(|played| ruleset.between(before, played));
        assert_eq!(no_other, None);
        let players = BySide { black: "one", white: "other" };
        let clocks = TimeControl::Unlimited;
        let frame = Frame { players, clocks, ply: None, before, between: None, board: after, course: None };
        let shown = frame.two_parts(&ply.expect("two parts"), played, Style::PLAIN);
        let step = "step, 1 captured:\n5 b b b b w\n4 b w b b w\n3 b w b b b\n2 b b b b b\n1[b]. w b b\n  a b c d e\n";
        let back =
            "return, 1 captured:\n5 b b b b w\n4 b w b b w\n3 b w b b b\n2 b b b b b\n1 .[b]b b b\n  a b c d e\n";
        assert_eq!(shown, format!("{step}\n{back}"));
    }

    #[test]
    fn boards_of_any_size_have_their_coordinates() {
        let rank = ".".repeat(11) + "\n";
        let shown = board(&rank.repeat(11), &rank.repeat(11), "k11".parse().ok(), Style::PLAIN);
        assert!(shown.starts_with("11 . . . . . . . . . .[.]\n10 . "), "{shown}");
        assert!(shown.ends_with(" 1 . . . . . . . . . . .\n   a b c d e f g h i j k\n"), "{shown}");
    }

    #[test]
    fn colour_shows_captures_and_plain_has_no_escapes() {
        let played = "b4".parse().ok();
        assert!(!board(AFTER, BEFORE, played, Style::PLAIN).contains('\x1b'));
        assert_eq!(
            board(AFTER, BEFORE, played, Style { has_colours: true, has_discs: false }).matches("\x1b[33m").count(),
            2
        );
    }

    #[test]
    fn what_is_left_is_in_the_terms_of_the_control() {
        let left = |control: &str, seconds| {
            left_words(control.parse().expect("a control"), Duration::from_secs_f64(seconds)).unwrap_or_default()
        };
        assert_eq!(left("60", 42.5), "0:42.500 left");
        assert_eq!(left("60+1", 42.5), "0:42.500 + 1s left");
        assert_eq!(left("60:5x30", 152.5), "0:02.500 + 5 x 30s left");
        assert_eq!(left("60:5x30", 90.0), "3 x 30s left");
        assert_eq!(left("1/move+60bank", 43.5), "0:42.500 left in the bank");
        assert_eq!(left("1/move+60bank", 1.0), "0:00.000 left in the bank");
        assert_eq!(left("1/move", 1.0), "");
    }

    #[test]
    fn times_are_cut_to_milliseconds() {
        assert_eq!(clock(Duration::from_micros(59_987_966)), "0:59.987");
        assert_eq!(clock(Duration::from_millis(3_723_004)), "1:02:03.004");
    }
}
