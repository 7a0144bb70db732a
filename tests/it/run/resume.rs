//! Resumed runs: which games are played again, which runs are refused, and with which messages.

mod changed_players;
mod redo;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::process::Output;

use rustix::process::Signal;

use crate::harness::arena::{Arena, Ready, random_and_greedy, text, waits};

const FIELD: &str = concat!("# A comment.\nrounds = 2\nseed = 7\nconcurrency = 2\n", random_and_greedy!());

const THIRD: &str = "[[player]]\nname = \"third\"\nbuiltin = \"alphabeta\"\ndepth = 1\n";

/// Replaces the tournament file with `toml`.
fn rewrite(arena: &Arena, toml: &str) {
    fs::write(arena.path().join("class.toml"), toml).expect("written");
}

/// The lines of the journal.
fn journal(arena: &Arena) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(arena.out().join("journal.jsonl")).expect("a journal");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn journal_games(arena: &Arena) -> Vec<String> {
    let games = journal(arena).into_iter().filter(|entry| entry["game"].is_object());
    games.map(|entry| entry["game"]["id"].as_str().expect("an id").to_owned()).collect()
}

/// All files of the results except the journal, by their paths.
fn derived(arena: &Arena) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for dir in [arena.out(), arena.out().join("games")] {
        for entry in fs::read_dir(dir).expect("there") {
            let path = entry.expect("an entry").path();
            if path.is_file() && !path.ends_with("journal.jsonl") {
                files.insert(path.display().to_string(), fs::read(&path).expect("read"));
            }
        }
    }
    files
}

/// Keeps only the first `lines` lines of the journal, and deletes the game logs and results.csv.
pub(crate) fn cut_to(arena: &Arena, lines: usize) {
    let path = arena.out().join("journal.jsonl");
    let journal = fs::read_to_string(&path).expect("a journal");
    fs::write(&path, journal.split_inclusive('\n').take(lines).collect::<String>()).expect("written");
    fs::remove_dir_all(arena.out().join("games")).expect("removed");
    fs::remove_file(arena.out().join("results.csv")).expect("removed");
}

#[track_caller]
fn assert_refused(output: &Output, code: i32, words: &[&str]) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    for word in words {
        assert!(stderr.contains(word), "`{word}` is not in\n{stderr}");
    }
}

#[test]
fn a_complete_run_plays_nothing_again() {
    let arena = Arena::new(FIELD);
    let first = arena.run(&[]);
    let (files, lines) = (derived(&arena), journal(&arena));
    let second = arena.run(&[]);
    assert_eq!(second.status.code(), Some(0));
    assert_eq!(text(&second.stdout), text(&first.stdout));
    assert_eq!(text(&second.stderr), "gothello-arena: the run in `out` is complete: 4 games\n");
    assert_eq!((derived(&arena), journal(&arena)), (files, lines));
}

#[test]
fn finished_games_stay_and_only_the_rest_is_played() {
    let arena = Arena::new(FIELD);
    arena.run(&[]);
    let whole = arena.results();
    cut_to(&arena, 3);
    let kept = journal_games(&arena);
    let output = arena.run(&["--concurrency", "1"]);
    assert_eq!(output.status.code(), Some(0));
    let stderr = text(&output.stderr);
    assert!(
        stderr.starts_with("gothello-arena: continuing the run in `out`: 2 of 4 games have been played\n"),
        "{stderr}"
    );
    assert!(stderr.contains("\n[3/4] ") && !stderr.contains("[1/4]"), "{stderr}");
    let games = journal_games(&arena);
    assert_eq!(games[..2], kept);
    assert_eq!(games.len(), 4);
    let facts = |rows: Vec<HashMap<String, String>>| -> Vec<[String; 3]> {
        rows.iter().map(|row| ["game", "winner", "moves_sha256"].map(|key| row[key].clone())).collect()
    };
    assert_eq!(facts(arena.results()), facts(whole));
    arena.assert_logs_hold(&output);
    assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
}

#[test]
fn keys_that_do_not_concern_the_games_may_change() {
    let arena = Arena::new(FIELD);
    arena.run(&[]);
    cut_to(&arena, 2);
    rewrite(
        &arena,
        &FIELD.replace("# A comment.", "name = \"other\"").replace("concurrency = 2", "quit_timeout = \"9s\""),
    );
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    assert_eq!(journal_games(&arena).len(), 4);
}

#[test]
fn a_changed_tournament_is_refused_with_every_change() {
    let arena = Arena::new(FIELD);
    arena.run(&[]);
    let files = derived(&arena);
    let changed =
        FIELD.replace("seed = 7", "seed = 8\ntime = \"9s\"").replace("name = \"greedy\"", "name = \"alphabeta\"");
    rewrite(&arena, &changed);
    let words = [
        "`seed` was `7` and is now `8`",
        "`time` was `none` and is now `9s`",
        "`alphabeta` is new",
        "`greedy` is missing",
        "`--fresh`",
    ];
    assert_refused(&arena.run(&[]), 2, &words);
    assert_refused(&arena.run(&["--extend"]), 2, &["`seed` was `7`", "accepts only more rounds"]);
    assert_eq!(derived(&arena), files);
}

#[test]
fn fresh_starts_a_new_run_beside_the_old_one() {
    let arena = Arena::new(FIELD);
    arena.run(&[]);
    let files = derived(&arena);
    for expected in ["out-2", "out-3"] {
        let output = arena.run(&["--fresh"]);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stderr).contains(&format!("results go to `{expected}`")), "{}", text(&output.stderr));
        assert!(arena.path().join(expected).join("standings.csv").is_file());
    }
    assert_eq!(derived(&arena), files);
}

#[test]
fn extend_appends_more_rounds_and_players() {
    let arena = Arena::new(FIELD);
    arena.run(&[]);
    let (logs, before) = (derived(&arena), arena.results());
    rewrite(&arena, &(FIELD.replace("rounds = 2", "rounds = 3") + THIRD));
    let words = ["`rounds` was `2` and is now `3`", "player `third` is new", "`--extend`"];
    assert_refused(&arena.run(&[]), 2, &words);
    let output = arena.run(&["--extend"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let after = arena.results();
    assert_eq!(after[..4], before[..], "finished games keep their places");
    assert_eq!(after.len(), 3 * 6);
    for (path, bytes) in logs.iter().filter(|(path, _)| path.contains("/games/")) {
        assert_eq!(&fs::read(path).expect("there"), bytes, "{path}");
    }
    // From now on, the directory belongs to the extended tournament; the smaller tournament is a different one.
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    rewrite(&arena, FIELD);
    assert_refused(&arena.run(&["--extend"]), 2, &["player `third` is missing"]);
    assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
}

#[test]
fn a_second_run_in_the_same_directory_is_refused_until_the_first_ends() {
    let ready = Ready::new();
    let arena = Arena::new(concat!(waits!(), "[[player]]\nname = \"random\"\nbuiltin = \"random\"\n"));
    let mut running = arena.start(Some(&ready));
    let (_pid, _hold) = ready.next();
    assert_refused(&arena.run(&[]), 2, &["another run is in progress in `out`"]);
    assert_refused(&arena.output(&["rebuild", "out"]), 2, &["another run is in progress in `out`"]);
    running.signal(Signal::KILL);
    running.child.wait().expect("it ends");
    // The lock was released when the process that held it died.
    assert_eq!(arena.output(&["rebuild", "out"]).status.code(), Some(0));
}

const SCRIPT: &str = concat!(
    r#"
    rounds = 2
    [[player]]
    name = "student"
    dir = "bot"
    command = ["python3", "bot.py", "{side}", "{host}", "{server}"]
"#,
    random_and_greedy!()
);

fn with_script() -> Arena {
    let arena = Arena::new(SCRIPT);
    let bot = arena.path().join("bot");
    fs::create_dir(&bot).expect("made");
    fs::write(bot.join("bot.py"), "import sys\nsys.exit(\"no idea\")\n").expect("written");
    arena
}

fn mend_script(arena: &Arena) {
    for file in ["bot.py", "rules.py", "gothello_client.py"] {
        let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/python/bot").join(file);
        fs::copy(starter, arena.path().join("bot").join(file)).expect("copied");
    }
}

/// Whether a row of results.csv is still the same. The fixed bot reports its thinking, so there are more columns, which
/// are empty in this row.
fn is_same(before: &HashMap<String, String>, after: &HashMap<String, String>) -> bool {
    before.keys().all(|column| after.contains_key(column))
        && after.iter().all(|(column, value)| before.get(column).map_or(value.is_empty(), |old| old == value))
}

#[test]
fn a_refused_run_leaves_a_torn_or_damaged_journal_untouched() {
    let arena = with_script();
    arena.run(&[]);
    mend_script(&arena);
    let path = arena.out().join("journal.jsonl");
    let whole = fs::read(&path).expect("a journal");
    let torn = &whole[..whole.len() - 7];
    fs::write(&path, torn).expect("written");
    // A game's log is written only after its journal line.
    let last = journal_line_id(&whole);
    fs::remove_file(arena.out().join("games").join(format!("{last}.log"))).expect("removed");
    assert_refused(&arena.run(&[]), 2, &["student: `bot.py`"]);
    assert_eq!(fs::read(&path).expect("read"), torn);
    let output = arena.run(&["--redo", "student"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("was cut off when the previous run ended"), "{}", text(&output.stderr));
    let mut damaged = fs::read(&path).expect("a journal");
    let at = damaged.len() - 3;
    damaged[at] ^= 4;
    fs::write(&path, &damaged).expect("written");
    assert_refused(&arena.run(&[]), 3, &["journal.jsonl:", "the line is damaged", "nothing was changed", "--salvage"]);
    assert_refused(&arena.output(&["rebuild", "out"]), 3, &["the line is damaged"]);
    assert_eq!(fs::read(&path).expect("read"), damaged);
    let output = arena.output(&["rebuild", "--salvage", "--from-logs", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read(arena.out().join("journal.jsonl.damaged-1")).expect("a copy"), damaged);
    assert_eq!(arena.results().len(), 12, "the log must restore the game damaged in the journal");
}

/// The id of the game in the last line of a journal.
fn journal_line_id(journal: &[u8]) -> String {
    let line = text(journal).lines().next_back().expect("a line").to_owned();
    let entry: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    entry["game"]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_log_that_differs_from_the_journal_is_refused_until_rebuilt() {
    let arena = Arena::new(FIELD);
    arena.run(&[]);
    let files = derived(&arena);
    let forged = arena.out().join("games/r1-random-greedy.log");
    let log = fs::read_to_string(&forged).expect("a log");
    fs::write(&forged, log.replace("1-0", "0-1")).expect("written");
    let foreign = arena.out().join("games/r9-random-greedy.log");
    fs::write(&foreign, &log).expect("written");
    for args in [&["run", "class.toml", "--out", "out"][..], &["standings", "out"], &["rebuild", "--check", "out"]] {
        let words = ["r1-random-greedy.log", "r9-random-greedy.log", "`gothello-arena rebuild out`"];
        let output = arena.output(args);
        assert_refused(&output, 3, &words);
        // Each log is named once.
        assert_eq!(text(&output.stderr).matches(words[0]).count(), 1, "{}", text(&output.stderr));
    }
    let rebuilt = arena.output(&["rebuild", "--quiet", "out"]);
    assert_eq!(rebuilt.status.code(), Some(0), "{}", text(&rebuilt.stderr));
    assert!(text(&rebuilt.stderr).contains("r9-random-greedy.log.not-in-journal"), "{}", text(&rebuilt.stderr));
    let aside = arena.out().join("games/r9-random-greedy.log.not-in-journal");
    assert_eq!(fs::read_to_string(&aside).expect("set aside"), log);
    fs::remove_file(aside).expect("removed");
    assert_eq!(derived(&arena), files);
}

#[test]
fn rebuild_reproduces_every_derived_file_byte_for_byte() {
    let arena = with_script();
    arena.run(&[]);
    let files = derived(&arena);
    cut_to(&arena, usize::MAX);
    fs::remove_file(arena.out().join("standings.csv")).expect("removed");
    let output = arena.output(&["rebuild", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rebuilt = derived(&arena);
    // The bots' stderr cannot be derived from the journal.
    let follows = |files: &BTreeMap<String, Vec<u8>>| -> BTreeMap<String, Vec<u8>> {
        files
            .iter()
            .filter(|(path, _)| !path.ends_with("stderr"))
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect()
    };
    assert_eq!(follows(&rebuilt), follows(&files));
    assert_eq!(text(&output.stdout), text(&arena.output(&["standings", "out"]).stdout));
}

#[test]
fn logs_alone_give_the_same_standings() {
    let arena = Arena::new(FIELD);
    let output = arena.run(&[]);
    fs::remove_file(arena.out().join("journal.jsonl")).expect("removed");
    arena.assert_logs_hold(&output);
    assert_refused(&arena.output(&["rebuild", "out"]), 2, &["`out` does not contain a run's journal"]);
    assert_refused(&arena.run(&[]), 2, &["contains no run to continue"]);
}

#[test]
fn standings_name_the_missing_games() {
    let arena = Arena::new(FIELD);
    // The games are played one at a time, so that the first two games are the games of the first round.
    arena.run(&["--concurrency", "1"]);
    cut_to(&arena, 3);
    let output = arena.output(&["standings", "out"]);
    assert_eq!(output.status.code(), Some(0));
    let missing = "Missing: 2 games without a result: r2-greedy-random, r2-random-greedy.";
    let missing_swapped = "Missing: 2 games without a result: r2-random-greedy, r2-greedy-random.";
    let printed = text(&output.stdout);
    assert!(printed.contains(missing) || printed.contains(missing_swapped), "{printed}");
}
