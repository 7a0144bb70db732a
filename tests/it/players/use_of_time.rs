//! How long the example bots think about a move, under each time control.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::game::Side;
use gothello_arena::referee::time_control::{SideControl, TimeControl};
use gothello_arena::referee::wire::Response;

use crate::harness::waiting::{InTime as _, TIMEOUT};

/// Time controls, as in a log, and how many milliseconds a bot should think about its first move at least. A bot that
/// uses much more does not leave anything for the rest of the game, or loses on time.
const CONTROLS: [(&str, u64); 6] = [
    ("0.2/move", 150),
    ("0.2/move+60bank", 150),
    ("0:3x0.2", 150),
    ("1:2x0.4", 300),
    ("1+0.2", 150),
    // More would be gained by this move than it may take.
    ("1+60", 700),
];

/// How much longer than it should a bot may think. This allows for a very busy machine, and is less than a bot would
/// think that used its bank, or an increment that it does not have yet.
const SLACK: Duration = Duration::from_secs(20);

/// The variables that state `control`.
fn variables(control: SideControl) -> Vec<(&'static str, String)> {
    let seconds = |time: Duration| time.as_secs_f64().to_string();
    match control {
        SideControl::Game { increment, .. } => vec![("GOTHELLO_INCREMENT", seconds(increment))],
        SideControl::ByoYomi { periods, period, .. } => {
            vec![("GOTHELLO_PERIODS", periods.to_string()), ("GOTHELLO_PERIOD", seconds(period))]
        }
        SideControl::PerMove { move_time, bank } => {
            vec![("GOTHELLO_MOVE_TIME", seconds(move_time)), ("GOTHELLO_BANK", seconds(bank))]
        }
    }
}

/// Asserts that the bot that `command` starts, given its side and `--stdio`, thinks about its first move for most of
/// the time that each control gives for a move, and keeps the rest.
pub(crate) fn assert_uses_its_time(command: impl Fn() -> Command) {
    for (text, least) in CONTROLS {
        let control: SideControl = text.parse().expect("a time control");
        let thought = first_thought(command(), control);
        let least = Duration::from_millis(least);
        assert!((least..least + SLACK).contains(&thought), "{:?}, {text}: {thought:?}", command());
    }
}

/// How long the bot that `command` starts thinks about its first move, as black.
fn first_thought(mut command: Command, control: SideControl) -> Duration {
    let (ours, theirs) = UnixStream::pair().expect("a pair");
    ours.set_read_timeout(Some(TIMEOUT)).expect("an option");
    let (stdin, stdout): (OwnedFd, OwnedFd) = (theirs.try_clone().expect("a copy").into(), theirs.into());
    command.args(["black", "--stdio"]).envs(variables(control));
    let mut child = command.stdin(Stdio::from(stdin)).stdout(Stdio::from(stdout)).start().expect("it starts");
    drop(command);
    let mut reader = BufReader::new(&ours);
    let mut hear = || {
        let mut line = Vec::new();
        reader.read_until(b'\r', &mut line).expect("the bot answers in time");
        String::from_utf8(line).expect("text")
    };
    (&ours).write_all(b"000 Gothello 0.9.1 scripted referee\r\n").expect("the bot reads");
    assert!(hear().starts_with("0.9.1 player black"));
    let granted = Response::granted(TimeControl::both(control), Side::Black);
    let start = Instant::now();
    (&ours).write_all(format!("{granted}\r\n352 You will play black\r\n").as_bytes()).expect("the bot reads");
    assert!(hear().starts_with("1 "));
    let thought = start.elapsed();
    ours.shutdown(Shutdown::Both).expect("open");
    assert!(child.wait().expect("it ends").success());
    thought
}
