//! `replay -i` on a terminal: the contents of the screen, and the state that the terminal is left in.

use std::process::Command;

use rustix::process::Signal;

use crate::harness::arena::{Arena, program, random_and_greedy};
use crate::harness::on_terminal::OnTerminal;
use crate::harness::waiting::{InTime as _, until};

const UTF8: &str = "C.UTF-8";

/// A run of a few games in the directory `out`.
fn played() -> Arena {
    let arena = Arena::new(concat!("rounds = 2\n", random_and_greedy!()));
    assert!(arena.run(&[]).status.success());
    arena
}

#[test]
fn games_are_chosen_and_looked_at_and_the_terminal_is_as_before() {
    let arena = played();
    for (size, locale) in [((80, 24), UTF8), ((40, 16), "C")] {
        let mut screen = OnTerminal::start(arena.path(), &["replay", "-i", "out"], size, locale);
        screen.see("games");
        assert!(screen.has_screen());
        screen.press("/r1-\r");
        screen.see("filter: r1-");
        screen.press("\r");
        screen.see("start");
        screen.press("\x1b[C\x1b[C");
        screen.see("ply 2/");
        screen.press("y");
        screen.see("printed at");
        screen.press("q");
        let shown = screen.assert_ends(0);
        assert!(shown.contains("gothello-arena solve --log out/games/r1-"), "{shown}");
    }
}

#[test]
fn ctrl_c_signals_and_suspension_leave_the_terminal_as_it_was() {
    let arena = played();
    for (keys, signal, code) in [("\x03", None, 130), ("", Some(Signal::TERM), 143)] {
        let mut screen = OnTerminal::start(arena.path(), &["replay", "-i", "out"], (80, 24), UTF8);
        screen.see("games");
        screen.press(keys);
        if let Some(signal) = signal {
            screen.signal(signal);
        }
        screen.assert_ends(code);
    }
    let mut screen = OnTerminal::start(arena.path(), &["replay", "-i", "out"], (80, 24), UTF8);
    screen.see("games");
    screen.signal(Signal::TSTP);
    screen.wait_for_stop();
    assert!(screen.is_restored());
    screen.signal(Signal::CONT);
    until("the screen", || screen.has_screen().then_some(()));
    screen.see("games");
    screen.press("q");
    screen.assert_ends(0);
}

#[test]
fn without_a_terminal_the_plain_command_is_named() {
    let output = Command::new(program()).args(["replay", "-i", "a.log"]).output_in_time().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("`gothello-arena replay a.log` prints the boards"), "{stderr}");
}
