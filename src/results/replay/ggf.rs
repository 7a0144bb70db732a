//! Games of Othello in the Generic Game Format of the Generic Game Server, which Othello programs read.
//!
//! The format is described at <https://skatgame.net/mburo/ggsa/ggf>. It has no escapes: a value ends with its first
//! `]`, so brackets in names become parentheses.

use std::fmt::Write as _;
use std::time::Duration;

use thiserror::Error;

use super::date_parts;
use super::sgf::komi;
use crate::base::sanitise::sanitised;
use crate::game::quantum::{Mode, QuantumRules, StartRule};
use crate::game::{Position, Ruleset, Side};
use crate::referee::record::{CheckedGame, GameRecord, Ply};
use crate::referee::result::{GameResult, Termination};
use crate::referee::time_control::{SideControl, TimeControl};

/// The reason why a game cannot be written in GGF: it is not Othello for two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not Othello, and programs that read GGF support none of the arena's other games")]
pub struct NoGgf(&'static str);

impl NoGgf {
    /// The reason why games of this rule set cannot be written; `None` if they can.
    pub fn of(ruleset: Ruleset) -> Option<Self> {
        othello(ruleset).is_none().then(|| Self(ruleset.name()))
    }
}

/// The rules of `ruleset` if its only mode is Othello and it has two seats.
fn othello(ruleset: Ruleset) -> Option<QuantumRules> {
    let Ruleset::Quantum(rules) = ruleset else { return None };
    (rules.seats() == 2 && rules.lineup().modes() == [Mode::Othello]).then_some(rules)
}

/// The game as the text of a file.
///
/// # Errors
/// Fails if the game is not Othello.
pub fn ggf(game: &CheckedGame<'_>) -> Result<String, NoGgf> {
    let record = game.record();
    let Some(rules) = othello(record.ruleset) else { return Err(NoGgf(record.ruleset.name())) };
    let mut position = record.ruleset.start();
    let mut plies = record.plies.as_slice();
    if rules.start() == StartRule::Open {
        // The first four stones do not turn any over, so other programs would reject these moves. The game in the file
        // begins after them.
        let (opening, rest) = plies.split_at(plies.len().min(4));
        for ply in opening {
            if position.play(ply.played.as_str()).is_err() {
                break;
            }
        }
        plies = rest;
    }
    let mut text = heading(record, rules, &*position);
    for ply in plies {
        text += &played(ply);
    }
    Ok(text + ";)\n")
}

/// Everything before the first move.
fn heading(record: &GameRecord, rules: QuantumRules, first: &dyn Position) -> String {
    let board = first.to_string();
    let size = board.lines().count();
    let mut text = "(;".to_owned();
    let mut add = |tag: &str, value: &str| {
        let _ = write!(text, "{tag}[{value}]");
    };
    add("GM", "Othello");
    add("PC", "gothello-arena");
    if let Some(parts) = record.date.as_deref().and_then(date_parts) {
        add("DT", &parts.join("."));
    }
    add("PB", &value(&record.players.black));
    add("PW", &value(&record.players.white));
    match record.clocks().unwrap_or_default() {
        TimeControl::Clocks(sides) => {
            let [black, white] = [sides.black, sides.white].map(times);
            let clocks = if black == white { vec![("TI", black)] } else { vec![("TB", black), ("TW", white)] };
            for (tag, clock) in clocks {
                if let Some(clock) = clock {
                    add(tag, &clock);
                }
            }
        }
        TimeControl::Unlimited => {}
    }
    add("TY", &size.to_string());
    add("RE", &result(record, &rules, size));
    let rows = board.replace('b', "*").replace('w', "O").replace('.', "-").replace('\n', " ");
    add("BO", &format!("{size} {rows} {}", letter(first.to_move(), '*', 'O')));
    text
}

const fn letter(side: Side, black: char, white: char) -> char {
    match side {
        Side::Black => black,
        Side::White => white,
    }
}

/// Text from outside the arena as a value, which cannot contain brackets.
fn value(text: &str) -> String {
    sanitised(text).replace('[', "(").replace(']', ")")
}

/// A clock as `05:00` or `05:00/00:01`; `None` if the format cannot express it. The format uses whole seconds.
fn times(control: SideControl) -> Option<String> {
    let SideControl::Game { time, increment } = control else { return None };
    let time = clock(time)?;
    if increment.is_zero() { Some(time) } else { Some(format!("{time}/{}", clock(increment)?)) }
}

fn clock(time: Duration) -> Option<String> {
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let hours = if hours > 0 { format!("{hours}:") } else { String::new() };
    (time.subsec_nanos() == 0).then(|| format!("{hours}{minutes:02}:{:02}", seconds % 60))
}

/// The result for black: `+6.000`; `-64.000:t` if black lost on time, which counts as losing the whole board; `?` if
/// there is no result.
fn result(record: &GameRecord, rules: &QuantumRules, size: usize) -> String {
    let Ok(result) = &record.result else { return "?".to_owned() };
    let all = f64::from(u32::try_from(size * size).unwrap_or(u32::MAX));
    let lost = |flag: &str| match result.winner() {
        Some(winner) => format!("{:+.3}:{flag}", if winner == Side::Black { all } else { -all }),
        None => "?".to_owned(),
    };
    match (result.termination(), GameResult::margin(result)) {
        (Termination::Normal | Termination::Adjudicated, Some(margin)) => {
            format!("{:+.3}", f64::from(margin) - komi(rules))
        }
        (Termination::Normal | Termination::Adjudicated | Termination::DoubleForfeit, _) => "?".to_owned(),
        (Termination::Time, _) => lost("t"),
        _ => lost("r"),
    }
}

/// A move with the player's claim about the result, in points, and its time in seconds: `B[D3/+1.50/0.01]`.
fn played(ply: &Ply) -> String {
    let place = if ply.played.is_pass() { "pass".to_owned() } else { ply.played.as_str().to_uppercase() };
    let claim = ply.thought.as_ref().and_then(|thought| thought.value());
    let claim = claim.map(|claim| format!("{:+.2}", claim.points())).unwrap_or_default();
    let time = ply.elapsed.map(|time| format!("/{:.2}", time.as_secs_f64())).unwrap_or_default();
    let claim = if claim.is_empty() && time.is_empty() { claim } else { format!("/{claim}") };
    format!("{}[{place}{claim}{time}]", letter(ply.side(), 'B', 'W'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BySide;
    use crate::referee::record::check;
    use crate::referee::result::Void;

    fn record(ruleset: &str, moves: &str) -> GameRecord {
        let ruleset: Ruleset = ruleset.parse().expect("a rule set");
        let mut position = ruleset.start();
        let mut plies = Vec::new();
        for text in moves.split_whitespace() {
            let seat = position.seat_to_move();
            plies.push(Ply::untimed(seat, position.play(text).expect("legal")));
        }
        let players = BySide { black: "x]y[;)".to_owned(), white: "\u{1b}[31m".to_owned() };
        GameRecord { plies, ..GameRecord::of(ruleset, players, Ok(GameResult::resigned(position.to_move()))) }
    }

    fn text(record: &GameRecord) -> String {
        ggf(&check(record).expect("valid")).expect("Othello")
    }

    #[test]
    fn a_game_has_its_first_board_and_its_moves_and_hostile_names_end_no_value() {
        let mut record = record("othello", "f5 d6");
        record.date = Some("2026.11.21".to_owned());
        let times = [Some(Duration::ZERO), Some(Duration::from_millis(1250))];
        record.plies.iter_mut().zip(times).for_each(|(ply, time)| ply.elapsed = time);
        let board = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------";
        let expected = format!(
            "(;GM[Othello]PC[gothello-arena]DT[2026.11.21]PB[x)y(;)]PW[\\u{{1b}}(31m]TY[8]RE[-64.000:r]BO[8 {board} *]\
             B[F5//0.00]W[D6//1.25];)\n"
        );
        assert_eq!(text(&record), expected);
    }

    #[test]
    fn results_are_those_for_black_with_the_reason_if_a_side_did_not_play_on() {
        let with = |result| {
            let record = GameRecord { result, ..record("othello", "f5 d6") };
            let rules = othello(record.ruleset).expect("Othello");
            super::result(&record, &rules, 8)
        };
        let lost = |side, termination| Ok(GameResult::forfeit(side, termination, "late"));
        assert_eq!(with(lost(Side::Black, Termination::Time)), "-64.000:t");
        assert_eq!(with(lost(Side::White, Termination::Crash)), "+64.000:r");
        assert_eq!(with(Ok(GameResult::double_forfeit("both"))), "?");
        assert_eq!(with(Err(Void { reason: "no machine".to_owned() })), "?");
    }

    #[test]
    fn a_game_with_an_open_start_begins_after_its_first_four_stones() {
        let text = text(&record("othello start=open", "d4 d5 e5 e4 f4"));
        assert!(
            text.contains("BO[8 -------- -------- -------- ---*O--- ---O*--- -------- -------- -------- *]B[F4];)"),
            "{text}"
        );
    }

    #[test]
    fn clocks_are_minutes_and_seconds_where_the_format_has_words_for_them() {
        let game = |time, increment| SideControl::Game {
            time: Duration::from_millis(time),
            increment: Duration::from_millis(increment),
        };
        let shown = |control| times(control).unwrap_or_default();
        assert_eq!(shown(game(300_000, 0)), "05:00");
        assert_eq!(shown(game(5_400_000, 1_000)), "1:30:00/00:01");
        assert_eq!([game(1_500, 0), game(1_000, 500)].map(shown), ["", ""]);
    }

    #[test]
    fn only_othello_has_a_ggf() {
        let has = |name: &str| NoGgf::of(name.parse().expect("a rule set")).is_none();
        assert_eq!(["othello", "othello-10"].map(has), [true; 2]);
        assert_eq!(["gothello", "seegover", "reverse", "go-9", "quantum-8", "quantum-4p"].map(has), [false; 6]);
    }
}
