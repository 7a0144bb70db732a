//! `check --bots` under `clock = "cpu"`: clocks count the CPU time of the bot's processes, as in a run, and
//! `wall_limit` bounds the bot's turns.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::confinement::probes::can_confine;
use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;

/// The report of checking a bot under `keys` in `scenarios` only. Before each of its first `moves` moves, the bot
/// either computes or sleeps, as `way` says, for `seconds` seconds.
fn checked(keys: &str, (seconds, moves, way): (&str, u32, &str), scenarios: &[&str]) -> Value {
    let dir = TempDir::new().expect("a directory");
    let bot = dir.path().join("bot");
    fs::create_dir(&bot).expect("made");
    for file in ["correct.py", "uses_time.py"] {
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/faulty").join(file), bot.join(file))
            .expect(file);
    }
    let isolation = if can_confine() { "require" } else { "off" };
    let file = format!(
        "isolation = \"{isolation}\"\n{keys}\n[[player]]\nname = \"heron\"\ndir = \"bot\"\n\
         command = [\"python3\", \"uses_time.py\", \"{seconds}\", \"{moves}\", \"{way}\", \"{{side}}\", \"{{host}}\", \"{{server}}\"]\n\
         [[player]]\nname = \"random\"\nbuiltin = \"random\"\n"
    );
    fs::write(dir.path().join("class.toml"), file).expect("written");
    let mut arena = Command::new(program());
    arena.args(["check", "class.toml", "--bots", "--format", "json", "--jobs", "2"]).current_dir(dir.path());
    arena.args(scenarios.iter().flat_map(|id| ["--only", *id]));
    let output = arena.output_in_time().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// The status and the summary of each trial.
fn trials(report: &Value) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().expect("text").to_owned();
    let of_player = report["players"][0]["scenarios"].as_array().expect("trials").iter();
    of_player.map(|trial| (word(&trial["status"]), word(&trial["summary"]))).collect()
}

/// The codes of all causes that the report names.
fn causes(report: &Value) -> Vec<&str> {
    let of_player = report["players"][0]["scenarios"].as_array().expect("trials").iter();
    of_player
        .flat_map(|trial| trial["diagnoses"].as_array().expect("causes"))
        .filter_map(|found| found["code"].as_str())
        .collect()
}

const CLOCK: [&str; 1] = ["clock"];

#[test]
fn a_bot_that_sleeps_beyond_its_clock_passes_and_one_that_computes_loses_on_time() {
    let keys = "time = \"1s\"\nclock = \"cpu\"\nwall_limit = \"10m\"";
    for (status, summary) in trials(&checked(keys, ("0.7", 2, "sleeps"), &CLOCK)) {
        assert_eq!(status, "pass", "{summary}");
    }
    let report = checked(keys, ("0.7", 2, "computes"), &CLOCK);
    for (status, summary) in trials(&report) {
        assert_eq!(status, "fail", "{summary}");
        assert!(
            summary.starts_with("Its time ran out after its move 1: it had used all of its 1 s of CPU time."),
            "{summary}"
        );
    }
    assert_eq!(causes(&report), ["D16", "D16"], "{report:#}");
    // On a wall clock, sleeping is just as bad.
    for (status, summary) in trials(&checked("time = \"1s\"", ("0.7", 2, "sleeps"), &CLOCK)) {
        assert!(status == "fail" && summary.starts_with("Its time ran out after its move 1."), "{summary}");
    }
}

#[test]
fn the_wall_limit_ends_a_game_of_a_bot_that_waits() {
    let report = checked("time = \"5s\"\nclock = \"cpu\"\nwall_limit = \"4s\"", ("3", 2, "sleeps"), &CLOCK);
    for (status, summary) in trials(&report) {
        assert_eq!(status, "fail");
        let why =
            ": its turns took more than 4 s of wall time in all (key `wall_limit`), of which it computed for only 0.";
        assert!(summary.starts_with(&format!("Its time ran out after its move 1{why}")), "{summary}");
    }
    assert_eq!(causes(&report), [""; 0], "{report:#}");
}

#[test]
fn a_bot_that_computes_for_most_of_each_move_is_ready() {
    let keys = "move_time = \"1s\"\nclock = \"cpu\"";
    let report = checked(keys, ("0.9", 2, "computes"), &["hello", "plain", "clock", "clock-move", "own-flag"]);
    for (status, summary) in trials(&report) {
        assert!(status == "pass" || status == "warn", "{status}: {summary}");
        if status == "warn" {
            assert!(
                summary.starts_with("It used 0.9") && summary.contains(" of 1 s of CPU time for its move "),
                "{summary}"
            );
        }
    }
    // The verdict is open only because some scenarios were left out.
    assert_eq!(report["players"][0]["verdict"], "open", "{report:#}");
}
