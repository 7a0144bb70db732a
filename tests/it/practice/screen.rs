//! `play` on a terminal: what the screen shows, and how the terminal is left.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};
use vt100::Parser;

use crate::harness::arena::program;
use crate::harness::waiting::{InTime as _, Owned, until};

/// A program on a terminal of its own.
struct OnTerminal {
    /// The end of the person.
    keys: File,
    /// The end of the program.
    tty: File,
    before: Termios,
    child: Owned,
    seen: Parser,
}

impl OnTerminal {
    /// Starts `play` with `arguments` in `dir`, on a terminal of this size.
    fn play(dir: &Path, arguments: &[&str], (columns, rows): (u16, u16), locale: &str) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&keys).and_then(|()| unlockpt(&keys)).expect("a terminal");
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&keys, size).expect("a size");
        let name = ptsname(&keys, Vec::new()).expect("a name").into_string().expect("text");
        let open = || File::options().read(true).write(true).open(&name).expect("it opens");
        let tty = open();
        let before = tcgetattr(&tty).expect("its modes");
        let mut command = Command::new("setsid");
        command.args(["--ctty", program(), "play"]).args(arguments).current_dir(dir);
        command.env("LC_ALL", locale).env("TERM", "xterm").env_remove("NO_COLOR");
        let child = command.stdin(open()).stdout(open()).stderr(open()).start().expect("it starts");
        let keys: OwnedFd = keys;
        let flags = fcntl_getfl(&keys).expect("flags");
        fcntl_setfl(&keys, flags | OFlags::NONBLOCK).expect("flags");
        Self { keys: File::from(keys), tty, before, child, seen: Parser::new(rows, columns, 0) }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("a terminal that reads");
    }

    /// Reads what the program has written, and returns the screen.
    fn shown(&mut self) -> String {
        let mut bytes = [0; 8192];
        while let Ok(length @ 1..) = self.keys.read(&mut bytes) {
            self.seen.process(&bytes[..length]);
        }
        self.seen.screen().contents()
    }

    /// Waits until the screen shows `what`, and returns the screen.
    #[track_caller]
    fn see(&mut self, what: &str) -> String {
        until(what, || {
            let shown = self.shown();
            shown.contains(what).then_some(shown)
        })
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    fn is_raw(&self) -> bool {
        !tcgetattr(&self.tty).expect("its modes").local_modes.contains(LocalModes::ICANON)
    }

    /// Whether the terminal is as it was before the program.
    fn is_restored(&mut self) -> bool {
        self.shown();
        let now = tcgetattr(&self.tty).expect("its modes");
        let modes = |modes: &Termios| (modes.local_modes, modes.input_modes, modes.output_modes, modes.control_modes);
        let screen = self.seen.screen();
        modes(&now) == modes(&self.before) && !screen.alternate_screen() && !screen.hide_cursor()
    }

    /// Waits for the program to end, and checks its exit code and the terminal.
    #[track_caller]
    fn assert_ends(mut self, code: i32) {
        let status = self.child.wait().expect("it ends");
        let shown = self.shown();
        assert_eq!(status.code(), Some(code), "{shown}");
        assert!(self.is_restored(), "{shown}");
    }
}

const UTF8: &str = "C.UTF-8";

#[test]
fn a_game_is_played_by_keys_and_the_terminal_is_as_before() {
    for (size, locale, stone) in [((80, 24), UTF8, "(●)"), ((40, 16), "C", "(b)")] {
        let dir = tempfile::tempdir().expect("a directory");
        let arguments = ["--two", "--log", "game.log"];
        let mut game = OnTerminal::play(dir.path(), &arguments, size, locale);
        game.see("black to move");
        assert!(game.is_raw() && game.seen.screen().alternate_screen() && game.seen.screen().hide_cursor());
        // The cursor begins in the middle. After the move, it goes on.
        game.press("\r\x1b[A");
        let shown = game.see("white to move");
        assert!(shown.contains("last: c3 by"), "{shown}");
        let shown = game.see(stone);
        assert!(shown.contains("gothello: you play both sides") && shown.contains("u undo"), "{shown}");
        game.press("c3\r");
        game.see("the point is");
        game.press("h");
        game.see("-3");
        game.press("q");
        game.assert_ends(0);
        let log = std::fs::read_to_string(dir.path().join("game.log")).expect("a log");
        assert!(log.contains("\n1. c3 *\n"), "{log}");
    }
}

#[test]
fn the_opponent_answers_on_the_screen() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut game = OnTerminal::play(dir.path(), &["greedy", "--seed", "1"], (80, 24), UTF8);
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
        let mut game = OnTerminal::play(dir.path(), &["--two"], (80, 24), UTF8);
        game.see("black to move");
        game.press(keys);
        if let Some(signal) = signal {
            game.signal(signal);
        }
        game.assert_ends(code);
    }
}

#[test]
fn a_suspended_game_gives_the_terminal_back_and_takes_it_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut game = OnTerminal::play(dir.path(), &["--two"], (80, 24), UTF8);
    game.see("black to move");
    game.press("c3\r");
    for ask in ["\x1a", ""] {
        game.see("white to move");
        if ask.is_empty() {
            game.signal(Signal::TSTP);
        } else {
            game.press(ask);
        }
        let stat = format!("/proc/{}/stat", game.child.id());
        until("the stop", || {
            let stat = std::fs::read_to_string(&stat).expect("it runs");
            stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T')).then_some(())
        });
        assert!(game.is_restored());
        game.signal(Signal::CONT);
        until("the screen", || {
            game.shown();
            (game.is_raw() && game.seen.screen().alternate_screen()).then_some(())
        });
    }
    let shown = game.see("last: c3 by black");
    assert!(shown.contains("white to move"), "{shown}");
    game.press("q");
    game.assert_ends(0);
}

#[test]
fn a_small_window_says_how_much_it_needs() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut game = OnTerminal::play(dir.path(), &["--two"], (30, 10), UTF8);
    game.see("needs 40x16");
    game.press("q");
    game.assert_ends(0);
}

#[test]
fn without_a_terminal_the_line_by_line_form_is_named() {
    let output = Command::new(program()).args(["play", "--two"]).output_in_time().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("add `--plain`"));
}
