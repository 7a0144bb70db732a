//! Bots in C and C++ without a file of a build tool.

use super::arguments::{ArgumentArray, arguments};
use super::author_files::is_no_player;
use super::main_files::ranked;
use super::python::choice;
use super::submitted_files::{SubmittedFiles, dir_of, ends, file_name};
use super::{Certainty, FoundRecipes, Recipe, readme};
use crate::tournament::file::Transport;

const ENDINGS: [&str; 4] = [".c", ".cc", ".cpp", ".cxx"];

/// The program that such a build makes.
const PROGRAM: &str = "bot";

pub(super) fn find(files: &SubmittedFiles) -> FoundRecipes {
    let candidates = files.with_ending(&ENDINGS).filter(|(name, text)| !is_no_player(name) && has_main(text));
    let mains = ranked(files, candidates, |name| file_name(name).to_owned());
    let recipes = mains.ranked.iter().enumerate().map(|(place, main)| {
        let dir = dir_of(main.name);
        let arguments = arguments(main.text, ARGUMENTS, readme::shown(files, PROGRAM).as_ref());
        let sources: Vec<&str> = files
            .with_ending(&ENDINGS)
            .filter(|(name, text)| dir_of(name) == dir && (*name == main.name || !has_main(text)))
            .map(|(name, _)| file_name(name))
            .collect();
        let is_c = sources.iter().all(|name| ends(name, ".c"));
        let compiler = [if is_c { "cc" } else { "c++" }, "-O2", "-o", PROGRAM];
        let is_likely = place == 0 && mains.is_clear && arguments.are_known;
        Recipe {
            dir: dir.to_owned(),
            language: if is_c { "C" } else { "C++" },
            build: Some(compiler.into_iter().chain(sources).chain(["-lm"]).map(str::to_owned).collect()),
            command: [format!("./{PROGRAM}")].into_iter().chain(arguments.words).collect(),
            transport: Transport::Tcp,
            certainty: if is_likely { Certainty::Likely } else { Certainty::Guess },
            why: format!("`{}` is {}; {}", main.name, choice(place, mains.ranked.len()), arguments.why),
        }
    });
    FoundRecipes { recipes: recipes.collect(), needs: vec!["a C or C++ compiler".to_owned()], remarks: Vec::new() }
}

/// How programs in C read their arguments.
pub(super) const ARGUMENTS: ArgumentArray<'_> = ArgumentArray { name: "argv", first: 1 };

/// Whether `text` defines the function `main`.
pub(super) fn has_main(text: &str) -> bool {
    text.match_indices("main").any(|(at, word)| {
        let before = text[..at].trim_end();
        let is_call = text[at + word.len()..].trim_start().starts_with('(');
        is_call && (before.ends_with("int") || before.ends_with("void")) && before.len() < at
    })
}
