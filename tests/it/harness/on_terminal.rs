//! Programs that each run on their own terminal, and a simulated person at each terminal.

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

/// A program on its own terminal.
pub(crate) struct OnTerminal {
    /// The person's end of the terminal.
    keys: File,
    /// The program's end of the terminal.
    tty: File,
    before: Termios,
    child: Owned,
    seen: Parser,
    written: Vec<u8>,
}

impl OnTerminal {
    /// Starts the arena with `arguments` in `dir`, on a terminal of the given size.
    pub(crate) fn start(dir: &Path, arguments: &[&str], size: (u16, u16), locale: &str) -> Self {
        Self::start_with(dir, arguments, size, &[("LC_ALL", Path::new(locale))])
    }

    /// Starts the arena with `arguments` in `dir`, on a terminal of the given size, with the given environment
    /// variables.
    pub(crate) fn start_with(
        dir: &Path,
        arguments: &[&str],
        (columns, rows): (u16, u16),
        variables: &[(&str, &Path)],
    ) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&keys).and_then(|()| unlockpt(&keys)).expect("a terminal");
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&keys, size).expect("a size");
        let name = ptsname(&keys, Vec::new()).expect("a name").into_string().expect("text");
        let open = || File::options().read(true).write(true).open(&name).expect("opened");
        let tty = open();
        let before = tcgetattr(&tty).expect("its modes");
        let mut command = Command::new("setsid");
        command.args(["--ctty", program()]).args(arguments).current_dir(dir);
        command.envs(variables.iter().copied()).env("TERM", "xterm").env_remove("NO_COLOR").env_remove("CI");
        let child = command.stdin(open()).stdout(open()).stderr(open()).start().expect("it starts");
        let keys: OwnedFd = keys;
        let flags = fcntl_getfl(&keys).expect("flags");
        fcntl_setfl(&keys, flags | OFlags::NONBLOCK).expect("flags");
        Self { keys: File::from(keys), tty, before, child, seen: Parser::new(rows, columns, 0), written: Vec::new() }
    }

    /// Presses keys, which are given as the bytes that they send.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("a terminal that reads");
    }

    /// Reads the program's output so far, and returns the screen.
    pub(crate) fn shown(&mut self) -> String {
        let mut bytes = [0; 8192];
        while let Ok(length @ 1..) = self.keys.read(&mut bytes) {
            self.seen.process(&bytes[..length]);
            self.written.extend(&bytes[..length]);
        }
        self.seen.screen().contents()
    }

    /// Waits until the screen shows `what`, and returns the screen.
    #[track_caller]
    pub(crate) fn see(&mut self, what: &str) -> String {
        until(what, || {
            let shown = self.shown();
            shown.contains(what).then_some(shown)
        })
    }

    /// Sends a signal to the program.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    /// Whether the program has taken over the screen: the terminal is in raw mode, with the alternate screen and no
    /// cursor.
    pub(crate) fn has_screen(&mut self) -> bool {
        self.shown();
        let is_raw = !tcgetattr(&self.tty).expect("its modes").local_modes.contains(LocalModes::ICANON);
        is_raw && self.seen.screen().alternate_screen() && self.seen.screen().hide_cursor()
    }

    /// Waits until the program is suspended.
    pub(crate) fn wait_for_stop(&self) {
        let stat = format!("/proc/{}/stat", self.child.id());
        until("the stop", || {
            let stat = std::fs::read_to_string(&stat).expect("it runs");
            stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T')).then_some(())
        });
    }

    /// Whether the terminal is as it was before the program started.
    pub(crate) fn is_restored(&mut self) -> bool {
        self.shown();
        let now = tcgetattr(&self.tty).expect("its modes");
        let modes = |modes: &Termios| (modes.local_modes, modes.input_modes, modes.output_modes, modes.control_modes);
        let screen = self.seen.screen();
        modes(&now) == modes(&self.before) && !screen.alternate_screen() && !screen.hide_cursor()
    }

    /// Closes the terminal as if its window were closed, and waits for the program to end. Returns its exit code.
    pub(crate) fn hang_up(self) -> Option<i32> {
        let Self { keys, tty, mut child, .. } = self;
        drop((keys, tty));
        child.wait().expect("it ends").code()
    }

    /// Waits for the program to end, checks its exit code and the terminal, and returns everything that it has written
    /// to the terminal, including control codes.
    #[track_caller]
    pub(crate) fn written(mut self, code: i32) -> String {
        self.end(code);
        String::from_utf8_lossy(&self.written).into_owned()
    }

    /// Waits for the program to end, checks its exit code and the terminal, and returns the terminal's contents.
    #[track_caller]
    pub(crate) fn assert_ends(mut self, code: i32) -> String {
        self.end(code)
    }

    #[track_caller]
    fn end(&mut self, code: i32) -> String {
        let status = self.child.wait().expect("it ends");
        let shown = self.shown();
        assert_eq!(status.code(), Some(code), "{shown}");
        assert!(self.is_restored(), "{shown}");
        shown
    }
}
