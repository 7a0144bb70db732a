//! Bots in the languages that students use, confined and unmodified. Two of the bots have `localhost` and server 0
//! hard-coded, but still play games at the same time.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use gothello_arena::cli::starters::Starter;
use gothello_arena::tournament::Transport;

use crate::confinement::probes::{Memory, Way};
use crate::harness::arena::{Arena, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// Whether `program` is installed. If not, reports that the test is skipped.
pub(crate) fn is_installed(program: &str) -> bool {
    let mut command = Command::new(program);
    let installed = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status_in_time();
    let is_installed = installed.is_ok_and(|status| status.success());
    if !is_installed {
        skipped(Need::Languages, format_args!("`{program}` is not installed"));
    }
    is_installed
}

/// The ways to confine these bots in namespaces on this machine: with control groups that count memory, and without
/// them.
fn ways() -> Vec<Way> {
    let as_root = Way::all("A");
    let ways = if as_root.is_empty() { Way::all("B") } else { as_root };
    ways.iter().copied().chain(ways.iter().filter_map(|way| way.watched())).collect()
}

/// A file of a bot: its path in the bot's directory, and its text.
type BotFile = (String, Vec<u8>);

/// Runs a tournament of a bot with the files `sources`, a copy of the bot and a built-in bot, two games at a time.
fn assert_plays(sources: &[&str], player: &str) {
    let file = |source: &&str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
        let name = path.file_name().expect("a file").to_str().expect("a name").to_owned();
        (name, fs::read(path).expect("read"))
    };
    assert_files_play(&sources.iter().map(file).collect::<Vec<_>>(), player);
}

/// Like [`assert_plays`], but with a starter, as `init` writes it. If its toolchain is not installed, reports that the
/// test is skipped.
fn assert_starter_plays(starter: &Starter) {
    let files = starter.files(&Starter::unnamed(), Transport::Tcp).expect("a free name");
    let settings = &files.iter().find(|file| file.path == "gothello.toml").expect("settings").text;
    let settings: toml::Table = settings.parse().expect("TOML");
    let keys = ["build", "command"].map(|key| (key, settings.get(key)));
    let is_ready = |(_, words): &(&str, Option<&toml::Value>)| {
        let program = words.map(|words| words[0].as_str().expect("a word"));
        program.is_none_or(|program| program.starts_with("./") || is_installed(program))
    };
    if !keys.iter().all(is_ready) {
        return;
    }
    let bot = files.iter().filter_map(|file| {
        let path = file.path.strip_prefix("bot/")?;
        Some((path.to_owned(), file.text.as_bytes().to_vec()))
    });
    let line = |(key, words): (&str, Option<&toml::Value>)| words.map(|words| format!("{key} = {words}\n"));
    let player: String = keys.into_iter().filter_map(line).collect();
    assert_files_play(&bot.collect::<Vec<_>>(), &player);
}

fn assert_files_play(files: &[BotFile], player: &str) {
    for way in ways() {
        assert_plays_in(way, files, player, None);
    }
}

/// Like [`assert_plays`], but only with the confinement `way`. `first` is a folder that the arena searches for programs
/// before all other folders.
fn assert_plays_in(way: Way, files: &[BotFile], player: &str, first: Option<&Path>) {
    let table = |name: &str| format!("[[player]]\nname = \"{name}\"\ndir = \"bot\"\n{player}\n");
    let arena = Arena::new(&format!(
        "isolation = \"require\"\nconcurrency = 2\nhello_timeout = \"60s\"\n{}{}\
         [[player]]\nname = \"built in\"\nbuiltin = \"random\"\n",
        table("one"),
        table("two")
    ));
    for (name, text) in files {
        let path = arena.path().join("bot").join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, text).expect("written");
    }
    let mut command = arena.command(&["run", "class.toml", "--out", "out", "--strict"]);
    command.envs(first.map(|first| ("PATH", format!("{}:{}", first.display(), std::env::var("PATH").expect("text")))));
    let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
    assert_eq!(output.status.code(), Some(0), "{way:?}: {player}: {}", text(&output.stderr));
    let limited = if way.memory == Memory::Counted { "memory is limited by cgroup v" } else { "by the watch" };
    assert!(text(&output.stderr).contains(limited), "{way:?}: {}", text(&output.stderr));
    assert_eq!(arena.results().len(), 6);
    for row in arena.results() {
        assert_eq!(row["termination"], "normal", "{way:?}: {row:?}");
    }
}

mod every_starter_plays {
    use std::collections::BTreeSet;

    use super::{Starter, assert_starter_plays};
    use crate::players::starters::for_each_starter;

    for_each_starter!(assert_starter_plays, c cpp java javascript python rust);
}

#[test]
fn python_plays_over_stdio() {
    assert_plays(
        &["examples/line_bot.py"],
        "command = [\"python3\", \"line_bot.py\", \"{side}\"]\ntransport = \"stdio\"",
    );
}

/// With a version manager such as pyenv, the first `python3` in the PATH is a script that starts the right Python.
#[test]
fn python_plays_behind_the_script_of_a_version_manager() {
    const SYSTEMS: &str = "/usr/bin/python3";
    if !is_installed(SYSTEMS) {
        return;
    }
    let manager = tempfile::tempdir().expect("a directory");
    let shims = manager.path().join("shims");
    fs::create_dir(&shims).expect("made");
    let script = format!("#!/bin/sh\nHOW=indirectly exec {SYSTEMS} \"$@\"\n");
    fs::write(shims.join("python3"), script).expect("written");
    for path in [manager.path(), &shims, &shims.join("python3")] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("set");
    }
    let bot = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/line_bot.py")).expect("read");
    let bot = format!("import os\nassert os.environ['HOW'] == 'indirectly'\n{bot}");
    let files = [("bot.py".to_owned(), bot.into_bytes())];
    let player = "command = [\"python3\", \"bot.py\", \"{side}\"]\ntransport = \"stdio\"";
    for way in ways() {
        assert_plays_in(way, &files, player, Some(&shims));
    }
}

#[test]
fn python_plays_with_processes_that_share_memory() {
    assert_plays(&["tests/bots/pooled.py"], "command = [\"python3\", \"pooled.py\", \"{side}\"]");
}

#[test]
fn java_with_a_fixed_host_plays() {
    if is_installed("javac") && is_installed("java") {
        assert_plays(
            &["tests/bots/Passing.java"],
            "build = [\"javac\", \"Passing.java\"]\ncommand = [\"java\", \"Passing\", \"{side}\"]",
        );
    }
}

#[test]
fn node_with_a_fixed_host_plays() {
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
