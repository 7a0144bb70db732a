//! Runs of the whole program, each in its own temporary directory.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Output, Stdio};
use std::sync::LazyLock;

use gothello_arena::referee::record::GameRecord;
use rustix::process::Signal;

/// The tables of the built-in players `random` and `greedy`. This is a macro, so that `concat!` can add keys and
/// players.
macro_rules! random_and_greedy {
    () => {
        r#"
    [[player]]
    name = "random"
    builtin = "random"
    [[player]]
    name = "greedy"
    builtin = "greedy"
"#
    };
}
pub(crate) use random_and_greedy;

/// The table of a player that stops in the middle of its games until the test lets it continue.
macro_rules! waits {
    () => {
        r#"
    [[player]]
    name = "waits"
    command = ["python3", "@bots/misbehave.py", "held", "{side}", "{host}", "{port}"]
"#
    };
}
pub(crate) use waits;

/// The key `listen`, and then the table of the remote player `carol`, whose token is `a word of hers`.
macro_rules! carol {
    () => {
        r#"
    listen = "127.0.0.1:0"
    [[player]]
    name = "carol"
    remote = true
    token = "a word of hers"
"#
    };
}
/// Keys that set clocks of different kinds for the two sides: [`UNEQUAL_CONTROL`]. Even on a busy machine, no side uses
/// up its clock.
macro_rules! unequal_clocks {
    () => {
        "black_time = \"60s + 1s\"\nwhite_move_time = \"1s\"\nwhite_bank = \"30s\"\n"
    };
}
use crate::harness::skipping::{Need, skipped};
pub(crate) use crate::harness::waiting::TIMEOUT;
use crate::harness::waiting::{InTime as _, Lines, Owned, accepted, connected, until};
pub(crate) use carol;
pub(crate) use unequal_clocks;

/// The clocks of [`unequal_clocks`], as in a log.
pub(crate) const UNEQUAL_CONTROL: &str = "black 60+1 white 1/move+30bank";

/// The program to test: the one that `GOTHELLO_ARENA_PROGRAM` names, such as an existing optimised build, or else the
/// one that cargo has built for the tests.
pub(crate) fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let program = std::env::var("GOTHELLO_ARENA_PROGRAM");
        program.unwrap_or_else(|_| env!("CARGO_BIN_EXE_gothello-arena").to_owned())
    });
    &PROGRAM
}

/// A directory with a tournament file and the results of its runs.
pub(crate) struct Arena {
    dir: tempfile::TempDir,
}

impl Arena {
    /// Creates a directory with `toml` as its tournament file. `@bots` stands for the folder of the test bots,
    /// `@examples` for the folder of the starter bots.
    pub(crate) fn new(toml: &str) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let root = env!("CARGO_MANIFEST_DIR");
        let toml =
            toml.replace("@bots", &format!("{root}/tests/bots")).replace("@examples", &format!("{root}/examples"));
        fs::write(dir.path().join("class.toml"), toml).expect("written");
        Self { dir }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The text of the tournament file.
    pub(crate) fn toml(&self) -> String {
        fs::read_to_string(self.dir.path().join("class.toml")).expect("there")
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    /// The program with the arguments `args`, to be run in this directory.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(args).current_dir(self.path()).env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null());
        command
    }

    /// Runs the program with the arguments `args` to its end.
    pub(crate) fn output(&self, args: &[&str]) -> Output {
        self.command(args).output_in_time().expect("the program starts")
    }

    /// Runs the tournament to its end, with `args` appended to `run class.toml --out out`.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.output(&[&self.run_words()[..], args].concat())
    }

    /// The arguments that run the tournament. Isolation is off unless the tournament file sets it: most tests are about
    /// something else, and some of their bots talk to the test over the host's loopback.
    fn run_words(&self) -> Vec<&'static str> {
        let mut words = vec!["run", "class.toml", "--out", "out"];
        if !fs::read_to_string(self.path().join("class.toml")).is_ok_and(|toml| toml.contains("isolation")) {
            words.extend(["--isolation", "off"]);
        }
        words
    }

    /// Starts the tournament.
    pub(crate) fn start(&self, ready: Option<&Ready>) -> Running {
        self.start_with(ready.map(|ready| ("READY", ready.port().to_string())))
    }

    /// Starts the tournament with `env` added to its environment, and passes these variables on to the bots.
    pub(crate) fn start_with(&self, env: impl IntoIterator<Item = (&'static str, impl AsRef<OsStr>)>) -> Running {
        let mut command = self.command(&self.run_words());
        command.envs(env);
        self.pass_env(command.get_envs().map(|(name, _)| name));
        Self::started(command.stdout(Stdio::piped()))
    }

    /// Starts the tournament with its standings written to `stdout`.
    pub(crate) fn start_printing(&self, stdout: Stdio) -> Running {
        Self::started(self.command(&self.run_words()).stdout(stdout))
    }

    /// Starts `command`, whose stderr can then be read with [`Running::hear`].
    pub(crate) fn started(command: &mut Command) -> Running {
        let mut child = command.stderr(Stdio::piped()).start().expect("the program starts");
        let stderr = Lines::new(child.stderr.take().expect("piped"));
        Running { child, stderr }
    }

    /// Passes the variables `names` on to the bots, unless the tournament file has its own `pass_env`.
    pub(crate) fn pass_env<'a>(&self, names: impl Iterator<Item = &'a OsStr>) {
        let file = self.path().join("class.toml");
        let toml = fs::read_to_string(&file).expect("read");
        if !toml.contains("pass_env") {
            let names: Vec<_> = names.filter(|name| *name != "HOME" && *name != "TMPDIR").collect();
            fs::write(&file, format!("pass_env = {names:?}\n{toml}")).expect("written");
        }
    }

    /// The rows of results.csv, each as a map from column to value.
    pub(crate) fn results(&self) -> Vec<HashMap<String, String>> {
        let text = fs::read_to_string(self.out().join("results.csv")).expect("results.csv is there");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().collect::<Result<_, _>>().expect("a table")
    }

    /// Reads the record of the game `game`.
    pub(crate) fn record(&self, game: &str) -> GameRecord {
        let path = self.out().join("games").join(format!("{game}.log"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.parse().unwrap_or_else(|error| panic!("{}:{error}", path.display()))
    }

    /// Checks that every game had the clocks `control` and took no more time than they allow, and that the clocks in
    /// its log are right.
    #[track_caller]
    pub(crate) fn assert_clocks_were(&self, control: &str) {
        let check = self.output(&["replay", "--check", "out"]);
        assert!(check.status.success(), "{}", text(&check.stdout));
        let games = self.results();
        assert!(!games.is_empty());
        for row in &games {
            let record = self.record(&row["game"]);
            assert_eq!(record.time_control.map(|control| control.to_string()).as_deref(), Some(control), "{record}");
            assert_ne!(row["termination"], "time", "{record}");
        }
        assert_clocks_can_be_recomputed(games.iter().map(|row| self.out().join(format!("games/{}.log", row["game"]))));
    }

    /// Checks that every log is valid and that the standings computed from the logs equal those that the run printed.
    pub(crate) fn assert_logs_hold(&self, printed: &Output) {
        let check = self.output(&["replay", "--check", "out"]);
        assert!(check.status.success(), "{}", text(&check.stdout));
        let standings = self.output(&["standings", "out"]);
        assert_eq!(text(&standings.stdout), text(&printed.stdout));
    }
}

/// Recomputes every clock of `logs` from their text with a program that shares no code with the arena.
#[track_caller]
pub(crate) fn assert_clocks_can_be_recomputed(logs: impl IntoIterator<Item = PathBuf>) {
    let mut recompute = Command::new("python3");
    recompute.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/probes/recompute_clocks.py")).args(logs);
    let recomputed = recompute.output_in_time().expect("python3 starts");
    assert!(recomputed.status.success(), "{}{}", text(&recomputed.stdout), text(&recomputed.stderr));
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A run in progress. It is ended with its test at the latest.
pub(crate) struct Running {
    pub(crate) child: Owned,
    stderr: Lines<ChildStderr>,
}

impl Running {
    /// Reads stderr up to a line that contains `what`, and returns this line.
    #[track_caller]
    pub(crate) fn hear(&mut self, what: &str) -> String {
        self.stderr.hear(what)
    }

    /// Reads stderr up to a line such as `waiting for carol (white) at 127.0.0.1:29070` that contains `what`. Returns
    /// the player's address.
    pub(crate) fn hear_address(&mut self, what: &str) -> String {
        address(&self.hear(what)).to_owned()
    }

    /// Sends a signal to the run.
    pub(crate) fn signal(&self, signal: Signal) {
        rustix::process::kill_process(self.pid(), signal).expect("it runs");
    }

    fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Waits for the run to end. Returns its exit code and the rest of stderr.
    #[track_caller]
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let rest = self.stderr.rest("the run");
        // The standings are too short to fill the pipe, so the run can end although they are not read.
        (self.child.wait().expect("it ends").code(), rest)
    }
}

/// A listener to which bots report that they are ready.
pub(crate) struct Ready(TcpListener);

impl Ready {
    pub(crate) fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").expect("a port"))
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().expect("bound").port()
    }

    /// Returns the process id that the next bot reports, and the connection that keeps the bot waiting until the
    /// connection is dropped or written to.
    #[track_caller]
    pub(crate) fn next(&self) -> (i32, TcpStream) {
        let stream = accepted(&self.0, "a bot that reports that it is ready");
        let mut line = String::new();
        BufReader::new(stream.try_clone().expect("cloned")).read_line(&mut line).expect("a bot says its id in time");
        (line.trim().parse().expect("a process id"), stream)
    }
}

/// Whether `signal` has no effect on an arena that this process starts; if so, reports that the test was skipped. Child
/// processes inherit the sets of blocked and ignored signals. For example, nohup makes a process ignore SIGHUP, and a
/// shell's `&` makes it ignore SIGINT. The arena catches SIGINT and SIGTERM even if they are ignored.
pub(crate) fn is_withheld(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let has = |set: &str| {
        let mask = status.lines().find_map(|line| line.strip_prefix(set)).unwrap_or_default();
        u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
    };
    let is_withheld = has("SigBlk:") || has("SigIgn:") && !matches!(signal, Signal::INT | Signal::TERM);
    if is_withheld {
        let number = signal.as_raw();
        skipped(Need::Signals, format_args!("the tests were started with signal {number} blocked or ignored"));
    }
    is_withheld
}

/// Waits until the process `pid` is gone, or dead and not yet reaped.
pub(crate) fn assert_gone(pid: i32) {
    until(&format!("the end of process {pid}"), || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
        matches!(state, None | Some('Z')).then_some(())
    });
}

/// Returns the address at the end of a line such as `waiting for carol (white) at 127.0.0.1:29070`.
pub(crate) fn address(line: &str) -> &str {
    line.rsplit(' ').next().unwrap_or_default().trim()
}

/// Starts a built-in bot as a remote player. It exits once its game is over or its seat is refused.
pub(crate) fn remote_bot(address: &str, side: &str, name: Option<&str>) -> Owned {
    let (host, port) = address.rsplit_once(':').expect("an address");
    let mut command = Command::new(program());
    command.args(["bot", "random", "--side", side, "--host", host, "--port", port]);
    command.args(name.iter().flat_map(|name| ["--name", name]));
    command.stderr(Stdio::piped()).start().expect("the program starts")
}

/// A client whose lines the test writes itself.
pub(crate) struct Client {
    lines: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn connect(address: &str, hello: &str) -> Self {
        let mut stream = connected(address);
        if !hello.is_empty() {
            stream.write_all(format!("{hello}\r\n").as_bytes()).expect("sent");
        }
        Self { lines: BufReader::new(stream) }
    }

    /// Returns the next line that starts with `code`, and skips every line before it.
    pub(crate) fn hear(&mut self, code: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).unwrap_or_else(|error| panic!("no {code} arrived: {error}"));
            assert!(read > 0, "the connection ended before {code}");
            if line.starts_with(code) {
                return line;
            }
        }
    }

    /// The next line.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("the next line from the arena comes in time");
        line
    }

    pub(crate) fn say(&mut self, text: &str) {
        self.lines.get_mut().write_all(text.as_bytes()).expect("sent");
    }

    /// Whether the connection was reset or has failed in another way.
    pub(crate) fn was_reset(&self) -> bool {
        self.lines.get_ref().take_error().expect("an option").is_some()
    }

    /// The connection itself.
    pub(crate) fn stream(&mut self) -> &mut TcpStream {
        self.lines.get_mut()
    }

    /// Reads everything up to the end of the stream.
    pub(crate) fn rest(mut self) -> String {
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).expect("the arena ends the connection in time");
        rest
    }
}

/// A run with three players and six games. Four of them are void, because the build of one player does not finish in
/// time.
pub(crate) fn with_void_games() -> Arena {
    let slow = "[[player]]\nname = \"slow\"\ndir = \"slow\"\ncommand = [\"true\"]\nbuild = [\"sleep\", \"600\"]\n";
    let arena = Arena::new(&format!("build_timeout = \"1s\"\nisolation = \"off\"\n{}{slow}", random_and_greedy!()));
    std::fs::create_dir(arena.path().join("slow")).expect("made");
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
    arena
}
