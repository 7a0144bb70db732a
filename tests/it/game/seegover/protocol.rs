//! Games of Seegover as the referee conducts them, and their logs.

use std::time::Duration;

use gothello_arena::game::{BySide, Ruleset, Side};
use gothello_arena::referee::record::{GameRecord, check};
use gothello_arena::referee::sans_io::{Arrival, Referee, Sayings, Terms};
use gothello_arena::referee::time_control::TimeControl;
use gothello_arena::referee::wire::{Line, Response};

/// A game of the reference program: its rules, turns and winner.
struct Sample {
    ruleset: Ruleset,
    turns: Vec<&'static str>,
    winner: &'static str,
    reason: &'static str,
}

fn samples() -> Vec<Sample> {
    let files = [
        ("seegover", include_str!("../../../data/seegover/games_seegover.txt")),
        ("seegover cycle=superko", include_str!("../../../data/seegover/games_superko.txt")),
        ("seegover drop=2", include_str!("../../../data/seegover/games_drop2.txt")),
        ("seegover drop=2 capture=single back=capture", include_str!("../../../data/seegover/games_magazine.txt")),
    ];
    let mut samples = Vec::new();
    for (ruleset, text) in files {
        samples.extend(super::vectors::lines(text).map(|fields| Sample {
            ruleset: ruleset.parse().unwrap(),
            turns: fields[0].split(' ').collect(),
            winner: fields[5],
            reason: fields[7],
        }));
    }
    samples
}

const CLOCK: Duration = Duration::from_mins(10);

/// Plays the turns as two clients would send them. Returns the record, and the lines that all clients receive about
/// the last turn.
fn conducted(sample: &Sample) -> (GameRecord, Sayings) {
    let time_control = TimeControl::sudden_death(BySide { black: CLOCK, white: CLOCK });
    let mut referee = Referee::new(Terms { ruleset: sample.ruleset, time_control, ..Terms::default() });
    let mut last = Sayings::nothing(2);
    for (ply, text) in sample.turns.iter().enumerate() {
        let (side, number) = (Side::BOTH[ply % 2], ply / 2 + 1);
        assert!(!referee.is_over(), "before {text}");
        let dots = if side == Side::White { "... " } else { "" };
        let arrival = Arrival { elapsed: Duration::from_micros(1_500 + 7 * ply as u64), ..Arrival::default() };
        last = referee.receive(side, Line::Text(format!("{number} {dots}{text}")), arrival);
    }
    let players = BySide { black: "one".to_owned(), white: "other".to_owned() };
    let record = referee.finish().record(players.into()).into_two().expect("two seats");
    (record, last)
}

#[test]
fn the_page_of_the_rules_shows_what_black_receives_in_a_game() {
    let sample = samples().into_iter().find(|sample| sample.turns.last() == Some(&"c3-b3")).unwrap();
    let mut referee = Referee::new(Terms { ruleset: sample.ruleset, ..Terms::default() });
    let hello = Response::YouPlay(Side::Black);
    let mut lines = vec![
        format!("arena  {}", Response::Greeting(sample.ruleset)),
        "bot    0.9.1 player black".to_owned(),
        format!("arena  {}", Response::Granted),
        format!("arena  {hello}"),
    ];
    let mut say = |side: Side, text: String| {
        lines.extend((side == Side::Black).then(|| format!("bot    {text}")));
        let said = referee.receive(side, Line::Text(text), Arrival::default());
        lines.extend(printed(&said.players[Side::Black]).iter().map(|line| format!("arena  {line}")));
    };
    for (ply, turn) in sample.turns.iter().enumerate() {
        let number = ply / 2 + 1;
        if ply == 2 {
            say(Side::Black, format!("{number} c3"));
        }
        match Side::BOTH[ply % 2] {
            Side::Black => say(Side::Black, format!("{number} {turn}")),
            Side::White => say(Side::White, format!("{number} ... {turn}")),
        }
    }
    let page = std::fs::read_to_string("docs/bot/rules/seegover.md").unwrap();
    let shown = |range: &[String]| page.contains(&format!("    {}\n", range.join("\n    ")));
    assert!(shown(&lines[..13]), "{:#?}", &lines[..13]);
    assert!(shown(&lines[lines.len() - 4..]), "{:#?}", &lines[lines.len() - 4..]);
}

fn printed(responses: &[Response]) -> Vec<String> {
    responses.iter().map(ToString::to_string).collect()
}

#[test]
fn every_game_of_the_vectors_is_conducted_and_its_log_holds() {
    for sample in samples() {
        let (record, _) = conducted(&sample);
        let text = record.to_string();
        assert!(text.contains(&format!("[Ruleset \"{}\"]", sample.ruleset)), "{text}");
        assert_eq!(text.contains("[Reason \"the position repeated\"]"), sample.reason == "cycle", "{text}");
        let read: GameRecord = text.parse().unwrap();
        assert_eq!(read, record);
        let checked = check(&read).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(checked.outcome().unwrap().winner_name(), sample.winner);
    }
}

#[test]
fn the_last_turn_is_announced_with_its_code() {
    let mut seen = Vec::new();
    for sample in samples() {
        let (_, last) = conducted(&sample);
        let (turn, ply) = (sample.turns.last().unwrap(), sample.turns.len() - 1);
        let (mover, number) = (Side::BOTH[ply % 2], ply / 2 + 1);
        let dots = if mover == Side::White { "... " } else { "" };
        let (to_mover, status) = match (mover, sample.winner) {
            (Side::Black, "draw") => ("203 Move", "325"),
            (Side::White, "draw") => ("203 Move", "326"),
            (Side::Black, "black") => ("201 Move", "321"),
            (Side::White, "white") => ("201 Move", "323"),
            _ => panic!("a turn does not lose for its own side"),
        };
        let told = printed(&last.players[mover]);
        assert!(told[0].starts_with(&format!("{to_mover} {turn} accepted, You")), "{told:?}");
        for side in Side::BOTH {
            let told = printed(&last.players[side]);
            assert!(told.last().unwrap().starts_with(&format!("{status} {number} {dots}{turn} and ")), "{told:?}");
        }
        seen.push(status);
    }
    assert!(["321", "323", "325", "326"].iter().all(|status| seen.contains(status)));
}

#[test]
fn the_move_phase_begins_with_move_13_or_with_move_7_where_two_stones_are_dropped() {
    for (ruleset, number) in [("seegover", 13), ("seegover drop=2", 7)] {
        let ruleset: Ruleset = ruleset.parse().unwrap();
        let sample = samples().into_iter().find(|sample| sample.ruleset == ruleset).unwrap();
        let (record, _) = conducted(&sample);
        let first = record.plies.iter().position(|ply| ply.played.as_str().contains('-')).unwrap();
        assert_eq!((record.numbered(first).number, record.plies[first].side()), (number, Side::Black));
    }
}

#[test]
fn refused_lines_get_the_code_of_their_class() {
    let terms = Terms { ruleset: "seegover".parse().unwrap(), ..Terms::default() };
    let mut referee = Referee::new(terms);
    for (line, code) in [
        ("1 c3", "291"),
        ("1 pass", "291"),
        ("pass", "291"),
        ("1 a1-a2", "291"),
        ("1 a6", "299"),
        ("1 A1", "299"),
        ("1 a1+b1", "299"),
        ("2 a1", "299"),
    ] {
        let said = referee.receive(Side::Black, Line::Text(line.to_owned()), Arrival::default());
        assert!(
            printed(&said.players[Side::Black])[0].starts_with(code),
            "{line}: {:?}",
            printed(&said.players[Side::Black])
        );
    }
    let said = referee.receive(Side::Black, Line::Text("1 e5".to_owned()), Arrival::default());
    let board = "383 5 lines follow\r\n....b\r\n.....\r\n.....\r\n.....\r\n.....";
    assert!(printed(&said.observers).contains(&board.to_owned()));
}

#[test]
fn a_log_need_not_give_the_reason_nor_the_options_in_order_but_a_wrong_reason_is_named() {
    let sample = samples().into_iter().find(|sample| sample.reason == "cycle").unwrap();
    let text = conducted(&sample).0.to_string();
    let checked = |text: &str| {
        let record: GameRecord = text.parse().unwrap();
        check(&record).map(|_| ()).map_err(|error| error.reason.to_string())
    };
    let reason = "[Reason \"the position repeated\"]\n";
    assert_eq!(checked(&text.replace(reason, "")), Ok(()));
    assert_eq!(
        checked(&text.replace("the position repeated", "they agreed")),
        Err("the rules ended the game because the position repeated, but the record gives the reason `they agreed`"
            .to_owned())
    );
    let magazine = samples().into_iter().find(|sample| sample.ruleset.to_string().contains("single")).unwrap();
    let text = conducted(&magazine).0.to_string();
    for (from, to) in [
        ("drop=2 capture=single back=capture", "back=capture drop=2 capture=single"),
        ("drop=2 capture", "drop=2 cycle=draw capture"),
    ] {
        assert!(text.contains(from));
        assert_eq!(checked(&text.replace(from, to)), Ok(()));
    }
}

/// Checks that the log of the first sample with this rule set does not pass the check once `change` has altered it.
fn tampered(ruleset: &str, change: impl Fn(&str) -> String) -> String {
    let ruleset: Ruleset = ruleset.parse().unwrap();
    let sample = samples().into_iter().find(|sample| sample.ruleset == ruleset).unwrap();
    let text = conducted(&sample).0.to_string();
    let changed = change(&text);
    assert_ne!(changed, text);
    match changed.parse::<GameRecord>() {
        Err(error) => error.to_string(),
        Ok(record) => check(&record).expect_err(&changed).to_string(),
    }
}

#[test]
fn a_log_with_other_rules_moves_or_result_is_refused() {
    let rules = |from: &'static str, to: &'static str| move |text: &str| text.replace(from, to);
    for error in [
        tampered("seegover drop=2", rules("seegover drop=2", "seegover")),
        tampered("seegover drop=2", rules("seegover drop=2", "seegover drop=3")),
        tampered("seegover drop=2", rules("seegover drop=2", "gothello")),
        tampered("seegover", rules("Ruleset \"seegover\"", "Ruleset \"seegover cycle=superko\"")),
        tampered("seegover", rules("13. ", "13. c3 13. ")),
        tampered("seegover", rules("1/2-1/2", "1-0")),
        tampered("seegover", rules("[Margin \"0\"]", "[Margin \"2\"]")),
        tampered("seegover", rules(" 1/2-1/2", " {[%unfinished 0:00:00.000001]} 1/2-1/2")),
        tampered("seegover", rules("the position repeated", "every turn would repeat a position")),
        tampered("seegover drop=2", rules("[Termination", "[Reason \"the position repeated\"]\n[Termination")),
    ] {
        assert!(!error.is_empty());
    }
}
