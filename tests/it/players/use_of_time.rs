//! How long the example bots think about a move, under each time control.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::game::{BySide, Ruleset, Side};
use gothello_arena::referee::record::GameRecord;
use gothello_arena::referee::time_control::{SideControl, TimeControl};
use gothello_arena::referee::wire::Response;

use crate::harness::waiting::{InTime as _, TIMEOUT};
use crate::referee::serve::{Server, assert_logs_hold};

/// Time controls, as in a log, and the minimum number of milliseconds that a bot should think about its first move. A
/// bot that thinks much longer leaves too little time for the rest of the game, or loses on time.
const CONTROLS: [(&str, u64); 6] = [
    ("0.2/move", 150),
    ("0.2/move+60bank", 150),
    ("0:3x0.2", 150),
    ("1:2x0.4", 300),
    ("1+0.2", 150),
    // The increment that follows this move is longer than the time allowed for the move.
    ("1+60", 700),
];

/// How far a bot may exceed the time for which it should think. This allows for a very busy machine, and is less than
/// the time that a bot would take if it used its bank, or an increment that it does not have yet.
const SLACK: Duration = Duration::from_secs(20);

/// How a bot learns its time control.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// In variables, as if the arena had started it.
    Variables,
    /// In line 347, which contains one control for both sides.
    Line,
    /// In line 347, which contains a different control for the opponent. The bot asks for either side and gets white.
    UnequalLine,
}

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
/// the time that each control allows for a move, and saves the rest. `opening` is a first move of black.
pub(crate) fn assert_uses_its_time(opening: &str, command: impl Fn() -> Command) {
    for told in [Told::Variables, Told::Line, Told::UnequalLine] {
        for (text, least) in CONTROLS {
            let control: SideControl = text.parse().expect("a time control");
            let thought = first_thought(command(), control, told, opening);
            let least = Duration::from_millis(least);
            assert!((least..least + SLACK).contains(&thought), "{:?}, {told:?}, {text}: {thought:?}", command());
        }
    }
}

/// Asserts that the bot that `command` starts by hand, given its side, host and port, thinks about its moves for most
/// of the time that a service allows for each move, and does not lose on time.
pub(crate) fn assert_uses_its_time_on_a_server(command: impl Fn() -> Command) {
    let logs = tempfile::tempdir().expect("a directory");
    let dir = logs.path().to_str().expect("text");
    // The bank covers delays on a busy machine.
    let server = Server::start(&["--black-time", "1s/move, bank 60s", "--white-time", "60s", "--log", dir]);
    let (host, port) = server.address().rsplit_once(':').expect("an address");
    let mut bot = command().args(["black", host, port]).start().expect("it starts");
    let mut white = server.client("0.9.2 player white");
    let first = white.hear("313 1 ");
    // White places a stone: if white passed, black would immediately end a won game by passing, too.
    let point = if first.starts_with("313 1 a1 ") { "e5" } else { "a1" };
    white.say(&format!("1 ... {point}\r"));
    white.hear("313 2 ");
    white.say("2 ... resign\r");
    white.rest();
    assert!(bot.wait().expect("it ends").success(), "{:?}", command());
    assert_eq!(server.end().0, Some(0));
    assert_logs_hold(logs.path(), 1);
    let log = fs::read_dir(logs.path()).expect("there").next().expect("a log").expect("an entry").path();
    let record: GameRecord = fs::read_to_string(log).expect("read").parse().expect("a record");
    let own: Vec<Duration> =
        record.plies.iter().filter(|ply| ply.side() == Side::Black).filter_map(|ply| ply.elapsed).collect();
    let fits = |thought: &Duration| (Duration::from_millis(700)..SLACK).contains(thought);
    assert!(own.len() == 2 && own.iter().all(fits), "{:?}: {record}", command());
}

/// How long the bot that `command` starts thinks about its first move. If the bot plays white, black has opened with
/// `opening`.
fn first_thought(mut command: Command, own: SideControl, told: Told, opening: &str) -> Duration {
    let (ours, theirs) = UnixStream::pair().expect("a pair");
    ours.set_read_timeout(Some(TIMEOUT)).expect("an option");
    let (stdin, stdout): (OwnedFd, OwnedFd) = (theirs.try_clone().expect("a copy").into(), theirs.into());
    let (wish, side, control) = match told {
        Told::Variables | Told::Line => ("black", Side::Black, TimeControl::both(own)),
        Told::UnequalLine => {
            let black = SideControl::PerMove { move_time: Duration::from_mins(1), bank: Duration::ZERO };
            ("?", Side::White, TimeControl::Clocks(BySide { black, white: own }))
        }
    };
    command.args([wish, "--stdio"]);
    let mut before = vec![Response::granted(control, side)];
    match told {
        Told::Variables => drop(command.envs(variables(own))),
        Told::Line | Told::UnequalLine => {
            before.extend(Response::of_rules(Ruleset::Gothello, Some(side.into())));
            before.extend(Response::of_clocks(control));
        }
    }
    let (begin, answer) = match side {
        Side::Black => ("352 You will play black".to_owned(), "1 "),
        Side::White => {
            let moved = format!("313 1 {opening} 60 (secs) is black move, game continues");
            (format!("351 You will play white\r\n{moved}"), "1 ... ")
        }
    };
    let mut child = command.stdin(Stdio::from(stdin)).stdout(Stdio::from(stdout)).start().expect("it starts");
    drop(command);
    let mut reader = BufReader::new(&ours);
    let mut hear = || {
        let mut line = Vec::new();
        reader.read_until(b'\r', &mut line).expect("the bot answers in time");
        String::from_utf8(line).expect("text")
    };
    (&ours).write_all(b"000 Gothello 0.9.1 scripted referee\r\n").expect("the bot reads");
    assert!(hear().starts_with(&format!("0.9.2 player {wish}")));
    let before: Vec<String> = before.iter().map(Response::to_string).collect();
    let start = Instant::now();
    (&ours).write_all(format!("{}\r\n{begin}\r\n", before.join("\r\n")).as_bytes()).expect("the bot reads");
    assert!(hear().starts_with(answer));
    let thought = start.elapsed();
    ours.shutdown(Shutdown::Both).expect("open");
    assert!(child.wait().expect("it ends").success());
    thought
}
