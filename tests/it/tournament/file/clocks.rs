//! The keys for the clocks of games.

use gothello_arena::game::Side;
use gothello_arena::tournament::Tournament;

use super::{TWO, complaints};

#[test]
fn every_time_control_can_be_written() {
    let control = |top: &str| {
        let tournament =
            Tournament::parse(&format!("{top}{TWO}"), "t").unwrap_or_else(|problems| panic!("{problems:?}"));
        let wall_limit = tournament.meter.wall_limit(Side::Black);
        (tournament.time_control.to_string(), wall_limit.map(|limit| limit.as_secs()))
    };
    for (top, expected, wall_limit) in [
        ("time = \"60s\"", "60", 600),
        ("time = \"60s + 600ms\"", "60+0.6", 894),
        ("time = \"10m, 5 x 30s\"", "600:5x30", 22_200),
        ("move_time = \"1s\"", "1/move", 500),
        ("move_time = \"1s\"\nbank = \"1m\"", "1/move+60bank", 1_100),
        (
            "black_time = \"60s + 1s\"\nwhite_move_time = \"1s\"\nwhite_bank = \"5s\"",
            "black 60+1 white 1/move+5bank",
            1_090,
        ),
        ("black_move_time = \"2s\"\nwhite_move_time = \"1s\"", "black 2/move white 1/move", 1_000),
    ] {
        assert_eq!(control(top), (expected.to_owned(), None));
        assert_eq!(control(&format!("clock = \"cpu\"\n{top}")), (expected.to_owned(), Some(wall_limit)));
    }
}

#[test]
fn clocks_that_make_no_sense_are_refused_with_a_remedy() {
    let said = |top: &str| complaints(&format!("{top}{TWO}"));
    for (top, problem) in [
        (
            "black_time = \"5s\"",
            "1:1: `black_time` also needs a clock for white, such as `white_time` (or write `time` for both sides)",
        ),
        (
            "white_move_time = \"5s\"",
            "1:1: `white_move_time` also needs a clock for black, such as `black_move_time` (or write `move_time` for both \
             sides)",
        ),
        (
            "time = \"5s\"\nwhite_time = \"5s\"",
            "2:1: `white_time` and `time` cannot be used together (remove one of them)",
        ),
        (
            "time = \"5s\"\nmove_time = \"5s\"",
            "2:1: `move_time` and `time` cannot be used together (remove one of them)",
        ),
        (
            "black_time = \"5s\"\nblack_move_time = \"5s\"\nwhite_time = \"5s\"",
            "2:1: `black_move_time` and `black_time` cannot be used together (remove one of them)",
        ),
        (
            "move_time = \"5s\"\nwhite_bank = \"5s\"\nwhite_move_time = \"5s\"",
            "3:1: `white_move_time` and `move_time` cannot be used together (remove one of them)",
        ),
        (
            "bank = \"5s\"",
            "1:1: `bank` also needs `move_time`, because it covers moves that take longer than `move_time` (for a \
             time for the whole game, write `time`)",
        ),
        (
            "black_time = \"5s\"\nblack_bank = \"5s\"\nwhite_time = \"5s\"",
            "2:1: `black_bank` and `black_time` cannot be used together (remove one of them)",
        ),
        ("time = \"5s\"\nbank = \"5s\"", "2:1: `bank` and `time` cannot be used together (remove one of them)"),
        (
            "move_time = \"5s\"\nblack_bank = \"5s\"",
            "2:1: `black_bank` and `move_time` cannot be used together (remove one of them)",
        ),
        (
            "black_bank = \"5s\"",
            "1:1: `black_bank` also needs `black_move_time`, because it covers moves that take longer than \
             `black_move_time` (for a time for the whole game, write `black_time`)",
        ),
        (
            "time = \"1s/move\"",
            "1:8: `time` is a time for the whole game (write `move_time = \"1s\"` for a time per move)",
        ),
        ("time = \"60s + 0s\"", "1:8: `time`, `increment`: `0s` is out of range (1ms to 1h)"),
        ("time = \"10m, 5 x 0s\"", "1:8: `time`, `period`: `0s` is out of range (1s to 1h)"),
        ("time = \"10m, 0 x 5s\"", "1:8: `time`, `periods`: `0` is out of range (1 to 1000)"),
        ("move_time = \"0s\"", "1:13: `move_time`: `0s` is out of range (1s to 7 days)"),
        (
            "time = \"60\"",
            "1:8: `time`: `60` is not a time for a game (write \"60s\", \"60s + 1s\" with an increment, or \"10m, 5 x 30s\" \
             with five periods)",
        ),
    ] {
        assert_eq!(said(top), [format!("t.toml:{problem}")]);
    }
    let engine = "\n[[player]]\nname = \"a\"\ncommand = [\"x\"]\ntransport = \"gtp\"\n\
                  [[player]]\nname = \"b\"\ncommand = [\"x\"]\ntransport = \"gtp\"\n";
    assert_eq!(
        complaints(&format!("ruleset = \"go-9\"\ntime = \"60s + 600ms\"{engine}")),
        [
            "t.toml:2:1: `time`: GTP supports only whole seconds, so it cannot express an increment of 600ms for the engine `a` (write \
             at least \"1s\", or use `move_time`)"
        ]
    );
    assert!(complaints(&format!("ruleset = \"go-9\"\ntime = \"60s + 1s\"{engine}")).is_empty());
}
