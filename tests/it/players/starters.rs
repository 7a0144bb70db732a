//! The starter bots and the built-in bots are ready to play: they pass every MUST and every SHOULD of `check --bots`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use gothello_arena::cli::starters::Starter;
use gothello_arena::drill::script::{Level, NeededClocks, SCENARIOS, Scenario};
use serde_json::Value;

use crate::cli::init::{bot, toolchain};
use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;
use crate::players::languages::is_installed;

/// The scenarios that a bot may fail on a slow machine: their clocks allow so little time that the machine's own delays
/// matter.
const SHORT_CLOCKS: [&str; 2] = ["clock-short", "clock-uneven"];

/// Time limits for a machine that also runs many other processes.
const PATIENT: &str = "hello_timeout = \"2m\"\nquit_timeout = \"2m\"\n";

/// Checks the first player of the file `class` in `dir`, and asserts that it passes all scenarios on both sides, except
/// the scenarios with short clocks.
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
    // A starter's tournament file uses sudden death, so scenarios for other kinds of clocks are not played.
    let is_played = |scenario: &&Scenario| {
        let is_meant = matches!(scenario.clocks, NeededClocks::Any | NeededClocks::MainTime);
        scenario.level != Level::Info && is_meant && scenario.rules.have_seats(2)
    };
    let ids = SCENARIOS.iter().filter(is_played).map(|scenario| scenario.id);
    let expected = ids.filter(|id| !SHORT_CLOCKS.contains(id)).flat_map(|id| [(id, "black"), (id, "white")]);
    let found = judged.iter().map(|trial| (word(&trial["id"]), word(&trial["side"])));
    assert_eq!(found.collect::<BTreeSet<_>>(), expected.collect::<BTreeSet<_>>());
}

fn word(value: &Value) -> &str {
    value.as_str().expect("text")
}

/// Defines one test for each language. The test calls `$assert` with the language's starter.
macro_rules! for_each_starter {
    ($assert:path, $($language:ident)+) => {
        $(
            #[test]
            fn $language() {
                let starter = Starter::all().find(|starter| starter.language == stringify!($language));
                $assert(&starter.expect("a starter"));
            }
        )+

        #[test]
        fn all_are_tested() {
            let tested = BTreeSet::from([$(stringify!($language)),+]);
            assert_eq!(tested, Starter::all().map(|starter| starter.language).collect());
        }
    };
}
pub(crate) use for_each_starter;

fn assert_starter_is_ready(starter: &Starter) {
    if !is_installed(toolchain(starter.language)) {
        return;
    }
    let dir = bot(starter.language);
    let file = dir.path().join("try.toml");
    let written = fs::read_to_string(&file).expect("there");
    fs::write(&file, PATIENT.to_owned() + &written).expect("written");
    assert_is_ready(dir.path(), "try.toml");
}

mod every_starter_is_ready_as_init_writes_it {
    use super::*;

    for_each_starter!(assert_starter_is_ready, c cpp java javascript python rust);
}

/// Plays the tournament file of the bot in `dir` with openings, and asserts that no game is forfeited: one pair of games
/// in which black moves first after the opening, and one in which white does.
pub(crate) fn assert_plays_openings(dir: &Path) {
    let file = dir.join("try.toml");
    let written = fs::read_to_string(&file).expect("there");
    let pair = written.lines().filter(|line| !line.starts_with("rounds")).map(|line| line.to_owned() + "\n");
    let pair: String = pair.collect();
    for plies in [2, 3] {
        let keys = format!("openings = {{ plies = {plies} }}\nrounds = 1\n{PATIENT}");
        fs::write(&file, keys + &pair).expect("written");
        let out = format!("opened-{plies}");
        let mut arena = Command::new(program());
        arena.current_dir(dir).args(["run", "try.toml", "--strict", "--out", &out]);
        let output = arena.output_in_time().expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let logs = fs::read_dir(dir.join(out).join("games")).expect("logs").flatten().map(|entry| entry.path());
        let logs: Vec<_> = logs.filter(|path| path.extension().is_some_and(|ending| ending == "log")).collect();
        assert!(logs.len() >= 2, "{logs:?}");
        for log in logs {
            let log = fs::read_to_string(log).expect("a log");
            assert!(log.contains(&format!("[OpeningPlies \"{plies}\"]")), "{log}");
            assert!(log.contains("[Termination \"normal\"]") && !log.contains("%garbled"), "{log}");
        }
    }
}

fn assert_starter_plays_openings(starter: &Starter) {
    if is_installed(toolchain(starter.language)) {
        assert_plays_openings(bot(starter.language).path());
    }
}

mod every_starter_plays_openings {
    use super::*;

    for_each_starter!(assert_starter_plays_openings, c cpp java javascript python rust);
}

/// Checks the built-in bot that is started by `words`, as if it were a separate program.
fn assert_built_in_bot_is_ready(words: &[&str]) {
    let address = ["--side", "{side}", "--host", "{host}", "--port", "{port}"];
    let command = [&[program(), "bot"], words, &address].concat();
    let dir = tempfile::tempdir().expect("a directory");
    let players = format!(
        "[[player]]\nname = \"tried\"\ncommand = {command:?}\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n"
    );
    fs::write(dir.path().join("class.toml"), format!("{PATIENT}time = \"60s\"\n{players}")).expect("written");
    assert_is_ready(dir.path(), "class.toml");
}

/// All built-in bots except `perfect`, which thinks for as long as its clock allows.
mod the_built_in_bots_are_ready_when_they_come_as_programs {
    use super::assert_built_in_bot_is_ready;

    #[test]
    fn random() {
        assert_built_in_bot_is_ready(&["random"]);
    }

    #[test]
    fn greedy() {
        assert_built_in_bot_is_ready(&["greedy"]);
    }

    #[test]
    fn alphabeta() {
        assert_built_in_bot_is_ready(&["alphabeta", "--depth", "2"]);
    }

    #[test]
    fn mcts() {
        assert_built_in_bot_is_ready(&["mcts", "--playouts", "100"]);
    }
}
