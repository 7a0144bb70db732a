//! The words that are values of keys at the top of the file.

use serde_json::{Value, json};

use crate::base::word_enum::words;
use crate::game::Ruleset;
use crate::tournament::file::key::KeyKind;

/// The word that names a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatWord {
    RoundRobin,
    Gauntlet,
    Swiss,
    Knockout,
    Group,
    Sprt,
    Ladder,
}

words! {
    pub(crate) FormatWord;
    RoundRobin => "round-robin",
    Gauntlet => "gauntlet",
    Swiss => "swiss",
    Knockout => "knockout",
    Group => "group",
    Sprt => "sprt",
    Ladder => "ladder",
}

/// The name of a rule set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RulesetName;

impl RulesetName {
    /// All names.
    pub(crate) fn all() -> impl Iterator<Item = &'static str> {
        Ruleset::ALL.into_iter().map(Ruleset::name)
    }
}

impl KeyKind for RulesetName {
    type Value = &'static str;

    fn schema(&self) -> Value {
        json!({ "enum": Self::all().collect::<Vec<_>>() })
    }

    fn allowed(&self) -> String {
        Self::all().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(", ")
    }

    fn json(&self, value: &&'static str) -> Value {
        json!(value)
    }
}
