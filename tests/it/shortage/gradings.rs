//! Builds and drills on a machine that is short of a resource: marks stay open, and the same command completes them
//! once the resource is available. A bot that fails through its own fault fails as usual.

use std::fs;
use std::process::{Command, Output};

use crate::harness::arena::{Arena, program, text};
use crate::harness::hardship::{ShortGroup, SmallDisk};
use crate::harness::waiting::InTime as _;

/// A rubric whose only item is the check. A bot that leaves after its hello passes part of this check.
const RUBRIC: &str =
    "title = \"Test\"\ntotal = 100\n[[item]]\nid = \"check\"\npoints = 100\ncheck = { level = \"must\" }\n";

/// A bot that says hello and leaves immediately, so that its drill is over soon.
const HELLO: &str = "echo 0.9.1 player $GOTHELLO_SIDE; read granted; exit 0";

/// The line of a student without points in grades.csv.
const ZERO: &str = "\nann,,,0,100,";

/// A class of one student, whose build is the shell script `make`, and whose bot is the shell script `bot`.
fn class(make: &str, bot: &str) -> Arena {
    let arena = Arena::new(
        "void_retries = 0\nbuild_timeout = \"40s\"\n[[player]]\nname = \"ann\"\ndir = \"ann\"\ntransport = \"stdio\"\n\
         build = [\"sh\", \"make.sh\"]\ncommand = [\"sh\", \"bot.sh\"]\n\
         [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n",
    );
    fs::create_dir(arena.path().join("ann")).expect("made");
    fs::write(arena.path().join("ann/make.sh"), format!("{make}\n")).expect("written");
    fs::write(arena.path().join("ann/bot.sh"), format!("{bot}\n")).expect("written");
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
    arena
}

fn grading(arena: &Arena) -> Command {
    arena.command(&["grade", "class.toml", "--rubric", "rubric.toml"])
}

fn grade(arena: &Arena) -> Output {
    grading(arena).output_in_time().expect("the program starts")
}

/// The grades of an undisturbed grading of a class with this build and this bot.
fn undisturbed(make: &str, bot: &str) -> String {
    let arena = class(make, bot);
    let output = grade(&arena);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    grades(&arena)
}

fn grades(arena: &Arena) -> String {
    fs::read_to_string(arena.path().join("grades/grades.csv")).expect("written")
}

/// Checks that the `spoiled` grading has left the mark open, reports `what` was spoiled and `why`, and keeps nothing;
/// and that the same command, now that the resource is available, produces the marks of an undisturbed grading.
fn is_open_and_then_complete(arena: &Arena, spoiled: &Output, (what, why): (&str, &str), whole: &str) {
    let (stdout, stderr) = (text(&spoiled.stdout), text(&spoiled.stderr));
    assert_eq!(spoiled.status.code(), Some(5), "{stdout}{stderr}");
    assert!(stdout.contains("ann: 0 of 0 so far, 100 open: check; grade again"), "{stdout}{stderr}");
    let named = |line: &str| line.contains(&format!("`ann`: {what}")) && line.contains("still open");
    let line = stderr.lines().find(|line| named(line)).unwrap_or_else(|| panic!("{what}: {stderr}"));
    assert!(line.contains(why), "{why}: {line}");
    assert!(!arena.path().join("grades/check/ann/drill.json").exists(), "a spoiled check is not kept");
    assert_ne!(grades(arena), whole);

    let again = grade(arena);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert_eq!(grades(arena), whole);
}

#[test]
fn a_build_that_finds_the_disk_full_costs_nothing() {
    let Some(disk) = SmallDisk::new("5m") else { return };
    let make = "head -c 6000000 /dev/zero > out.bin || exit 1";
    let whole = undisturbed(make, HELLO);
    // The build fills the disk, or the disk is full from the beginning.
    for is_full in [false, true] {
        let arena = class(make, HELLO);
        let filling = is_full.then(|| disk.filled());
        let spoiled = grading(&arena).env("TMPDIR", disk.path()).output_in_time().expect("it starts");
        drop(filling);
        assert!(text(&spoiled.stderr).contains("a build may use"), "{}", text(&spoiled.stderr));
        is_open_and_then_complete(&arena, &spoiled, ("the build", "TMPDIR"), &whole);
    }
}

#[test]
fn a_build_whose_compiler_the_kernel_kills_for_lack_of_memory_costs_nothing() {
    let Some(group) = ShortGroup::of_memory(260 << 20) else { return };
    let make = "python3 -c 'x = bytearray(350 << 20)' || exit 1";
    let whole = undisturbed(make, HELLO);
    let arena = class(make, HELLO);
    let spoiled = group.holding(&grading(&arena)).output_in_time().expect("it starts");
    is_open_and_then_complete(&arena, &spoiled, ("the build", "memory"), &whole);
}

#[test]
fn a_build_that_gets_no_process_costs_nothing() {
    let Some(group) = ShortGroup::of_processes(40) else { return };
    let make = "i=0; while [ $i -lt 60 ]; do sleep 600 & i=$((i + 1)); done; kill $(jobs -p); exit 0";
    let whole = undisturbed(make, HELLO);
    let arena = class(make, HELLO);
    let spoiled = group.holding(&grading(&arena)).output_in_time().expect("it starts");
    assert!(text(&spoiled.stderr).contains("processes and threads"), "{}", text(&spoiled.stderr));
    is_open_and_then_complete(&arena, &spoiled, ("the build", "process"), &whole);
}

#[test]
fn a_bot_that_the_kernel_kills_in_its_drill_for_lack_of_memory_loses_nothing() {
    let Some(group) = ShortGroup::of_memory(200 << 20) else { return };
    let bot = format!("python3 -c 'x = bytearray(300 << 20)' || exit 1; {HELLO}");
    let whole = undisturbed("exit 0", &bot);
    let arena = class("exit 0", &bot);
    let spoiled = group.holding(&grading(&arena)).output_in_time().expect("it starts");
    is_open_and_then_complete(&arena, &spoiled, ("the scenario hello as black", "memory"), &whole);
}

/// The signs of a shortage that any bot can fake, without a shortage on the machine.
const FAKES: [&str; 4] = [
    "kill -9 $$",
    "exit 137",
    "echo 'write error: No space left on device' >&2; exit 1",
    "echo 'sh: 1: Cannot fork' >&2; exit 2",
];

#[test]
fn a_build_or_a_bot_that_only_fakes_the_signs_of_a_shortage_gets_its_zero() {
    for fake in FAKES {
        for (make, bot) in [(fake, HELLO), ("exit 0", fake)] {
            let arena = class(make, bot);
            let output = grade(&arena);
            assert_eq!(output.status.code(), Some(0), "{make}; {bot}: {}", text(&output.stderr));
            assert!(grades(&arena).contains(ZERO), "{make}; {bot}: {}", grades(&arena));
            assert!(arena.path().join("grades/check/ann/drill.json").exists(), "{make}; {bot}");
        }
    }
}

#[test]
fn a_build_that_was_not_done_in_time_is_built_again_by_the_next_grading() {
    let arena = class("sleep 8", HELLO);
    let class = arena.path().join("class.toml");
    let file = fs::read_to_string(&class).expect("there");
    fs::write(&class, file.replace("40s", "1s")).expect("written");
    let output = grade(&arena);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(grades(&arena).contains(ZERO), "{stderr}");
    assert!(stderr.contains("did not finish within `build_timeout`"), "{stderr}");
    assert!(!arena.path().join("grades/check/ann/drill.json").exists(), "{stderr}");

    fs::write(&class, file).expect("written");
    let again = grade(&arena);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    assert!(!grades(&arena).contains(ZERO), "{}", grades(&arena));
}

/// A tournament with two players: one has the build `build` and leaves after its hello, and the other plays.
fn of_two(head: &str, build: &str) -> Arena {
    let key = if build.is_empty() { String::new() } else { format!("build = [\"sh\", \"-c\", \"{build}\"]\n") };
    let arena = Arena::new(&format!(
        "{head}[[player]]\nname = \"ann\"\ntransport = \"stdio\"\ndir = \"ann\"\n{key}command = [\"sh\", \"-c\", \
         \"{HELLO}\"]\n[[player]]\nname = \"bob\"\ncommand = [\"{}\", \"bot\", \"greedy\", \"--side\", \"{{side}}\", \
         \"--host\", \"{{host}}\", \"--port\", \"{{port}}\"]\n",
        program()
    ));
    fs::create_dir(arena.path().join("ann")).expect("made");
    fs::write(arena.path().join("rubric.toml"), RUBRIC).expect("written");
    arena
}

#[test]
fn check_goes_on_with_the_other_players_when_the_machine_spoils_a_build() {
    let Some(disk) = SmallDisk::new("5m") else { return };
    let arena = of_two("", "head -c 6000000 /dev/zero > out.bin || exit 1");
    let mut checking = arena.command(&["check", "class.toml", "--bots", "--only", "hello", "--format", "json"]);
    let output = checking.env("TMPDIR", disk.path()).output_in_time().expect("it starts");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{}{stderr}", text(&output.stdout));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["untried"][0]["player"], &json["untried"][0]["void"]), (&"ann".into(), &true.into()), "{json:#}");
    assert_eq!((&json["players"][0]["player"], &json["players"][0]["verdict"]), (&"bob".into(), &"open".into()));
    assert!(stderr.contains("  the build of `ann` (1 time, still open): "), "{stderr}");
    let again = arena.output(&["check", "class.toml", "--bots", "--only", "hello", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert_eq!(json["untried"].as_array().map(Vec::len), Some(0), "{json:#}");
    assert_eq!(json["players"].as_array().map(Vec::len), Some(2), "{json:#}");
}

#[test]
fn before_they_start_check_run_and_grade_say_how_many_games_fit() {
    let Some(group) = ShortGroup::of_processes(1100) else { return };
    let arena = of_two("concurrency = 5\n", "");
    for (words, bots, thing) in [
        ("check class.toml", 2, "games"),
        ("run class.toml --out out", 2, "games"),
        ("grade class.toml --rubric rubric.toml --only ann", 1, "games"),
        ("check class.toml --bots --player ann --only hello --jobs 5", 1, "scenarios"),
    ] {
        // Each bot may have 256 processes and threads. Its confinement has more: how many depends on the tier.
        let warnings = [5, 4, 0].map(|own| {
            let each = bots * (256 + own);
            format!("5 concurrent {thing} may use {} processes and threads ({each} each), but `", 5 * each)
        });
        let words: Vec<&str> = words.split(' ').collect();
        let output = group.holding(&arena.command(&words)).output_in_time().expect("it starts");
        let stderr = text(&output.stderr);
        let lines: Vec<&str> = stderr.lines().filter(|line| line.contains("processes and threads")).collect();
        let [line] = lines[..] else { panic!("{words:?}: {stderr}") };
        assert!(warnings.iter().any(|warning| line.contains(warning)), "{line}");
        assert!(line.contains(&format!("{}/pids.max`", group.path().display())), "{line}");
        let fit = if bots == 2 { "2 games fit (`concurrency`)" } else { "4 " };
        assert!(line.contains(fit), "{line}");
    }
}

/// Without a scratch directory, the arena cannot start anything.
#[test]
fn a_run_names_the_void_games_once_more_at_its_end() {
    let arena = of_two("isolation = \"off\"\nvoid_retries = 1\n", "");
    let mut running = arena.command(&["run", "class.toml", "--out", "out", "--quiet"]);
    let output = running.env("TMPDIR", arena.path().join("gone")).output_in_time().expect("it starts");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    let summary: Vec<&str> =
        stderr.lines().skip_while(|line| !line.starts_with("void because of the machine")).collect();
    for game in ["r1-ann-bob", "r1-bob-ann"] {
        let named = |line: &&str| line.starts_with(&format!("  game {game} (2 times, still open): "));
        assert!(summary.iter().any(named), "{game}: {stderr}");
    }
}
