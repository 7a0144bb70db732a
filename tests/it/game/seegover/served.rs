//! Seegover between clients whose lines are written by the tests, using the whole program.

use std::process::{Command, Output};

use gothello_arena::game::{Ruleset, Side};

use crate::harness::arena::{Client, program, text};
use crate::harness::waiting::InTime as _;
use crate::referee::serve::Server;

fn arena(args: &[&str]) -> Output {
    Command::new(program()).args(args).output_in_time().expect("the program starts")
}

/// A game from the reference program that ends with a repetition.
const DRAWN: &str = "d2 e5 d1 a4 a3 b4 a2 b3 a1 e1 b1 c1 a5 c2 d4 e2 d5 d3 e4 b2 c4 b5 c5 e3 c4-c3 b4-c4 b3-b4 c3-b3";

/// Sends the turns, each as the side to move, and waits until both sides have received the status of each turn. The
/// last turn is white's, and draws the game.
fn play(turns: &str, black: &mut Client, white: &mut Client) {
    let last = turns.split(' ').count() - 1;
    for (ply, turn) in turns.split(' ').enumerate() {
        let (code, dots) = if ply % 2 == 0 { (311, "") } else { (312, "... ") };
        let line = format!("{} {dots}{turn}", ply / 2 + 1);
        if ply % 2 == 0 { &mut *black } else { &mut *white }.say(&format!("{line}\r"));
        let code = if ply == last { 326 } else { code };
        for client in [&mut *black, &mut *white] {
            client.hear(&format!("{code} {line}"));
        }
    }
}

#[test]
fn two_clients_play_to_a_draw_that_an_observer_sees_and_the_log_tells() {
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().to_str().unwrap();
    let server = Server::start(&["--ruleset", "seegover", "--log", log]);
    let mut observer = server.client("0.9.1 observer");
    assert_eq!(observer.line(), "000 Gothello 0.9.1 seegover gothello-arena is ready\r\n");
    let (mut black, mut white) = server.players();
    play(DRAWN, &mut black, &mut white);
    let seen = observer.rest();
    let board = "380 13 b\r\n382\r\nbwbbw\r\nwwbbb\r\nbw.ww\r\nbwwbw\r\nbbwbw\r\n";
    assert!(seen.contains(board), "{seen}");
    assert!(seen.contains("326 14 ... c3-b3 and white draws"), "{seen}");
    let (code, printed) = server.end();
    assert_eq!(code, Some(0));
    assert!(printed.ends_with("Game drawn.\n"), "{printed}");
    let file = format!("{log}/game-0001.log");
    let written = std::fs::read_to_string(&file).unwrap();
    for tag in
        ["[Ruleset \"seegover\"]", "[Reason \"the position repeated\"]", "[Margin \"0\"]", "[Termination \"normal\"]"]
    {
        assert!(written.contains(tag), "{tag} is not in\n{written}");
    }
    let checked = arena(&["replay", "--check", log]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
    let shown = text(&arena(&["replay", "--final", &file]).stdout);
    assert!(shown.ends_with("draw (the position repeated)\n"), "{shown}");
}

#[test]
fn options_reach_the_greeting_the_rules_and_the_log() {
    let logs = tempfile::tempdir().unwrap();
    let log = logs.path().to_str().unwrap();
    let server = Server::start(&["--ruleset", "seegover drop=2 cycle=superko", "--log", log]);
    let mut observer = server.client("0.9.1 observer");
    assert!(observer.line().starts_with("000 Gothello 0.9.1 seegover cycle=superko drop=2 "));
    let (mut black, white) = server.players();
    black.say("1 a1\r");
    assert!(black.hear("299").contains("`a1` is not a move"));
    black.say("1 c4+a1\r");
    assert!(black.hear("200").contains("a1+c4"));
    drop((black, white, observer));
    server.end();
    let written = std::fs::read_to_string(logs.path().join("game-0001.log")).unwrap();
    assert!(written.contains("[Ruleset \"seegover cycle=superko drop=2\"]"), "{written}");
}

#[test]
fn clients_of_gothello_receive_what_they_have_always_received() {
    let server = Server::start(&[]);
    let mut client = server.client("");
    assert_eq!(client.line(), "000 Gothello 0.9.1 gothello-arena is ready\r\n");
}

#[test]
fn rules_that_are_none_are_refused_with_what_there_is() {
    for (given, message) in [
        ("segover", "did you mean `seegover`?"),
        ("seegover drop=3", "`drop` must be `1` or `2`"),
        ("seegover dorp=2", "`cycle`, `drop`, `capture` or `back`"),
        ("gothello drop=2", "`gothello` has no options"),
    ] {
        let refused = arena(&["serve", "--port", "0", "--ruleset", given]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(message), "{}", text(&refused.stderr));
    }
}

#[test]
fn perft_prints_the_count_alone() {
    const BOARD: &str = "wwbww wwbww w.www bbwbb bbwbb";
    for (args, count) in [
        (&["perft", "3", "--ruleset", "seegover"][..], "12144\n"),
        (&["perft", "2", "--ruleset", "seegover drop=2"], "63756\n"),
        (&["perft", "5", "--ruleset", "seegover", "--board", BOARD, "--to-move", "black"], "43\n"),
        (&["perft", "3"], "13800\n"),
    ] {
        let output = arena(args);
        assert_eq!((text(&output.stdout).as_str(), output.status.code()), (count, Some(0)), "{args:?}");
    }
    for (args, why) in [
        (&["perft", "1", "--ruleset", "seegover", "--passes"][..], "there are no passes"),
        (&["perft", "1", "--ruleset", "seegover", "--board", "....."], "5 ranks"),
        (&["perft", "1", "--ruleset", "seegover", "--board", "..... ..... ..b.. ..... ....."], "c3 stays empty"),
    ] {
        let output = arena(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
}

/// A log of a game with these turns, without times.
fn log_of(turns: &str) -> String {
    let ruleset: Ruleset = "seegover".parse().unwrap();
    let mut position = ruleset.start();
    for turn in turns.split(' ') {
        position.play(turn).unwrap();
    }
    let token = match position.outcome().and_then(|outcome| outcome.winner) {
        Some(Side::Black) => "0-1",
        Some(Side::White) => "1-0",
        None => "1/2-1/2",
    };
    let tags = format!("[Black \"one\"]\n[White \"other\"]\n[Result \"{token}\"]\n[Termination \"normal\"]\n");
    format!("{tags}[Ruleset \"seegover\"]\n\n{turns} {token}\n")
}

#[test]
fn replay_shows_a_step_and_its_return_with_the_captures_of_each() {
    let vectors = include_str!("../../../data/seegover/games_seegover.txt");
    let turns = super::vectors::lines(vectors).map(|fields| fields[0]).nth(1).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("game.log");
    std::fs::write(&file, log_of(turns)).unwrap();
    let ply = turns.split(' ').position(|turn| turn.matches('-').count() == 2).unwrap() + 1;
    let output = arena(&["replay", "--ply", &ply.to_string(), file.to_str().unwrap()]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let parts: Vec<&str> =
        shown.lines().filter(|line| line.starts_with("step") || line.starts_with("return")).collect();
    assert_eq!(parts.len(), 2, "{shown}");
    assert!(parts[0].contains("captured:") && shown.contains("a2-a3-a2"), "{shown}");
    assert_eq!(shown.matches("  a b c d e\n").count(), 2, "{shown}");
}
