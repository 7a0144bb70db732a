//! `serve` with line-ups of four seats.

use std::process::{Command, Stdio};

use gothello_arena::referee::record::LoggedGame;
use gothello_arena::referee::result::Termination;

use super::Server;
use crate::harness::arena::remote_bot;
use crate::harness::waiting::InTime as _;

#[test]
fn four_clients_play_and_an_observer_receives_the_drop_outs() {
    let logs = tempfile::TempDir::new().expect("a directory");
    let dir = logs.path().to_str().expect("a path");
    let mut server = Server::start(&["--ruleset", "quantum-8-4p", "--time", "60s", "--log", dir]);
    let mut observer = server.client("0.9.2 observer \"olga\"");
    observer.hear("102 60 60 60 60 ");
    let mut third = server.client("0.9.2 player 3 \"cyd\"");
    third.hear("102 60 60 60 60 ");
    server.prints("Player 3 connected");
    for (hello, code) in [
        ("0.9.2 player 3", "191"),
        ("0.9.2 player 5", "191"),
        ("0.9.1 player ?", "198"),
        ("0.9.1 player 4", "198 Illegal version number: a game of 4 seats needs"),
        ("0.9.2 player red", "199 Request not understood: expected `player 1` to `player 4`"),
    ] {
        server.client(hello).hear(code);
        server.prints("Failed connection attempt");
    }
    let (host, port) = server.address().rsplit_once(':').expect("an address");
    let mut example = Command::new("python3");
    example.args([
        concat!(env!("CARGO_MANIFEST_DIR"), "/examples/quantum/bot/bot.py"),
        "1",
        host,
        port,
        "quantum-8-4p",
    ]);
    let example = example.stderr(Stdio::null()).start().expect("python3 starts");
    server.prints("Player 1 connected");
    let [one, other] = ["?", "4"].map(|seat| remote_bot(server.address(), seat, None));
    third.hear("345 quantum-8-4p 4 3 is the game, seats, and your seat");
    third.hear("354 3 You will play seat 3");
    observer.hear("348 3 \"cyd\" is a player");
    observer.hear("353 ");
    server.client("0.9.2 player ?").hear("192 There are already 4 players");
    third.hear("332 1 ... ");
    drop(third);
    observer.hear("335 3 is out, disconnect");
    server.prints("Player 3 is out, disconnect.");
    observer.hear("336 ");
    for mut bot in [example, one, other] {
        assert!(bot.wait().expect("it ends").success());
    }
    observer.rest();
    let (code, printed) = server.end();
    assert_eq!(code, Some(0));
    let last = printed.lines().next_back().unwrap_or_default();
    let text = std::fs::read(logs.path().join("game-0001.log")).expect("a log");
    let game = LoggedGame::from_bytes(&text).unwrap_or_else(|error| panic!("{error}"));
    let record = *game.into_two().expect_err("four seats");
    record.check().unwrap_or_else(|error| panic!("{error}"));
    let outs: Vec<_> = record.outs.iter().map(|out| (out.seat.number(), out.termination)).collect();
    assert_eq!(outs, [(3, Termination::Disconnect)]);
    let standing = record.result.expect("a result");
    let places: Vec<String> = standing.placing.values().map(ToString::to_string).collect();
    assert_eq!(last, format!("Game over, the placing is {}.", places.join(" ")));
    assert_eq!(places[2], "4");
    assert_eq!(record.players.values().map(String::as_str).collect::<Vec<_>>(), ["seat 1", "seat 2", "cyd", "seat 4"]);
}

#[test]
fn options_about_two_sides_are_refused_for_four_seats() {
    for (options, remedy) in [
        (&["--black-time", "5s", "--white-time", "9s"][..], "whose clocks are equal (use --time)"),
        (&["--compatible"], "(leave the option out)"),
    ] {
        let output =
            super::serve(&["--ruleset", "quantum-4p"]).args(options).output_in_time().expect("the program starts");
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains(options[0]) && said.contains("`quantum-4p` has 4 seats") && said.contains(remedy),
            "{said}"
        );
    }
}
