//! What makes a run the same run, and what is said where it is another.

use gothello_arena::definition::{Change, Definition};
use gothello_arena::tournament::Tournament;

const FILE: &str = r#"
name = "class"
rounds = 5
seed = 441
time = "60s"
illegal_tries = 3
listen = "127.0.0.1:29088"
[[player]]
name = "program"
dir = "bot"
build = ["make"]
command = ["./bot", "{side}"]
env = { LEVEL = "3" }
[[player]]
name = "deep"
builtin = "alphabeta"
depth = 3
[[player]]
name = "carol"
remote = true
token = "a word"
"#;

fn definition(text: &str) -> Definition {
    Definition::from(&Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems}")))
}

fn changes(before: &str, after: &str) -> Vec<String> {
    definition(before).changes(&definition(after)).iter().map(Change::to_string).collect()
}

#[test]
fn how_and_where_games_are_run_makes_no_difference() {
    for (old, new) in [
        ("name = \"class\"", "# a comment\nname = \"other\""),
        ("seed = 441", "seed = 441\nconcurrency = 7\nhello_timeout = \"1s\"\noutput_cap = 5\nvoid_retries = 9"),
        ("127.0.0.1:29088", "0.0.0.0:1"),
        ("a word", "another"),
        ("seed = 441\ntime = \"60s\"", "black_time = \"1m\"\nwhite_time = \"60s\"\nseed = 441"),
        ("rounds = 5", "format = \"round-robin\"\nrounds = 5"),
    ] {
        let other = FILE.replace(old, new);
        assert_ne!(other, FILE);
        assert_eq!(definition(&other).digest(), definition(FILE).digest(), "{new}");
        assert_eq!(changes(FILE, &other), [""; 0]);
    }
}

#[test]
fn everything_else_does_and_is_named() {
    for (old, new, expected) in [
        ("rounds = 5", "rounds = 6", "`rounds` was `5` and is now `6`"),
        ("seed = 441", "", "`seed` was `441` and is now `0`"),
        ("time = \"60s\"\n", "black_time = \"60s\"\nwhite_time = \"9s\"\n", "`white_time` was `1m` and is now `9s`"),
        ("illegal_tries = 3", "illegal_tries = \"unlimited\"", "`illegal_tries` was `3` and is now `unlimited`"),
        ("rounds = 5", "rounds = 5\nopenings = { plies = 2 }", "`openings.plies` was `0` and is now `2`"),
        ("rounds = 5", "format = \"knockout\"", "`format` was `round-robin` and is now `knockout`"),
        ("depth = 3", "depth = 4", "player `deep`: `depth` was `3` and is now `4`"),
        ("depth = 3", "depth = 3\nseed = 1", "player `deep`: `seed` was not there and is now `1`"),
        ("\"{side}\"", "\"{side}\", \"-v\"", "player `program`: `command` was `\"./bot\" \"{side}\"` and is now"),
        ("LEVEL = \"3\"", "LEVEL = \"4\"", "player `program`: `env` is not what it was"),
        ("build = [\"make\"]\n", "", "player `program`: `build` was `\"make\"` and is now not there"),
        ("\"deep\"", "\"deeper\"", "player `deep` is missing"),
        ("\"deep\"", "\"deeper\"", "player `deeper` is new"),
    ] {
        let understanding = if new.contains("openings") {
            FILE.replace("env = ", "openings = true\nenv = ").replace("token", "openings = true\ntoken")
        } else {
            FILE.to_owned()
        };
        let other = understanding.replace(old, new);
        assert_ne!(definition(&other).digest(), definition(FILE).digest(), "{new}");
        let changes = changes(FILE, &other);
        assert!(changes.iter().any(|change| change.starts_with(expected)), "`{expected}` is not in {changes:?}");
    }
    let [head, rest] = FILE.split_once("[[player]]\nname = \"deep\"").map(|(head, rest)| [head, rest]).expect("there");
    let (deep, carol) = rest.split_once("[[player]]").expect("there");
    let swapped = format!("{head}[[player]]{carol}[[player]]\nname = \"deep\"{deep}");
    assert_eq!(changes(FILE, &swapped), ["the players stand in another order"]);
    assert_ne!(definition(&swapped).digest(), definition(FILE).digest());
}

#[test]
fn secrets_are_not_in_it() {
    let text = serde_json::to_string(&definition(&FILE.replace("LEVEL = \"3\"", "KEY = \"hidden\""))).expect("JSON");
    assert!(!text.contains("a word") && !text.contains("hidden") && !text.contains("29088"), "{text}");
}

#[test]
fn a_tournament_may_grow_in_some_ways() {
    let player = |name: &str, more: &str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n{more}");
    let field = |keys: &str, players: &[String]| definition(&format!("{keys}\n{}", players.concat()));
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| player(name, ""));
    let challenger = player("c", "challenger = true\n");
    let late_challenger = player("d", "challenger = true\n");
    let pair = [a.clone(), b.clone()];
    let three = [a.clone(), b.clone(), c.clone()];
    let gauntlet = [a.clone(), b.clone(), challenger.clone()];
    for (before, after, grows) in [
        (field("rounds = 2", &pair), field("rounds = 3", &pair), true),
        (field("rounds = 2", &pair), field("rounds = 2", &three), true),
        (field("rounds = 2", &pair), field("rounds = 1", &three), false),
        (field("rounds = 2", &three), field("rounds = 2", &pair), false),
        (field("", &pair), field("", &[b.clone(), a.clone(), c.clone()]), false),
        (field("", &pair), field("seed = 1", &pair), false),
        (field("", &pair), field("time = \"9s\"", &pair), false),
        (field("", &pair), field("openings = { plies = 2 }", &pair), false),
        (field("format = \"swiss\"", &three), field("format = \"swiss\"\nrounds = 2", &three), true),
        (field("format = \"swiss\"", &pair), field("format = \"swiss\"", &three), false),
        (field("format = \"knockout\"", &pair), field("format = \"knockout\"\npairs = 2", &pair), false),
        (field("format = \"sprt\"", &pair), field("format = \"sprt\"\nmax_pairs = 20000", &pair), true),
        (field("format = \"sprt\"", &pair), field("format = \"sprt\"\nelo1 = 11", &pair), false),
        (
            field("format = \"gauntlet\"", &gauntlet),
            field("format = \"gauntlet\"\nrounds = 2", &[a.clone(), b.clone(), challenger.clone(), late_challenger]),
            true,
        ),
        (
            field("format = \"gauntlet\"", &gauntlet),
            field("format = \"gauntlet\"", &[a.clone(), player("b", "challenger = true\n"), challenger, d]),
            false,
        ),
    ] {
        assert_eq!(before.is_extended_by(&after), grows, "{before:?} {after:?}");
    }
}
