//! What a CI job relies on: the JSON's schema, and the example of a job, run as it is written.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use gothello_arena::rating::{Elo, Model, Prior};
use gothello_arena::report::{self, Format, Superiority};
use gothello_arena::rules::Side;
use gothello_arena::standings::{Anchor, GameSummary, RatingOptions, Standings};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::standings::{game, mixed, won};

fn docs(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// As much of a JSON schema as ours uses; a keyword beyond that is an error of the schema. Stricter than a schema in one
/// thing: every field has to be described.
fn check(schema: &Value, root: &Value, value: &Value, at: &str) -> Result<(), String> {
    for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
        let holds = match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "properties" | "additionalProperties" => true,
            "$ref" => {
                let pointer = wanted.as_str().and_then(|path| path.strip_prefix('#')).expect("a local reference");
                check(root.pointer(pointer).unwrap_or_else(|| panic!("{wanted}")), root, value, at)?;
                true
            }
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|wanted| is_of_type(value, wanted)),
                wanted => is_of_type(value, wanted),
            },
            "enum" => wanted.as_array().expect("values").contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().expect("a number")),
            "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().expect("a number")),
            "required" => wanted.as_array().expect("keys").iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(wanted, root, item, &format!("{at}/{index}"))?;
                }
                true
            }
            other => panic!("the checker does not know `{other}`"),
        };
        if !holds {
            return Err(format!("{at}: {value} is not {keyword} {wanted}"));
        }
    }
    let described = schema.get("properties").is_some() || schema.get("additionalProperties").is_some();
    for (key, field) in value.as_object().into_iter().flatten().filter(|_| described) {
        let own = schema.get("properties").and_then(|properties| properties.get(key));
        let of_field = own.or(schema.get("additionalProperties")).ok_or_else(|| format!("{at}: `{key}` is unknown"))?;
        check(of_field, root, field, &format!("{at}/{key}"))?;
    }
    Ok(())
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("a type's name") {
        "array" => value.is_array(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("the checker does not know the type `{other}`"),
    }
}

#[test]
fn the_json_is_as_its_schema_says() {
    let schema: Value = serde_json::from_str(&docs("standings.schema.json")).unwrap();
    let lost = vec![game(1, "ada", "bea", won(Some(Side::Black), 5)), game(2, "cyd", "dov", None)];
    let anchor = Some(Anchor { player: "ada".to_owned(), elo: Elo(1500.0) });
    let (unbounded, anchored) = (
        RatingOptions { prior: Prior::None, ..RatingOptions::default() },
        RatingOptions { model: Model::BtHalf, anchor, ..RatingOptions::default() },
    );
    let mut nulls = 0;
    for games in [mixed(), lost, Vec::<GameSummary>::new()] {
        for options in [&RatingOptions::default(), &unbounded, &anchored] {
            if games.is_empty() && options.anchor.is_some() {
                continue;
            }
            let standings = Standings::new(&games.iter().collect(), options).unwrap();
            for superiority in [Superiority::Hidden, Superiority::Shown] {
                let text = report::render(&standings, Format::Json, superiority);
                nulls += text.matches(": null").count();
                let value: Value = serde_json::from_str(&text).unwrap();
                check(&schema, &schema, &value, "").unwrap_or_else(|error| panic!("{error}\n{text}"));
            }
        }
    }
    assert!(nulls > 0, "fields that may be null were");
}

#[test]
fn the_schema_would_not_let_other_json_pass() {
    let schema: Value = serde_json::from_str(&docs("standings.schema.json")).unwrap();
    let standings = Standings::new(&mixed().iter().collect(), &RatingOptions::default()).unwrap();
    let good: Value = serde_json::from_str(&report::render(&standings, Format::Json, Superiority::Shown)).unwrap();
    check(&schema, &schema, &good, "").unwrap();
    for (field, wrong) in [
        ("rank", json!(0)),
        ("elo", json!("12")),
        ("games", json!(1.5)),
        ("score", json!(1.1)),
        ("model", json!("elo")),
        ("black", json!({"wins": 1, "draws": 0})),
        ("forfeits_by_kind", json!({"time": 0})),
        ("surprise", json!(1)),
    ] {
        let mut bad = good.clone();
        bad[0][field] = wrong;
        assert!(check(&schema, &schema, &bad, "").is_err(), "{field}");
    }
    let mut bad = good;
    bad[0].as_object_mut().unwrap().remove("margin");
    assert!(check(&schema, &schema, &bad, "").is_err());
}

/// The name and the script of each step that has one.
fn steps(workflow: &str) -> Vec<(String, String)> {
    let mut steps = Vec::new();
    for step in workflow.split("\n      - ").skip(1) {
        let name = step.strip_prefix("name: ").and_then(|rest| rest.lines().next());
        if let (Some(name), Some((_, script))) = (name, step.split_once("\n        run: |\n")) {
            let lines: Vec<&str> =
                script.lines().take_while(|line| line.is_empty() || line.starts_with("          ")).collect();
            let script = lines.iter().map(|line| format!("{}\n", line.trim_start_matches("          ")));
            steps.push((name.to_owned(), script.collect()));
        }
    }
    steps
}

/// Runs a script as the CI server does.
fn bash(dir: &Path, script: &str) -> Output {
    let bin = Path::new(env!("CARGO_BIN_EXE_gothello-arena")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
        .env("PATH", path)
        .env("GITHUB_STEP_SUMMARY", dir.join("summary.md"))
        .current_dir(dir)
        .output()
        .unwrap()
}

#[test]
fn the_example_of_a_job_passes_a_bot_and_fails_a_bad_one() {
    let steps = steps(&docs("ci-example.yml"));
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Install the arena", "Build the bot", "Describe the tournament", "Play", "Judge"]);
    let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/starter.c");
    let good = fs::read_to_string(starter).unwrap();
    for (source, judged) in [(good.as_str(), Some(0)), ("int main(void) { return 1; }\n", Some(3))] {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join("starter.c"), source).unwrap();
        // The arena under test is installed already.
        for (name, script) in &steps[1..] {
            let output = bash(dir.path(), script);
            let expected = if name == "Judge" { judged } else { Some(0) };
            let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), expected, "{name}:\n{stdout}{stderr}");
        }
        let junit = fs::read_to_string(dir.path().join("results/junit.xml")).unwrap();
        assert!(junit.contains("tests=\"3\""), "{junit}");
        let summary = fs::read_to_string(dir.path().join("summary.md")).unwrap();
        assert!(summary.contains("| student"), "{summary}");
    }
}
