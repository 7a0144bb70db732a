//! Journals that another program moves or changes while a run writes to them, and journals that are older than the game
//! logs in the same directory.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use gothello_arena::referee::record::GameRecord;

use crate::harness::arena::{Arena, Ready, random_and_greedy, text, waits};
use crate::harness::waiting::InTime as _;

/// Four of the six games stop in the middle until the test lets them continue.
const HELD: &str = concat!("concurrency = 1\n", waits!(), random_and_greedy!());

/// The ids of the games in a journal, one per line. A line that is being written does not count.
fn games_of(journal: &Path) -> Vec<String> {
    let text = fs::read_to_string(journal).expect("a journal");
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let entries = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    entries.filter_map(|entry| Some(entry["game"]["id"].as_str()?.to_owned())).collect()
}

/// Calls `disturb` with the results directory while a run is playing its second game or a later one. Checks that the
/// run ends with a message that contains `how`, that no finished game is lost, and that the command in the message is
/// enough to resume the run.
fn assert_noticed(how: &str, disturb: impl Fn(&Path)) {
    let ready = Ready::new();
    let arena = Arena::new(HELD);
    let mut running = arena.start(Some(&ready));
    drop(ready.next());
    running.hear("[1/6] ");
    let (_pid, hold) = ready.next();
    let told = games_of(&arena.out().join("journal.jsonl"));
    disturb(&arena.out());
    drop(hold);
    let (code, stderr) = running.end();
    assert_eq!(code, Some(6), "{how}: {stderr}");
    for words in [&format!("`out/journal.jsonl` {how} while the run was in progress"), "out/journal.jsonl.rescued-1"] {
        assert!(stderr.contains(words), "`{words}` is not in\n{stderr}");
    }
    let rescued = games_of(&arena.out().join("journal.jsonl.rescued-1"));
    assert!(rescued.starts_with(&told) && rescued.len() > told.len(), "{how}: {told:?} {rescued:?}");
    let repair = stderr.lines().find(|line| line.starts_with("  mv ")).expect("what to do");
    let status = Command::new("sh").args(["-c", repair]).current_dir(arena.path()).status_in_time().expect("sh starts");
    assert!(status.success(), "{repair}");
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{how}: {}", text(&output.stderr));
    let games = games_of(&arena.out().join("journal.jsonl"));
    assert!(games.starts_with(&rescued) && games.iter().collect::<BTreeSet<_>>().len() == 6, "{how}: {games:?}");
    assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
}

#[test]
fn a_journal_replaced_as_by_rsync_is_noticed_and_rescued() {
    assert_noticed("was replaced by another file", |out| {
        fs::copy(out.join("journal.jsonl"), out.join(".journal.jsonl.X")).expect("copied");
        fs::rename(out.join(".journal.jsonl.X"), out.join("journal.jsonl")).expect("renamed");
    });
}

#[test]
fn a_journal_moved_away_and_linked_back_is_noticed_and_rescued() {
    assert_noticed("was replaced by another file", |out| {
        fs::rename(out.join("journal.jsonl"), out.join("../moved")).expect("renamed");
        std::os::unix::fs::symlink("../moved", out.join("journal.jsonl")).expect("linked");
    });
}

#[test]
fn a_deleted_journal_is_noticed_and_rescued() {
    assert_noticed("was moved away or deleted", |out| fs::remove_file(out.join("journal.jsonl")).expect("removed"));
}

#[test]
fn a_results_directory_moved_away_is_noticed_and_rescued() {
    assert_noticed("was moved away or deleted", |out| {
        fs::rename(out, out.with_file_name("elsewhere")).expect("renamed");
    });
}

#[test]
fn a_truncated_or_extended_journal_is_noticed_and_rescued() {
    let open = |out: &Path| OpenOptions::new().append(true).open(out.join("journal.jsonl")).expect("opened");
    assert_noticed("was truncated or extended by another program", |out| open(out).set_len(100).expect("cut off"));
    assert_noticed("was truncated or extended by another program", |out| {
        open(out).write_all(b"merged by a sync client\n").expect("written");
    });
}

#[test]
fn a_journal_edited_in_place_is_noticed_and_rescued() {
    assert_noticed("was changed in place by another program", |out| {
        let text = fs::read_to_string(out.join("journal.jsonl")).expect("read");
        // The size stays the same.
        fs::write(out.join("journal.jsonl"), text.replace("\"game\"", "\"Game\"")).expect("written");
    });
}

const FIELD: &str = concat!(
    "rounds = 2\nseed = 7\n",
    random_and_greedy!(),
    r#"
    [[player]]
    name = "third"
    builtin = "alphabeta"
    depth = 1
"#
);

/// Keeps only the first `lines` lines of the journal, as if an older copy had been restored.
fn roll_back(arena: &Arena, lines: usize) {
    let path = arena.out().join("journal.jsonl");
    let journal = fs::read_to_string(&path).expect("a journal");
    fs::write(&path, journal.split_inclusive('\n').take(lines).collect::<String>()).expect("written");
}

fn logs(arena: &Arena) -> Vec<String> {
    let entries = fs::read_dir(arena.out().join("games")).expect("there");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn rebuild_needs_force_to_set_many_logs_aside() {
    let arena = Arena::new(FIELD);
    arena.run(&[]);
    let all = logs(&arena);
    roll_back(&arena, 1 + 6);
    let refused = arena.output(&["rebuild", "out"]);
    let stderr = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{stderr}");
    for words in
        ["no games for 6 game logs", "no log was changed", "`gothello-arena rebuild --from-logs out`", "`--force`"]
    {
        assert!(stderr.contains(words), "`{words}` is not in\n{stderr}");
    }
    assert_eq!(logs(&arena), all);
    assert_eq!(arena.output(&["rebuild", "--force", "out"]).status.code(), Some(0));
    assert_eq!(logs(&arena).iter().filter(|name| name.ends_with(".log.not-in-journal")).count(), 6);
    // A log that is set aside later does not overwrite a log that was set aside earlier.
    let aside = logs(&arena).into_iter().find(|name| name.ends_with("not-in-journal")).expect("one");
    let log = arena.out().join("games").join(aside.replace(".not-in-journal", ""));
    fs::write(&log, "another\n").expect("written");
    assert_eq!(arena.output(&["rebuild", "out"]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(log.with_extension("log.not-in-journal-1")).expect("kept"), "another\n");
    assert_ne!(fs::read_to_string(log.with_extension("log.not-in-journal")).expect("kept"), "another\n");
}

/// In every format, the recovered games keep their places in the schedule.
#[test]
fn rebuild_from_logs_recovers_games_that_the_journal_lacks() {
    let pair = FIELD.split("    [[player]]\n    name = \"third\"").next().expect("two players");
    for toml in [
        FIELD.to_owned(),
        FIELD.replace("seed = 7", "seed = 7\nopenings = { plies = 2 }"),
        FIELD.replace("seed = 7", "seed = 7\nformat = \"swiss\""),
        FIELD.replace("rounds = 2", "format = \"knockout\"\npairs = 2"),
        pair.replace("rounds = 2", "format = \"sprt\"\nelo1 = 400\nmax_pairs = 3\nconcurrency = 1"),
    ] {
        let arena = Arena::new(&toml);
        let printed = arena.run(&[]);
        let results = fs::read(arena.out().join("results.csv")).expect("read");
        roll_back(&arena, 3);
        let output = arena.output(&["rebuild", "--from-logs", "out"]);
        assert_eq!(output.status.code(), Some(0), "{toml}: {}", text(&output.stderr));
        let taken = logs(&arena).len() - 2;
        let said = format!("{taken} games missing from the journal were recovered from their logs");
        assert!(text(&output.stderr).contains(&said), "{toml}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), text(&printed.stdout));
        assert_eq!(fs::read(arena.out().join("results.csv")).expect("read"), results);
        assert!(text(&arena.run(&[]).stderr).contains("is complete"), "{toml}");
        assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
    }
}

#[test]
fn rebuild_from_logs_refuses_invalid_and_foreign_games() {
    let program = "command = [\"python3\", \"@bots/misbehave.py\", \"pass\", \"{side}\", \"{host}\", \"{port}\"]";
    let arena = Arena::new(&FIELD.replace("builtin = \"alphabeta\"\n    depth = 1", program));
    arena.run(&[]);
    let other = Arena::new(&FIELD.replace("seed = 7", "seed = 8"));
    other.run(&[]);
    roll_back(&arena, 1);
    let path = |name: &str| arena.out().join("games").join(name);
    let change = |name: &str, from: &str, to: &str| {
        let log = fs::read_to_string(path(name)).expect("a log");
        let changed = log.replacen(from, to, 1);
        assert_ne!(log, changed);
        fs::write(path(name), changed).expect("written");
    };
    let margin = |name: &str| {
        let record: GameRecord = fs::read_to_string(path(name)).expect("a log").parse().expect("a record");
        format!("[Margin \"{}\"]", record.result.expect("a result").margin().expect("a margin"))
    };
    change("r1-random-greedy.log", &margin("r1-random-greedy.log"), "[Margin \"25\"]");
    fs::copy(other.out().join("games/r1-greedy-random.log"), path("r1-greedy-random.log")).expect("copied");
    change("r2-third-greedy.log", "[BlackDigest \"", "[BlackDigest \"0123");
    fs::rename(path("r2-greedy-random.log"), path("r3-greedy-random.log")).expect("renamed");
    change("r1-third-random.log", "[Black ", "[Annotator \"me\"]\n[Black ");
    change("r1-random-third.log", "[Black ", " [Black ");
    let output = arena.output(&["rebuild", "--from-logs", "out"]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    for (name, why) in [
        ("r1-random-greedy", "margin"),
        ("r1-greedy-random", "its `Seed` does not match this tournament's game"),
        ("r2-third-greedy", "third ran a different program at the time"),
        ("r3-greedy-random", "this tournament has no such game"),
        ("r1-third-random", "differs from what the arena would write"),
        ("r1-random-third", "differs from what the arena would write"),
    ] {
        let said = stderr.lines().find(|line| line.contains(&format!("{name}.log` is not used: ")));
        assert!(said.is_some_and(|line| line.to_lowercase().contains(&why.to_lowercase())), "{name}: {stderr}");
    }
    assert!(stderr.contains("no games for 6 game logs"), "{stderr}");
    assert_eq!(games_of(&arena.out().join("journal.jsonl")), [""; 0], "the journal must not change");
    assert_eq!(arena.output(&["rebuild", "--from-logs", "--force", "out"]).status.code(), Some(0));
    assert_eq!(games_of(&arena.out().join("journal.jsonl")).len(), 6);
}

#[test]
fn rebuild_check_reports_a_run_in_progress() {
    let ready = Ready::new();
    let arena = Arena::new(HELD);
    let mut running = arena.start(Some(&ready));
    drop(ready.next());
    running.hear("[1/6] ");
    let _held = ready.next();
    let output = arena.output(&["rebuild", "--check", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("out: a run is in progress; the "), "{}", text(&output.stdout));
    // The check reports invalid logs even during a run.
    fs::write(arena.out().join("games/r1-random-greedy.log"), "forged\n").expect("written");
    let output = arena.output(&["rebuild", "--check", "out"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("r1-random-greedy.log"), "{}", text(&output.stderr));
}
