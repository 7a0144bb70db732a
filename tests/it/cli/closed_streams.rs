//! The program's actions and its exit code do not depend on whether its output is read.

use std::fs;
use std::process::{Output, Stdio};

use crate::cli::command_line::words;
use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;

const TOML: &str = "rounds = 1\nconcurrency = 1\n[[player]]\nname = \"one\"\nbuiltin = \"random\"\n\
                    [[player]]\nname = \"two\"\nbuiltin = \"greedy\"\n";

/// Command lines of every command: one or more that succeed, and one or more that print something on stderr.
const LINES: [&str; 36] = [
    "",
    "--help",
    "--version",
    "no-such-command",
    "run bad.toml",
    "run no-such.toml",
    "run class.toml --out out",
    "run missing.toml --isolation off --out missing",
    "check class.toml",
    "check bad.toml",
    "check missing.toml",
    "standings out",
    "standings out --require \"one > one\"",
    "standings out --require \"one.score >= 0\"",
    "standings empty.csv",
    "standings no-such-run",
    "replay out/games/r1-one-two.log",
    "replay no-such.log",
    "replay --check out",
    "replay --check bad.toml out",
    "replay --check no-such.log nor-this.log",
    "analyze out --budget 1s --memory 1",
    "analyze no-such.log",
    "solve --board \".bbw. .wwb. w.bww .b.bw bww..\" --to-move black",
    "solve --board .....",
    "rebuild out",
    "rebuild out --check",
    "rebuild no-such-run",
    "serve 30",
    "serve --port 0 --bind 1.2.3.4",
    "bot genius",
    "bot random --stdio",
    "tablebase check gothello --table bad.toml",
    "perft 2",
    "completions bash",
    "completions no-such-shell",
];

/// A directory that contains the files named by the command lines.
fn arena() -> Arena {
    let arena = Arena::new(TOML);
    let missing = TOML.replace("builtin = \"greedy\"", "command = [\"./no-such\"]");
    for (file, content) in
        [("bad.toml", "bad = 1\n"), ("missing.toml", &missing), ("empty.csv", "first,second,first_score\n")]
    {
        fs::write(arena.path().join(file), content).expect("written");
    }
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    arena
}

/// Runs `line` with these streams.
fn outcome(arena: &Arena, line: &str, stdout: Stdio, stderr: Stdio) -> Output {
    let mut command = arena.command(&words(line));
    command.stdout(stdout).stderr(stderr).start().expect("the program starts").wait_with_output().expect("it ends")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

/// The write end of a pipe without a reader.
fn closed() -> Stdio {
    let (_, writer) = std::io::pipe().expect("a pipe");
    writer.into()
}

#[test]
fn no_command_needs_a_reader_of_stderr() {
    let arena = arena();
    for line in LINES {
        let heard = outcome(&arena, line, Stdio::piped(), Stdio::piped());
        let unheard = outcome(&arena, line, Stdio::piped(), closed());
        assert_eq!(code(&unheard), code(&heard), "{line}: {}", text(&heard.stderr));
    }
}

#[test]
fn no_command_needs_a_reader_of_stdout() {
    let arena = arena();
    for line in LINES {
        let read = outcome(&arena, line, Stdio::piped(), Stdio::piped());
        let unread = outcome(&arena, line, closed(), Stdio::piped());
        assert_eq!(code(&unread), code(&read), "{line}: {}", text(&unread.stderr));
        assert!(!text(&unread.stderr).contains("os error 32"), "{line}: {}", text(&unread.stderr));
    }
}

#[test]
fn data_that_does_not_fit_on_the_disk_is_an_error() {
    let arena = arena();
    for line in LINES.into_iter().filter(|line| !line.starts_with("bot")) {
        let whole = outcome(&arena, line, Stdio::piped(), Stdio::piped());
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let cut = outcome(&arena, line, full.into(), Stdio::piped());
        let said = text(&cut.stderr);
        if whole.stdout.is_empty() {
            assert_eq!(code(&cut), code(&whole), "{line}: {said}");
        } else {
            assert_eq!(code(&cut), 1, "{line}: {said}");
            assert!(said.contains("could not write to stdout: No space left on device"), "{line}: {said}");
        }
    }
}
