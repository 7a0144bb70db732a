//! Whole runs of the program, in a directory of their own.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::referee::record::GameRecord;

/// How long anything may take on a busy machine. Only a test that fails ever waits so long.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A directory with a tournament file, and what a run of it leaves behind.
pub(crate) struct Arena {
    dir: tempfile::TempDir,
}

impl Arena {
    /// A directory that holds `toml` as its tournament file. `@bots` stands for the folder of the tests' bots, `@examples`
    /// for that of the starters.
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

    pub(crate) fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    /// The program with these arguments, in this directory.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gothello-arena"));
        command.args(args).current_dir(self.path()).env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null());
        command
    }

    /// Runs the tournament to its end; `args` come behind `run class.toml --out out`.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(&[&self.run_words()[..], args].concat()).output().expect("the program starts")
    }

    /// The words that run the tournament. Most are about other things than confinement, and some of their bots speak to the
    /// test over the host's loopback.
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

    /// Starts the tournament with more environment, which its bots get, too.
    pub(crate) fn start_with(&self, env: impl IntoIterator<Item = (&'static str, impl AsRef<OsStr>)>) -> Running {
        let mut command = self.command(&self.run_words());
        command.envs(env);
        self.pass_env(command.get_envs().map(|(name, _)| name));
        Self::started(command.stdout(Stdio::piped()))
    }

    /// Starts the tournament, whose standings go to `stdout`.
    pub(crate) fn start_printing(&self, stdout: Stdio) -> Running {
        Self::started(self.command(&self.run_words()).stdout(stdout))
    }

    fn started(command: &mut Command) -> Running {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        Running { child, stderr }
    }

    /// Has the tournament's bots get these variables, unless its file says already which they get.
    pub(crate) fn pass_env<'a>(&self, names: impl Iterator<Item = &'a OsStr>) {
        let file = self.path().join("class.toml");
        let toml = fs::read_to_string(&file).expect("read");
        if !toml.contains("pass_env") {
            let names: Vec<_> = names.filter(|name| *name != "HOME" && *name != "TMPDIR").collect();
            fs::write(&file, format!("pass_env = {names:?}\n{toml}")).expect("written");
        }
    }

    /// The rows of results.csv, each as column -> value.
    pub(crate) fn results(&self) -> Vec<HashMap<String, String>> {
        let text = fs::read_to_string(self.out().join("results.csv")).expect("results.csv is there");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().collect::<Result<_, _>>().expect("a table")
    }

    /// The record of a game.
    pub(crate) fn record(&self, game: &str) -> GameRecord {
        let path = self.out().join("games").join(format!("{game}.log"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.parse().unwrap_or_else(|error| panic!("{}:{error}", path.display()))
    }

    /// Checks that every log holds, and that the standings made of them are those that the run printed.
    pub(crate) fn assert_logs_hold(&self, printed: &Output) {
        let check = self.command(&["replay", "--check", "out"]).output().expect("the program starts");
        assert!(check.status.success(), "{}", text(&check.stdout));
        let standings = self.command(&["standings", "out"]).output().expect("the program starts");
        assert_eq!(text(&standings.stdout), text(&printed.stdout));
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A run that is on.
pub(crate) struct Running {
    pub(crate) child: Child,
    stderr: BufReader<std::process::ChildStderr>,
}

impl Running {
    /// Reads stderr up to a line that holds `what`, and returns the line.
    pub(crate) fn hear(&mut self, what: &str) -> String {
        let mut heard = String::new();
        loop {
            let mut line = String::new();
            let read = self.stderr.read_line(&mut line).expect("stderr is read");
            assert!(read > 0, "`{what}` was never said, only\n{heard}");
            if line.contains(what) {
                return line;
            }
            heard.push_str(&line);
        }
    }

    /// Sends a signal to the run.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(self.pid(), signal).expect("it runs");
    }

    fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Waits for the end. Returns the exit code and the rest of stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).expect("stderr is read");
        // Nobody reads its standings, which are too few bytes to wait for anybody.
        (self.child.wait().expect("it ends").code(), rest)
    }
}

/// A test that fails leaves no run behind.
impl Drop for Running {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where bots say that they are ready.
pub(crate) struct Ready(TcpListener);

impl Ready {
    pub(crate) fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").expect("a port"))
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.local_addr().expect("bound").port()
    }

    /// The process id that the next bot says, and the connection over which it may be let go.
    pub(crate) fn next(&self) -> (i32, TcpStream) {
        let (stream, _) = self.0.accept().expect("a bot connects");
        let mut line = String::new();
        BufReader::new(stream.try_clone().expect("cloned")).read_line(&mut line).expect("a line");
        (line.trim().parse().expect("a process id"), stream)
    }
}

/// Whether this process was started to ignore SIGHUP, as by nohup; then its children ignore it too.
pub(crate) fn hangup_is_ignored() -> bool {
    is_ignored(rustix::process::Signal::HUP)
}

/// Whether this process was started to ignore `signal`; then its children ignore it too.
pub(crate) fn is_ignored(signal: rustix::process::Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

/// Waits until no process has this id, or only a dead one that nobody has asked after.
pub(crate) fn assert_gone(pid: i32) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
        if matches!(state, None | Some('Z')) {
            return;
        }
        assert!(Instant::now() < deadline, "process {pid} is still there: {stat}");
        std::thread::yield_now();
    }
}

/// A client typed by hand.
pub(crate) struct Client {
    lines: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn connect(address: &str, hello: &str) -> Self {
        let mut stream = TcpStream::connect(address).expect("it listens");
        if !hello.is_empty() {
            stream.write_all(format!("{hello}\r\n").as_bytes()).expect("sent");
        }
        stream.set_read_timeout(Some(PATIENCE)).expect("an option");
        Self { lines: BufReader::new(stream) }
    }

    /// The next line that starts with `code`, whatever comes before it.
    pub(crate) fn hear(&mut self, code: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("read");
            assert!(read > 0, "the end came before {code}");
            if line.starts_with(code) {
                return line;
            }
        }
    }

    /// The next line.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("read");
        line
    }

    pub(crate) fn say(&mut self, text: &str) {
        self.lines.get_mut().write_all(text.as_bytes()).expect("sent");
    }

    /// Whether the connection was reset, or is broken in another way.
    pub(crate) fn was_reset(&self) -> bool {
        self.lines.get_ref().take_error().expect("an option").is_some()
    }

    /// The connection itself.
    pub(crate) fn stream(&mut self) -> &mut TcpStream {
        self.lines.get_mut()
    }

    /// All that is still said.
    pub(crate) fn rest(mut self) -> String {
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).expect("read");
        rest
    }
}
