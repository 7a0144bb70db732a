//! Bots in Go.

use std::collections::BTreeMap;

use super::argument_words::ArgumentArray;
use super::course_files::is_no_player;
use super::ranking::FoundProgram;
use super::submitted_files::{SubmittedFiles, dir_of, ends, file_name};

/// The name of the program that a build produces.
const PROGRAM: &str = "bot";

pub(super) fn find(files: &SubmittedFiles) -> Vec<FoundProgram<'_>> {
    let mut packages: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (name, text) in files.with_ending(&[".go"]).filter(|(name, _)| !ends(name, "_test.go")) {
        packages.entry(dir_of(name)).or_default().push((name, text));
    }
    let mut found = Vec::new();
    for (dir, sources) in packages {
        let mains: Vec<(&str, &str)> = sources
            .iter()
            .copied()
            .filter(|(name, text)| {
                text.contains("package main") && text.contains("func main(") && !is_no_player(name, text)
            })
            .collect();
        for (name, text) in &mains {
            let of_package = |(other, text): &&(&str, &str)| {
                text.contains("package main") && (other == name || !text.contains("func main("))
            };
            let own: Vec<&(&str, &str)> = sources.iter().filter(of_package).collect();
            found.push(program(files, dir, name, text, &own, mains.len() == 1));
        }
    }
    found
}

/// The program whose main function is in the file `name`. `own` are the files of the program's package.
fn program<'a>(
    files: &'a SubmittedFiles,
    dir: &'a str,
    name: &'a str,
    text: &str,
    own: &[&(&str, &str)],
    is_only: bool,
) -> FoundProgram<'a> {
    // With a go.mod in this directory or above, packages of the same module can be imported.
    let module = std::iter::successors(Some(dir), |dir| (!dir.is_empty()).then(|| dir_of(dir)))
        .find(|root| files.has(&if root.is_empty() { "go.mod".to_owned() } else { format!("{root}/go.mod") }));
    let root = module.unwrap_or(dir);
    let within = super::submitted_files::below(dir, root).filter(|rest| !rest.is_empty());
    let targets: Vec<String> = match (module, is_only) {
        (Some(_), true) => vec![within.map_or_else(|| ".".to_owned(), |rest| format!("./{rest}"))],
        _ => own
            .iter()
            .map(|(source, _)| {
                within.map_or_else(|| file_name(source).to_owned(), |rest| format!("{rest}/{}", file_name(source)))
            })
            .collect(),
    };
    let all = own.iter().filter(|(other, _)| *other != name).map(|(_, text)| *text);
    let whole = [text].into_iter().chain(all).collect::<Vec<_>>().join("\n");
    let is_foreign = whole.lines().any(|line| {
        let path = line.trim().trim_start_matches("import ").trim().trim_matches('"');
        line.trim().ends_with('"')
            && path.split('/').next().is_some_and(|host| host.contains('.') && path.contains('/'))
    });
    let has_vendor = files.names().any(|file| file.starts_with("vendor/") || file.contains("/vendor/"));
    let has_binary_name = files.names().any(|file| {
        super::submitted_files::below(file, root).is_some_and(|path| path.split('/').next() == Some(PROGRAM))
    });
    let program = if has_binary_name { "bot.made" } else { PROGRAM };
    FoundProgram {
        source: name,
        text: whole,
        started: PROGRAM.to_owned(),
        array: ArgumentArray::new("os.Args", 1),
        said: None,
        language: "Go",
        dir: root.to_owned(),
        build: Some(["go", "build", "-o", program].map(str::to_owned).into_iter().chain(targets).collect()),
        start: vec![format!("./{program}")],
        needs: vec!["go".to_owned()],
        obstacles: (is_foreign && !has_vendor)
            .then(|| {
                format!("`{name}` imports packages that may have to be downloaded, but builds have no network access")
            })
            .into_iter()
            .collect(),
    }
}
