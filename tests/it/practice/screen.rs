//! `play` on a terminal: the contents of the screen, and the state that the terminal is left in.

use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use crate::harness::arena::program;
use crate::harness::on_terminal::OnTerminal;
use crate::harness::waiting::{InTime as _, until};

/// Starts `play` with `arguments` in `dir`, on a terminal of the given size.
fn play(dir: &Path, arguments: &[&str], size: (u16, u16), locale: &str) -> OnTerminal {
    OnTerminal::start(dir, &[&["play"], arguments].concat(), size, locale)
}

const UTF8: &str = "C.UTF-8";

#[test]
fn a_game_is_played_by_keys_and_the_terminal_is_as_before() {
    for (size, locale, stone) in [((80, 24), UTF8, "(●)"), ((40, 16), "C", "(b)")] {
        let dir = tempfile::tempdir().expect("a directory");
        let arguments = ["--two", "--log", "game.log"];
        let mut game = play(dir.path(), &arguments, size, locale);
        game.see("black to move");
        assert!(game.has_screen());
        // The cursor begins in the middle. After the move, it stays where it is and can be moved on.
        game.press("\r\x1b[A");
        let shown = game.see("white to move");
        assert!(shown.contains("last: c3 by"), "{shown}");
        let shown = game.see(stone);
        assert!(shown.contains("gothello: you play both sides") && shown.contains("u undo"), "{shown}");
        game.press("c3\r");
        game.see("the point is");
        game.press("h");
        game.see("-3");
        game.press("qq");
        game.assert_ends(0);
        let log = std::fs::read_to_string(dir.path().join("game.log")).expect("a log");
        assert!(log.contains("\n1. c3 *\n"), "{log}");
    }
}

#[test]
fn the_opponent_answers_on_the_screen() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut game = play(dir.path(), &["greedy", "--seed", "1"], (80, 24), UTF8);
    game.see("you are black, against greedy");
    game.press("c3\r");
    game.see("by white");
    game.press("u");
    until("the first position", || (!game.shown().contains("last:")).then_some(()));
    game.press("rr");
    game.see("white wins (resignation)");
    game.press("q");
    game.assert_ends(0);
}

#[test]
fn ctrl_c_and_signals_leave_the_terminal_as_it_was() {
    for (keys, signal, code) in
        [("\x03", None, 130), ("", Some(Signal::TERM), 143), ("", Some(Signal::INT), 130), ("", Some(Signal::HUP), 143)]
    {
        let dir = tempfile::tempdir().expect("a directory");
        let mut game = play(dir.path(), &["--two"], (80, 24), UTF8);
        game.see("black to move");
        game.press(keys);
        if let Some(signal) = signal {
            game.signal(signal);
        }
        game.assert_ends(code);
    }
}

#[test]
fn a_screen_ends_with_the_window_of_its_terminal() {
    for arguments in [&["--two", "--log", "game.log"][..], &["--puzzles", "--seed", "1"]] {
        let dir = tempfile::tempdir().expect("a directory");
        let mut game = play(dir.path(), arguments, (80, 24), UTF8);
        game.see("to move");
        assert_eq!(game.hang_up(), Some(143), "{arguments:?}");
        assert_eq!(dir.path().join("game.log").exists(), arguments[0] == "--two", "the moves are kept");
    }
}

#[test]
fn a_suspended_game_gives_the_terminal_back_and_takes_it_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut game = play(dir.path(), &["--two"], (80, 24), UTF8);
    game.see("black to move");
    game.press("c3\r");
    for ask in ["\x1a", ""] {
        game.see("white to move");
        if ask.is_empty() {
            game.signal(Signal::TSTP);
        } else {
            game.press(ask);
        }
        game.wait_for_stop();
        assert!(game.is_restored());
        game.signal(Signal::CONT);
        until("the screen", || {
            game.shown();
            game.has_screen().then_some(())
        });
    }
    let shown = game.see("last: c3 by black");
    assert!(shown.contains("white to move"), "{shown}");
    game.press("qq");
    game.assert_ends(0);
}

#[test]
fn a_small_window_says_how_much_it_needs() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut game = play(dir.path(), &["--two"], (30, 10), UTF8);
    game.see("needs 40x16");
    game.press("qq");
    game.assert_ends(0);
}

#[test]
fn without_a_terminal_the_line_by_line_form_is_named() {
    let output = Command::new(program()).args(["play", "--two"]).output_in_time().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("add `--plain`"));
}
