//! The pure parts of the page's script, under node: they read games as the rules play them.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;
use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySide, Outcome, Position, Ruleset};
use gothello_arena::page::shown::data::PageBoards;
use gothello_arena::page::shown::game_code::GameCode;
use gothello_arena::page::shown::layers::Layers;
use gothello_arena::referee::record::{GameRecord, Ply, Tries};
use gothello_arena::referee::result::GameResult;
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

/// A random game to its end, or to its ply 150, with random times; and the board before and after each ply.
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
        plies.push(Ply { side, played, elapsed, left: None, late_credit: false, tries: Tries::default(), note: None });
        boards.push(letters(&*position));
    }
    let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
    let result = Ok(GameResult::played(Outcome::of_margin(0)));
    (GameRecord { plies, ..GameRecord::of(ruleset, players, result) }, boards)
}

/// A thousand games of both rule sets.
fn thousand_games() -> Vec<(GameRecord, Vec<String>)> {
    let mut random = SplitMix64::new(1977);
    let rulesets = ["gothello", "seegover", "gothello", "seegover drop=2", "seegover back=capture"]
        .map(|text| text.parse::<Ruleset>().expect("a rule set"));
    (0..1000).map(|game| random_game(rulesets[game % rulesets.len()], &mut random)).collect()
}

/// Every rule set with two seats whose boards are not the 5x5 board, and some options.
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
        let sides: Vec<char> = record.plies.iter().map(|ply| ply.side.letter()).collect();
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
