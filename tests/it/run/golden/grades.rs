//! The grades of a class.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::masks::{masked_log, without_figures, without_measured};
use super::{Golden, arena, printed};
use crate::course::grade::{make_bot_of, plant_checks_with};

/// The class of [`the_grades_of_a_class_are_the_same_bytes`].
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
max_games = 4
seed = 5
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

/// A Moodle worksheet, half filled in.
const SHEET: &str = "\u{feff}Identifier,\"Full name\",Status,Grade,\"Maximum grade\",\"Last modified (grade)\",\"Feedback comments\"\r\n\
    Participant 10,\"Strong One\",\"Submitted for grading - \",,60.00,-,\r\n\
    Participant 11,weak,\"Submitted for grading - \",1.50,60.00,-,\"see me\"\r\n";

/// The roster that `import` would have written for the submissions of the class.
fn roster() -> Value {
    let submission = |(name, slug, participant): (&str, &str, &str)| {
        json!({
            "player": name, "slug": slug, "state": "ready", "late": false, "layout": "moodle-folders", "full_name": name,
            "participant": participant, "username": null, "email": null, "team": null, "submitted": ["bot.zip"],
            "folder": format!("{name}_{participant}_assignsubmission_file_"), "submission_sha256": "", "files": [],
            "files_sha256": "",
        })
    };
    let submissions = [("Strong One", "strong_one", "10"), ("weak", "weak", "11")].map(submission);
    json!({ "format": 1, "program": "", "class_toml_sha256": "", "submissions": submissions })
}

#[test]
fn the_grades_of_a_class_are_the_same_bytes() {
    let arena = arena(CLASS);
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
    fs::write(arena.path().join("sheet.csv"), SHEET).expect("written");
    fs::write(arena.path().join("import.json"), roster().to_string()).expect("written");
    for (slug, plays) in [("strong_one", "greedy"), ("weak", "random")] {
        make_bot_of(&arena, slug, "../../arena", plays);
    }
    plant_checks_with(&arena, std::time::Duration::from_mins(1));
    let words = ["grade", "class.toml", "--rubric", "rubric.toml", "--worksheet", "sheet.csv", "--concurrency", "1"];
    let mut golden = Golden::default();
    golden.add("grade", &printed(&arena.output(&words)));
    let grades = arena.path().join("grades");
    for name in ["grades.csv", "audit.json", "moodle.csv"] {
        golden.add(name, &fs::read_to_string(grades.join(name)).expect("written"));
    }
    for slug in ["strong_one", "weak"] {
        let read = |path: PathBuf| fs::read_to_string(grades.join(path)).expect("written");
        let gradescope = read(Path::new("gradescope").join(slug).join("results.json"));
        golden.add(&format!("gradescope/{slug}/results.json"), &without_measured(&without_figures(&gradescope)));
        let page = read(Path::new("feedback").join(format!("{slug}.md")));
        golden.add(&format!("feedback/{slug}.md"), &without_measured(&masked_log(&page)));
        golden.add_results(&grades.join("run").join(slug).join("random"), &format!("run/{slug}/"));
    }
    golden.check("grades");
}
