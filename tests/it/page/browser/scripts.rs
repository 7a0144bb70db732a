//! The pure parts of the page's script, under node: they reproduce games exactly according to the rules.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;
use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySeat, BySide, Outcome, Position, Ruleset, Seat};
use gothello_arena::page::shown::game_code::{GameCode, GroupCode};
use gothello_arena::page::shown::layers::Layers;
use gothello_arena::page::shown::page_boards::PageBoards;
use gothello_arena::referee::record::{GameRecord, GroupRecord, Out, Ply, Tries};
use gothello_arena::referee::result::{GameResult, Termination, Void};
use gothello_arena::referee::time_control::SideControl;
use serde_json::{Value, json};

/// Runs `script` under node after the files `files` of the bundle, with `input` as its `input`. Returns its result. If
/// node is not installed, reports that the test is skipped and returns `None`.
pub(super) fn under_node(files: &[&str], script: &str, input: &Value) -> Option<Value> {
    if Command::new("node").arg("--version").output_in_time().is_err() {
        skipped(Need::Languages, "node is not installed");
        return None;
    }
    let dir = tempfile::tempdir().expect("a directory");
    let bundle = format!("{}/src/page/shown/bundle", env!("CARGO_MANIFEST_DIR"));
    let mut whole = String::from("\"use strict\";\n");
    for file in files {
        whole += &fs::read_to_string(format!("{bundle}/{file}")).unwrap_or_else(|error| panic!("{file}: {error}"));
        whole.push('\n');
    }
    write!(
        whole,
        "const input = JSON.parse(require('fs').readFileSync('input.json', 'utf8'));\n\
         const output = (() => {{ {script} }})();\n\
         require('fs').writeFileSync('output.json', JSON.stringify(output));\n"
    )
    .expect("writing to a string does not fail");
    fs::write(dir.path().join("input.json"), input.to_string()).expect("written");
    fs::write(dir.path().join("test.js"), whole).expect("written");
    let output = Command::new("node").arg("test.js").current_dir(dir.path()).output_in_time().expect("node starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let made = fs::read(dir.path().join("output.json")).expect("read");
    Some(serde_json::from_slice(&made).expect("JSON"))
}

/// The points of `position` in the order of the data, from a1 to e5.
pub(super) fn letters(position: &dyn Position) -> String {
    let text = position.to_string();
    text.split_whitespace().rev().collect()
}

/// A random game with random times, played to the end or to ply 150, and the boards before and after each ply.
pub(super) fn random_game(ruleset: Ruleset, random: &mut SplitMix64) -> (GameRecord, Vec<String>) {
    let mut position = ruleset.start();
    let mut boards = vec![letters(&*position)];
    let mut plies = Vec::new();
    while position.outcome().is_none() && plies.len() < 150 {
        let moves = position.legal_moves();
        // In Gothello, the last move is the pass. If it were played as often as the others, most games would end early.
        let choices = moves.len() as u64 - u64::from(moves.len() > 1 && random.below(20) > 0);
        let played = moves[usize::try_from(random.below(choices)).expect("few")];
        let elapsed = (random.below(10) > 0).then(|| Duration::from_micros(random.below(90_000_000)));
        let side = position.to_move();
        position.play(played.as_str()).expect("legal");
        plies.push(Ply {
            seat: side.into(),
            played,
            elapsed,
            left: None,
            late_credit: false,
            tries: Tries::default(),
            thought: None,
            note: None,
        });
        boards.push(letters(&*position));
    }
    let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
    let result = Ok(GameResult::played(Outcome::of_margin(0)));
    (GameRecord { plies, ..GameRecord::of(ruleset, players, result) }, boards)
}

/// A thousand games of Gothello and Seegover.
fn thousand_games() -> Vec<(GameRecord, Vec<String>)> {
    let mut random = SplitMix64::new(1977);
    let rulesets = ["gothello", "seegover", "gothello", "seegover drop=2", "seegover back=capture"]
        .map(|text| text.parse::<Ruleset>().expect("a rule set"));
    (0..1000).map(|game| random_game(rulesets[game % rulesets.len()], &mut random)).collect()
}

/// Every two-seat rule set that does not use the 5x5 board, some of them also with options.
fn other_boards() -> Vec<Ruleset> {
    let options = ["quantum rows=one start=open", "quantum-8 count=area", "go-9 count=territory handicap=2,4"];
    let options = options.map(|text| text.parse().expect("a rule set"));
    Ruleset::ALL
        .into_iter()
        .filter(|ruleset| ruleset.seats() == 2 && PageBoards::of(*ruleset).is_some())
        .chain(options)
        .collect()
}

#[test]
fn the_script_sees_the_boards_of_other_games_without_their_rules() {
    let mut random = SplitMix64::new(81);
    let (mut games, mut input) = (Vec::new(), Vec::new());
    for ruleset in other_boards() {
        for _ in 0..3 {
            let (record, _) = random_game(ruleset, &mut random);
            let code = GameCode::of(&record).expect("a legal game");
            let entry = json!([0, 1, 1, 2, 0, 0, code.moves, code.times, "", 0, null, 1]);
            input.push(json!({ "data": PageBoards::of(ruleset), "entry": entry }));
            games.push(record);
        }
    }
    let script = "return input.map(({ data, entry }) => {
        codes.use(data);
        const { boards, plies, modes } = game.read(entry);
        return [boards, plies.map(ply => ply.text), modes.map(mode => data.modes[mode][0])]; });";
    let Some(read) = under_node(&["codes.js", "game.js", "words.js"], script, &Value::Array(input)) else { return };
    for (record, seen) in games.iter().zip(read.as_array().expect("a list")) {
        let layers = Layers::of(record.ruleset);
        let mut position = record.ruleset.start();
        let board = |position: &dyn Position| String::from_utf8(layers.letters(position)).expect("letters");
        let (mut boards, mut modes) = (vec![board(&*position)], Vec::new());
        for ply in &record.plies {
            modes.push(position.mode_name());
            position.play(ply.played.as_str()).expect("legal");
            boards.push(board(&*position));
        }
        let played: Vec<&str> = record.plies.iter().map(|ply| ply.played.as_str()).collect();
        assert_eq!(seen[0], json!(boards), "{record}");
        assert_eq!(seen[1], json!(played), "{record}");
        assert_eq!(
            seen[2].as_array().expect("a list")[..modes.len()],
            json!(modes).as_array().expect("a list")[..],
            "{record}"
        );
    }
}

/// A random game with more than two seats. On average, a seat drops out before one in `one_in` plies; if `one_in` is 0,
/// no seat drops out.
pub(super) fn random_group(ruleset: Ruleset, random: &mut SplitMix64, one_in: u64) -> GroupRecord {
    let seats = ruleset.seats();
    let players = BySeat::from_fn(seats, |seat| format!("player {seat}"));
    let mut record = GroupRecord::of(ruleset, players, Err(Void { reason: "random".to_owned() }));
    let mut position = ruleset.start();
    while !position.is_over() {
        if one_in > 0 && random.below(one_in) == 0 {
            let place = usize::try_from(random.below(seats.into())).expect("few");
            let seat = Seat::all(seats).nth(place).expect("a seat");
            if position.is_in(seat) {
                let after_plies = record.plies.len();
                record.outs.push(Out { seat, after_plies, termination: Termination::Crash, reason: None });
                position.drop_out(seat);
            }
            continue;
        }
        let moves = position.legal_moves();
        let played = moves[usize::try_from(random.below(moves.len() as u64)).expect("few")];
        let elapsed = Some(Duration::from_micros(random.below(90_000_000)));
        let seat = position.seat_to_move();
        position.play(played.as_str()).expect("legal");
        let tries = Tries::default();
        record.plies.push(Ply {
            seat,
            played,
            elapsed,
            left: None,
            late_credit: false,
            tries,
            thought: None,
            note: None,
        });
    }
    record.result = position.standing().ok_or_else(|| Void { reason: "without places".to_owned() });
    record
}

#[test]
fn the_script_sees_the_seats_the_boards_and_the_supplies_of_larger_games_without_their_rules() {
    let mut random = SplitMix64::new(1908);
    let (mut games, mut input) = (Vec::new(), Vec::new());
    for ruleset in Ruleset::ALL.into_iter().filter(|ruleset| ruleset.seats() > 2) {
        for _ in 0..4 {
            let record = random_group(ruleset, &mut random, 60);
            let GroupCode { code, supplies } = GroupCode::of(&record).expect("a legal game");
            let extras = json!({ "supplies": supplies.iter().map(|all| all.as_ref().map(|all| all.values().collect::<Vec<_>>())).collect::<Vec<_>>() });
            let entry = json!([[], null, 1, null, null, [], code.moves, code.times, "", 0, null, 1, extras]);
            let data = json!({ "seats": ruleset.seats(), "boards": PageBoards::of(ruleset) });
            input.push(json!({ "data": data, "entry": entry }));
            games.push(record);
        }
    }
    assert!(games.iter().any(|game| game.seats() == 4) && games.iter().any(|game| game.seats() == 6));
    let script = "return input.map(({ data, entry }) => {
        codes.use({ seats: data.seats, ...data.boards });
        const { boards, outs, plies, supplies } = game.read(entry);
        return [boards, plies.map(ply => ply.text), plies.map(ply => ply.side), outs, supplies]; });";
    let Some(read) = under_node(&["codes.js", "game.js", "words.js"], script, &Value::Array(input)) else { return };
    for (record, seen) in games.iter().zip(read.as_array().expect("a list")) {
        let (layers, seats) = (Layers::of(record.ruleset), record.seats());
        let mut position = record.ruleset.start();
        let board = |position: &dyn Position| String::from_utf8(layers.letters(position)).expect("letters");
        let left = |position: &dyn Position| {
            let left = Seat::all(seats).map(|seat| Some((seat.to_string(), position.stones_left(seat)?)));
            left.collect::<Option<BTreeMap<_, _>>>()
        };
        let mut outs = Vec::new();
        let mut pending = record.outs.iter().peekable();
        let mut drop_out = |position: &mut dyn Position, plies: usize| {
            while let Some(out) = pending.next_if(|out| out.after_plies <= plies) {
                position.drop_out(out.seat);
                outs.push(out.seat.to_string());
            }
            outs.clone()
        };
        assert_eq!(seen[0][0], board(&*position), "the start of {record}");
        for (index, ply) in record.plies.iter().enumerate() {
            assert_eq!(seen[3][index], json!(drop_out(&mut *position, index)), "ply {} of {record}", index + 1);
            assert_eq!(seen[4][index], json!(left(&*position)), "ply {} of {record}", index + 1);
            position.play(ply.played.as_str()).expect("legal");
            assert_eq!(seen[0][index + 1], board(&*position), "ply {} of {record}", index + 1);
            assert_eq!(seen[1][index], ply.played.as_str(), "ply {} of {record}", index + 1);
            assert_eq!(seen[2][index], ply.seat.to_string(), "ply {} of {record}", index + 1);
        }
        let plies = record.plies.len();
        assert_eq!(seen[3][plies], json!(drop_out(&mut *position, plies)), "the end of {record}");
        assert_eq!(seen[1].as_array().map(Vec::len), Some(plies));
    }
}

#[test]
fn the_script_sees_the_boards_that_the_rules_make() {
    let games = thousand_games();
    let codes: Vec<Value> = games
        .iter()
        .map(|(record, _)| {
            let code = GameCode::of(record).expect("a legal game");
            json!([0, 1, 1, 2, 0, 0, code.moves, code.times, "", 0, null, 1])
        })
        .collect();
    let script = "return input.map(entry => { const { boards, plies } = game.read(entry);
        return [boards, plies.map(ply => ply.text), plies.map(ply => ply.side), plies.map(ply => ply.time)]; });";
    let files = ["codes.js", "game.js", "words.js"];
    let Some(read) = under_node(&files, script, &Value::Array(codes)) else { return };
    for ((record, boards), read) in games.iter().zip(read.as_array().expect("a list")) {
        assert_eq!(read[0], json!(boards), "{record}");
        let moves: Vec<&str> = record.plies.iter().map(|ply| ply.played.as_str()).collect();
        assert_eq!(read[1], json!(moves), "{record}");
        let sides: Vec<char> = record.plies.iter().map(|ply| ply.side().letter()).collect();
        assert_eq!(read[2], json!(sides), "{record}");
        for (ply, time) in record.plies.iter().zip(read[3].as_array().expect("a list")) {
            let same = match (ply.elapsed, time.as_f64()) {
                (Some(elapsed), Some(micros)) => {
                    let exact = elapsed.as_secs_f64() * 1e6;
                    (micros - exact).abs() <= 0.002_8 * exact + 0.5
                }
                (None, None) => true,
                _ => false,
            };
            assert!(same, "{ply:?} is {time} in the script");
        }
    }
}

#[test]
fn results_in_words_tell_a_winner_that_was_behind_from_one_that_was_ahead() {
    let expected = [
        (0, Some(7), "black won by 7"),
        (1, Some(-7), "white won by 7"),
        (1, Some(0), "white won, level on points"),
        (1, Some(3), "white won, 3 points behind"),
        (0, Some(-1), "black won, 1 point behind"),
        (1, None, "white won"),
        (2, Some(0), "draw"),
        (4, None, "void"),
    ];
    let entries: Vec<Value> = expected.iter().map(|(result, margin, _)| json!([0, 1, 1, result, margin])).collect();
    let Some(words) = under_node(&["codes.js", "words.js"], "return input.map(words.result);", &Value::Array(entries))
    else {
        return;
    };
    assert_eq!(words, json!(expected.map(|(.., words)| words)));
}

/// A random time control, and random turns that do not exceed its allowances: the time of each turn, in microseconds,
/// and the time left after the turn.
fn random_turns(random: &mut SplitMix64) -> (SideControl, Vec<(u64, String)>) {
    let mut time = |most| Duration::from_micros(1 + random.below(most));
    let (long, short) = (time(60_000_000), time(5_000_000));
    let control = match random.below(5) {
        0 => SideControl::sudden_death(long),
        1 => SideControl::Game { time: long, increment: short },
        2 => SideControl::ByoYomi {
            time: long,
            periods: 1 + u32::try_from(random.below(5)).expect("few"),
            period: short,
        },
        3 => SideControl::PerMove { move_time: short, bank: Duration::ZERO },
        _ => SideControl::PerMove { move_time: short, bank: long },
    };
    let mut allowance = control.allowance();
    let turn = |_| {
        let micros = u64::try_from(allowance.as_micros()).expect("a few minutes");
        // One turn in four takes 5 s, or everything that is left if that is less: the edge case.
        let elapsed = if random.below(4) == 0 { 5_000_000 } else { random.below(1 + micros / 3) }.min(micros);
        allowance = control.after(allowance, Duration::from_micros(elapsed)).expect("the flag stands");
        (elapsed, control.remaining(allowance).to_string())
    };
    (control, (0..30).map(turn).collect())
}

#[test]
fn the_script_charges_turns_as_the_referee_does() {
    let mut random = SplitMix64::new(30);
    let games: Vec<_> = (0..300).map(|_| random_turns(&mut random)).collect();
    let input: Vec<Value> = games
        .iter()
        .map(|(control, turns)| {
            let plies: Vec<Value> = turns.iter().map(|(time, _)| json!({ "side": "w", "time": time })).collect();
            json!([control.to_string(), plies, turns.iter().map(|(_, left)| left).collect::<Vec<_>>()])
        })
        .collect();
    let script = "return input.map(([control, plies, left]) => {
        const all = clocks.parse(control);
        return [clocks.history([null, all], plies, 0).slice(1).map(({ w }) => w), left.map(clocks.parse)]; });";
    let Some(charged) = under_node(&["codes.js", "clocks.js"], script, &Value::Array(input)) else { return };
    for ((control, turns), charged) in games.iter().zip(charged.as_array().expect("a list")) {
        let Some([script, referee]) = charged.as_array().map(Vec::as_slice) else { panic!("{charged}") };
        assert_eq!(script, referee, "{control} {turns:?}");
    }
}

#[test]
fn a_clock_is_unknown_from_the_first_unknown_time_on_but_not_in_an_opening() {
    let plies = ["b", "w", "b", "w", "b"].into_iter().zip([None, None, Some(4_000_000), None, Some(4_000_000)]);
    let plies: Vec<Value> = plies.map(|(side, time)| json!({ "side": side, "time": time })).collect();
    let script = "const both = [0, 1].map(() => clocks.parse('60'));
        const text = left => left && clocks.shown(both[0], left);
        return clocks.history(both, input, 2).map(({ b, w }) => [text(b), text(w)]);";
    let Some(left) = under_node(&["codes.js", "clocks.js"], script, &Value::Array(plies)) else { return };
    let none = Value::Null;
    let opening = json!(["1:00", "1:00"]);
    assert_eq!(left, json!([opening, opening, opening, ["0:56", "1:00"], ["0:56", none], ["0:52", none]]));
}

#[test]
fn what_is_left_between_two_turns_is_in_the_terms_of_the_control() {
    let expected = [
        ("60", "42.5", "0:43"),
        ("60", "59.9998", "1:00"),
        ("60", "10", "0:10"),
        ("60+1", "9.5+1", "0:09.5 + 1s"),
        ("120:5x30", "65:5x30", "1:05 + 5 x 30s"),
        ("120:5x30", "0:3x30", "3 x 30s"),
        ("1/move+60bank", "1/move+42.5bank", "0:43 in the bank"),
        ("1/move+60bank", "1/move", "0:00.0 in the bank"),
        ("1/move", "1/move", ""),
    ];
    let input = expected.iter().map(|(control, left, _)| json!([control, left])).collect();
    let script = "return input.map(([control, left]) => clocks.rest(clocks.parse(control), clocks.parse(left)));";
    let Some(left) = under_node(&["codes.js", "clocks.js"], script, &Value::Array(input)) else { return };
    assert_eq!(left, json!(expected.map(|(.., text)| text)));
}

#[test]
fn a_clock_is_shown_in_the_terms_of_its_control() {
    // The control, the time left, the time that the turn has taken, and whether the time left is short.
    let expected = [
        ("60", "42", 0, "0:42", false),
        ("60", "42", 37_500, "0:04.5", true),
        ("60", "42", 50_000, "0:00.0", true),
        ("60+1", "42.5+1", 0, "0:43 + 1s", false),
        ("60+0.5", "9.99+0.5", 0, "0:09.9 + 0.5s", true),
        ("120:5x30", "120:5x30", 0, "2:00 + 5 x 30s", false),
        ("120:5x30", "8:5x30", 0, "0:08.0 + 5 x 30s", false),
        ("120:5x30", "8:5x30", 8_000, "0:30, 5 periods", false),
        ("120:5x30", "8:5x30", 15_000, "0:23, 5 periods", false),
        ("120:5x30", "0:5x30", 67_000, "0:23, 3 periods", false),
        ("120:5x30", "0:3x30", 60_000, "0:30, last period", false),
        ("120:5x30", "0:1x30", 7_000, "0:23, last period", false),
        ("120:5x30", "0:1x30", 21_000, "0:09.0, last period", true),
        ("120:5x30", "0:1x30", 31_000, "0:00.0, last period", true),
        ("0:1x3", "0:1x3", 1_900, "0:01.1, last period", false),
        ("0:1x3", "0:1x3", 2_100, "0:00.9, last period", true),
        ("1/move", "1/move", 0, "0:01.0", false),
        ("1/move", "1/move", 600, "0:00.4", false),
        ("1/move", "1/move", 700, "0:00.3", true),
        ("1/move+60bank", "1/move+42bank", 600, "0:00.4, bank 0:42", false),
        ("1/move+60bank", "1/move+42bank", 11_000, "0:00.0, bank 0:32", false),
        ("1/move+60bank", "1/move+42bank", 33_500, "0:00.0, bank 0:09.5", true),
        ("1/move+60bank", "1/move", 600, "0:00.4, bank 0:00.0", false),
    ];
    let input: Vec<Value> = expected.iter().map(|(control, left, spent, ..)| json!([control, left, spent])).collect();
    let script = "return input.map(([control, left, spent]) => {
        const [all, rest] = [control, left].map(clocks.parse);
        return [clocks.shown(all, rest, 1000 * spent), clocks.isShort(all, rest, 1000 * spent)]; });";
    let Some(shown) = under_node(&["codes.js", "clocks.js"], script, &Value::Array(input)) else { return };
    for ((control, left, spent, text, is_short), shown) in expected.iter().zip(shown.as_array().expect("a list")) {
        assert_eq!(shown, &json!([text, is_short]), "{control} {left} {spent}");
    }
}
