//! `gothello-arena grade` from the rubric to the files, with real games. Checks of bots take a long time, so most tests
//! plant their results.

mod other_bots;
mod planted;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::harness::arena::{Arena, TIMEOUT, text};
use crate::harness::waiting::{InTime as _, pause};
use crate::house::json::{fits, strict};
use planted::{make_bot, plant_checks};
pub(crate) use planted::{make_bot_of, plant_checks_with};

/// Two students, whose bots are built-in bots wrapped in scripts.
const CLASS: &str = r#"
isolation = "off"
time = "1m"
[[player]]
name = "Strong One"
dir = "bots/strong_one"
command = ["./play", "{side}", "{host}", "{port}"]
[[player]]
name = "weak"
dir = "bots/weak"
command = ["./play", "{side}", "{host}", "{port}"]
[[player]]
name = "greedy"
builtin = "greedy"
"#;

const RUBRIC: &str = r#"
title = "Test"
total = 60
[play]
games = 4
max_games = 6
seed = 5
analysis = "100ms"
[[item]]
id = "protocol"
points = 20
check = { level = "must" }
[[item]]
id = "no-forfeits"
points = 10
forfeits = { full = 0, zero = 5 }
[[item]]
id = "beats-random"
points = 30
against = "random"
score = { full = 0.9, zero = 0.5, confidence = 0.6, doubt = "none" }
[[item]]
id = "writeup"
points = 0
manual = true
"#;

/// A class with planted checks.
fn class() -> Arena {
    class_of(CLASS)
}

/// The class whose tournament file is `file`, with planted checks.
fn class_of(file: &str) -> Arena {
    let arena = Arena::new(file);
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
    make_bot(&arena, "strong_one", "greedy");
    make_bot(&arena, "weak", "random");
    plant_checks(&arena);
    arena
}

fn grade(arena: &Arena, more: &[&str]) -> Output {
    arena.output(&[&["grade", "class.toml", "--rubric", "rubric.toml"], more].concat())
}

/// Every file below `dir` with its content, sorted by name.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path());
    let mut all: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for path in entries {
        if path.is_dir() { all.extend(files(&path)) } else { all.push((path.clone(), fs::read(&path).expect("read"))) }
    }
    all.sort();
    all
}

/// The result of grading the class: points and reasons, without the evidence.
fn grades(arena: &Arena) -> [Vec<u8>; 2] {
    ["grades.csv", "audit.json"].map(|name| fs::read(arena.path().join("grades").join(name)).expect("written"))
}

#[test]
fn a_class_is_graded_and_grading_it_again_changes_no_byte() {
    let arena = class();
    let forecast = grade(&arena, &["--dry-run"]);
    let forecast = text(&forecast.stdout);
    assert!(forecast.contains("Strong One  check is done; 4 games of about 10ms each, and up to 2 more"), "{forecast}");
    assert!(!arena.path().join("grades/run").exists(), "a forecast plays nothing");
    let first = grade(&arena, &[]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let table = text(&first.stdout);
    assert!(table.contains("player      of 60  protocol  no-forfeits  beats-random  writeup"), "{table}");
    assert!(table.contains("greedy is not graded: it is a built-in bot."), "{table}");

    let [csv, audit] = grades(&arena).map(|bytes| text(&bytes));
    let head =
        "player,moodle_id,email,total,max,bonus,borderline,incomplete,late,note,protocol_points,protocol_figure,";
    assert!(csv.starts_with(head), "{csv}");
    assert!(csv.contains("\nStrong One,,,"), "{csv}");
    let audit = fits(&strict("audit"), &audit);
    let strong = &audit["students"][0];
    assert_eq!(strong["marks"][0]["points"], 20.0);
    let ids: Vec<&str> =
        strong["marks"][2]["games"].as_array().expect("games").iter().filter_map(Value::as_str).collect();
    assert!(ids.contains(&"strong_one/random/r1-strong_one-random"), "{ids:?}");
    for game in strong["games"].as_array().expect("games") {
        let log = arena.path().join("grades").join(game["log"].as_str().expect("a path"));
        assert!(log.is_file(), "{}", log.display());
    }
    assert_eq!(strong["marks"][3]["state"], "manual");
    fits(&strict("drill"), &fs::read_to_string(arena.path().join("grades/check/weak/drill.json")).expect("there"));

    let before = files(&arena.path().join("grades"));
    let again = grade(&arena, &[]);
    assert_eq!((again.status.code(), &again.stdout), (Some(0), &first.stdout));
    assert!(files(&arena.path().join("grades")) == before, "a second grading changes a file");
    let by_another_path = arena.path().join("grades");
    let again = grade(&arena, &["--out", &by_another_path.to_string_lossy()]);
    assert_eq!((again.status.code(), &again.stdout), (Some(0), &first.stdout));
    assert!(files(&by_another_path) == before, "the files depend on the path of their directory");
    let forecast = text(&grade(&arena, &["--dry-run"]).stdout);
    assert!(forecast.contains("Strong One  check is done; no games to play\n"), "{forecast}");

    // Printing the marks of one student, or of one item, writes no files.
    let json = grade(&arena, &["--json"]);
    assert_eq!(text(&json.stdout), text(&grades(&arena)[1]));
    let one = grade(&arena, &["--only", "weak"]);
    assert!(text(&one.stdout).starts_with("weak: "), "{}", text(&one.stdout));
    let item = grade(&arena, &["--only", "weak", "--item", "protocol"]);
    assert_eq!(
        (item.status.code(), text(&item.stdout).as_str()),
        (Some(0), "points 20/20\nPassed 1 of 1 check that every bot must pass.\n")
    );
    let item = grade(&arena, &["--only", "weak", "--item", "beats-random"]);
    assert_eq!(item.status.code(), Some(3), "{}", text(&item.stdout));
    assert!(files(&arena.path().join("grades")) == before);
}

#[test]
fn a_grading_that_is_killed_goes_on_and_ends_with_the_same_bytes() {
    let arena = class();
    assert_eq!(grade(&arena, &["--concurrency", "1"]).status.code(), Some(0));
    let whole = grades(&arena);
    fs::remove_dir_all(arena.path().join("grades")).expect("removed");
    plant_checks(&arena);
    // Each grading is killed once a file has the given number of lines, unless the grading ends earlier. The test must
    // pass no matter when the kill comes.
    for (name, lines) in [
        ("run/strong_one/random/journal.jsonl", 1),
        ("run/strong_one/random/journal.jsonl", 3),
        ("run/weak/random/journal.jsonl", 2),
        ("run/weak/random/journal.jsonl", 4),
        ("run/analysis.jsonl", 1),
        ("grades.csv", 1),
        ("feedback/strong_one.md", 1),
    ] {
        let mut command = arena.command(&["grade", "class.toml", "--rubric", "rubric.toml", "--concurrency", "1"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).start().expect("it starts");
        let file = arena.path().join("grades").join(name);
        let deadline = Instant::now() + TIMEOUT;
        while child.try_wait().expect("asked").is_none()
            && fs::read_to_string(&file).unwrap_or_default().lines().count() < lines
        {
            assert!(Instant::now() < deadline, "{} never had {lines} lines", file.display());
            pause();
        }
        let _ = child.kill();
        child.wait().expect("reaped");
    }
    let last = grade(&arena, &["--concurrency", "1"]);
    assert_eq!(last.status.code(), Some(0), "{}", text(&last.stderr));
    assert!(grades(&arena) == whole, "{}\n{}", text(&grades(&arena)[0]), text(&whole[0]));
}

/// A bot that exits after its first move, so its check is over soon and has something to report in many scenarios.
const RAISES: &str = r"
import os, sys
side = os.environ['GOTHELLO_SIDE']
print('0.9.1 player', side, flush=True)
for line in sys.stdin:
    code = int(line.split()[0])
    if side == 'black' and code in (351, 352):
        print('1 c3', flush=True)
    elif side == 'white' and code in (311, 315):
        print('1 ... d4' if ' b2' in line else '1 ... b2', flush=True)
    elif 311 <= code <= 318:
        raise ValueError('no second move')
";

#[test]
fn a_check_that_is_interrupted_goes_on_with_the_next_scenario_and_gives_the_same_bytes() {
    let class = "isolation = \"off\"\ntime = \"7s\"\nvoid_retries = 0\n[[player]]\nname = \"ann\"\ndir = \"ann\"\ntransport = \"stdio\"\n\
                 command = [\"python3\", \"bot.py\"]\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n";
    let rubric = "title = \"Test\"\ntotal = 10\n[[item]]\nid = \"check\"\npoints = 10\ncheck = { level = \"must\" }\n";
    let arena = Arena::new(class);
    fs::create_dir(arena.path().join("ann")).expect("made");
    fs::write(arena.path().join("ann/bot.py"), RAISES).expect("written");
    fs::write(arena.path().join("rubric.toml"), rubric).expect("written");
    let told = ["grades.csv", "audit.json", "feedback/ann.html", "feedback/ann.md"];
    let whole = |arena: &Arena| told.map(|name| fs::read(arena.path().join("grades").join(name)).expect("written"));
    let output = grade(&arena, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let undisturbed = whole(&arena);
    let page = text(&undisturbed[3]);
    assert!(page.contains("**Your bot stops with") && page.contains("(D18, up to"), "{page}");
    fs::remove_dir_all(arena.path().join("grades")).expect("removed");

    // Each grading is ended by a signal once its check has finished at least one scenario more than the previous
    // grading's check.
    let dir = arena.path().join("grades/check/ann");
    let mut before = String::new();
    for signal in [Signal::KILL, Signal::INT, Signal::KILL, Signal::TERM] {
        let mut command = arena.command(&["grade", "class.toml", "--rubric", "rubric.toml"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).start().expect("it starts");
        let (deadline, log) = (Instant::now() + TIMEOUT, dir.join("trials.jsonl"));
        while fs::read_to_string(&log).unwrap_or_default().lines().count() <= before.lines().count() + 1 {
            assert!(child.try_wait().expect("asked").is_none(), "the grading ended on its own");
            assert!(Instant::now() < deadline, "{} has no further trial", log.display());
            pause();
        }
        kill_process(Pid::from_child(&child), signal).expect("it runs");
        child.wait().expect("reaped");
        let now = fs::read_to_string(&log).expect("kept");
        let whole_lines = before.rfind('\n').map_or("", |end| &before[..=end]);
        assert!(now.starts_with(whole_lines), "{signal:?}: finished scenarios are not repeated");
        before = now;
    }
    assert!(!dir.join("drill.json").exists());
    let last = grade(&arena, &[]);
    assert_eq!(last.status.code(), Some(0), "{}", text(&last.stderr));
    for (name, (now, then)) in told.into_iter().zip(whole(&arena).into_iter().zip(undisturbed)) {
        assert!(now == then, "{name}: {}\n{}", text(&now), text(&then));
    }
    assert!(!dir.join("trials.jsonl").exists());
    // The check uses the clocks of the tournament file.
    let kept: Value = serde_json::from_slice(&fs::read(dir.join("drill.json")).expect("kept")).expect("JSON");
    assert_eq!(kept["control"], "7");
}

/// Without a scratch directory, the arena cannot start anything, so each game is void.
#[test]
fn what_the_machine_spoils_is_open_and_never_the_students() {
    let arena = class_of(&CLASS.replacen("time", "void_retries = 0\ntime", 1));
    assert_eq!(grade(&arena, &[]).status.code(), Some(0));
    let whole = grades(&arena);
    fs::remove_dir_all(arena.path().join("grades")).expect("removed");
    plant_checks(&arena);
    let check = arena.path().join("grades/check/weak/drill.json");
    fs::remove_file(&check).expect("there");
    let mut command = arena.command(&["grade", "class.toml", "--rubric", "rubric.toml"]);
    let spoiled = command.env("TMPDIR", arena.path().join("gone")).output_in_time().expect("it starts");
    let [table, stderr] = [text(&spoiled.stdout), text(&spoiled.stderr)];
    assert_eq!(spoiled.status.code(), Some(5), "{stderr}");
    for open in [
        "Strong One: 20 of 20 so far, 40 open: no-forfeits, beats-random; grade again to complete the marks.",
        "weak: 0 of 0 so far, 60 open: protocol, no-forfeits, beats-random; grade again to complete the marks.",
    ] {
        assert!(table.contains(open), "{table}{stderr}");
    }
    assert!(stderr.contains("`Strong One`: the game r1-strong_one-random is void: "), "{stderr}");
    let [csv, audit] = grades(&arena).map(|bytes| text(&bytes));
    assert!(csv.contains("\nStrong One,,,,60,0,,no-forfeits beats-random,,,20,1,"), "{csv}");
    let audit = fits(&strict("audit"), &audit);
    for student in audit["students"].as_array().expect("students") {
        let games = student["games"].as_array().expect("games");
        assert_eq!(games.len(), 4);
        assert!(games.iter().all(|game| game["score"].is_null() && game["termination"] == "void"), "{games:?}");
        assert!([1, 2].iter().all(|&item| student["marks"][item]["points"].is_null()), "{student}");
    }
    let file = |name: &str| fs::read_to_string(arena.path().join("grades").join(name)).expect("written");
    let page = file("feedback/strong_one.md");
    assert!(
        page.contains("open items lack evidence, through no fault of your own") && !page.contains("Forfeited"),
        "{page}"
    );
    let results: Value = serde_json::from_str(&file("gradescope/strong_one/results.json")).expect("JSON");
    let scores: Vec<Option<f64>> = (0..4).map(|test| results["tests"][test]["score"].as_f64()).collect();
    assert_eq!(scores, [Some(20.0), None, None, None]);
    assert!(!check.exists(), "a void check is not kept");

    // After the machine has been repaired, the same command plays the missing games, and no void games are left.
    plant_checks(&arena);
    assert_eq!(grade(&arena, &[]).status.code(), Some(0));
    assert!(grades(&arena) == whole, "{}\n{}", text(&grades(&arena)[0]), text(&whole[0]));
}

#[test]
fn redo_sets_evidence_aside() {
    let arena = class();
    fs::remove_file(arena.path().join("bots/weak/play")).expect("removed");
    let first = grade(&arena, &["--only", "weak"]);
    let refused = grade(&arena, &["--only", "weak", "--redo", "waek"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(said.contains("--redo: there is no player `waek` to grade; did you mean `weak`?"), "{said}");
    let dir = arena.path().join("grades");
    let before = files(&dir.join("run/weak"));
    let again = grade(&arena, &["--only", "weak", "--redo", "weak"]);
    assert_eq!((again.status.code(), &again.stdout), (Some(0), &first.stdout), "{}", text(&again.stderr));
    let former: Vec<_> = files(&dir.join("replaced/1/run/weak")).into_iter().map(|(_, content)| content).collect();
    assert!(former == before.into_iter().map(|(_, content)| content).collect::<Vec<_>>());
    for kept in ["replaced/1/check/weak/drill.json", "check/weak/drill.json", "run/weak/random/journal.jsonl"] {
        assert!(dir.join(kept).is_file(), "{kept}");
    }
}

#[test]
fn what_cannot_be_graded_is_refused_with_what_to_write() {
    let arena = class();
    let refused = |args: &[&str], line: &str| {
        let output = grade(&arena, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(line), "{line}\n{}", text(&output.stderr));
    };
    refused(&["--only", "weka"], "--only: there is no player `weka`; did you mean `weak`?");
    let directory = text(&arena.output(&["grade", ".", "--rubric", "rubric.toml"]).stderr);
    assert!(directory.contains("cannot read `.`; name the file in it, such as `./class.toml`: "), "{directory}");
    refused(&["--only", "weak", "--item", "protocl"], "the rubric has no item `protocl`; did you mean `protocol`?");
    refused(&["--item", "protocol"], "--item is for a single player, but `class.toml` has 2 (add --only NAME)");
    refused(&["--only", "greedy"], "no player is a program that can be graded (`greedy`: it is a built-in bot)");
    fs::write(arena.path().join("rubric.toml"), RUBRIC.replace("total = 60", "total = 61").replace("seed", "sed"))
        .expect("written");
    refused(&[], "rubric.toml:3:1: `total` is 61, but the points of all items without `bonus` add up to 60");
    refused(&[], "rubric.toml:7:1: unknown key `sed`: did you mean `seed`?");
    let class = fs::read_to_string(arena.path().join("class.toml")).expect("there");
    fs::write(arena.path().join("class.toml"), format!("ruleset = \"othello\"\n{class}")).expect("written");
    let accurate = RUBRIC.replace("manual = true", "accuracy = { figure = \"winner_kept\", full = 0.9, zero = 0.5 }");
    fs::write(arena.path().join("rubric.toml"), accurate).expect("written");
    refused(&[], "rubric.toml: item `writeup`: ");
    assert!(!arena.path().join("grades/run").exists());
}
