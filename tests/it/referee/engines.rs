//! Engines that speak the Go Text Protocol: the commands that they receive, how their games end, and how their failures
//! are judged. `referee/gtp` contains the tests of single answers.

use std::fs;
use std::path::Path;

use gothello_arena::referee::result::Termination;
use gothello_arena::tournament::Tournament;

use crate::harness::arena::{Arena, text};
use crate::harness::skipping::{Need, skipped};

/// The table of the player `name`, whose engine is `gtp_engine.py` with `arguments`.
fn engine(name: &str, arguments: &str) -> String {
    let words: Vec<String> = arguments.split(' ').map(|word| format!("\"{word}\"")).collect();
    format!(
        "[[player]]\nname = \"{name}\"\ntransport = \"gtp\"\ndir = \"@bots\"\n\
         command = [\"python3\", \"gtp_engine.py\", {}]\n",
        words.join(", ")
    )
}

/// Whether the engine at `path` is installed. If not, reports that the test is skipped.
fn is_installed(path: &str) -> bool {
    let found = Path::new(path).exists();
    if !found {
        skipped(Need::Engines, format_args!("`{path}` is not installed"));
    }
    found
}

#[test]
fn two_engines_are_told_of_the_game_and_play_it_to_its_end() {
    let arena = Arena::new(&format!(
        "ruleset = \"go-9\"\nrules = {{ handicap = {{ seat = \"black\", stones = 2 }}, compensation = [0, 0.5] }}\n\
         time = \"50s\"\nisolation = \"auto\"\n{}{}",
        engine("one", "plays E5 F5 pass"),
        engine("two", "plays e4 PASS")
    ));
    let output = arena.run(&["--strict"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    let record = arena.record("r1-one-two");
    let played: Vec<&str> = record.plies.iter().map(|ply| ply.played.as_str()).collect();
    assert_eq!(played, ["e5", "e4", "f5", "pass", "pass"]);
    let result = record.result.expect("a result");
    assert_eq!((result.termination(), result.margin()), (Termination::Normal, Some(3)));
    // An engine's stderr is kept, as for every other bot.
    let heard = |side: &str| {
        let stderr = fs::read_to_string(arena.out().join("games").join(format!("r1-one-two.{side}.stderr")));
        let stderr = stderr.expect("kept");
        // The remaining time depends on the machine, so it is cut off.
        let words = stderr.lines().map(|line| line.split(" 49 ").next().unwrap_or_default().to_owned());
        words.collect::<Vec<String>>()
    };
    let set_up =
        ["list_commands", "boardsize 9", "clear_board", "set_free_handicap C3 G7", "komi 0.5", "time_settings 50 0 0"];
    let games = [
        (
            "black",
            &[
                "time_left black 50 0",
                "genmove black",
                "play white E4",
                "time_left black",
                "genmove black",
                "play white pass",
                "time_left black",
                "genmove black",
                "quit",
            ][..],
        ),
        (
            "white",
            &[
                "play black E5",
                "time_left white 50 0",
                "genmove white",
                "play black F5",
                "time_left white",
                "genmove white",
                "quit",
            ],
        ),
    ];
    for (side, game) in games {
        assert_eq!(heard(side), [&set_up[..], game].concat(), "{side}");
    }
}

/// How an engine's failures are judged: the engine's mode, the termination, and part of the reason.
const FAILURES: [(&str, &str, &str); 14] = [
    ("plays resign", "resignation", ""),
    ("illegal", "illegal", "illegal move 1 of the game: a1: the stone turns nothing over"),
    ("garbage", "protocol", "the answer to `genmove` must be one word"),
    ("error", "protocol", "was answered with an error: `?"),
    ("other_id", "protocol", "was answered with a different id"),
    ("refuses", "protocol", "was answered with an error: `?"),
    ("flood", "protocol", "is not an answer (answers begin with `=` or `?`): `thinking`"),
    ("endless", "time", "used more than 1s"),
    ("crash", "crash", "exited with code 3"),
    ("leave", "disconnect", ""),
    ("banner", "protocol", "it said `Welcome to this engine`, which is not an answer"),
    ("size", "protocol", "`boardsize 8` was answered with an error: `?2 unacceptable size`"),
    ("deaf", "no show", "no answer to `clear_board` by its deadline (key `hello_timeout`)"),
    ("early", "no show", "exited with code 4 before it was ready for the game"),
];

#[test]
fn the_failures_of_engines_are_judged_like_those_of_other_bots() {
    const SETTINGS: &str = "ruleset = \"othello\"\nformat = \"gauntlet\"\nillegal_tries = 0\ngarbled_tries = 0\nconcurrency = 2\n\
                            isolation = \"auto\"\n";
    const OTHER: &str = "[[player]]\nname = \"other\"\nbuiltin = \"random\"\nchallenger = true\n";
    // An engine can meet these timeouts even on a busy machine, except for the two engines that never answer.
    let keys = |mode: &str| match mode {
        "deaf" => "time = \"60s\"\nhello_timeout = \"1s\"\n",
        "endless" => "time = \"1s\"\nhello_timeout = \"30s\"\n",
        _ => "time = \"60s\"\nhello_timeout = \"30s\"\n",
    };
    let name = |mode: &'static str| mode.rsplit(' ').next().unwrap_or_default();
    let mut seen = 0;
    for group in [keys(""), keys("deaf"), keys("endless")] {
        let modes = FAILURES.into_iter().filter(|(mode, ..)| keys(mode) == group);
        let engines: String = modes.map(|(mode, ..)| engine(name(mode), mode)).collect();
        let arena = Arena::new(&format!("{SETTINGS}{group}{OTHER}{engines}"));
        let output = arena.run(&[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        arena.assert_logs_hold(&output);
        for row in arena.results() {
            let (bad, winner) = if row["black"] == "other" { ("white", "black") } else { ("black", "white") };
            let (mode, termination, reason) =
                FAILURES.into_iter().find(|(mode, ..)| name(mode) == row[bad]).expect("a mode");
            let record = arena.record(&row["game"]);
            let found = record.result.as_ref().ok().and_then(|result| result.reason()).unwrap_or_default();
            let judged = (row["termination"].as_str(), row["winner"].as_str());
            assert_eq!(judged, (termination, winner), "{mode}: {found}");
            assert!(found.contains(reason), "{mode}: {found}");
            seen += 1;
        }
    }
    assert_eq!(seen, 2 * FAILURES.len());
}

#[test]
fn a_game_without_a_form_in_the_protocol_is_an_error_of_the_file() {
    let form = "the Go Text Protocol cannot express the rule set";
    for (rules, expected) in [
        ("", format!("{form} `gothello`")),
        ("ruleset = \"seegover\"", format!("{form} `seegover`")),
        ("ruleset = \"quantum\"", format!("{form} `quantum`")),
        ("ruleset = \"othello\"\nrules = { start = \"open\" }", "cannot express `start=open`".to_owned()),
    ] {
        let toml = format!("{rules}\n{}{}", engine("one", "plays pass"), engine("two", "plays pass"));
        let problems = Tournament::parse(&toml, "test").expect_err("no form");
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let first = rules.lines().count().max(1);
        assert_eq!(problems.len(), 2, "{problems:?}");
        for (problem, line) in problems.iter().zip([first + 3, first + 8]) {
            assert!(problem.starts_with(&format!("{line}:1: `transport`: ")), "{problem}");
            assert!(problem.contains(&expected), "{problem}");
        }
    }
}

#[test]
fn the_check_of_bots_says_that_it_tries_no_engine() {
    let arena = Arena::new(&format!("ruleset = \"go-9\"\n{}{}", engine("one", "plays pass"), engine("two", "deaf")));
    let output = arena.output(&["check", "class.toml", "--bots"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("engines that speak the Go Text Protocol"), "{}", text(&output.stderr));
    let output = arena.output(&["check", "class.toml"]);
    assert!(text(&output.stdout).contains("gtp_engine.py plays pass over GTP"), "{}", text(&output.stdout));
}

#[test]
fn gnu_go_plays_go() {
    const GNU_GO: &str = "/usr/games/gnugo";
    if !is_installed(GNU_GO) {
        return;
    }
    let arena = Arena::new(&format!(
        "ruleset = \"go-9\"\ntime = \"120s\"\nisolation = \"auto\"\n[[player]]\nname = \"GNU Go\"\ntransport = \"gtp\"\n\
         command = [\"{GNU_GO}\", \"--mode\", \"gtp\", \"--level\", \"1\", \"--positional-superko\", \"--chinese-rules\"]\n{}",
        engine("other", "plays E5 pass resign")
    ));
    let output = arena.run(&["--strict"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    let rows = arena.results();
    assert!(rows.iter().all(|row| row["termination"] == "resignation"), "{rows:?}");
    let record = arena.record("r1-other-gnu_go");
    assert_eq!(record.plies.len(), 4);
    assert!(record.plies.iter().all(|ply| ply.tries.is_empty()));
}

#[test]
fn rhino_plays_othello_and_its_board_agrees_with_the_arena_s() {
    const RHINO: &str = "/usr/games/gtp-rhino";
    if !is_installed(RHINO) {
        return;
    }
    let arena = Arena::new(&format!(
        "ruleset = \"othello\"\nrounds = 4\ntime = \"60s\"\nisolation = \"auto\"\nillegal_tries = 0\ngarbled_tries = 0\n\
         [[player]]\nname = \"Rhino\"\ntransport = \"gtp\"\ncommand = [\"{RHINO}\", \"--level=1\"]\n\
         [[player]]\nname = \"other\"\nbuiltin = \"random\"\n"
    ));
    let output = arena.run(&["--strict"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    let rows = arena.results();
    assert!(rows.len() == 8 && rows.iter().all(|row| row["termination"] == "normal"), "{rows:?}");
}
