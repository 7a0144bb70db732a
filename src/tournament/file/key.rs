//! The descriptor of a key, from which its reader, the JSON Schema and the tables of the documentation are derived.

use serde_json::{Value, json};

/// The kind of values that a key takes.
pub(crate) trait KeyKind: Sync {
    /// A value that has been read.
    type Value: Sync + 'static;

    /// Whether [`KeyKind::allowed`] specifies bounds.
    const HAS_BOUNDS: bool = false;

    /// The keywords of the JSON Schema that describe a value.
    fn schema(&self) -> Value;

    /// The allowed values in Markdown, such as `1 to 10`.
    fn allowed(&self) -> String;

    /// `value` as written in a file.
    fn json(&self, value: &Self::Value) -> Value;
}

/// The effect of leaving out a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyDefault<V> {
    /// A missing key is a mistake.
    Needed,
    /// The setting does not apply.
    Nothing,
    /// The key has this value.
    Is(V),
    /// The value depends on something else, as described by this text.
    Depends(&'static str),
}

/// Another key that a key depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GoesWith {
    pub(crate) key: &'static str,
    /// The values of the other key with which this key makes sense; if empty, all values.
    pub(crate) words: &'static [&'static str],
}

/// A key of a file that users write.
pub(crate) struct FileKey<K: KeyKind> {
    pub(crate) name: &'static str,
    pub(crate) kind: K,
    default: KeyDefault<K::Value>,
    beside: Option<GoesWith>,
    /// Whether the key's value is part of the identity of a run.
    identifies: bool,
    /// The meaning of the key, as text that can follow a colon, without a full stop at the end.
    text: &'static str,
    /// Additional text for the documentation, in Markdown.
    more: &'static str,
    /// An example value in TOML; empty if there is none.
    example: &'static str,
    /// Further keywords of the JSON Schema, as a JSON object.
    keywords: &'static str,
}

impl<K: KeyKind> FileKey<K> {
    /// Creates an optional key whose value is not part of the identity of a run.
    pub(crate) const fn new(name: &'static str, kind: K, text: &'static str) -> Self {
        let default = KeyDefault::Nothing;
        Self { name, kind, default, beside: None, identifies: false, text, more: "", example: "", keywords: "{}" }
    }

    /// Sets the value that applies if the key is left out.
    pub(crate) const fn by_default(mut self, default: K::Value) -> Self
    where
        K::Value: Copy,
    {
        self.default = KeyDefault::Is(default);
        self
    }

    /// Describes the value that applies if the key is left out, for a value that depends on something else.
    pub(crate) const fn otherwise(mut self, words: &'static str) -> Self
    where
        K::Value: Copy,
    {
        self.default = KeyDefault::Depends(words);
        self
    }

    /// Makes the key mandatory.
    pub(crate) const fn needed(mut self) -> Self
    where
        K::Value: Copy,
    {
        self.default = KeyDefault::Needed;
        self
    }

    /// Makes the key depend on `key`, and on its value being one of `words`, unless `words` is empty.
    pub(crate) const fn beside(mut self, key: &'static str, words: &'static [&'static str]) -> Self {
        self.beside = Some(GoesWith { key, words });
        self
    }

    /// Makes the key's value part of the identity of a run.
    pub(crate) const fn identifies(mut self) -> Self {
        self.identifies = true;
        self
    }

    /// Adds text for the documentation.
    pub(crate) const fn more(mut self, more: &'static str) -> Self {
        self.more = more;
        self
    }

    /// Adds an example value in TOML, for editors and messages.
    pub(crate) const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    /// Adds further keywords of the JSON Schema.
    pub(crate) const fn keywords(mut self, keywords: &'static str) -> Self {
        self.keywords = keywords;
        self
    }

    /// The default value of the key; `None` unless it is a fixed value.
    pub(super) const fn default(&self) -> Option<K::Value>
    where
        K::Value: Copy,
    {
        match self.default {
            KeyDefault::Is(value) => Some(value),
            KeyDefault::Needed | KeyDefault::Nothing | KeyDefault::Depends(_) => None,
        }
    }

    /// The condition on another key, in Markdown, if it requires more than the presence of that key.
    fn condition(&self) -> Option<String> {
        let GoesWith { key, words } = self.beside.filter(|beside| !beside.words.is_empty())?;
        let words: Vec<String> = match key {
            "format" => words.iter().map(|&word| word.to_owned()).collect(),
            _ => words.iter().map(|word| format!("`\"{word}\"`")).collect(),
        };
        let listed = match &words[..] {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            _ => words.concat(),
        };
        Some(if key == "format" { listed } else { format!("`{key} = {}", &listed[1..]) })
    }
}

/// A key with values of any kind.
pub(crate) trait AnyKey: Sync {
    /// The name of the key.
    fn name(&self) -> &'static str;

    /// The other key on which this key depends.
    fn beside(&self) -> Option<GoesWith>;

    /// Whether the key's value is part of the identity of a run.
    fn identifies(&self) -> bool;

    /// An example value in TOML; empty if there is none.
    fn example(&self) -> &'static str;

    /// Whether the key is mandatory.
    fn is_needed(&self) -> bool;

    /// The JSON Schema of the key's value.
    fn schema(&self) -> Value;

    /// The key's cells in a table of the documentation: the default, the allowed values, and the meaning. `has_company`
    /// specifies whether another cell shows the key's dependency.
    fn cells(&self, has_company: bool) -> [String; 3];

    /// The key's dependency, in Markdown.
    fn company(&self) -> String;
}

impl<K: KeyKind> AnyKey for FileKey<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn beside(&self) -> Option<GoesWith> {
        self.beside
    }

    fn identifies(&self) -> bool {
        self.identifies
    }

    fn example(&self) -> &'static str {
        self.example
    }

    fn is_needed(&self) -> bool {
        matches!(self.default, KeyDefault::Needed)
    }

    fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        let condition = self.condition().map(|condition| format!("with {condition}: ")).unwrap_or_default();
        let mut description = condition + self.text + ".";
        if let Some(first) = description.get(..1) {
            description = first.to_uppercase() + &description[1..];
        }
        if K::HAS_BOUNDS {
            description = format!("{description} Allowed: {}.", self.kind.allowed());
        }
        match &self.default {
            KeyDefault::Is(value) => schema["default"] = self.kind.json(value),
            KeyDefault::Depends(words) => description = format!("{description} By default: {words}."),
            KeyDefault::Needed | KeyDefault::Nothing => {}
        }
        schema["description"] = description.into();
        if !self.example.is_empty() {
            schema["examples"] = json!([toml_value(self.example)]);
        }
        for (keyword, value) in object(self.keywords) {
            schema[keyword] = value;
        }
        schema
    }

    fn cells(&self, has_company: bool) -> [String; 3] {
        let default = match &self.default {
            KeyDefault::Is(value) => format!("`{}`", toml_text(&self.kind.json(value))),
            KeyDefault::Depends(words) => (*words).to_owned(),
            KeyDefault::Nothing => "none".to_owned(),
            KeyDefault::Needed => String::new(),
        };
        let condition = self.condition().filter(|_| !has_company);
        let condition = condition.map(|condition| format!("with {condition}: ")).unwrap_or_default();
        [default, self.kind.allowed(), format!("{condition}{}{}", self.text, self.more)]
    }

    fn company(&self) -> String {
        let key = self.beside.map(|beside| format!("`{}`", beside.key));
        self.condition().or(key).unwrap_or_default()
    }
}

/// Parses `text`, a JSON object that is part of this program, and returns its members.
pub(super) fn object(text: &str) -> serde_json::Map<String, Value> {
    serde_json::from_str(text).unwrap_or_else(|error| unreachable!("{error}: {text}"))
}

/// Parses `text`, a TOML value that is part of this program. A date becomes a string, because JSON has no dates.
fn toml_value(text: &str) -> toml::Value {
    let table = format!("value = {text}").parse::<toml::Table>();
    match table.unwrap_or_else(|error| unreachable!("{error}: {text}"))["value"].clone() {
        toml::Value::Datetime(date) => date.to_string().into(),
        value => value,
    }
}

/// `value` as written in TOML.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// The JSON Schema of a table that allows only `keys`.
pub(crate) fn table_schema(keys: &[&dyn AnyKey]) -> Value {
    let properties: serde_json::Map<String, Value> =
        keys.iter().map(|key| (key.name().to_owned(), key.schema())).collect();
    let needed: Vec<&str> = keys.iter().filter(|key| key.is_needed()).map(|key| key.name()).collect();
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !needed.is_empty() {
        schema["required"] = json!(needed);
    }
    schema
}

/// The table of `keys` for the documentation. If `has_company` is true, the table shows the keys' dependencies in a
/// separate column.
pub(crate) fn markdown_table(keys: &[&dyn AnyKey], has_company: bool) -> String {
    let [name, line] = if has_company { [" goes with |", " --- |"] } else { [""; 2] };
    format!("| key |{name} default | allowed | meaning |\n| --- |{line} --- | --- | --- |\n")
        + &markdown_rows(keys, "", has_company)
}

/// The rows of the table of `keys`. `prefix` is put before each key.
pub(crate) fn markdown_rows(keys: &[&dyn AnyKey], prefix: &str, has_company: bool) -> String {
    let row = |key: &&dyn AnyKey| {
        let company = if has_company { format!(" {} |", key.company()) } else { String::new() };
        let [default, allowed, meaning] = key.cells(has_company);
        format!("| `{prefix}{}` |{company} {default} | {allowed} | {meaning} |\n", key.name())
    };
    keys.iter().map(row).collect()
}

/// Defines keys and a list of these keys, in the order in which messages name them.
macro_rules! keys {
    ($(#[$doc:meta])* $list:ident; $($(#[$key_doc:meta])* $name:ident: $Kind:ty = $key:expr;)+) => {
        $($(#[$key_doc])* pub(crate) const $name: $crate::tournament::file::key::FileKey<$Kind> = $key;)+

        $(#[$doc])*
        pub(crate) const $list: &[&dyn $crate::tournament::file::key::AnyKey] = &[$(&$name),+];
    };
}
pub(crate) use keys;
