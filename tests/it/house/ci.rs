//! The parts on which a CI job relies: the schema of the JSON, and the example job, which the test runs exactly as
//! written.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use gothello_arena::game::Side;
use gothello_arena::results::rating::{Elo, Model, Prior};
use gothello_arena::results::report::{self, Extra, Extras, ReportFormat};
use gothello_arena::results::standings::{Anchor, GameSummary, RatingOptions, Standings};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

use crate::harness::arena::{assert_gone, program, text};
use crate::harness::waiting::{InTime as _, LIMIT, Lines};
use crate::house::json::{fits, strict};
use crate::results::standings::{game, mixed, won};

fn docs(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_json_conforms_to_its_schema() {
    let schema = strict("standings");
    let lost = vec![game(1, "ada", "bea", won(Some(Side::Black), 5)), game(2, "cyd", "dov", None)];
    let anchors = vec![Anchor { player: "ada".to_owned(), elo: Elo(1500.0), deviation: None }];
    let (unbounded, anchored) = (
        RatingOptions { prior: Prior::None, ..RatingOptions::default() },
        RatingOptions { model: Model::BtHalf, anchors, min_games: 3, ..RatingOptions::default() },
    );
    let mut nulls = 0;
    for games in [mixed(), lost, Vec::<GameSummary>::new()] {
        for options in [&RatingOptions::default(), &unbounded, &anchored] {
            if games.is_empty() && !options.anchors.is_empty() {
                continue;
            }
            let standings = Standings::new(&games.iter().collect(), options).unwrap();
            for extras in [Extras::default(), Extra::ALL.into_iter().collect()] {
                let text = report::render(&standings, ReportFormat::Json, extras);
                nulls += text.matches(": null").count();
                fits(&schema, &text);
            }
        }
    }
    assert!(nulls > 0, "the nullable fields must occur as null, too");
}

#[test]
fn the_schema_rejects_malformed_json() {
    let schema = strict("standings");
    let standings = Standings::new(&mixed().iter().collect(), &RatingOptions::default()).unwrap();
    let extras = Extra::ALL.into_iter().collect();
    let good = fits(&schema, &report::render(&standings, ReportFormat::Json, extras));
    for (field, wrong) in [
        ("format", json!(2)),
        ("rank", json!(0)),
        ("elo", json!("12")),
        ("games", json!(1.5)),
        ("score", json!(1.1)),
        ("model", json!("elo")),
        ("black", json!({"wins": 1, "draws": 0})),
        ("forfeits_by_kind", json!({"time": 0})),
        ("surprise", json!(1)),
        ("usage", json!({"games": 1})),
    ] {
        let mut bad = good.clone();
        bad[0][field] = wrong;
        assert!(!schema.is_valid(&bad), "{field}");
    }
    let mut bad = good;
    bad[0].as_object_mut().unwrap().remove("margin");
    assert!(!schema.is_valid(&bad));
}

/// The name and the script of each step in a workflow or an action, except steps without a script.
pub(super) fn steps(workflow: &str) -> Vec<(String, String)> {
    let (_, steps) = workflow.split_once("steps:\n").expect("steps");
    let indent = &steps[..steps.find('-').expect("a step")];
    let mut scripts = Vec::new();
    for step in format!("\n{steps}").split(&format!("\n{indent}- ")).skip(1) {
        let name = step.strip_prefix("name: ").and_then(|rest| rest.lines().next());
        if let (Some(name), Some((_, script))) = (name, step.split_once(&format!("\n{indent}  run: |\n"))) {
            let margin = format!("{indent}    ");
            let lines: Vec<&str> =
                script.lines().take_while(|line| line.is_empty() || line.starts_with(&margin)).collect();
            let script = lines.iter().map(|line| format!("{}\n", line.strip_prefix(&margin).unwrap_or_default()));
            scripts.push((name.to_owned(), script.collect()));
        }
    }
    scripts
}

/// Runs a script the way a CI server does.
pub(super) fn bash(dir: &Path, script: &str) -> Output {
    let bin = Path::new(program()).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
        .env("PATH", path)
        .env("GITHUB_STEP_SUMMARY", dir.join("summary.md"))
        .current_dir(dir)
        .output_in_time()
        .unwrap()
}

#[test]
fn the_example_job_passes_a_good_bot_and_fails_a_bad_one() {
    let steps = steps(&docs("ci-example.yml"));
    let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
    let expected =
        ["Install the arena", "Build the bot", "Describe the tournament", "Check the protocol", "Play", "Judge"];
    assert_eq!(names, expected);
    for (broken, judged) in [(None, Some(0)), (Some("int main(void) { return 1; }\n"), Some(3))] {
        let dir = TempDir::new().unwrap();
        assert!(bash(dir.path(), "gothello-arena init bot c").status.success());
        if let Some(source) = broken {
            fs::write(dir.path().join("bot/bot.c"), source).unwrap();
        }
        // The arena under test is already installed, so the first step is skipped.
        for (name, script) in &steps[1..] {
            let output = bash(dir.path(), script);
            let expected = if ["Check the protocol", "Judge"].contains(&name.as_str()) { judged } else { Some(0) };
            let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), expected, "{name}:\n{stdout}{stderr}");
            if name == "Check the protocol" {
                assert_eq!(stdout.contains("\n::error title=student%3A hello"), judged != Some(0), "{stdout}");
            }
        }
        let checked = fs::read_to_string(dir.path().join("results/check.xml")).unwrap();
        assert!(checked.contains("<testcase classname=\"student\" name=\"plain.white\""), "{checked}");
        let transcript = fs::read_to_string(dir.path().join("results/transcripts/student/hello.black.txt")).unwrap();
        assert!(transcript.contains("scenario  hello as black (MUST)"), "{transcript}");
        let junit = fs::read_to_string(dir.path().join("results/junit.xml")).unwrap();
        assert!(junit.contains("tests=\"3\""), "{junit}");
        let summary = fs::read_to_string(dir.path().join("summary.md")).unwrap();
        assert!(summary.contains("### Bots ready to play: ") && summary.contains("| student"), "{summary}");
    }
}

/// The versions of Rust that `text` names in `rust-version = "1.2"`, `toolchain (1.2 or later)`, `toolchain install
/// 1.2` or `cargo +1.2`.
fn rust_versions(text: &str) -> Vec<&str> {
    let after = ["rust-version = \"", "toolchain (", "toolchain install ", "cargo +"];
    let found = after.into_iter().flat_map(|before| text.split(before).skip(1));
    found.map(|rest| rest.split(|end: char| end != '.' && !end.is_ascii_digit()).next().unwrap_or_default()).collect()
}

#[test]
fn everything_names_the_same_oldest_version_of_rust() {
    let version = env!("CARGO_PKG_RUST_VERSION");
    assert_eq!(
        rust_versions("cargo +1.2 x; rust-version = \"1.3.4\" toolchain install 1.5\n"),
        ["1.3.4", "1.5", "1.2"]
    );
    for (file, times) in [
        ("Cargo.toml", 1),
        ("fuzz/Cargo.toml", 1),
        ("README.md", 1),
        ("docs/reference/ci-example.yml", 2),
        ("docs/reference/several-machines.md", 4),
        ("examples/bot.yml", 2),
    ] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        assert_eq!(rust_versions(&text), vec![version; times], "{file}");
        // Commands that install the arena name its version.
        assert!(!text.contains("cargo install --locked --git"), "{file}");
    }
}

/// The script through which cargo starts test programs.
fn watched(seconds: &str, script: &str) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(".cargo/watch-tests"));
    command.args([seconds, "sh", "-c", script]);
    command
}

#[test]
fn a_test_that_hangs_is_ended_and_named() {
    let run = |seconds: &str, script: &str| {
        let output = watched(seconds, script).output_in_time().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    // A single write makes all lines arrive at the same time.
    let hangs = "sleep 600 & printf '%s\\n' $! 'test a::slow has been running for over 60 seconds' \
                 'test a::hangs has been running for over 60 seconds' 'test a::slow ... ok'; wait";
    let (code, stdout, stderr) = run("5", hangs);
    assert_eq!(code, Some(101), "{stdout}{stderr}");
    assert!(stderr.contains("HUNG: test a::hangs of sh was running when no test had ended for 5 s"), "{stderr}");
    assert!(!stderr.contains("a::slow") && stdout.ends_with("test a::slow ... ok\n"), "{stdout}{stderr}");
    assert_gone(stdout.lines().next().and_then(|id| id.parse().ok()).expect("an id"));

    // With one thread, the name of a test is printed before it begins.
    let (code, _, stderr) = run("5", "printf 'test a::first ... ok\\ntest a::second ... '; sleep 600");
    assert_eq!(code, Some(101), "{stderr}");
    assert!(stderr.contains("HUNG: test a::second of sh was") && !stderr.contains("a::first"), "{stderr}");

    // The script ends when the tests do and returns their exit code, even if a test has left behind a process that
    // keeps the output open.
    let left = "sleep 600 2> /dev/null & echo $!; echo 'test a::slow has been running for over 60 seconds'; exit 101";
    let (code, stdout, stderr) = run("600", left);
    assert_eq!((code, stderr.as_str()), (Some(101), ""), "{stdout}");
    let left = stdout.lines().next().and_then(|id| id.parse().ok()).and_then(Pid::from_raw).expect("an id");
    kill_process(left, Signal::KILL).expect("still running");

    // When the time for all tests is over, the script lists the tests that are still running after a long time.
    let mut command = watched("600", hangs);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut interrupted = command.start().unwrap();
    let mut stdout = Lines::new(interrupted.stdout.take().expect("piped"));
    stdout.hear("a::slow ... ok");
    kill_process(Pid::from_child(&interrupted), Signal::TERM).expect("still running");
    let stderr = text(&interrupted.wait_with_output().unwrap().stderr);
    assert!(stderr.contains("HUNG: test a::hangs of sh was ") && !stderr.contains("a::slow"), "{stderr}");
}

/// Hangs if the next test asks it to.
#[test]
fn a_test_hangs_where_another_test_asks_for_it() {
    if std::env::var_os("GOTHELLO_ARENA_HANG").is_some() {
        std::thread::sleep(LIMIT);
    }
}

#[test]
fn cargo_ends_a_program_of_tests_that_hangs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = fs::read_to_string(root.join(".cargo/config.toml")).unwrap();
    assert!(config.contains("\nrunner = \".cargo/runner\"\n"), "{config}");
    let these_tests = std::env::current_exe().expect("known");
    let hangs = concat!(module_path!(), "::a_test_hangs_where_another_test_asks_for_it").trim_start_matches("it::");
    let mut command = Command::new(root.join(".cargo/runner"));
    command.arg(these_tests).args(["--exact", hangs, "--test-threads=1"]);
    command.env("GOTHELLO_ARENA_HANG", "").env("GOTHELLO_ARENA_TEST_LIMIT", "5");
    let output = command.output_in_time().unwrap();
    assert_eq!(output.status.code(), Some(101));
    let stderr = text(&output.stderr);
    assert!(stderr.contains(&format!("HUNG: test {hangs} of ")), "{stderr}");

    // Programs that are not tests run without the watch and its time limit.
    let mut command = Command::new(root.join(".cargo/runner"));
    let output = command.args(["sh", "-c", "echo $PPID; sleep 0; exit 7"]).output_in_time().unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(text(&output.stdout).trim(), std::process::id().to_string());
}

#[test]
fn tests_start_no_python_through_the_script_of_a_version_manager() {
    if Path::new("/usr/bin/cargo").exists() || !Path::new("/usr/bin/python3").exists() {
        return;
    }
    let shims = TempDir::new().unwrap();
    let shim = shims.path().join("python3");
    fs::write(&shim, "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n").unwrap();
    fs::set_permissions(&shim, Permissions::from_mode(0o755)).unwrap();
    let first = |path: &str| {
        let output = watched("600", "command -v python3").env("PATH", path).output_in_time().unwrap();
        text(&output.stdout).trim().to_owned()
    };
    assert_eq!(first(&format!("{}:/usr/bin:/bin", shims.path().display())), "/usr/bin/python3");
}

#[test]
fn tests_that_were_skipped_are_counted_and_named_at_the_end() {
    let said = |script: &str| text(&watched("600", script).output_in_time().unwrap().stderr);
    let lines = "printf 'a::b\\tnats\\tno broker\\na::b\\tnats\\tno broker\\na::c\\taxe\\tno file\\n' >> $GOTHELLO_ARENA_SKIPPED";
    let told = "\nNOT TESTED: 2 tests, or parts of them, were skipped\n  axe: no file\n    a::c\n  nats: no broker\n    a::b\n";
    assert!(said(lines).starts_with(told), "{}", said(lines));
    assert_eq!(said("true"), "");
}

/// The commands shown in the comments of the tournament file `file`.
fn shown_commands(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tournaments").join(file);
    let text = fs::read_to_string(path).unwrap();
    let commands = text.lines().filter_map(|line| line.strip_prefix("#   gothello-arena "));
    commands.map(|command| format!("gothello-arena {command}\n")).collect()
}

#[test]
fn the_example_tournaments_with_requirements_run_as_their_comments_say() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("tournaments")).unwrap();
    for (file, held) in [("gauntlet.toml", 2), ("sprt.toml", 1)] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tournaments").join(file);
        fs::copy(source, dir.path().join("tournaments").join(file)).unwrap();
        let commands = shown_commands(file);
        assert_eq!(commands.len(), 2, "{file}");
        for command in &commands {
            let output = bash(dir.path(), command);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{command}{stderr}");
            let lines = stderr.lines().filter(|line| line.starts_with("held: ")).count();
            assert_eq!(lines, if command.contains("--require") { held } else { 0 }, "{command}{stderr}");
        }
    }
}

#[test]
fn check_describes_the_format_its_players_and_the_openings() {
    for (file, expected) in [
        ("gauntlet.toml", "4 players, gauntlet of `new` against the others, 10 rounds, openings of 2 plies, 60 games"),
        (
            "sprt.toml",
            "2 players, sprt of `new` against `old`, elo0 0, elo1 50, alpha 0.05, beta 0.05, openings of 2 plies",
        ),
        ("class.toml", "4 players, round-robin, 5 rounds, 60 games"),
    ] {
        let output = bash(Path::new(env!("CARGO_MANIFEST_DIR")), &format!("gothello-arena check tournaments/{file}"));
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains(expected), "{stdout}");
    }
}

/// Reads the file as a CI server does, with an independent XML parser.
#[test]
fn an_xml_parser_reads_junit_with_odd_names() {
    let dir = TempDir::new().unwrap();
    let names = ["a<b>&c", "]]>", "it's", "größe 棋", "\u{1b}[31m", "\u{fffe}x"];
    let rows = names.map(|name| format!("{name},bea,1\nbea,{name},0.5\n")).concat();
    fs::write(dir.path().join("scores.csv"), format!("first,second,first_score\n{rows}")).unwrap();
    let mut arena = Command::new(program());
    arena.current_dir(dir.path()).args(["standings", "scores.csv", "-q", "--junit", "out.xml"]);
    for name in names {
        arena.args(["--require", &format!("\"{name}\".score >= 0.9")]);
    }
    assert_eq!(arena.output_in_time().unwrap().status.code(), Some(3));
    let count = "import sys, xml.etree.ElementTree as t; print(len(t.parse('out.xml').findall('.//failure')))";
    let read = Command::new("python3").args(["-c", count]).current_dir(dir.path()).output_in_time().unwrap();
    let (count, errors) = (String::from_utf8_lossy(&read.stdout), String::from_utf8_lossy(&read.stderr));
    assert_eq!(count.trim(), names.len().to_string(), "{errors}");
}

#[test]
fn a_test_without_openings_is_told_that_repeated_pairs_count_once() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("test.toml");
    let text = |keys| {
        format!(
            "format = \"sprt\"\n{keys}\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"greedy\"\n"
        )
    };
    for (keys, warned) in [("", true), ("openings = { plies = 2 }", false)] {
        fs::write(&file, text(keys)).unwrap();
        let output = bash(dir.path(), "gothello-arena check test.toml");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert_eq!(stderr.contains("counts a repeated pair only once"), warned, "{keys}: {stderr}");
    }
}
