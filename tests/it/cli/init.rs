//! `init` writes the contents of `examples/`, its output works without changes, and it does not touch the user's files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use gothello_arena::cli::starters::Starter;

use crate::cli::command_line::words;
use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;
use crate::players::languages::is_installed;

fn init(dir: &Path, args: &[&str]) -> Output {
    Command::new(program()).arg("init").args(args).current_dir(dir).output_in_time().expect("the program starts")
}

/// Writes a bot and returns its directory.
pub(crate) fn bot(language: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let output = init(dir.path(), &["bot", language, "--name", "my bot"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    dir
}

/// The contents of every file below `dir`, by path.
fn files(dir: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|(path, text)| (format!("{name}/{path}"), text)));
        } else {
            found.insert(name, fs::read_to_string(entry.path()).expect("text"));
        }
    }
    found
}

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/examples"))
}

/// The files of `examples/NAME/`, without those that its `.gitignore` names.
fn kept(name: &str) -> BTreeMap<String, String> {
    let folder = examples().join(name);
    let ignored = fs::read_to_string(folder.join(".gitignore")).expect("there");
    let is_ignored = |path: &str| {
        ignored.lines().map(|line| line.trim_matches('/')).any(|word| {
            let ending = word.strip_prefix('*').is_some_and(|ending| path.ends_with(ending));
            ending || path == word || path.split('/').any(|part| part == word)
        })
    };
    let mut paths = Vec::new();
    gather(&folder, "", &is_ignored, &mut paths);
    let read = |path: String| (path.clone(), fs::read_to_string(folder.join(&path)).expect("text"));
    paths.into_iter().map(read).collect()
}

/// Adds the paths of all files below `dir/inner` to `paths`, except for those that `is_ignored` matches.
fn gather(dir: &Path, inner: &str, is_ignored: &dyn Fn(&str) -> bool, paths: &mut Vec<String>) {
    for entry in fs::read_dir(dir.join(inner)).expect("a directory").flatten() {
        let path = format!("{inner}{}", entry.file_name().to_string_lossy());
        if is_ignored(&path) {
            continue;
        }
        if entry.path().is_dir() {
            gather(dir, &format!("{path}/"), is_ignored, paths);
        } else {
            paths.push(path);
        }
    }
}

#[test]
fn a_new_bot_has_exactly_the_files_of_its_example() {
    for starter in Starter::all() {
        let language = starter.language;
        let dir = bot(language);
        let mut written = files(dir.path());
        for (path, source) in [("bot/vectors.json", "vectors.json"), (".github/workflows/bot.yml", "bot.yml")] {
            let source = fs::read_to_string(examples().join(source)).expect("there");
            assert!(written.remove(path) == Some(source), "{language}: {path}");
        }
        let mut kept = kept(language);
        assert!(kept.len() > 7, "{kept:?}");
        // The manifest has a different name here, so that the arena's own package includes the directory.
        if let Some(manifest) = kept.remove("bot/manifest.toml") {
            kept.insert("bot/Cargo.toml".to_owned(), manifest);
        }
        for (path, text) in &kept {
            assert!(written.get(path) == Some(text), "{language}: {path}");
        }
        assert!(kept["README.md"].starts_with(&format!("# A Gothello bot in {}\n", starter.title)), "{language}");
        assert_eq!(written.keys().collect::<Vec<_>>(), kept.keys().collect::<Vec<_>>(), "{language}");
    }
}

#[test]
fn an_alias_means_the_same_language() {
    assert_eq!(files(bot("js").path()), files(bot("javascript").path()));
}

#[test]
fn a_class_tournament_has_the_files_of_its_example_and_is_valid() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = init(dir.path(), &["tournament", "new/class"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let class = dir.path().join("new/class");
    let mut written = files(&class);
    for shared in ["tournament.schema.json", "rubric.toml", "rubric.schema.json"] {
        let kept = fs::read_to_string(examples().join("../tournaments").join(shared)).expect("there");
        assert!(written.remove(shared) == Some(kept), "{shared}");
    }
    assert_eq!(written, kept("tournament"));
    let check = Command::new(program())
        .args(["check", "class.toml"])
        .current_dir(&class)
        .output_in_time()
        .expect("the program starts");
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stderr));
}

#[test]
fn a_directory_that_is_not_empty_stays_as_it_is() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join(".mine"), "mine").expect("written");
    for args in [
        &["bot", "python"][..],
        &["tournament"],
        &["bot", "python", ".mine"],
        &["tournament", ".mine"],
        &["bot", "python", "/proc/none"],
    ] {
        let output = init(dir.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = text(&output.stderr);
        let reasons = ["is not empty", "`.mine` is not a directory", "`/proc/none` cannot be used"];
        assert!(reasons.iter().any(|reason| said.contains(reason)), "{said}");
        assert_eq!(files(dir.path()), BTreeMap::from([(".mine".to_owned(), "mine".to_owned())]), "{args:?}");
    }
}

#[test]
fn an_empty_repository_counts_as_empty() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join(".git")).expect("made");
    assert_eq!(init(dir.path(), &["bot", "python"]).status.code(), Some(0));
    assert!(dir.path().join("bot/bot.py").is_file());
}

#[test]
fn whoever_names_no_language_is_told_all_of_them() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = init(dir.path(), &["bot"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("python, java, c, cpp, rust, javascript\n") && said.contains("you know best"), "{said}");
    assert_eq!(files(dir.path()).len(), 0);
}

#[test]
fn an_unknown_language_is_told_the_nearest_one() {
    let dir = tempfile::tempdir().expect("a directory");
    for (word, near) in [("pyton", "python"), ("javascipt", "javascript"), ("Rust", "rust")] {
        let output = init(dir.path(), &["bot", word]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("'{near}'")), "{said}");
    }
    assert_eq!(files(dir.path()).len(), 0);
}

#[test]
fn a_bot_is_called_like_its_directory_unless_it_cannot_be() {
    let dir = tempfile::tempdir().expect("a directory");
    for (path, name) in [("heron", "heron"), ("Greedy", "my bot"), ("=1+1", "my bot")] {
        let output = init(dir.path(), &["bot", "python", path]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(
            text(&output.stdout).contains(&format!("a bot in Python, called `{name}`")),
            "{}",
            text(&output.stdout)
        );
        for file in ["try.toml", "gothello.toml"] {
            let written = fs::read_to_string(dir.path().join(path).join(file)).expect("there");
            assert!(written.contains(&format!("name = \"{name}\"\n")), "{written}");
        }
    }
    let output = init(dir.path(), &["bot", "python", "x", "--name", "GREEDY"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!dir.path().join("x").exists());
}

/// The toolchain that a bot needs.
pub(crate) fn toolchain(language: &str) -> &str {
    match language {
        "python" => "python3",
        "javascript" => "node",
        "rust" => "cargo",
        "java" => "javac",
        "c" => "cc",
        "cpp" => "c++",
        other => panic!("which program does a bot in {other} need?"),
    }
}

#[test]
fn the_tests_of_each_starter_pass_and_see_a_wrong_rule() {
    let installed = Starter::all().filter(|starter| is_installed(toolchain(starter.language)));
    for starter in installed.filter(|_| is_installed("make")) {
        let dir = bot(starter.language);
        let make = || Command::new("make").arg("test").current_dir(dir.path()).output_in_time().expect("make starts");
        let output = make();
        assert!(output.status.success(), "{}: {}", starter.language, text(&output.stdout) + &text(&output.stderr));
        let vectors = dir.path().join("bot/vectors.json");
        let right = fs::read_to_string(&vectors).expect("there");
        let (before, last) = right.rsplit_once("\"after\":\"").expect("a position");
        fs::write(&vectors, format!("{before}\"after\":\"{}", last.replacen(['b', 'w'], ".", 1))).expect("written");
        assert!(!make().status.success(), "{}: {}", starter.language, text(&make().stdout));
    }
}

/// All lines and code spans in `text` that run the program.
fn calls(text: &str) -> Vec<&str> {
    let own_lines = text.lines().map(str::trim_start).filter(|line| line.starts_with("gothello-arena "));
    let quoted = text.split('`').skip(1).step_by(2).filter(|code| code.starts_with("gothello-arena "));
    own_lines.chain(quoted).collect()
}

#[test]
fn what_a_user_is_told_to_run_exists() {
    let dir = tempfile::tempdir().expect("a directory");
    init(dir.path(), &["tournament", "class"]);
    let mut texts = vec![fs::read_to_string(dir.path().join("class/README.md")).expect("there")];
    for starter in Starter::all() {
        let bot = files(bot(starter.language).path());
        let make = bot["Makefile"].replace("$(ARENA)", "gothello-arena");
        texts.extend([bot["README.md"].clone(), make]);
    }
    for readme in &texts {
        let calls = calls(readme);
        assert!(!calls.is_empty(), "{readme}");
        for call in calls {
            // An unknown option appended to a command must be the only usage error in it.
            let arguments = words(call).into_iter().skip(1);
            let mut command = Command::new(program());
            let output = command.args(arguments).arg("--no-such-option").output_in_time().expect("the program starts");
            let said = text(&output.stderr);
            assert!(said.contains("unexpected argument '--no-such-option'"), "{call}: {said}");
        }
    }
}

/// `cargo package` leaves out every directory that has its own manifest. The program could not be built without the
/// examples.
#[test]
fn the_package_has_all_examples() {
    let cargo = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output_in_time()
        .expect("cargo starts");
    let packaged = text(&cargo.stdout);
    for folder in Starter::all().map(|starter| starter.language).chain(["tournament"]) {
        for path in kept(folder).keys() {
            let path = format!("examples/{folder}/{path}");
            assert!(packaged.lines().any(|line| line == path), "{path}: {}", text(&cargo.stderr));
        }
    }
}
