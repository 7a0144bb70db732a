//! Bots in Java.

use super::argument_words::ArgumentArray;
use super::course_files::is_no_player;
use super::java_sources::{JavaSources, package, sources};
use super::literal;
use super::python_imports::common_dir;
use super::ranking::FoundProgram;
use super::submitted_files::{SubmittedFiles, below, dir_of, ends, stem};

pub(super) fn find(files: &SubmittedFiles) -> Vec<FoundProgram<'_>> {
    let sources = files.with_ending(&[".java"]);
    let mains: Vec<&str> = sources
        .filter(|(name, text)| !is_no_player(name, text) && parameter(text).is_some())
        .map(|(name, _)| name)
        .collect();
    let from_sources = mains.iter().map(|main| from_source(files, main));
    let has_source = |class: &str| mains.iter().any(|main| class.rsplit(['.', '/']).next() == Some(stem(main)));
    let from_classes = files
        .with_ending(&[".class"])
        .filter_map(|(name, text)| from_class(files, name, text))
        .filter(|program| !has_source(program.start.last().map_or("", String::as_str)));
    from_sources.chain(from_classes).collect()
}

fn from_source<'a>(files: &'a SubmittedFiles, main: &'a str) -> FoundProgram<'a> {
    let own = files.text(main).unwrap_or_default();
    let array = ArgumentArray::new(parameter(own).unwrap_or("args"), 0);
    let JavaSources { files: sources, missing } = sources(files, main);
    let package = package(own);
    let own_root = root(main, package);
    let dir = sources.iter().fold(own_root, |common, name| common_dir(common, dir_of(name)));
    let class = package.map_or_else(|| stem(main).to_owned(), |package| format!("{package}.{}", stem(main)));
    let made = files.with_ending(&[".class"]).map(|(name, _)| name).collect::<Vec<_>>();
    let made = made.into_iter().filter(|name| below(name, dir).is_some()).collect::<Vec<_>>();
    // Classes that were handed in are kept, and are used if the sources next to them do not compile.
    let output = if made.is_empty() { ".".to_owned() } else { free_name(files, dir) };
    let class_dirs = class_dirs(files, dir, &made);
    let path = class_path(files, dir, &output, &class_dirs);
    let library_path = class_path(files, dir, ".", &class_dirs);
    let texts: String = sources.iter().filter_map(|name| files.text(name)).collect::<Vec<_>>().join("\n");
    let compile = compile(dir, &output, &library_path, &sources, &texts);
    let own_class = format!("{}.class", class.replace('.', "/"));
    let fallback = class_dirs
        .iter()
        .map(|found| below_or(found, &own_class))
        .find(|name| made.iter().any(|it| below(it, dir) == Some(name)));
    let build = match &fallback {
        Some(class) => {
            let compile = compile.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
            vec!["sh".to_owned(), "-c".to_owned(), format!("{compile} || test -f {}", quoted(class))]
        }
        None => compile,
    };
    let own_texts: Vec<&str> = sources
        .iter()
        .filter(|name| !super::course_files::is_library(name))
        .filter_map(|name| files.text(name))
        .collect();
    let missing = missing.iter().filter(|_| fallback.is_none());
    FoundProgram {
        source: main,
        text: own_texts.join("\n"),
        started: stem(main).to_owned(),
        array,
        said: None,
        language: "Java",
        dir: dir.to_owned(),
        build: Some(build),
        start: ["java", "-cp"].map(str::to_owned).into_iter().chain([literal(&path), literal(&class)]).collect(),
        needs: vec!["java and javac".to_owned()],
        obstacles: missing
            .map(|class| format!("`{main}` uses the class `{class}`, which is not in the submission"))
            .collect(),
    }
}

/// The program that the class in the file `name` starts, if the class has a main function. `text` is the output of
/// [`super::class_text()`].
fn from_class<'a>(files: &'a SubmittedFiles, name: &'a str, text: &'a str) -> Option<FoundProgram<'a>> {
    let (class, rest) = text.split_once('\n')?;
    let has_main = rest.lines().any(|line| line == "main") && rest.lines().any(|line| line == "([Ljava/lang/String;)V");
    let is_part = class.contains('$') || is_no_player(&format!("{class}.java"), rest);
    if !has_main || is_part {
        return None;
    }
    let path = format!("{class}.class");
    let dir = if name == path { "" } else { name.strip_suffix(&path)?.strip_suffix('/')? };
    let dotted = class.replace('/', ".");
    let path = class_path(files, dir, ".", &[]);
    Some(FoundProgram {
        source: name,
        text: rest.to_owned(),
        started: stem(name).to_owned(),
        // The constant pool does not show how the program reads its arguments, but it contains the name of the function
        // that receives them.
        array: ArgumentArray::new("main", 0),
        said: None,
        language: "Java",
        dir: dir.to_owned(),
        build: None,
        start: ["java", "-cp"].map(str::to_owned).into_iter().chain([literal(&path), literal(&dotted)]).collect(),
        needs: vec!["java".to_owned()],
        obstacles: vec![format!("the submission does not contain the sources of `{name}`")],
    })
}

/// The name of the parameter of the method `main`, if `text` defines one.
fn parameter(text: &str) -> Option<&str> {
    text.match_indices("main").find_map(|(at, word)| {
        let before = text[..at].trim_end();
        let behind = text[at + word.len()..].trim_start().strip_prefix('(')?.split(')').next()?;
        let behind = behind.trim().trim_start_matches("final ").trim_start().strip_prefix("String")?;
        let name = behind.trim_matches(|c: char| c.is_whitespace() || "[].".contains(c));
        (before.ends_with("void") && !name.is_empty()).then_some(name)
    })
}

/// The directory relative to which the path of the file `name` matches its package, or else the file's own directory.
fn root<'n>(name: &'n str, package: Option<&str>) -> &'n str {
    let dir = dir_of(name);
    let Some(package) = package.map(|package| package.replace('.', "/")) else { return dir };
    match dir.strip_suffix(package.as_str()) {
        Some("") => "",
        Some(root) => root.strip_suffix('/').unwrap_or(dir),
        None => dir,
    }
}

/// `name` in the directory `dir`.
fn below_or(dir: &str, name: &str) -> String {
    if dir == "." { name.to_owned() } else { format!("{dir}/{name}") }
}

/// A name for a directory in `dir` that does not occur in the submission.
fn free_name(files: &SubmittedFiles, dir: &str) -> String {
    let is_free = |name: &String| {
        !files.names().filter_map(|file| below(file, dir)).any(|file| file.split('/').next() == Some(name))
    };
    let numbered = (2..).map(|number| format!("built{number}"));
    ["built".to_owned()].into_iter().chain(numbered).find(is_free).unwrap_or_default()
}

/// The directories below `dir` that contain compiled classes from the submission; `.` stands for `dir` itself.
fn class_dirs(files: &SubmittedFiles, dir: &str, made: &[&str]) -> Vec<String> {
    let mut dirs: Vec<String> = Vec::new();
    for name in made {
        let Some(class) = files.text(name).and_then(|text| text.lines().next()) else { continue };
        let Some(root) = below(name, dir).and_then(|path| path.strip_suffix(&format!("{class}.class"))) else {
            continue;
        };
        let root = root.trim_end_matches('/');
        let root = if root.is_empty() { "." } else { root };
        if !dirs.iter().any(|known| known == root) {
            dirs.push(root.to_owned());
        }
    }
    dirs.sort_by_key(|dir| dir != ".");
    dirs
}

/// The class path in `dir`: the classes that are built, those that were handed in, and the archives of libraries.
fn class_path(files: &SubmittedFiles, dir: &str, output: &str, class_dirs: &[String]) -> String {
    let archives =
        files.names().filter(|name| ends(name, ".jar")).filter_map(|name| below(name, dir)).map(str::to_owned);
    let mut parts = vec![output.to_owned()];
    for part in class_dirs.iter().cloned().chain(archives) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(":")
}

fn compile(dir: &str, output: &str, path: &str, sources: &[&str], texts: &str) -> Vec<String> {
    let mut words: Vec<String> = ["javac", "-d", output].map(str::to_owned).into();
    if path != "." {
        words.extend(["-cp".to_owned(), path.to_owned()]);
    }
    // Otherwise a class that was handed in could be considered newer than its source.
    if output != "." {
        words.push("-Xprefer:source".to_owned());
    }
    if !texts.is_ascii() {
        let is_latin = texts.contains(char::REPLACEMENT_CHARACTER);
        words.extend(["-encoding", if is_latin { "ISO-8859-1" } else { "UTF-8" }].map(str::to_owned));
    }
    let mut names: Vec<&str> = sources.iter().filter_map(|name| below(name, dir)).collect();
    names.sort_unstable();
    words.extend(names.into_iter().map(str::to_owned));
    words
}

/// `word` as a word of a shell command.
fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
