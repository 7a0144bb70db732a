//! Runs of four-player games: shards and merging, games played again, extensions, and players that fail.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Output;

use crate::harness::arena::{Arena, random_and_greedy, text};

const KEYS: &str =
    "ruleset = \"quantum-8-4p\"\nformat = \"group\"\ntables = \"all\"\nconcurrency = 1\naffinity = false\n";

const FIELD: &str = concat!(
    random_and_greedy!(),
    "[[player]]\nname = \"third\"\nbuiltin = \"random\"\n[[player]]\nname = \"fourth\"\nbuiltin = \"greedy\"\n"
);

const FIFTH: &str = "[[player]]\nname = \"fifth\"\nbuiltin = \"random\"\n";

#[track_caller]
fn assert_ended(output: &Output, code: i32, words: &[&str]) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "`{word}` is not in\n{stderr}");
    }
}

/// The columns of results.csv that do not depend on times, by the game's id.
fn games(dir: &Path) -> BTreeMap<String, Vec<String>> {
    let file = fs::read_to_string(dir.join("results.csv")).expect("results.csv");
    let mut reader = csv::Reader::from_reader(file.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let is_kept = |name: &str| {
        !["seconds", "left", "usage", "memory", "processes", "written", "cpu"].iter().any(|it| name.contains(it))
    };
    let columns: Vec<usize> = (0..header.len()).filter(|&index| is_kept(&header[index])).collect();
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| (row[0].to_owned(), columns.iter().map(|&index| row[index].to_owned()).collect())).collect()
}

#[test]
fn shards_of_groups_are_merged_into_the_run_of_one_machine() {
    let arena = Arena::new(&format!("{KEYS}{FIELD}{FIFTH}"));
    assert_ended(&arena.output(&["run", "class.toml", "--out", "one", "--quiet"]), 0, &[]);
    for shard in ["1/2", "2/2"] {
        assert_ended(&arena.run(&["--shard", shard, "--quiet"]), 0, &[]);
    }
    let merged = arena.output(&["merge", "out", "out/shard-1-of-2", "out/shard-2-of-2"]);
    assert_ended(&merged, 0, &["which now contains the results of 20 games"]);
    assert_ended(&arena.output(&["rebuild", "--check", "out"]), 0, &[]);
    arena.assert_logs_hold(&merged);
    assert_eq!(games(&arena.out()), games(&arena.path().join("one")));
    let standings = |dir: &str| text(&arena.output(&["standings", dir]).stdout);
    assert_eq!(standings("out"), standings("one"));
}

#[test]
fn a_run_of_groups_is_reported_by_places_extended_and_played_again() {
    let arena = Arena::new(&format!("{KEYS}{FIELD}"));
    let first = arena.run(&[]);
    assert_ended(&first, 0, &["[1/4] r1-t1-g1: ", " 1st, ", " plies, "]);
    let before = games(&arena.out());
    assert_eq!(before.len(), 4);
    fs::write(arena.path().join("class.toml"), format!("rounds = 2\n{KEYS}{FIELD}")).expect("written");
    assert_ended(&arena.run(&[]), 2, &["`--extend`"]);
    let extended = arena.run(&["--extend"]);
    assert_ended(&extended, 0, &["[8/8] r2-t1-g4: "]);
    arena.assert_logs_hold(&extended);
    let after = games(&arena.out());
    assert!(after.len() == 8 && before.iter().all(|(id, row)| after.get(id) == Some(row)));
    // Built-in bots play the same moves when a game is played again.
    let redone = arena.run(&["--redo", "third"]);
    assert_ended(&redone, 0, &["[8/8] r2-t1-g4: "]);
    assert_eq!(games(&arena.out()), after);
    assert_ended(&arena.output(&["rebuild", "--check", "out"]), 0, &[]);
}

#[test]
fn a_player_that_cannot_play_is_out_and_harms_nobody() {
    let broken = "[[player]]\nname = \"broken\"\ncommand = [\"sh\", \"-c\", \"echo no book >&2; exit 3\"]\n";
    let field = FIELD.replace("[[player]]\nname = \"fourth\"\nbuiltin = \"greedy\"\n", broken);
    let arena = Arena::new(&format!("{KEYS}{field}"));
    let output = arena.run(&[]);
    assert_ended(
        &output,
        0,
        &[", broken out (no show)", "broken last wrote: no book (full output: r1-t1-g", "without a move"],
    );
    arena.assert_logs_hold(&output);
    let stderr: BTreeSet<String> = fs::read_dir(arena.out().join("games"))
        .expect("the games")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".stderr"))
        .collect();
    // The player had every seat once.
    let seats: BTreeSet<&str> = stderr.iter().filter_map(|name| name.split('.').nth(1)).collect();
    assert_eq!(seats, BTreeSet::from(["seat1", "seat2", "seat3", "seat4"]));
    for row in arena.results() {
        assert!(row["placing"].split(' ').filter(|place| *place == "4").count() == 1, "{row:?}");
        assert_ne!(row["at_fault"], "");
    }
}
