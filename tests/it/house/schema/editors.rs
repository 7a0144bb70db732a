//! Tournament files in an editor: through taplo, which reads the schema named in a file's first line.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::file::TOURNAMENT_SCHEMA;
use tempfile::TempDir;

use super::{VALIDATOR, json};
use crate::harness::arena::program;
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// The first line of a tournament file in the same directory as the schema.
const DIRECTIVE: &str = "#:schema ./tournament.schema.json\n";

/// The tournament files of this repository.
fn tournaments() -> Vec<String> {
    let entries = fs::read_dir("tournaments").expect("a directory").map(|entry| entry.expect("an entry").path());
    // The rubric has its own schema, see tests/it/course/rubric.rs.
    let is_tournament = |path: &std::path::PathBuf| !path.ends_with("rubric.toml");
    let files = entries.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).filter(is_tournament);
    let files: Vec<String> = files.map(|path| path.to_str().expect("a plain name").to_owned()).collect();
    assert!(files.len() >= 7, "{files:?}");
    files
}

/// Files with one mistake each.
fn broken() -> Vec<(&'static str, String)> {
    let two = "[[player]]\nname = \"a\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n";
    let at_top = [
        ("a key with a typing error", "ronuds = 5"),
        ("a number out of range", "rounds = 0"),
        ("a number in quotes", "rounds = \"5\""),
        ("a fraction where a whole number belongs", "void_retries = 1.5"),
        ("an unknown format", "format = \"roundrobin\""),
        ("a duration without a unit", "time = \"60\""),
        ("a duration as a number", "time = 60"),
        ("one clock of two", "black_time = \"60s\""),
        ("clocks for both sides and for one side", "time = \"60s\"\nblack_time = \"60s\"\nwhite_time = \"2m\""),
        ("CPU time without a clock", "clock = \"cpu\""),
        ("a wall limit without CPU time", "time = \"60s\"\nwall_limit = \"10m\""),
        ("a key of another format", "format = \"knockout\"\nrounds = 3"),
        ("a gauntlet without a challenger", "format = \"gauntlet\""),
        ("an unknown unit of bytes", "memory = \"2 gigs\""),
        ("too little memory", "memory = 1000"),
        ("an address without a port", "listen = \"127.0.0.1\""),
        ("a port out of range", "listen = \"127.0.0.1:70000\""),
        ("openings without their number of plies", "openings = { balanced = true }"),
        ("balanced openings of too many plies", "openings = { plies = 5, balanced = true }"),
        ("an unknown key in a table", "adjudicate = { node = 5000 }"),
        ("a boolean in quotes", "affinity = \"yes\""),
        ("a single player's brackets", "[player]\nname = \"c\""),
    ];
    let third = [
        ("a player without a kind", "name = \"c\""),
        ("a player of two kinds", "name = \"c\"\nbuiltin = \"greedy\"\ncommand = [\"./c\"]"),
        ("a command as one string", "name = \"c\"\ncommand = \"./c {side}\""),
        ("an empty command", "name = \"c\"\ncommand = []"),
        ("an unknown placeholder", "name = \"c\"\ncommand = [\"./c\", \"{colour}\"]"),
        ("a placeholder in the program", "name = \"c\"\ncommand = [\"./{side}\"]"),
        ("an address over stdio", "name = \"c\"\ncommand = [\"./c\", \"{port}\"]\ntransport = \"stdio\""),
        ("a depth for a bot that has none", "name = \"c\"\nbuiltin = \"greedy\"\ndepth = 2"),
        ("a directory for a built-in bot", "name = \"c\"\nbuiltin = \"greedy\"\ndir = \"c\""),
        ("a directory that exposes the file", "name = \"c\"\ncommand = [\"./c\"]\ndir = \".\""),
        ("a token without a public address", "name = \"c\"\nremote = true\ntoken = \"a word of hers\""),
        ("a short token", "name = \"c\"\nremote = true\ntoken = \"word\""),
        ("a name that is a formula", "name = \"=c\"\nbuiltin = \"greedy\""),
        ("a challenger outside a gauntlet", "name = \"c\"\nbuiltin = \"greedy\"\nchallenger = true"),
        ("an address where a host's name belongs", "name = \"c\"\ncommand = [\"./c\"]\nhosts = [\"10.1.2.3\"]"),
        ("an unknown key of a player", "name = \"c\"\nbuiltin = \"greedy\"\nlevel = 3"),
    ];
    let at_top = at_top
        .map(|(what, line)| (what, if line.starts_with('[') { line.to_owned() } else { format!("{line}\n{two}") }));
    let third = third.map(|(what, lines)| (what, format!("{two}[[player]]\n{lines}\n")));
    let one = ("one player", "[[player]]\nname = \"a\"\nbuiltin = \"greedy\"\n".to_owned());
    at_top.into_iter().chain(third).chain([one]).collect()
}

#[test]
fn every_broken_file_is_refused_by_schema_and_reader() {
    let broken = broken();
    assert!(broken.len() >= 20);
    for (what, text) in broken {
        assert!(Tournament::parse(&text, "test").is_err(), "{what}: the reader accepts\n{text}");
        assert!(!VALIDATOR.is_valid(&json(&text)), "{what}: the schema accepts\n{text}");
    }
}

#[test]
fn every_tournament_file_of_the_arena_names_the_schema_and_fits_it() {
    for file in tournaments() {
        let text = fs::read_to_string(&file).expect("a file");
        assert!(text.starts_with(DIRECTIVE), "{file}");
        VALIDATOR.validate(&json(&text)).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    assert!(Path::new("tournaments/tournament.schema.json").is_file());
}

/// Runs taplo on `file`; `None` if it is not installed.
fn taplo(file: &Path) -> Option<Output> {
    let output = Command::new("taplo").args(["check", "--no-auto-config"]).arg(file).output_in_time();
    if output.is_err() {
        skipped(Need::Tools, "`taplo` is not installed");
    }
    output.ok()
}

#[test]
fn taplo_accepts_the_tournament_files_of_the_arena_and_refuses_broken_ones() {
    let check = |file: &Path, what: &str, expected: i32| {
        let Some(output) = taplo(file) else { return false };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(expected), "{what}: {said}");
        assert_eq!(said.contains("error: "), expected != 0, "{what}: {said}");
        assert!(!said.contains("failed to load schema"), "{what}: {said}");
        true
    };
    for file in tournaments() {
        if !check(Path::new(&file), &file, 0) {
            return;
        }
    }
    let dir = TempDir::new().expect("a directory");
    let printed = Command::new(program())
        .args(["docs", "schema", "tournament", "--out", "tournament.schema.json"])
        .current_dir(dir.path())
        .status_in_time();
    assert!(printed.expect("the program starts").success());
    let schema = fs::read_to_string(dir.path().join("tournament.schema.json")).expect("the schema");
    assert_eq!(schema, TOURNAMENT_SCHEMA);
    let file = dir.path().join("class.toml");
    for (what, text) in broken() {
        fs::write(&file, format!("{DIRECTIVE}{text}")).expect("a file");
        check(&file, what, 1);
    }
}
