//! The limit on open files: the arena raises it for itself, restores it for bots, and reports when it is too low.

use std::fs;
use std::process::{Command, Stdio};

use crate::harness::arena::{Arena, program, text};
use crate::harness::waiting::InTime as _;
use crate::referee::serve::Server;

/// The program with the arguments `words`, limited to `limit` open files; `flag` is the option of `ulimit` that sets
/// the soft limit, the hard limit or both.
fn limited(flag: &str, limit: u32, words: &str) -> Command {
    let mut shell = Command::new("sh");
    let script = format!("ulimit {flag} {limit}; exec \"$0\" {words}");
    shell.args(["-c", &script, program()]);
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

#[test]
fn the_arena_raises_its_soft_limit_on_open_files_to_the_hard_one() {
    let server = Server::spawn(&mut limited("-Sn", 77, "serve --port 0"));
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).expect("it runs");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("the limit is listed");
    let figures: Vec<&str> = line.split_whitespace().skip(3).take(2).collect();
    assert!(figures[0] == figures[1] && figures[0] != "77", "{line}");
}

#[test]
fn bots_get_the_limit_that_the_arena_was_started_with() {
    let arena = Arena::new(
        r#"
        hello_timeout = "20s"
        [[player]]
        name = "bot"
        command = ["sh", "-c", "until [ $(ulimit -Sn) = 77 ]; do :; done; echo given back >&2"]
        [[player]]
        name = "random"
        builtin = "random"
        "#,
    );
    let mut run = limited("-Sn", 77, "run class.toml --out out --isolation off");
    let output = run.current_dir(arena.path()).output_in_time().expect("the shell starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = fs::read_to_string(arena.out().join("games/r1-bot-random.black.stderr")).expect("kept");
    assert_eq!(said, "given back\n");
}

#[test]
fn too_low_a_limit_for_the_concurrency_is_reported_before_the_first_game() {
    let arena = Arena::new(
        "[[player]]\nname = \"one\"\nbuiltin = \"random\"\n[[player]]\nname = \"other\"\nbuiltin = \"greedy\"\n",
    );
    let mut run = limited("-n", 200, "run class.toml --out out --concurrency 50");
    let output = run.current_dir(arena.path()).output_in_time().expect("the shell starts");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    let (before, _) = stderr.split_once("[1/2]").unwrap_or_else(|| panic!("{stderr}"));
    assert!(
        before.contains("50 concurrent games may need 1064 open files, but the limit of this process is 200"),
        "{stderr}"
    );
}
