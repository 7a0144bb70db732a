//! Players whose files change between the sessions of a run, or during one.

use std::collections::HashMap;
use std::fs;

use super::{SCRIPT, assert_refused, cut_to, is_same, journal, journal_games, mend_script, with_script};
use crate::harness::arena::{Arena, text};

#[test]
fn a_changed_player_is_refused_by_name_and_redo_plays_its_games_again() {
    let arena = with_script();
    arena.run(&[]);
    let crashed = |row: &HashMap<String, String>| !row["at_fault"].is_empty();
    assert_eq!(arena.results().iter().filter(|row| crashed(row)).count(), 8);
    mend_script(&arena);
    assert_refused(&arena.run(&[]), 2, &["student: `bot.py`", "`--redo student`", "`--fresh`"]);
    assert_refused(&arena.run(&["--redo", "studnet"]), 2, &["did you mean `student`?"]);
    let others: Vec<_> = arena.results().into_iter().filter(|row| !crashed(row)).collect();
    let output = arena.run(&["--redo", "student"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("4 of 12 games have been played"), "{}", text(&output.stderr));
    let results = arena.results();
    assert_eq!(results.iter().filter(|row| crashed(row)).count(), 0, "{}", text(&output.stderr));
    assert_eq!(results.len(), 12);
    assert!(others.iter().all(|other| results.iter().any(|row| is_same(other, row))));
    // The old games stay in the journal but no longer count.
    assert_eq!(journal_games(&arena).len(), 12 + 8);
    assert_eq!(journal(&arena).iter().filter(|entry| entry["redo"].is_object()).count(), 1);
    assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
    arena.assert_logs_hold(&output);
    // The stderr files of superseded games are removed together with the games.
    let said = fs::read_dir(arena.out().join("games")).expect("there");
    let texts = said.map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("text"));
    assert!(!texts.into_iter().any(|text| text.contains("no idea")));
}

#[test]
fn a_player_that_changes_during_a_run_is_not_started_again() {
    let arena = Arena::new(&format!("concurrency = 1\n{SCRIPT}"));
    fs::create_dir(arena.path().join("bot")).expect("made");
    mend_script(&arena);
    let script = arena.path().join("bot/bot.py");
    let starter = fs::read_to_string(&script).expect("read");
    let changing = starter.replace("import os\n", "import os\nopen(__file__, \"a\").write(\"# better\")\n");
    assert_ne!(changing, starter);
    fs::write(&script, changing).expect("written");
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (with, without): (Vec<_>, Vec<_>) =
        arena.results().into_iter().partition(|row| [&row["black"], &row["white"]].contains(&&"student".to_owned()));
    assert!(without.len() == 4 && without.iter().all(|row| row["termination"] == "normal"));
    assert_eq!(with[0]["termination"], "normal");
    for row in &with[1..] {
        assert_eq!(row["termination"], "not started");
        let reason = "`bot.py` has changed since the run began";
        let result = arena.record(&row["game"]).result.expect("a forfeit");
        assert_eq!(result.reason(), Some(reason));
    }
    assert_refused(&arena.run(&[]), 2, &["student: `bot.py`", "`--redo student`"]);
}

#[test]
fn files_that_a_bot_writes_beside_itself_do_not_change_it() {
    let arena = with_script();
    mend_script(&arena);
    let script = arena.path().join("bot/bot.py");
    let starter = fs::read_to_string(&script).expect("read");
    let writing = starter.replace("import os\n", "import os\nopen(f\"moves-{os.getpid()}.txt\", \"w\").close()\n");
    fs::write(&script, writing).expect("written");
    arena.run(&[]);
    assert!(arena.results().iter().all(|row| row["termination"] == "normal"));
    cut_to(&arena, 4);
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    assert_eq!(arena.results().len(), 12);
}
