//! Real games under each time control. A program that shares no code with the arena recomputes every clock from the
//! logs.

use std::fs;

use gothello_arena::referee::record::{GameRecord, check};
use tempfile::TempDir;

use crate::confinement::probes::{can_confine, probe};
use crate::harness::arena::{Arena, assert_clocks_can_be_recomputed, text};
use crate::harness::waiting::InTime as _;

/// Plays two games under `keys` between a built-in bot and a bot that always passes. The probe's `mode` makes this bot
/// wait or compute for `millis` before each pass. Returns the reasons why the games ended.
fn reasons(keys: &str, mode: &str, millis: u32) -> Vec<String> {
    let isolation = if can_confine() { "require" } else { "off" };
    let arena = Arena::new(&format!(
        "isolation = \"{isolation}\"\nconcurrency = 2\n{keys}\n\
         [[player]]\nname = \"enduring\"\nbuiltin = \"random\"\n\
         [[player]]\nname = \"passing\"\ndir = \"bot\"\n\
         command = [\"./probe\", \"{mode}\", \"{{side}}\", \"{{host}}\", \"{{port}}\", \"{millis}\"]\n"
    ));
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::copy(probe(), arena.path().join("bot/probe")).expect("copied");
    let output = arena.command(&["run", "class.toml", "--out", "out"]).output_in_time().expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    let ids: Vec<String> = arena.results().iter().map(|row| row["game"].clone()).collect();
    assert_eq!(ids.len(), 2);
    assert_clocks_can_be_recomputed(ids.iter().map(|id| arena.out().join(format!("games/{id}.log"))));
    let reason =
        |record: &GameRecord| record.result.as_ref().expect("not void").reason().unwrap_or_default().to_owned();
    ids.iter().map(|id| reason(&arena.record(id))).collect()
}

#[test]
fn an_increment_keeps_a_bot_in_time_that_uses_less_than_it() {
    assert_eq!(reasons("time = \"1s + 1s\"", "doze", 100), ["", ""]);
}

#[test]
fn a_bot_that_exceeds_its_periods_loses_them_one_by_one() {
    // The main time ends within the first turn, and each of the next two turns uses up a period, unless a busy machine
    // makes a turn last longer.
    for reason in reasons("time = \"1s, 3 x 1s\"", "doze", 1_300) {
        let end = reason.strip_prefix("used more than the remaining 1s for move ").expect(&reason);
        assert!(["2", "3", "4"].contains(&&end[..1]) && end.ends_with(" (1s, 3 x 1s)"), "{reason}");
    }
}

#[test]
fn a_bank_pays_for_slow_moves_until_it_is_empty() {
    for reason in reasons("move_time = \"1s\"\nbank = \"1s\"", "doze", 1_400) {
        assert!(
            reason.starts_with("used more than the remaining 1s ") && reason.contains(" (1s/move, bank 1s)"),
            "{reason}"
        );
    }
}

#[test]
fn without_a_bank_the_flag_falls_at_the_end_of_the_move_time() {
    let reason = "used more than the remaining 1s for move 1 (1s/move)";
    assert_eq!(reasons("move_time = \"1s\"", "doze", 1_300), [reason, reason]);
    assert_eq!(reasons("move_time = \"1s\"", "doze", 100), ["", ""]);
}

#[test]
fn cpu_time_is_charged_to_each_part_of_a_control() {
    // The probe computes in two processes, so a turn uses twice the given time as CPU time. Waiting uses none.
    let reason = "used more than the remaining 1s for move 1 (1s/move) of CPU time";
    assert_eq!(reasons("clock = \"cpu\"\nmove_time = \"1s\"", "think", 600), [reason, reason]);
    assert_eq!(reasons("clock = \"cpu\"\nmove_time = \"1s\"", "doze", 100), ["", ""]);
    for reason in reasons("clock = \"cpu\"\ntime = \"1s, 2 x 1s\"", "think", 700) {
        assert!(reason.ends_with(" (1s, 2 x 1s) of CPU time"), "{reason}");
    }
}

/// Black and white each take a second for their first turn under a scaled time control.
#[test]
fn scaled_clocks_are_recomputed_from_the_logs() {
    let dir = TempDir::new().expect("a directory");
    let rows = [
        ("60", "0.50", "0:00:29", ""),
        ("2", "0.25", "0:00:00", ""),
        // Unlike the other times, a scaled increment may be shorter than a second.
        ("60+1", "0.50", "0:00:29.500000", ""),
        ("60+0.003000", "0.25", "0:00:14.001000", ""),
        ("60+0.100001", "0.33", "0:00:18.833000", ""),
        ("600:5x30", "0.50", "0:06:14", " [%period 5]"),
        ("2:3x2", "0.25", "0:00:03", " [%period 3]"),
        ("4/move+1bank", "0.25", "0:00:01.250000", " [%bank 0:00:00.250000]"),
        ("1/move+0.500000bank", "0.50", "0:00:01.250000", " [%bank 0:00:00.250000]"),
        ("1/move+60bank", "1.25", "0:01:16.250000", " [%bank 0:01:15]"),
    ];
    let mut logs = Vec::new();
    for (index, (control, scale, clk, reserve)) in rows.into_iter().enumerate() {
        let moves =
            ["1. c3", "b2"].map(|played| format!("{played} {{[%emt 0:00:01] [%clk {clk}]{reserve}}}\n")).concat();
        let log = format!(
            "[Black \"a\"]\n[White \"b\"]\n[Result \"*\"]\n[TimeControl \"{control}\"]\n[TimeScale \"{scale}\"]\n\n{moves}*\n"
        );
        let record: GameRecord = log.parse().unwrap_or_else(|error| panic!("{control}: {error}"));
        check(&record).unwrap_or_else(|error| panic!("{control}: {error}"));
        logs.push(dir.path().join(format!("{index}.log")));
        fs::write(&logs[index], log).expect("written");
    }
    assert_clocks_can_be_recomputed(logs);
}

/// As black, the bot uses up its main time and its periods; as white, it uses up its bank.
#[test]
fn each_side_has_its_own_control_even_if_bots_are_frozen() {
    let keys = "between_moves = \"freeze\"\nblack_time = \"2s, 3 x 1s\"\nwhite_move_time = \"1s\"\nwhite_bank = \"1s\"";
    let [one, other] = &reasons(keys, "doze", 1_400)[..] else { panic!("two games") };
    for (control, moves) in [("2s, 3 x 1s", 2..=5), ("1s/move, bank 1s", 1..=3)] {
        let is_meant = |reason: &&String| reason.contains(&format!(" ({control})"));
        let reason = [one, other].into_iter().find(is_meant).unwrap_or_else(|| panic!("{control}: {one}; {other}"));
        let number = reason.split(" for move ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        assert!(number.is_some_and(|number: u32| moves.contains(&number)), "{reason}");
    }
}

/// A bot can read its own time control from its environment and from its arguments.
#[test]
fn a_program_finds_its_time_control_in_its_environment() {
    let names = ["TIME", "INCREMENT", "PERIODS", "PERIOD", "MOVE_TIME", "BANK", "TIME_CONTROL"];
    let variables = names.map(|name| format!("$GOTHELLO_{name}")).join(" ");
    for (keys, expected) in [
        ("", "0 0 0 0 0 0 - -"),
        ("time = \"90s\"", "90 0 0 0 0 0 90 90"),
        ("time = \"60s + 500ms\"", "60 0.5 0 0 0 0 60+0.5 60+0.5"),
        ("time = \"10m, 5 x 30s\"", "750 0 5 30 0 0 600:5x30 600:5x30"),
        ("move_time = \"1500ms\"\nbank = \"60s\"", "61 0 0 0 1.5 60 1.5/move+60bank 1.5/move+60bank"),
        ("black_move_time = \"2s\"\nwhite_time = \"60s\"", "2 0 0 0 2 0 2/move 2/move"),
    ] {
        let arena = Arena::new(&format!(
            "{keys}\n[[player]]\nname = \"told\"\n\
             command = [\"sh\", \"-c\", \"echo {variables} $0 >&2\", \"{{time_control}}\", \"{{port}}\"]\n\
             [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n"
        ));
        arena.run(&[]);
        let said = fs::read_to_string(arena.out().join("games/r1-told-greedy.black.stderr")).unwrap_or_default();
        assert_eq!(said.trim_end(), expected, "{keys}");
    }
}
