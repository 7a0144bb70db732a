//! The schema of rubric files and their reader agree on every key.

use std::process::Command;
use std::sync::LazyLock;

use gothello_arena::course::rubric::Rubric;
use gothello_arena::course::rubric::{RUBRIC_SCHEMA, RUBRIC_TOML};
use gothello_arena::tournament::file::Flaw;
use jsonschema::Validator;
use serde_json::Value;

use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(RUBRIC_SCHEMA).expect("the schema is JSON"));

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft7::new(&SCHEMA).expect("a schema of draft 7"));

/// A table of a rubric: where the schema describes its keys, and valid lines for the table.
#[derive(Clone, Copy, Debug)]
struct RubricTable {
    pointer: &'static str,
    text: &'static str,
}

/// Every table. The tables inside an item have their own entries here.
const TABLES: [RubricTable; 8] = [
    RubricTable { pointer: "/properties", text: "title = \"t\"\ntotal = 10" },
    RubricTable { pointer: "/properties/play/properties", text: "games = 4" },
    RubricTable { pointer: "/definitions/item/properties", text: "id = \"a\"\npoints = 10\nmanual = true" },
    RubricTable { pointer: "/definitions/item/properties/check/properties", text: "level = \"must\"" },
    RubricTable {
        pointer: "/definitions/item/properties/legality/properties",
        text: "refused_per_1000 = 0\nzero_at = 50",
    },
    RubricTable { pointer: "/definitions/item/properties/forfeits/properties", text: "full = 0\nzero = 5" },
    RubricTable { pointer: "/definitions/item/properties/score/properties", text: "full = 0.6\nzero = 0.2" },
    RubricTable {
        pointer: "/definitions/item/properties/accuracy/properties",
        text: "figure = \"winner_kept\"\nfull = 0.9\nzero = 0.7",
    },
];

/// Values of all types, right and wrong.
const VALUES: [&str; 42] = [
    "-1",
    "0",
    "1",
    "2",
    "3",
    "4",
    "10",
    "25",
    "26",
    "1000",
    "1002",
    "1000001",
    "0.25",
    "0.95",
    "1.5",
    "-0.5",
    "true",
    "false",
    "\"\"",
    "\" \"",
    "\"x\"",
    "\"a b\"",
    "\"-a\"",
    "\"must\"",
    "\"should\"",
    "\"5s\"",
    "\"60s + 1s\"",
    "\"0s, 5 x 30s\"",
    "\"none\"",
    "\"ten\"",
    "\"student\"",
    "\"winner_kept\"",
    "\"average_loss\"",
    "\"middle\"",
    "\"greedy\"",
    "\"alphabeta\"",
    "\"alphabeta 2\"",
    "\"mcts 1000, error 0.1\"",
    "[]",
    "[\"time\", \"no show\"]",
    "[\"boredom\"]",
    "{}",
];

/// A rubric with `lines` in `table`, and valid values for all other keys. The rubric always requires games.
fn rubric(table: RubricTable, lines: &[(String, String)]) -> String {
    let mut of_table: toml::Table = table.text.parse().expect("TOML");
    for (key, value) in lines {
        let parsed: toml::Table = format!("value = {value}").parse().expect("TOML");
        of_table.insert(key.clone(), parsed["value"].clone());
    }
    let parse = |text: &str| -> toml::Table { text.parse().expect("TOML") };
    let (mut top, mut play, mut item) = (parse(TABLES[0].text), parse(TABLES[1].text), parse(TABLES[2].text));
    let games = parse("id = \"games\"\npoints = 0\nagainst = \"random\"\nscore = { full = 1, zero = 0 }");
    match table.pointer.strip_prefix("/definitions/item/properties/").and_then(|rest| rest.split('/').next()) {
        Some(key) if table.pointer != TABLES[2].pointer => {
            item.remove("manual");
            if key == "score" {
                item.insert("against".to_owned(), "greedy".into());
            }
            item.insert(key.to_owned(), of_table.into());
        }
        _ if table.pointer == TABLES[1].pointer => play = of_table,
        _ if table.pointer == TABLES[2].pointer => item = of_table,
        _ => top = of_table,
    }
    top.entry("play").or_insert_with(|| play.into());
    top.entry("item").or_insert_with(|| vec![item, games].into());
    top.to_string()
}

fn keys(table: RubricTable) -> Vec<String> {
    let properties = SCHEMA.pointer(table.pointer).and_then(Value::as_object);
    properties.expect("a table has keys").keys().cloned().collect()
}

/// Phrases from messages about the rules of a rubric that a schema cannot express.
const BEYOND_SCHEMAS: [&str; 8] = [
    "the points of all items",
    "multiple of `rounding`",
    "is defined twice",
    "are equal, so",
    "the figure for all points",
    "`max_games` must be at least",
    "needs games, but no item",
    "needs analyses",
];

/// Whether a schema cannot express the broken rule, because the rule concerns several values or the meaning of a
/// string.
fn is_beyond_schemas(flaw: &Flaw) -> bool {
    match flaw {
        // A duration.
        Flaw::OutOfRange { key, .. } => key == "time" || key == "analysis",
        Flaw::OfOtherFile { text, .. } => BEYOND_SCHEMAS.iter().any(|part| text.contains(part)),
        _ => false,
    }
}

/// Whether schema and reader both accept `text`.
///
/// # Errors
/// Returns a description of the disagreement if only one of them accepts `text`.
fn accepted(text: &str) -> Result<bool, String> {
    let table: toml::Table = text.parse().expect("TOML");
    let value = serde_json::to_value(table).expect("a table without dates is JSON");
    match (Rubric::parse(text), VALIDATOR.validate(&value)) {
        (Ok(_), Ok(())) => Ok(true),
        (Ok(_), Err(error)) => Err(format!("only the schema refuses: {error}\n{text}")),
        (Err(_), Err(_)) => Ok(false),
        (Err(problems), Ok(())) if problems.iter().all(|problem| is_beyond_schemas(&problem.flaw)) => Ok(false),
        (Err(problems), Ok(())) => Err(format!("only the reader refuses: {problems}\n{text}")),
    }
}

#[test]
fn schema_and_reader_accept_the_same_values() {
    let (mut accepts, mut refuses, mut wrong) = (0, 0, Vec::new());
    for table in TABLES {
        assert_eq!(accepted(&rubric(table, &[])), Ok(true), "{table:?}");
        for key in keys(table) {
            for value in VALUES {
                match accepted(&rubric(table, &[(key.clone(), value.to_owned())])) {
                    Ok(true) => accepts += 1,
                    Ok(false) => refuses += 1,
                    Err(error) => wrong.push(format!("{key} = {value}: {error}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} disagreements\n{}", wrong.len(), wrong.join("\n"));
    assert!(accepts > 50 && refuses > 1000, "{accepts} accepted, {refuses} refused");
}

#[test]
fn schema_and_reader_agree_about_the_keys_for_clocks() {
    let keys = ["time", "move_time", "bank"];
    for chosen in 0..1 << keys.len() {
        let has = |(index, _): &(usize, &&str)| chosen & (1 << index) != 0;
        let given: Vec<&str> = keys.iter().enumerate().filter(has).map(|(_, key)| *key).collect();
        let lines: Vec<_> = given.iter().map(|key| ((*key).to_owned(), "\"5s\"".to_owned())).collect();
        let is_right = !given.contains(&"bank") || given.contains(&"move_time");
        let is_right = is_right && !(given.contains(&"time") && given.contains(&"move_time"));
        assert_eq!(accepted(&rubric(TABLES[1], &lines)), Ok(is_right), "{given:?}");
    }
}

#[test]
fn what_the_reader_needs_the_schema_needs() {
    for table in TABLES {
        let right: toml::Table = table.text.parse().expect("TOML");
        for key in right.keys() {
            let text: Vec<&str> = table.text.lines().filter(|line| !line.starts_with(key.as_str())).collect();
            let without = RubricTable { text: Box::leak(text.join("\n").into_boxed_str()), ..table };
            accepted(&rubric(without, &[])).unwrap_or_else(|error| panic!("{table:?} without {key}: {error}"));
        }
    }
}

#[test]
fn the_example_fits_the_schema_and_docs_schema_prints_it() {
    assert_eq!(accepted(RUBRIC_TOML), Ok(true));
    let output = Command::new(program()).args(["docs", "schema", "rubric"]).output_in_time();
    let printed: Value = serde_json::from_slice(&output.expect("it runs").stdout).expect("JSON");
    assert_eq!(printed, *SCHEMA);
}

#[test]
fn whoever_has_no_rubric_is_told_how_to_get_one() {
    let class = concat!(env!("CARGO_MANIFEST_DIR"), "/tournaments/class.toml");
    for (words, says) in [
        (&["grade", class][..], "add --rubric rubric.toml"),
        (&["grade", class, "--rubric", "/no/such.toml"], "--rubric: cannot read `/no/such.toml`"),
    ] {
        let output = Command::new(program()).args(words).output_in_time().expect("the program starts");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(says) && said.contains("`gothello-arena init tournament new` writes"), "{said}");
    }
    let dir = tempfile::tempdir().expect("a directory");
    let mut init = Command::new(program());
    let init = init.args(["init", "tournament", "new"]).current_dir(dir.path()).output_in_time();
    assert!(init.expect("the program starts").status.success() && dir.path().join("new/rubric.toml").is_file());
}
