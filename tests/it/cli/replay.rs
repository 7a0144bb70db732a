//! The command that checks and shows game logs.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use gothello_arena::game::Side;
use gothello_arena::referee::record::{GameRecord, Try, TryKind};
use gothello_arena::referee::result::{GameResult, Termination};

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use crate::referee::record::check::{cut_short, records};

/// A record whose twelfth ply is on an occupied point.
fn spoilt() -> GameRecord {
    let (mut record, _) = records().next().expect("200 records");
    record.plies[11].played = record.plies[10].played;
    record
}

/// Runs the command with `arguments` and `input` in `dir`.
fn replay(dir: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(program())
        .arg("replay")
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .start()
        .expect("the program starts");
    // A command that refuses its arguments does not read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

/// Exit code, stdout and stderr.
fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn check_prints_a_line_for_each_file() {
    let dir = tempfile::tempdir().unwrap();
    let (good, _) = records().next().unwrap();
    std::fs::create_dir(dir.path().join("games")).unwrap();
    std::fs::write(dir.path().join("games/b.log"), good.to_string()).unwrap();
    std::fs::write(dir.path().join("games/notes.txt"), "no log").unwrap();
    let ok = "ok, 31 plies, black wins by 22";
    let (code, out, err) = said(&replay(dir.path(), &["--check", "."], ""));
    assert_eq!((code, out, err), (Some(0), format!("./games/b.log: {ok}\n"), String::new()));

    std::fs::write(dir.path().join("a.log"), spoilt().to_string()).unwrap();
    std::fs::write(dir.path().join("c.log"), "[Black \"x\"").unwrap();
    let (code, out, err) = said(&replay(dir.path(), &["--check", "a.log", "c.log", "-"], &good.to_string()));
    let lines = [
        "a.log: ply 12 (6... d4): the point is occupied",
        "c.log:1:11: expected `]`, but found the end",
        "-: ok, 31 plies, black wins by 22",
    ];
    assert_eq!((code, out, err), (Some(3), lines.join("\n") + "\n", String::new()));

    let (code, out, err) = said(&replay(dir.path(), &["--check", "none.log", "games/b.log"], ""));
    assert_eq!((code, out), (Some(2), format!("games/b.log: {ok}\n")));
    assert!(err.contains("cannot read `none.log`"), "{err}");
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    let (code, _, err) = said(&replay(dir.path(), &["--check", "empty"], ""));
    assert!(code == Some(2) && err.contains("no `*.log` in `empty`"), "{err}");
}

#[test]
fn a_game_is_shown_from_the_empty_board_to_the_result() {
    let dir = tempfile::tempdir().unwrap();
    let (record, game) = records().next().unwrap();
    let (code, out, err) = said(&replay(dir.path(), &["-"], &record.to_string()));
    assert_eq!((code, err), (Some(0), String::new()));
    assert!(out.starts_with("black: a\nwhite: b\na \"test\", round 1, r1-a-b, 1:00.000 each\n\nstart\n"), "{out}");
    assert_eq!(out.matches("\nply ").count(), game.moves.len());
    assert_eq!(out.matches("  a b c d e\n").count(), game.moves.len() + 1);
    assert!(out.ends_with("\nblack wins by 22: a beats b\n"), "{out}");
    assert!(!out.contains('\x1b'), "a pipe gets no colours");

    let (code, out, _) = said(&replay(dir.path(), &["--ply", "2", "-"], &record.to_string()));
    assert_eq!(code, Some(0));
    assert!(out.contains("ply 2: 1... a5 by b (white)\n0:00.013 spent, 0:59.986 left\n"), "{out}");
    assert!(out.contains("5[w]. b . .\n") && out.ends_with("1 black, 1 white\n"), "{out}");

    let (code, out, _) = said(&replay(dir.path(), &["--final", "-"], &record.to_string()));
    assert_eq!((code, out.matches("\nply ").count()), (Some(0), 1));
    assert!(out.contains("23 black, 1 white\n") && out.ends_with("a beats b\n"), "{out}");

    let (code, out, _) = said(&replay(dir.path(), &["--ply", "0", "--", "-"], &record.to_string()));
    assert!(code == Some(0) && out.contains("\nstart\n"), "{out}");
}

#[test]
fn refused_lines_are_shown_without_control_characters() {
    let dir = tempfile::tempdir().unwrap();
    let reason = "3 tries\x1b[2J";
    let mut record = cut_short(GameResult::forfeit(Side::Black, Termination::Illegal, reason));
    record.plies[1].tries.push(Try::new(TryKind::Illegal, "1 ... c5"));
    let turn = record.unfinished.as_mut().unwrap();
    turn.tries.push(Try::new(TryKind::Garbled, "what?"));
    let (code, out, err) = said(&replay(dir.path(), &["-"], &record.to_string()));
    assert_eq!((code, err), (Some(0), String::new()));
    assert!(out.contains("refused: `1 ... c5` (illegal)\n"), "{out}");
    assert!(out.contains("black made no further move: 0:00.500 spent\nrefused: `what?` (garbled)\n"), "{out}");
    assert!(out.ends_with("white wins (illegal): b beats a (3 tries\\u{1b}[2J)\n"), "{out}");
}

#[test]
fn wrong_usage_is_reported_with_a_hint() {
    let dir = tempfile::tempdir().unwrap();
    let (good, _) = records().next().unwrap();
    std::fs::write(dir.path().join("bad.log"), spoilt().to_string()).unwrap();
    for (arguments, code, hint) in [
        (vec!["a.log", "b.log"], 2, "--check"),
        (vec!["."], 2, "`.` is a directory"),
        (vec!["none.log"], 2, "cannot read `none.log`"),
        (vec!["bad.log"], 3, "bad.log: ply 12 (6... d4): the point is occupied"),
        (vec!["--ply", "32", "-"], 2, "the game has 31 plies"),
        (vec!["--ply", "3", "--final", "-"], 2, "cannot be used with"),
        (vec!["--delay", "soon", "-"], 2, "--delay"),
        (vec![], 2, "FILE"),
    ] {
        let (status, out, err) = said(&replay(dir.path(), &arguments, &good.to_string()));
        assert_eq!((status, out.as_str()), (Some(code), ""), "{arguments:?}: {err}");
        assert!(err.contains(hint), "{arguments:?}: {err}");
    }
}
