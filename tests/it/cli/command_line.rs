//! The command line: help, usage errors, and the exit codes that can be tested without a tournament.

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use crate::house::docs::{pages, text as page_text};
use std::process::{Command, Output};

pub(crate) fn arena(args: &[&str]) -> Output {
    Command::new(program()).args(args).env_remove("COLUMNS").output_in_time().expect("the program starts")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The commands that the help lists, in the same order. Commands that do not exist yet may be missing.
const EVERYDAY: [&str; 12] =
    ["run", "check", "standings", "report", "replay", "analyze", "solve", "import", "grade", "init", "play", "doctor"];

/// The commands that the help only names.
const MORE: [&str; 16] = [
    "bench",
    "serve",
    "bot",
    "completions",
    "dataset",
    "docs",
    "ladder",
    "merge",
    "perft",
    "puzzles",
    "rebuild",
    "submit",
    "tablebase",
    "watch",
    "worker",
    "workers",
];

/// The commands that the help text `help` lists.
fn listed(help: &str) -> Vec<String> {
    let after = help.lines().skip_while(|line| !line.starts_with("Commands")).skip(1);
    let lines = after.take_while(|line| line.starts_with("  "));
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The commands in the list `More:` of the help text `help`.
fn more(help: &str) -> Vec<String> {
    let list = help.split("\nMore: ").nth(1).and_then(|more| more.split("\n\n").next());
    list.into_iter().flat_map(|list| list.split(',')).map(|word| word.trim().to_owned()).collect()
}

/// The commands that the program's help lists or names.
pub(crate) fn all_commands() -> Vec<String> {
    let overview = help("");
    listed(&overview).into_iter().chain(more(&overview)).collect()
}

/// Every command and subcommand. The empty text stands for the program itself.
pub(crate) fn commands() -> Vec<String> {
    let mut commands = vec![String::new()];
    for command in all_commands() {
        let inner = listed(&help(&command));
        commands.push(command.clone());
        commands.extend(inner.into_iter().map(|inner| format!("{command} {inner}")));
    }
    assert!(commands.len() > 18, "{commands:?}");
    commands
}

/// Splits a command line into words as a shell does: text in double quotes is one word.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let quoted = line.split('"').enumerate();
    quoted.flat_map(|(n, part)| if n % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }).collect()
}

/// The short help for `command`.
pub(crate) fn help(command: &str) -> String {
    help_by(command, "-h")
}

/// The help for `command` that `option` prints.
fn help_by(command: &str, option: &str) -> String {
    let output = arena(&words(&format!("{command} {option}")));
    assert_eq!(output.status.code(), Some(0), "{command}");
    text(&output.stdout)
}

/// The long options that the help text `help` explains.
fn explained(help: &str) -> Vec<&str> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    lines.filter_map(|line| line.split([' ', '=', '[', ',']).find(|word| word.starts_with("--"))).collect()
}

#[test]
fn the_long_help_explains_all_options_and_the_short_help_those_of_every_day() {
    for command in commands() {
        let [short, long] = ["-h", "--help"].map(|option| help_by(&command, option));
        let all = explained(&long);
        assert!(explained(&short).iter().all(|option| all.contains(option)), "{command}: {short}\n{long}");
        if !command.is_empty() {
            assert!(all.contains(&"--color") && !short.contains("--color"), "{command}: {short}\n{long}");
        }
        for line in long.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
    }
}

#[test]
fn each_short_help_fits_a_screen_and_ends_with_an_example() {
    for command in commands() {
        let command = command.as_str();
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

/// Checks that the program accepts the command line `example`, given without the program's name: an unknown option at
/// its end must be the only usage error.
#[track_caller]
fn assert_valid(example: &str) {
    // Everything after one of these words belongs to the shell.
    let of_shell = |word: &&str| !["#", ">", "|", "&&", "&"].contains(word);
    let mut words: Vec<&str> = words(example).into_iter().take_while(of_shell).collect();
    // `--command` takes all words after it.
    let end = words.iter().position(|&word| word == "--command").unwrap_or(words.len());
    words.insert(end, "--no-such-option");
    let output = arena(&words);
    assert_eq!(output.status.code(), Some(2), "{example}");
    let said = text(&output.stderr);
    assert!(said.contains("unexpected argument '--no-such-option'"), "{example}: {said}");
}

#[test]
fn the_examples_in_the_help_are_valid_command_lines() {
    for command in commands() {
        help(&command).lines().filter_map(|line| line.strip_prefix("  gothello-arena ")).for_each(assert_valid);
    }
}

#[test]
fn the_commands_in_the_documents_are_valid_command_lines() {
    let mut examples = 0;
    for page in pages() {
        let mut in_fence = false;
        for line in page_text(&page).lines() {
            if line.trim_start().starts_with("```") {
                in_fence = !in_fence;
            }
            let command = line.trim_start().trim_start_matches("$ ");
            let Some(example) = command.strip_prefix("gothello-arena ") else { continue };
            if in_fence || line.starts_with("    ") {
                assert_valid(&example.replace('\'', "\""));
                examples += 1;
            }
        }
    }
    assert!(examples > 60, "{examples} found");
}

#[test]
fn the_word_help_is_the_option_of_the_command_after_it() {
    for (asked, option) in [("help", "--help"), ("help run", "run --help"), ("help docs schema", "docs schema --help")]
    {
        let [asked, option] = [asked, option].map(|line| arena(&words(line)));
        assert_eq!((asked.status.code(), text(&asked.stdout)), (Some(0), text(&option.stdout)));
    }
    let unknown = arena(&["help", "no-such-command"]);
    assert!(unknown.status.code() == Some(2) && text(&unknown.stderr).contains("unrecognized subcommand"));
}

#[test]
fn the_first_errors_lead_to_the_next_step() {
    let dir = tempfile::tempdir().expect("a directory");
    let fails = |line: &str| {
        let mut command = Command::new(program());
        let output = command.args(words(line)).current_dir(dir.path()).output_in_time().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{line}");
        text(&output.stderr)
    };
    for command in ["replay", "grade", "import", "bot", "solve", "init bot", "merge", "rebuild"] {
        let said = fails(command);
        let example = said.lines().last().and_then(|line| line.strip_prefix("  gothello-arena "));
        assert_valid(example.unwrap_or_else(|| panic!("{command}: {said}")));
    }
    for line in ["run clas.toml", "check clas.toml", "grade clas.toml --rubric rubric.toml"] {
        let said = fails(line);
        assert!(said.contains("`gothello-arena init tournament` writes a class.toml"), "{line}: {said}");
    }
    for line in ["standings", "standings nowhere", "replay none.log", "analyze none.log", "report nowhere"] {
        let said = fails(line);
        assert!(said.contains("gothello-arena run`"), "{line}: {said}");
    }
    std::fs::write(dir.path().join("class.toml"), "").expect("written");
    assert!(fails("run clas.toml").ends_with("there is a file `class.toml`\n"));
}

#[test]
fn a_run_of_the_example_says_what_it_is_and_what_to_do_next() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("class.toml"), "").expect("written");
    let run = |words: &[&str]| {
        let mut command = Command::new(program());
        let output = command.args(words).current_dir(dir.path()).output_in_time().expect("it starts");
        assert_eq!(output.status.code(), Some(0));
        text(&output.stderr)
    };
    let said = run(&["run"]);
    let first = said.lines().next().unwrap_or_default();
    assert!(first.contains("playing the example: 4 built-in bots, 60 games, results in `results/class`"), "{first}");
    assert!(first.ends_with("write `gothello-arena run class.toml`"), "{first}");
    let (_, next) = said.split_once("the results are in `results/class`. Next:\n").unwrap_or_else(|| panic!("{said}"));
    let steps: Vec<&str> = next.lines().filter_map(|line| line.strip_prefix("  gothello-arena ")).collect();
    assert_eq!(steps.len(), 4, "{next}");
    for step in steps {
        assert_valid(step.split("  ").next().unwrap_or_default());
    }
    assert!(run(&["replay", "--final", "results/class/games/r1-alphabeta_3-random.log"]).is_empty());
    assert_eq!(run(&["run", "--quiet"]), "");
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
        &["solve", "--board", ".bbw. .wwb. w.bww .b.bw bww..", "--to-move", "black", "--table", "no-such.table"],
        &["analyze"],
        &["analyze", "no-such.log"],
        &["tablebase", "check", "gothello", "--table", "no-such.table"],
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
fn the_help_lists_the_everyday_commands_and_names_the_others() {
    let overview = help("");
    let listed = listed(&overview);
    let known: Vec<&str> = EVERYDAY.into_iter().filter(|command| listed.iter().any(|it| it == command)).collect();
    assert_eq!(listed, known);
    assert_eq!(more(&overview), MORE);
}

#[test]
fn a_mistyped_word_brings_up_the_nearest_one() {
    for (args, meant) in [
        (&["chekc"][..], "check"),
        (&["standing"], "standings"),
        (&["analyse"], "analyze"),
        (&["rebiuld"], "rebuild"),
        (&["doc", "man"], "docs"),
        (&["docs", "shema"], "schema"),
        (&["docs", "schema", "tornament"], "tournament"),
        (&["run", "--stict"], "--strict"),
        (&["standings", "--format", "jsn"], "json"),
    ] {
        let output = arena(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = text(&output.stderr);
        let tip = said.lines().find(|line| line.contains("tip: ")).unwrap_or_else(|| panic!("{args:?}: {said}"));
        assert!(tip.contains(&format!("'{meant}'")), "{args:?}: {tip}");
    }
    let output = arena(&["no-such-command"]);
    assert!(!text(&output.stderr).contains("tip: "), "{}", text(&output.stderr));
}
