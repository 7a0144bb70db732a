//! The parts of a release: all name the same version, and the GitHub action works as written.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::ci::{bash, steps};
use crate::cli::command_line::all_commands;
use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The value of the first `key` in a TOML file of the repository.
fn value(file: &str, key: &str) -> String {
    let lines = read(file);
    let found = lines.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
    found.unwrap_or_else(|| panic!("{file} has no `{key}`")).trim_matches('"').to_owned()
}

#[test]
fn everything_that_is_released_has_one_version_and_one_description() {
    for file in [
        "crates/games/Cargo.toml",
        "crates/version/Cargo.toml",
        "tools/release/pyproject.toml",
        "tools/release/elsewhere/pyproject.toml",
    ] {
        assert_eq!(value(file, "version"), env!("CARGO_PKG_VERSION"), "{file}");
    }
    // Once the packages on which the program depends are published, cargo finds them by version.
    let manifest = read("Cargo.toml");
    for package in ["games", "version"] {
        let version = env!("CARGO_PKG_VERSION");
        let line = format!("\ngothello-{package} = {{ version = \"{version}\", path = \"crates/{package}\" }}\n");
        assert!(manifest.contains(&line), "{package}");
    }
    let wheel = "tools/release/pyproject.toml";
    for key in ["description", "keywords", "license"] {
        assert_eq!(value(wheel, key), value("Cargo.toml", key), "{key}");
    }
    assert_eq!(value("tools/release/elsewhere/pyproject.toml", "description"), value("Cargo.toml", "description"));
}

#[test]
fn the_action_checks_plays_and_judges() {
    let steps = steps(&read("action.yml"));
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Install the arena", "Check the bots", "Play", "Judge"]);
    let dir = TempDir::new().unwrap();
    let players =
        "[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n";
    fs::write(dir.path().join("try.toml"), format!("rounds = 3\nseed = 1\n{players}")).unwrap();
    // The arena under test is already installed, so the first step is skipped. A missing program makes the check fail.
    let broken = "[[player]]\nname = \"absent\"\ncommand = [\"./absent\", \"{port}\"]\n";
    fs::write(dir.path().join("broken.toml"), format!("{players}{broken}")).unwrap();
    let run = |step: usize, inputs: &str, code: i32| {
        let output = bash(dir.path(), &format!("export {inputs}\n{}", steps[step].1));
        assert_eq!(
            output.status.code(),
            Some(code),
            "{}: {}{}",
            names[step],
            text(&output.stdout),
            text(&output.stderr)
        );
    };
    run(1, "CHECK=broken.toml", 3);
    run(2, "RUN=try.toml RESULTS='results/of this run'", 0);
    run(3, "RESULTS='results/of this run' REQUIRE=$'greedy.forfeits == 0\\n\\ngreedy > random\\n'", 0);
    run(3, "RESULTS='results/of this run' REQUIRE='random > greedy'", 3);
    let summary = fs::read_to_string(dir.path().join("summary.md")).unwrap();
    assert!(summary.contains("### Bots ready to play: ") && summary.contains("| greedy"), "{summary}");
}

#[test]
fn the_book_has_every_page_for_its_readers_and_every_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut book = Command::new("python3");
    book.args(["tools/release/book", "--sources", program()]).current_dir(root);
    let output = book.output_in_time().expect("python3 starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let summary = read("target/book-sources/SUMMARY.md");
    let listed: Vec<&str> = summary.lines().filter_map(|line| line.split_once("](")?.1.strip_suffix(')')).collect();
    for page in listed.iter().filter(|page| !page.is_empty()) {
        assert!(root.join("target/book-sources").join(page).is_file(), "{page}");
    }
    for page in super::docs::pages() {
        let is_for_readers = page.starts_with("docs/") && page != "docs/README.md" && page != "docs/architecture.md";
        let is_listed = listed.contains(&page.as_str());
        assert!(is_listed || !is_for_readers || page.starts_with("docs/dev/"), "the book lacks {page}");
    }
    for command in all_commands() {
        assert!(listed.contains(&format!("commands/{command}.md").as_str()), "the book lacks {command}");
    }
}

#[test]
fn where_there_is_no_wheel_pip_says_what_to_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/release/elsewhere");
    for step in ["get_requires_for_build_wheel()", "prepare_metadata_for_build_wheel('.')", "build_wheel('.')"] {
        let mut python = Command::new("python3");
        python.arg("-Bc").arg(format!("import elsewhere; elsewhere.{step}")).current_dir(&folder);
        let output = python.output_in_time().expect("python3 starts");
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("WSL 2") && !said.contains("Traceback"), "{said}");
    }
}
