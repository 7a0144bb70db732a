//! The option `--redo`: which games it takes back.

use super::{FIELD, SCRIPT, THIRD, assert_refused, is_same, journal, journal_games, mend_script, rewrite, with_script};
use crate::harness::arena::{Arena, text};

/// Redoes `what` in a Swiss tournament of 8 games, and checks that `kept` games stay and the others are played again.
#[track_caller]
fn assert_swiss_redo(arena: &Arena, what: &str, kept: usize) {
    let output = arena.run(&["--redo", what]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = format!("{kept} of 8 games have been played");
    assert!(text(&output.stderr).contains(&said), "{}", text(&output.stderr));
    assert_eq!(arena.results().len(), 8);
    assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
}

#[test]
fn redo_of_a_player_in_a_swiss_tournament_takes_back_later_rounds() {
    let arena = with_script();
    let script = SCRIPT.replace("rounds = 2", "format = \"swiss\"\nrounds = 2") + THIRD;
    rewrite(&arena, &script);
    arena.run(&[]);
    mend_script(&arena);
    // The two games of the other players in the first round stay.
    assert_swiss_redo(&arena, "student", 2);
}

#[test]
fn redo_accepts_a_termination_or_a_game_id() {
    let arena = with_script();
    arena.run(&[]);
    mend_script(&arena);
    let others: Vec<_> = arena.results().into_iter().filter(|row| row["termination"] == "normal").collect();
    assert_refused(&arena.run(&["--redo", "no shwo"]), 2, &["--redo no shwo", "did you mean `no show`?"]);
    assert_refused(&arena.run(&["--redo", "r1-random-gredy"]), 2, &["did you mean `r1-random-greedy`?"]);
    // The games to be played again include all games of the changed player, so the change is allowed from here on.
    let output = arena.run(&["--redo", "no show"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("4 of 12 games have been played"), "{}", text(&output.stderr));
    let results = arena.results();
    assert!(results.len() == 12 && results.iter().all(|row| row["termination"] == "normal"), "{results:?}");
    assert!(others.iter().all(|other| results.iter().any(|row| is_same(other, row))));

    let before = journal_games(&arena);
    let output = arena.run(&["--redo", "r1-random-greedy", "--redo", "limit-memory"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--redo \"limit memory\": no other game has ended this way"));
    assert_eq!(journal_games(&arena)[before.len()..], ["r1-random-greedy"]);
    let again: Vec<_> = journal(&arena).into_iter().filter(|entry| entry["again"].is_object()).collect();
    assert_eq!((again.len(), &again[1]["again"]["games"][0]), (2, &"r1-random-greedy".into()));
    assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
    arena.assert_logs_hold(&output);
}

#[test]
fn redo_of_a_game_in_a_swiss_tournament_takes_back_later_rounds() {
    let arena = with_script();
    mend_script(&arena);
    rewrite(&arena, &(SCRIPT.replace("rounds = 2", "format = \"swiss\"\nrounds = 2") + THIRD));
    arena.run(&[]);
    let first = arena.results().into_iter().find(|row| row["round"] == "1").expect("a game");
    assert_swiss_redo(&arena, &first["game"], 3);
}

#[test]
fn redo_accepts_a_player_with_changed_keys() {
    let arena = with_script();
    mend_script(&arena);
    arena.run(&[]);
    let mended = SCRIPT.replace("\"{server}\"]", "\"{server}\"]\nenv = { LEVEL = \"2\" }\nmemory = \"1 GiB\"");
    assert_ne!(mended, SCRIPT);
    rewrite(&arena, &mended);
    assert_refused(&arena.run(&[]), 2, &["player `student`: `env`", "add `--redo student`", "`--fresh`"]);
    assert_refused(&arena.run(&["--redo", "random"]), 2, &["player `student`: `env`", "add `--redo student`"]);
    let output = arena.run(&["--redo", "student"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("4 of 12 games have been played"), "{}", text(&output.stderr));
    // From now on, the directory belongs to the changed tournament.
    let output = arena.run(&[]);
    assert!(text(&output.stderr).contains("is complete: 12 games"), "{}", text(&output.stderr));
    assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
    rewrite(&arena, SCRIPT);
    assert_refused(&arena.run(&[]), 2, &["player `student`: `env`"]);
    // With changes to other keys, it is still a different tournament.
    rewrite(&arena, &mended.replace("rounds = 2", "rounds = 2\nseed = 9"));
    assert_refused(&arena.run(&["--redo", "student"]), 2, &["`seed` was `0`", "undo the change"]);
}

#[test]
fn redo_needs_a_run() {
    let arena = Arena::new(FIELD);
    assert_refused(&arena.run(&["--redo", "random"]), 2, &["there is no run in `out`"]);
    assert!(!arena.out().exists());
}
