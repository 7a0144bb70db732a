//! The command line: help, usage errors, and the exit codes that need no tournament.

use std::process::{Command, Output};

fn arena(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gothello-arena"))
        .args(args)
        .env_remove("COLUMNS")
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const COMMANDS: [&str; 17] = [
    "",
    "run",
    "check",
    "standings",
    "replay",
    "analyze",
    "solve",
    "rebuild",
    "serve",
    "init",
    "init bot",
    "bot",
    "book build",
    "book check",
    "perft",
    "doctor",
    "completions",
];

/// Splits a command line into words as a shell does: text in double quotes is one word.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let quoted = line.split('"').enumerate();
    quoted.flat_map(|(n, part)| if n % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }).collect()
}

fn help(command: &str) -> String {
    let output = arena(&words(&format!("{command} --help")));
    assert_eq!(output.status.code(), Some(0), "{command}");
    text(&output.stdout)
}

#[test]
fn each_help_text_fits_a_screen_and_ends_with_an_example() {
    for command in COMMANDS {
        let help = help(command);
        let lines: Vec<&str> = help.lines().collect();
        assert!(lines.len() <= 24, "{command}: {} lines\n{help}", lines.len());
        for line in &lines {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        let example = lines.last().copied().unwrap_or_default();
        assert!(example.starts_with("  gothello-arena "), "{command} ends with `{example}`");
        assert!(help.contains("Example"), "{command}");
    }
}

#[test]
fn the_examples_in_the_help_are_valid_command_lines() {
    // An unknown option appended to an example must be the only usage error in it.
    for command in COMMANDS {
        let help = help(command);
        for example in help.lines().filter_map(|line| line.strip_prefix("  gothello-arena ")) {
            // Everything from the redirection on belongs to the shell.
            let mut words: Vec<&str> = words(example).into_iter().take_while(|&word| word != ">").collect();
            words.push("--no-such-option");
            let output = arena(&words);
            assert_eq!(output.status.code(), Some(2), "{example}");
            let said = text(&output.stderr);
            assert!(said.contains("unexpected argument '--no-such-option'"), "{example}: {said}");
        }
    }
}

#[test]
fn usage_errors_exit_with_2_and_print_nothing_on_stdout() {
    for args in [
        &["no-such-command"][..],
        &["run", "a.toml", "b.toml"],
        &["run", "no-such-file.toml"],
        &["run", "--concurrency", "0"],
        &["check", "no-such-file.toml"],
        &["check", "/dev/zero"],
        &["serve", "30"],
        &["serve", "--time", "soon"],
        &["serve", "--time", "60s", "--black-time", "60s", "--white-time", "60s"],
        &["serve", "--black-time", "60s"],
        &["standings", "no-such-directory"],
        &["replay", "no-such.log"],
        &["bot", "genius"],
        &["perft", "-1"],
        &["solve"],
        &["solve", "--board", "....."],
        &["solve", "--board", ".bbw. .wwb. w.bww .b.bw bww..", "--to-move", "black", "--ply", "3"],
        &[
            "solve",
            "--board",
            ".bbw. .wwb. w.bww .b.bw bww..",
            "--to-move",
            "black",
            "--checkpoint",
            "no-such-directory",
        ],
        &["analyze"],
        &["analyze", "no-such.log"],
        &["book", "check", "no-such-book.txt"],
        &["standings", "--accuracy", "--quiet"],
    ] {
        let output = arena(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn a_negative_error_rate_is_refused_as_a_value_not_as_an_option() {
    let output = arena(&["bot", "mcts", "--error", "-0.1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("expected a number from 0 to 1"), "{}", text(&output.stderr));
}

#[test]
fn options_for_different_ways_to_name_a_position_conflict() {
    for args in [["--log", "no-such.log", "--to-move", "black"], ["--start", "--wdl", "--ply", "3"]] {
        let output = arena(&[&["solve"][..], &args].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("cannot be used with"), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn perft_prints_only_the_count() {
    assert_eq!(text(&arena(&["perft", "4"]).stdout), "303424\n");
    assert_eq!(text(&arena(&["perft", "3", "--passes"]).stdout), "15650\n");
}

#[test]
fn completions_name_every_command() {
    let script = text(&arena(&["completions", "bash"]).stdout);
    for command in COMMANDS[1..].iter().flat_map(|command| words(command)) {
        assert!(script.contains(command), "{command}");
    }
}
