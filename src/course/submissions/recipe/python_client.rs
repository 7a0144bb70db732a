//! The copy of the course's client that a Python player uses.

use super::Recipe;
use super::course_files::is_library;
use super::declared::OTHER_LANGUAGE;
use super::python_imports::{file_of, join, start, upward};
use super::submitted_files::{SubmittedFiles, below, depth, dir_of, ends, file_name, stem};

/// The file and line where the client used by `recipe`'s player fails as soon as there are clocks. Returns `None` if
/// the client does not fail, or if the player is not in Python.
pub(super) fn old_client(files: &SubmittedFiles, recipe: &Recipe) -> Option<(String, usize)> {
    let words: Vec<String> = recipe.command.iter().map(|word| word.replace("{{", "{").replace("}}", "}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let scripts: Vec<(String, Vec<&str>)> = words
        .iter()
        .map(|word| join(&recipe.dir, word.trim_start_matches("./")))
        .filter(|name| !ends(name, ".py"))
        .filter_map(|name| Some((dir_of(&name).to_owned(), script_words(files.text(&name)?))))
        .collect();
    let in_scripts = || {
        scripts
            .iter()
            .find_map(|(dir, words)| python_file(files, &recipe.dir, words).or_else(|| python_file(files, dir, words)))
    };
    let program = python_file(files, &recipe.dir, &words).or_else(in_scripts);
    let is_python = match recipe.language {
        "Python" => true,
        OTHER_LANGUAGE => {
            let mut all = words.iter().chain(scripts.iter().flat_map(|(_, words)| words));
            program.is_some() || all.any(|word| is_interpreter(word))
        }
        _ => false,
    };
    if !is_python {
        return None;
    }
    let imported = program.as_deref().map(|program| start(files, program).libraries).unwrap_or_default();
    let clients =
        if imported.is_empty() { nearest(files, program.as_deref().map_or(&recipe.dir, dir_of)) } else { imported };
    clients.into_iter().find_map(|name| {
        let line = files.text(&name)?.lines().position(is_bare)?;
        Some((name, line + 1))
    })
}

/// Whether a line of a client reads a clock by a name that does not exist, because `self.` is missing.
fn is_bare(line: &str) -> bool {
    ["white_time_control", "black_time_control"]
        .iter()
        .any(|word| line.split_once('=').is_some_and(|(left, right)| left.contains("my_time") && right.trim() == *word))
}

/// The words of a shell script, without its quotes and brackets.
fn script_words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || "\"'`();&|".contains(c)).filter(|word| !word.is_empty()).collect()
}

/// The Python program that a command with these `words` starts in the directory `dir`.
fn python_file(files: &SubmittedFiles, dir: &str, words: &[&str]) -> Option<String> {
    let by_path = words.iter().filter(|word| ends(word, ".py")).find_map(|word| {
        // A variable at the beginning of a path most likely contains the script's own directory.
        let path = word.strip_prefix('$').and_then(|rest| rest.split_once('/')).map_or(*word, |(_, path)| path);
        let name = join(dir, path.trim_start_matches("./").trim_start_matches('/'));
        files.has(&name).then_some(name)
    });
    let by_module = || {
        let module = words.iter().skip_while(|word| **word != "-m").nth(1)?;
        let path: Vec<String> = module.split('.').map(str::to_owned).collect();
        let main = join(dir, &format!("{}/__main__.py", path.join("/")));
        if files.has(&main) { Some(main) } else { file_of(files, dir, &path) }
    };
    by_path.or_else(by_module)
}

/// Whether `word` in a command is a Python interpreter, such as `python3` or `/usr/bin/python3.11`.
fn is_interpreter(word: &str) -> bool {
    let name = file_name(word);
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// The copies of the client nearest to `dir`: copies in `dir` or above it, or else below it, or else anywhere.
fn nearest(files: &SubmittedFiles, dir: &str) -> Vec<String> {
    let is_client = |name: &&str| is_library(name) && stem(name).to_ascii_lowercase().contains("client");
    let clients: Vec<&str> = files.with_ending(&[".py"]).map(|(name, _)| name).filter(is_client).collect();
    let distance = |name: &&str| match upward(dir).position(|above| above == dir_of(name)) {
        Some(steps) => (0, steps),
        None if below(name, dir).is_some() => (1, depth(name)),
        None => (2, depth(name)),
    };
    let closest = clients.iter().copied().min_by_key(distance).map(dir_of);
    clients.into_iter().filter(|name| Some(dir_of(name)) == closest).map(str::to_owned).collect()
}
