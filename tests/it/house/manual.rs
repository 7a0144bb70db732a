//! The manual pages, the printed schemas and the shell completions, which are generated from the same definitions as
//! the help.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::cli::command_line::{arena, commands, help, text, words};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// Writes the manual pages, and returns their contents by file name.
fn pages(dir: &Path) -> BTreeMap<String, String> {
    let output = arena(&["docs", "man", dir.to_str().expect("a plain path")]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    let entries = fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| (entry.file_name().into_string().expect("text"), fs::read_to_string(entry.path()).expect("text")))
        .collect()
}

/// The name of the manual page for `command`.
fn page_of(command: &str) -> String {
    let name = words(&format!("gothello-arena {command}")).join("-");
    format!("{name}.1")
}

#[test]
fn every_command_has_a_page_with_all_of_its_options() {
    let dir = TempDir::new().expect("a directory");
    let pages = pages(&dir.path().join("a/man1"));
    let names: BTreeSet<String> = commands().iter().map(|command| page_of(command)).collect();
    assert_eq!(pages.keys().cloned().collect::<BTreeSet<_>>(), names);
    for command in commands() {
        let page = &pages[&page_of(&command)];
        let plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "");
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"] {
            assert_eq!(page.matches(&format!("\n.SH {heading}\n")).count(), 1, "{command}: {heading}\n{page}");
        }
        let help = help(&command);
        for option in help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2) {
            let option = option.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let name = option.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().expect("a first part");
            assert!(plain.contains(name), "{command}: `{name}`\n{page}");
        }
        for example in help.lines().filter(|line| line.starts_with("  gothello-arena ")) {
            assert!(plain.contains(example.trim_start()), "{command}: {example}\n{page}");
        }
        // Every page that another page refers to must exist.
        for other in plain.split_whitespace().filter_map(|word| word.strip_suffix("(1)")) {
            assert!(names.contains(&format!("{other}.1")), "{command}: {other}");
        }
    }
}

#[test]
fn the_page_of_the_program_lists_every_command() {
    let dir = TempDir::new().expect("a directory");
    let pages = pages(dir.path());
    let overview = pages["gothello-arena.1"].replace("\\-", "-");
    for command in commands().iter().filter(|command| !command.is_empty() && !command.contains(' ')) {
        assert!(overview.contains(&format!("gothello-arena-{command}(1)")), "{command}\n{overview}");
    }
}

/// Runs `program` if it is installed; reports the test as skipped otherwise.
fn installed(program: &str, args: &[&str]) -> Option<Output> {
    let output = Command::new(program)
        .args(args)
        .env("MANPAGER", "cat")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output_in_time();
    if output.is_err() {
        skipped(Need::Tools, format_args!("`{program}` is not installed"));
    }
    output.ok()
}

#[test]
fn man_shows_every_page_without_a_warning() {
    let dir = TempDir::new().expect("a directory");
    for (name, page) in pages(dir.path()) {
        let file = dir.path().join(&name);
        let file = file.to_str().expect("a plain path");
        // If no program for manual pages is installed, the test at least checks that the pages contain only known
        // requests.
        let known = [".TH", ".SH", ".TP", ".PP", ".RS", ".RE", ".IP", ".nf", ".fi", ".ie", ".el", ".br", ".\\\""];
        for line in page.lines().filter(|line| line.starts_with(['.', '\''])) {
            assert!(known.iter().any(|request| line.starts_with(request)), "{name}: {line}");
        }
        if let Some(output) = installed("man", &["--warnings", "-l", file]) {
            assert!(output.status.success(), "{name}: {}", text(&output.stderr));
            assert_eq!(text(&output.stderr), "", "{name}");
            assert!(text(&output.stdout).contains("SYNOPSIS"), "{name}");
        }
    }
}

#[test]
fn pages_replace_older_ones_and_nothing_else() {
    let dir = TempDir::new().expect("a directory");
    let first = pages(dir.path());
    fs::write(dir.path().join("gothello-arena.1"), "old").expect("a file");
    fs::write(dir.path().join("other.1"), "other").expect("a file");
    let mut second = pages(dir.path());
    assert_eq!(second.remove("other.1").as_deref(), Some("other"));
    assert_eq!(second, first);
}

#[test]
fn what_cannot_be_written_is_reported_with_its_path() {
    let dir = TempDir::new().expect("a directory");
    let path = |name: &str| dir.path().join(name).to_str().expect("a plain path").to_owned();
    fs::write(path("file"), "mine").expect("a file");
    fs::create_dir(path("directory")).expect("a directory");
    for (args, named) in [
        (["docs", "man", &path("file")].to_vec(), path("file")),
        (["docs", "man", &path("file/man1")].to_vec(), path("file/man1")),
        (["docs", "schema", "tournament", "--out", &path("directory")].to_vec(), path("directory")),
        (["docs", "schema", "tournament", "--out", &path("missing/schema.json")].to_vec(), path("missing/schema.json")),
    ] {
        let output = arena(&args);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(&format!("`{named}`")), "{args:?}: {}", text(&output.stderr));
    }
    assert_eq!(fs::read_to_string(path("file")).expect("a file"), "mine");
    let left =
        fs::read_dir(dir.path()).expect("a directory").chain(fs::read_dir(path("directory")).expect("a directory"));
    assert_eq!(left.count(), 2, "no half-written file is left behind");
}

#[test]
fn completions_name_every_command() {
    let commands = commands();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = text(&arena(&["completions", shell]).stdout);
        for command in commands.iter().flat_map(|command| words(command)) {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
}

/// Loads the completions in `shell` with `script`, which prints the shell's suggestions for the word `sta`.
fn offered(shell: &str, args: &[&str], script: &str) -> Option<String> {
    let dir = TempDir::new().expect("a directory");
    let file = dir.path().join("completions");
    fs::write(&file, arena(&["completions", shell]).stdout).expect("a file");
    let script = script.replace("FILE", file.to_str().expect("a plain path"));
    let output = installed(shell, &[args, &["-c", &script]].concat())?;
    assert!(output.status.success(), "{shell}: {}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "{shell}");
    Some(text(&output.stdout))
}

#[test]
fn shells_load_the_completions() {
    const BASH: &str = "source FILE; registered=$(complete -p gothello-arena); function=${registered##*-F }
COMP_WORDS=(gothello-arena sta); COMP_CWORD=1; ${function%% *} gothello-arena sta gothello-arena; echo \"${COMPREPLY[@]}\"";
    const ZSH: &str =
        "autoload -U compinit; compinit -D; source FILE; (( $+_comps[gothello-arena] )) && echo standings";
    const FISH: &str = "source FILE; complete --do-complete 'gothello-arena sta'";
    for (shell, args, script) in
        [("bash", &["--norc", "--noprofile"][..], BASH), ("zsh", &["-f"], ZSH), ("fish", &["--no-config"], FISH)]
    {
        if let Some(offered) = offered(shell, args, script) {
            assert!(offered.starts_with("standings"), "{shell}: {offered}");
        }
    }
}
