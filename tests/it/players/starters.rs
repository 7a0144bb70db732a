//! The bots that a user begins with, and those that the arena has built in, are ready to play: they pass every MUST and
//! every SHOULD of `check --bots`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use gothello_arena::cli::starters::Starter;
use gothello_arena::drill::script::{Level, SCENARIOS};
use serde_json::Value;

use crate::cli::init::{bot, toolchain};
use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;
use crate::players::languages::is_installed;

/// The scenarios that a slow machine may fail: on each of their clocks is so little that the machine's own delays count.
const SHORT_CLOCKS: [&str; 2] = ["clock-short", "clock-uneven"];

/// Limits for a machine on which many other processes run.
const PATIENT: &str = "hello_timeout = \"2m\"\nquit_timeout = \"2m\"\n";

/// Checks the first player of the file `class` in `dir`, and asserts that it passes all scenarios on both sides, but for those
/// with short clocks.
fn assert_is_ready(dir: &Path, class: &str) {
    let skipped = SHORT_CLOCKS.iter().flat_map(|id| ["--skip", *id]);
    let mut arena = Command::new(program());
    arena.current_dir(dir).args(["check", class, "--bots", "--jobs", "4", "--format", "json"]).args(skipped);
    let output = arena.arg("--strict").output_in_time().expect("the program starts");
    let said = text(&output.stderr);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    let trials = json["players"][0]["scenarios"].as_array().expect("trials");
    let is_fine = |trial: &&&Value| matches!(trial["status"].as_str(), Some("pass" | "info"));
    let judged: Vec<&Value> = trials.iter().filter(|trial| trial["level"] != "INFO").collect();
    let trouble: Vec<_> = judged.iter().filter(|trial| !is_fine(trial)).collect();
    assert!(trouble.is_empty(), "{trouble:#?}");
    assert_eq!(output.status.code(), Some(0), "{said}");
    let ids = SCENARIOS.iter().filter(|scenario| scenario.level != Level::Info).map(|scenario| scenario.id);
    let expected = ids.filter(|id| !SHORT_CLOCKS.contains(id)).flat_map(|id| [(id, "black"), (id, "white")]);
    let found = judged.iter().map(|trial| (word(&trial["id"]), word(&trial["side"])));
    assert_eq!(found.collect::<BTreeSet<_>>(), expected.collect::<BTreeSet<_>>());
}

fn word(value: &Value) -> &str {
    value.as_str().expect("text")
}

#[test]
fn every_starter_is_ready_as_init_writes_it() {
    for starter in Starter::all().filter(|starter| is_installed(toolchain(starter.language))) {
        let dir = bot(starter.language);
        let file = dir.path().join("try.toml");
        let written = fs::read_to_string(&file).expect("there");
        fs::write(&file, PATIENT.to_owned() + &written).expect("written");
        assert_is_ready(dir.path(), "try.toml");
    }
}

/// All but `perfect`, which thinks for as long as its clock allows.
#[test]
fn the_built_in_bots_are_ready_when_they_come_as_programs() {
    for words in [&["random"][..], &["greedy"], &["alphabeta", "--depth", "2"], &["mcts", "--playouts", "100"]] {
        let address = ["--side", "{side}", "--host", "{host}", "--port", "{port}"];
        let command = [&[program(), "bot"], words, &address].concat();
        let dir = tempfile::tempdir().expect("a directory");
        let players = format!(
            "[[player]]\nname = \"tried\"\ncommand = {command:?}\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n"
        );
        fs::write(dir.path().join("class.toml"), format!("{PATIENT}time = \"60s\"\n{players}")).expect("written");
        assert_is_ready(dir.path(), "class.toml");
    }
}
