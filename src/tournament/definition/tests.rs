//! Tests which changes make a different run, and how the differences are described.

mod clocks;
mod extending;

use proptest::prelude::*;

use super::*;
use crate::referee::record::LoggedGame;
use crate::tournament::schedule::Schedule;

/// A key or table of the file, another value that makes different games, and the description of the change.
type Edit = (&'static str, &'static str, &'static str);

const PLAYERS: &str = r#"
    [[player]]
    name = "alice"
    command = ["./alice", "{side}"]
    dir = "alice"
    build = ["make"]
    env = { LEVEL = "3" }
    transport = "stdio"
    openings = true

    [[player]]
    name = "bob"
    builtin = "alphabeta"
    depth = 3
    seed = 8

    [[player]]
    name = "carol"
    remote = true
    token = "a word of hers"
    openings = true
"#;

/// Changes to keys at the top of the file that work with any format.
const GAMES: [Edit; 7] = [
    ("seed = 1", "seed = 2", "`seed` was `1` and is now `2`"),
    ("black_time = \"60s\"", "black_time = \"61s\"", "`black_time` was `1m` and is now `1m 1s`"),
    ("white_time = \"50s\"", "white_time = \"49s\"", "`white_time` was `50s` and is now `49s`"),
    ("illegal_tries = 3", "illegal_tries = \"unlimited\"", "`illegal_tries` was `3` and is now `unlimited`"),
    ("garbled_tries = 10", "garbled_tries = 9", "`garbled_tries` was `10` and is now `9`"),
    ("plies = 2", "plies = 3", "`openings.plies` was `2` and is now `3`"),
    ("game_limit = \"9m\"", "game_limit = \"8m\"", "`game_limit` was `9m` and is now `8m`"),
];

const OF_PLAYERS: [Edit; 8] = [
    (
        "\"{side}\"]",
        "\"{side}\", \"-v\"]",
        "player `alice`: `command` was `\"./alice\" \"{side}\"` and is now `\"./alice\" \"{side}\" \"-v\"`",
    ),
    ("dir = \"alice\"", "dir = \"alice2\"", "player `alice`: `dir` was `alice` and is now `alice2`"),
    ("[\"make\"]", "[\"make\", \"all\"]", "player `alice`: `build` was `\"make\"` and is now `\"make\" \"all\"`"),
    ("LEVEL = \"3\"", "LEVEL = \"4\"", "player `alice`: `env` has changed"),
    ("transport = \"stdio\"", "transport = \"tcp\"", "player `alice`: `transport` was `stdio` and is now `tcp`"),
    ("depth = 3", "depth = 4", "player `bob`: `depth` was `3` and is now `4`"),
    ("depth = 3", "", "player `bob`: `depth` was `3` and is now not set"),
    ("seed = 8", "seed = 9", "player `bob`: `seed` was `8` and is now `9`"),
];

/// For each format, its keys with values other than their defaults, and changes to them.
const FORMATS: [(&str, &[Edit]); 4] = [
    ("format = \"round-robin\"\nrounds = 5\n", &[("rounds = 5", "rounds = 6", "`rounds` was `5` and is now `6`")]),
    (
        "format = \"swiss\"\nrounds = 2\ngames = 2\n",
        &[
            ("rounds = 2", "rounds = 1", "`rounds` was `2` and is now `1`"),
            ("games = 2", "games = 1", "`games` was `2` and is now `1`"),
        ],
    ),
    ("format = \"knockout\"\npairs = 2\n", &[("pairs = 2", "pairs = 3", "`pairs` was `2` and is now `3`")]),
    (
        "format = \"sprt\"\nelo0 = 0\nelo1 = 10\nalpha = 0.05\nbeta = 0.05\nmax_pairs = 100\n",
        &[
            ("elo0 = 0", "elo0 = 1", "`elo0` was `0` and is now `1`"),
            ("elo1 = 10", "elo1 = 12.5", "`elo1` was `10` and is now `12.5`"),
            ("alpha = 0.05", "alpha = 0.01", "`alpha` was `0.05` and is now `0.01`"),
            ("beta = 0.05", "beta = 0.01", "`beta` was `0.05` and is now `0.01`"),
            ("max_pairs = 100", "max_pairs = 101", "`max_pairs` was `100` and is now `101`"),
        ],
    ),
];

const TOP: &str = "seed = 1\nblack_time = \"60s\"\nwhite_time = \"50s\"\nillegal_tries = 3\ngarbled_tries = 10\n\
                   openings = { plies = 2 }\nlisten = \"127.0.0.1:29088\"\n";

/// A file with these keys of a format. A sequential test has two players.
fn file(format: &str) -> String {
    let players = if format.contains("sprt") {
        PLAYERS.split_once("[[player]]\n    name = \"carol\"").expect("carol is the last").0
    } else {
        PLAYERS
    };
    let top = if players == PLAYERS { TOP.to_owned() } else { TOP.replace("listen = \"127.0.0.1:29088\"\n", "") };
    format!("{format}{top}{players}")
}

fn definition(text: &str) -> Definition {
    let tournament = Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    Definition::from(&tournament)
}

/// The file with one change.
fn edited(text: &str, (old, new, _): Edit) -> String {
    assert_eq!(text.matches(old).count(), 1, "`{old}` in {text}");
    text.replace(old, new)
}

fn said(old: &Definition, new: &Definition) -> Vec<String> {
    old.changes(new).iter().map(ToString::to_string).collect()
}

#[test]
fn each_key_of_the_games_changes_the_digest_and_is_the_one_change_named() {
    let round_robin = file(FORMATS[0].0);
    let unclocked = round_robin.replace("black_time = \"60s\"\nwhite_time = \"50s\"\n", "game_limit = \"9m\"\n");
    let mut cases: Vec<(String, Edit)> = Vec::new();
    for edit in GAMES {
        let text = if edit.0.starts_with("game_limit") { &unclocked } else { &round_robin };
        cases.push((text.clone(), edit));
    }
    cases.extend(OF_PLAYERS.map(|edit| (round_robin.clone(), edit)));
    for (keys, edits) in FORMATS {
        cases.extend(edits.iter().map(|&edit| (file(keys), edit)));
    }
    for (text, edit) in cases {
        // A player's `seed = 8` is not the `seed = 1` at the top, so each piece of text to be replaced occurs only once
        // in the file.
        let (old, new) = (definition(&text), definition(&edited(&text, edit)));
        assert_ne!(old.digest(), new.digest(), "{edit:?}");
        assert_eq!(said(&old, &new), [edit.2], "{edit:?}");
    }
}

#[test]
fn another_format_is_named_with_its_keys() {
    let (old, new) = (definition(&file(FORMATS[0].0)), definition(&file(FORMATS[2].0)));
    assert_eq!(
        said(&old, &new),
        [
            "`format` was `round-robin` and is now `knockout`",
            "`rounds` was `5` and is now not set",
            "`pairs` was not set and is now `2`",
        ]
    );
}

#[test]
fn players_that_come_go_or_change_places_are_named() {
    let three = definition(&file(FORMATS[0].0));
    let mut two = three.clone();
    two.players.pop();
    two.frame.slugs.pop();
    assert_eq!(said(&three, &two), ["player `carol` is missing"]);
    assert_eq!(said(&two, &three), ["player `carol` is new"]);
    let mut swapped = three.clone();
    swapped.players.swap(0, 1);
    swapped.frame.slugs.swap(0, 1);
    assert_eq!(said(&three, &swapped), ["the players are in a different order"]);
    assert_ne!(three.digest(), swapped.digest());
    let between = |one: &Definition, other: &Definition| -> Vec<String> {
        one.changes(other).iter().map(Change::side_by_side).collect()
    };
    assert_eq!(between(&three, &two), ["only the first has player `carol`"]);
    assert_eq!(between(&two, &three), ["only the second has player `carol`"]);
    assert_eq!(between(&three, &swapped), ["the players are in different orders"]);
    let faster = definition(&file(FORMATS[0].0).replace("black_time = \"60s\"", "black_time = \"61s\""));
    assert_eq!(between(&three, &faster), ["`black_time` is `1m` in the first and `1m 1s` in the second"]);
    assert_eq!(said(&three, &three), [""; 0]);
}

#[test]
fn a_definition_is_read_back_as_it_was() {
    for (keys, _) in FORMATS {
        let definition = definition(&file(keys));
        let text = serde_json::to_string(&definition).expect("plain data");
        let back: Definition = serde_json::from_str(&text).expect("its own text");
        assert_eq!(back, definition);
        assert_eq!(back.digest(), definition.digest());
    }
}

#[test]
fn a_run_with_other_balanced_openings_is_another_run() {
    let plain = definition(&file(FORMATS[0].0));
    let drawn_from = |digest: &str| {
        let mut definition = plain.clone();
        definition.frame.balanced = Some(digest.repeat(64));
        definition
    };
    let (old, new) = (drawn_from("a"), drawn_from("b"));
    assert_eq!(said(&plain, &old), ["`openings.balanced` was not set and is now `true, of aaaaaaaaaaaa`"]);
    assert_eq!(
        said(&old, &new),
        ["`openings.balanced` was `true, of aaaaaaaaaaaa` and is now `true, of bbbbbbbbbbbb`"]
    );
    assert!(old.digest() != new.digest() && !old.is_extended_by(&new) && old.is_extended_by(&old));
    // A definition from before this option existed can still be read, and is written back unchanged.
    let written = serde_json::to_string(&plain).expect("plain data");
    assert!(!written.contains("balanced"), "{written}");
    let back: Definition =
        serde_json::from_str(&serde_json::to_string(&old).expect("plain data")).expect("its own text");
    assert_eq!(back, old);
}

#[test]
fn secrets_are_not_written_down() {
    let text = file(FORMATS[0].0).replace("LEVEL = \"3\"", "KEY = \"hidden\"");
    let written = serde_json::to_string(&definition(&text)).expect("plain data");
    assert!(!written.contains("a word of hers") && !written.contains("hidden"), "{written}");
}

#[test]
fn hosts_that_are_added_after_a_no_show_leave_the_player_as_it_was() {
    let without = file(FORMATS[0].0).replace("transport = \"stdio\"", "");
    let with = file(FORMATS[0].0).replace("transport = \"stdio\"", "hosts = [\"barton.example.edu\"]");
    assert_eq!(definition(&without).digest(), definition(&with).digest());
}

/// Different ways to run the same games, each specified by a line at the top of the file.
const ELSEWHERE: [&str; 18] = [
    "# A comment.",
    "name = \"another\"",
    "concurrency = 7",
    "hello_timeout = \"3s\"",
    "join_timeout = \"3s\"",
    "build_timeout = \"3s\"",
    "quit_timeout = \"3s\"",
    "output_cap = 1000",
    "endings = \"compatible\"",
    "void_retries = 9",
    "isolation = \"off\"",
    "affinity = false",
    "memory = \"1 GiB\"",
    "processes = 9",
    "cpu = \"9s\"",
    "scratch = \"9 MiB\"",
    "output = \"9 MiB\"",
    "pass_env = [\"MODEL_PATH\"]",
];

proptest! {
    #[test]
    fn how_and_where_games_are_run_changes_nothing(
        which in proptest::sample::subsequence(ELSEWHERE.to_vec(), 0..=ELSEWHERE.len()),
        port in 1024_u16..60_000, token in "[a-z]{8,12}", seed: u32, format in 0_usize..3,
    ) {
        let one = file(FORMATS[format].0).replace("seed = 1\n", &format!("seed = {seed}\n"));
        let other = format!("{}\n{one}", which.join("\n"))
            .replace("127.0.0.1:29088", &format!("127.0.0.1:{port}"))
            .replace("a word of hers", &token);
        prop_assert_eq!(definition(&one).digest(), definition(&other).digest());
        prop_assert_eq!(said(&definition(&one), &definition(&other)), [""; 0]);
    }

    /// The journal stores the definition as JSON. Lost digits would change the tournament.
    #[test]
    fn a_definition_survives_its_text(elo0 in -900.0..0.0_f64, elo1 in 1.0..900.0_f64) {
        let players = ["a", "b"].map(|name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"greedy\"\n")).concat();
        let file = format!("format = \"sprt\"\nelo0 = {elo0}\nelo1 = {elo1}\n{players}");
        let tournament = Tournament::parse(&file, "test").expect("a tournament");
        let definition = Definition::from(&tournament);
        let text = serde_json::to_string(&definition).expect("plain data");
        let again: Definition = serde_json::from_str(&text).expect("what was written");
        prop_assert_eq!(definition.changes(&again), []);
        prop_assert_eq!(again, definition);
    }
}

/// A file with a group of `players` players.
fn group(keys: &str, players: usize) -> String {
    let players = (0..players).map(|player| format!("[[player]]\nname = \"p{player}\"\ncommand = [\"./p\"]\n"));
    format!("ruleset = \"quantum-4p\"\nformat = \"group\"\n{keys}\n{}", players.collect::<String>())
}

#[test]
fn tables_and_what_players_get_are_part_of_a_run() {
    let of = |keys: &str| definition(&group(keys, 8));
    for (old, new, expected) in [
        ("tables = 3", "tables = 4", "`tables` was `3` and is now `4`"),
        ("tables = 3", "tables = \"all\"", "`tables` was `3` and is now `all`"),
        (
            "rules.handicap = { player = \"p1\", stones = 4 }",
            "rules.handicap = { player = \"p2\", stones = 4 }",
            "`rules.handicap` was `p1: 4 stones` and is now `p2: 4 stones`",
        ),
        (
            "rules.compensation = { player = \"p1\", points = 6.5 }",
            "",
            "`rules.compensation` was `p1: 13/2 points` and is now not set",
        ),
    ] {
        let (old, new) = (of(old), of(new));
        assert_ne!(old.digest(), new.digest());
        assert_eq!(said(&old, &new), [expected]);
        assert!(!old.is_extended_by(&new) && !new.is_extended_by(&old));
    }
    let text =
        serde_json::to_string(&of("rules.compensation = { player = \"p1\", points = 6.5 }")).expect("plain data");
    assert_eq!(
        serde_json::from_str::<Definition>(&text).expect("what was written"),
        of("rules.compensation = { player = \"p1\", points = 6.5 }")
    );
}

/// If a log lacked the tag `Odds`, its game would be rated.
#[test]
fn a_log_must_tell_what_its_players_get() {
    let text = "ruleset = \"go-9\"\nrules.handicap = { player = \"bo\", stones = 4 }\n[[player]]\nname = \"ada\"\n\
                builtin = \"random\"\n[[player]]\nname = \"bo\"\nbuiltin = \"random\"\n";
    let tournament = Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems}"));
    let belonging = Belonging::new(&Definition::from(&tournament)).expect("consistent");
    let spec = Schedule::new(&tournament).games().next().expect("a game");
    let [black, white] =
        [0, 1].map(|seat| tournament.players[*spec.players.values().nth(seat).expect("two")].name.as_str());
    let ruleset = tournament.advantages.rules(tournament.ruleset, &spec.players);
    let (id, seed) = (&spec.id, spec.seed);
    let checked = |odds: &str, result: &str, ending: &str| {
        let log = format!(
            "[Round \"1\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"{result}\"]\n[Termination \"{ending}\"]\n\
             [TimeControl \"-\"]\n[Game \"{id}\"]\n[Seed \"{seed}\"]\n[Ruleset \"{ruleset}\"]\n{odds}\n{result}\n"
        );
        belonging.check(
            id.as_str(),
            &LoggedGame::from_bytes(log.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{log}")),
        )
    };
    assert_eq!(checked("[Odds \"bo: handicap 4\"]\n", "0-1", "no show"), Ok(()));
    for odds in ["", "[Odds \"bo: handicap 3\"]\n", "[Odds \"ada: handicap 4\"]\n"] {
        assert_eq!(checked(odds, "0-1", "no show"), Err(Foreign::Value("`Odds`")), "{odds}");
    }
    assert_eq!(checked("", "*", "void"), Ok(()), "a void game is not rated in any case");
}
