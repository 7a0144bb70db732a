//! The schema's description of a key.

use serde_json::Value;

use super::samples::Table;

/// A range of values, bounds included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) least: String,
    pub(super) most: String,
    /// Whether the file contains the bounds as strings, as for durations and sizes.
    pub(super) is_text: bool,
}

/// The schema's description of a key, including the definitions that it refers to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Facts {
    pub(super) ranges: Vec<Range>,
    /// The words of an enum, and the word that the key accepts in addition to numbers.
    pub(super) words: Vec<String>,
    pub(super) is_boolean: bool,
    pub(super) most_characters: Option<u64>,
    pub(super) most_items: Option<u64>,
    pub(super) default: Option<Value>,
    pub(super) examples: Vec<Value>,
}

impl Facts {
    /// The description of `key` in `table` in `schema`.
    pub(super) fn of(schema: &Value, table: Table, key: &str) -> Self {
        let property = schema.pointer(&format!("{}/properties/{key}", table.pointer())).expect("a key of the schema");
        assert!(property["description"].as_str().is_some_and(|text| text.ends_with('.')), "{table:?} `{key}`");
        let mut facts = Self::default();
        facts.add(schema, property);
        facts
    }

    fn add(&mut self, schema: &Value, part: &Value) {
        if let Some(path) = part["$ref"].as_str() {
            self.add(schema, schema.pointer(path.trim_start_matches('#')).expect("a definition"));
        }
        for parts in [&part["allOf"], &part["anyOf"]] {
            parts.as_array().into_iter().flatten().for_each(|part| self.add(schema, part));
        }
        for (least, most, is_text) in [("minimum", "maximum", false), ("x-minimum", "x-maximum", true)] {
            if let (Some(least), Some(most)) = (part.get(least), part.get(most)) {
                let text = |bound: &Value| bound.as_str().map_or_else(|| bound.to_string(), str::to_owned);
                self.ranges.push(Range { least: text(least), most: text(most), is_text });
            }
        }
        let words = part["enum"].as_array().into_iter().flatten().chain(part.get("const"));
        self.words.extend(words.filter_map(Value::as_str).map(str::to_owned));
        self.is_boolean |= part["type"] == "boolean" && part.get("const").is_none();
        self.most_characters = part["maxLength"].as_u64().or(self.most_characters);
        self.most_items = part["maxItems"].as_u64().or(self.most_items);
        self.default = part.get("default").cloned().or(self.default.take());
        self.examples.extend(part["examples"].as_array().into_iter().flatten().cloned());
    }
}
