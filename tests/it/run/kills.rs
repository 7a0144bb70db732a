//! Runs that are killed at any moment and resumed, or whose machine loses power or runs out of disk space: no finished
//! game is lost or counted twice.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Output};

use crate::harness::arena::{Arena, program, random_and_greedy, text};
use crate::harness::broker::nats_server;
use crate::harness::kills::{Campaign, Format, Undisturbed, Victim, can_confine, can_lose_power};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// Plays a campaign with `kills` kills, as far as this machine can have these victims.
fn survive(format: Format, victims: &[Victim], kills: u64) {
    let can_be_killed = |victim: &Victim| match victim {
        Victim::Arena => true,
        Victim::Power => can_lose_power(),
        Victim::Stage => can_confine(),
        Victim::Coordinator | Victim::Worker | Victim::Broker => nats_server().is_some(),
    };
    let victims: Vec<Victim> = victims.iter().copied().filter(can_be_killed).collect();
    if victims.is_empty() {
        return;
    }
    let expected = Undisturbed::play(format, &victims, 3);
    let tally = Campaign { victims, kills, seed: 20_261_121 }.play(&expected, None);
    println!("{format:?}: {} kills, {} games, {} void on the way", tally.kills, tally.games, tally.void);
    assert!(tally.kills > 0 && tally.games > 0 && tally.is_clean(), "{tally:#?}");
}

/// Kills each victim of a run on one machine, and then each victim of a run over NATS. All tests together kill about
/// fifty times; `benches/kills` repeats this as often as one likes.
fn survive_all(format: Format) {
    survive(format, &[Victim::Arena, Victim::Power, Victim::Stage], 5);
    survive(format, &[Victim::Coordinator, Victim::Worker, Victim::Broker], 3);
}

#[test]
fn a_round_robin_ends_the_same_after_kills_and_power_failures() {
    survive_all(Format::RoundRobin);
}

#[test]
fn a_swiss_tournament_ends_the_same_after_kills_and_power_failures() {
    survive_all(Format::Swiss);
}

#[test]
fn a_knockout_ends_the_same_after_kills_and_power_failures() {
    survive_all(Format::Knockout);
}

#[test]
fn a_sequential_test_ends_the_same_after_kills_and_power_failures() {
    survive_all(Format::Sprt);
    // Without the other victims, it comes to its verdict.
    survive(Format::Sprt, &[Victim::Arena, Victim::Power], 4);
}

#[test]
fn a_seegover_tournament_ends_the_same_after_kills_and_power_failures() {
    survive_all(Format::Seegover);
}

#[test]
fn a_tournament_of_groups_ends_the_same_after_kills_and_power_failures() {
    survive_all(Format::Group);
}

const PLAYERS: &str = random_and_greedy!();

const OTHERS: &str = r#"
    [[player]]
    name = "one"
    builtin = "alphabeta"
    depth = 1
    [[player]]
    name = "other"
    builtin = "random"
    [[player]]
    name = "fifth"
    builtin = "greedy"
"#;

/// Runs a shell script in its own mount namespace. If that is impossible, reports that the test is skipped and returns
/// `None`.
fn with_mounts(arena: &Arena, script: &str) -> Option<Output> {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, program()]).current_dir(arena.path());
    let mut trial = Command::new("unshare");
    trial.args(["--mount", "sh", "-c", "mkdir -p t && mount -t tmpfs none t"]).current_dir(arena.path());
    if trial.output_in_time().is_ok_and(|output| output.status.success()) {
        return Some(command.output_in_time().expect("unshare starts"));
    }
    skipped(Need::Mounts, "the test is not allowed to mount anything on this machine");
    None
}

#[test]
fn a_full_disk_loses_nothing() {
    let toml = format!("concurrency = 2\nrounds = 6\n{PLAYERS}{OTHERS}");
    let arena = Arena::new(&toml);
    let script = "mkdir -p out && mount -t tmpfs -o size=160k none out || exit 99
        $0 run class.toml --out out 2>first; echo $? >code
        cp -r out full
        mount -o remount,size=16m out
        $0 run class.toml --out out >standings 2>second; echo $? >>code
        $0 rebuild --check out >/dev/null || echo broken >>code
        cp -r out whole";
    let Some(output) = with_mounts(&arena, script) else { return };
    let read = |name: &str| fs::read_to_string(arena.path().join(name)).unwrap_or_default();
    assert_eq!(read("code"), "1\n0\n", "{}{}{}", text(&output.stderr), read("first"), read("second"));
    let first = read("first");
    for word in ["could not write", "No space left on device", "the same command continues"] {
        assert!(first.contains(word), "`{word}` is not in\n{first}");
    }
    // Every game that was reported as finished is in the journal.
    let told: Vec<&str> = first.lines().filter(|line| line.starts_with('[')).collect();
    let full = read("full/journal.jsonl");
    for line in &told {
        let id = line.split(['[', ']', ':', ' ']).find(|word| word.starts_with('r')).expect("an id");
        assert!(full.contains(&format!("\"id\":\"{id}\"")), "{id} was reported but is lost");
    }
    assert!(!told.is_empty());
    let undisturbed = Arena::new(&toml).run(&[]);
    assert_eq!(read("standings"), text(&undisturbed.stdout));
    assert!(read("second").contains(&format!(
        "{} of 120 games have been played",
        full.split_inclusive('\n').filter(|line| line.starts_with("{\"game\":") && line.ends_with('\n')).count()
    )));
}

/// The number of journal lines of each game.
fn journal_games(arena: &Arena) -> HashMap<String, u64> {
    let journal = fs::read_to_string(arena.out().join("journal.jsonl")).expect("a journal");
    let mut games = HashMap::new();
    for line in journal.lines().filter(|line| line.starts_with("{\"game\":")) {
        let id = line.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id");
        *games.entry(id.to_owned()).or_default() += 1;
    }
    games
}

#[test]
fn reaching_a_file_size_limit_is_an_ordinary_error() {
    let arena = Arena::new(&format!("concurrency = 2\nrounds = 6\n{PLAYERS}{OTHERS}"));
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 80; exec \"$0\" run class.toml --out out", program()]);
    let output = limited.current_dir(arena.path()).output_in_time().expect("sh starts");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("journal.jsonl") && stderr.contains("File too large"), "{stderr}");
    let before = journal_games(&arena);
    assert!(!before.is_empty());
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let after = journal_games(&arena);
    assert!(after.len() == 120 && after.values().all(|&lines| lines == 1));
}

#[test]
fn an_unwritable_results_directory_is_reported_before_the_first_game() {
    let arena = Arena::new(PLAYERS);
    fs::write(arena.path().join("file"), "").expect("written");
    for (out, word) in
        [("file", "cannot be used"), ("file/sub", "ot a directory"), ("/proc/nowhere", "could not create")]
    {
        let output = arena.command(&["run", "class.toml", "--out", out]).output_in_time().expect("the program starts");
        let stderr = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{stderr}");
        assert!(stderr.contains(word) && !stderr.contains("[1/"), "{stderr}");
    }
    let script = "mkdir -p out && mount -t tmpfs none out && mount -o remount,ro out || exit 99
        $0 run class.toml --out out; echo $? >code";
    let Some(output) = with_mounts(&arena, script) else { return };
    assert_eq!(fs::read_to_string(arena.path().join("code")).expect("a code"), "1\n");
    let stderr = text(&output.stderr);
    assert!(stderr.contains("Read-only file system") && stderr.contains("--out"), "{stderr}");
}
