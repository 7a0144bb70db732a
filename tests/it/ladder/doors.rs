//! The ways to hand in versions: the folder, the repository, and the upload with its token. After a run is killed, the
//! next run accepts everything that was handed in, but only once.

#[expect(dead_code, reason = "some answers are for the tests of the door itself")]
#[path = "../../../src/ladder/doors/git/tests/git_server.rs"]
mod git_server;
#[path = "../../../src/ladder/doors/git/tests/repository.rs"]
mod repository;

use std::fs;

use git_server::GitServer;
use repository::Repository;
use rustix::process::Signal;
use serde_json::Value;

use super::{entered, folder_player, hand_in, journal, ladder, status};
use crate::harness::arena::text;

#[test]
fn what_was_handed_in_before_a_kill_is_taken_after_it_and_only_once() {
    let cy = folder_player("cy", "greedy").replace("folder = \"in/cy\"", "submit = true");
    let players = format!("{}{cy}", folder_player("ada", "random"));
    let keys = "[ladder]\npoll = \"1s\"\ntarget_error = 300\nfirst_games = 1\nsubmit = \"127.0.0.1:0\"";
    let arena = ladder(keys, &players);
    let out = arena.out();
    hand_in(&arena, "ada", "first");
    let mut run = arena.start(None);
    let told = run.hear("players submit to");
    let token = arena.output(&["ladder", "token", "out", "cy"]);
    assert!(token.status.success(), "{}", text(&token.stderr));
    fs::write(arena.path().join("token"), &token.stdout).expect("written");
    fs::create_dir(arena.path().join("own")).expect("made");
    fs::write(arena.path().join("own/bot.txt"), "mine").expect("written");
    let url = told.split(' ').find_map(|word| word.strip_suffix("NAME,")).expect("an address");
    let url = format!("{url}cy");
    let submitted = arena.output(&["submit", &url, "--token-file", "token", "own"]);
    assert!(submitted.status.success(), "{}{}", text(&submitted.stdout), text(&submitted.stderr));
    // No token is stored in the journal or anywhere else.
    let secret = text(&token.stdout);
    let stored = fs::read_to_string(out.join("tokens/cy.sha256")).expect("a digest");
    assert!(secret.trim().len() == 32 && !stored.contains(secret.trim()), "{stored}");
    run.signal(Signal::KILL);
    drop(run.end());
    assert!(journal(&out).iter().all(|line| line.get("version").is_none()), "nothing was checked yet");
    // A teacher who looks now sees that the upload has arrived.
    let waiting = status(&arena)["waiting"].clone();
    let is_upload = |row: &Value| row["player"] == "cy" && row["door"] == "submit";
    assert!(waiting.as_array().is_some_and(|rows| rows.iter().any(is_upload)), "{waiting}");
    let shown = text(&arena.output(&["ladder", "status", "out"]).stdout);
    assert!(shown.contains("\ncy has handed in a version that has not been checked yet (submit, "), "{shown}");

    let run = arena.start(None);
    for name in ["ada.1", "cy.1"] {
        let accepted = entered(&out, "version", |entry| entry["player"]["name"] == name);
        assert!(!accepted.to_string().contains(secret.trim()));
    }
    entered(&out, "game", |game| game["id"].as_str().is_some_and(|id| id.contains("cy_1")));
    run.signal(Signal::INT);
    assert_eq!(run.end().0, Some(130));
    // The next run does not accept the same submission a second time.
    let accepted = || journal(&out).iter().filter(|line| line.get("version").is_some()).count();
    assert_eq!(accepted(), 2);
    assert_eq!(status(&arena)["waiting"], Value::Array(Vec::new()));
    let mut run = arena.start(None);
    run.hear("players submit to");
    hand_in(&arena, "ada", "second");
    entered(&out, "version", |entry| entry["player"]["name"] == "ada.2");
    run.signal(Signal::INT);
    drop(run.end());
    assert_eq!(accepted(), 3);
    assert!(arena.output(&["rebuild", "--check", "out"]).status.success());
}

#[test]
fn versions_arrive_from_a_repository() {
    let (repository, bo) = (Repository::new(), folder_player("bo", "greedy"));
    let server = GitServer::of(repository.dir.path());
    let address = format!("git = \"http://{}/bot.git\"", server.address);
    let keys = "[ladder]\npoll = \"1s\"\ntarget_error = 300\nfirst_games = 1";
    let arena = ladder(keys, &bo.replace("folder = \"in/bo\"", &address));
    let out = arena.out();
    repository.write("notes.txt", "first");
    let first = repository.push();
    let run = arena.start(None);
    let accepted = |name: &'static str| entered(&out, "version", |entry| entry["player"]["name"] == name);
    let entry = accepted("bo.1");
    let origin = |commit: &str| format!("commit {}", &commit[..12]);
    assert_eq!((&entry["version"]["door"], &entry["version"]["origin"]), (&"git".into(), &origin(&first).into()));
    entered(&out, "game", |game| game["id"].as_str().is_some_and(|id| id.contains("bo_1")));
    repository.write("notes.txt", "second");
    let second = repository.push();
    assert_eq!(accepted("bo.2")["version"]["origin"], origin(&second));
    run.signal(Signal::INT);
    assert_eq!(run.end().0, Some(130));
    assert!(arena.output(&["rebuild", "--check", "out"]).status.success());
}
