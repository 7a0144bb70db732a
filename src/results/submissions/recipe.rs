//! How a submission's bot is built and started, found in the texts of its files.
//!
//! The first of these that a submission has decides: a gothello.toml, which says it outright; files of build tools; source files
//! with something like a main function. Nothing is run. A recipe is what class.toml would say, so the tournament file's own reader
//! judges whether it could stand there.

mod arguments;
mod author_files;
mod build_files;
mod c_family;
mod declared;
mod java;
mod main_files;
mod makefile;
mod python;
mod readme;
mod roles;
mod scripts;
mod submitted_files;

use std::fmt;

use super::toml_text::toml_array;
use crate::tournament::file::{Tournament, Transport};

pub use submitted_files::{SubmittedFiles, is_read};

/// How a bot is built and started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The directory to work in, below the submission's own; empty for that one.
    pub dir: String,
    /// The language, as a name for people.
    pub language: &'static str,
    /// The command that builds the bot, if one does.
    pub build: Option<Vec<String>>,
    /// The command that starts the bot, with placeholders.
    pub command: Vec<String>,
    /// How the bot talks to the arena.
    pub transport: Transport,
    /// How certain the recipe is.
    pub certainty: Certainty,
    /// What the recipe rests on, in a clause. The text is hostile.
    pub why: String,
}

/// How certain a recipe is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// There were several choices, or how the program reads its arguments was not found.
    Guess,
    /// The sources say so.
    Likely,
    /// The submission says so in gothello.toml.
    Sure,
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sure => "sure",
            Self::Likely => "likely",
            Self::Guess => "guess",
        })
    }
}

/// What is known of how a submission's bot is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recognition {
    /// The best recipe, if there is any.
    pub recipe: Option<Recipe>,
    /// Other recipes, the better ones first.
    pub alternatives: Vec<Recipe>,
    /// Programs and libraries that the bot needs.
    pub needs: Vec<String>,
    /// What the teacher should know, in whole clauses. The texts are hostile.
    pub remarks: Vec<String>,
    /// Why the submission's gothello.toml is not used, if it has one with mistakes. The text is hostile.
    pub mistake: Option<String>,
}

/// What a finder has found.
#[derive(Debug, Default)]
struct FoundRecipes {
    /// The recipes, the best one first.
    recipes: Vec<Recipe>,
    needs: Vec<String>,
    remarks: Vec<String>,
}

/// The most alternatives that a teacher is told of.
const MOST_ALTERNATIVES: usize = 3;

/// Finds out how the bot in `files` is started.
pub fn recognise_bot(files: &SubmittedFiles) -> Recognition {
    const FINDERS: [fn(&SubmittedFiles) -> FoundRecipes; 9] = [
        declared::find,
        build_files::cargo,
        build_files::cmake,
        makefile::find,
        java::find,
        scripts::find,
        python::find,
        c_family::find,
        build_files::maven_or_gradle,
    ];
    let mut all = Recognition { mistake: declared::mistake(files), ..Recognition::default() };
    for find in FINDERS {
        let FoundRecipes { recipes, needs, remarks } = find(files);
        let has_recipe = all.recipe.is_some();
        for recipe in recipes.into_iter().filter(is_valid) {
            match all.recipe {
                None => all.recipe = Some(recipe),
                Some(_) => all.alternatives.push(recipe),
            }
        }
        all.remarks.extend(remarks);
        if !has_recipe && all.recipe.is_some() {
            all.needs = needs;
        }
        if all.recipe.as_ref().is_some_and(|recipe| recipe.certainty == Certainty::Sure) {
            break;
        }
    }
    all.alternatives.truncate(MOST_ALTERNATIVES);
    if all.recipe.is_none() {
        all.remarks.extend(only_told(files));
    }
    all.remarks.extend(python::old_client(files));
    all
}

/// What is said of languages that have no recipe.
fn only_told(files: &SubmittedFiles) -> Option<String> {
    const TOLD: [(&str, &str); 9] = [
        (".go", "Go"),
        (".hs", "Haskell"),
        (".pro", "Prolog"),
        (".rb", "Ruby"),
        (".lua", "Lua"),
        (".cs", "C#"),
        (".kt", "Kotlin"),
        (".ml", "OCaml"),
        (".ipynb", "a Jupyter notebook"),
    ];
    let found = TOLD.iter().find(|(ending, _)| files.names().any(|name| name.ends_with(ending)));
    found.map(|(ending, language)| {
        format!("its files `*{ending}` are {language}, for which import knows no command: write `build` and `command` by hand")
    })
}

/// Whether a tournament file takes the recipe.
fn is_valid(recipe: &Recipe) -> bool {
    flaw(recipe).is_none()
}

/// The first thing that a tournament file has against the recipe.
fn flaw(recipe: &Recipe) -> Option<String> {
    let text = format!(
        "[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\ndir = \"bots/b\"\n{}",
        keys(recipe).join("\n")
    );
    let problems = Tournament::parse(&text, "try").err()?;
    problems.iter().next().map(|problem| problem.flaw.to_string())
}

/// The lines of class.toml that say how the bot is built and started, without its directory.
pub(super) fn keys(recipe: &Recipe) -> Vec<String> {
    let build = recipe.build.as_deref().map(|build| format!("build = {}", toml_array(build)));
    let transport =
        (recipe.transport != Transport::default()).then(|| format!("transport = \"{}\"", recipe.transport.name()));
    build.into_iter().chain([format!("command = {}", toml_array(&recipe.command))]).chain(transport).collect()
}

/// `text` as a word of a command: braces stand for themselves.
fn literal(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests;
