//! The descriptor of one key, from which its reader, the JSON Schema and the tables of the documentation follow.

use serde_json::{Value, json};

/// What the values of a key look like.
pub(crate) trait KeyKind: Sync {
    /// A value that has been read.
    type Value: Sync + 'static;

    /// Whether [`KeyKind::allowed`] names bounds.
    const HAS_BOUNDS: bool = false;

    /// The keywords of the JSON Schema that describe a value.
    fn schema(&self) -> Value;

    /// The allowed values in Markdown, such as `1 to 10`.
    fn allowed(&self) -> String;

    /// `value` as a file writes it.
    fn json(&self, value: &Self::Value) -> Value;
}

/// What holds without a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyDefault<V> {
    /// There is a problem.
    Needed,
    /// What the key says does not apply.
    Nothing,
    /// The key has this value.
    Is(V),
    /// The value depends on something else, as these words say.
    Depends(&'static str),
}

/// The other key that a key goes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GoesWith {
    pub(crate) key: &'static str,
    /// The values of the other key beside which this key makes sense; any of its values if there are none here.
    pub(crate) words: &'static [&'static str],
}

/// A key of a file that people write.
pub(crate) struct FileKey<K: KeyKind> {
    pub(crate) name: &'static str,
    pub(crate) kind: K,
    default: KeyDefault<K::Value>,
    beside: Option<GoesWith>,
    /// Whether another value makes another run.
    identifies: bool,
    /// What the key means, in words that follow a colon, without a full stop at the end.
    text: &'static str,
    /// What the documentation says besides, in Markdown.
    more: &'static str,
    /// A value in TOML; empty without an example.
    example: &'static str,
    /// Further keywords of the JSON Schema, as a JSON object.
    keywords: &'static str,
}

impl<K: KeyKind> FileKey<K> {
    /// A key that may be left out, and that makes no other run.
    pub(crate) const fn new(name: &'static str, kind: K, text: &'static str) -> Self {
        let default = KeyDefault::Nothing;
        Self { name, kind, default, beside: None, identifies: false, text, more: "", example: "", keywords: "{}" }
    }

    /// The key with `default` where it is left out.
    pub(crate) const fn by_default(mut self, default: K::Value) -> Self
    where
        K::Value: Copy,
    {
        self.default = KeyDefault::Is(default);
        self
    }

    /// The key with a value that depends on something else where it is left out.
    pub(crate) const fn otherwise(mut self, words: &'static str) -> Self
    where
        K::Value: Copy,
    {
        self.default = KeyDefault::Depends(words);
        self
    }

    /// The key as one that must be there.
    pub(crate) const fn needed(mut self) -> Self
    where
        K::Value: Copy,
    {
        self.default = KeyDefault::Needed;
        self
    }

    /// The key as one that makes sense only beside `key`, with one of the values `words` if there are any.
    pub(crate) const fn beside(mut self, key: &'static str, words: &'static [&'static str]) -> Self {
        self.beside = Some(GoesWith { key, words });
        self
    }

    /// The key as one whose value makes a run what it is.
    pub(crate) const fn identifies(mut self) -> Self {
        self.identifies = true;
        self
    }

    /// The key with more to read in the documentation.
    pub(crate) const fn more(mut self, more: &'static str) -> Self {
        self.more = more;
        self
    }

    /// The key with a value for editors and messages, in TOML.
    pub(crate) const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    /// The key with further keywords of the JSON Schema.
    pub(crate) const fn keywords(mut self, keywords: &'static str) -> Self {
        self.keywords = keywords;
        self
    }

    /// The value that the key has where it is left out, if the file alone decides it.
    pub(super) const fn default(&self) -> Option<K::Value>
    where
        K::Value: Copy,
    {
        match self.default {
            KeyDefault::Is(value) => Some(value),
            KeyDefault::Needed | KeyDefault::Nothing | KeyDefault::Depends(_) => None,
        }
    }

    /// What the key goes with, in Markdown, if it says more than that another key is there.
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

/// A key, whatever its values look like.
pub(crate) trait AnyKey: Sync {
    /// The key.
    fn name(&self) -> &'static str;

    /// What the key goes with.
    fn beside(&self) -> Option<GoesWith>;

    /// Whether another value makes another run.
    fn identifies(&self) -> bool;

    /// A value in TOML; empty without an example.
    fn example(&self) -> &'static str;

    /// Whether the key must be there.
    fn is_needed(&self) -> bool;

    /// What the JSON Schema says of the key's value.
    fn schema(&self) -> Value;

    /// The cells of the documentation: the default, the allowed values, and the meaning. `has_company` says whether another
    /// cell has what the key goes with.
    fn cells(&self, has_company: bool) -> [String; 3];

    /// What the key goes with, in Markdown.
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

/// The members of the JSON object `text`, which belongs to the program.
pub(super) fn object(text: &str) -> serde_json::Map<String, Value> {
    serde_json::from_str(text).unwrap_or_else(|error| unreachable!("{error}: {text}"))
}

/// The TOML value `text`, which belongs to the program.
fn toml_value(text: &str) -> toml::Value {
    let table = format!("value = {text}").parse::<toml::Table>();
    table.unwrap_or_else(|error| unreachable!("{error}: {text}"))["value"].clone()
}

/// `value` as TOML writes it.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// The JSON Schema of a table with `keys` and no others.
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

/// The table of `keys` for the documentation. A table that `has_company` says what each key goes with in a cell of its own.
pub(crate) fn markdown_table(keys: &[&dyn AnyKey], has_company: bool) -> String {
    let [name, line] = if has_company { [" goes with |", " --- |"] } else { [""; 2] };
    format!("| key |{name} default | allowed | meaning |\n| --- |{line} --- | --- | --- |\n")
        + &markdown_rows(keys, "", has_company)
}

/// The rows of such a table. `prefix` stands before each key.
pub(crate) fn markdown_rows(keys: &[&dyn AnyKey], prefix: &str, has_company: bool) -> String {
    let row = |key: &&dyn AnyKey| {
        let company = if has_company { format!(" {} |", key.company()) } else { String::new() };
        let [default, allowed, meaning] = key.cells(has_company);
        format!("| `{prefix}{}` |{company} {default} | {allowed} | {meaning} |\n", key.name())
    };
    keys.iter().map(row).collect()
}

/// Defines keys and the list of them, in the order in which messages name them.
macro_rules! keys {
    ($(#[$doc:meta])* $list:ident; $($(#[$key_doc:meta])* $name:ident: $Kind:ty = $key:expr;)+) => {
        $($(#[$key_doc])* pub(crate) const $name: $crate::tournament::file::key::FileKey<$Kind> = $key;)+

        $(#[$doc])*
        pub(crate) const $list: &[&dyn $crate::tournament::file::key::AnyKey] = &[$(&$name),+];
    };
}
pub(crate) use keys;
