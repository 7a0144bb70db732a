//! gothello.toml: the way in which a submission says itself how it is built and started.

use toml::{Table, Value};

use super::submitted_files::{SubmittedFiles, dir_of};
use super::{Certainty, FoundRecipes, Recipe, is_valid};
use crate::results::submissions::EntryPath;
use crate::tournament::file::Transport;

/// The name of the file.
const FILE: &str = "gothello.toml";

/// Reads the gothello.toml nearest to the top.
pub(super) fn find(files: &SubmittedFiles) -> FoundRecipes {
    let Some((name, text)) = files.called(FILE) else { return FoundRecipes::default() };
    match recipe(name, text) {
        Ok(recipe) => FoundRecipes { recipes: vec![recipe], ..FoundRecipes::default() },
        Err(why) => FoundRecipes { remarks: vec![format!("`{name}` is not used: {why}")], ..FoundRecipes::default() },
    }
}

fn recipe(name: &str, text: &str) -> Result<Recipe, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let command = words(&table, "command")?.ok_or("`command` is missing")?;
    let below = match table.get("dir").map(Value::as_str) {
        None | Some(Some("." | "" | "./")) => String::new(),
        Some(Some(dir)) => EntryPath::parse(dir).map_err(|why| format!("`dir` {why}"))?.as_str().to_owned(),
        Some(None) => return Err("`dir` is not a string".to_owned()),
    };
    let transport = match table.get("transport").map(|value| value.as_str().unwrap_or_default()) {
        None => Transport::default(),
        Some(word) => {
            let known = Transport::ALL.into_iter().find(|transport| transport.name() == word);
            known.ok_or_else(|| format!("`transport` is none of {}", Transport::ALL.map(Transport::name).join(", ")))?
        }
    };
    let recipe = Recipe {
        dir: [dir_of(name), &below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/"),
        language: language(table.get("language").and_then(Value::as_str).unwrap_or_default()),
        build: words(&table, "build")?,
        command,
        transport,
        certainty: Certainty::Sure,
        why: format!("`{name}` says so"),
    };
    if is_valid(&recipe) {
        Ok(recipe)
    } else {
        Err("a tournament file would not take its `build`, `command` or `transport`".to_owned())
    }
}

/// The array of strings `key`, if it is there.
fn words(table: &Table, key: &str) -> Result<Option<Vec<String>>, String> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let words: Option<Vec<String>> =
        value.as_array().and_then(|words| words.iter().map(|word| word.as_str().map(str::to_owned)).collect());
    words.map(Some).ok_or_else(|| format!("`{key}` is not an array of strings"))
}

/// The language for people; the file may say anything.
fn language(word: &str) -> &'static str {
    match word {
        "python" => "Python",
        "java" => "Java",
        "c" => "C",
        "cpp" | "c++" => "C++",
        "rust" => "Rust",
        "javascript" | "js" => "JavaScript",
        _ => "a language of its own",
    }
}
