//! Players and games of Quantum Gothello: the Python example, and a tournament of the built-in bots.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gothello_arena::game::Ruleset;
use gothello_arena::referee::record::{GroupRecord, LoggedGame};

use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;
use crate::players::use_of_time::assert_uses_its_time;

/// The player in examples/quantum/try.toml.
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
    assert!(output.status.success() && text(&output.stderr).contains("Ran 9 tests"), "{}", text(&output.stderr));
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
fn the_example_of_quantum_gothello_plays_openings() {
    for plies in [2, 3] {
        let arena = Arena::new(&format!(
            "ruleset = \"reverse\"\ntime = \"60s\"\nopenings = {{ plies = {plies} }}\n{EXAMPLE}openings = true\n\
             [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n"
        ));
        let output = arena.run(&[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        for row in arena.results() {
            let record = arena.record(&row["game"]);
            assert_eq!((row["termination"].as_str(), record.opening_plies), ("normal", plies), "{record}");
            assert!(record.plies.iter().all(|ply| ply.tries.shown.is_empty()), "{record}");
        }
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
fn a_perfect_bot_is_refused_where_the_game_has_none() {
    let arena = Arena::new("");
    for ruleset in ["othello", "quantum-4p"] {
        assert!(ruleset.parse::<Ruleset>().is_ok());
        let output = arena.output(&["bot", "perfect", "--ruleset", ruleset, "--stdio"]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let expected = format!("the rule set `{ruleset}` has no `perfect` bot");
        assert!(text(&output.stderr).contains(&expected), "{}", text(&output.stderr));
    }
}

/// The records of all games in `arena`. Panics if a line from a player was refused.
fn games_of_groups(arena: &Arena) -> Vec<GroupRecord> {
    let logs = fs::read_dir(arena.out().join("games")).expect("games").map(|entry| entry.expect("a file").path());
    let logs = logs.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
    let records = logs.map(|path| {
        let log = fs::read(&path).expect("a log");
        let game = LoggedGame::from_bytes(&log).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let record = *game.into_two().expect_err("more than two seats");
        assert!(record.plies.iter().all(|ply| ply.tries.shown.is_empty()), "{record}");
        record
    });
    records.collect()
}

/// The sum of the places of the player `name`.
fn places(games: &[GroupRecord], name: &str) -> u32 {
    let place = |record: &GroupRecord| {
        let seat = record.players.all_seats().find(|&seat| record.players[seat] == name)?;
        Some(u32::from(record.result.as_ref().expect("a game with a result").placing[seat]))
    };
    games.iter().filter_map(place).sum()
}

/// Plays the tournament in `file` after applying `changes`, which are pairs of old and new text.
fn play_shortened(file: &str, changes: &[(&str, &str)]) -> Vec<GroupRecord> {
    let toml = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tournaments").join(file)).expect("there");
    let places = [("../examples", "@examples"), ("time = \"5s\"", "time = \"20s\"")];
    let toml = places.iter().chain(changes).fold(toml, |toml, (from, to)| {
        assert!(toml.contains(from), "{from}");
        toml.replace(from, to)
    });
    let arena = Arena::new(&toml);
    let output = arena.run(&[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    let games = games_of_groups(&arena);
    assert!(games.iter().all(|record| record.outs.is_empty()));
    games
}

#[test]
fn four_at_a_table_play_to_the_end_and_the_example_is_placed_before_random() {
    // One table of four, without the bot that is neither the weakest nor the example.
    let left_out = "[[player]]\nname = \"mcts\"             # plays random games, and counts each seat's places\nbuiltin = \"mcts\"\nplayouts = 100\n";
    let games = play_shortened("groups.toml", &[(left_out, ""), ("depth = 2", "depth = 1")]);
    assert_eq!(games.len(), 4);
    assert!(places(&games, "example") < places(&games, "random"));
}

#[test]
fn six_at_a_table_play_to_the_end_and_greedy_is_placed_before_random() {
    let games = play_shortened("six.toml", &[("depth = 2", "depth = 1"), ("playouts = 100", "playouts = 2")]);
    assert_eq!(games.len(), 6);
    assert!(places(&games, "greedy") < places(&games, "random"));
}

#[test]
fn the_example_plays_on_when_others_drop_out() {
    // Both bots leave when they receive a move by seat 1, even if their own turn is far away.
    let leaver = |name: &str, at: u32| {
        let script = format!(
            "printf '0.9.2 player %s\\r\\n' $GOTHELLO_SIDE; while read -r line; do case $line in 33[12]' {at} '*) exit 0;; esac; done"
        );
        format!("[[player]]\nname = \"{name}\"\ntransport = \"stdio\"\ncommand = [\"sh\", \"-c\", {script:?}]\n")
    };
    let arena = Arena::new(&format!(
        "ruleset = \"quantum-8-4p\"\nformat = \"group\"\ntime = \"20s\"\nconcurrency = 2\n{EXAMPLE}\
         [[player]]\nname = \"random\"\nbuiltin = \"random\"\n{}{}",
        leaver("first", 1),
        leaver("other", 1)
    ));
    let output = arena.run(&[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    let games = games_of_groups(&arena);
    assert_eq!(games.len(), 4);
    for record in games {
        let mut out: Vec<&str> = record.outs.iter().map(|out| record.players[out.seat].as_str()).collect();
        out.sort_unstable();
        assert_eq!(out, ["first", "other"], "{record}");
        assert!(record.result.is_ok(), "{record}");
    }
}
