//! A game as text in SGF, the Smart Game Format (`FF[4]`), for Go viewers.
//!
//! A game of Go consists of ordinary moves. In all other games, captured stones change sides instead of leaving the
//! board, so a viewer that played the moves would show wrong boards. Each ply of these games is therefore a set-up
//! node, which describes how the board changes. The stones that prove which stones are dead after a game of Go are
//! set-up nodes, too.

use std::fmt::Write as _;
use std::time::Duration;

use thiserror::Error;

use super::grid::BoardAxes;
use super::{Style, clocks_words, date_parts, ending, refused, times_of};
use crate::base::sanitise::sanitised;
use crate::game::quantum::QuantumRules;
use crate::game::{Position, Ruleset, Seat, Side};
use crate::referee::record::{CheckedGame, GameRecord, Ply};
use crate::referee::result::{GameResult, Termination};
use crate::referee::time_control::{SideControl, TimeControl};

/// Why a game cannot be written as SGF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoSgf {
    /// The game has squares and points.
    #[error("`{0}` is played on squares and on points, but SGF has only one board")]
    TwoBoards(&'static str),
    /// The game has more than two seats.
    #[error("`{0}` has more than two seats, but SGF has only two colours")]
    Seats(&'static str),
}

impl NoSgf {
    /// The reason why games of this rule set cannot be written; `None` if they can.
    pub const fn of(ruleset: Ruleset) -> Option<Self> {
        let Ruleset::Quantum(rules) = ruleset else { return None };
        if rules.seats() > 2 {
            Some(Self::Seats(ruleset.name()))
        } else if rules.lineup().squares() > 0 && rules.lineup().points() > 0 {
            Some(Self::TwoBoards(ruleset.name()))
        } else {
            None
        }
    }
}

/// The game as the text of a file. Unprintable characters in names and notes are escaped.
///
/// # Errors
/// Fails if games of this rule set cannot be written as SGF.
pub fn sgf(game: &CheckedGame<'_>) -> Result<String, NoSgf> {
    let record = game.record();
    if let Some(reason) = NoSgf::of(record.ruleset) {
        return Err(reason);
    }
    let axes = axes(record.ruleset);
    let mut position = record.ruleset.start();
    let mut text = format!("({}\n", root(record, &*position));
    for (index, ply) in record.plies.iter().enumerate() {
        let (before, is_move) = (position.to_string(), position.mode_name() == Some("go"));
        if position.play(ply.played.as_str()).is_err() {
            break;
        }
        let node = if is_move {
            move_node(ply, axes, before.lines().count(), clock_of(record, ply))
        } else {
            setup_node(ply, axes, &before, &*position)
        };
        let _ = writeln!(text, ";{node}C[{}]", escaped(&comment(record, index, ply)));
    }
    Ok(text + ")\n")
}

/// How the fields are named in `ruleset`, which has only one board.
const fn axes(ruleset: Ruleset) -> BoardAxes {
    match ruleset {
        Ruleset::Gothello | Ruleset::Seegover(_) => BoardAxes::Plain,
        Ruleset::Quantum(rules) if rules.lineup().squares() > 0 => BoardAxes::Squares,
        Ruleset::Quantum(_) => BoardAxes::Points,
    }
}

/// The properties of the whole game, and its first board if that is not empty.
fn root(record: &GameRecord, start: &dyn Position) -> String {
    let board = start.to_string();
    let size = board.lines().count();
    let mut text = format!(";FF[4]GM[1]CA[UTF-8]AP[gothello-arena:{}]SZ[{size}]", escaped(env!("CARGO_PKG_VERSION")));
    let mut add = |name: &str, value: &str| {
        let _ = write!(text, "{name}[{}]", escaped(value));
    };
    add("PB", &record.players.black);
    add("PW", &record.players.white);
    add("RE", &result(record));
    add("RU", &record.ruleset.to_string());
    if let Some(date) = record.date.as_deref().and_then(date) {
        add("DT", &date);
    }
    let round = record.round.map(|round| round.to_string());
    for (name, value) in [("EV", &record.event), ("RO", &round), ("GN", &record.game)] {
        if let Some(value) = value {
            add(name, value);
        }
    }
    if let Ruleset::Quantum(rules) = record.ruleset {
        go_properties(&rules, &mut add);
    }
    if let Some(control) = record.clocks() {
        clock_properties(control, &mut add);
        add("GC", &format!("{}\n{}", clocks_words(control, record.time_scale), ending(record, Style::PLAIN)));
    } else {
        add("GC", &ending(record, Style::PLAIN));
    }
    let stones = changes("", &board);
    if !stones.is_empty() {
        let _ = write!(text, "{stones}{}", to_move(start));
    }
    text
}

/// The compensation, and the handicap of Go.
fn go_properties(rules: &QuantumRules, add: &mut impl FnMut(&str, &str)) {
    if rules.lineup().points() == 0 {
        return;
    }
    add("KM", &komi(rules).to_string());
    if let Some(handicap) = rules.handicap().filter(|handicap| handicap.seat == Seat::FIRST) {
        add("HA", &handicap.stones.to_string());
    }
}

/// White's compensation minus black's.
pub(super) fn komi(rules: &QuantumRules) -> f64 {
    let [black, white] =
        Side::BOTH.map(|side| f64::from(rules.compensation().parts(side.into())) / f64::from(rules.seats()));
    white - black
}

/// The main time in seconds and the overtime, if both sides have the same clock.
fn clock_properties(control: TimeControl, add: &mut impl FnMut(&str, &str)) {
    let TimeControl::Clocks(sides) = control else { return };
    if sides.black != sides.white {
        return;
    }
    match sides.black {
        SideControl::Game { time, increment } => {
            add("TM", &time.as_secs_f64().to_string());
            if !increment.is_zero() {
                add("OT", &format!("{} fischer", increment.as_secs_f64()));
            }
        }
        SideControl::ByoYomi { time, periods, period } => {
            add("TM", &time.as_secs_f64().to_string());
            add("OT", &format!("{periods}x{} byo-yomi", period.as_secs_f64()));
        }
        SideControl::PerMove { .. } => {}
    }
}

/// `text` as a date in SGF notation, if it is a day.
fn date(text: &str) -> Option<String> {
    date_parts(text).map(|parts| parts.join("-"))
}

/// The result in SGF notation: `B+3`, `W+Time`, `0` for a draw, `Void`.
fn result(record: &GameRecord) -> String {
    let Ok(result) = &record.result else { return "Void".to_owned() };
    let Some(winner) = result.winner() else {
        let is_draw = result.termination() != Termination::DoubleForfeit;
        return if is_draw { "0" } else { "Void" }.to_owned();
    };
    let how = match result.termination() {
        Termination::Normal | Termination::Adjudicated => lead(record, winner),
        Termination::Resignation => "Resign".to_owned(),
        Termination::Time => "Time".to_owned(),
        _ => "Forfeit".to_owned(),
    };
    let winner = match winner {
        Side::Black => 'B',
        Side::White => 'W',
    };
    format!("{winner}+{how}")
}

/// The lead of `winner`, including the compensation; empty if it is not known.
fn lead(record: &GameRecord, winner: Side) -> String {
    let Some(margin) = record.result.as_ref().ok().and_then(GameResult::margin) else { return String::new() };
    let komi = match record.ruleset {
        Ruleset::Gothello | Ruleset::Seegover(_) => 0.0,
        Ruleset::Quantum(rules) => komi(&rules),
    };
    let black = f64::from(margin) - komi;
    let lead = if winner == Side::Black { black } else { -black };
    if lead > 0.0 { lead.to_string() } else { String::new() }
}

/// The time left on a clock whose allowance is a single number.
fn clock_of(record: &GameRecord, ply: &Ply) -> Option<Duration> {
    let control = record.clocks()?.of(ply.side())?;
    ply.left.filter(|_| matches!(control, SideControl::Game { .. }))
}

/// A move of Go on a board of `size` points per side.
fn move_node(ply: &Ply, axes: BoardAxes, size: usize, left: Option<Duration>) -> String {
    let colour = match ply.side() {
        Side::Black => 'B',
        Side::White => 'W',
    };
    let point = axes.places(ply.played, size).first().map(|&(row, file)| point(row, file)).unwrap_or_default();
    let left = left.map(|left| format!("{colour}L[{:.3}]", left.as_secs_f64())).unwrap_or_default();
    format!("{colour}[{point}]{left}")
}

/// The change from the board `before` to the board of `after`, with a circle on the stones that were placed.
fn setup_node(ply: &Ply, axes: BoardAxes, before: &str, after: &dyn Position) -> String {
    let board = after.to_string();
    let mut text = changes(before, &board) + &to_move(after);
    let placed = axes.places(ply.played, board.lines().count());
    if !placed.is_empty() {
        text += "CR";
    }
    for (row, file) in placed {
        let _ = write!(text, "[{}]", point(row, file));
    }
    text
}

/// The set-up properties that lead from the board `before` to the board `after`. An absent field is empty.
fn changes(before: &str, after: &str) -> String {
    let mut earlier = before.lines();
    let mut sets = [("AB", 'b', String::new()), ("AW", 'w', String::new()), ("AE", '.', String::new())];
    for (row, line) in after.lines().enumerate() {
        let mut earlier = earlier.next().unwrap_or_default().chars();
        for (file, stone) in line.chars().enumerate() {
            if earlier.next().unwrap_or('.') != stone {
                let set = sets.iter_mut().find(|(_, of, _)| *of == stone);
                if let Some((_, _, points)) = set {
                    let _ = write!(points, "[{}]", point(row, file));
                }
            }
        }
    }
    let given = sets.into_iter().filter(|(_, _, points)| !points.is_empty());
    given.fold(String::new(), |text, (name, _, points)| text + name + &points)
}

/// The side to move, unless the game is over.
fn to_move(position: &dyn Position) -> String {
    match position.to_move() {
        _ if position.is_over() => String::new(),
        Side::Black => "PL[B]".to_owned(),
        Side::White => "PL[W]".to_owned(),
    }
}

/// The field in the row `row`, counted from the top, and the file `file`, both from 0. Boards have at most 21 files.
fn point(row: usize, file: usize) -> String {
    let letter = |number: usize| ('a'..='z').nth(number).unwrap_or('z');
    [letter(file), letter(row)].iter().collect()
}

/// The move, its times, the player's claims, the note from an analysis, and the lines that were refused.
fn comment(record: &GameRecord, index: usize, ply: &Ply) -> String {
    let control = record.clocks().unwrap_or_default().of(ply.side());
    let mut text = format!("{}\n{}", record.numbered(index), times_of(ply, control));
    if let Some(thought) = &ply.thought {
        let _ = writeln!(text, "{}", thought.in_words());
    }
    if let Some(note) = &ply.note {
        let _ = writeln!(text, "{note}");
    }
    text += &refused(&ply.tries);
    text.truncate(text.trim_end().len());
    text
}

/// `text` as a value: each line sanitised, and with a backslash before each character that has a special meaning in
/// SGF.
fn escaped(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(sanitised).collect();
    let mut value = String::with_capacity(text.len());
    for letter in lines.join("\n").chars() {
        if matches!(letter, ']' | '\\' | ':') {
            value.push('\\');
        }
        value.push(letter);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BySide, Outcome};
    use crate::referee::record::check;
    use crate::referee::result::GameResult;

    fn played(ruleset: &str, moves: &str, players: [&str; 2]) -> GameRecord {
        let ruleset: Ruleset = ruleset.parse().expect("a rule set");
        let mut position = ruleset.start();
        let mut plies = Vec::new();
        for text in moves.split(' ') {
            let seat = position.seat_to_move();
            plies.push(Ply::untimed(seat, position.play(text).expect("legal")));
        }
        let outcome = position.outcome().unwrap_or(Outcome { winner: Some(Side::Black), margin: None });
        let result = GameResult::played(outcome);
        let [black, white] = players.map(str::to_owned);
        GameRecord { plies, ..GameRecord::of(ruleset, BySide { black, white }, Ok(result)) }
    }

    fn text(record: &GameRecord) -> String {
        sgf(&check(record).expect("valid")).expect("one board")
    }

    #[test]
    fn captured_stones_change_sides_in_set_up_nodes() {
        let record = played("gothello", "b1 a1 a2 pass pass", ["x]y\\z:", "\u{1b}[31m"]);
        let text = text(&record);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("(;FF[4]GM[1]CA[UTF-8]AP[gothello-arena:0.1.0]SZ[5]PB[x\\]y\\\\z\\:]PW["),
            "{text}"
        );
        assert!(text.contains("PW[\\\\u{1b}[31m]RE[B+3]RU[gothello]GC["), "{text}");
        assert!(!text.contains('\u{1b}'));
        let nodes = [
            ";AB[be]PL[W]CR[be]C[1. b1]",
            ";AW[ae]PL[B]CR[ae]C[1... a1]",
            ";AB[ad][ae]PL[W]CR[ad]C[2. a2]",
            ";PL[B]C[2... pass]",
            ";C[3. pass]",
            ")",
        ];
        assert_eq!(lines[lines.len() - nodes.len()..], nodes, "{text}");
    }

    #[test]
    fn go_has_ordinary_moves_and_its_komi() {
        let record = played("go-9", "a9 j1 j9 pass pass", ["a", "b"]);
        let text = text(&record);
        assert!(text.contains("SZ[9]") && text.contains("KM[7.5]"), "{text}");
        let nodes = [";B[aa]C[1. a9]", ";W[ii]C[1... j1]", ";B[ia]C[2. j9]", ";W[]C[2... pass]", ";B[]C[3. pass]"];
        assert!(nodes.iter().all(|node| text.lines().any(|line| line == *node)), "{text}");
    }

    #[test]
    fn the_first_board_of_othello_is_in_the_root() {
        let record = played("othello", "d3 c3", ["a", "b"]);
        let text = sgf(&check(&cut_short(record)).expect("valid")).expect("one board");
        assert!(text.contains("AB[ed][de]AW[dd][ee]PL[B]\n;AB[dc][dd]PL[W]CR[dc]C[1. d3]\n"), "{text}");
    }

    /// A game ended by black's resignation.
    fn cut_short(record: GameRecord) -> GameRecord {
        let result = GameResult::resigned(Side::Black);
        GameRecord { result: Ok(result), ..record }
    }

    #[test]
    fn games_on_two_boards_and_of_more_seats_have_no_sgf() {
        let reason = |name: &str| NoSgf::of(name.parse().expect("a rule set"));
        assert_eq!(reason("quantum"), Some(NoSgf::TwoBoards("quantum")));
        assert_eq!(reason("quantum-4p"), Some(NoSgf::Seats("quantum-4p")));
        assert_eq!(["gothello", "seegover", "othello", "reverse", "go-19"].map(reason), [None; 5]);
    }

    #[test]
    fn a_day_has_the_form_of_sgf() {
        assert_eq!(date("2026.11.21").as_deref(), Some("2026-11-21"));
        assert_eq!(["2026.??.??", "2026", "]", "2026.11.2a"].map(date), [None, None, None, None]);
    }
}
