//! Bots that run out of time on a core that other programs also use: bots that did not get the core are excused in
//! checks and gradings, and bots that waited only for their own threads and processes are not.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;

use crate::confinement::probes::can_confine;
use crate::course::grade::plant_checks_with;
use crate::harness::arena::{Arena, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, Owned};

/// The core that bots share with other programs: the last one that the tests may use.
fn core() -> usize {
    let allowed = sched_getaffinity(None).expect("known");
    (0..CpuSet::MAX_CPU).rev().find(|&cpu| allowed.is_set(cpu)).expect("a core")
}

/// Programs that use the core, and the lock for a test's turn to use it.
struct Others(#[expect(dead_code, reason = "the fields are only dropped")] (Vec<Owned>, MutexGuard<'static, ()>));

/// Starts three programs that use this core until the result is dropped. A bot with a single thread gets at most a
/// quarter of the core. Each program has its own session, like a confined bot: many kernels first divide a core among
/// sessions.
fn others() -> Others {
    static TURN: Mutex<()> = Mutex::new(());
    // Running several of these tests at a time would only be slower.
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut set = CpuSet::new();
    set.set(core());
    let spin = || {
        let mut command = Command::new("python3");
        let what = "import os\nos.setsid()\nwhile True: pass";
        let child = command.args(["-c", what]).stdin(Stdio::null()).start().expect("it starts");
        sched_setaffinity(Pid::from_raw(i32::try_from(child.id()).expect("a number")), &set).expect("set");
        child
    };
    Others(((0..3).map(|_| spin()).collect(), turn))
}

/// Runs `what` only on the shared core, together with everything that `what` starts.
fn on_the_core<T: Send>(what: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let there = scope.spawn(|| {
            let mut set = CpuSet::new();
            set.set(core());
            sched_setaffinity(None, &set).expect("set");
            what()
        });
        there.join().expect("it ends")
    })
}

/// A class with one bot that does `what` once for each of its `tokens`, or always if `tokens` is `None`. `keys` are at
/// the top of the file.
fn class(what: &str, tokens: Option<u32>, keys: &str) -> Arena {
    let place = if tokens.is_some() { "../tokens" } else { "-" };
    let arena = Arena::new(&format!(
        "quit_timeout = \"500ms\"\n{keys}\n[[player]]\nname = \"bot\"\ndir = \"bot\"\n\
         command = [\"python3\", \"crowded.py\", \"{what}\", \"{}\", \"{place}\", \"{{side}}\", \"{{host}}\", \"{{server}}\"]\n\
         [[player]]\nname = \"random\"\nbuiltin = \"random\"\n",
        core()
    ));
    let (bot, bots) = (arena.path().join("bot"), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots"));
    fs::create_dir(&bot).expect("made");
    fs::copy(bots.join("crowded.py"), bot.join("crowded.py")).expect("copied");
    fs::copy(bots.join("faulty/correct.py"), bot.join("correct.py")).expect("copied");
    fs::create_dir(arena.path().join("tokens")).expect("made");
    give(&arena, tokens.unwrap_or(0));
    arena
}

/// Puts `tokens` into the directory of tokens.
fn give(arena: &Arena, tokens: u32) {
    for token in 0..tokens {
        fs::write(arena.path().join("tokens").join(token.to_string()), "").expect("written");
    }
}

/// The value of `isolation` in most of these tests: a confined bot may not choose its core.
const ISOLATIONS: [&str; 1] = ["off"];

/// Checks the bot with a clock of one second, and returns the results of the scenario `clock`, one for each side.
fn check(arena: &Arena) -> (Output, Vec<Value>) {
    let output =
        arena.output(&["check", "class.toml", "--bots", "--only", "clock", "--time", "1s", "--format", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let trials = json["players"][0]["scenarios"].as_array().expect("trials");
    let clock: Vec<Value> = trials.iter().filter(|trial| trial["id"] == "clock").cloned().collect();
    assert_eq!(clock.len(), 2, "{json}");
    (output, clock)
}

/// For how many seconds a bot on a single core was starved, for how many seconds it ran, and how many seconds its turns
/// lasted, parsed from the message about the lack of a core.
fn figures_of_summary(summary: &str) -> [f64; 3] {
    let words: Vec<f64> = summary.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [of, starved, ran] = words[..] else { panic!("{summary}") };
    [starved, ran, of]
}

/// Whether other programs used the core while a bot that always has a runnable thread was starved. If only its own
/// threads and processes use the core, the bot never starves, although each of them waits most of the time.
fn is_real_lack([starved, ran, of]: [f64; 3]) -> bool {
    // Part of a wait may have been before the turn.
    starved + ran <= of + 0.3
}

#[test]
fn a_bot_that_gets_no_core_has_not_failed_its_check() {
    for isolation in ISOLATIONS {
        let arena = class("starved", None, &format!("isolation = \"{isolation}\"\nvoid_retries = 0"));
        let _others = others();
        assert_excused(&check(&arena));
    }
}

/// Asserts that, on both sides of the scenario `clock`, the bot did not get the core and is not blamed for the result.
fn assert_excused((output, clock): &(Output, Vec<Value>)) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    for trial in clock {
        let summary = trial["summary"].as_str().expect("text");
        assert_eq!((&trial["status"], &trial["diagnoses"]), (&"info".into(), &Value::Array(Vec::new())), "{trial}");
        assert!(summary.contains("while the machine was busy"), "{summary}");
    }
    assert!(stderr.contains("scenario clock of `bot` as black (1 time, still open)"), "{stderr}");
}

#[test]
fn a_confined_bot_that_gets_no_core_has_not_failed_its_check_either() {
    if !can_confine() {
        return;
    }
    let arena = class("starved", None, "isolation = \"require\"\nvoid_retries = 0");
    let _others = others();
    let checked = on_the_core(|| check(&arena));
    if text(&checked.0.stderr).contains("does not report how long a bot waits for a core") {
        skipped(Need::Cores, "this machine does not allow measuring whether a confined bot is starved");
        return;
    }
    assert_excused(&checked);
}

#[test]
fn a_scenario_in_which_a_bot_got_no_core_is_tried_again() {
    let arena = class("starved", Some(1), "isolation = \"off\"\nvoid_retries = 2");
    let _others = others();
    let (output, clock) = check(&arena);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(clock.iter().all(|trial| trial["status"] == "pass"), "{clock:?}");
    assert!(
        stderr.contains("(1 time, succeeded since): the bot ran out of time while the machine was busy"),
        "{stderr}"
    );
}

#[test]
fn a_bot_that_keeps_itself_waiting_has_failed_its_check() {
    for isolation in ISOLATIONS {
        for what in ["threads", "forks"] {
            let arena = class(what, None, &format!("isolation = \"{isolation}\"\nvoid_retries = 0"));
            let (output, clock) = check(&arena);
            let stderr = text(&output.stderr);
            let is_failed = clock.iter().any(|trial| trial["status"] == "fail");
            assert_eq!(output.status.code(), Some(if is_failed { 3 } else { 5 }), "{isolation}, {what}: {stderr}");
            for trial in &clock {
                let summary = trial["summary"].as_str().expect("text");
                let is_right = match trial["status"].as_str() {
                    Some("fail") => summary == "Its time ran out before its first move.",
                    // On a busy machine, other programs may make this bot wait, too.
                    Some("info") => is_real_lack(figures_of_summary(summary)),
                    _ => false,
                };
                assert!(is_right, "{isolation}, {what}: {trial}");
            }
        }
    }
}

/// A rubric that grades only games.
const RUBRIC: &str = "title = \"Test\"\ntotal = 10\n[play]\ngames = 2\nmax_games = 2\nanalysis = \"100ms\"\ntime = \"2s\"\n\
                      [[item]]\nid = \"no-forfeits\"\npoints = 4\nforfeits = { full = 0, zero = 2 }\n\
                      [[item]]\nid = \"score\"\npoints = 6\nagainst = \"random\"\nscore = { full = 0.9, zero = 0.5 }\n";

#[test]
fn a_graded_game_that_a_bot_lost_for_want_of_a_core_is_void_and_played_again() {
    let grade = |tokens: u32, retries: u32| {
        let arena = class("starved", Some(tokens), &format!("isolation = \"off\"\nvoid_retries = {retries}"));
        fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
        plant_checks_with(&arena, Duration::from_secs(2));
        arena
    };
    let words = ["grade", "class.toml", "--rubric", "rubric.toml"];
    let why = "player `bot` ran out of time while the machine was busy";
    let others = others();

    let arena = grade(1, 0);
    let spoiled = arena.output(&words);
    let (stdout, stderr) = (text(&spoiled.stdout), text(&spoiled.stderr));
    assert_eq!(spoiled.status.code(), Some(5), "{stdout}{stderr}");
    assert!(stdout.contains("10 open: no-forfeits, score; grade again"), "{stdout}");
    assert!(stderr.lines().any(|line| line.contains("still open") && line.contains(why)), "{stderr}");
    // Now there are no tokens left.
    let whole = arena.output(&words);
    assert_eq!(whole.status.code(), Some(0), "{}{}", text(&whole.stdout), text(&whole.stderr));
    assert!(!text(&whole.stdout).contains("time"), "{}", text(&whole.stdout));

    let arena = grade(1, 2);
    let whole = arena.output(&words);
    let stderr = text(&whole.stderr);
    assert_eq!(whole.status.code(), Some(0), "{stderr}");
    assert!(stderr.lines().any(|line| line.contains("succeeded since") && line.contains(why)), "{stderr}");
    drop(others);
}

#[test]
fn in_a_tournament_a_flag_stays_a_flag_and_the_tables_say_whether_a_core_was_lacking() {
    for what in ["starved", "threads", "forks"] {
        for isolation in ISOLATIONS {
            let keys = format!("isolation = \"{isolation}\"\ntime = \"1s\"\nconcurrency = 1");
            let arena = class(what, None, &keys);
            let others = (what == "starved").then(others);
            let output = arena.run(&[]);
            drop(others);
            let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(0), "{stderr}");
            let rows = arena.results();
            let mut losses = 0;
            for row in &rows {
                assert_eq!(row["termination"], "time", "{isolation}, {what}: {row:?}");
                let (_, found) = arena.record(&row["game"]).starved_loss().expect("measured");
                let [of_starving, ran, of] = [found.starved, found.ran, found.of].map(|time| time.as_secs_f64());
                assert!(is_real_lack([of_starving, ran, of]), "{isolation}, {what}: {found}");
                // On a busy machine, other programs may make any bot wait.
                let expected = if found.explains_time_loss() { "yes" } else { "no" };
                assert_eq!(row["time_loss_starved"], expected, "{isolation}, {what}: {row:?}");
                assert!(what != "starved" || expected == "yes", "{isolation}: {found}");
                losses += u32::from(expected == "yes");
            }
            assert_eq!(rows.len(), 2);
            let note =
                format!("{losses} loss{} on time while the machine was busy: ", if losses == 1 { "" } else { "es" });
            assert_eq!(stdout.contains(&note), losses > 0, "{isolation}, {what}: {stdout}");
            assert_eq!(
                stderr.matches(": the machine was busy").count(),
                losses as usize,
                "{isolation}, {what}: {stderr}"
            );
            let rebuilt = arena.output(&["rebuild", "--check", "out"]);
            assert!(rebuilt.status.success(), "{}", text(&rebuilt.stdout));
        }
    }
}

#[test]
fn a_crash_that_takes_long_for_lack_of_a_core_is_not_a_disconnect() {
    for isolation in ISOLATIONS {
        let arena = class("crash", None, &format!("isolation = \"{isolation}\"\ntime = \"60s\"\nconcurrency = 1"));
        let _others = others();
        // Reads by the exiting bot may also have to wait for the disk, and this wait is not measured.
        let all_crash = || {
            let output = arena.run(&["--fresh"]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            arena.results().iter().all(|row| row["termination"] == "crash")
        };
        assert!((0..3).any(|_| all_crash()), "{isolation}: {:?}", arena.results());
    }
}
