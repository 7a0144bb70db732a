//! Bots in the languages that students use, confined and unmodified. Two of them have `localhost` and server 0 written
//! into them, and still play games at the same time.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::arena::{Arena, text};
use crate::probes::{Memory, Way};

/// Whether `program` is installed. Says so if it is not.
pub(crate) fn is_installed(program: &str) -> bool {
    let mut command = Command::new(program);
    let installed = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_installed = installed.is_ok_and(|status| status.success());
    if !is_installed {
        println!("skipped: `{program}` is not installed");
    }
    is_installed
}

/// The ways to confine such bots in namespaces on this machine, with control groups counting the memory and without.
fn ways() -> Vec<Way> {
    let as_root = Way::all("A");
    let ways = if as_root.is_empty() { Way::all("B") } else { as_root };
    ways.iter().copied().chain(ways.iter().filter_map(|way| way.watched())).collect()
}

/// Plays a bot with the files `sources` against a copy of itself and a built-in bot, two games at a time.
fn assert_plays(sources: &[&str], player: &str) {
    for way in ways() {
        assert_plays_in(way, sources, player);
    }
}

fn assert_plays_in(way: Way, sources: &[&str], player: &str) {
    let table = |name: &str| format!("[[player]]\nname = \"{name}\"\ndir = \"bot\"\n{player}\n");
    let arena = Arena::new(&format!(
        "isolation = \"require\"\nconcurrency = 2\nhello_timeout = \"60s\"\n{}{}\
         [[player]]\nname = \"built in\"\nbuiltin = \"random\"\n",
        table("one"),
        table("two")
    ));
    fs::create_dir(arena.path().join("bot")).expect("made");
    for source in sources {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
        fs::copy(&source, arena.path().join("bot").join(source.file_name().expect("a file"))).expect("copied");
    }
    let mut command = arena.command(&["run", "class.toml", "--out", "out", "--strict"]);
    let output = way.act(&mut command, |command| command.output().expect("the program starts"));
    assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
    let limited = if way.memory == Memory::Counted { "memory is limited by cgroup v" } else { "by the watch" };
    assert!(text(&output.stderr).contains(limited), "{way:?}: {}", text(&output.stderr));
    assert_eq!(arena.results().len(), 6);
    for row in arena.results() {
        assert_eq!(row["termination"], "normal", "{way:?}: {row:?}");
    }
}

#[test]
fn python_plays() {
    assert_plays(
        &["examples/starter.py"],
        "command = [\"python3\", \"starter.py\", \"{side}\", \"{host}\", \"{server}\"]",
    );
}

#[test]
fn python_plays_over_stdio() {
    assert_plays(
        &["examples/line_bot.py"],
        "command = [\"python3\", \"line_bot.py\", \"{side}\"]\ntransport = \"stdio\"",
    );
}

#[test]
fn python_plays_with_processes_that_share_memory() {
    assert_plays(&["tests/bots/pooled.py"], "command = [\"python3\", \"pooled.py\", \"{side}\"]");
}

#[test]
fn c_plays() {
    assert_plays(
        &["examples/starter.c"],
        "build = [\"cc\", \"-o\", \"starter\", \"starter.c\"]\ncommand = [\"./starter\", \"{side}\", \"{host}\", \"{server}\"]",
    );
}

#[test]
fn rust_plays() {
    if is_installed("rustc") {
        assert_plays(
            &["examples/starter.rs"],
            "build = [\"rustc\", \"--edition\", \"2024\", \"starter.rs\"]\ncommand = [\"./starter\", \"{side}\", \"{host}\", \"{server}\"]",
        );
    }
}

#[test]
fn java_plays() {
    if is_installed("javac") && is_installed("java") {
        assert_plays(
            &["tests/bots/Passing.java"],
            "build = [\"javac\", \"Passing.java\"]\ncommand = [\"java\", \"Passing\", \"{side}\"]",
        );
    }
}

#[test]
fn node_plays() {
    if is_installed("node") {
        assert_plays(&["tests/bots/passing.js"], "command = [\"node\", \"passing.js\", \"{side}\"]");
    }
}

#[test]
fn node_plays_with_threads_that_share_memory() {
    if is_installed("node") {
        let files = ["tests/bots/passing.js", "tests/bots/workers.js"];
        assert_plays(&files, "command = [\"node\", \"workers.js\", \"{side}\"]");
    }
}
