//! The JSON Schema of rubric files, and the tables of keys in docs/teach/grading.md.

use serde_json::json;

use super::keys::{ITEM_KEYS, PLAY_KEYS, RULE_TABLES, TOP_KEYS};
use crate::tournament::file::key::{markdown_rows, markdown_table, table_schema};
use crate::tournament::file::schema::{definition, dependencies, joined, schema_text};

/// The JSON Schema (draft 7) of rubric files, generated from the descriptors of their keys. [`super::RUBRIC_SCHEMA`]
/// contains the same text.
pub fn rubric_schema() -> String {
    let rules = RULE_TABLES.map(|table| table.name).into_iter().chain(["manual"]);
    let needed = |rule: &str| if rule == "score" { json!(["score", "against"]) } else { json!([rule]) };
    let one_of: Vec<_> = rules.map(|rule| json!({ "required": needed(rule) })).collect();
    let item = json!({ "oneOf": one_of, "dependencies": dependencies(ITEM_KEYS) });
    let between_clocks = json!({ "time": { "properties": { "move_time": false } } });
    let schema = json!({
        "title": "A rubric for gothello-arena",
        "description": "What a student's bot is graded on. docs/teach/grading.md describes the items.",
        "properties": { "play": { "dependencies": joined(dependencies(PLAY_KEYS), between_clocks) } },
        "definitions": {
            "duration": definition("duration"),
            "clock": definition("clock"),
            "item": joined(table_schema(ITEM_KEYS), item),
        },
    });
    schema_text(joined(table_schema(TOP_KEYS), schema))
}

/// The tables of docs/teach/grading.md, each with the name that the comments around it use.
pub fn rubric_tables() -> Vec<(&'static str, String)> {
    let of_rules = RULE_TABLES.iter().map(|table| markdown_rows(table.kind.keys, &format!("{}.", table.name), false));
    let items = markdown_table(ITEM_KEYS, false) + &of_rules.collect::<String>();
    vec![
        ("keys of a rubric", markdown_table(TOP_KEYS, false)),
        ("keys of play", markdown_table(PLAY_KEYS, false)),
        ("keys of an item", items),
    ]
}
