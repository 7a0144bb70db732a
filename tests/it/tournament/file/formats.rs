//! The keys for formats and openings.

use std::num::NonZeroU32;

use gothello_arena::exact::adjudication::Adjudication;
use gothello_arena::exact::balanced_openings::{PLIES, balanced};
use gothello_arena::game::Side;
use gothello_arena::tournament::schedule::Schedule;
use gothello_arena::tournament::sprt::Sprt;
use gothello_arena::tournament::{Format, Legs};

use super::{TWO, complaints, parse, third};

fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

/// A tournament of the players a, b and c with `keys` at the top level; c is a challenger.
fn three(keys: &str) -> String {
    format!("{keys}\n{}", third("builtin = \"random\"\nchallenger = true"))
}

#[test]
fn every_format_is_read_with_its_keys() {
    let format = |keys: &str| parse(&format!("{keys}{TWO}")).format;
    assert_eq!(format("format = \"round-robin\"\nrounds = 3"), Format::RoundRobin { rounds: number(3) });
    assert_eq!(format("format = \"swiss\""), Format::Swiss { rounds: number(1), legs: Legs::Two });
    assert_eq!(format("format = \"swiss\"\ngames = 1"), Format::Swiss { rounds: number(1), legs: Legs::One });
    assert_eq!(format("format = \"knockout\""), Format::Knockout { pairs: number(1) });
    assert_eq!(format("format = \"knockout\"\npairs = 5"), Format::Knockout { pairs: number(5) });
    let gauntlet = Format::Gauntlet { rounds: number(2), challengers: vec![2] };
    assert_eq!(parse(&three("format = \"gauntlet\"\nrounds = 2")).format, gauntlet);

    let test = Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap();
    assert_eq!(format("format = \"sprt\""), Format::Sprt { test, max_pairs: number(10_000) });
    let keys = "format = \"sprt\"\nelo0 = -5\nelo1 = 2.5\nalpha = 0.01\nbeta = 1e-1\nmax_pairs = 70";
    let test = Sprt::new(-5.0, 2.5, 0.01, 0.1).unwrap();
    assert_eq!(format(keys), Format::Sprt { test, max_pairs: number(70) });
    // A digest of the format may depend on these words.
    assert_eq!(format(keys).to_string(), "sprt, elo0 -5, elo1 2.5, alpha 0.01, beta 0.1, at most 70 pairs");
    assert_eq!(gauntlet.to_string(), "gauntlet of player 3, 2 rounds");
}

#[test]
fn a_key_of_another_format_is_reported_as_such() {
    assert_eq!(
        complaints(&format!("format = \"knockout\"\nrounds = 3\npairs = 2\nelo0 = 1{TWO}")),
        [
            "t.toml:2:1: `rounds` is for `format = \"round-robin\"` or `format = \"gauntlet\"` or `format = \"swiss\"` \
             or `format = \"group\"`, but this tournament has `format = \"knockout\"`",
            "t.toml:4:1: `elo0` is for `format = \"sprt\"`, but this tournament has `format = \"knockout\"`",
        ]
    );
    assert_eq!(
        complaints(&three("games = 2")),
        [
            "t.toml:1:1: `games` is for `format = \"swiss\"`, but this tournament has `format = \"round-robin\"`",
            "t.toml:12:1: `challenger` is for `format = \"gauntlet\"`, but this tournament has \
             `format = \"round-robin\"`",
        ]
    );
}

#[test]
fn an_unknown_format_is_reported_once() {
    assert_eq!(
        complaints(&format!("format = \"roundrobin\"\npairs = 3{TWO}")),
        ["t.toml:1:10: `format`: unknown value `roundrobin`: did you mean `round-robin`?"]
    );
    assert_eq!(complaints(&format!("pair = 3{TWO}")), ["t.toml:1:1: unknown key `pair`: did you mean `pairs`?"]);
}

#[test]
fn a_gauntlet_needs_players_on_both_sides() {
    assert_eq!(
        complaints(&format!("format = \"gauntlet\"{TWO}")),
        [
            "t.toml:1:1: a gauntlet needs a challenger (write `challenger = true` under each player that should meet the \
             others)"
        ]
    );
    let all = TWO.replace("[[player]]", "[[player]]\nchallenger = true");
    assert_eq!(
        complaints(&format!("format = \"gauntlet\"{all}")),
        ["t.toml:3:1: a gauntlet needs a player for the challengers to meet, but every player here is a challenger"]
    );
    let unmarked = three("format = \"gauntlet\"").replace("= true", "= 1");
    assert!(
        complaints(&unmarked)[1]
            .ends_with("`challenger`: expected `true` or `false`, without quotes, found a whole number")
    );
}

#[test]
fn a_swiss_tournament_has_no_more_rounds_than_opponents() {
    let swiss = |rounds: u32| {
        complaints(&three(&format!("format = \"swiss\"\nrounds = {rounds}")).replace("challenger = true", ""))
    };
    assert_eq!(swiss(3), [""; 0]);
    assert_eq!(
        swiss(4),
        ["t.toml:2:1: `rounds`: 4 rounds are more than 3 players can play without rematches (at most 3)"]
    );
    assert_eq!(complaints(&format!("format = \"swiss\"\nrounds = 2{TWO}")).len(), 1);
    assert_eq!(
        complaints(&format!("format = \"swiss\"\ngames = 3{TWO}")),
        ["t.toml:2:9: `games`: `3` is out of range (1 to 2)"]
    );
}

#[test]
fn a_sequential_test_needs_two_players_and_a_sensible_question() {
    let test = |keys: &str| complaints(&format!("format = \"sprt\"\n{keys}{TWO}"));
    assert_eq!(test("elo0 = 20"), ["t.toml:2:1: `elo0` must be less than `elo1`, but `elo0` is 20 and `elo1` is 10"]);
    assert_eq!(
        test("elo0 = 3\nelo1 = 3.0"),
        ["t.toml:3:1: `elo0` must be less than `elo1`, but `elo0` is 3 and `elo1` is 3"]
    );
    assert_eq!(test("alpha = 0.5"), ["t.toml:2:9: `alpha`: `0.5` is out of range (0.000001 to 0.49)"]);
    assert_eq!(test("beta = nan"), ["t.toml:2:8: `beta`: `nan` is out of range (0.000001 to 0.49)"]);
    assert_eq!(test("elo1 = inf"), ["t.toml:2:8: `elo1`: `inf` is out of range (-2000 to 2000)"]);
    assert_eq!(test("elo1 = \"5\""), ["t.toml:2:8: `elo1`: expected a number, without quotes, found a string"]);
    assert_eq!(
        complaints(&format!("format = \"sprt\"\n{}", third("builtin = \"random\""))),
        ["t.toml:1:1: `format = \"sprt\"` is a test between two players, but this tournament has 3"]
    );
}

#[test]
fn adjudication_is_read() {
    let adjudicate = |value: &str| parse(&format!("adjudicate = {value}{TWO}")).adjudicate;
    assert_eq!(parse(TWO).adjudicate, None);
    assert_eq!(adjudicate("{}"), Adjudication::new(200_000, 22));
    assert_eq!(adjudicate("{ nodes = 1000 }"), Adjudication::new(1_000, 22));
    assert_eq!(adjudicate("{ nodes = 10_000_000, after_ply = 0 }"), Adjudication::new(10_000_000, 0));
    let complaints = |value: &str| complaints(&format!("adjudicate = {value}{TWO}"));
    assert_eq!(complaints("{ nodes = 999 }"), ["t.toml:1:24: `nodes`: `999` is out of range (1000 to 10000000)"]);
    assert_eq!(complaints("{ after_ply = 50 }"), ["t.toml:1:28: `after_ply`: `50` is out of range (0 to 49)"]);
    assert_eq!(complaints("{ node = 5000 }"), ["t.toml:1:16: unknown key `node`: did you mean `nodes`?"]);
    let expected = "expected a table such as { nodes = 200000, after_ply = 22 }, found a boolean";
    assert_eq!(complaints("true"), [format!("t.toml:1:14: `adjudicate`: {expected}")]);
}

#[test]
fn openings_are_read() {
    assert_eq!(parse(&format!("openings = {{ plies = 10 }}{TWO}")).opening_plies, 10);
    let openings = |value: &str| complaints(&format!("openings = {value}{TWO}"));
    assert_eq!(openings("{ plies = 11 }"), ["t.toml:1:22: `plies`: `11` is out of range (1 to 10)"]);
    assert_eq!(
        openings("2"),
        ["t.toml:1:12: `openings`: expected a table such as { plies = 2 }, found a whole number"]
    );
    assert_eq!(openings("{}"), ["t.toml:1:12: `openings` has no `plies` (write `openings = { plies = 2 }`)"]);
    assert_eq!(openings("{ plies = 2, ply = 1 }"), ["t.toml:1:25: unknown key `ply` (known: plies, balanced)"]);
}

#[test]
fn balanced_openings_are_those_nearest_to_a_draw() {
    for plies in PLIES {
        let file = format!("rounds = 40\nopenings = {{ plies = {plies}, balanced = true }}{TWO}");
        let chosen = balanced(plies).expect("a length");
        let tournament = parse(&file);
        assert!(tournament.balanced);
        let games: Vec<_> = Schedule::new(&tournament).games().collect();
        assert!(games.len() == 80 && games.iter().all(|game| chosen.openings().contains(&game.opening)));
        assert!(games.chunks(2).all(|pair| pair[0].opening == pair[1].opening));
    }
    let openings = |value: &str| complaints(&format!("openings = {value}{TWO}"));
    let many = "`balanced`: there are too many openings of 5 plies to compare (choose `plies` from 1 to 4, or leave `balanced` \
                out)";
    assert_eq!(openings("{ plies = 5, balanced = true }"), [format!("t.toml:1:25: {many}")]);
    assert!(!parse(&format!("openings = {{ plies = 5, balanced = false }}{TWO}")).balanced);
    let wrong = openings("{ plies = 2, balanced = 1 }");
    assert!(wrong.len() == 1 && wrong[0].starts_with("t.toml:1:36: `balanced`: expected"), "{wrong:?}");
    assert_eq!(
        openings("{ plies = 2, ballanced = true }"),
        ["t.toml:1:25: unknown key `ballanced`: did you mean `balanced`?"]
    );
}

#[test]
fn a_player_that_does_not_understand_openings_is_named() {
    let with = |keys: &str| complaints(&format!("openings = {{ plies = 2 }}\n{}", third(keys)));
    let unsaid = "player `c` does not understand openings (if it can follow moves sent right after the line that announces its side, \
                  write `openings = true` under it; otherwise, leave out `openings` at the top of the file)";
    assert_eq!(with("command = [\"bot\"]"), [format!("t.toml:10:1: {unsaid}")]);
    assert_eq!(with("command = [\"bot\"]\nopenings = false"), [format!("t.toml:12:1: {unsaid}")]);
    assert_eq!(with("remote = true\nlisten = \"127.0.0.1:0\""), [format!("t.toml:10:1: {unsaid}")]);
    assert_eq!(with("remote = true\nlisten = \"127.0.0.1:0\"\nopenings = true"), [""; 0]);
    assert_eq!(with("builtin = \"random\""), [""; 0]);
    assert_eq!(
        with("builtin = \"random\"\nopenings = false"),
        ["t.toml:12:1: `openings`: built-in bots understand openings (leave the key out)"]
    );
    // Without openings in the tournament, it does not matter whether a player understands openings.
    assert_eq!(complaints(&third("command = [\"bot\"]\nopenings = true")), [""; 0]);
    assert_eq!(complaints(&third("command = [\"bot\"]\nopenings = false")), [""; 0]);
}

#[test]
fn a_player_with_one_side_needs_a_format_for_it_and_an_opponent() {
    let sides = |keys: &str, one: &str, other: &str| {
        format!(
            "{keys}[[player]]\nname = \"a\"\nbuiltin = \"random\"\nsides = {one}\n\
             [[player]]\nname = \"b\"\nbuiltin = \"greedy\"\nsides = {other}\ntell_clock = false\n"
        )
    };
    let read = parse(&sides("rounds = 3\n", "[\"black\"]", "[\"white\", \"black\"]"));
    let only: Vec<Option<Side>> = read.players.iter().map(|player| player.only_side).collect();
    assert_eq!(only, [Some(Side::Black), None]);
    assert_eq!(read.players.iter().map(|player| player.is_told_clock).collect::<Vec<_>>(), [true, false]);
    assert_eq!(Schedule::new(&read).len(), Some(6));
    assert!(Schedule::new(&read).games().all(|game| game.pair().black == 0));
    for format in ["swiss", "knockout", "sprt"] {
        let complaint =
            complaints(&sides(&format!("format = \"{format}\"\n"), "[\"white\"]", "[\"white\", \"black\"]"));
        assert_eq!(complaint.len(), 1);
        let expected = format!(
            "t.toml:5:1: `sides`: a tournament with `format = \"{format}\"` gives every player both colours, but player `a` plays \
             only one (leave the key out, or choose `format = \"round-robin\"` or `\"gauntlet\"`)"
        );
        assert_eq!(complaint[0], expected);
    }
    let complaint = complaints(&sides("", "[\"white\"]", "[\"white\"]"));
    assert!(
        complaint[0]
            .starts_with("t.toml:4:1: `sides`: no game could be played, because every player would have to be white"),
        "{complaint:?}"
    );
    for (value, part) in [
        ("\"white\"", "an array of sides"),
        ("[]", "an array of sides"),
        ("[\"red\"]", "an array of sides"),
        ("[\"white\", \"white\"]", "`sides`: \"white\" is listed twice"),
    ] {
        let complaint = complaints(&sides("", value, "[\"white\", \"black\"]"));
        assert!(complaint.len() == 1 && complaint[0].contains(part), "{complaint:?}");
    }
}
