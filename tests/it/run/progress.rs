//! The progress that a run shows on a terminal while it plays.

use std::fs::File;
use std::io::Read as _;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::harness::arena::{Arena, text};
use crate::harness::on_terminal::OnTerminal;
use crate::harness::waiting::InTime as _;

const TOML: &str =
    "rounds = 3\n[[player]]\nname = \"one\"\nbuiltin = \"random\"\n[[player]]\nname = \"two\"\nbuiltin = \"greedy\"\n";

/// Runs a tournament with `args` on a terminal with `columns` columns. Returns the output on stderr, which is the
/// terminal, and on stdout.
fn on_terminal(args: &[&str], columns: u16, variables: &[(&str, &str)]) -> (String, String) {
    let arena = Arena::new(TOML);
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a terminal");
    tcsetwinsize(&terminal, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
    let name = ptsname(&terminal, Vec::new()).expect("a name").into_string().expect("text");
    let stderr = File::options().read(true).write(true).open(&name).expect("opened");
    let mut command = arena.command(&[&["run", "class.toml", "--out", "out", "--isolation", "off"], args].concat());
    command.env_remove("CI").env("NO_COLOR", "1").env("TERM", "xterm").envs(variables.iter().copied());
    let child = command.stdout(Stdio::piped()).stderr(stderr).start().expect("it starts");
    // Only the program may hold the terminal open, so that reading ends when the program does.
    drop(command);
    let mut shown = Vec::new();
    // The kernel reports the closed terminal as an error.
    let _ = File::from(terminal).read_to_end(&mut shown);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&shown));
    (text(&shown), text(&output.stdout))
}

/// The lines of `shown` without escape sequences.
fn drawn(shown: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut letters = shown.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' if letters.next() == Some(']') => {
                let _ = letters.by_ref().find(|&letter| letter == '\u{7}');
            }
            '\u{1b}' => {
                let _ = letters.by_ref().find(char::is_ascii_alphabetic);
            }
            '\r' => plain.push('\n'),
            letter => plain.push(letter),
        }
    }
    plain.lines().map(str::to_owned).collect()
}

#[test]
fn on_a_terminal_a_block_replaces_the_lines_and_stdout_stays_the_same() {
    let (lines, plain) = on_terminal(&["--progress", "counter"], 80, &[]);
    assert!(lines.contains("[6/6] r3-"), "{lines}");
    for columns in [80, 40] {
        let (shown, stdout) = on_terminal(&[], columns, &[]);
        assert_eq!(stdout, plain);
        let rows = drawn(&shown);
        assert!(rows.iter().any(|row| row.contains("/6  ")), "{rows:?}");
        assert!(!rows.iter().any(|row| row.contains("6/6] r3-")), "{rows:?}");
        let [saved, set, restored] = ["\u{1b}[22;0t", "\u{1b}]0;", "\u{1b}[23;0t"].map(|code| shown.find(code));
        assert!(saved.is_some() && saved < set && set < restored, "{shown:?}");
    }
}

#[test]
fn on_a_terminal_the_standings_begin_with_who_won_and_are_explained_on_request() {
    let arena = Arena::new(TOML);
    let run = ["run", "class.toml", "--out", "out", "--isolation", "off"];
    for arguments in [&run[..], &["standings", "out"]] {
        let screen = OnTerminal::start(arena.path(), arguments, (80, 24), "C.UTF-8");
        let shown = screen.assert_ends(0);
        for part in [
            "two is first, with ",
            "6 games, no forfeits",
            "Elo ±95%",
            "Black's first move is worth",
            "Results: out",
            "gothello-arena report out --open",
            "gothello-arena standings out --explain",
        ] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        assert!(!shown.contains("Davidson"), "{shown}");
    }
    let screen = OnTerminal::start(arena.path(), &["standings", "out", "--explain"], (100, 30), "C.UTF-8");
    let shown = screen.assert_ends(0);
    assert!(shown.contains("Davidson") && !shown.contains("is first"), "{shown}");
    let plain = text(&arena.output(&["standings", "out"]).stdout);
    assert!(plain.starts_with(" #  player") && !plain.contains("Davidson"), "{plain}");
    let explained = text(&arena.output(&["standings", "out", "--explain"]).stdout);
    assert!(explained.contains("Weak prior: ") && explained.contains("Margin: "), "{explained}");
    let json = arena.output(&["standings", "out", "--explain", "--format", "csv"]);
    assert_eq!(json.status.code(), Some(2), "{}", text(&json.stderr));
}

#[test]
fn the_environment_chooses_how_progress_is_shown() {
    let (ci, _) = on_terminal(&[], 80, &[("CI", "true")]);
    assert!(ci.contains("[6/6] r3-"), "{ci}");
    let (none, _) = on_terminal(&[], 80, &[("GOTHELLO_ARENA_PROGRESS", "none")]);
    assert!(!none.contains("/6"), "{none}");
    let arena = Arena::new(TOML);
    let wrong = arena.command(&["run", "class.toml"]).env("GOTHELLO_ARENA_PROGRESS", "bars").output_in_time();
    let wrong = wrong.expect("the program starts");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("`bars` is not a valid value: expected `auto`, `bar`, `counter` or `none`"),
        "{}",
        text(&wrong.stderr)
    );
}
