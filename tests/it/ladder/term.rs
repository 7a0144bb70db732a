//! A whole term: versions arrive, one is refused, the file changes, the teacher intervenes, and the ladder ends with
//! the tournament file of a class.

use std::fs;

use rustix::process::Signal;

use super::{entered, folder_player, hand_in, journal, ladder, status};
use crate::harness::arena::text;
use crate::harness::waiting::until;
use crate::house::json::{fits, strict};

#[test]
fn a_term_from_the_first_version_to_the_class() {
    let broken = "[[player]]\nname = \"bo\"\nfolder = \"in/bo\"\ncommand = [\"false\"]\n";
    let players = format!("{}{broken}", folder_player("ada", "alphabeta"));
    let arena = ladder("[ladder]\npoll = \"1s\"\ntarget_error = 150\nfirst_games = 2", &players);
    let out = arena.out();
    hand_in(&arena, "ada", "first");
    hand_in(&arena, "bo", "first");
    let mut run = arena.start(None);

    let refused = entered(&out, "refused", |_| true);
    assert_eq!(refused["version"]["of"], "bo");
    assert!(refused["reason"].as_str().is_some_and(|reason| reason.starts_with("it fails `hello")), "{refused}");
    let report = fs::read_to_string(out.join("feedback/bo_1.txt")).expect("a report");
    assert!(report.contains("bo.1") && report.contains("not ready"), "{report}");

    let accepted = entered(&out, "version", |_| true);
    assert_eq!(accepted["player"]["name"], "ada.1");
    assert_eq!(accepted["definition"]["facts"]["dir"], "versions/ada_1");
    until("games of the new version", || {
        let versions = status(&arena)["versions"].clone();
        let ada = versions.as_array()?.iter().find(|row| row["name"] == "ada.1")?.clone();
        (ada["games"].as_u64()? >= 2 && ada["elo"].is_number() && ada["status"] == "playing").then_some(())
    });
    fits(&strict("ladder"), &status(&arena).to_string());

    // The teacher pauses the version, and then lets it play again.
    let ask = |words: &[&str]| {
        let asked = arena.output(&[&["ladder"], words].concat());
        (asked.status.code(), text(&asked.stderr))
    };
    assert_eq!(ask(&["pause", "out", "ada.1", "--reason", "too loud"]).0, Some(0));
    let paused = entered(&out, "paused", |_| true);
    assert_eq!((&paused["version"], &paused["reason"]), (&"ada.1".into(), &"too loud".into()));
    assert_eq!(ask(&["resume", "out", "ada.1"]).0, Some(0));
    entered(&out, "resumed", |entry| entry["version"] == "ada.1");
    let (code, told) = ask(&["retire", "out", "ada.2"]);
    assert!(code == Some(2) && told.contains("did you mean `ada.1`?"), "{told}");

    // The teacher hands in a version for a student, and mistypes a name.
    let mail = arena.path().join("mail");
    fs::create_dir(&mail).expect("made");
    let (code, told) = ask(&["add", "out", "bo", "mail"]);
    assert!(code == Some(2) && told.contains("it contains no files"), "{told}");
    fs::write(mail.join("notes.txt"), "by mail").expect("written");
    assert_eq!(ask(&["add", "out", "bo", "mail"]).0, Some(0));
    let refused = entered(&out, "refused", |entry| entry["version"]["number"] == 2);
    assert_eq!((&refused["version"]["door"], &refused["version"]["origin"]), (&"teacher".into(), &"`mail`".into()));
    let (code, told) = ask(&["add", "out", "boo", "mail"]);
    assert!(code == Some(0) && told.contains("boo has not handed anything in yet"), "{told}");
    run.hear("no player named boo hands in versions, so the added sources are not accepted");
    until("an empty inbox", || {
        let left = |dir: &str| fs::read_dir(out.join(dir)).map_or(0, Iterator::count);
        (left("inbox/added") + left("mailbox") == 0).then_some(())
    });

    // A broken tournament file has no effect, and a player can leave.
    let file = arena.path().join("class.toml");
    let toml = arena.toml();
    fs::write(&file, format!("{toml}active = maybe\n")).expect("written");
    run.hear("the tournament file has changed, but the change has no effect");
    fs::write(&file, format!("time = \"9s\"\n{toml}")).expect("written");
    run.hear("only the ladder and its players can change during a run");
    fs::write(&file, toml.replace(broken, "")).expect("written");
    run.hear("the change is now in effect");

    assert_eq!(ask(&["freeze", "out", "--rounds", "2"]).0, Some(0));
    let (code, told) = run.end();
    assert_eq!(code, Some(0), "{told}");
    let next = "/out/class.toml --rubric rubric.toml` grades the last version of every player";
    assert!(told.contains("the ladder is frozen") && told.contains(next), "{told}");

    let lines = journal(&out);
    let of = |kind: &str| lines.iter().filter_map(|line| line.get(kind)).collect::<Vec<_>>();
    assert_eq!(of("pairing").len(), of("game").len());
    let frozen = lines.iter().position(|line| line.get("frozen").is_some()).expect("frozen");
    let last = lines[frozen..].iter().filter(|line| line.get("pairing").is_some());
    assert_eq!(last.count(), 4, "two rounds of two players");
    let validator = strict("journal");
    for line in &lines {
        fits(&validator, &line.to_string());
    }
    let rebuilt = arena.output(&["rebuild", "--check", "out"]);
    assert!(rebuilt.status.success(), "{}", text(&rebuilt.stdout));
    let class = arena.output(&["check", "out/class.toml"]);
    assert!(class.status.success(), "{}{}", text(&class.stdout), text(&class.stderr));
    assert!(text(&class.stdout).contains("2 players, round-robin"), "{}", text(&class.stdout));

    let (code, told) = ask(&["add", "out", "ada", "mail"]);
    assert!(code == Some(2) && told.contains("is frozen"), "{told}");

    // The same command finds that the ladder is over.
    let again = arena.run(&[]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert_eq!(journal(&out).len(), lines.len());
}

#[test]
fn a_ladder_that_is_interrupted_prints_its_standings_and_goes_on_later() {
    let arena =
        ladder("[ladder]\npoll = \"1s\"\ntarget_error = 100", "[[player]]\nname = \"random\"\nbuiltin = \"random\"\n");
    let mut run = arena.start(None);
    run.hear("r3-");
    run.signal(Signal::INT);
    let (code, _) = run.end();
    assert_eq!(code, Some(130));
    let before = journal(&arena.out()).len();
    let run = arena.start(None);
    until("more games", || (journal(&arena.out()).len() > before).then_some(()));
    run.signal(Signal::TERM);
    assert_eq!(run.end().0, Some(143));
    assert!(arena.output(&["rebuild", "--check", "out"]).status.success());
}
