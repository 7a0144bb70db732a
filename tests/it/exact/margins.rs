//! The table of Gothello's margins: built, killed, continued, checked, and read by other programs.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use gothello_arena::exact::margin_table::grid::BoardGrid;
use gothello_arena::exact::margin_table::numbering::Numbering;
use gothello_arena::exact::margin_table::table_file::MarginFile;
use tempfile::TempDir;

use crate::harness::arena::{program, text};
use crate::harness::hardship::SmallDisk;
use crate::harness::waiting::{InTime as _, pause};

fn tablebase(dir: &TempDir, words: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.arg("tablebase").args(words).current_dir(dir).env("XDG_CACHE_HOME", dir.path().join("cache"));
    command.output_in_time().expect("the program starts")
}

fn new_dir() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

#[test]
fn a_table_is_built_in_the_cache_and_leaves_nothing_else_behind() {
    let dir = new_dir();
    let output = tablebase(&dir, &["build", "gothello", "--size", "3"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    assert_eq!(lines.lines().count(), 9);
    assert!(lines.starts_with(" 8 stones: 402 positions, "), "{lines}");
    assert!(lines.ends_with(" 0 stones: 1 position, 1 won, 0 drawn, 0 lost\n"), "{lines}");
    let names: Vec<_> = fs::read_dir(dir.path().join("cache/gothello-arena")).expect("there").collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let table = dir.path().join("cache/gothello-arena/gothello-3x3.table");
    let name = table.to_str().expect("plain");
    let output = tablebase(&dir, &["check", "gothello", "--table", name]);
    assert!(output.status.success() && text(&output.stdout).contains("checked against the rules in "), "{output:?}");

    // This build verifies the table, writes the layers to a separate directory, and keeps the winners there.
    let words = ["build", "gothello", "--size", "3", "--verify", "--layers", "layers", "--keep-winners"];
    let output = tablebase(&dir, &words);
    assert!(
        output.status.success() && text(&output.stdout).lines().all(|line| line.ends_with(", verified")),
        "{output:?}"
    );
    assert_eq!(fs::read_dir(dir.path().join("layers")).expect("there").count(), 9);
    let output = tablebase(&dir, &["check", "gothello", "--layers", "layers"]);
    assert!(output.status.success() && text(&output.stdout).lines().count() == 10, "{output:?}");
    let file = dir.path().join("layers/3x3-5.winners");
    let mut bytes = fs::read(&file).expect("there");
    bytes[40] ^= 0b11;
    fs::write(&file, bytes).expect("written");
    let output = tablebase(&dir, &["check", "gothello", "--layers", "layers"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(text(&output.stderr).contains("the 5-stone layer is wrong"), "{}", text(&output.stderr));
}

#[test]
fn a_disk_without_room_for_the_layers_or_the_table_is_refused_before_the_build() {
    let Some(disk) = SmallDisk::new("64k") else { return };
    let (dir, small) = (new_dir(), disk.path().to_str().expect("plain"));
    let table = format!("{small}/gothello.table");
    for (option, value, what) in [("--layers", small, "the build needs "), ("--out", &table, "the table needs ")] {
        let output = tablebase(&dir, &["build", "gothello", "--size", "4", option, value]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(what) && said.contains(&format!("in `{small}`")) && said.contains(option), "{said}");
        assert!(output.stdout.is_empty() && !Path::new(&table).exists(), "{output:?}");
    }
}

#[test]
fn a_build_that_is_killed_goes_on_to_the_same_table() {
    let dir = new_dir();
    let build = |out: &str, layers: &str| {
        let mut command = Command::new(program());
        let words = ["tablebase", "build", "gothello", "--size", "4", "--verify", "--out", out, "--layers", layers];
        command.args(words).current_dir(&dir).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    assert!(build("whole.table", "whole").status_in_time().expect("it starts").success());
    // The build is killed again and again, each time as soon as another layer is complete.
    for stones in [14, 11, 8, 3] {
        let mut child = build("killed.table", "killed").start().expect("it starts");
        let total = dir.path().join(format!("killed/4x4-{stones}.total"));
        while !total.exists() && child.try_wait().expect("a status").is_none() {
            pause();
        }
        child.kill().expect("killed");
        child.wait().expect("a status");
    }
    assert!(build("killed.table", "killed").status_in_time().expect("it starts").success());
    let read = |name: &str| fs::read(dir.path().join(name)).expect("there");
    assert!(read("killed.table") == read("whole.table"));
    assert_eq!(fs::read_dir(dir.path().join("killed")).expect("a directory").count(), 0);
}

#[test]
fn what_cannot_be_built_or_checked_is_refused_with_the_reason() {
    let dir = new_dir();
    fs::write(dir.path().join("mine.txt"), "mine").expect("written");
    fs::create_dir(dir.path().join("busy")).expect("made");
    let said = |words: &[&str]| {
        let output = tablebase(&dir, words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        text(&output.stderr)
    };
    for (words, expected) in [
        (&["build", "gothello", "--size", "2"][..], "2 is not in 3..=5"),
        (&["build", "othello"], "not for `othello`"),
        (&["build", "seegover", "--verify"], "--verify applies only to gothello"),
        (&["check", "seegover", "--layers", "busy"], "--layers applies only to gothello"),
        (
            &["build", "gothello", "--size", "3", "--out", "mine.txt"],
            "`mine.txt` was not changed: name another file with --out",
        ),
        (
            &["build", "gothello", "--size", "3", "--out", "busy"],
            "`busy` was not changed: name another file with --out",
        ),
        (&["build", "gothello", "--size", "3", "--layers", "mine.txt"], "cannot create `mine.txt`"),
        (&["check", "gothello", "--table", "mine.txt"], "it is not a table of Gothello's margins"),
        (&["check", "gothello"], "there is no file"),
        (&["check", "gothello", "--layers", "busy"], "a build with --keep-winners creates it"),
    ] {
        let stderr = said(words);
        assert!(stderr.contains(expected), "{words:?}: {stderr}");
    }
    assert_eq!(fs::read_to_string(dir.path().join("mine.txt")).expect("there"), "mine");
    let building = File::open(dir.path().join("busy")).expect("there");
    building.try_lock().expect("not locked by others");
    let stderr = said(&["check", "gothello", "--layers", "busy"]);
    assert!(stderr.contains("a build is using `busy`"), "{stderr}");
    // A checker that fails ends the build, which a later command continues.
    let output = tablebase(&dir, &["build", "gothello", "--size", "3", "--checker", "false"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("`false` does not confirm the 8-stone layer"), "{output:?}");
    let output = tablebase(&dir, &["build", "gothello", "--size", "3", "--checker", "echo"]);
    assert!(output.status.success() && text(&output.stdout).contains("gothello-3x3-layers 0 --size 3\n"), "{output:?}");
}

/// The Python code in docs/measure/solution.md that reads a table.
fn reader() -> String {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/measure/solution.md")).expect("the page");
    let (_, rest) = page.split_once("```python\n").expect("a program");
    rest.split_once("```").expect("its end").0.to_owned()
}

/// The points with `colour` on `board`, whose last rank comes first.
fn points_of(board: &str, colour: char) -> u32 {
    let points = board.split(' ').rev().flat_map(str::chars).enumerate();
    points.filter(|(_, point)| *point == colour).fold(0, |set, (number, _)| set | 1 << number)
}

#[test]
fn the_documented_program_reads_tables_of_all_sizes() {
    let dir = new_dir();
    fs::write(dir.path().join("margin.py"), reader()).expect("written");
    for (size, boards) in [
        (3, ["... ... ...", "x.. ... ...", "xo. .xo ...", ".ox xxo x..", "xo. oo. ..."]),
        (
            4,
            [
                ".... .... .... ....",
                "..o. .... x... ....",
                "xo.. .xo. ...o x...",
                "ox.. x.o. .... ..x.",
                "xo.. oo.. .... ....",
            ],
        ),
    ] {
        let side = size.to_string();
        assert!(tablebase(&dir, &["build", "gothello", "--size", &side, "--out", &side]).status.success());
        let (table, numbering) =
            (MarginFile::open(&dir.path().join(&side)).expect("a table"), Numbering::new(BoardGrid::new(size)));
        let mut found = Vec::new();
        for board in boards {
            let mut python = Command::new("python3");
            let output =
                python.args(["margin.py", &side, board]).current_dir(&dir).output_in_time().expect("it starts");
            let margin = table.margin(numbering.place(points_of(board, 'x'), points_of(board, 'o'))).expect("readable");
            let expected = if margin == i8::MIN { "None".to_owned() } else { margin.to_string() };
            assert_eq!(text(&output.stdout).trim(), expected, "{board}: {}", text(&output.stderr));
            found.push(expected);
        }
        assert_eq!(found[0], if size == 3 { "1" } else { "2" });
        assert_eq!(found.last().map(String::as_str), Some("None"));
        assert!(found.iter().filter(|margin| *margin != "None").count() >= 3, "{found:?}");
    }
}

#[test]
fn a_table_in_the_cache_that_cannot_be_used_is_named_and_changes_no_answer() {
    let dir = new_dir();
    let solve = || {
        let mut command = Command::new(program());
        let board = "w.bww bw.bw .wbw. bbw.b w.bw.";
        command.args(["solve", "--json", "--to-move", "black", "--board", board]);
        command.current_dir(&dir).env("XDG_CACHE_HOME", dir.path().join("cache")).output_in_time().expect("it starts")
    };
    let without = solve();
    assert!(without.status.success() && without.stderr.is_empty(), "{}", text(&without.stderr));
    let answer = |output: &Output| {
        let mut answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for varying in ["nodes", "seconds"] {
            answer.as_object_mut().expect("an object").remove(varying);
        }
        answer
    };
    let table = dir.path().join("cache/gothello-arena/gothello.table");
    fs::create_dir_all(table.parent().expect("a directory")).expect("made");
    for (bytes, why) in [
        (&b"not a table\n"[..], "it is not a table of Gothello's margins"),
        (b"gothello-arena margins of gothello, format 99\n", "it uses a different version of the table format (`99`)"),
    ] {
        fs::write(&table, bytes).expect("written");
        let with = solve();
        assert!(with.status.success());
        assert_eq!(answer(&with), answer(&without));
        let stderr = text(&with.stderr);
        assert!(stderr.contains(why) && stderr.contains("gothello.table` is not used"), "{stderr}");
    }
}

#[test]
fn the_margins_of_the_program_are_exported_once() {
    let dir = new_dir();
    let output = tablebase(&dir, &["export", "seven"]);
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    let table = MarginFile::open(&dir.path().join("seven")).expect("a table");
    assert_eq!((table.header().kept, table.header().layers.len()), (7, 8));
    let output = tablebase(&dir, &["export", "seven"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let stderr = text(&output.stderr);
    assert!(stderr.contains("`seven` already exists and will not be overwritten"), "{stderr}");
}
