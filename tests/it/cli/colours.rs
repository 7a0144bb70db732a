//! Colours, and the form of errors, warnings and notes.

use std::process::Output;

use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;

const TOML: &str = "rounds = 1\nconcurrency = 1\n[[player]]\nname = \"one\"\nbuiltin = \"random\"\n\
                    [[player]]\nname = \"poor\"\ncommand = [\"./no-such\"]\n";

/// Runs the program with `args` and with these variables.
fn output(arena: &Arena, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = arena.command(args);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output_in_time().expect("the program starts")
}

#[test]
fn the_option_and_the_environment_decide_on_colours() {
    let arena = Arena::new("bad = 1\n");
    let check = ["check", "class.toml"];
    for (args, variables, is_coloured) in [
        (&[][..], &[][..], false),
        (&["--color", "always"], &[("NO_COLOR", "1")], true),
        (&["--color=auto"], &[("CLICOLOR_FORCE", "1")], true),
        (&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false),
        // An error in the command line may have colours, too, although the arguments are then unknown.
        (&["--no-such-option"], &[("CLICOLOR_FORCE", "1")], true),
        (&["--color=always", "--no-such-option"], &[], true),
    ] {
        let output = output(&arena, &[&check, args].concat(), variables);
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output.stderr);
        assert_eq!(said.contains("\u{1b}[1m") || said.contains("\u{1b}[1;31m"), is_coloured, "{args:?}: {said}");
        // With or without colours, the words are the same.
        assert!(said.starts_with(if is_coloured { "\u{1b}" } else { "error: " }), "{args:?}: {said}");
    }
    let help = |args| text(&output(&arena, args, &[]).stdout);
    assert!(help(&["run", "--help", "--color=always"]).contains('\u{1b}'));
    assert!(!help(&["run", "--help"]).contains('\u{1b}'));
    let wrong = output(&arena, &["check", "--color", "blue"], &[]);
    assert!(text(&wrong.stderr).contains("[possible values: auto, always, never]"), "{}", text(&wrong.stderr));
}

#[test]
fn errors_warnings_and_hints_begin_with_their_word() {
    let arena = Arena::new("bad = 1\nworse = 2\n");
    let said = text(&output(&arena, &["check", "class.toml"], &[]).stderr);
    assert!(said.lines().filter(|line| line.starts_with("error: class.toml:")).count() >= 2, "{said}");
    let said = text(&output(&arena, &["run", "clas.toml"], &[]).stderr);
    let lines: Vec<&str> = said.lines().collect();
    let [error, "", tip] = lines[..] else { panic!("{said}") };
    assert!(error.starts_with("error: ") && tip.starts_with("  tip: "), "{said}");
    let arena = Arena::new(TOML);
    let said = text(&output(&arena, &["run", "class.toml", "--out", "out", "--color=always"], &[]).stderr);
    let warning = "\u{1b}[1;33mwarning:\u{1b}[0m player `poor` cannot be started and loses all its games";
    assert!(said.lines().any(|line| line.starts_with(warning)), "{said}");
}

#[test]
fn winners_are_bold_and_forfeits_red() {
    let arena = Arena::new(&TOML.replace("command = [\"./no-such\"]", "builtin = \"greedy\""));
    let said = text(&output(&arena, &["run", "class.toml", "--out", "out", "--color=always"], &[]).stderr);
    let games: Vec<&str> = said.lines().filter(|line| line.starts_with('[')).collect();
    assert!(games.len() == 2 && games.iter().all(|line| line.contains(": \u{1b}[1m")), "{said}");
    let quits = "command = [\"sh\", \"-c\", \"exit 3\", \"{port}\"]";
    let arena = Arena::new(&TOML.replace("command = [\"./no-such\"]", quits));
    let said = text(&output(&arena, &["run", "class.toml", "--out", "out", "--color=always"], &[]).stderr);
    let games: Vec<&str> = said.lines().filter(|line| line.starts_with('[')).collect();
    assert!(games.len() == 2 && games.iter().all(|line| line.contains(": \u{1b}[1;31m")), "{said}");
}
