//! A tournament between two small native bots, compiled here, which play a fixed game. The real program runs the
//! tournament and writes its logs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::Position;
use gothello_arena::game::gothello::Game;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");

pub(crate) struct Class {
    dir: tempfile::TempDir,
    games: u32,
}

/// A run of all games in a class.
pub(crate) struct Run {
    /// The time from the start of the program to its end.
    pub(crate) time: Duration,
    /// The CPU time of all its processes, which depends less on other work on the machine.
    pub(crate) cpu: Duration,
    /// The program's output on stderr.
    pub(crate) said: String,
    /// The logs of the games.
    pub(crate) logs: Vec<String>,
    /// The bots' measurements: how long each answer took, in nanoseconds.
    pub(crate) answers: Vec<f64>,
}

impl Class {
    /// Creates a class of `games` games, an even number, with the same moves. `session` is `own` if each bot plays in
    /// its own session, and `given` if it plays in the session in which it is started. This makes no difference if the
    /// bots are confined.
    pub(crate) fn new(games: u32, session: &str) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/player.c");
        let compiled = Command::new("cc").args(["-O2", "-o"]).arg(dir.path().join("player")).arg(source).status();
        assert!(compiled.expect("a C compiler").success());
        let player = |name: &str| {
            let moves = moves().join("\", \"");
            format!(
                "[[player]]\nname = \"{name}\"\ncommand = [\"./player\", \"{{side}}\", \"{{host}}\", \"{{port}}\", \"{session}\", \"{moves}\"]\n"
            )
        };
        let text = format!("time = \"60s\"\nrounds = {}\n{}{}", games / 2, player("one"), player("two"));
        fs::write(dir.path().join("class.toml"), text).expect("written");
        Self { dir, games }
    }

    /// Plays all games.
    pub(crate) fn run(&self, isolation: &str, concurrency: &str) -> Run {
        self.run_with(&["--isolation", isolation, "--concurrency", concurrency], |_, _| {})
    }

    /// Plays all games with `args`. Calls `hear` with the id of the program's process and each line of its stderr, as
    /// the line arrives.
    pub(crate) fn run_with(&self, args: &[&str], mut hear: impl FnMut(u32, &str)) -> Run {
        let out = tempfile::tempdir().expect("a directory");
        let results = out.path().join("out");
        let (start, cpu_before) = (Instant::now(), cpu_of_children());
        let mut command = Command::new(ARENA);
        command.arg("run").arg(self.dir.path().join("class.toml")).args(args).arg("--out").arg(&results);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut arena = command.spawn().expect("it starts");
        let mut said = String::new();
        for line in BufReader::new(arena.stderr.take().expect("piped")).lines() {
            let line = line.expect("read");
            hear(arena.id(), &line);
            said += &line;
            said.push('\n');
        }
        let status = arena.wait().expect("it ends");
        let (time, cpu) = (start.elapsed(), cpu_of_children().saturating_sub(cpu_before));
        assert!(status.success(), "{said}");
        let (mut logs, mut answers) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(results.join("games")).expect("the games' files") {
            let path: PathBuf = entry.expect("a file").path();
            let text = fs::read_to_string(&path).expect("readable");
            let is = |kind: &str| path.extension().is_some_and(|extension| extension == kind);
            if is("log") {
                logs.push(text);
            } else if is("stderr") {
                answers.extend(text.lines().map(|line| line.parse::<f64>().expect("a number")));
            }
        }
        assert_eq!(logs.len(), usize::try_from(self.games).expect("a few"));
        Run { time, cpu, said, logs, answers }
    }
}

/// Returns the CPU time of all children that have ended so far, and of their children.
fn cpu_of_children() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("it is known");
    let time = |time: TimeVal| {
        Duration::from_secs(time.tv_sec().unsigned_abs()) + Duration::from_micros(time.tv_usec().unsigned_abs())
    };
    time(usage.user_time()) + time(usage.system_time())
}

/// Returns the moves of a whole random game.
fn moves() -> Vec<String> {
    let (mut random, mut game, mut moves) = (SplitMix64::new(1), Game::default(), Vec::new());
    while !game.is_over() {
        let legal = game.legal_moves();
        // Do not pass while a stone can be placed.
        let choices = if legal.len() > 1 { &legal[..legal.len() - 1] } else { &legal[..] };
        let chosen = choices[usize::try_from(random.below(choices.len() as u64)).expect("a few")];
        game.play(chosen.as_str()).expect("it is legal");
        moves.push(chosen.to_string());
    }
    moves
}
