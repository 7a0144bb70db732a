//! The state of the terminal after the program panics. The panics happen in separate processes, each on its own
//! terminal.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};
use vt100::Parser;

use super::*;

/// How long a process may take. Only a failing test waits this long.
const TIMEOUT: Duration = Duration::from_mins(1);

/// How often a screen looks for events.
const LOOK: Duration = Duration::from_millis(20);

/// Shows something on the terminal of this process, and returns the guard. Panics unless the terminal is in raw mode.
fn with_screen() -> ScreenGuard {
    let guard = ScreenGuard::take_over().expect("a terminal");
    let mut screen = guard.screen().expect("a size");
    let style = ratatui::style::Style::default();
    screen.draw(|frame| frame.buffer_mut().set_string(0, 0, "the screen", style)).expect("drawn");
    let modes = tcgetattr(&*guard.tty).expect("a terminal").local_modes;
    assert!(!modes.contains(LocalModes::ICANON | LocalModes::ECHO), "the terminal is raw");
    guard
}

#[test]
#[ignore = "needs a terminal of its own: `a_panic_restores_the_terminal` runs it"]
fn panics_while_the_screen_is_shown() {
    let _guard = with_screen();
    panic!("provoked on the screen");
}

#[test]
#[ignore = "needs a terminal of its own: `a_panic_restores_the_terminal` runs it"]
fn another_thread_panics_while_the_screen_is_shown() {
    let guard = with_screen();
    let thread = std::thread::spawn(|| panic!("provoked on a thread"));
    let failed = loop {
        if let Err(failed) = guard.next_within(LOOK) {
            break failed;
        }
    };
    assert!(thread.join().is_err());
    panic!("the screen ends: {failed}");
}

#[test]
#[ignore = "needs a terminal of its own: `a_panic_restores_the_terminal` runs it"]
fn takes_over_after_keys_were_typed() {
    let guard = with_screen();
    let event = guard.next_within(LOOK).expect("a terminal");
    panic!("the first event is {event:?}");
}

/// Runs the ignored test `name` on its own terminal, on which keys have already been typed. Returns what the test
/// wrote, and the terminal's modes before and after.
fn on_a_terminal(name: &str) -> (Vec<u8>, [Termios; 2]) {
    let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&keys).and_then(|()| unlockpt(&keys)).expect("a terminal");
    tcsetwinsize(&keys, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
    let path = ptsname(&keys, Vec::new()).expect("a name").into_string().expect("text");
    let open = || File::options().read(true).write(true).open(&path).expect("it opens");
    let tty = open();
    let mut keys = File::from(keys);
    keys.write_all(b"c3\rq").expect("keys");
    let before = tcgetattr(&tty).expect("its modes");
    let test = format!("practice::screen_guard::tests::{name}");
    let mut command = Command::new("setsid");
    command.arg("--ctty").arg(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", &test, "--ignored", "--nocapture", "--test-threads=1"])
        .env("TERM", "xterm")
        .env("RUST_BACKTRACE", "0");
    let mut child = command.stdin(open()).stdout(open()).stderr(Stdio::from(open())).spawn().expect("it starts");
    let flags = fcntl_getfl(&keys).expect("flags");
    fcntl_setfl(&keys, flags | OFlags::NONBLOCK).expect("flags");
    let (mut written, mut bytes) = (Vec::new(), [0; 8192]);
    let deadline = crate::base::time::now() + TIMEOUT;
    let ended = loop {
        let ended = child.try_wait().expect("its own child");
        while let Ok(length @ 1..) = keys.read(&mut bytes) {
            written.extend_from_slice(&bytes[..length]);
        }
        if ended.is_some() || crate::base::time::now() > deadline {
            break ended;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    if ended.is_none() {
        let _ = (child.kill(), child.wait());
    }
    let _ = keys.flush();
    let shown = String::from_utf8_lossy(&written).into_owned();
    assert!(ended.is_some_and(|status| !status.success()), "{name}: {ended:?}\n{shown}");
    (written, [before, tcgetattr(&tty).expect("its modes")])
}

#[test]
fn a_panic_restores_the_terminal() {
    for (name, message) in [
        ("panics_while_the_screen_is_shown", "provoked on the screen"),
        ("takes_over_after_keys_were_typed", "the first event is None"),
        ("another_thread_panics_while_the_screen_is_shown", "provoked on a thread"),
    ] {
        let (written, modes) = on_a_terminal(name);
        let shown = String::from_utf8_lossy(&written).into_owned();
        let entered = shown.find("\u{1b}[?1049h").unwrap_or_else(|| panic!("no screen: {shown:?}"));
        let left = shown.find("\u{1b}[?1049l").unwrap_or_else(|| panic!("the screen is not left: {shown:?}"));
        let told = shown.find(message).unwrap_or_else(|| panic!("no message: {shown:?}"));
        assert!(entered < left && left < told, "the message must be seen afterwards: {shown:?}");
        let [before, after] =
            modes.map(|modes| (modes.local_modes, modes.input_modes, modes.output_modes, modes.control_modes));
        assert_eq!(before, after, "{name}");
        let mut seen = Parser::new(24, 80, 0);
        seen.process(&written);
        let screen = seen.screen();
        assert!(
            !screen.alternate_screen() && !screen.hide_cursor() && screen.contents().contains(message),
            "{shown:?}"
        );
    }
}
