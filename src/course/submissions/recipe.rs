//! Finds out from the texts of a submission's files how its bot is built and started.
//!
//! A gothello.toml specifies this explicitly. Otherwise, all programs are ranked together, whatever their languages;
//! the course's own programs come last, and are never more than a guess. Nothing is run. A recipe consists of keys of
//! class.toml, so the code that reads tournament files decides whether the recipe is valid.

mod argument_words;
mod arguments;
mod asides;
mod build_files;
mod c_family;
mod class_text;
mod client_calls;
mod course_files;
mod declared;
mod given_files;
mod go;
mod java;
mod java_sources;
mod makefile;
mod options;
mod python;
mod python_client;
mod python_imports;
mod ranking;
mod readings;
mod readme;
mod roles;
mod scripts;
mod source_text;
mod submitted_files;
mod submodules;

use std::fmt;

use super::toml_text::toml_array;
use crate::game::Side;
use crate::tournament::{Tournament, Transport};
use python_client::old_client;
use ranking::{FoundProgram, ProgramCandidate, ranked};

pub use class_text::class_text;
pub use given_files::GivenFiles;
pub use python_imports::is_package;
pub use submitted_files::{SubmittedFiles, is_read};

/// The commands that build and start a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The working directory, relative to the submission's directory; empty for that directory itself.
    pub dir: String,
    /// The name of the language, as shown to users.
    pub language: &'static str,
    /// The command that builds the bot, if it needs one.
    pub build: Option<Vec<String>>,
    /// The command that starts the bot, with placeholders.
    pub command: Vec<String>,
    /// The bot's connection to the arena.
    pub transport: Transport,
    /// The names of hosts that are hard-coded in the bot.
    pub hosts: Vec<String>,
    /// The only side that the bot plays, if it is hard-coded.
    pub side: Option<Side>,
    /// Whether the bot is sent its clock.
    pub is_told_clock: bool,
    /// Whether the bot is declared to support games that begin with an opening.
    pub follows_openings: bool,
    /// The certainty of the recipe.
    pub certainty: Certainty,
    /// The evidence for the recipe, as a clause, which may contain untrusted text.
    pub why: String,
}

/// The certainty of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// There were several candidates, or it is unknown how the program reads its arguments.
    Guess,
    /// The sources show how the bot is started.
    Likely,
    /// The submission's gothello.toml says how the bot is started.
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

/// How a submission's bot may be started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recognition {
    /// The best recipe, if there is any.
    pub recipe: Option<Recipe>,
    /// Other recipes, best first.
    pub alternatives: Vec<Recipe>,
    /// Programs and libraries that the bot needs.
    pub needs: Vec<String>,
    /// Warnings for the teacher, as complete clauses, which may contain untrusted text.
    pub warnings: Vec<String>,
    /// The reason why the submission's gothello.toml is not used, if the file exists but contains mistakes. Hostile
    /// text.
    pub mistake: Option<String>,
}

/// The maximum number of alternatives that are shown to a teacher.
const MOST_ALTERNATIVES: usize = 3;

/// Finds out how the bot in `files` is started.
pub fn recognise_bot(files: &SubmittedFiles) -> Recognition {
    let declared = declared::find(files);
    let mut all = match declared.recipe {
        Some(recipe) => Recognition { recipe: Some(recipe), ..Recognition::default() },
        None => Recognition { mistake: declared::mistake(files), ..by_programs(files) },
    };
    all.warnings.splice(..0, declared.warnings);
    all.warnings.extend(submodules::missing(files));
    for recipe in all.recipe.iter_mut().chain(&mut all.alternatives) {
        recipe.is_told_clock = old_client(files, recipe).is_none();
    }
    if let Some((name, line)) = all.recipe.as_ref().and_then(|recipe| old_client(files, recipe)) {
        all.warnings.push(format!(
            "`{name}:{line}` belongs to the old library, which fails in games with clocks (D01); with `tell_clock = false`, the arena does not announce the clock to it"
        ));
    }
    all
}

/// The best of all programs, and some of the others.
fn by_programs(files: &SubmittedFiles) -> Recognition {
    const FINDERS: [fn(&SubmittedFiles) -> Vec<FoundProgram<'_>>; 9] = [
        build_files::cargo,
        build_files::cmake,
        makefile::find,
        java::find,
        scripts::find,
        python::find,
        go::find,
        c_family::find,
        build_files::maven_or_gradle,
    ];
    let programs = FINDERS.iter().flat_map(|find| find(files));
    let candidates =
        programs.map(|program| ProgramCandidate::of(files, program)).filter(|one| is_valid(&one.recipe)).collect();
    let mut ranked = ranked(files, candidates).into_iter();
    let Some(ProgramCandidate { recipe, needs, warnings, .. }) = ranked.next() else {
        return Recognition { warnings: only_told(files).into_iter().collect(), ..Recognition::default() };
    };
    let alternatives = ranked.take(MOST_ALTERNATIVES).map(|other| other.recipe).collect();
    Recognition { recipe: Some(recipe), alternatives, needs, warnings, mistake: None }
}

/// The message about files in a language for which there is no recipe.
fn only_told(files: &SubmittedFiles) -> Option<String> {
    const TOLD: [(&str, &str); 8] = [
        (".hs", "Haskell"),
        (".pro", "Prolog"),
        (".swift", "Swift"),
        (".scala", "Scala"),
        (".cs", "C#"),
        (".kt", "Kotlin"),
        (".ml", "OCaml"),
        (".ipynb", "a Jupyter notebook"),
    ];
    let found = TOLD.iter().find(|(ending, _)| files.names().any(|name| name.ends_with(ending)));
    found.map(|(ending, language)| {
        format!(
            "its files `*{ending}` are {language}, for which import has no command: add `build` and `command` by hand"
        )
    })
}

/// Whether a tournament file accepts the recipe.
fn is_valid(recipe: &Recipe) -> bool {
    flaw(recipe).is_none()
}

/// The first reason why a tournament file would reject the recipe.
fn flaw(recipe: &Recipe) -> Option<String> {
    let text = format!(
        "[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\ndir = \"bots/b\"\n{}",
        keys(recipe).join("\n")
    );
    let problems = Tournament::parse(&text, "try").err()?;
    problems.iter().next().map(|problem| problem.flaw.to_string())
}

/// The lines of class.toml that say how the bot is built and started, without its directory.
pub(crate) fn keys(recipe: &Recipe) -> Vec<String> {
    let build = recipe.build.as_deref().map(|build| format!("build = {}", toml_array(build)));
    let transport =
        (recipe.transport != Transport::default()).then(|| format!("transport = \"{}\"", recipe.transport.name()));
    let hosts = (!recipe.hosts.is_empty()).then(|| format!("hosts = {}", toml_array(&recipe.hosts)));
    let sides = recipe.side.map(|side| format!("sides = [\"{}\"]", side.name()));
    let clock = (!recipe.is_told_clock).then(|| "tell_clock = false".to_owned());
    let command = [format!("command = {}", toml_array(&recipe.command))];
    build.into_iter().chain(command).chain(transport).chain(hosts).chain(sides).chain(clock).collect()
}

/// `text` as a word of a command, with braces escaped.
fn literal(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests;
