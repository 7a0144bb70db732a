//! Bots in Python.

use super::arguments::{ArgumentArray, arguments};
use super::author_files::is_no_player;
use super::main_files::ranked;
use super::submitted_files::{SubmittedFiles, dir_of, file_name, stem};
use super::{Certainty, FoundRecipes, Recipe, literal, readme};
use crate::tournament::file::Transport;

/// Libraries that do not come with Python, by the name that programs import.
const LIBRARIES: [&str; 18] = [
    "numpy",
    "scipy",
    "torch",
    "keras",
    "tensorflow",
    "pandas",
    "sklearn",
    "numba",
    "jax",
    "tqdm",
    "matplotlib",
    "networkx",
    "pygame",
    "colorama",
    "termcolor",
    "cython",
    "onnxruntime",
    "xgboost",
];

pub(super) fn find(files: &SubmittedFiles) -> FoundRecipes {
    let sources = files.with_ending(&[".py"]);
    let candidates: Vec<_> = sources.filter(|(name, text)| !is_no_player(name) && is_program(text)).collect();
    let is_module = |(name, _): &(&str, &str)| candidates.iter().any(|other| is_imported_by(name, *other));
    let mut programs: Vec<_> = candidates.iter().copied().filter(|candidate| !is_module(candidate)).collect();
    if programs.is_empty() {
        programs.clone_from(&candidates);
    }
    let mains = ranked(files, programs, |name| file_name(name).to_owned());
    let array = ArgumentArray { name: "sys.argv", first: 1 };
    let recipes = mains.ranked.iter().enumerate().map(|(place, main)| {
        let program = file_name(main.name);
        let array = if main.text.contains("sys.argv[") || !main.text.contains("argv[") {
            array
        } else {
            ArgumentArray { name: "argv", ..array }
        };
        let arguments = arguments(main.text, array, readme::shown(files, program).as_ref());
        let is_likely = place == 0 && mains.is_clear && arguments.are_known;
        Recipe {
            dir: dir_of(main.name).to_owned(),
            language: "Python",
            build: None,
            command: ["python3".to_owned(), literal(program)].into_iter().chain(arguments.words).collect(),
            transport: Transport::Tcp,
            certainty: if is_likely { Certainty::Likely } else { Certainty::Guess },
            why: format!("`{}` is {}; {}", main.name, choice(place, mains.ranked.len()), arguments.why),
        }
    });
    FoundRecipes { recipes: recipes.collect(), needs: needs(files), remarks: Vec::new() }
}

/// How the file at `place`, from 0, was chosen among `number` candidates.
pub(super) fn choice(place: usize, number: usize) -> String {
    match (place, number) {
        (_, 0 | 1) => "the only program".to_owned(),
        (0, _) => format!("the likeliest of {number} programs"),
        (_, _) => format!("another of {number} programs"),
    }
}

/// Whether a file does something when it is run.
fn is_program(text: &str) -> bool {
    let mut top = text.lines().filter(|line| !line.starts_with([' ', '\t', '#']));
    top.any(|line| {
        line.contains("__main__")
            || line.contains("GthClient(")
            || line.contains("argv")
            || line.contains("parse_args(")
    })
}

/// Whether the file `name` is a module that the program `other`, in the same directory, imports.
fn is_imported_by(name: &str, (other, text): (&str, &str)) -> bool {
    other != name
        && dir_of(other) == dir_of(name)
        && text.lines().filter_map(imported_module).any(|it| it == stem(name))
}

/// The module that a line of a program imports, without the modules that it contains.
fn imported_module(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("import ").or_else(|| line.strip_prefix("from "))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

fn needs(files: &SubmittedFiles) -> Vec<String> {
    let mut needs = vec!["python3".to_owned()];
    let listed = files.called("requirements.txt").into_iter().flat_map(|(_, text)| text.lines());
    let listed = listed.filter_map(|line| line.split(|c: char| !c.is_alphanumeric() && !"-_.".contains(c)).next());
    let lines = files.with_ending(&[".py"]).flat_map(|(_, text)| text.lines());
    let imported = lines.filter_map(imported_module).filter(|module| LIBRARIES.contains(module));
    for library in listed.filter(|name| name.len() <= 40).chain(imported).filter(|name| !name.is_empty()) {
        if !needs.iter().any(|known| known == library) && needs.len() < 12 {
            needs.push(library.to_owned());
        }
    }
    needs
}

/// What to say if the submission has a copy of the course's client that fails as soon as there are clocks.
pub(super) fn old_client(files: &SubmittedFiles) -> Option<String> {
    let is_bare = |line: &str| {
        ["white_time_control", "black_time_control"].iter().any(|word| {
            line.split_once('=').is_some_and(|(left, right)| left.contains("my_time") && right.trim() == *word)
        })
    };
    let mut clients = files.with_ending(&["gthclient.py"]);
    clients.find_map(|(name, text)| {
        let line = text.lines().position(is_bare)? + 1;
        Some(format!("`{name}:{line}` is the old library, which fails in games with clocks (D01)"))
    })
}
