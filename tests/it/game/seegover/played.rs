//! Tournaments of Seegover, from the file to the standings.

use std::fs;

use crate::harness::arena::{Arena, remote_bot, text};
use crate::run::resume::cut_to;

/// A player over stdin and stdout that resigns in its first turn, after writing its information about the game to
/// stderr.
const RESIGNS: &str = r#"
import os, sys
print(sys.argv[1], "|", os.environ["GOTHELLO_RULESET"], "|", sys.stdin.readline().strip(), file=sys.stderr, flush=True)
side = os.environ["GOTHELLO_SIDE"]
print("0.9.1 player", side, flush=True)
made = 0
for line in sys.stdin:
    if line[:2] in ("32", "36", "39"):
        break
    made += line.startswith("31")
    to_move = ("black", "white")[made % 2]
    if line[:2] in ("31", "35") and made == int(os.environ["OPENING"]) and to_move == side:
        print(made // 2 + 1, "resign" if side == "black" else "... resign", flush=True)
"#;

/// A tournament with two players that run [`RESIGNS`].
fn resigning(options: &str, plies: u32) -> Arena {
    let player = |name: &str| {
        format!(
            "[[player]]\nname = \"{name}\"\ncommand = [\"python3\", \"resigns.py\", \"{{ruleset}}\"]\n\
             transport = \"stdio\"\nopenings = true\nenv = {{ OPENING = \"{plies}\" }}\n"
        )
    };
    let openings = if plies > 0 { format!("openings = {{ plies = {plies} }}\n") } else { String::new() };
    let toml = format!("ruleset = \"seegover\"\n{options}{openings}{}{}", player("one"), player("other"));
    let arena = Arena::new(&toml);
    fs::write(arena.path().join("resigns.py"), RESIGNS).unwrap();
    arena
}

#[test]
fn programs_learn_the_rules_from_command_environment_and_greeting() {
    for (options, tag) in
        [("", "seegover"), ("rules = { drop = 2, cycle = \"superko\" }\n", "seegover cycle=superko drop=2")]
    {
        let arena = resigning(options, 0);
        let output = arena.run(&[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        arena.assert_logs_hold(&output);
        let said = fs::read_to_string(arena.out().join("games/r1-one-other.black.stderr")).unwrap();
        assert_eq!(said.trim(), format!("{tag} | {tag} | 000 Gothello 0.9.1 {tag} gothello-arena is ready"));
        assert_eq!(arena.record("r1-one-other").ruleset.to_string(), tag);
    }
}

#[test]
fn random_openings_of_up_to_ten_plies_are_drops() {
    for (options, plies, form) in [("", 10, 2), ("rules.drop = 2\n", 9, 5)] {
        let arena = resigning(options, plies);
        let output = arena.run(&[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        arena.assert_logs_hold(&output);
        let records = ["r1-one-other", "r1-other-one"].map(|game| arena.record(game));
        for record in &records {
            assert_eq!((record.opening_plies, record.plies.len()), (plies as usize, plies as usize));
            assert!(record.plies.iter().all(|ply| ply.played.as_str().len() == form), "{record}");
        }
        let opening = |nth: usize| records[nth].plies.iter().map(|ply| ply.played).collect::<Vec<_>>();
        assert_eq!(opening(0), opening(1), "each opening is played with either colour");
    }
}

#[test]
fn a_run_goes_on_by_the_same_rules_and_by_no_others() {
    let arena = resigning("", 0);
    let whole = arena.run(&[]);
    let file = arena.path().join("class.toml");
    let toml = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("rules.drop = 1\n{toml}")).unwrap();
    let again = arena.run(&[]);
    assert_eq!((again.status.code(), text(&again.stdout)), (Some(0), text(&whole.stdout)));
    cut_to(&arena, 2);
    let rest = arena.run(&[]);
    assert_eq!(rest.status.code(), Some(0));
    assert!(text(&rest.stderr).contains("1 of 2 games have been played"), "{}", text(&rest.stderr));
    arena.assert_logs_hold(&rest);
    for (rules, change) in [
        ("rules.drop = 2\n", "`ruleset` was `seegover` and is now `seegover drop=2`"),
        ("rules.cycle = \"superko\"\n", "`ruleset` was `seegover` and is now `seegover cycle=superko`"),
    ] {
        fs::write(&file, format!("{rules}{toml}")).unwrap();
        let refused = arena.run(&[]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(change), "{}", text(&refused.stderr));
    }
    fs::write(&file, toml.replace("ruleset = \"seegover\"", "")).unwrap();
    assert!(text(&arena.run(&[]).stderr).contains("`ruleset` was `seegover` and is now `gothello`"));
}

#[test]
fn check_names_the_rules_and_every_option_that_takes_a_feature_away() {
    let named = resigning("rules.drop = 2\n", 0).output(&["check", "class.toml"]);
    assert!(text(&named.stdout).contains("\nseegover drop=2: 2 players, round-robin"), "{}", text(&named.stdout));
    let arena = resigning("adjudicate = {}\nrules = { cycle = \"superko\" }\n", 0);
    let refused = arena.output(&["check", "class.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(said.contains("class.toml:2:1: `adjudicate`") && said.contains("with `cycle = \"superko\"`"), "{said}");
}
const BUILT_IN: &str = r#"
    ruleset = "seegover"
    rounds = 2
    seed = 1977
    time = "60s"
    [[player]]
    name = "random"
    builtin = "random"
    [[player]]
    name = "greedy"
    builtin = "greedy"
"#;

fn moves(arena: &Arena) -> Vec<(String, String)> {
    arena.results().into_iter().map(|row| (row["game"].clone(), row["moves_sha256"].clone())).collect()
}

#[test]
fn a_seed_reproduces_a_tournament_of_built_in_bots_under_any_options() {
    for options in ["", "drop = 2", "cycle = \"superko\"", "drop = 2, capture = \"single\", back = \"capture\""] {
        let runs = ["1", "2"].map(|concurrency| {
            let arena = Arena::new(&format!("rules = {{ {options} }}\n{BUILT_IN}"));
            let output = arena.run(&["--concurrency", concurrency]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            arena.assert_logs_hold(&output);
            assert!(arena.results().iter().all(|row| row["termination"] == "normal"), "{options}");
            moves(&arena)
        });
        assert_eq!(runs[0].len(), 4);
        assert_eq!(runs[0], runs[1], "{options}");
    }
}

#[test]
fn every_format_plays_seegover() {
    for (keys, games) in [
        ("format = \"gauntlet\"", 2),
        ("format = \"swiss\"", 2),
        ("format = \"knockout\"", 8),
        ("format = \"sprt\"\nmax_pairs = 2", 4),
    ] {
        let toml = BUILT_IN.replace("rounds = 2", "openings = { plies = 2 }");
        let challenger = if keys.contains("gauntlet") { "    challenger = true\n" } else { "" };
        let arena = Arena::new(&format!("{keys}\n{toml}{challenger}"));
        let output = arena.run(&[]);
        assert_eq!(output.status.code(), Some(0), "{keys}: {}", text(&output.stderr));
        arena.assert_logs_hold(&output);
        assert!((2..=games).contains(&arena.results().len()), "{keys}");
    }
}

/// One player of each kind: a built-in bot, a program that connects, a program over stdin and stdout, and a remote
/// player.
const ALL_KINDS: &str = r#"
    ruleset = "seegover"
    rules = { drop = 2 }
    listen = "127.0.0.1:0"
    [[player]]
    name = "random"
    builtin = "random"
    [[player]]
    name = "connects"
    dir = "@examples/seegover/bot"
    command = ["python3", "bot.py", "{side}", "{host}", "{port}", "{ruleset}"]
    [[player]]
    name = "pipes"
    dir = "@examples/seegover/bot"
    command = ["python3", "bot.py", "{side}", "--stdio", "{ruleset}"]
    transport = "stdio"
    [[player]]
    name = "carol"
    remote = true
    token = "a word of hers"
"#;

#[test]
fn players_of_every_kind_finish_a_tournament_whose_logs_hold() {
    let arena = Arena::new(ALL_KINDS);
    let mut running = arena.start(None);
    let address = running.hear_address("waiting for carol");
    for _ in 0..6 {
        let mut bot = remote_bot(&address, "?", Some("carol:a word of hers"));
        assert!(bot.wait().unwrap().success());
    }
    assert_eq!(running.end().0, Some(0));
    let rows = arena.results();
    assert!(rows.len() == 12 && rows.iter().all(|row| row["termination"] == "normal"), "{rows:?}");
    let check = arena.output(&["replay", "--check", "out"]);
    assert!(check.status.success(), "{}", text(&check.stdout));
    assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
}
