//! `gothello-arena grade` from the rubric to the files, with real games. Checks of bots take a long time, so most tests
//! plant their results.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::course::grades::{DrillTerms, KeptDrill, KeptTrial, TriedBot};
use gothello_arena::course::roster::Roster;
use gothello_arena::drill::readiness::{TrialStatus, TriedPlayer};
use gothello_arena::drill::script::{BotSeat, Level, OrdinaryClock};
use gothello_arena::game::{Ruleset, Side};
use gothello_arena::host::program::{find_player, take_inventory};
use gothello_arena::referee::time_control::SideControl;
use gothello_arena::tournament::definition::PlayerDefinition;
use gothello_arena::tournament::{PlayerKind, Tournament};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::harness::arena::{Arena, TIMEOUT, program, text};
use crate::harness::waiting::{InTime as _, pause};
use crate::house::json::{fits, strict};

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

/// Makes the bot of the student with this slug: the built-in bot `plays` with a fixed seed, so that its games are
/// repeatable.
fn make_bot(arena: &Arena, slug: &str, plays: &str) {
    make_bot_of(arena, slug, program(), plays);
}

/// Like `make_bot`, but the bot starts the arena through the path `program`.
pub(crate) fn make_bot_of(arena: &Arena, slug: &str, program: &str, plays: &str) {
    let dir = arena.path().join("bots").join(slug);
    fs::create_dir_all(&dir).expect("made");
    let script =
        format!("#!/bin/sh\nexec '{program}' bot {plays} --side \"$1\" --host \"$2\" --port \"$3\" --seed 7\n");
    let file = dir.join("play");
    fs::write(&file, script).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("changed");
}

/// The clocks of [`CLASS`].
const TIME: Duration = Duration::from_mins(1);

/// Plants a check that each student's current bot has passed, with the clocks of the class.
fn plant_checks(arena: &Arena) {
    plant_checks_with(arena, TIME);
}

/// Plants a check that each student's current bot has passed, with `time` for each side.
pub(crate) fn plant_checks_with(arena: &Arena, time: Duration) {
    let control = SideControl::sudden_death(time);
    let class = fs::read_to_string(arena.path().join("class.toml")).expect("there");
    let tournament = Tournament::parse(&class, "class").expect("right");
    for player in &tournament.players {
        let PlayerKind::Program(program) = &player.kind else { continue };
        let executable = find_player(program, arena.path()).expect("a script");
        let inventory = take_inventory(program, Some(&executable), arena.path(), &|_| true).expect("readable");
        let roster = fs::read(arena.path().join("import.json")).ok();
        let roster = roster.map(|text| Roster::parse(&text).expect("a roster"));
        let entry = roster.as_ref().and_then(|roster| roster.of_player(player.name.as_str()));
        let submission = entry.map(|entry| entry.files_sha256.clone());
        let bot = TriedBot {
            files: inventory.files(),
            products: None,
            submission,
            definition: PlayerDefinition::from(player),
        };
        let tried = TriedPlayer {
            player: player.name.to_string(),
            command: "./play".to_owned(),
            sides: BotSeat::all(2).collect(),
            dir: None,
            digest: Some(inventory.digest()),
            broken: None,
            control,
            trials: Vec::new(),
            took: Duration::from_secs(1),
        };
        let mut kept = KeptDrill::of(
            &tried,
            DrillTerms { ruleset: Ruleset::Gothello, clock: OrdinaryClock::of_wall_time(control) },
            "D",
            bot,
        );
        kept.trials.push(KeptTrial {
            id: "legal-20".to_owned(),
            side: Side::Black.into(),
            level: Level::Must,
            status: TrialStatus::Pass,
            summary: "it plays".to_owned(),
            diagnoses: Vec::new(),
            transcript: None,
            made: 10,
            refused: 0,
            garbled: 0,
            games: 1,
            games_ms: 10,
            void: false,
        });
        let dir = arena.path().join("grades/check").join(player.name.slug());
        fs::create_dir_all(&dir).expect("made");
        fs::write(dir.join("drill.json"), kept.to_json()).expect("written");
    }
}

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
fn a_mended_bot_gets_new_games_and_a_former_one_its_old_ones() {
    let arena = class();
    assert_eq!(grade(&arena, &[]).status.code(), Some(0));
    let before = grades(&arena);
    make_bot(&arena, "weak", "alphabeta --depth 1");
    let forecast = text(&grade(&arena, &["--dry-run"]).stdout);
    assert!(forecast.contains("weak        check takes about 1s; 4 games of about"), "{forecast}");
    plant_checks(&arena);
    assert_eq!(grade(&arena, &[]).status.code(), Some(0));
    let audit: Value = serde_json::from_slice(&grades(&arena)[1]).expect("JSON");
    let id = audit["students"][1]["games"][0]["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("weak/random-2/"), "{id}");
    assert_eq!(audit["students"][0], serde_json::from_slice::<Value>(&before[1]).expect("JSON")["students"][0]);

    make_bot(&arena, "weak", "random");
    plant_checks(&arena);
    let runs = files(&arena.path().join("grades/run"));
    assert_eq!(grade(&arena, &[]).status.code(), Some(0));
    assert!(grades(&arena) == before, "the earlier bot has its earlier grade");
    assert!(files(&arena.path().join("grades/run")) == runs, "nothing was played");

    // A change of clocks also requires new checks and new games.
    fs::write(arena.path().join("rubric.toml"), RUBRIC.replace("seed = 5", "seed = 5\ntime = \"30s\""))
        .expect("written");
    let forecast = text(&grade(&arena, &["--dry-run", "--only", "weak"]).stdout);
    assert!(forecast.contains("weak  check not measured yet; 4 games"), "{forecast}");
    plant_checks_with(&arena, Duration::from_secs(30));
    assert_eq!(grade(&arena, &["--only", "weak"]).status.code(), Some(0));
    assert!(arena.path().join("grades/run/weak/random-3/journal.jsonl").is_file());
}

/// Writes the import.json of a class whose player `weak` handed in files with this digest.
fn plant_roster(arena: &Arena, digest: &str) {
    let entry = serde_json::json!({
        "player": "weak", "slug": "weak", "state": "ready", "late": false, "layout": "plain", "full_name": "weak", "participant": null,
        "username": null, "email": null, "folder": null, "team": null, "submitted": ["weak.zip"], "submission_sha256": digest,
        "files": ["play"], "files_sha256": digest,
    });
    let mut roster = Roster::new(Vec::new());
    roster.submissions.push(serde_json::from_value(entry).expect("an entry"));
    fs::write(arena.path().join("import.json"), roster.json()).expect("written");
}

#[test]
fn a_bot_that_is_mended_by_adding_a_module_is_another_bot() {
    let arena = class();
    plant_roster(&arena, "11");
    plant_checks(&arena);
    let weak = |more: &[&str]| grade(&arena, &[&["--only", "weak"], more].concat());
    assert_eq!(weak(&[]).status.code(), Some(0));
    // Files that the bot itself may have written do not count as a change.
    fs::write(arena.path().join("bots/weak/helper.py"), "").expect("written");
    let forecast = text(&weak(&["--dry-run"]).stdout);
    assert!(forecast.contains("weak  check is done; no games to play\n"), "{forecast}");
    plant_roster(&arena, "22");
    let forecast = text(&weak(&["--dry-run"]).stdout);
    assert!(forecast.contains("weak  check not measured yet; 4 games"), "{forecast}");
    plant_checks(&arena);
    let forecast = text(&weak(&["--dry-run"]).stdout);
    assert!(forecast.contains("weak  check is done; 4 games"), "{forecast}");
    assert_eq!(weak(&[]).status.code(), Some(0));
    assert!(arena.path().join("grades/run/weak/random-2/journal.jsonl").is_file());
}

#[test]
fn what_a_build_makes_only_once_is_not_a_change_of_the_bot() {
    let class =
        CLASS.replacen("[\"./play\"", "[\"./made\"", 1).replacen("command", "build = [\"sh\", \"make\"]\ncommand", 1);
    let arena = Arena::new(&class);
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
    let dir = arena.path().join("bots/strong_one");
    fs::create_dir_all(&dir).expect("made");
    // Like the `Cargo.lock` of cargo: the build writes it if it does not exist. The bot exits before its hello, so that
    // everything is over soon.
    let build = "[ -e lock ] || echo locked > lock\nprintf '#!/bin/sh\\nexit 3\\n' > made\nchmod +x made\n";
    fs::write(dir.join("make"), build).expect("written");
    let strong = || grade(&arena, &["--only", "Strong One"]);
    let output = strong();
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(dir.join("lock").is_file());
    let runs = files(&arena.path().join("grades"));
    assert_eq!(strong().status.code(), Some(0));
    assert!(files(&arena.path().join("grades")) == runs, "nothing was tried or played again");
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
fn a_bot_that_cannot_be_started_gets_no_points_and_is_tried_again_once_it_has_changed() {
    let arena = class();
    fs::remove_file(arena.path().join("bots/weak/play")).expect("removed");
    let output = grade(&arena, &["--only", "weak"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for line in [
        "weak: 0 of 60",
        "protocol           0/20  The bot could not be started, so it passed no check.",
        "no-forfeits        0/10  The bot made no move in any of its 4 games.",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    let kept = fs::read_to_string(arena.path().join("grades/check/weak/drill.json")).expect("kept");
    assert!(!fits(&strict("drill"), &kept)["broken"].is_null());
    let before = files(&arena.path().join("grades"));
    assert_eq!(grade(&arena, &["--only", "weak"]).stdout, output.stdout);
    assert!(files(&arena.path().join("grades")) == before, "the same broken bot is not tried again");
    make_bot(&arena, "weak", "random");
    let forecast = text(&grade(&arena, &["--dry-run", "--only", "weak"]).stdout);
    assert!(forecast.contains("weak  check not measured yet; 4 games"), "{forecast}");
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
