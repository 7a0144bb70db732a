//! Games that have ended are judged by exact values if the user wants it.

use std::fs;

use gothello_arena::referee::record::GameRecord;
use serde_json::Value;

use super::client::Page;
use super::{ALIKE, WITH_CAROL, carol, frame_with, start};
use crate::game::seegover::solved::has_table;
use crate::harness::arena::{Arena, text};
use crate::harness::waiting::{InTime as _, until};

/// The values of a game in the page's answer.
fn values(page: Page, id: &str) -> String {
    page.get(&format!("/game/{id}")).json()[8].as_str().expect("values").to_owned()
}

#[test]
fn games_that_have_ended_are_judged_if_the_user_wants_it() {
    let arena = Arena::new(WITH_CAROL);
    let (mut running, page) = start(&arena, &["--web-analysis", "--web-linger"]);
    let mut events = page.events(None);
    let mut carol = self::carol(&mut running, "black");
    carol.say("1 c3\r\n");
    carol.hear("31");
    carol.say("2 resign\r\n");
    drop(carol);
    // The second game waits for carol, so there are further frames.
    let judged = events.until(frame_with("judged")).data["judged"].clone();
    assert_eq!(judged[0][0], "r1-carol-greedy");
    let told = judged[0][1].as_str().expect("values").to_owned();
    assert_eq!((values(page, "r1-carol-greedy"), told.len() >= 3), (told, true));
    let mut second = self::carol(&mut running, "white");
    second.hear("31");
    second.say("1 ... pass\r\n");
    second.hear("31");
    second.say("2 ... resign\r\n");
    drop(second);
    // Judging continues after the last game.
    running.hear("the live page stays");
    events.until(|heard| heard.name == "end");
    until("the values of the last game", || (!values(page, "r1-greedy-carol").is_empty()).then_some(()));
    running.signal(rustix::process::Signal::INT);
    assert_eq!(running.end().0, Some(0));
    assert!(arena.out().join("analysis.jsonl").exists());
}

#[test]
fn no_game_is_judged_unless_the_user_wants_it() {
    let arena = Arena::new(ALIKE);
    let (mut running, page) = start(&arena, &["--web-linger"]);
    running.hear("the live page stays");
    page.events(None).until(|heard| heard.name == "end");
    assert_eq!(values(page, "r1-random-greedy"), "");
    running.signal(rustix::process::Signal::INT);
    assert_eq!(running.end().0, Some(0));
    assert!(!arena.out().join("analysis.jsonl").exists());
}

/// In Seegover's move phase, the page and `solve`, which read the same table, agree on the winner.
#[test]
fn values_of_seegover_come_from_its_table() {
    if !has_table("values_of_seegover_come_from_its_table") {
        return;
    }
    let arena = Arena::new(&format!("ruleset = \"seegover\"\n{ALIKE}"));
    let (mut running, page) = start(&arena, &["--web-analysis", "--web-linger"]);
    running.hear("the live page stays");
    let log = arena.out().join("games/r1-random-greedy.log");
    let record: GameRecord = fs::read_to_string(&log).expect("a log").parse().expect("a record");
    let moves: Vec<&str> = record.plies.iter().map(|ply| ply.played.as_str()).collect();
    let in_move_phase = 25..moves.len();
    assert!(!in_move_phase.is_empty(), "{moves:?}");
    for ply in in_move_phase {
        let number = ply.to_string();
        let solved = arena.output(&["solve", "--log", log.to_str().expect("text"), "--ply", &number, "--json"]);
        let solved: Value = serde_json::from_slice(&solved.stdout).expect("JSON");
        // While the machine is too busy to read the table in time, the arena has no value.
        until(&format!("the winner after {ply} plies, {}", solved["winner"]), || {
            let answer = page.try_get(&format!("/value?reader=a&moves={}", moves[..ply].join(",")))?;
            (answer.status == 200 && answer.json()["winner"] == solved["winner"]).then_some(())
        });
    }
    running.signal(rustix::process::Signal::INT);
    assert_eq!(running.end().0, Some(0));
}

#[test]
fn games_that_no_solver_knows_are_not_promised_to_be_judged() {
    let arena = Arena::new(&format!("ruleset = \"seegover\"\nillegal_tries = 0\n{ALIKE}"));
    let mut command = arena.command(&["run", "class.toml", "--out", "out", "--web", "0", "--web-analysis"]);
    let output = command.env("XDG_CACHE_HOME", arena.out()).output_in_time().expect("it starts");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("tablebase build") && !arena.out().exists(), "{stderr}");
}
