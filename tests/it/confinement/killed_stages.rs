//! Confinements that end unexpectedly, for example because the kernel runs out of memory and kills one of their stages.
//! No player loses a game because of this.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use crate::confinement::probes::{MARK, Way, marked};
use crate::harness::arena::{Arena, TIMEOUT, assert_gone};
use crate::harness::waiting::pause;

/// A bot that waits forever for a child process: from its start (`hello`), or once its game has begun (`game`).
const BOT: &str = r#"
import socket, subprocess, sys
mode, side, host, port = sys.argv[1:5]
if mode == "game":
    referee = socket.create_connection((host, int(port)))
    referee.sendall(f"0.9.1 player {side}\r".encode())
    lines = referee.makefile("r", newline="\r\n")
    while lines.readline()[:3] not in ("351", "352"):
        pass
subprocess.run(["sleep", "3600"])
"#;

/// A tournament in which the bot plays two games, each of which is replayed once if it is void; and the mark of the
/// bot's processes.
fn arena(way: &Way, mode: &str) -> (Arena, String) {
    let arena = Arena::new("");
    let mark = arena.path().display().to_string();
    let toml = format!(
        "isolation = \"{}\"\nvoid_retries = 1\nconcurrency = 1\ntime = \"1h\"\nhello_timeout = \"1h\"\nquit_timeout = \"300ms\"\n\
         [[player]]\nname = \"held\"\ndir = \"bot\"\nenv = {{ {MARK} = \"{mark}\" }}\n\
         command = [\"/usr/bin/python3\", \"bot.py\", \"{mode}\", \"{{side}}\", \"{{host}}\", \"{{port}}\"]\n\
         [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n",
        way.isolation()
    );
    fs::write(arena.path().join("class.toml"), toml).expect("written");
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::write(arena.path().join("bot/bot.py"), BOT).expect("written");
    for path in ["", "bot", "bot/bot.py", "class.toml"] {
        way.user.give(&arena.path().join(path));
    }
    (arena, mark)
}

/// Ends the bots with this mark when the value is dropped, including those left behind by a failed test.
struct BotsOf(String);

impl Drop for BotsOf {
    fn drop(&mut self) {
        for pid in marked(&self.0).iter().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)) {
            // An error means that the process has ended.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

/// Waits for a bot whose processes are not among `before`. Returns the ids of this bot and its child.
fn next_bot(mark: &str, before: &BTreeSet<i32>) -> [i32; 2] {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let all: Vec<i32> = marked(mark).iter().filter_map(|pid| pid.parse().ok()).collect();
        let new = all.iter().filter(|pid| !before.contains(pid));
        let is_sleep = |pid: &i32| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n");
        let pair = new.copied().filter(is_sleep).find_map(|child| Some([parent(child)?, child]));
        if let Some(pair) = pair.filter(|[bot, _]| all.contains(bot)) {
            return pair;
        }
        assert!(Instant::now() < deadline, "the bot never started");
        pause();
    }
}

fn lost_at(mode: &str) {
    for way in ["A", "B", "C"].into_iter().flat_map(Way::all) {
        let (arena, mark) = arena(&way, mode);
        let _bots = BotsOf(mark.clone());
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        let running = way.act(command.stdout(Stdio::null()), Arena::started);
        let mut before = BTreeSet::new();
        for number in 0..4 {
            let pair = next_bot(&mark, &before);
            let mut stage = parent(pair[0]).expect("the bot lives");
            if way.tier == "B" && number % 2 == 1 {
                stage = parent(stage).expect("the first stage lives");
            }
            let name = fs::read_to_string(format!("/proc/{stage}/cmdline")).expect("alive");
            assert!(name.contains("confine"), "{way:?}: {name}");
            // A bot ends with its stage, even while the arena is stopped.
            running.signal(Signal::STOP);
            kill_process(Pid::from_raw(stage).expect("an id"), Signal::KILL).expect("alive");
            assert_gone(pair[0]);
            running.signal(Signal::CONT);
            assert_gone(pair[1]);
            before.extend(pair);
        }
        let (code, stderr) = running.end();
        assert_eq!(code, Some(5), "{way:?}: {stderr}");
        let voids: Vec<&str> = stderr.lines().filter(|line| line.contains("void, through no player's fault")).collect();
        assert_eq!(voids.len(), 4, "{way:?}: {stderr}");
        assert!(voids.iter().all(|line| line.contains("ended unexpectedly")), "{way:?}: {stderr}");
        assert!(arena.results().iter().all(|row| row["at_fault"].is_empty()), "{way:?}: {stderr}");
    }
}

#[test]
fn a_confinement_killed_before_the_hello_makes_the_game_void() {
    lost_at("hello");
}

#[test]
fn a_confinement_killed_during_a_game_makes_it_void() {
    lost_at("game");
}
