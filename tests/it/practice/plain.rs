//! `play --plain`: a game line by line, through the program itself.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use gothello_arena::game::{Ruleset, Side};
use gothello_arena::referee::record::GameRecord;
use gothello_arena::referee::result::Termination;

use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;

/// Runs `play --plain` with `arguments` in `dir`, and types `input`.
fn play(dir: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(program())
        .args(["play", "--plain"])
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .start()
        .expect("the program starts");
    // A command that refuses its arguments does not read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

/// The output of a successful game.
fn printed(dir: &Path, arguments: &[&str], input: &str) -> String {
    let output = play(dir, arguments, input);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{arguments:?}");
    text(&output.stdout)
}

/// The message with which `play` refuses `arguments`.
fn refused(dir: &Path, arguments: &[&str]) -> String {
    let output = play(dir, arguments, "c3\n");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()), "{arguments:?}");
    text(&output.stderr)
}

fn read_log(path: &Path) -> GameRecord {
    std::fs::read_to_string(path).expect("a log").parse().expect("a log that can be read")
}

fn assert_checks(dir: &Path, log: &str) {
    let output = Command::new(program())
        .args(["replay", "--check", log])
        .current_dir(dir)
        .output_in_time()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn a_person_wins_against_greedy_by_hints_alone_and_the_log_checks() {
    let dir = tempfile::tempdir().expect("a directory");
    // In each round, the hint after the moves so far names a best move, which is played in the next round.
    let mut typed = String::new();
    let last = loop {
        let said = printed(dir.path(), &["greedy", "--seed", "1"], &format!("{typed}hint\n"));
        let end = said.lines().last().expect("a line");
        if !end.contains(": ") {
            break end.to_owned();
        }
        let hint = said.rsplit("black to move\n").next().and_then(|hint| hint.lines().next()).expect("a hint");
        assert!(hint.starts_with("black wins"), "{said}");
        let (_, moves) = hint.split_once(": ").expect("moves");
        typed = typed + moves.split(' ').next().expect("a move") + "\n";
        assert!(typed.lines().count() < 30, "{said}");
    };
    let said = printed(dir.path(), &["greedy", "--seed", "1", "--log", "game.log"], &typed);
    assert!(said.ends_with(&format!("{last}\n")), "{said}");
    let record = read_log(&dir.path().join("game.log"));
    assert_eq!((record.players.black.as_str(), record.players.white.as_str()), ("person", "greedy"));
    assert_checks(dir.path(), "game.log");
}

#[test]
fn a_game_that_is_left_is_a_log_from_which_it_goes_on() {
    let dir = tempfile::tempdir().expect("a directory");
    printed(dir.path(), &["--two", "--log", "first.log"], "c3\nb2\nd4\n");
    let first = read_log(&dir.path().join("first.log"));
    assert!(first.result.is_err() && first.plies.len() == 3);
    assert_checks(dir.path(), "first.log");
    let goes_on = ["random", "--from", "first.log", "--ply", "2", "--log", "second.log", "--seed", "3"];
    let said = printed(dir.path(), &goes_on, "undo\ne3\nresign\n");
    assert!(said.contains("you have no move to take back\n") && said.ends_with("white wins (resignation)\n"), "{said}");
    let second = read_log(&dir.path().join("second.log"));
    assert_eq!((second.opening_plies, second.plies.len()), (2, 4));
    let result = second.result.expect("a result");
    assert_eq!((result.termination(), result.winner()), (Termination::Resignation, Some(Side::White)));
    assert_checks(dir.path(), "second.log");
}

#[test]
fn every_rule_set_of_two_seats_can_be_played_against_the_simple_bots() {
    let dir = tempfile::tempdir().expect("a directory");
    for ruleset in Ruleset::ALL {
        let name = ruleset.name();
        if ruleset.seats() == 2 {
            let log = format!("{name}.log");
            let arguments = ["random", "--side", "white", "--ruleset", name, "--log", &log];
            let said = printed(dir.path(), &arguments, "hint\nresign\n");
            assert!(said.ends_with("black wins (resignation)\n"), "{name}: {said}");
            assert_checks(dir.path(), &log);
        } else {
            let said = refused(dir.path(), &["--ruleset", name]);
            assert!(said.contains("is for games with two seats"), "{name}: {said}");
        }
    }
}

#[test]
fn a_board_can_be_the_start() {
    let dir = tempfile::tempdir().expect("a directory");
    let board = ".bbw. .wwbb w.bww .bbbw bww..";
    let said = printed(dir.path(), &["perfect", "--board", board, "--to-move", "black"], "why\nhint\npass\nwhy\n");
    assert!(said.contains("black to move\nyou have not moved yet\nblack wins by 11: "), "{said}");
    assert!(said.contains("pass: "), "{said}");
}

#[test]
fn arguments_that_do_not_fit_are_refused_before_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("taken.log"), "mine").expect("written");
    for (arguments, said) in [
        (&["--log", "taken.log"][..], "`taken.log` already exists, and `play` does not overwrite it"),
        (&["--log", "no/such.log"], "the directory `no` for the log does not exist"),
        (&["greedy", "--depth", "3"], "`--depth` applies only to `alphabeta`, not to `greedy`"),
        (&["random", "--error", "0.5"], "`--error` applies only to `alphabeta`, `mcts` and `perfect`"),
        (&["perfect", "--ruleset", "othello"], "the rule set `othello` has no `perfect` bot"),
        (&["--from", "missing.log"], "missing.log"),
        (&["--ruleset", "othello", "--board", "x", "--to-move", "black"], "`othello` has a fixed initial position"),
        (&["--board", ".....", "--to-move", "black", "--log", "a.log"], "cannot be used with"),
        (&["--side", "red"], "expected `black`, `white` or `random`"),
        (&["--two", "--side", "white"], "cannot be used with"),
    ] {
        let printed = refused(dir.path(), arguments);
        assert!(printed.contains(said), "{arguments:?}: {printed}");
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("taken.log")).expect("a file"), "mine");
}

#[test]
fn what_is_typed_cannot_steer_the_terminal_and_the_end_of_the_input_ends_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let said = printed(dir.path(), &["--two"], "\u{1b}[2J\u{202e}\n\u{9b}31m\nc3\u{7}\nc3");
    assert!(!said.contains(['\u{1b}', '\u{202e}', '\u{9b}', '\u{7}']), "{said:?}");
    assert!(said.ends_with("white to move\n"), "{said}");
    let output = play(dir.path(), &["--two"], "");
    assert_eq!(output.status.code(), Some(0));
}
