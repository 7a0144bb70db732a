//! The end of a ladder: everything that was handed in before the end counts, whatever happens before it is checked, and
//! a player may get an extension.

use std::fs;

use jiff::{SignedDuration, Timestamp};
use rustix::process::Signal;

use super::{entered, folder_player, hand_in, journal, ladder};
use crate::harness::arena::{Arena, text};
use crate::harness::waiting::until;

/// The TOML table of a player that uploads its versions and plays as the built-in bot `bot`.
fn uploader(name: &str, bot: &str) -> String {
    folder_player(name, bot).replace(&format!("folder = \"in/{name}\""), "submit = true")
}

/// A player whose versions fail immediately.
fn broken(name: &str, door: &str) -> String {
    format!("[[player]]\nname = \"{name}\"\n{door}\ncommand = [\"false\"]\n")
}

/// Uploads `content` as a version of the player `name` to the address in `told`.
fn upload(arena: &Arena, told: &str, name: &str, content: &str) {
    let token = arena.output(&["ladder", "token", "out", name]);
    assert!(token.status.success(), "{}", text(&token.stderr));
    fs::write(arena.path().join("token"), &token.stdout).expect("written");
    let own = arena.path().join("own");
    fs::create_dir_all(&own).expect("made");
    fs::write(own.join("notes.txt"), content).expect("written");
    let url = told.split(' ').find_map(|word| word.strip_suffix("NAME,")).expect("an address");
    let submitted = arena.output(&["submit", &format!("{url}{name}"), "--token-file", "token", "own"]);
    assert!(submitted.status.success(), "{}{}", text(&submitted.stdout), text(&submitted.stderr));
}

#[test]
fn what_waited_behind_a_check_when_the_run_was_killed_counts_after_the_end() {
    let closes = Timestamp::from_second(Timestamp::now().as_second() + 30).expect("a time");
    let keys = format!("[ladder]\npoll = \"1s\"\nfirst_games = 1\nsubmit = \"127.0.0.1:0\"\ncloses = {closes}");
    let arena = ladder(&keys, &format!("{}{}", uploader("cy", "random"), broken("dee", "submit = true")));
    let out = arena.out();
    let mut run = arena.start(None);
    let told = run.hear("players submit to");
    upload(&arena, &told, "cy", "a slow check");
    upload(&arena, &told, "dee", "one");
    upload(&arena, &told, "dee", "two");
    run.signal(Signal::KILL);
    drop(run.end());
    assert!(Timestamp::now() < closes, "the machine is too slow for this test");
    until("the end of the hand-ins", || (Timestamp::now() > closes).then_some(()));

    let (code, said) = arena.start(None).end();
    assert_eq!(code, Some(0), "{said}");
    let lines = journal(&out);
    let place = |kind: &str, name: &str| {
        lines.iter().position(|line| line.get(kind).is_some_and(|entry| entry.to_string().contains(name)))
    };
    let frozen = place("frozen", "").expect("frozen");
    for place in [place("version", "\"cy.1\""), place("refused", "\"number\":1"), place("refused", "\"number\":2")] {
        assert!(place.is_some_and(|place| place < frozen), "{lines:#?}");
    }
    assert_eq!(lines.iter().filter(|line| line.get("refused").is_some()).count(), 2);
    let rebuilt = arena.output(&["rebuild", "--check", "out"]);
    assert!(rebuilt.status.success(), "{}", text(&rebuilt.stdout));
}

#[test]
fn a_ladder_that_is_over_can_be_reopened_for_one_player() {
    let random = "[[player]]\nname = \"random\"\nbuiltin = \"random\"\n";
    let arena = ladder("[ladder]\npoll = \"1s\"", &format!("{random}{}", broken("bo", "folder = \"in/bo\"")));
    let out = arena.out();
    let mut run = arena.start(None);
    run.hear("r3-");
    assert!(arena.output(&["ladder", "freeze", "out"]).status.success());
    assert_eq!(run.end().0, Some(0));
    hand_in(&arena, "bo", "too late");
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    assert!(journal(&out).iter().all(|line| line.get("refused").is_none()), "nobody looked");

    let later = (Timestamp::now() + SignedDuration::from_secs(40)).to_string();
    assert!(arena.output(&["ladder", "reopen", "out", "bo", "--until", &later]).status.success());
    let run = arena.start(None);
    assert_eq!(entered(&out, "refused", |_| true)["version"]["of"], "bo");
    // The run ends when no more versions can arrive.
    assert_eq!(run.end().0, Some(0));
    let again = arena.output(&["ladder", "freeze", "out"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    let told = arena.run(&[]);
    assert!(text(&told.stderr).contains("the ladder is already frozen"), "{}", text(&told.stderr));
}
