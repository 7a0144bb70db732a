//! Results directories of earlier versions are read, rebuilt byte for byte, and resumed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;

/// A results directory of every kind of run; tests/data/earlier/README.md describes them.
const KINDS: [&str; 11] = [
    "adjudicated",
    "changed",
    "confined",
    "cpu-clock",
    "endings",
    "gauntlet",
    "knockout",
    "round-robin",
    "sprt",
    "swiss",
    "void",
];

/// The kinds with built-in players only, which a run can resume on any machine.
const BUILT_IN: [&str; 7] = ["adjudicated", "cpu-clock", "gauntlet", "knockout", "round-robin", "sprt", "swiss"];

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/earlier")
}

/// A copy of the folder of `kind`.
fn copy_of(kind: &str) -> TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("a directory");
        for entry in fs::read_dir(from).expect("a directory").flatten() {
            let to = to.join(entry.file_name());
            if entry.file_type().expect("a type").is_dir() {
                copy(&entry.path(), &to);
            } else {
                fs::copy(entry.path(), to).expect("copied");
            }
        }
    }
    let dir = tempfile::tempdir().expect("a directory");
    copy(&data().join(kind), dir.path());
    dir
}

/// All files below `dir`, by their paths relative to `dir`.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn add(root: &Path, dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(dir).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                add(root, &path, files);
            } else {
                let relative = path.strip_prefix(root).expect("below the root").to_owned();
                files.insert(relative, fs::read(&path).expect("read"));
            }
        }
    }
    let mut found = BTreeMap::new();
    add(dir, dir, &mut found);
    found
}

fn arena(dir: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.args(words).current_dir(dir).stdin(Stdio::null());
    command.output_in_time().expect("the program starts")
}

/// The kinds with their own result, which versions of that time did not show.
const WITH_RESULT: [&str; 2] = ["knockout", "swiss"];

/// Asserts that `now` equals `before`, apart from the columns of the result, which come after all others.
fn assert_same_but_result(now: &[u8], before: &[u8]) {
    let (now, before) = (text(now), text(before));
    assert_eq!(now.lines().count(), before.lines().count());
    assert!(now.starts_with("rank,") && now.contains(",result_place,"), "{now}");
    for (now, before) in now.lines().zip(before.lines()) {
        assert!(now.strip_prefix(before).is_some_and(|result| result.starts_with(',')), "{now}\n{before}");
    }
}

/// Asserts that two directories hold the same files. On failure, names the first file that differs.
fn assert_same(kind: &str, now: &BTreeMap<PathBuf, Vec<u8>>, before: &BTreeMap<PathBuf, Vec<u8>>) {
    assert_eq!(now.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>(), "{kind}");
    for (path, bytes) in now {
        if WITH_RESULT.contains(&kind) && path.ends_with("standings.csv") {
            assert_same_but_result(bytes, &before[path]);
            continue;
        }
        assert_eq!(text(bytes), text(&before[path]), "{kind}: {}", path.display());
    }
}

#[test]
fn every_kind_has_a_folder_and_every_folder_a_kind() {
    let folders = fs::read_dir(data()).expect("a directory").flatten().filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, KINDS);
}

#[test]
fn earlier_results_agree_with_their_journals() {
    for kind in KINDS {
        let dir = copy_of(kind);
        let checked = arena(dir.path(), &["rebuild", "--check", "results"]);
        assert!(checked.status.success(), "{kind}: {}{}", text(&checked.stdout), text(&checked.stderr));
        let replayed = arena(dir.path(), &["replay", "--check", "results"]);
        assert!(replayed.status.success(), "{kind}: {}", text(&replayed.stdout));
    }
}

#[test]
fn logs_and_tables_of_earlier_journals_are_rebuilt_byte_for_byte() {
    for kind in KINDS {
        let dir = copy_of(kind);
        let results = dir.path().join("results");
        let before = files(&results);
        for path in before.keys().filter(|path| path.extension().is_some_and(|end| end == "log" || end == "csv")) {
            fs::remove_file(results.join(path)).expect("removed");
        }
        let rebuilt = arena(dir.path(), &["rebuild", "results"]);
        assert!(rebuilt.status.success(), "{kind}: {}", text(&rebuilt.stderr));
        assert_same(kind, &files(&results), &before);
    }
}

#[test]
fn standings_of_earlier_results_stay_the_same() {
    for kind in KINDS {
        let dir = copy_of(kind);
        let standings = arena(dir.path(), &["standings", "results"]);
        let before = fs::read_to_string(dir.path().join("standings.txt")).expect("read");
        if WITH_RESULT.contains(&kind) {
            let now = text(&standings.stdout);
            assert!(now.starts_with("Result of the ") && now.ends_with(&format!("\n{before}")), "{kind}: {now}");
            continue;
        }
        assert_eq!(text(&standings.stdout), before, "{kind}");
    }
}

#[test]
fn resuming_a_finished_earlier_run_changes_nothing() {
    for kind in BUILT_IN {
        let dir = copy_of(kind);
        let before = files(&dir.path().join("results"));
        let run = arena(dir.path(), &["run", "tournament.toml", "--quiet", "--out", "results"]);
        assert!(run.status.success(), "{kind}: {}", text(&run.stderr));
        assert_same(kind, &files(&dir.path().join("results")), &before);
    }
}

#[test]
fn resuming_an_interrupted_earlier_run_plays_only_the_missing_games() {
    for kind in ["round-robin", "swiss", "knockout"] {
        assert_resumes(kind);
    }
}

/// Asserts that an earlier run of `kind`, cut off after four games, continues with the games that it would have had.
fn assert_resumes(kind: &str) {
    let dir = copy_of(kind);
    let journal = dir.path().join("results/journal.jsonl");
    let whole = fs::read_to_string(&journal).expect("read");
    let kept: Vec<&str> = whole.split_inclusive('\n').take(5).collect();
    fs::write(&journal, kept.concat()).expect("written");
    let ids = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| Some(line.split_once("\"id\":\"")?.1.split_once('"')?.0.to_owned())).collect()
    };
    let results = dir.path().join("results");
    for entry in fs::read_dir(results.join("games")).expect("a directory").flatten() {
        fs::remove_file(entry.path()).expect("removed");
    }
    let run = arena(dir.path(), &["run", "tournament.toml", "--quiet", "--out", "results"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let now = fs::read_to_string(&journal).expect("read");
    assert!(now.starts_with(&kept.concat()), "the old lines must stay unchanged");
    let (mut now, mut before) = (ids(&now), ids(&whole));
    now.sort();
    before.sort();
    assert_eq!(now, before, "{kind}");
    let has_former_rule = text(&run.stderr).contains("keeps the pairing rule of the version that began it");
    assert_eq!(has_former_rule, kind == "swiss", "{}", text(&run.stderr));
}
