//! Bots in Java.

use super::arguments::{ArgumentArray, arguments};
use super::author_files::is_no_player;
use super::main_files::ranked;
use super::python::choice;
use super::submitted_files::{SubmittedFiles, below, dir_of, ends, stem};
use super::{Certainty, FoundRecipes, Recipe, literal, readme};
use crate::tournament::file::Transport;

/// The most files that a command names one by one.
const MOST_SOURCES: usize = 200;

pub(super) fn find(files: &SubmittedFiles) -> FoundRecipes {
    let candidates =
        files.with_ending(&[".java"]).filter(|(name, text)| !is_no_player(name) && parameter(text).is_some());
    let mains = ranked(files, candidates, |name| stem(name).to_owned());
    let recipes = mains.ranked.iter().enumerate().map(|(place, main)| {
        let class = stem(main.name);
        let array = ArgumentArray { name: parameter(main.text).unwrap_or("args"), first: 0 };
        let arguments = arguments(main.text, array, readme::shown(files, class).as_ref());
        let package = package(main.text);
        let root = root(main.name, package);
        let class = package.map_or_else(|| class.to_owned(), |package| format!("{package}.{class}"));
        let path = class_path(files, root);
        let is_likely = place == 0 && mains.is_clear && arguments.are_known;
        let start = ["java".to_owned(), "-cp".to_owned(), literal(&path), literal(&class)];
        Recipe {
            dir: root.to_owned(),
            language: "Java",
            build: Some(build(files, root, &path)),
            command: start.into_iter().chain(arguments.words).collect(),
            transport: Transport::Tcp,
            certainty: if is_likely { Certainty::Likely } else { Certainty::Guess },
            why: format!("`{}` is {}; {}", main.name, choice(place, mains.ranked.len()), arguments.why),
        }
    });
    FoundRecipes { recipes: recipes.collect(), needs: vec!["java and javac".to_owned()], remarks: Vec::new() }
}

/// The name of the parameter of `main`, if `text` has such a method.
fn parameter(text: &str) -> Option<&str> {
    text.match_indices("main").find_map(|(at, word)| {
        let before = text[..at].trim_end();
        let behind = text[at + word.len()..].trim_start().strip_prefix('(')?.split(')').next()?;
        let behind = behind.trim().trim_start_matches("final ").trim_start().strip_prefix("String")?;
        let name = behind.trim_matches(|c: char| c.is_whitespace() || "[].".contains(c));
        (before.ends_with("void") && !name.is_empty()).then_some(name)
    })
}

/// The package that `text` declares.
fn package(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.trim_start().starts_with("package "))?;
    let name = line.trim_start().strip_prefix("package ")?.split(';').next()?.trim();
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '_')).then_some(name)
}

/// The directory from which the path of the file `name` is that of its package, or else the file's own directory.
fn root<'n>(name: &'n str, package: Option<&str>) -> &'n str {
    let dir = dir_of(name);
    let Some(package) = package.map(|package| package.replace('.', "/")) else { return dir };
    match dir.strip_suffix(package.as_str()) {
        Some("") => "",
        Some(root) => root.strip_suffix('/').unwrap_or(dir),
        None => dir,
    }
}

/// The class path below `root`: the classes themselves, and the archives of libraries.
fn class_path(files: &SubmittedFiles, root: &str) -> String {
    let archives = files.names().filter(|name| ends(name, ".jar")).filter_map(|name| below(name, root));
    [".".to_owned()].into_iter().chain(archives.map(str::to_owned)).collect::<Vec<_>>().join(":")
}

fn build(files: &SubmittedFiles, root: &str, path: &str) -> Vec<String> {
    let sources: Vec<(&str, &str)> = files
        .with_ending(&[".java"])
        .filter_map(|(name, text)| Some((below(name, root)?, text)))
        .filter(|(_, text)| !text.contains("org.junit"))
        .collect();
    // Another copy of the program further down would define the same classes again. Packages lie further down by themselves.
    let is_packaged = sources.iter().any(|(name, text)| name.contains('/') && root_is_top(name, text));
    let own = sources.iter().filter(|(name, _)| is_packaged || !name.contains('/')).take(MOST_SOURCES);
    let mut words: Vec<String> = ["javac", "-d", "."].map(str::to_owned).into();
    if path != "." {
        words.extend(["-cp".to_owned(), path.to_owned()]);
    }
    if sources.iter().any(|(_, text)| !text.is_ascii()) {
        let is_latin = sources.iter().any(|(_, text)| text.contains(char::REPLACEMENT_CHARACTER));
        words.extend(["-encoding", if is_latin { "ISO-8859-1" } else { "UTF-8" }].map(str::to_owned));
    }
    words.extend(own.map(|(name, _)| (*name).to_owned()));
    words
}

/// Whether the file `name` belongs to a package whose directories begin right here.
fn root_is_top(name: &str, text: &str) -> bool {
    package(text).is_some() && root(name, package(text)).is_empty()
}
