//! The output of `check --bots` for real bots: files, streams and exit codes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::arena::{Arena, is_withheld, program};
use crate::harness::waiting::{InTime as _, Lines, until};

/// A bot that follows no protocol, and writes text that would control a terminal or a CI server.
const HOSTILE: &str = r#"
import socket, sys
print("\x1b[2J::stop-commands::x\n::error title=x::y\n##[error]z\n````\n\u202e|", file=sys.stderr)
connection = socket.create_connection((sys.argv[2], 29068 + int(sys.argv[3])))
connection.sendall(b"\x1b]0;x\x07 ::error::x ##[error]y ]]> not ok 1 # SKIP\r\n")
connection.recv(1000)
"#;

/// Runs `check` with `options` on the hostile bot, with `summary` as the summary file of a CI step.
fn check(dir: &Path, options: &[&str], summary: Option<&Path>) -> Output {
    fs::write(dir.join("bot.py"), HOSTILE).unwrap();
    let mut arena = Command::new(program());
    arena.arg("check").args(options).args([
        "--only",
        "hello",
        "--command",
        "python3",
        "bot.py",
        "{side}",
        "{host}",
        "{server}",
    ]);
    match summary {
        Some(file) => arena.env("GITHUB_STEP_SUMMARY", file),
        None => arena.env_remove("GITHUB_STEP_SUMMARY"),
    };
    arena.current_dir(dir).output_in_time().expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// The lines of `text` that GitHub Actions takes for commands.
fn commands(text: &str) -> Vec<&str> {
    assert!(!text.contains("##["), "{text}");
    text.lines().filter(|line| line.trim_start().starts_with("::")).collect()
}

#[test]
fn a_hostile_bot_gives_no_command_and_steers_no_terminal() {
    let dir = TempDir::new().unwrap();
    for format in ["text", "tap", "junit", "json"] {
        let output = check(dir.path(), &["--format", format], None);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        let shown = text(&output.stdout).to_owned() + text(&output.stderr);
        assert_eq!(commands(&shown), Vec::<&str>::new());
        assert!(!shown.contains(['\x1b', '\u{202e}', '\x07']), "{shown}");
    }
    let transcript = fs::read_to_string(dir.path().join("results/bot.check/bot/hello.black.txt")).unwrap();
    assert!(transcript.contains("<1b>]0;x<07> ::error::x"), "{transcript}");
    assert!(transcript.contains("  \\u{1b}[2J::stop-commands::x\n"), "{transcript}");
}

#[test]
fn workflow_commands_are_outside_reports_for_programs() {
    let dir = TempDir::new().unwrap();
    let summary = dir.path().join("summary.md");
    let on_stdout = check(dir.path(), &["--github"], Some(&summary));
    assert_eq!(commands(text(&on_stdout.stdout)).len(), 1, "{}", text(&on_stdout.stdout));
    let on_stderr = check(dir.path(), &["--github", "--format", "json"], Some(&summary));
    let value: Value = serde_json::from_slice(&on_stderr.stdout).expect("nothing but JSON");
    assert_eq!(value["players"][0]["verdict"], "not_ready");
    assert_eq!(commands(text(&on_stderr.stderr)).len(), 1, "{}", text(&on_stderr.stderr));
    let shown = fs::read_to_string(&summary).unwrap();
    assert_eq!(shown.matches("### Bots ready to play").count(), 2, "a step may have several commands: {shown}");
    let untold = check(dir.path(), &["--github"], None);
    assert!(text(&untold.stderr).contains("GITHUB_STEP_SUMMARY is not set"), "{}", text(&untold.stderr));
}

#[test]
fn the_summary_of_a_step_stays_below_what_github_takes() {
    let dir = TempDir::new().unwrap();
    let summary = dir.path().join("summary.md");
    let earlier = "x".repeat(900 * 1024 - 500);
    fs::write(&summary, &earlier).unwrap();
    assert_eq!(check(dir.path(), &["--github"], Some(&summary)).status.code(), Some(3));
    let shown = fs::read_to_string(&summary).unwrap();
    assert!(shown.len() <= 900 * 1024 && shown.len() > earlier.len(), "{}", shown.len());
    assert!(shown.contains("left out"));
}

#[test]
fn a_report_in_a_file_leaves_stdout_to_people() {
    let dir = TempDir::new().unwrap();
    let output = check(dir.path(), &["--format", "tap", "--output", "new/check.tap", "--transcripts", "seen"], None);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("\n  verdict: not ready: "), "{}", text(&output.stdout));
    let tap = fs::read_to_string(dir.path().join("new/check.tap")).unwrap();
    assert!(tap.starts_with("TAP version 14\n1..1\n# Subtest: bot\n    1..2\n    not ok 1 - hello (black)"), "{tap}");
    assert!(dir.path().join("seen/bot/hello.white.txt").is_file());
    assert!(!dir.path().join("results/bot.check").join("bot").exists());
}

#[test]
fn options_of_reports_need_bots_to_report_on() {
    for options in
        [&["--strict"][..], &["--github"], &["--format", "json"], &["--output", "x"], &["--transcripts", "x"]]
    {
        let output = Command::new(program()).arg("check").args(options).output_in_time().unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}");
    }
    let list = Command::new(program()).args(["check", "--list"]).output_in_time().unwrap();
    assert_eq!(list.status.code(), Some(0));
    assert!(text(&list.stdout).contains("\nplain "), "{}", text(&list.stdout));
}

/// Runs `check` with `words`, in `dir`.
fn check_with(dir: &Path, words: &[&str]) -> Output {
    let mut arena = Command::new(program());
    arena.arg("check").args(words).current_dir(dir).output_in_time().expect("the program starts")
}

#[test]
fn a_bot_that_never_comes_is_not_ready_whatever_was_asked_for() {
    let dir = TempDir::new().unwrap();
    for only in ["clock", "lf-only"] {
        let output = check_with(dir.path(), &["--only", only, "--command", "false"]);
        assert_eq!(output.status.code(), Some(3), "{only}: {}", text(&output.stdout));
        assert!(text(&output.stdout).contains("FAIL  hello (as black and as white)"), "{}", text(&output.stdout));
    }
}

#[test]
fn a_check_of_nothing_is_a_mistake_in_the_command_line() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    for (words, problem) in [
        (&["--only", "hello", "--skip", "hello", "--command", "true"][..], "leave no scenario"),
        (&["--bots"], "no player in the file is a program"),
        (&["--only", "hello"], "required arguments"),
        (&["--only", "helo", "--command", "true"], "did you mean `hello`"),
        (&["--output", "file/report", "--command", "true"], "--output: cannot write"),
        (&["--transcripts", "file", "--command", "true"], "--transcripts: cannot write"),
    ] {
        let output = check_with(dir.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(problem), "{words:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{words:?}");
    }
}

#[test]
fn a_program_sees_the_files_beside_the_one_that_its_command_names() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("bot.py"), "import beside").unwrap();
    fs::write(dir.path().join("beside.py"), HOSTILE).unwrap();
    let words = ["--only", "hello", "--command", "python3", "bot.py", "{side}", "{host}", "{server}"];
    let output = check_with(dir.path(), &words);
    let transcript = fs::read_to_string(dir.path().join("results/bot.check/bot/hello.black.txt"));
    assert!(transcript.is_ok_and(|shown| shown.contains("::error::x")), "{}", text(&output.stdout));
}

/// Copies a bot from the folder of faulty bots to `dir`, together with the correct bot from which it is derived.
fn copy_faulty(name: &str, dir: &Path) {
    let faulty = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/faulty");
    for file in ["correct.py", name] {
        fs::copy(faulty.join(file), dir.join(file)).expect(file);
    }
}

/// Checks a bot from the folder of faulty bots in the two scenarios on which others depend, with `options`. The words
/// `args` precede the words of the bot's own command. Returns the bot's trials by name, and the whole report.
fn trials(name: &str, options: &[&str], args: &[&str]) -> (BTreeMap<String, Value>, Value) {
    let dir = TempDir::new().unwrap();
    copy_faulty(name, dir.path());
    let words = options.iter().chain(&["--format", "json", "--only", "hello", "--only", "plain"]);
    let bot = ["--command", "python3", name].into_iter().chain(args.iter().copied());
    let words: Vec<&str> = words.copied().chain(bot).chain(["{side}", "{host}", "{server}"]).collect();
    let output = check_with(dir.path(), &words);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let of_bot = json["players"][0]["scenarios"].as_array().expect("trials").iter();
    let name = |trial: &Value| format!("{}.{}", trial["id"].as_str().unwrap(), trial["side"].as_str().unwrap());
    (of_bot.map(|trial| (name(trial), trial.clone())).collect(), json)
}

/// The status of the trial, and whether its summary contains `what`.
fn told(trial: &Value, what: &str) -> (String, bool) {
    let [status, summary] = ["status", "summary"].map(|key| trial[key].as_str().expect("text"));
    (status.to_owned(), summary.contains(what))
}

#[test]
fn a_bot_that_takes_either_side_is_seated_and_told_so() {
    let (trials, json) = trials("asks_any.py", &[], &[]);
    for side in ["black", "white"] {
        assert_eq!(told(&trials[&format!("hello.{side}")], "`player ?`"), ("info".to_owned(), true), "{json:#}");
        assert_eq!(trials[&format!("plain.{side}")]["status"], "pass", "{json:#}");
    }
    assert_eq!(json["players"][0]["verdict"], "open", "two scenarios do not make a bot ready");
}

#[test]
fn a_bot_that_talks_on_two_connections_is_refused_on_one_and_warned() {
    for when in ["before", "after"] {
        let (trials, json) = trials("connects_twice.py", &[], &[when]);
        for side in ["black", "white"] {
            let hello = &trials[&format!("hello.{side}")];
            assert_eq!(told(hello, "on 2 connections"), ("warn".to_owned(), true), "{when}: {json:#}");
            // If two connections say hello at the same time, either may get the seat.
            let plays = when == "before" || trials[&format!("plain.{side}")]["status"] == "pass";
            assert!(plays, "{when}: {json:#}");
        }
    }
}

#[test]
fn a_game_that_fails_once_and_not_again_is_a_failure_that_is_called_flaky() {
    let (trials, json) = trials("resigns_once.py", &["--isolation", "off"], &[]);
    assert_eq!(told(&trials["plain.black"], "(FLAKY)"), ("fail".to_owned(), true), "{json:#}");
    assert_eq!(told(&trials["plain.black"], "It resigned after its move 1."), ("fail".to_owned(), true), "{json:#}");
    for (name, trial) in &trials {
        assert_eq!(trial["flaky"], name == "plain.black", "{json:#}");
        // The bot left on its own, but the time to exit is measured only after a game that was played to its end.
        assert_eq!(trial["exit"]["after_end_ms"].is_null(), name == "plain.black", "{json:#}");
    }
    assert_eq!(json["players"][0]["verdict"], "not_ready");
}

#[test]
fn a_quick_check_plays_with_the_clocks_of_the_file() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("bot")).unwrap();
    copy_faulty("asks_any.py", &dir.path().join("bot"));
    let tournament = r#"
        time = "7s"
        [[player]]
        name = "quick"
        dir = "bot"
        command = ["python3", "correct.py", "{side}", "{host}", "{server}"]
        [[player]]
        name = "random"
        builtin = "random"
    "#;
    fs::write(dir.path().join("class.toml"), tournament).unwrap();
    let words = ["class.toml", "--bots", "--quick", "--format", "json", "--transcripts", "seen"];
    let output = check_with(dir.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let trials = json["players"][0]["scenarios"].as_array().expect("trials").iter();
    let ids: Vec<&str> = trials.filter_map(|trial| trial["id"].as_str()).collect();
    assert_eq!(ids, ["hello", "hello", "plain", "plain", "clock", "clock", "legal-20", "legal-20"]);
    let seen = fs::read_to_string(dir.path().join("seen/quick/clock.black.txt")).expect("a transcript");
    assert!(seen.contains("101 7 7 "), "{seen}");
}

#[test]
fn scenarios_about_clocks_are_played_under_the_control_that_they_are_about() {
    let dir = TempDir::new().unwrap();
    for (time, only, expected) in [
        ("10s", &[][..], vec!["clock", "clock-uneven", "clock-short"]),
        ("60s + 1s", &[], vec!["clock", "clock-uneven", "clock-short", "clock-increment"]),
        ("10m, 5 x 30s", &[], vec!["clock", "clock-uneven", "clock-short", "clock-periods"]),
        ("1s/move", &[], vec!["clock", "clock-move"]),
        ("1s/move, bank 60s", &[], vec!["clock", "clock-bank"]),
        ("1s/move", &["clock-increment", "clock-uneven"], vec!["clock-uneven", "clock-increment"]),
    ] {
        let only = only.iter().flat_map(|id| ["--only", *id]);
        let words = ["--format", "json", "--time", time].into_iter().chain(only).chain(["--command", "false"]);
        let output = check_with(dir.path(), &words.collect::<Vec<_>>());
        let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        let trials = json["players"][0]["scenarios"].as_array().expect("trials").iter();
        let black = trials.filter(|trial| trial["side"] == "black").filter_map(|trial| trial["id"].as_str());
        assert_eq!(black.filter(|id| id.starts_with("clock")).collect::<Vec<_>>(), expected, "{time}");
    }
    let output = check_with(dir.path(), &["--time", "1s/turn", "--command", "false"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("not a time control (write 60s"), "{}", text(&output.stderr));
}

#[test]
fn a_check_that_is_terminated_reports_what_it_has_played() {
    let dir = TempDir::new().unwrap();
    copy_faulty("asks_any.py", dir.path());
    let bot = "import sys, time\nfrom correct import Player\nclass Bot(Player):\n    def choose(self):\n        \
               if self.number > 1:\n            open('plays', 'w').close()\n            time.sleep(600)\n        \
               return super().choose()\nBot(sys.argv[1:]).run()\n";
    fs::write(dir.path().join("bot.py"), bot).unwrap();
    let mut arena = Command::new(program());
    arena.current_dir(dir.path()).args(["check", "--isolation", "off", "--time", "60s"]);
    arena.args(["--command", "python3", "bot.py", "{side}", "{host}", "{server}"]).stdout(Stdio::piped());
    let arena = arena.stderr(Stdio::piped()).start().expect("the program starts");
    until("the second game", || dir.path().join("plays").exists().then_some(()));
    kill(Pid::from_raw(arena.id().cast_signed()), Signal::SIGTERM).expect("it runs");
    let output = arena.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(143));
    let shown = text(&output.stdout);
    assert!(shown.contains("  PASS  hello (as black)\n") && shown.contains("the check was interrupted"), "{shown}");
    assert!(shown.contains("  verdict: open: the only MUST check that was tried passes, and 27 were not"), "{shown}");
}

#[test]
fn the_verdict_on_each_bot_of_a_class_is_told_as_soon_as_it_is_known() {
    if is_withheld(rustix::process::Signal::INT) {
        return;
    }
    let dir = TempDir::new().unwrap();
    copy_faulty("correct.py", dir.path());
    // The last bot never says hello, so the check is far from its end when the others have been judged.
    let player = |name: &str, words: &str| format!("[[player]]\nname = \"{name}\"\ncommand = [{words}]\n");
    let class = [
        "hello_timeout = \"10m\"\nisolation = \"off\"\n".to_owned(),
        player("heron", "\"python3\", \"correct.py\", \"{side}\", \"{host}\", \"{server}\""),
        player("robin", "\"false\", \"{port}\""),
        player("wren", "\"sleep\", \"600\", \"{port}\""),
    ];
    fs::write(dir.path().join("class.toml"), class.concat()).unwrap();
    let mut command = Command::new(program());
    command.current_dir(dir.path()).args(["check", "class.toml", "--bots", "--only", "hello"]).stdout(Stdio::null());
    let mut check = Arena::started(&mut command);
    // Bots are checked at the same time.
    let mut told = [(); 2].map(|()| check.hear(" MUST checks "));
    told.sort();
    assert!(told[0].starts_with("gothello-arena: heron: open: all 2 MUST checks that were tried pass"), "{told:?}");
    assert!(told[1].starts_with("gothello-arena: robin: not ready: 2 of 2 MUST checks fail"), "{told:?}");
    check.signal(rustix::process::Signal::INT);
    // The last bot's game would still go on for minutes.
    check.hear("press Ctrl-C again to stop the running games now");
    check.signal(rustix::process::Signal::INT);
    let (code, said) = check.end();
    assert_eq!((code, said.contains("wren: open")), (Some(130), false), "{said}");
}

#[test]
fn a_bot_that_is_slow_to_say_hello_is_told_how_long_it_took() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("bot")).unwrap();
    copy_faulty("slow_start.py", &dir.path().join("bot"));
    let tournament = r#"
        hello_timeout = "2s"
        [[player]]
        name = "slow"
        dir = "bot"
        command = ["python3", "slow_start.py", "3", "{side}", "{host}", "{server}"]
        [[player]]
        name = "random"
        builtin = "random"
    "#;
    fs::write(dir.path().join("class.toml"), tournament).unwrap();
    let output = check_with(dir.path(), &["class.toml", "--bots", "--format", "json", "--only", "hello"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    for trial in json["players"][0]["scenarios"].as_array().expect("trials") {
        let slow = "no hello within 2s (key `hello_timeout`), and in a second try it came after ";
        assert_eq!(told(trial, slow), ("fail".to_owned(), true), "{json:#}");
        assert_eq!(trial["diagnoses"], Value::Array(Vec::new()), "the bot is slow, but flushes its output");
    }
}

#[test]
fn a_bot_that_somebody_starts_by_hand_is_tried_over_loopback() {
    let dir = TempDir::new().unwrap();
    let mut arena = Command::new(program());
    arena.current_dir(dir.path()).args(["check", "--format", "json", "--listen", "127.0.0.1:0"]);
    arena.args(["--only", "hello", "--only", "plain"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut arena = arena.start().expect("the program starts");
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/faulty/correct.py");
    let mut starts = Vec::new();
    let mut stderr = Lines::new(arena.stderr.take().expect("piped"));
    loop {
        let line = stderr.line("what to start");
        if line.is_empty() {
            break;
        }
        let Some((game, wanted)) = line.trim_end().split_once(": start your bot as ") else { continue };
        let (side, address) = wanted.split_once(" on 127.0.0.1:").expect("an address");
        let server = address.parse::<i32>().expect("a port") - 29068;
        let status = Command::new("python3").arg(&bot).args([side, "127.0.0.1", &server.to_string()]).status_in_time();
        assert!(status.expect("python3 starts").success(), "{line}");
        starts.push(format!("{}.{side}", game.rsplit(' ').next().unwrap_or_default()));
    }
    assert_eq!(starts, ["hello.black", "plain.black", "hello.white", "plain.white"]);
    let output = arena.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["isolation"], "", "the arena confines no bot that it does not start");
    for trial in json["players"][0]["scenarios"].as_array().expect("trials") {
        assert_eq!((&trial["status"], &trial["exit"]), (&Value::from("pass"), &Value::Null), "{json:#}");
    }
}
