//! If a file in a results directory is not a regular file, every command reports the file, and neither waits for it nor
//! reads it without limit.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};

use crate::harness::arena::{Arena, TIMEOUT, random_and_greedy, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// Every command that reads a results directory.
const COMMANDS: [&[&str]; 9] = [
    &["run", "class.toml", "--out", "out", "--isolation", "off"],
    &["standings", "out"],
    &["standings", "out", "--accuracy=1s"],
    &["replay", "--check", "out"],
    &["rebuild", "--check", "out"],
    &["rebuild", "out"],
    &["rebuild", "--salvage", "out"],
    &["rebuild", "--from-logs", "--force", "out"],
    &["analyze", "out"],
];

/// Runs the program with the arguments `args`, and kills it if it waits forever.
fn command(arena: &Arena, args: &[&str]) -> Output {
    let program = arena.command(args);
    let timeout = TIMEOUT.as_secs().to_string();
    let mut bounded = Command::new("timeout");
    bounded.args(["-s", "KILL", &timeout]).arg(program.get_program()).args(args).current_dir(arena.path());
    bounded.output_in_time().expect("timeout starts")
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status_in_time().expect("mkfifo starts").success());
}

/// A description of a kind of file, and the function that creates it.
type Kind = (&'static str, fn(&Path));

/// The kinds of irregular files that may take the place of a file, each with the words that describe it. Only root can
/// create devices.
fn kinds() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = vec![
        ("a named pipe", fifo),
        ("a symbolic link", |path| symlink("/dev/zero", path).expect("linked")),
        ("a symbolic link", |path| symlink("/nowhere/at/all", path).expect("linked")),
        ("a directory", |path| fs::create_dir(path).expect("made")),
        ("a socket", |path| drop(UnixListener::bind(path).expect("bound"))),
    ];
    let device: fn(&Path) = |path| {
        assert!(
            Command::new("mknod").arg(path).args(["c", "1", "5"]).status_in_time().expect("mknod starts").success()
        );
    };
    let dir = tempfile::tempdir().expect("a directory");
    let trial = Command::new("mknod").arg(dir.path().join("zero")).args(["c", "1", "5"]).output_in_time();
    if trial.is_ok_and(|trial| trial.status.success()) {
        kinds.push(("a device", device));
    } else {
        skipped(Need::Devices, "the test may not create devices on this machine");
    }
    kinds
}

/// Replaces the file `name` of a finished run with a file that `make` creates, and checks the message of every command
/// that reads this file.
#[track_caller]
fn assert_reported(name: &str, what: &str, make: impl Fn(&Path), reads: impl Fn(&[&str]) -> bool) {
    let arena = Arena::new(random_and_greedy!());
    arena.run(&[]);
    let path = arena.out().join(name);
    fs::rename(&path, arena.path().join("regular")).expect("renamed");
    make(&path);
    let before = fs::symlink_metadata(&path).expect("there").file_type();
    for args in COMMANDS.iter().filter(|args| reads(args)) {
        let output = command(&arena, args);
        let stderr = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(2 | 3)), "{args:?}: {what}: {:?} {stderr}", output.status);
        assert!(stderr.contains(name) && stderr.contains(&format!("it is {what}")), "{args:?}: {stderr}");
    }
    assert_eq!(fs::symlink_metadata(&path).expect("there").file_type(), before, "the file must not be replaced");
}

#[test]
fn a_journal_that_is_not_a_regular_file_is_reported() {
    for (what, make) in kinds() {
        let reads_journal = |args: &[&str]| !["replay", "analyze"].contains(&args[0]);
        assert_reported("journal.jsonl", what, make, reads_journal);
    }
}

#[test]
fn a_log_that_is_not_a_regular_file_is_reported() {
    for (what, make) in kinds() {
        assert_reported("games/r1-greedy-random.log", what, make, |_| true);
    }
}

#[test]
fn a_games_directory_that_is_a_link_is_reported() {
    let make = |path: &Path| symlink(path.with_file_name("../regular"), path).expect("linked");
    assert_reported("games", "a symbolic link", make, |_| true);
}

/// Tables are derived from the journal, so anything in their place is replaced.
#[test]
fn a_table_that_is_not_a_regular_file_is_reported_and_replaced() {
    for name in ["results.csv", "standings.csv"] {
        for (what, make) in kinds().into_iter().filter(|(what, _)| *what != "a directory") {
            let arena = Arena::new(random_and_greedy!());
            arena.run(&[]);
            let path = arena.out().join(name);
            let table = fs::read(&path).expect("a table");
            fs::remove_file(&path).expect("removed");
            make(&path);
            let check = command(&arena, &["rebuild", "--check", "out"]);
            assert_eq!(check.status.code(), Some(3), "{what}: {}", text(&check.stderr));
            assert!(text(&check.stderr).contains(name), "{what}: {}", text(&check.stderr));
            assert_eq!(command(&arena, &["rebuild", "out"]).status.code(), Some(0), "{what}");
            assert!(fs::symlink_metadata(&path).expect("there").is_file());
            assert_eq!(fs::read(&path).expect("read"), table);
        }
    }
}

/// The size of each file is four tebibytes, but the files take up no space on disk.
#[test]
fn a_huge_log_or_table_is_read_within_bounds() {
    let arena = Arena::new(random_and_greedy!());
    arena.run(&[]);
    for name in ["games/r1-greedy-random.log", "results.csv"] {
        let file = File::options().write(true).open(arena.out().join(name)).expect("opened");
        file.set_len(1 << 42).expect("a sparse file");
    }
    for args in [&["standings", "out"][..], &["replay", "--check", "out"], &["rebuild", "--check", "out"]] {
        let output = command(&arena, args);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {}", text(&output.stderr));
    }
    let csv = command(&arena, &["standings", "out/results.csv"]);
    assert!(matches!(csv.status.code(), Some(2 | 3)), "{}", text(&csv.stderr));
    assert_eq!(command(&arena, &["rebuild", "out"]).status.code(), Some(0));
    assert_eq!(command(&arena, &["rebuild", "--check", "out"]).status.code(), Some(0));
}

#[test]
fn the_results_directory_itself_may_be_a_symbolic_link() {
    let arena = Arena::new(random_and_greedy!());
    fs::create_dir(arena.path().join("elsewhere")).expect("made");
    symlink("elsewhere", arena.out()).expect("linked");
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    for args in COMMANDS.iter().filter(|args| args[0] != "analyze") {
        let output = command(&arena, args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    }
}
