//! Leftovers of a killed arena in the directory for temporary files: the next arena removes them, and nothing else.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};

use rustix::process::{Signal, geteuid};

use crate::harness::arena::{Arena, Ready, assert_gone, random_and_greedy, text, waits};
use crate::harness::waiting::InTime as _;

const HELD: &str = concat!("concurrency = 1\n", waits!(), "[[player]]\nname = \"random\"\nbuiltin = \"random\"\n");

fn prefix() -> String {
    format!("gothello-arena-{}-", geteuid().as_raw())
}

fn names(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir).expect("there").map(|entry| entry.expect("one").path()).collect();
    paths.sort();
    paths
}

/// Plays a short tournament with its scratch directories in `tmp`.
fn play(tmp: &Path) {
    let arena = Arena::new(random_and_greedy!());
    let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", "off"]);
    let output = command.env("TMPDIR", tmp).output_in_time().expect("it starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn the_next_arena_removes_only_the_leftovers_of_killed_ones() {
    let (tmp, outside) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    fs::write(outside.path().join("kept"), "").expect("written");
    symlink(outside.path(), tmp.path().join(prefix() + "linked")).expect("linked");
    fs::create_dir(tmp.path().join("gothello-arena")).expect("made");
    if geteuid().is_root() {
        let foreign = tmp.path().join(prefix() + "foreign");
        fs::create_dir(&foreign).expect("made");
        chown(&foreign, Some(0x6773_7fff), None).expect("given away");
    }
    let others = names(tmp.path());
    let ready = Ready::new();
    let arena = Arena::new(HELD);
    let env = [("READY", ready.port().to_string()), ("TMPDIR", tmp.path().display().to_string())];
    let running = arena.start_with(env);
    let (bot, connection) = ready.next();
    let mut left = names(tmp.path());
    left.retain(|path| !others.contains(path));
    let [house] = &left[..] else { panic!("{left:?}") };
    assert!(house.file_name().is_some_and(|name| name.as_bytes().starts_with(prefix().as_bytes())), "{house:?}");
    assert!(!names(house).is_empty());

    play(tmp.path());
    assert!(!names(house).is_empty(), "the directory of a running arena must stay");
    running.signal(Signal::KILL);
    drop(running);
    assert!(!names(house).is_empty(), "a killed arena leaves its directory");
    drop(connection);
    assert_gone(bot);
    play(tmp.path());
    assert_eq!(names(tmp.path()), others);
    assert!(outside.path().join("kept").exists());
}
