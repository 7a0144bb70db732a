//! Bots that are built by Cargo, `CMake`, Maven or Gradle.

use toml::{Table, Value};

use super::argument_words::ArgumentArray;
use super::c_family::{ARGUMENTS, has_main};
use super::literal;
use super::ranking::FoundProgram;
use super::submitted_files::{SubmittedFiles, below, dir_of, file_name};

/// A bot in Rust, recognised by its Cargo.toml.
pub(super) fn cargo(files: &SubmittedFiles) -> Vec<FoundProgram<'_>> {
    let manifests = files.with_ending(&["Cargo.toml"]).filter(|(name, _)| file_name(name) == "Cargo.toml");
    let programs = manifests.filter_map(|(name, text)| {
        let table: Table = text.parse().ok()?;
        let package = table.get("package")?.as_table()?;
        let text = |table: &Table, key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
        let bins = table.get("bin").and_then(Value::as_array);
        let first = bins.and_then(|bins| text(bins.first()?.as_table()?, "name"));
        let program = text(package, "default-run").or(first).or_else(|| text(package, "name"))?;
        let dir = dir_of(name);
        let main = files
            .with_ending(&[".rs"])
            .find(|(source, text)| below(source, dir).is_some() && text.contains("fn main("))?;
        let build = ["cargo", "build", "--release", "--offline"].map(str::to_owned);
        Some(FoundProgram {
            source: main.0,
            text: main.1.to_owned(),
            said: Some(format!("`{name}` names the program `{program}`")),
            array: ArgumentArray::new("args", 1),
            language: "Rust",
            dir: dir.to_owned(),
            build: Some(build.into()),
            start: vec![format!("./target/release/{}", literal(&program))],
            started: program,
            needs: vec!["cargo".to_owned()],
            obstacles: Vec::new(),
        })
    });
    programs.collect()
}

/// A bot in C or C++, recognised by its CMakeLists.txt.
pub(super) fn cmake(files: &SubmittedFiles) -> Vec<FoundProgram<'_>> {
    const CALL: &str = "add_executable(";
    let by_list = || {
        let (name, text) = files.called("CMakeLists.txt")?;
        let words = text.match_indices(CALL).filter_map(|(at, call)| text[at + call.len()..].split_whitespace().next());
        let program = words.map(|word| word.trim_end_matches(')')).find(|word| is_plain(word))?;
        let dir = dir_of(name);
        let mut sources = files.with_ending(&[".c", ".cc", ".cpp", ".cxx"]);
        let main = sources.find(|(source, text)| below(source, dir).is_some() && has_main(text))?;
        let build = ["sh", "-c", "cmake -S . -B build && cmake --build build"].map(str::to_owned);
        Some(FoundProgram {
            source: main.0,
            text: main.1.to_owned(),
            started: program.to_owned(),
            array: ARGUMENTS,
            said: Some(format!("`{name}` names the program `{program}`")),
            language: "C++",
            dir: dir.to_owned(),
            build: Some(build.into()),
            start: vec![format!("./build/{program}")],
            needs: vec!["cmake and a compiler".to_owned()],
            obstacles: Vec::new(),
        })
    };
    by_list().into_iter().collect()
}

/// A bot in Java, recognised by its pom.xml or build.gradle. Both tools need the network, which builds do not have.
pub(super) fn maven_or_gradle(files: &SubmittedFiles) -> Vec<FoundProgram<'_>> {
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
    let Some((name, build, archive)) = maven.or_else(gradle) else { return Vec::new() };
    let dir = dir_of(name);
    let mut sources = files.with_ending(&[".java"]);
    let main = sources.find(|(source, text)| below(source, dir).is_some() && text.contains("static void main("));
    let Some((source, text)) = main else { return Vec::new() };
    vec![FoundProgram {
        source,
        text: text.to_owned(),
        started: archive.clone(),
        array: ArgumentArray::new("args", 0),
        said: Some(format!("`{name}` builds an archive")),
        language: "Java",
        dir: dir.to_owned(),
        build: Some(build.into_iter().map(str::to_owned).collect()),
        start: vec!["java".to_owned(), "-jar".to_owned(), archive],
        needs: vec!["java and its build tool".to_owned()],
        obstacles: vec![format!("the build tool of `{name}` may need the network, but builds have no network access")],
    }]
}

/// Whether `word` can be used in a path as it is.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) && !word.starts_with('.')
}
