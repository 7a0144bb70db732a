//! The diagnoses of `check` for small faulty bots: each bot's intended cause, in the scenarios that show it. Correct
//! bots that look similar get no diagnosis.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use gothello_arena::drill::diagnosis::Cause;
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use crate::players::languages::is_installed;

/// The result of a check: each trial that has causes, as `clock.black D01`, and the whole JSON.
struct Told {
    causes: BTreeSet<String>,
    json: Value,
}

impl Told {
    /// The first diagnosis.
    fn first(&self) -> &Value {
        let trials = self.json["players"][0]["scenarios"].as_array().expect("trials");
        trials.iter().find_map(|trial| trial["diagnoses"].get(0)).expect("a diagnosis")
    }
}

/// Copies `files` from the folder of faulty bots to a separate directory and checks the bot with `scenarios`. `options`
/// precede the command, whose words are `command`.
fn check(files: &[&str], scenarios: &[&str], options: &[&str], command: &[&str]) -> Told {
    let dir = directory_with(files);
    let only = scenarios.iter().flat_map(|id| ["--only", *id]);
    told(
        dir.path(),
        ["--dir", "bot"].iter().chain(options).copied().chain(only).chain(["--command"]).chain(command.iter().copied()),
    )
}

/// Runs the hello scenario on a bot that never says hello and is the only program of a tournament, with a timeout of
/// three seconds. `files` are the bot's files, and `keys` are the player's keys.
fn awaited(files: &[&str], keys: &str) -> Told {
    let dir = directory_with(files);
    let players = format!(
        "[[player]]\nname = \"mute\"\ndir = \"bot\"\n{keys}\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n"
    );
    fs::write(dir.path().join("class.toml"), format!("hello_timeout = \"3s\"\n{players}")).expect("written");
    told(dir.path(), ["class.toml", "--bots", "--only", "hello"])
}

/// A directory with the directory `bot`, which contains copies of `files` from the folder of faulty bots.
fn directory_with(files: &[&str]) -> TempDir {
    let dir = TempDir::new().expect("a directory");
    let faulty = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/faulty");
    let bot = dir.path().join("bot");
    fs::create_dir(&bot).expect("made");
    for file in files {
        fs::copy(faulty.join(file), bot.join(file)).expect(file);
    }
    dir
}

/// The output of `check` in `dir` with `options`.
fn told<'a>(dir: &Path, options: impl IntoIterator<Item = &'a str>) -> Told {
    let mut arena = Command::new(program());
    arena.current_dir(dir).args(["check", "--format", "json", "--jobs", "4"]).args(options);
    let output = arena.output_in_time().expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{stderr}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    let trials = json["players"][0]["scenarios"].as_array().expect("trials");
    let causes = trials.iter().flat_map(|trial| {
        let of_trial = trial["diagnoses"].as_array().expect("diagnoses").iter();
        of_trial.map(|found| format!("{}.{} {}", word(&trial["id"]), word(&trial["side"]), word(&found["code"])))
    });
    Told { causes: causes.collect(), json }
}

fn word(value: &Value) -> &str {
    value.as_str().expect("text")
}

/// Checks a bot in Python.
fn python(name: &str, scenarios: &[&str], options: &[&str]) -> Told {
    let file = format!("{name}.py");
    check(&["correct.py", &file], scenarios, options, &["python3", &file, "{side}", "{host}", "{server}"])
}

/// Asserts that a bot in Python has this cause in the trials `shown`, and no other in any trial.
fn assert_told(name: &str, scenarios: &[&str], cause: &str, shown: &[&str]) -> Told {
    assert_told_of(name, python(name, scenarios, &[]), cause, shown)
}

fn assert_told_of(name: &str, told: Told, cause: &str, shown: &[&str]) -> Told {
    for trial in shown {
        assert!(
            told.causes.contains(&format!("{trial} {cause}")),
            "{name}, {trial}: {:?} {:#}",
            told.causes,
            told.json
        );
    }
    assert!(!shown.is_empty() || !told.causes.is_empty(), "{name}: nothing: {:#}", told.json);
    assert!(told.causes.iter().all(|found| found.ends_with(cause)), "{name}: {:?} {:#}", told.causes, told.json);
    told
}

const CLOCK: [&str; 2] = ["clock.black", "clock.white"];
const HELLO: [&str; 2] = ["hello.black", "hello.white"];

#[test]
fn clients_that_fail_on_the_line_101_are_told_their_line() {
    let told = assert_told("old_client", &["plain", "clock"], "D01", &CLOCK);
    let found = told.first();
    assert_eq!((word(&found["file"]), found["line"].as_u64()), ("old_client.py", Some(14)));
    assert!(word(&found["fix"]).contains("`self.my_time = self.black_time_control`"), "{found}");
    assert_told("expects_100", &["plain", "clock"], "D01", &CLOCK);
}

#[test]
fn bots_that_do_not_find_the_referee_or_what_they_need_are_told_why() {
    let told = assert_told("fixed_host", &["hello"], "D02", &HELLO);
    assert_eq!((word(&told.first()["file"]), told.first()["line"].as_u64()), ("fixed_host.py", Some(8)));
    let told = assert_told("swallows", &["hello"], "D02", &HELLO);
    assert_eq!((word(&told.first()["file"]), told.first()["line"].as_u64()), ("swallows.py", Some(10)));
    assert_told("fixed_side", &["hello"], "D03", &["hello.black"]);
    for name in ["depth_argument", "argument_order", "usage"] {
        assert_told(name, &["hello"], "D03", &HELLO);
    }
    let told = assert_told("speaks_on_stdout", &["hello"], "D21", &HELLO);
    assert!(word(&told.first()["evidence"][0]).starts_with("stdout: 0.9.1 player "), "{:#}", told.json);
    for name in ["missing_module", "missing_file"] {
        assert_told(name, &["hello"], "D14", &HELLO);
    }
    let command = ["java", "-cp", ".", "Unflushed", "{side}", "{host}", "{server}"];
    if is_installed("java") {
        assert_told_of("no class", check(&["Unflushed.java"], &["hello"], &[], &command), "D14", &HELLO);
    }
    if is_installed("node") {
        let told = check(&["fixed_host.js"], &["hello"], &[], &["node", "fixed_host.js", "{side}"]);
        assert_eq!(assert_told_of("fixed_host.js", told, "D02", &HELLO).first()["line"], 4);
    }
}

#[test]
fn bots_with_a_wrong_board_are_told_how_it_is_wrong() {
    let scenarios = ["captures", "moves-codes"];
    for (name, cause) in [
        ("no_captures", "D04"),
        ("removes_stones", "D04"),
        ("go_suicide", "D05"),
        ("upside_down", "D06"),
        ("upside_down_reading", "D06"),
        ("transposed", "D06"),
    ] {
        let shown: &[&str] = if cause == "D06" { &["moves-codes.black", "moves-codes.white"] } else { &[] };
        assert_told(name, if cause == "D06" { &scenarios } else { &["captures", "legal-20"] }, cause, shown);
    }
}

#[test]
fn bots_that_write_lines_wrongly_are_told_how() {
    assert_told("pass_back", &["opponent-passes"], "D07", &["opponent-passes.black", "opponent-passes.white"]);
    assert_told("no_dots", &["plain"], "D08", &["plain.white"]);
    for name in ["from_zero", "counts_plies"] {
        assert_told(name, &["plain"], "D08", &["plain.black", "plain.white"]);
    }
}

#[test]
fn bots_whose_lines_stay_in_a_buffer_are_told_so() {
    let keys = r#"command = ["python3", "unflushed_file.py", "{side}", "{host}", "{server}"]"#;
    assert_told_of("unflushed_file", awaited(&["correct.py", "unflushed_file.py"], keys), "D09", &HELLO);
    let told = python("unflushed_moves", &["plain"], &["--stdio", "--time", "1s"]);
    assert_told_of("unflushed_moves", told, "D09", &["plain.black", "plain.white"]);
    let told = python("unflushed_passes", &["plain", "must-pass"], &["--stdio", "--time", "1s"]);
    assert_told_of("unflushed_passes", told, "D09", &["must-pass.black", "must-pass.white"]);
}

// Each of the bots below runs into the longest timeout, so each has its own test, and the tests wait at the same time.
#[test]
fn a_bot_in_java_whose_lines_stay_in_a_buffer_is_told_so() {
    if is_installed("javac") {
        let keys = r#"command = ["java", "-cp", ".", "Unflushed", "{side}", "{host}", "{server}"]
            build = ["javac", "-d", ".", "Unflushed.java"]"#;
        assert_told_of("Unflushed.java", awaited(&["Unflushed.java"], keys), "D09", &HELLO);
    }
}

#[test]
fn a_bot_in_c_whose_lines_stay_in_a_buffer_is_told_so() {
    if is_installed("gcc") {
        let keys = r#"command = ["./bot"]
            transport = "stdio"
            build = ["gcc", "-o", "bot", "unflushed.c"]"#;
        let told = awaited(&["unflushed.c"], keys);
        assert_eq!(assert_told_of("unflushed.c", told, "D09", &HELLO).first()["line"], 7);
    }
}

#[test]
fn bots_that_read_what_comes_for_a_line_are_told_so() {
    assert_told("one_recv", &["plain", "split"], "D10", &["split.black", "split.white"]);
}

#[test]
fn bots_that_do_not_know_an_end_are_told_which() {
    assert_told("draw_raises", &["win", "draw"], "D11", &["draw.black", "draw.white"]);
    let early = ["opponent-resigns.black", "opponent-leaves.white", "opponent-flags.black"];
    let scenarios = ["win", "opponent-resigns", "opponent-leaves", "opponent-flags", "own-flag"];
    assert_told("early_ends_raise", &scenarios, "D12", &early);
    assert_told("early_ends_hang", &scenarios, "D12", &["opponent-leaves.black", "opponent-leaves.white"]);
    for name in ["exit_status", "reads_on"] {
        assert_told(name, &["win", "draw"], "D17", &["win.black", "win.white", "draw.black", "draw.white"]);
    }
}

#[test]
fn bots_that_are_wrong_about_time_are_told_how() {
    assert_told("swapped_times", &["clock-uneven"], "D13", &["clock-uneven.black", "clock-uneven.white"]);
    // On a busy machine, a bot that polls gets too little CPU time to be noticed.
    assert!(python("busy_wait", &["slow"], &[]).causes.iter().all(|found| found.ends_with("D15")));
    assert_told("slow", &["clock"], "D16", &CLOCK);
}

#[test]
fn a_bot_that_adds_up_its_own_clock_fails_when_it_needs_its_increments() {
    let told = python("sums_clock", &["clock-increment"], &["--time", "2s + 1s"]);
    let shown = ["clock-increment.black", "clock-increment.white"];
    let told = assert_told_of("sums_clock", told, "D18", &shown);
    assert!(word(&told.first()["text"]).contains("`RuntimeError: my time is over`"), "{:#}", told.json);
}

#[test]
fn a_move_that_takes_too_long_loses_on_time_unless_there_is_a_bank() {
    for (time, id, failure) in [
        (
            "1s/move",
            "clock-move",
            Some("Its time ran out after its move 2: its move 3 took longer than the 1 s allowed for a move."),
        ),
        ("1s/move, bank 5s", "clock-bank", None),
    ] {
        let told = python("dreams_once", &[id], &["--time", time]);
        let shown = ["clock-move.black D16", "clock-move.white D16"].map(str::to_owned);
        assert_eq!(told.causes, shown.into_iter().filter(|_| failure.is_some()).collect(), "{time}: {:#}", told.json);
        let json = told.json;
        for trial in json["players"][0]["scenarios"].as_array().expect("trials") {
            let expected = if failure.is_some() { "fail" } else { "pass" };
            assert_eq!((word(&trial["id"]), word(&trial["status"])), (id, expected), "{json:#}");
            assert!(word(&trial["summary"]).starts_with(failure.unwrap_or_default()), "{json:#}");
        }
    }
}

#[test]
fn sound_bots_and_faults_without_a_cause_are_told_nothing() {
    let scenarios =
        ["plain", "clock", "captures", "opponent-passes", "win", "draw", "opponent-leaves", "split", "slow"];
    for name in ["correct", "thinks", "passes_ahead", "resigns"] {
        assert_eq!(python(name, &scenarios, &[]).causes, BTreeSet::new(), "{name}");
    }
    for (name, scenarios) in [
        ("passes_by_choice", &["captures", "legal-20"][..]),
        ("hangs_on_299", &["garbled"]),
        ("never_leaves", &["opponent-leaves", "opponent-resigns", "win", "loss"]),
    ] {
        assert_eq!(python(name, scenarios, &["--time", "3s"]).causes, BTreeSet::new(), "{name}");
    }
}

#[test]
fn a_bot_that_flushes_what_it_writes_and_sleeps_buffers_nothing() {
    assert_eq!(python("sleeps", &["plain"], &["--time", "1s"]).causes, BTreeSet::new());
}

#[test]
fn bots_that_know_no_rules_are_told_so_once() {
    for name in ["any_empty", "any_point"] {
        let scenarios = ["plain", "captures", "legal-20", "must-pass"];
        let told = assert_told(name, &scenarios, "D20", &["legal-20.black", "legal-20.white"]);
        let refused = |trial: &&Value| word(&trial["summary"]).contains("refused");
        let trials = told.json["players"][0]["scenarios"].as_array().expect("trials").iter();
        for trial in trials.filter(|trial| trial["status"] == "fail").filter(refused) {
            assert_eq!(trial["diagnoses"].as_array().map(Vec::len), Some(1), "{trial:#}");
        }
    }
}

#[test]
fn bots_that_do_not_wait_are_told_so_and_not_to_count() {
    assert_told("moves_first", &["plain"], "D19", &["plain.white"]);
    assert_told("moves_twice", &["plain", "refused"], "D19", &["refused.black", "refused.white"]);
}

#[test]
fn an_exception_from_the_bots_own_files_is_reported_with_its_line() {
    let told = assert_told("raises", &["plain", "split"], "D18", &["plain.black", "split.black", "split.white"]);
    let found = told.first();
    assert_eq!((word(&found["file"]), found["line"].as_u64()), ("raises.py", Some(12)));
    assert!(word(&found["text"]).contains("`IndexError: list index out of range`"), "{found}");
    let told = python("crashes_by_chance", &["plain", "split", "merged", "clock", "draw", "opponent-leaves"], &[]);
    assert!(told.causes.iter().all(|found| found.ends_with("D18")), "{:?}", told.causes);
}

#[test]
fn the_page_about_checking_has_every_cause_with_an_example() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bot/check.md")).expect("the page");
    let (_, section) = page.split_once("\n## Diagnoses\n").expect("a section on diagnoses");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| D")).collect();
    let expected: Vec<String> = Cause::ALL.iter().map(|cause| format!("| {cause} | {} |", cause.title())).collect();
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(&expected) {
        assert!(row.starts_with(expected), "{row} should begin with {expected}");
    }
    for cause in Cause::ALL {
        assert!(section.contains(&format!("\n### {cause}: {}\n", cause.title())), "{cause} has no example");
    }
}
