//! Bots in C and C++ without a build tool's file.

use std::collections::{BTreeSet, VecDeque};

use super::argument_words::ArgumentArray;
use super::course_files::is_no_player;
use super::python_imports::common_dir;
use super::ranking::FoundProgram;
use super::submitted_files::{SubmittedFiles, below, dir_of, ends, file_name, stem};

const ENDINGS: [&str; 4] = [".c", ".cc", ".cpp", ".cxx"];

/// The name of the program that the build produces.
const PROGRAM: &str = "bot";

pub(super) fn find(files: &SubmittedFiles) -> Vec<FoundProgram<'_>> {
    let mains = files.with_ending(&ENDINGS).filter(|(name, text)| !is_no_player(name, text) && has_main(text));
    mains.map(|(name, text)| program(files, name, text)).collect()
}

fn program<'a>(files: &'a SubmittedFiles, name: &'a str, text: &'a str) -> FoundProgram<'a> {
    let Parts { sources, header_dirs, missing } = parts(files, name);
    let dir =
        sources.iter().map(|source| dir_of(source)).chain(header_dirs.iter().copied()).fold(dir_of(name), common_dir);
    let is_c = sources.iter().all(|source| ends(source, ".c"));
    let mut build: Vec<String> = [if is_c { "cc" } else { "c++" }, "-O2", "-o", PROGRAM].map(str::to_owned).into();
    build.extend(
        header_dirs
            .iter()
            .filter_map(|found| below(found, dir))
            .filter(|found| !found.is_empty())
            .map(|found| format!("-I{found}")),
    );
    build.extend(sources.iter().filter_map(|source| below(source, dir)).map(str::to_owned));
    build.push("-lm".to_owned());
    if text.contains("pthread") || text.contains("<thread>") {
        build.push("-pthread".to_owned());
    }
    let others = sources
        .iter()
        .filter(|source| **source != name && !is_no_player(source, ""))
        .filter_map(|source| files.text(source));
    FoundProgram {
        source: name,
        text: [text].into_iter().chain(others).collect::<Vec<_>>().join("\n"),
        started: PROGRAM.to_owned(),
        array: ARGUMENTS,
        said: None,
        language: if is_c { "C" } else { "C++" },
        dir: dir.to_owned(),
        build: Some(build),
        start: vec![format!("./{PROGRAM}")],
        needs: vec!["a C or C++ compiler".to_owned()],
        obstacles: missing
            .map(|header| format!("`{name}` includes `{header}`, which is not in the submission"))
            .into_iter()
            .collect(),
    }
}

/// The parts of a program.
struct Parts<'a> {
    /// The program's sources, in order.
    sources: Vec<&'a str>,
    /// The directories of headers that are not in the same directory as the files that include them.
    header_dirs: Vec<&'a str>,
    /// A missing header of the course's library.
    missing: Option<String>,
}

/// The parts of the program whose main function is in the file `main`: the files without a main function in the same
/// directory, and the sources in other directories, if the program includes their headers.
fn parts<'a>(files: &'a SubmittedFiles, main: &'a str) -> Parts<'a> {
    let is_source = |name: &str| ENDINGS.iter().any(|ending| ends(name, ending));
    let has_no_main = |name: &str| files.text(name).is_some_and(|text| !has_main(text));
    let beside = files.names().filter(|name| is_source(name) && dir_of(name) == dir_of(main));
    let mut sources: BTreeSet<&str> = beside.filter(|name| *name == main || has_no_main(name)).collect();
    let (mut dirs, mut missing) = (BTreeSet::new(), None);
    let mut seen: BTreeSet<&str> = sources.clone();
    let mut queue: VecDeque<&str> = sources.iter().copied().collect();
    while let Some(file) = queue.pop_front() {
        for header in included(files.text(file).unwrap_or_default()) {
            let own = file_name(header);
            let mut found = files.names().filter(|name| file_name(name) == own);
            let near = files.names().find(|name| file_name(name) == own && dir_of(name) == dir_of(file));
            let Some(found) = near.or_else(|| found.next()) else {
                if own.starts_with("gth") {
                    missing = Some(own.to_owned());
                }
                continue;
            };
            if dir_of(found) != dir_of(file) {
                dirs.insert(found.strip_suffix(header).map_or_else(|| dir_of(found), |dir| dir.trim_end_matches('/')));
            }
            let made_from = files.names().find(|name| {
                is_source(name) && stem(name) == stem(own) && dir_of(name) == dir_of(found) && has_no_main(name)
            });
            for next in [Some(found), made_from].into_iter().flatten().filter(|next| seen.insert(next)) {
                if is_source(next) {
                    sources.insert(next);
                }
                queue.push_back(next);
            }
        }
    }
    Parts { sources: sources.into_iter().collect(), header_dirs: dirs.into_iter().collect(), missing }
}

/// The headers that `text` includes in quotes.
fn included(text: &str) -> impl Iterator<Item = &str> {
    let lines = text
        .lines()
        .map(str::trim_start)
        .filter_map(|line| line.strip_prefix('#')?.trim_start().strip_prefix("include"));
    lines.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
}

/// The syntax for arguments in C.
pub(super) const ARGUMENTS: ArgumentArray<'_> = ArgumentArray::new("argv", 1);

/// Whether `text` defines the function `main`.
pub(super) fn has_main(text: &str) -> bool {
    text.match_indices("main").any(|(at, word)| {
        let before = text[..at].trim_end();
        let is_call = text[at + word.len()..].trim_start().starts_with('(');
        is_call && (before.ends_with("int") || before.ends_with("void")) && before.len() < at
    })
}
