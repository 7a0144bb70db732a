//! Bots whose build tool has a file of its own: Cargo, `CMake`, Maven and Gradle.

use toml::{Table, Value};

use super::arguments::{ArgumentArray, arguments};
use super::c_family::{ARGUMENTS, has_main};
use super::submitted_files::{SubmittedFiles, below, dir_of, file_name};
use super::{Certainty, FoundRecipes, Recipe, literal, readme};
use crate::tournament::file::Transport;

/// A bot in Rust, by its Cargo.toml.
pub(super) fn cargo(files: &SubmittedFiles) -> FoundRecipes {
    let manifests = files.names().filter(|name| file_name(name) == "Cargo.toml");
    let recipes = manifests.filter_map(|name| {
        let table: Table = files.text(name)?.parse().ok()?;
        let package = table.get("package")?.as_table()?;
        let text = |table: &Table, key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
        let bins = table.get("bin").and_then(Value::as_array);
        let first = bins.and_then(|bins| text(bins.first()?.as_table()?, "name"));
        let program = text(package, "default-run").or(first).or_else(|| text(package, "name"))?;
        let dir = dir_of(name);
        let main = files
            .with_ending(&[".rs"])
            .find(|(source, text)| below(source, dir).is_some() && text.contains("fn main("));
        let array = ArgumentArray { name: "args", first: 1 };
        let arguments = arguments(main.map_or("", |(_, text)| text), array, readme::shown(files, &program).as_ref());
        let build = ["cargo", "build", "--release", "--offline"].map(str::to_owned);
        Some(Recipe {
            dir: dir.to_owned(),
            language: "Rust",
            build: Some(build.into()),
            command: [format!("./target/release/{}", literal(&program))].into_iter().chain(arguments.words).collect(),
            transport: Transport::Tcp,
            certainty: if arguments.are_known { Certainty::Likely } else { Certainty::Guess },
            why: format!("`{name}` names the program `{program}`; {}", arguments.why),
        })
    });
    FoundRecipes { recipes: recipes.collect(), needs: vec!["cargo".to_owned()], remarks: Vec::new() }
}

/// A bot in C or C++, by its CMakeLists.txt.
pub(super) fn cmake(files: &SubmittedFiles) -> FoundRecipes {
    const CALL: &str = "add_executable(";
    let Some((name, text)) = files.called("CMakeLists.txt") else { return FoundRecipes::default() };
    let programs = text.match_indices(CALL).filter_map(|(at, call)| text[at + call.len()..].split_whitespace().next());
    let Some(program) = programs.map(|word| word.trim_end_matches(')')).find(|word| is_plain(word)) else {
        return FoundRecipes::default();
    };
    let dir = dir_of(name);
    let mut sources = files.with_ending(&[".c", ".cc", ".cpp", ".cxx"]);
    let main = sources.find(|(source, text)| below(source, dir).is_some() && has_main(text));
    let arguments = arguments(main.map_or("", |(_, text)| text), ARGUMENTS, readme::shown(files, program).as_ref());
    let build = ["sh", "-c", "cmake -S . -B build && cmake --build build"].map(str::to_owned);
    let recipe = Recipe {
        dir: dir.to_owned(),
        language: "C++",
        build: Some(build.into()),
        command: [format!("./build/{program}")].into_iter().chain(arguments.words).collect(),
        transport: Transport::Tcp,
        certainty: if arguments.are_known { Certainty::Likely } else { Certainty::Guess },
        why: format!("`{name}` names the program `{program}`; {}", arguments.why),
    };
    FoundRecipes { recipes: vec![recipe], needs: vec!["cmake and a compiler".to_owned()], remarks: Vec::new() }
}

/// A bot in Java, by a pom.xml or a build.gradle. Both tools want the network, which builds do not have.
pub(super) fn maven_or_gradle(files: &SubmittedFiles) -> FoundRecipes {
    let maven = files.called("pom.xml").and_then(|(name, text)| {
        let element = |tag: &str| text.split(&format!("<{tag}>")).nth(1)?.split('<').next().map(str::trim);
        let artifact = element("artifactId").filter(|name| is_plain(name))?;
        let version = element("version").filter(|name| is_plain(name))?;
        Some((name, ["mvn", "--offline", "--quiet", "package"].to_vec(), format!("target/{artifact}-{version}.jar")))
    });
    let gradle = || {
        let (name, _) = files.called("build.gradle")?;
        let project = dir_of(name).rsplit('/').next().filter(|project| is_plain(project)).unwrap_or("bot");
        Some((name, ["gradle", "--offline", "--quiet", "build"].to_vec(), format!("build/libs/{project}.jar")))
    };
    let Some((name, build, archive)) = maven.or_else(gradle) else { return FoundRecipes::default() };
    let usual = ["{side}", "{host}", "{server}"].map(str::to_owned);
    let recipe = Recipe {
        dir: dir_of(name).to_owned(),
        language: "Java",
        build: Some(build.into_iter().map(str::to_owned).collect()),
        command: ["java".to_owned(), "-jar".to_owned(), archive].into_iter().chain(usual).collect(),
        transport: Transport::Tcp,
        certainty: Certainty::Guess,
        why: format!("`{name}` makes an archive; its tool may want the network, which builds do not have"),
    };
    FoundRecipes {
        recipes: vec![recipe],
        needs: vec!["java and the tool of its build".to_owned()],
        remarks: Vec::new(),
    }
}

/// Whether `word` can stand in a path as it is.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) && !word.starts_with('.')
}
