//! The cached analyses of a run: no game is searched twice, and nothing else depends on the cache.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use gothello_arena::referee::record::GameRecord;
use gothello_arena::results::analysis::Analysis;
use gothello_arena::results::analysis::kept::KeptAnalysis;
use serde_json::json;

use crate::confinement::probes::User;
use crate::harness::arena::{Arena, random_and_greedy, text};
use crate::harness::waiting::{InTime as _, Lines};
use crate::house::json::{fits, strict};

/// A finished run of two games, and its records.
fn played() -> (Arena, Vec<GameRecord>) {
    let arena = Arena::new(concat!("seed = 5\n", random_and_greedy!()));
    assert!(arena.run(&[]).status.success());
    let records = arena.results().iter().map(|row| arena.record(&row["game"])).collect();
    (arena, records)
}

/// The cached lines of the run; empty if there is no file.
fn lines(arena: &Arena) -> Vec<String> {
    let text = fs::read_to_string(arena.out().join("analysis.jsonl")).unwrap_or_default();
    text.lines().map(|line| format!("{line}\n")).collect()
}

/// Writes to the cache, for each of `records`, that an hour of searching found nothing.
fn keep_nothing_known(arena: &Arena, records: &[GameRecord]) {
    let lines = records.iter().map(|record| {
        let analysis = Analysis::of(record, |_| None, |_, _, _| None).expect("Gothello has a solver");
        KeptAnalysis::of(record, &analysis, Duration::from_hours(1)).to_line()
    });
    fs::write(arena.out().join("analysis.jsonl"), lines.collect::<String>()).expect("written");
}

/// The output of the program with the arguments `args`, which it must accept without printing anything to stderr.
fn quietly(arena: &Arena, args: &[&str]) -> String {
    let output = arena.output(args);
    assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn the_second_time_standings_and_analyze_print_the_same_and_search_nothing() {
    let (arena, records) = played();
    let standings = ["standings", "out", "--accuracy=1s"];
    let first = quietly(&arena, &standings);
    let kept = lines(&arena);
    assert_eq!(kept.len(), records.len());
    assert_eq!(quietly(&arena, &standings), first);
    let analyze = ["analyze", "out", "--json", "--budget", "1s"];
    assert_eq!(quietly(&arena, &analyze), quietly(&arena, &analyze));
    let log = format!("out/games/{}.log", records[0].game.as_deref().expect("an id"));
    assert!(quietly(&arena, &analyze).contains(&quietly(&arena, &["analyze", &log, "--json", "--budget", "1s"])));
    assert_eq!(lines(&arena), kept);
    // According to the cache, nothing is known, but a search would find something.
    keep_nothing_known(&arena, &records);
    let moves: usize = records.iter().map(|record| record.plies.len()).sum();
    assert!(quietly(&arena, &standings).contains(&format!("{moves} of {moves} moves could not be judged")));
    let anew = quietly(&arena, &["standings", "out", "--accuracy=1s", "--no-cache"]);
    assert!(!anew.contains(&format!("{moves} of {moves} moves could not be judged")));
    keep_nothing_known(&arena, &records);
    let hour = ["analyze", "out", "--json", "--budget", "1h"];
    assert!(quietly(&arena, &hour).contains("\"before\":null,\"after\":null"));
}

#[test]
fn a_larger_budget_searches_again_and_replaces_the_line() {
    let (arena, records) = played();
    quietly(&arena, &["analyze", "out", "--budget", "1s"]);
    quietly(&arena, &["analyze", "out", "--budget", "2s"]);
    let kept = lines(&arena);
    assert_eq!(kept.len(), records.len(), "tidied");
    for (line, record) in kept.iter().flat_map(|line| records.iter().map(move |record| (line, record))) {
        let read = KeptAnalysis::read(&mut line.clone().into_bytes()).expect("whole");
        let Some(analysis) = read.analysis(record) else { continue };
        let is_complete = analysis.is_complete(record.ruleset);
        assert!(is_complete || read.budget() == Duration::from_secs(2), "{line}");
    }
}

#[test]
fn a_killed_analysis_loses_nothing_that_was_finished() {
    let (arena, _) = played();
    let mut command = arena.command(&["analyze", "out", "--json", "--budget", "2s"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).start().expect("it starts");
    let first = Lines::new(child.stdout.take().expect("piped")).line("the analysis of the first game");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(!lines(&arena).is_empty(), "a game is kept before it is printed");
    let again = quietly(&arena, &["analyze", "out", "--json", "--budget", "2s"]);
    assert_eq!(again.lines().next().expect("a line"), first.trim_end());
}

#[test]
fn two_processes_at_a_time_do_no_harm() {
    let (arena, records) = played();
    let start = || {
        let mut command = arena.command(&["analyze", "out", "--budget", "1s"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).start().expect("it starts")
    };
    for child in [start(), start()] {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    }
    quietly(&arena, &["standings", "out", "--accuracy=1s"]);
    assert_eq!(lines(&arena).len(), records.len());
}

#[test]
fn a_directory_that_may_only_be_read_keeps_nothing_and_says_so() {
    let (arena, records) = played();
    let user = if rustix::process::geteuid().is_root() { User::Ordinary } else { User::Same };
    for (path, mode) in [(arena.path().to_owned(), 0o755), (arena.out(), 0o555)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
    }
    let mut command = arena.command(&["standings", "out", "--accuracy=1s"]);
    let output = user.run(&mut command).output_in_time().expect("it starts");
    fs::set_permissions(arena.out(), Permissions::from_mode(0o755)).expect("set");
    let said = text(&output.stderr);
    assert!(output.status.success() && text(&output.stdout).contains("Accuracy"), "{said}");
    assert!(said.contains("cannot write `out/analysis.jsonl`, so new analyses are not stored"), "{said}");
    assert_eq!((said.lines().count(), lines(&arena).len()), (1, 0), "{said}");
    // A user without write permission can still use the existing cache.
    keep_nothing_known(&arena, &records);
    fs::set_permissions(arena.out(), Permissions::from_mode(0o555)).expect("set");
    let output =
        user.run(&mut arena.command(&["standings", "out", "--accuracy=1s"])).output_in_time().expect("it starts");
    fs::set_permissions(arena.out(), Permissions::from_mode(0o755)).expect("set");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn what_is_kept_is_not_part_of_the_run() {
    let (arena, _) = played();
    let before = fs::read(arena.out().join("journal.jsonl")).expect("read");
    fs::write(arena.out().join("analysis.jsonl"), "damage\n").expect("written");
    assert!(quietly(&arena, &["rebuild", "--check", "out"]).contains("are correct"));
    assert!(arena.output(&["rebuild", "out"]).status.success() && arena.run(&[]).status.success());
    assert_eq!(lines(&arena), ["damage\n"]);
    assert_eq!(fs::read(arena.out().join("journal.jsonl")).expect("read"), before);
    let output = arena.output(&["analyze", "out", "--budget", "1s"]);
    assert!(output.status.success() && text(&output.stderr).contains("1 line is damaged"), "{}", text(&output.stderr));
    assert!(!lines(&arena).concat().contains("damage"));
}

#[test]
fn logs_outside_a_run_keep_nothing() {
    let (arena, records) = played();
    let name = format!("{}.log", records[0].game.as_deref().expect("an id"));
    let other = arena.path().join("other/games");
    fs::create_dir_all(&other).expect("made");
    fs::copy(arena.out().join("games").join(&name), other.join(&name)).expect("copied");
    quietly(&arena, &["analyze", &format!("other/games/{name}"), "other", "other/games", "--budget", "1s"]);
    quietly(&arena, &["analyze", "out", "--no-cache", "--budget", "1s"]);
    let found = |dir: &str| arena.path().join(dir).join("analysis.jsonl").exists();
    assert!(!["other", "other/games", "out", "out/games", "."].into_iter().any(found));
}

#[test]
fn the_lines_that_are_kept_fit_their_schema() {
    let (arena, _) = played();
    quietly(&arena, &["analyze", "out", "--budget", "1s"]);
    let validator = strict("analysis-cache");
    for line in lines(&arena) {
        let good = fits(&validator, &line);
        for (field, wrong) in [
            ("format", json!(2)),
            ("ruleset", json!(5)),
            ("moves_sha256", json!("abc")),
            ("budget_ms", json!(-1)),
            ("moves", json!([{ "ply": 1 }])),
            ("sum", json!("xyz")),
            ("surprise", json!(1)),
        ] {
            let mut bad = good.clone();
            bad[field] = wrong;
            assert!(!validator.is_valid(&bad), "{bad}");
        }
    }
}
