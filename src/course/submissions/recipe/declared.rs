//! gothello.toml, in which a submission itself says how it is built and started.

use toml::{Table, Value};

use super::submitted_files::{SubmittedFiles, dir_of};
use super::{Certainty, Recipe, flaw};
use crate::course::submissions::EntryPath;
use crate::tournament::Transport;

/// The name of the file in which a submission declares its bot.
const FILE: &str = "gothello.toml";

/// The keys that gothello.toml may contain.
const KEYS: [&str; 7] = ["name", "language", "dir", "build", "command", "transport", "openings"];

/// The language of a submission whose gothello.toml does not name a known language.
pub(super) const OTHER_LANGUAGE: &str = "another language";

/// The contents of the gothello.toml nearest to the top of the submission.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// The recipe; `None` if the file has a mistake.
    pub(super) recipe: Option<Recipe>,
    /// Warnings for the teacher, as complete clauses, which may contain untrusted text.
    pub(super) warnings: Vec<String>,
}

/// Reads the gothello.toml nearest to the top of the submission.
pub(super) fn find(files: &SubmittedFiles) -> Declared {
    let Some((name, text)) = files.called(FILE) else { return Declared::default() };
    let table: Table = text.parse().unwrap_or_default();
    let unknown: Vec<String> =
        table.keys().filter(|key| !KEYS.contains(&key.as_str())).map(|key| format!("`{key}`")).collect();
    let warning = (!unknown.is_empty()).then(|| {
        format!("`{name}` has unknown keys, which are ignored: {}; known: {}", unknown.join(", "), KEYS.join(", "))
    });
    Declared { recipe: recipe(files, name, text).ok(), warnings: warning.into_iter().collect() }
}

/// The reason why a submission's gothello.toml is not used, as a clause that names the wrong key; `None` if it has no
/// mistake.
pub(super) fn mistake(files: &SubmittedFiles) -> Option<String> {
    let (name, text) = files.called(FILE)?;
    recipe(files, name, text).err().map(|why| format!("`{name}` is not used: {why}"))
}

fn recipe(files: &SubmittedFiles, name: &str, text: &str) -> Result<Recipe, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        format!("line {}: {}", before.matches('\n').count() + 1, error.message())
    })?;
    let command = words(&table, "command")?.ok_or("`command` is missing")?;
    let below = match table.get("dir").map(Value::as_str) {
        None | Some(Some("." | "" | "./")) => String::new(),
        Some(Some(dir)) => EntryPath::parse(dir).map_err(|why| format!("`dir` {why}"))?.as_str().to_owned(),
        Some(None) => return Err("`dir` is not a string".to_owned()),
    };
    let dir = [dir_of(name), &below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    if !files.has_dir(&dir) {
        return Err(format!(
            "`dir` is `{below}`, but the submission has no such directory, or the directory contains no files"
        ));
    }
    let transport = match table.get("transport").map(|value| value.as_str().unwrap_or_default()) {
        None => Transport::default(),
        Some(word) => {
            let known = Transport::ALL.into_iter().find(|transport| transport.name() == word);
            known.ok_or_else(|| {
                format!("`transport` must be one of {}", Transport::ALL.map(Transport::name).join(", "))
            })?
        }
    };
    let follows_openings = match table.get("openings") {
        None => false,
        Some(value) => value.as_bool().ok_or("`openings` must be true or false")?,
    };
    let recipe = Recipe {
        dir,
        language: language(table.get("language").and_then(Value::as_str).unwrap_or_default()),
        build: words(&table, "build")?,
        command,
        transport,
        hosts: Vec::new(),
        side: None,
        is_told_clock: true,
        follows_openings,
        certainty: Certainty::Sure,
        why: format!("`{name}` says so"),
    };
    for (key, program) in [("command", recipe.command.first()), ("build", recipe.build.iter().flatten().next())] {
        if let Some(program) = program.filter(|program| is_elsewhere(program)) {
            return Err(format!(
                "its `{key}` runs `{program}`: a submission may run only its own files, programs found by name, and programs in /usr and /bin"
            ));
        }
    }
    match wrong_key(&recipe) {
        None => Ok(recipe),
        Some((key, flaw)) => Err(format!("a tournament file would not accept its `{key}`: {flaw}")),
    }
}

/// Whether `program` is in a place that students should not use. The files that a bot can see depend on where its
/// program is.
fn is_elsewhere(program: &str) -> bool {
    let leads_up = program.split('/').any(|part| part == "..");
    leads_up || program.starts_with('/') && !["/usr/", "/bin/"].iter().any(|dir| program.starts_with(dir))
}

/// The key of `recipe` that a tournament file rejects, and the reason.
fn wrong_key(recipe: &Recipe) -> Option<(&'static str, String)> {
    let found = flaw(recipe)?;
    let alone = Recipe { build: None, transport: Transport::default(), ..recipe.clone() };
    if flaw(&alone).is_some() {
        return Some(("command", found));
    }
    let with_build = Recipe { build: recipe.build.clone(), ..alone };
    Some((if flaw(&with_build).is_some() { "build" } else { "transport" }, found))
}

/// The array of strings at `key`; `None` if `table` does not have the key.
fn words(table: &Table, key: &str) -> Result<Option<Vec<String>>, String> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let words: Option<Vec<String>> =
        value.as_array().and_then(|words| words.iter().map(|word| word.as_str().map(str::to_owned)).collect());
    words.map(Some).ok_or_else(|| format!("`{key}` is not an array of strings"))
}

/// The name, as shown to users, of the language that gothello.toml calls `word`. It is never `word` itself, which may
/// be any text.
fn language(word: &str) -> &'static str {
    match word {
        "python" => "Python",
        "java" => "Java",
        "c" => "C",
        "cpp" | "c++" => "C++",
        "rust" => "Rust",
        "javascript" | "js" => "JavaScript",
        _ => OTHER_LANGUAGE,
    }
}
