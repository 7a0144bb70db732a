//! The tournament file: its contents, and the errors that are reported.

mod check_command;
mod clocks;
mod commands;
mod formats;
mod players;
mod teams;

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

use gothello_arena::game::BySide;
use gothello_arena::referee::sans_io::Endings;
use gothello_arena::referee::time_control::TimeControl;
use gothello_arena::tournament::file::{CLASS_TOML, FileProblems};
use gothello_arena::tournament::{Format, GameLimits, Tournament};
use proptest::prelude::*;

/// Two players, to be appended to keys at the top level.
const TWO: &str = "\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"greedy\"\n";

/// A third player with the keys `keys`, after two others.
fn third(keys: &str) -> String {
    format!("{TWO}[[player]]\nname = \"c\"\n{keys}\n")
}

/// The line number of the third player's `[[player]]`.
const HEADER: usize = 8;

/// The error messages about `text`, one line each.
fn complaints(text: &str) -> Vec<String> {
    match Tournament::parse(text, "test") {
        Ok(_) => Vec::new(),
        Err(problems) => problems.display(Path::new("t.toml")).to_string().lines().map(str::to_owned).collect(),
    }
}

fn parse(text: &str) -> Tournament {
    Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn the_first_hundred_problems_are_shown_and_the_rest_counted() {
    let keys = |keys: u32| {
        let lines: Vec<String> = (0..keys).map(|number| format!("key_{number} = {number}\n")).collect();
        lines.concat() + TWO
    };
    let said = complaints(&keys(100_000));
    assert_eq!(said.len(), FileProblems::SHOWN + 1);
    for (number, line) in said[..FileProblems::SHOWN].iter().enumerate() {
        let start = format!("t.toml:{}:1: unknown key `key_{number}` (known: ", number + 1);
        assert!(line.starts_with(&start), "{line}");
    }
    assert_eq!(said[FileProblems::SHOWN], "t.toml: and 99900 more problems");
    assert_eq!(complaints(&keys(101))[FileProblems::SHOWN], "t.toml: and 1 more problem");
    assert_eq!(complaints(&keys(100)).len(), FileProblems::SHOWN);
}

/// Counting each column from the start of the line would take half an hour.
#[test]
fn a_line_of_any_length_may_contain_any_number_of_problems() {
    let tables = 100_000;
    let said = complaints(&format!("player = [{}]\n", vec!["{}"; tables].join(", ")));
    assert_eq!(said[2], "t.toml:1:15: this player has no `name` (write name = \"alice\")");
    assert_eq!(
        said[99],
        "t.toml:1:207: it is unclear what kind of player this is (write `command`, `builtin` or `remote = true` under it)"
    );
    assert_eq!(said[FileProblems::SHOWN], format!("t.toml: and {} more problems", 2 * tables - FileProblems::SHOWN));
}

#[test]
fn all_tournament_files_of_the_arena_are_valid() {
    let entries = fs::read_dir("tournaments").unwrap().map(|entry| entry.unwrap().path());
    let is_tournament = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|kind| kind == "toml") && !path.ends_with("rubric.toml")
    };
    let files: Vec<_> = entries.filter(is_tournament).collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        if let Err(problems) = Tournament::parse(&text, "test") {
            panic!("{}", problems.display(&file));
        }
    }
    assert_eq!(CLASS_TOML, fs::read_to_string("tournaments/class.toml").unwrap());
}

#[test]
fn missing_keys_have_their_defaults() {
    let tournament = parse(TWO);
    assert_eq!(tournament.name, "test");
    assert_eq!(tournament.format, Format::RoundRobin { rounds: NonZeroU32::MIN });
    assert_eq!((tournament.seed, tournament.concurrency, tournament.opening_plies), (0, None, 0));
    assert_eq!(tournament.time_control, TimeControl::Unlimited);
    assert_eq!(tournament.limits, GameLimits::default());
    assert_eq!((tournament.endings, tournament.listen), (Endings::Documented, None));
}

#[test]
fn every_top_level_key_is_read() {
    let tournament = parse(&format!(
        r#"
        name = "CS 441 final"
        ruleset = "gothello"
        rounds = 0x10
        seed = 9_223_372_036_854_775_807
        concurrency = 3
        black_time = "1m 30s"
        white_time = "2.5s"
        game_limit = "unlimited"
        illegal_tries = 0
        garbled_tries = "unlimited"
        hello_timeout = "1s"
        join_timeout = "2s"
        void_retries = 9
        build_timeout = "3s"
        quit_timeout = "0s"
        output_cap = "1 MiB"
        endings = "compatible"
        listen = "[::1]:0"
        {TWO}"#
    ));
    assert_eq!(tournament.name, "CS 441 final");
    assert_eq!(tournament.format, Format::RoundRobin { rounds: NonZeroU32::new(16).unwrap() });
    assert_eq!(tournament.seed, 9_223_372_036_854_775_807);
    assert_eq!(tournament.concurrency.map(std::num::NonZeroUsize::get), Some(3));
    let times = BySide { black: Duration::from_secs(90), white: Duration::from_millis(2_500) };
    assert_eq!(tournament.time_control, TimeControl::sudden_death(times));
    let limits = GameLimits {
        illegal_tries: Some(0),
        garbled_tries: None,
        hello_timeout: Duration::from_secs(1),
        join_timeout: Duration::from_secs(2),
        void_retries: 9,
        build_timeout: Duration::from_secs(3),
        game_limit: None,
        quit_timeout: Duration::ZERO,
        output_cap: 1 << 20,
    };
    assert_eq!(tournament.limits, limits);
    assert_eq!((tournament.endings, tournament.listen), (Endings::Compatible, "[::1]:0".parse().ok()));
}

#[test]
fn all_top_level_problems_are_reported_at_once() {
    let top = "time = \"ten\"\nruonds = 3\nrounds = 0\nseed = -4\nendings = \"compatibel\"\nlisten = \"x\"\n\
               illegal_tries = \"many\"\noutput_cap = \"3 kilos\"\nconcurrency = \"2\"\nblack_time = \"0s\"\nname = \"\"";
    assert_eq!(
        complaints(&format!("{top}{TWO}")),
        [
            "t.toml:1:8: `time`: `ten` is not a time for a game (write \"60s\", \"60s + 1s\" with an increment, or \"10m, 5 x 30s\" with five periods)",
            "t.toml:2:1: unknown key `ruonds`: did you mean `rounds`?",
            "t.toml:3:10: `rounds`: `0` is out of range (1 to 1000000)",
            "t.toml:4:8: `seed`: `-4` is out of range (0 to 9223372036854775807)",
            "t.toml:5:11: `endings`: unknown value `compatibel`: did you mean `compatible`?",
            "t.toml:6:10: `listen`: `x` is not an address and port (write \"0.0.0.0:29070\", \"[::]:29070\")",
            "t.toml:7:17: `illegal_tries`: unknown value `many` (known: unlimited, or a whole number without quotes)",
            "t.toml:8:14: `output_cap`: `3 kilos` is not a number of bytes (write 65536, \"64 KiB\", \"1 MiB\")",
            "t.toml:9:15: `concurrency`: expected a whole number, without quotes, found a string",
            "t.toml:10:1: `black_time` and `time` cannot be used together (remove one of them)",
            "t.toml:10:14: `black_time`: `0s` is out of range (1s to 7 days)",
            "t.toml:11:8: `name` is empty"
        ]
    );
}

/// Asserts that a third player with the keys `keys` has the problems `expected`: line (1 is `[[player]]`, 3 is the
/// first of the keys), column, and the rest of the message.
fn assert_third(keys: &str, expected: &[(usize, usize, &str)]) {
    let expected: Vec<String> =
        expected.iter().map(|(line, column, what)| format!("t.toml:{}:{column}: {what}", HEADER - 1 + line)).collect();
    assert_eq!(complaints(&third(keys)), expected, "{keys}");
}

#[test]
fn toml_syntax_errors_neither_hide_nor_cause_other_errors() {
    let text = "time = 60s\nrounds = = 2\nseeed = 3\nendings = \"\n[[player]\nname = \"x\"\n[[player]]\n";
    assert_eq!(
        complaints(text),
        [
            "t.toml:1:8: string values must be quoted, expected literal string",
            "t.toml:2:10: extra `=`, expected nothing",
            "t.toml:3:1: unknown key `seeed`: did you mean `seed`?",
            "t.toml:4:12: invalid basic string, expected `\"`",
            "t.toml:5:10: unclosed array table, expected `]`"
        ]
    );
}

#[test]
fn keys_on_unreadable_lines_are_not_reported_as_missing() {
    let text = "black_time = \"5s\"\nwhite_time: \"5s\"\n[[player]]\nname: \"a\"\nbuiltin: \"random\"\n";
    let lines: Vec<String> =
        complaints(text).iter().map(|line| line.split(':').nth(1).unwrap_or_default().to_owned()).collect();
    assert_eq!(lines, ["2", "4", "5"], "{:?}", complaints(text));
}

#[test]
fn a_byte_order_mark_does_not_count_as_a_column() {
    assert_eq!(
        complaints(&format!("\u{feff}seeed = 1{TWO}")),
        ["t.toml:1:1: unknown key `seeed`: did you mean `seed`?"]
    );
}

#[test]
fn invalid_utf_8_is_refused_where_it_starts() {
    let problems = Tournament::parse_bytes(b"# \xc3\xa4\nab \xff", "test").unwrap_err();
    assert_eq!(problems.to_string(), "2:4: this is not UTF-8");
}

/// A file with most keys and a token, to be mutated.
const RICH: &str = "name = \"x\"\nlisten = \"0.0.0.0:29080\"\ntime = \"1m\"\nrounds = 3\n[[player]]\nname = \"carol\"\n\
    remote = true\ntoken = \"hushhush\"\n[[player]]\nname = \"p\"\ncommand = [\"bot\", \"{side}\"]\n\
    env = { A = \"\\u00e4{seed}\" }\n[[player]]\nname = \"q\"\nbuiltin = \"alphabeta\"\ndepth = 3\n";

#[test]
fn a_token_is_never_shown() {
    let tournament = parse(RICH);
    assert!(!format!("{tournament:?}").contains("hushhush"));
    for wrong in [
        "token = hushhush",
        "token hushhush",
        "token = [\"hushhush\"]",
        "token = \"hushhush\\u0000\"",
        "toke = \"hushhush\"",
    ] {
        let text = RICH.replace("token = \"hushhush\"", wrong);
        let problems = Tournament::parse(&text, "test").unwrap_err();
        assert!(!format!("{problems} {problems:?}").contains("hush"), "{problems:?}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "(\\PC|[\n\"'={}\\[\\]]){0,60}") {
        let _ = complaints(&text);
    }

    #[test]
    fn no_mutation_of_a_valid_file_makes_the_reader_panic_or_shows_a_token(
        at in 0..RICH.len(),
        length in 0_usize..8,
        put_in in "[\n\"'={}\\[\\]\\\\#a0,. -]{0,3}",
    ) {
        let token = RICH.find("hushhush").unwrap()..RICH.find("hushhush").unwrap() + "hushhush".len();
        let hits_token = at < token.end && token.start < at + length;
        let at = if hits_token || token.contains(&at) { token.end } else { at };
        let end = (at + length).min(RICH.len());
        let text = format!("{}{put_in}{}", &RICH[..at], &RICH[end..]);
        if let Err(problems) = Tournament::parse(&text, "test") {
            let lines = text.lines().count() + 1;
            for problem in &problems {
                prop_assert!(problem.place.line >= 1 && problem.place.line <= lines && problem.place.column >= 1);
            }
            prop_assert!(!format!("{problems} {problems:?}").contains("hushhush"), "{}", problems);
        }
    }
}
