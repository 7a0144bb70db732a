//! An arena that is stopped and continued by real signals: players are not blamed for events that it could not observe.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::arena::{Arena, Ready, text};
use crate::harness::waiting::until;
use crate::referee::serve::Server;

/// The time of each player. Every stop lasts longer than this time.
const TIME: Duration = Duration::from_secs(3);

/// Waits until no thread of the process runs or waits for a CPU. An arena that has notified a bot of its turn may have
/// to wait for a CPU before it reads the clock. The turn begins only then, and would not include an earlier stop.
fn wait_until_idle(pid: u32) {
    let is_busy = |stat: String| stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('R');
    let is_idle = || {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).expect("it runs").flatten();
        // A thread that is gone is not busy.
        !tasks.map(|task| fs::read_to_string(task.path().join("stat")).unwrap_or_default()).any(is_busy)
    };
    until("the process to become idle", || is_idle().then_some(()));
}

/// Stops an idle process, calls `happens` in the meantime, and continues the process after more than [`TIME`].
fn stopped_while(pid: u32, happens: impl FnOnce()) {
    wait_until_idle(pid);
    let pid = Pid::from_raw(i32::try_from(pid).expect("a process id")).expect("a process id");
    kill_process(pid, Signal::STOP).expect("it runs");
    let since = Instant::now();
    let state = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("there");
        stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('T')
    };
    until("the process to stop", || state().then_some(()));
    happens();
    // This test needs real time to pass.
    while since.elapsed() < TIME + Duration::from_millis(500) {
        std::thread::sleep(Duration::from_millis(50));
    }
    kill_process(pid, Signal::CONT).expect("there");
}

/// A bot that reports when it is its turn, moves when the test lets it, reports that it has moved, and resigns on its
/// second turn.
const BOT: &str = r#"
import os, socket, sys
if sys.argv[1] == "tcp":
    stream = socket.create_connection((os.environ["GOTHELLO_HOST"], int(os.environ["GOTHELLO_PORT"])))
    hear, tell = stream.makefile("r", newline="\n"), stream.makefile("w", newline="")
else:
    hear, tell = sys.stdin, sys.stdout
side, turns = os.environ["GOTHELLO_SIDE"], 0
def say(line):
    tell.write(line + "\r")
    tell.flush()
def meet(line):
    test = socket.create_connection(("127.0.0.1", int(os.environ["READY"])))
    test.sendall(b"%d\n" % os.getpid())
    test.recv(1)
    say(line)
    test.sendall(b"sent\n")
early = "EARLY" in os.environ
def turn():
    global turns
    turns += 1
    if early or turns == 2:
        return say("resign")
    meet("pass")
(meet if early else say)("0.9.1 player " + side)
for line in hear:
    code = line[:3]
    if code == "352" or side == "white" and code in ("311", "313", "315", "317") \
            or side == "black" and code in ("312", "314", "316", "318"):
        turn()
"#;

/// A run whose arena is stopped in the first game, while the bot makes its move or, with `EARLY` in `env`, says hello.
fn stop_a_run(transport: &str, env: &str) -> (Arena, Option<i32>, String) {
    let (word, key) = if transport == "tcp" { ("tcp {port}", "") } else { ("stdio", "transport = \"stdio\"\n") };
    let words: Vec<String> = word.split(' ').map(|word| format!("\"{word}\"")).collect();
    let arena = Arena::new(&format!(
        "time = \"{}s\"\nvoid_retries = 0\nconcurrency = 1\nhello_timeout = \"{}s\"\n\
         [[player]]\nname = \"bot\"\ndir = \"bot\"\ncommand = [\"python3\", \"bot.py\", {}]\n{key}{env}\
         [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n",
        TIME.as_secs(),
        if env.is_empty() { 60 } else { TIME.as_secs() },
        words.join(", ")
    ));
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::write(arena.path().join("bot/bot.py"), BOT).expect("written");
    let ready = Ready::new();
    let running = arena.start_with([("READY", ready.port().to_string())]);
    for game in 0..2 {
        let (_, mut bot) = ready.next();
        let mut go = || {
            bot.write_all(b"g").expect("sent");
            let mut said = String::new();
            BufReader::new(&bot).read_line(&mut said).expect("a report");
            assert_eq!(said, "sent\n");
        };
        if game == 0 {
            stopped_while(running.child.id(), &mut go);
        } else {
            go();
        }
    }
    let (code, stderr) = running.end();
    (arena, code, stderr)
}

#[test]
fn a_move_made_while_the_arena_was_stopped_counts_from_its_time_stamp() {
    let (arena, code, stderr) = stop_a_run("tcp", "");
    assert_eq!(code, Some(0), "{stderr}");
    let results = arena.results();
    assert!(
        results.len() == 2 && results.iter().all(|row| ["resignation", "normal"].contains(&&*row["termination"])),
        "{results:?}"
    );
    for row in results {
        let record = arena.record(&row["game"]);
        assert!(record.plies.iter().all(|ply| !ply.late_credit), "{record}");
    }
}

#[test]
fn a_hello_while_the_arena_is_stopped_is_not_too_late() {
    for transport in ["tcp", "stdio"] {
        let (arena, code, stderr) = stop_a_run(transport, "env = { EARLY = \"1\" }\n");
        assert_eq!(code, Some(0), "{stderr}");
        let results = arena.results();
        assert!(results.iter().all(|row| row["termination"] == "resignation"), "{transport}: {results:?}");
    }
}

#[test]
fn a_game_over_pipes_is_void_if_the_arena_was_stopped() {
    let (arena, code, stderr) = stop_a_run("stdio", "");
    assert_eq!(code, Some(5), "{stderr}");
    let results = arena.results();
    let mut endings: Vec<&str> = results.iter().map(|row| row["termination"].as_str()).collect();
    endings.sort_unstable();
    assert!(endings[1] == "void" && ["resignation", "normal"].contains(&endings[0]), "{endings:?} {stderr}");
    assert!(stderr.contains("void, through no player's fault: the arena was stopped for "), "{stderr}");
}

#[test]
fn while_serve_is_stopped_a_remote_move_counts_and_silence_makes_the_game_void() {
    let time = format!("{}s", TIME.as_secs());
    let logs = tempfile::tempdir().expect("a directory");
    let server = Server::start(&["--games", "2", "--time", &time, "--log", &logs.path().display().to_string()]);
    let (mut black, mut white) = server.players();
    black.say("1 z9\r");
    black.hear("299 ");
    stopped_while(server.pid(), || black.say("1 c3\r"));
    black.hear("207 ");
    white.hear("313 1 c3 ");
    white.say("1 ... resign\r");
    black.rest();
    white.rest();

    let (mut black, mut white) = server.players();
    // The answer shows that black's turn has begun.
    black.say("1 z9\r");
    black.hear("299 ");
    stopped_while(server.pid(), || {});
    for player in [&mut black, &mut white] {
        let line = player.hear("399 ");
        assert!(line.starts_with("399 Problem: the game is void: the arena was stopped for 3."), "{line}");
    }
    drop((black, white));
    let (code, printed) = server.end();
    assert_eq!(code, Some(0), "{printed}");
    assert!(text(printed.as_bytes()).contains("Game void: the arena was stopped for 3."), "{printed}");
    let log = fs::read_to_string(logs.path().join("game-0001.log")).expect("a log");
    assert!(!log.contains("%late"), "{log}");
}
