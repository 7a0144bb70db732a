//! Finds the Java files of a submission that make up a program.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::source_text::names;
use super::submitted_files::{SubmittedFiles, depth, dir_of, ends, file_name, stem};

/// The maximum number of files that a command names one by one.
const MOST: usize = 200;

/// The package that `text` declares.
pub(super) fn package(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.trim_start().starts_with("package "))?;
    let name = line.trim_start().strip_prefix("package ")?.split(';').next()?.trim();
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '_')).then_some(name)
}

/// `text` without its comments.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for (number, piece) in text.split("/*").enumerate() {
        let piece = if number == 0 { piece } else { piece.split_once("*/").map_or("", |(_, rest)| rest) };
        for line in piece.lines() {
            kept += line.split("//").next().unwrap_or_default();
            kept.push('\n');
        }
    }
    kept
}

/// The names of the classes that `text` defines. They include inner classes, which is harmless.
fn classes(text: &str) -> BTreeSet<String> {
    let words: Vec<&str> = names(text).collect();
    let is_kind = |word: &str| ["class", "interface", "enum", "record"].contains(&word);
    words.windows(2).filter(|pair| is_kind(pair[0])).map(|pair| pair[1].to_owned()).collect()
}

/// A program's own files.
#[derive(Debug)]
pub(super) struct JavaSources<'a> {
    /// The files, starting with the file that contains the main function.
    pub(super) files: Vec<&'a str>,
    /// Names of classes that the program instantiates but that are not defined anywhere.
    pub(super) missing: Vec<String>,
}

/// The files that the program in `main` refers to, directly or through others. If several files define a class of the
/// same name, the nearest file is used.
pub(super) fn sources<'a>(files: &'a SubmittedFiles, main: &'a str) -> JavaSources<'a> {
    let texts: BTreeMap<&str, String> =
        files.with_ending(&[".java"]).map(|(name, text)| (name, without_comments(text))).collect();
    let mut defined: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, text) in &texts {
        for class in classes(text) {
            defined.entry(class).or_default().push(name);
        }
    }
    let mut found = vec![main];
    let mut have: BTreeSet<String> = texts.get(main).map(|text| classes(text)).unwrap_or_default();
    let mut queue: VecDeque<&str> = [main].into();
    while let Some(name) = queue.pop_front() {
        let Some(text) = texts.get(name) else { continue };
        let used: BTreeSet<&str> = names(text).collect();
        for class in used {
            if have.contains(class) || found.len() >= MOST {
                continue;
            }
            let Some(owners) = defined.get(class) else { continue };
            // A class in a file of the same name is preferred to a class in another file, and a nearby file is
            // preferred to a distant file.
            let nearest = owners.iter().min_by_key(|owner| {
                let is_imported =
                    package(&texts[*owner]).is_some_and(|package| text.contains(&format!("import {package}.")));
                (
                    stem(owner) != class,
                    !is_imported && distance(name, owner) > 0,
                    distance(name, owner),
                    depth(owner),
                    **owner,
                )
            });
            if let Some(nearest) = nearest {
                have.extend(classes(&texts[nearest]));
                found.push(nearest);
                queue.push_back(nearest);
            }
        }
    }
    let whole: String = found.iter().filter_map(|name| texts.get(name)).map(String::as_str).collect();
    let has_class = |class: &str| {
        have.contains(class)
            || files.names().any(|name| ends(name, ".jar") || file_name(name) == format!("{class}.class"))
    };
    let missing = ["GthClient", "Board", "Move"];
    let missing = missing.into_iter().filter(|class| whole.contains(&format!("new {class}(")) && !has_class(class));
    JavaSources { missing: missing.map(str::to_owned).collect(), files: found }
}

/// The number of directories between the files `one` and `other`.
fn distance(one: &str, other: &str) -> usize {
    let (one, other) = (dir_of(one), dir_of(other));
    let shared = super::python_imports::common_dir(one, other);
    let steps = |dir: &str| if dir.is_empty() { 0 } else { dir.matches('/').count() + 1 };
    steps(one) + steps(other) - 2 * steps(shared)
}
