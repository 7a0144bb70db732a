//! The JSON Schema of tournament files, and the tables of keys in the documentation.
//!
//! The values of each key are specified by its descriptor. Constraints between values are in schema/relations.json; the
//! reader implements the same constraints in code.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::key::{AnyKey, markdown_rows, markdown_table, object, table_schema};
use super::keys::inner_tables::{ADJUDICATE_KEYS, OPENINGS_KEYS};
use super::keys::ladder::LADDER_KEYS;
use super::keys::player::{COMMAND, DIR, FOLDER, GIT, MEMBER_KEYS, MODES_KEYS, PLAYER_KEYS, SUBMIT, WRITABLE};
use super::keys::rules::{COMPENSATION_KEYS, HANDICAP_KEYS, QUANTUM_KEYS, SEEGOVER_KEYS};
use super::keys::top::{FORMAT, TOP_KEYS};
use super::keys::words::FormatWord;
use crate::tournament::Placeholder;

/// Generates the JSON Schema (draft 7) of tournament files from the descriptors of their keys.
/// [`super::TOURNAMENT_SCHEMA`] is the same text.
pub fn tournament_schema() -> String {
    let mut relations = relations();
    let mut part = |name: &str| relations.remove(name).unwrap_or_default();
    let (of_player, of_member) = (part("player"), part("team_bot"));
    let player = json!({
        "description": "A player, with exactly one of `command`, `builtin`, `remote` and `modes`.",
        "dependencies": joined(dependencies(PLAYER_KEYS), of_versions()),
    });
    let member = json!({
        "description": "The bot that plays one mode for its team, with exactly one of `command` and `builtin`.",
        "dependencies": dependencies(MEMBER_KEYS),
    });
    let schema = json!({
        "title": "A tournament file for gothello-arena",
        "description": "The games to play, with their players, clocks and limits. `gothello-arena check FILE` finds every \
                        mistake, including conflicts between keys or players that no schema can express.",
        "dependencies": dependencies(TOP_KEYS),
        "allOf": of_formats(),
        "definitions": joined(part("definitions"), json!({
            "player": joined(joined(table_schema(PLAYER_KEYS), of_player), player),
            "team_bot": joined(joined(table_schema(MEMBER_KEYS), of_member), member),
            "modes": table_schema(MODES_KEYS),
            "rules_of_seegover": table_schema(SEEGOVER_KEYS),
            "rules_of_quantum": table_schema(QUANTUM_KEYS),
            "compensation_of_player": table_schema(COMPENSATION_KEYS),
            "template": template(|_| true),
            "template_without_address": template(|placeholder| !placeholder.is_address()),
            "variable": {
                "type": "string",
                "pattern": "^[^=\\u0000]+$",
                "not": { "enum": Placeholder::ALL.map(Placeholder::variable) },
            },
        })),
    });
    schema_text(joined(joined(table_schema(TOP_KEYS), part("top")), schema))
}

/// The schema of a string that may contain the placeholders for which `has` returns true.
fn template(has: impl Fn(Placeholder) -> bool) -> Value {
    let names: Vec<&str> = Placeholder::ALL.into_iter().filter(|&one| has(one)).map(Placeholder::name).collect();
    let pattern = format!(r"^([^{{}}\u0000]|\{{\{{|\}}\}}|\{{({})\}})*$", names.join("|"));
    json!({ "type": "string", "pattern": pattern })
}

/// Constraints between values, and the patterns of strings.
fn relations() -> Map<String, Value> {
    object(include_str!("schema/relations.json"))
}

/// The pattern called `name`.
pub(crate) fn definition(name: &str) -> Value {
    relations()["definitions"][name].clone()
}

/// The tables in docs/reference/tournament-file.md, each with its name in the comments around it.
pub fn tournament_tables() -> Vec<(&'static str, String)> {
    let top: Vec<&dyn AnyKey> = TOP_KEYS.iter().copied().filter(|key| key.name() != "player").collect();
    let inner =
        markdown_rows(ADJUDICATE_KEYS, "adjudicate.", false) + &markdown_rows(OPENINGS_KEYS, "openings.", false);
    let ladder = markdown_table(LADDER_KEYS, false);
    let [of_top, of_players] = identifying_keys().map(|keys| format!("`{}`", keys.join("`, `")));
    let run = format!(
        "Games belong to a different run if the value of any of these keys differs: {of_top}; or, for a player, \
         {of_players}.\n"
    );
    let options = markdown_table(QUANTUM_KEYS, false)
        + &markdown_rows(HANDICAP_KEYS, "handicap.", false)
        + &markdown_rows(COMPENSATION_KEYS, "compensation.", false);
    vec![
        ("keys at the top", markdown_table(&top, false) + &inner),
        ("keys of a ladder", ladder),
        ("keys of a run", run),
        ("options of Seegover", markdown_table(SEEGOVER_KEYS, false)),
        ("options of the other games", options),
        ("keys of a player", markdown_table(PLAYER_KEYS, true) + &markdown_rows(MODES_KEYS, "modes.", true)),
    ]
}

/// The keys at the top of the file, and the keys of a player, whose values are part of the identity of a run.
pub fn identifying_keys() -> [Vec<&'static str>; 2] {
    [TOP_KEYS, PLAYER_KEYS].map(|keys| keys.iter().filter(|key| key.identifies()).map(|key| key.name()).collect())
}

/// The JSON Schema `dependencies` of `keys`: for each key that depends on another, the key that it requires, with the
/// allowed values of that key if only some are allowed.
pub(crate) fn dependencies(keys: &[&dyn AnyKey]) -> Value {
    let of_key = |key: &&dyn AnyKey| {
        let beside = key.beside().filter(|beside| beside.key != FORMAT.name)?;
        let needed = json!([beside.key]);
        let value = match beside.words {
            [] => needed,
            words => json!({ "properties": { (beside.key): { "enum": words } }, "required": needed }),
        };
        Some((key.name().to_owned(), value))
    };
    Value::Object(keys.iter().filter_map(of_key).collect())
}

/// The JSON Schema `dependencies` of the keys of a program, which may also belong to a player that hands in versions.
fn of_versions() -> Value {
    let command = COMMAND.name;
    let doors = [command, FOLDER.name, GIT.name, SUBMIT.name].map(|key| json!({ "required": [key] }));
    let of_key = |key: &&dyn AnyKey| {
        let is_of_program = key.beside().is_some_and(|beside| beside.key == command);
        let is_of_files = [DIR.name, WRITABLE.name].contains(&key.name());
        (is_of_program && !is_of_files).then(|| (key.name().to_owned(), json!({ "anyOf": doors })))
    };
    Value::Object(PLAYER_KEYS.iter().filter_map(of_key).collect())
}

/// The conditions for keys that are allowed only with some formats.
fn of_formats() -> Value {
    let mut of_words: BTreeMap<&[&str], Map<String, Value>> = BTreeMap::new();
    for key in TOP_KEYS {
        if let Some(beside) = key.beside().filter(|beside| beside.key == FORMAT.name) {
            of_words.entry(beside.words).or_default().insert(key.name().to_owned(), false.into());
        }
    }
    let conditions = of_words.into_iter().map(|(words, keys)| {
        let is_default = FORMAT.default().map(FormatWord::name).is_some_and(|word| words.contains(&word));
        let needed: &[&str] = if is_default { &[] } else { &[FORMAT.name] };
        let condition = json!({ "properties": { (FORMAT.name): { "enum": words } }, "required": needed });
        json!({ "if": condition, "else": { "properties": keys } })
    });
    conditions.collect()
}

/// Adds the members of `other` to `one`; lists and objects under the same name are merged.
pub(crate) fn joined(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Object(mut one), Value::Object(other)) => {
            for (name, value) in other {
                let before = one.remove(&name);
                one.insert(name, before.map_or(value.clone(), |before| joined(before, value)));
            }
            Value::Object(one)
        }
        (Value::Array(one), Value::Array(other)) => one.into_iter().chain(other).collect(),
        (_, other) => other,
    }
}

/// The text of a schema of draft 7.
pub(crate) fn schema_text(mut schema: Value) -> String {
    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    laid_out(&schema, 0) + "\n"
}

/// `value` as JSON indented by `indent` spaces, on one line if it fits.
fn laid_out(value: &Value, indent: usize) -> String {
    const WIDTH: usize = 120;
    let inner = |value, is_flat: bool| laid_out(value, if is_flat { 0 } else { indent + 2 });
    let lay_out = |is_flat: bool| {
        let (brackets, items): (_, Vec<String>) = match value {
            Value::Array(items) => (["[", "]"], items.iter().map(|item| inner(item, is_flat)).collect()),
            Value::Object(members) => {
                let member = |(name, value)| format!("{}: {}", Value::from(name), inner(value, is_flat));
                (["{", "}"], members.iter().map(|(name, value)| member((name.as_str(), value))).collect())
            }
            simple => return simple.to_string(),
        };
        let [open, close] = brackets;
        if is_flat && open == "{" && !items.is_empty() {
            return format!("{{ {} }}", items.join(", "));
        }
        if is_flat {
            return format!("{open}{}{close}", items.join(", "));
        }
        let pad = " ".repeat(indent);
        format!("{open}\n{pad}  {}\n{pad}{close}", items.join(&format!(",\n{pad}  ")))
    };
    let flat = lay_out(true);
    if !flat.contains('\n') && indent + flat.len() <= WIDTH { flat } else { lay_out(false) }
}
