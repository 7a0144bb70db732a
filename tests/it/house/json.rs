//! All JSON that a command prints fits its schema in docs/reference/schemas, and states the version of its format.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use gothello_arena::game::Outcome;
use gothello_arena::referee::record::GameRecord;
use gothello_arena::results::analysis::{Accuracy, Analysis};
use gothello_arena::results::report::analysis_json::{accuracy_json, game_json};
use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema docs/reference/schemas/`name`.schema.json.
fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/schemas").join(format!("{name}.schema.json"));
    serde_json::from_str(&fs::read_to_string(&path).expect("a schema")).expect("a schema is JSON")
}

/// Makes every object in `schema` refuse fields that the schema does not describe. Scripts must accept new fields, but
/// here every existing field must be described. If `is_part`, schemas that refer to `schema` may describe more fields.
fn refuse_unknown(schema: &mut Value, is_part: bool) {
    match schema {
        Value::Object(object) => {
            for (keyword, inner) in object.iter_mut() {
                match (keyword.as_str(), inner) {
                    ("$defs", Value::Object(parts)) => refuse_unknown_in(parts.values_mut(), true),
                    ("allOf", Value::Array(parts)) => refuse_unknown_in(parts.iter_mut(), true),
                    (_, inner) => refuse_unknown(inner, false),
                }
            }
            if !is_part && (object.contains_key("properties") || object.contains_key("$ref")) {
                object.insert("unevaluatedProperties".to_owned(), false.into());
            }
        }
        Value::Array(values) => refuse_unknown_in(values.iter_mut(), false),
        _ => {}
    }
}

fn refuse_unknown_in<'v>(schemas: impl Iterator<Item = &'v mut Value>, are_parts: bool) {
    for schema in schemas {
        refuse_unknown(schema, are_parts);
    }
}

/// The schema docs/reference/schemas/`name`.schema.json, changed to refuse undescribed fields.
pub(crate) fn strict(name: &str) -> Validator {
    let mut schema = schema(name);
    refuse_unknown(&mut schema, false);
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Fails if `text` does not fit `validator`.
pub(crate) fn fits(validator: &Validator, text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let wrong: Vec<String> =
        validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{}\n{text}", wrong.join("\n"));
    value
}

fn arena(args: &[&str]) -> String {
    let output = Command::new(program()).args(args).output_in_time().expect("the program starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn what_solve_prints_fits_its_schema() {
    let validator = strict("solution");
    let position = ["solve", "--json", "--to-move", "black", "--board"];
    for (board, more) in [
        (".bbw. .wwb. w.bww .b.bw bww..", &[][..]),
        (".bbw. .wwb. w.bww .b.bw bww..", &["--wdl"]),
        (".bbw. .wwb. w.bww .b.bw bww..", &["--passed"]),
        ("bbbbb bbbbb bbbbb bbbbb bbbb.", &[]),
    ] {
        let text = arena(&[&position[..], &[board], more].concat());
        let value = fits(&validator, &text);
        assert_eq!(value["margin"].is_null(), more.contains(&"--wdl"), "{text}");
    }
    let start = fits(&validator, &arena(&["solve", "--json", "--start"]));
    assert_eq!(
        (&start["margin"], &start["first_moves"][5]),
        (&json!(3), &json!({ "move": "a1", "winner": "white", "margin": -1 }))
    );
    for (field, wrong) in [
        ("format", json!(2)),
        ("margin", json!("5")),
        ("winner", json!("green")),
        ("best", json!(["f6"])),
        ("first_moves", json!([{ "move": "c3" }])),
        ("surprise", json!(1)),
    ] {
        let mut bad = start.clone();
        bad[field] = wrong;
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}

#[test]
fn what_analyze_prints_fits_its_schema() {
    const LOG: &str = "[Black \"a\"]\n[White \"b\"]\n[Result \"1/2-1/2\"]\n\n1. pass pass 1/2-1/2\n";
    let validator = strict("analysis");
    let record: GameRecord = LOG.parse().expect("a log");
    for value in
        [None, Some(Outcome::of_margin(0)), Some(Outcome::of_margin(7)), Some(Outcome { winner: None, margin: None })]
    {
        let analysis = Analysis::of(&record, |_| value, |_, _, _| None).expect("Gothello has a solver");
        let accuracy = Accuracy::of(&analysis, gothello_arena::game::Side::Black);
        let game = fits(&validator, &game_json("a.log", &record, &analysis));
        let players = fits(&validator, &accuracy_json([("a", accuracy)]));
        for (good, field, wrong) in [
            (&game, "format", json!(0)),
            (&game, "result", json!("2-0")),
            (&game, "moves", json!([{ "ply": 1 }])),
            (&game, "surprise", json!(1)),
            (&players, "players", json!([{ "player": "a" }])),
            (&players, "file", json!("a.log")),
        ] {
            let mut bad = good.clone();
            bad[field] = wrong;
            assert!(!validator.is_valid(&bad), "{bad}");
        }
        let mut bad = players.clone();
        bad["players"][0]["accuracy"]["end"]["surprise"] = json!(1);
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}

#[test]
fn what_analyze_prints_of_a_run_fits_its_schema_line_by_line() {
    let dir = tempfile::TempDir::new().expect("a directory");
    let log = "[Black \"a\"]\n[White \"b\"]\n[Result \"1/2-1/2\"]\n\n1. pass pass 1/2-1/2\n";
    let logs = ["a.log", "b.log"].map(|name| dir.path().join(name));
    for file in &logs {
        fs::write(file, log).expect("a log");
    }
    let files = logs.each_ref().map(|file| file.to_str().expect("a plain path"));
    let text = arena(&["analyze", "--json", "--budget", "1s", files[0], files[1]]);
    let validator = strict("analysis");
    let lines: Vec<Value> = text.lines().map(|line| fits(&validator, line)).collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[2]["players"].is_array(), "{text}");
}

#[test]
fn the_option_json_prints_the_same_standings_in_every_command() {
    let arena = crate::harness::arena::Arena::new(
        "rounds = 1\n[[player]]\nname = \"one\"\nbuiltin = \"random\"\n[[player]]\nname = \"two\"\nbuiltin = \"greedy\"\n",
    );
    let printed = |args: &[&str]| String::from_utf8(arena.output(args).stdout).expect("text");
    let of_run = String::from_utf8(arena.run(&["--json"]).stdout).expect("text");
    fits(&strict("standings"), &of_run);
    for args in [
        &["standings", "out", "--format", "json"][..],
        &["standings", "out", "--json"],
        &["rebuild", "out", "--json"],
        &["merge", "merged", "out", "--json"],
        &["run", "class.toml", "-o", "out", "-j", "1", "-q", "--isolation", "off", "--json"],
    ] {
        assert_eq!(printed(args), of_run, "{args:?}");
    }
}

#[test]
fn what_doctor_and_perft_print_fits_their_schemas() {
    let doctor = Command::new(program()).args(["doctor", "--json"]).output_in_time().expect("the program starts");
    let found = fits(&strict("doctor"), &String::from_utf8_lossy(&doctor.stdout));
    assert_eq!(found["tiers"].as_array().map(Vec::len), Some(3), "{found}");
    let counted = fits(&strict("perft"), &arena(&["perft", "4", "--json"]));
    assert_eq!((&counted["count"], &counted["ruleset"]), (&json!(303_424), &json!("gothello")));
}

#[test]
fn docs_schema_prints_the_schemas_of_docs() {
    const NAMES: [&str; 19] = [
        "aliases",
        "analysis",
        "analysis-cache",
        "audit",
        "bench",
        "bench-why",
        "check",
        "doctor",
        "drill",
        "gradescope",
        "group-standings",
        "import",
        "journal",
        "ladder",
        "perft",
        "puzzles",
        "solution",
        "standings",
        "workers",
    ];
    for name in NAMES {
        let text: Value = serde_json::from_str(&arena(&["docs", "schema", name])).expect("JSON");
        assert_eq!(text, schema(name), "{name}");
    }
    let mut files: Vec<String> = fs::read_dir("docs/reference/schemas")
        .expect("a directory")
        .filter_map(|entry| {
            entry.expect("an entry").file_name().into_string().ok()?.strip_suffix(".schema.json").map(str::to_owned)
        })
        .collect();
    files.sort();
    assert_eq!(files, NAMES, "every schema is printed");
}

#[test]
fn the_lines_of_journals_fit_their_schema() {
    let arena = crate::harness::arena::with_void_games();
    // Now a player's games are played again, and the tournament is extended.
    let file = arena.path().join("class.toml");
    let text = fs::read_to_string(&file).expect("text");
    assert_eq!(arena.run(&["--redo", "greedy"]).status.code(), Some(5));
    fs::write(&file, format!("rounds = 2\n{text}")).expect("written");
    assert_eq!(arena.run(&["--extend"]).status.code(), Some(5));
    let validator = strict("journal");
    let mut seen: Vec<String> = Vec::new();
    for line in fs::read_to_string(arena.out().join("journal.jsonl")).expect("text").lines() {
        let good = fits(&validator, line);
        let kind = good.as_object().expect("an object").keys().find(|key| *key != "sum").expect("a member").clone();
        for (field, wrong) in [("sum", json!("x")), (kind.as_str(), json!(1)), ("surprise", json!(1))] {
            let mut bad = good.clone();
            bad[field] = wrong;
            assert!(!validator.is_valid(&bad), "{bad}");
        }
        seen.push(kind);
    }
    // This run's journal contains no lines of the following kinds.
    let player = json!({ "name": "a", "digest": null, "files": { "a.py": "0123" }, "products": { "a.pyc": "4567" } });
    for (kind, content) in [("again", json!({ "games": ["r1-a-b"], "kept_to": 2 })), ("built", player)] {
        fits(&validator, &json!({ kind: content, "sum": "0123456789abcdef" }).to_string());
        seen.push(kind.to_owned());
    }
    for kind in ["header", "game", "void", "redo", "again", "built", "extend"] {
        assert!(seen.iter().any(|other| other == kind), "no line is a `{kind}`");
    }
}
