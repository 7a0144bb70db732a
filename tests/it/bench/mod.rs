//! The bench: real bots, builds and games in a student's directory.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::arena::{Arena, Running, assert_gone, is_withheld, program, text};
use crate::harness::on_terminal::OnTerminal;
use crate::harness::waiting::{InTime as _, until};
use crate::house::json::{fits, strict};

const LINE_BOT: &str = include_str!("../../../examples/line_bot.py");
const DECLARED: &str = "command = [\"python3\", \"bot.py\", \"{side}\"]\ntransport = \"stdio\"\n";

/// A student's directory with a bot that plays at random.
fn student() -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    save(dir.path(), "gothello.toml", DECLARED);
    save(dir.path(), "bot.py", LINE_BOT);
    dir
}

/// Saves a file as editors do, by replacing it with a new file.
fn save(dir: &Path, name: &str, text: &str) {
    fs::write(dir.join(".saving"), text).expect("written");
    fs::rename(dir.join(".saving"), dir.join(name)).expect("renamed");
}

/// `gothello-arena bench` with these arguments, in the directory `dir`.
fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.arg("bench").args(args).current_dir(dir).env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null());
    command
}

fn output(dir: &Path, args: &[&str]) -> Output {
    command(dir, args).output_in_time().expect("the program starts")
}

/// Starts a bench, which reports verdicts and results on stderr.
fn watch(dir: &Path, args: &[&str]) -> Running {
    let mut command = command(dir, &[&["--json", "--isolation", "off"], args].concat());
    Arena::started(command.stdout(Stdio::null()))
}

/// The arguments for one round of at most `pairs` pairs of games, with a built-in bot as the student's program.
fn once<'a>(bot: &[&'a str], pairs: &'a str) -> Vec<&'a str> {
    let options = ["--once", "--isolation", "off", "--json", "--pairs", pairs, "--time", "60s"];
    let bot = ["--command", program(), "bot"].into_iter().chain(bot.iter().copied());
    let address = ["--side", "{side}", "--host", "{host}", "--port", "{port}"];
    options.into_iter().chain(bot).chain(address).collect()
}

/// Plays a round, and returns the only version in its JSON object.
#[track_caller]
fn round(dir: &Path, args: &[&str]) -> Value {
    let output = output(dir, args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let listed = fits(&strict("bench"), &text(&output.stdout));
    assert_eq!(listed["versions"].as_array().map(Vec::len), Some(1), "{listed}");
    listed["versions"][0].clone()
}

/// The number of games in `result`.
fn games(result: &Value) -> u64 {
    ["wins", "draws", "losses"].iter().filter_map(|key| result[key].as_u64()).sum()
}

/// The versions that `bench list` reports.
fn listed(dir: &Path) -> Vec<Value> {
    let listed = fits(&strict("bench"), &text(&output(dir, &["list", "--json"]).stdout));
    listed["versions"].as_array().expect("versions").clone()
}

/// The names of the kept versions, and of everything else in their directory.
fn kept(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir.join(".bench/versions")).expect("a directory").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_save_leads_to_a_verdict_and_a_crash_to_its_cause() {
    if is_withheld(Signal::INT) {
        return;
    }
    let dir = student();
    let mut bench = watch(dir.path(), &["--pairs", "1000"]);
    bench.hear(": ready");
    bench.hear("cannot play games that begin with an opening");
    bench.hear("plays greedy");
    until("a game", || listed(dir.path())[0]["results"].as_array()?.iter().any(|it| games(it) > 0).then_some(()));
    let crashing = LINE_BOT
        .replace("def choose(stone):\n", "def choose(stone):\n    return board[\"nowhere\"]\n\n\ndef unused(stone):\n");
    assert_ne!(crashing, LINE_BOT);
    save(dir.path(), "bot.py", &crashing);
    bench.hear("the sources have changed");
    bench.hear(": not ready");
    bench.hear("bot.py:");
    bench.hear("waiting for the next save");
    let before = listed(dir.path())[0]["results"].clone();
    // A version that was not ready is checked again, even if nothing has changed.
    save(dir.path(), "bot.py", &crashing);
    bench.hear(": not ready");
    bench.hear("waiting for the next save");
    // The sources are those of the earlier version again, so that version's games continue.
    save(dir.path(), "bot.py", LINE_BOT);
    bench.hear(": ready");
    bench.hear("plays greedy");
    bench.signal(Signal::INT);
    let (code, stderr) = bench.end();
    assert_eq!(code, Some(130), "{stderr}");
    assert_eq!(kept(dir.path()).len(), 2, "{:?}", kept(dir.path()));
    let listed = listed(dir.path());
    let states: Vec<&Value> = listed.iter().map(|it| &it["state"]).collect();
    assert_eq!(states, ["ready", "not_ready"], "{listed:?}");
    let after = &listed[0]["results"];
    assert_eq!((after.as_array().map(Vec::len), &after[0]["run"]), (Some(1), &before[0]["run"]), "{after}");
    assert!(games(&before[0]) > 0 && games(&after[0]) >= games(&before[0]), "{before} {after}");
    assert_eq!((&after[0]["forfeits"], &after[0]["opening_plies"]), (&0.into(), &0.into()), "{after}");
}

#[test]
fn a_bot_that_cannot_follow_openings_plays_without_them_and_more_pairs_go_on() {
    let dir = student();
    let pairs = |pairs| ["--once", "--isolation", "off", "--json", "--against", "random", "--pairs", pairs];
    let first = round(dir.path(), &pairs("2"));
    let result = &first["results"][0];
    assert_eq!((games(result), &result["forfeits"], &result["opening_plies"]), (4, &0.into(), &0.into()), "{first}");
    let more = round(dir.path(), &pairs("4"));
    assert_eq!(more["results"].as_array().map(Vec::len), Some(1), "{more}");
    assert_eq!((games(&more["results"][0]), &more["results"][0]["run"]), (8, &result["run"]), "{more}");
}

#[test]
fn ctrl_c_ends_a_build_and_leaves_nothing_half_written() {
    for signal in [Signal::INT, Signal::TERM] {
        if is_withheld(signal) {
            return;
        }
        let (dir, around) = (student(), tempfile::tempdir().expect("a directory"));
        let pid = around.path().join("pid");
        let build = format!(
            "build = [\"sh\", \"-c\", \"echo $$ > {0}.new && mv {0}.new {0} && exec sleep 600\"]\n",
            pid.display()
        );
        save(dir.path(), "gothello.toml", &(build + DECLARED));
        let bench = watch(dir.path(), &[]);
        let pid = until("the build", || fs::read_to_string(&pid).ok());
        bench.signal(signal);
        let (code, stderr) = bench.end();
        assert_eq!(code, Some(if signal == Signal::INT { 130 } else { 143 }), "{stderr}");
        assert_gone(pid.trim().parse().expect("a process id"));
        let [version] = &kept(dir.path())[..] else { panic!("{:?}", kept(dir.path())) };
        let listed = fits(&strict("bench"), &text(&output(dir.path(), &["list", "--json"]).stdout));
        assert_eq!(
            (&listed["versions"][0]["id"], &listed["versions"][0]["state"]),
            (&version.as_str().into(), &Value::Null)
        );
        let refused = output(dir.path(), &["promote"]);
        assert_eq!(refused.status.code(), Some(3));
        assert!(text(&refused.stderr).contains("has not been fully checked"), "{}", text(&refused.stderr));
    }
}

#[test]
fn a_better_version_is_found_better_and_the_bench_tells_why_the_other_one_loses() {
    let dir = tempfile::tempdir().expect("a directory");
    let random = round(dir.path(), &once(&["random"], "4"));
    assert_eq!((&random["state"], &random["files"]), (&"ready".into(), &0.into()), "{random}");
    let first = random["id"].as_str().expect("an id");
    let promoted = output(dir.path(), &["promote", &first[..4], "--json"]);
    assert_eq!(fits(&strict("bench"), &text(&promoted.stdout))["promoted"], first);
    let better = round(dir.path(), &once(&["alphabeta", "--depth", "2"], "200"));
    let results = better["results"].as_array().expect("results");
    let answers: Vec<(&str, &str)> =
        results.iter().map(|it| (it["opponent"].as_str().unwrap(), it["answer"].as_str().unwrap())).collect();
    assert_eq!(answers, [(first, "better")], "{better}");
    assert_eq!((&results[0]["forfeits"], &results[0]["opening_plies"]), (&0.into(), &2.into()), "{better}");
    // A round that is over is not played again.
    assert_eq!(round(dir.path(), &once(&["alphabeta", "--depth", "2"], "200")), better);
    let list = text(&output(dir.path(), &["list"]).stdout);
    assert!(
        list.contains("<- the version to beat") && list.contains(&format!("against {first} (gothello, 1m): better")),
        "{list}"
    );

    let why = ["why", first, "--before", better["id"].as_str().expect("an id"), "--games", "2", "--budget", "1s"];
    let json = fits(&strict("bench-why"), &text(&output(dir.path(), &[&why[..], &["--json"]].concat()).stdout));
    assert_eq!((&json["version"], &json["earlier"]), (&random["id"], &better["id"]));
    let moves = json["moves"].as_array().expect("moves");
    assert!(json["analyzed"] == 2 && !moves.is_empty() && moves.len() <= 3, "{json}");
    assert_eq!(moves[0]["board"].as_array().map(Vec::len), Some(5));
    let itself = output(dir.path(), &["why", first, "--before", first]);
    assert_eq!(itself.status.code(), Some(2));
    assert!(text(&itself.stderr).contains("cannot be compared with itself"), "{}", text(&itself.stderr));
    let shown = text(&output(dir.path(), &why).stdout);
    assert!(shown.contains("instead of") && shown.contains("stones lost per move by"), "{shown}");
}

#[test]
fn the_bench_is_no_part_of_a_submission_and_not_seen_by_git() {
    let dir = student();
    let bench = dir.path().join(".bench");
    let ended = output(dir.path(), &["--once", "--isolation", "off", "--pairs", "1", "--against", "random"]);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    assert!(text(&ended.stdout).contains(": ready\n"), "{}", text(&ended.stdout));
    assert_eq!(fs::read_to_string(bench.join(".gitignore")).expect("there"), "*\n");
    let class = tempfile::tempdir().expect("a directory");
    let out = class.path().join("class");
    let mut import = Command::new(program());
    import.args(["import", "--out"]).arg(&out).arg(dir.path());
    let imported = import.output_in_time().expect("the program starts");
    assert!(imported.status.success(), "{}", text(&imported.stderr));
    let found = fs::read_to_string(out.join("class.toml")).expect("a class");
    assert!(found.contains("bot.py"), "{found}");
    let mut left = vec![out];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(&dir).expect("a directory").flatten() {
            assert_ne!(entry.file_name(), ".bench", "{}", dir.display());
            if entry.path().is_dir() {
                left.push(entry.path());
            }
        }
    }
}

#[test]
fn what_cannot_work_is_said_before_anything_is_written() {
    let dir = tempfile::tempdir().expect("a directory");
    for (args, code, says) in [
        (&["list"][..], 2, "there is no bench in `.`"),
        (&["why"], 2, "there is no bench in `.`"),
        (&["--dir", "missing", "--once"], 2, "cannot read `missing`: entity not found\n"),
        (&["--against", "nobody"], 2, "there is no such built-in bot"),
        (&["--ruleset", "quantum-4p", "--once"], 2, "compares two players"),
        (&["--pairs", "0"], 2, "from 1 to 1000000"),
    ] {
        let ended = output(dir.path(), args);
        let said = text(&ended.stderr);
        assert_eq!((ended.status.code(), said.contains(says)), (Some(code), true), "{args:?}: {said}");
        assert!(!dir.path().join(".bench").exists(), "{args:?}");
    }
    let unclear = output(dir.path(), &["--once"]);
    assert_eq!(unclear.status.code(), Some(2));
    assert!(text(&unclear.stderr).contains("does not show how to start the bot"), "{}", text(&unclear.stderr));
    assert!(kept(dir.path()).is_empty());
    let none = output(dir.path(), &["promote"]);
    assert!(text(&none.stderr).contains("has no versions yet"), "{}", text(&none.stderr));
}

#[test]
fn on_a_terminal_games_are_a_block_and_a_second_bench_is_refused() {
    if is_withheld(Signal::INT) {
        return;
    }
    let dir = student();
    let arguments = ["bench", "--isolation", "off", "--pairs", "1000"];
    let mut bench = OnTerminal::start(dir.path(), &arguments, (100, 30), "C.UTF-8");
    bench.see("plays greedy");
    bench.see("of at most 2,000 games");
    let second = output(dir.path(), &["--once"]);
    assert_eq!(second.status.code(), Some(2));
    assert!(text(&second.stderr).contains("is already being watched by"), "{}", text(&second.stderr));
    bench.press("\x03");
    bench.assert_ends(130);
}
