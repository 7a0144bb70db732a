//! Bots in JavaScript, with or without a package.json.

use super::arguments::{ArgumentArray, arguments};
use super::author_files::is_no_player;
use super::main_files::ranked;
use super::python::choice;
use super::submitted_files::{SubmittedFiles, dir_of, file_name};
use super::{Certainty, FoundRecipes, Recipe, literal, readme};
use crate::tournament::file::Transport;

const NODE: ArgumentArray<'_> = ArgumentArray { name: "process.argv", first: 2 };

pub(super) fn find(files: &SubmittedFiles) -> FoundRecipes {
    let needs = vec!["node".to_owned()];
    if let Some((recipe, libraries)) = by_package(files) {
        let needs = needs.into_iter().chain(libraries).collect();
        return FoundRecipes { recipes: vec![recipe], needs, remarks: Vec::new() };
    }
    let sources = files.with_ending(&[".js", ".mjs", ".cjs"]);
    let candidates = sources.filter(|(name, text)| !is_no_player(name) && text.contains("process."));
    let mains = ranked(files, candidates, |name| file_name(name).to_owned());
    let recipes = mains.ranked.iter().enumerate().map(|(place, main)| {
        let is_clear = place == 0 && mains.is_clear;
        script(files, main.name, is_clear, &format!("is {}", choice(place, mains.ranked.len())))
    });
    FoundRecipes { recipes: recipes.collect(), needs, remarks: Vec::new() }
}

/// The recipe by package.json, and the libraries that it lists.
fn by_package(files: &SubmittedFiles) -> Option<(Recipe, Vec<String>)> {
    let (name, text) = files.called("package.json")?;
    let package: serde_json::Value = serde_json::from_str(text).ok()?;
    let start = package["scripts"]["start"]
        .as_str()
        .and_then(|start| start.strip_prefix("node ")?.split_whitespace().find(|word| !word.starts_with('-')));
    let main = start.or(package["main"].as_str()).unwrap_or("index.js").trim_start_matches("./");
    let dir = dir_of(name);
    let path = if dir.is_empty() { main.to_owned() } else { format!("{dir}/{main}") };
    if !files.has(&path) {
        return None;
    }
    let recipe = Recipe { dir: dir.to_owned(), ..script(files, &path, true, &format!("stands in `{name}`")) };
    let recipe = Recipe {
        command: recipe
            .command
            .iter()
            .enumerate()
            .map(|(at, word)| if at == 1 { literal(main) } else { word.clone() })
            .collect(),
        ..recipe
    };
    let libraries =
        package["dependencies"].as_object().into_iter().flat_map(|libraries| libraries.keys().take(10).cloned());
    Some((recipe, libraries.collect()))
}

fn script(files: &SubmittedFiles, name: &str, is_clear: bool, chosen: &str) -> Recipe {
    let program = file_name(name);
    let arguments = arguments(files.text(name).unwrap_or_default(), NODE, readme::shown(files, program).as_ref());
    Recipe {
        dir: dir_of(name).to_owned(),
        language: "JavaScript",
        build: None,
        command: ["node".to_owned(), literal(program)].into_iter().chain(arguments.words).collect(),
        transport: Transport::Tcp,
        certainty: if is_clear && arguments.are_known { Certainty::Likely } else { Certainty::Guess },
        why: format!("`{name}` {chosen}; {}", arguments.why),
    }
}
