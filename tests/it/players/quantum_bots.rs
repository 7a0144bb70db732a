//! The players of Quantum Gothello and the games in it: the Python example, and a tournament of the built-in bots.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gothello_arena::game::Ruleset;

use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;
use crate::players::use_of_time::assert_uses_its_time;

/// The player of examples/quantum/try.toml.
const EXAMPLE: &str = "[[player]]\nname = \"example\"\ndir = \"@examples/quantum/bot\"\n\
                       command = [\"python3\", \"bot.py\", \"{side}\", \"{host}\", \"{port}\", \"{ruleset}\"]\n";

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/quantum")
}

#[test]
fn the_example_of_quantum_gothello_has_the_starters_client() {
    let client = |folder: &Path| fs::read_to_string(folder.join("bot/gothello_client.py")).expect("there");
    assert_eq!(client(&example()), client(&example().join("../python")));
}

#[test]
fn the_example_of_quantum_gothello_passes_its_own_tests() {
    let mut tests = Command::new("python3");
    tests.args(["-B", "-m", "unittest"]).current_dir(example().join("bot"));
    let output = tests.output_in_time().expect("these tests need python3");
    assert!(output.status.success() && text(&output.stderr).contains("Ran 6 tests"), "{}", text(&output.stderr));
}

#[test]
fn the_example_of_quantum_gothello_uses_its_time() {
    assert_uses_its_time("e4", || {
        let mut command = Command::new("python3");
        command.arg("-B").arg(example().join("bot/bot.py"));
        command
    });
}

#[test]
fn the_example_beats_random_on_squares_and_on_points_without_a_refusal() {
    for (name, time, options) in [("reverse", "4s", ""), ("go-9", "6s", ""), ("quantum-8", "4s", "ko = \"simple\"\n")] {
        let arena = Arena::new(&format!(
            "ruleset = \"{name}\"\nrounds = 3\ntime = \"{time}\"\n[rules]\n{options}{EXAMPLE}[[player]]\nname = \"random\"\nbuiltin = \"random\"\n"
        ));
        let output = arena.run(&[]);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        arena.assert_logs_hold(&output);
        for row in arena.results() {
            assert_eq!(row["termination"], "normal", "{name}: {row:?}");
            let record = arena.record(&row["game"]);
            assert!(record.plies.iter().all(|ply| ply.tries.shown.is_empty()), "{record}");
        }
        let required = arena.output(&["standings", "out", "--require", "example.score > random.score"]);
        assert!(required.status.success(), "{name}: {}{}", text(&required.stdout), text(&required.stderr));
    }
}

#[test]
fn the_tournament_of_quantum_gothello_ends_as_its_strengths_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tournaments/quantum.toml");
    let toml = fs::read_to_string(file).expect("there");
    // One round of a smaller game with less thinking.
    let small = [
        ("\"quantum\"    #", "\"quantum-8\"  #"),
        ("rounds = 2", "rounds = 1"),
        ("= 100", "= 1"),
        ("depth = 2", "depth = 1"),
    ];
    let small = small.iter().fold(toml, |toml, (from, to)| {
        assert!(toml.contains(from), "{from}");
        toml.replace(from, to)
    });
    let arena = Arena::new(&small);
    let output = arena.run(&[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    let rows = arena.results();
    assert_eq!(rows.len(), 12);
    assert!(rows.iter().all(|row| row["termination"] == "normal"), "{rows:?}");
    let required = arena.output(&["standings", "out", "--require", "alphabeta.score > random.score"]);
    assert!(required.status.success(), "{}", text(&required.stderr));
}

#[test]
fn a_built_in_bot_is_refused_where_the_game_seats_more_than_two_or_has_no_perfect_one() {
    let arena = Arena::new("");
    for (engine, ruleset) in [("random", "quantum-4p"), ("perfect", "othello")] {
        assert!(ruleset.parse::<Ruleset>().is_ok());
        let output = arena.output(&["bot", engine, "--ruleset", ruleset, "--stdio"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let what = if engine == "random" { "built-in bots" } else { "`perfect` bot" };
        assert!(
            text(&output.stderr).contains(&format!("the rule set `{ruleset}` has no {what}")),
            "{}",
            text(&output.stderr)
        );
    }
}
