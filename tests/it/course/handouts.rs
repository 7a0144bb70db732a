//! The files that `grade` hands out: files for Moodle and Gradescope, feedback, and the teacher's page.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use gothello_arena::course::rubric::Rubric;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::arena::{Arena, text};
use crate::harness::restricted::without_confinement;
use crate::harness::waiting::{InTime as _, accepted};

/// A class with one student's bot, which exits before its hello with hostile last words. Its drill and games are over
/// immediately. The teacher has renamed the player.
const CLASS: &str = r#"
isolation = "off"
hello_timeout = "20s"
[[player]]
name = "Ada King"
dir = "bots/ada"
command = ["sh", "-c", "printf '<script>\\033[31m\\n' >&2; exit 3", "{port}"]
[[player]]
name = "other"
builtin = "random"
"#;

/// Half of the points are for playing without forfeits, and the bot does not get them. The other half is for a score,
/// for which the bot gets the benefit of the doubt.
const RUBRIC: &str = r#"
title = "Final <b>"
total = 20
rounding = 0.5
[play]
games = 2
max_games = 2
time = "5s"
seed = 1
analysis = "1s"
[[item]]
id = "no-forfeits"
points = 10
forfeits = { full = 0, zero = 1, kinds = ["no show"] }
[[item]]
id = "greedy"
points = 10
against = "greedy"
score = { full = 0.75, zero = 0.40, confidence = 0.9, doubt = "none" }
"#;

const SHEET: &str = "\u{feff}Identifier;\"Full name\";Status;Grade;\"Maximum grade\";\"Last modified (grade)\";\"Feedback comments\"\r\n\
                     \"Participant 4711\";\"=Ada;\";Submitted;;20,00;-;\r\n\"Participant 4712\";Eve;\"No submission\";;20,00;-;\r\n";

/// Ada's submission, two submissions that did not become players, and a student who handed in nothing, as recorded by
/// `import`.
fn roster() -> Value {
    let submission = |name: &str, participant: u32, state: &str| {
        json!({
            "player": name, "slug": name.to_lowercase(), "state": state, "late": name != "Bea", "layout": "moodle-folders",
            "full_name": name, "participant": participant.to_string(), "username": null, "email": null,
            "folder": format!("{name}_{participant}_assignsubmission_file_"), "team": null,
            "submitted": ["bot.zip"], "submission_sha256": "", "files": [], "files_sha256": ""
        })
    };
    let submissions =
        [submission("Ada", 4711, "ready"), submission("Bea", 4713, "unknown"), submission("Cid", 4714, "refused")];
    let absent = [json!({ "name": "Dan", "participant": "4715", "email": null })];
    json!({ "format": 1, "program": "0.1.0", "class_toml_sha256": "", "submissions": submissions, "absent": absent })
}

fn class() -> Arena {
    let arena = Arena::new(CLASS);
    fs::create_dir_all(arena.path().join("bots/ada")).expect("made");
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
    fs::write(arena.path().join("import.json"), roster().to_string()).expect("written");
    fs::write(arena.path().join("sheet.csv"), SHEET).expect("written");
    arena
}

/// All files below `dir` that are handed out, with their contents.
fn handed_out(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![dir.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).expect("a directory").flatten() {
            let path = entry.path();
            let name = path.strip_prefix(dir).expect("below").to_string_lossy().into_owned();
            if !path.is_dir() {
                found.insert(name, fs::read(&path).expect("a file"));
            } else if !["run", "check"].contains(&name.as_str()) {
                left.push(path);
            }
        }
    }
    found
}

#[test]
fn a_class_gets_back_what_its_course_takes() {
    let arena = class();
    let words = ["grade", "class.toml", "--rubric", "rubric.toml", "--worksheet", "sheet.csv"];
    let output = arena.output(&words);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = "wrote `grades`: index.html, grades.csv, audit.json, feedback/, gradescope/, feedback.zip, moodle.csv\n";
    assert!(text(&output.stderr).ends_with(told), "{}", text(&output.stderr));
    let files = handed_out(&arena.path().join("grades"));
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = [
        "audit.json",
        "feedback.zip",
        "feedback/ada_king.html",
        "feedback/ada_king.md",
        "feedback/bea.html",
        "feedback/bea.md",
        "feedback/cid.html",
        "feedback/cid.md",
        "grades.csv",
        "gradescope/ada_king/results.json",
        "index.html",
        "moodle.csv",
    ];
    assert_eq!(names, expected);
    let comment = "\"gothello-arena: 0 of 20 points; no-forfeits 0/10, greedy 0/10\"";
    let sheet = SHEET.replacen(";;20,00;-;", &format!(";0,00;20,00;-;{comment}"), 1);
    assert_eq!(String::from_utf8_lossy(&files["moodle.csv"]), sheet);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&files["feedback.zip"])).expect("a ZIP file");
    let mut page = String::new();
    let name = "Ada_4711_assignsubmission_file_/feedback.html";
    zip.by_name(name).expect("the page").read_to_string(&mut page).expect("UTF-8");
    assert_eq!(page.as_bytes(), files["feedback/ada_king.html"], "a renamed player is found by its directory");
    assert!(page.contains("&lt;script&gt;\\u{1b}[31m") && page.contains("No show against greedy"), "{page}");
    let texts = files.iter().filter(|(name, _)| *name != "feedback.zip");
    assert!(texts.into_iter().all(|(_, content)| !content.contains(&0x1b)));
    nobody_is_forgotten(&text(&output.stdout), &files);

    let again = arena.output(&words);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert_eq!(handed_out(&arena.path().join("grades")), files, "grading twice gives the same bytes");

    // Anything that Moodle would not accept is refused before any game is played, and nothing is lost.
    let hundred = SHEET.replace("20,00", "100,00");
    fs::write(arena.path().join("sheet.csv"), hundred).expect("written");
    let refused = arena.output(&words);
    assert_eq!(refused.status.code(), Some(2));
    let why = "the maximum grade is 100, but the rubric's `total` is 20; change one of the two, or convert the points with --scale";
    assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
    assert!(arena.output(&[&words[..], &["--scale"]].concat()).status.success());
    fs::write(arena.path().join("sheet.csv"), SHEET.replace("Participant 47", "Participant 57")).expect("written");
    let refused = arena.output(&[&words[..], &["--dry-run"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    let why = "none of the 3 students in the class has a row; is this the worksheet of another assignment?";
    assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));

    // Points above the highest grade are announced, or capped.
    fs::write(arena.path().join("sheet.csv"), SHEET).expect("written");
    let bonus = "[[item]]\nid = \"extra\"\npoints = 5\nbonus = true\nmanual = true\n";
    fs::write(arena.path().join("rubric.toml"), format!("{RUBRIC}{bonus}")).expect("written");
    let cuts =
        |words: &[&str]| text(&arena.output(words).stderr).contains("unless you give --cap, which limits the grade");
    assert_eq!([cuts(&words), cuts(&[&words[..], &["--cap"]].concat())], [true, false]);
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");

    let on_github = |item: &[&str], head: &str| {
        let summary = arena.path().join("summary.md");
        let words = [&["grade", "class.toml", "--rubric", "rubric.toml", "--github"], item].concat();
        let output =
            arena.command(&words).env("GITHUB_STEP_SUMMARY", &summary).output_in_time().expect("the program starts");
        let found = fs::read_to_string(&summary).expect("a summary");
        assert!(found.starts_with(&format!("### Final \\<b\\>\n\n#### Ada King: {head}\n")), "{found}");
        fs::remove_file(summary).expect("removed");
        text(&output.stdout)
    };
    let all = on_github(&[], "0 of 20 points");
    assert!(all.contains("::error title=Ada King%3A no-forfeits points 0/10::"), "{all}");
    let one = on_github(&["--item", "greedy"], "0 of 10 points");
    assert!(
        one.starts_with("::error title=Ada King%3A greedy points 0/10::") && one.contains("\npoints 0/10\n"),
        "{one}"
    );
    assert!(!one.contains("no-forfeits"), "{one}");
}

/// Students without a player appear in every file that is handed back to a course.
fn nobody_is_forgotten(table: &str, files: &BTreeMap<String, Vec<u8>>) {
    let [csv, index, audit] =
        ["grades.csv", "index.html", "audit.json"].map(|name| String::from_utf8_lossy(&files[name]).into_owned());
    let reasons = [
        ("Bea", "4713", "", "the submission does not say how to start its bot"),
        (
            "Cid",
            "4714",
            "late",
            "the archive was refused because it is damaged, encrypted or too large, or contains names that are not allowed",
        ),
        ("Dan", "4715", "", "nothing was handed in"),
    ];
    for (name, participant, late, why) in reasons {
        let row = csv.lines().find(|line| line.starts_with(name)).expect("a row");
        let quoted = if why.contains(',') { format!("\"{why}\"") } else { why.to_owned() };
        assert_eq!(row, format!("{name},{participant},,,20,,,,{late},{quoted},,,,,,,,"));
        assert!(table.contains(&format!("{name} is not graded: {why}.\n")), "{table}");
        assert!(index.contains(&format!("{name}: {why}")) && audit.contains(why), "{index}");
    }
    let ada = csv.lines().nth(1).expect("a row");
    assert!(ada.starts_with("Ada King,4711,,0,20,0,,,late,,0,"), "{ada}");
    assert!(index.contains(">late</td>"), "{index}");
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&files["feedback.zip"])).expect("a ZIP file");
    assert_eq!(zip.len(), 3, "only students who handed in have folders");
    let mut page = String::new();
    let file = zip.by_name("Bea_4713_assignsubmission_file_/feedback.html").expect("the page");
    { file }.read_to_string(&mut page).expect("UTF-8");
    assert!(page.contains("Your bot could not be started") && page.contains("gothello.toml"), "{page}");
}

#[test]
fn a_worksheet_needs_the_roster() {
    let arena = class();
    fs::remove_file(arena.path().join("import.json")).expect("removed");
    let words = ["grade", "class.toml", "--rubric", "rubric.toml", "--worksheet", "sheet.csv"];
    for output in [arena.output(&words), arena.output(&[&words[..], &["--dry-run"]].concat())] {
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("--worksheet: there is no import.json beside the tournament file"));
    }
    assert!(!arena.path().join("grades").exists());
}

/// The results of the autograder in `arena`, if there are any, and the sum of their points.
fn results(arena: &Arena) -> Option<(Value, f64)> {
    let text = fs::read(arena.path().join("autograder/results/results.json")).ok()?;
    let results: Value = serde_json::from_slice(&text).expect("whole JSON");
    let points = results["tests"].as_array().expect("tests").iter().filter_map(|test| test["score"].as_f64()).sum();
    Some((results, points))
}

/// An autograder whose submission consists of `files`.
fn autograder(files: &[(&str, &str)]) -> Arena {
    let arena = Arena::new("");
    let submission = arena.path().join("autograder/submission");
    fs::create_dir_all(&submission).expect("made");
    for (name, content) in files {
        fs::write(submission.join(name), content).expect("written");
    }
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
    arena
}

const GRADE: [&str; 7] = ["grade", "--gradescope", "autograder", "--rubric", "rubric.toml", "--isolation", "off"];

const HOW_TO_START: (&str, &str) =
    ("gothello.toml", "command = [\"python3\", \"bot.py\", \"{side}\", \"{host}\", \"{port}\"]\n");

#[test]
fn an_autograder_that_dies_leaves_no_points() {
    // The bot connects to the test to show that it is running.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let waits = format!("import socket\nsocket.create_connection(('127.0.0.1', {port})).recv(1)\n");
    let arena = autograder(&[HOW_TO_START, ("bot.py", &waits)]);
    let mut grader = arena.command(&GRADE).stdout(Stdio::null()).stderr(Stdio::null()).start().expect("starts");
    let connection = accepted(&listener, "the bot");
    let pid = rustix::process::Pid::from_child(&grader);
    rustix::process::kill_process(pid, Signal::KILL).expect("killed");
    grader.wait().expect("waited for");
    drop(connection);
    let (results, points) = results(&arena).expect("results");
    assert!(points.abs() < 1e-9);
    assert_eq!(results["tests"][0]["output"], "did not finish");
    assert!(results["output"].as_str().is_some_and(|output| output.contains("did not finish")));
}

#[test]
fn a_submission_is_graded_within_its_deadline_or_told_why_not() {
    let ends = "import sys\nprint('\\033[31mno', file=sys.stderr)\nsys.exit(3)\n";
    let arena = autograder(&[HOW_TO_START, ("bot.py", ends)]);
    let output = arena.output(&[&GRADE[..], &["--deadline", "2m"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (found, points) = results(&arena).expect("results");
    assert!(points.abs() < 1e-9 && found["extra_data"]["arena"]["is_finished"] == true, "{found}");
    let wrote = &found["tests"][2];
    assert_eq!((&wrote["name"], &wrote["output_format"]), (&"forfeited games".into(), &"text".into()));
    assert!(wrote["output"].as_str().is_some_and(|output| output.contains("  | \\u{1b}[31mno")), "{wrote}");

    let arena = autograder(&[("notes.txt", "no bot")]);
    let output = arena.output(&GRADE);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (found, points) = results(&arena).expect("results");
    assert!(points.abs() < 1e-9);
    let is_told = |output: &str| output.starts_with("Your submission does not say");
    assert!(found["output"].as_str().is_some_and(is_told), "{found}");
}

#[test]
fn a_check_that_outlasts_the_deadline_gives_no_points_and_says_so() {
    // The bot never says hello.
    let arena = autograder(&[HOW_TO_START, ("bot.py", "import time\ntime.sleep(86400)\n")]);
    let output = arena.output(&[&GRADE[..], &["--deadline", "1s"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (found, points) = results(&arena).expect("results");
    let why = found["output"].as_str().expect("text");
    assert!(points.abs() < 1e-9 && why.starts_with("The check of your bot did not finish within 1s"), "{why}");
}

#[test]
fn without_confinement_no_bot_is_started_unless_the_teacher_says_so() {
    let arena = autograder(&[HOW_TO_START, ("bot.py", "open('/autograder/never', 'w')\n")]);
    let confined = &GRADE[..GRADE.len() - 2];
    let output = without_confinement(|| arena.output(confined));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (found, points) = results(&arena).expect("results");
    let why = found["output"].as_str().expect("text");
    assert!(points.abs() < 1e-9 && why.starts_with("To the teacher: this autograder cannot confine bots"), "{why}");
    assert!(why.contains("--isolation off") && why.contains("tier C: "), "{why}");

    // Only the teacher is at fault if there is no submission.
    fs::remove_dir_all(arena.path().join("autograder/submission")).expect("removed");
    let output = arena.output(&GRADE);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let refused = arena.output(&[&GRADE[..], &["--out", "elsewhere"]].concat());
    assert!(text(&refused.stderr).contains("--out"), "{}", text(&refused.stderr));
}

#[test]
fn nothing_that_a_bot_leaves_behind_outlives_the_grading() {
    // The process leaves its session and its parent, and ends with the test's connection at the latest.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let leaves = format!(
        "import os, socket\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        \
         socket.create_connection(('127.0.0.1', {port})).recv(1)\n    os._exit(0)\nos.wait()\n"
    );
    let arena = autograder(&[HOW_TO_START, ("bot.py", &leaves)]);
    let output = arena.output(&GRADE);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut left = accepted(&listener, "the process that is left behind");
    // The end of the process ends the connection, before the test has answered on it.
    assert_eq!(left.read(&mut [0; 1]).expect("the process is gone"), 0);
}

#[test]
fn the_files_for_gradescope_are_whole() {
    let file = |name: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/teach/gradescope").join(name))
            .expect("a file")
    };
    assert!(Rubric::parse_bytes(file("rubric.toml").as_bytes()).is_ok());
    let run = file("run_autograder");
    let places =
        ["\"score\": 0", ">/autograder/results/results.json", "exec gothello-arena grade --gradescope /autograder"];
    let places: Vec<usize> = places.iter().map(|part| run.find(part).expect("a line")).collect();
    assert!(places.is_sorted(), "without points first");
    for name in ["setup.sh", "run_autograder"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/teach/gradescope").join(name);
        let checked = std::process::Command::new("sh").arg("-n").arg(&path).status_in_time().expect("sh starts");
        assert!(checked.success(), "{name}");
    }
}
