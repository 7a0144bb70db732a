//! Waits with time limits. If a program, a line or a connection does not come in time, the test fails: the test reports
//! the awaited event and all output read so far, and ends all processes that it started.

use std::fs::{self, File};
use std::io::{self, Read};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::ops::{Deref, DerefMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use crate::harness::arena::{assert_gone, text};

/// How long to wait for anything, even on a busy machine. Only a failing test waits this long.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(1);

/// How long a program may run from start to end, and how long it may produce output before the line that a test waits
/// for.
pub(crate) const LIMIT: Duration = Duration::from_mins(5);

/// Polls `question` until it has an answer, which must come within [`TIMEOUT`].
#[track_caller]
pub(crate) fn until<T>(what: &str, question: impl FnMut() -> Option<T>) -> T {
    until_within(TIMEOUT, what, question)
}

/// Polls `question` until it has an answer, which must come within `limit`.
#[track_caller]
pub(crate) fn until_within<T>(limit: Duration, what: &str, mut question: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(answer) = question() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited {limit:?} for {what}, which did not come");
        pause();
    }
}

/// The time between two checks for an event that a test waits for.
pub(crate) const PAUSE: Duration = Duration::from_millis(2);

/// Yields the core to other processes for a moment, because the event that a test waits for may depend on it.
pub(crate) fn pause() {
    std::thread::sleep(PAUSE);
}

/// Accepts a connection, which must come within [`TIMEOUT`]. Every read from the stream has the same limit.
#[track_caller]
pub(crate) fn accepted(listener: &TcpListener, what: &str) -> TcpStream {
    let [is_ready] = readable([Some(listener.as_fd())], Instant::now() + TIMEOUT);
    assert!(is_ready, "waited {TIMEOUT:?} for a connection, which did not come: {what}");
    let (stream, _) = listener.accept().expect("a connection");
    stream.set_read_timeout(Some(TIMEOUT)).expect("an option");
    stream
}

/// Connects to a listening program. Every read from the stream must finish within [`TIMEOUT`].
#[track_caller]
pub(crate) fn connected(address: impl ToSocketAddrs) -> TcpStream {
    let stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(TIMEOUT)).expect("an option");
    stream
}

/// Whether no program listens at `address`.
pub(crate) fn is_refused(address: impl ToSocketAddrs) -> bool {
    TcpStream::connect(address).is_err()
}

/// Waits until at least one of the sources has something to read or has ended. Returns for each source whether it has;
/// if the `deadline` passes first, every answer is false.
fn readable<const N: usize>(sources: [Option<BorrowedFd<'_>>; N], deadline: Instant) -> [bool; N] {
    let flags = PollFlags::IN;
    let mut polled: Vec<PollFd<'_>> =
        sources.iter().flatten().map(|source| PollFd::from_borrowed_fd(*source, flags)).collect();
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match poll(&mut polled, Some(&Timespec::try_from(left).expect("not so long"))) {
            Ok(_) => break,
            Err(Errno::INTR) => {}
            Err(error) => panic!("cannot poll: {error}"),
        }
    }
    let mut polled = polled.iter();
    sources.map(|source| source.is_some() && polled.next().is_some_and(|source| !source.revents().is_empty()))
}

/// The output of a program, line by line.
pub(crate) struct Lines<R> {
    source: R,
    /// Bytes that were read but belong to later lines.
    ahead: Vec<u8>,
}

/// The output that a source produced before it fell silent for too long.
struct Silence(String);

impl<R: Read + AsFd> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, ahead: Vec::new() }
    }

    /// The next line with its end; an empty string if there are no more lines.
    fn next(&mut self, deadline: Instant) -> Result<String, Silence> {
        loop {
            let end = self.ahead.iter().position(|byte| *byte == b'\n');
            if let Some(end) = end {
                return Ok(text(&self.ahead.drain(..=end).collect::<Vec<u8>>()));
            }
            if self.read(deadline)? == 0 {
                return Ok(text(&std::mem::take(&mut self.ahead)));
            }
        }
    }

    /// Reads more bytes. Returns their number, which is zero at the end of the output.
    fn read(&mut self, deadline: Instant) -> Result<usize, Silence> {
        let [is_ready] = readable([Some(self.source.as_fd())], deadline);
        if !is_ready {
            return Err(Silence(text(&self.ahead)));
        }
        let mut buffer = [0; 8192];
        let length = self.source.read(&mut buffer).expect("a program's output can be read");
        self.ahead.extend(&buffer[..length]);
        Ok(length)
    }

    /// Reads up to a line for which `is_it` returns true, and returns this line.
    #[track_caller]
    pub(crate) fn find(&mut self, what: &str, is_it: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + LIMIT;
        let mut heard = String::new();
        loop {
            match self.next(deadline) {
                Ok(line) if line.is_empty() => panic!("the output has ended without `{what}`:\n{heard}"),
                Ok(line) if is_it(&line) => return line,
                Ok(line) => heard.push_str(&line),
                Err(Silence(rest)) => panic!("the output within {LIMIT:?} does not contain `{what}`:\n{heard}{rest}"),
            }
        }
    }

    /// Reads up to a line that contains `what`, and returns this line.
    #[track_caller]
    pub(crate) fn hear(&mut self, what: &str) -> String {
        self.find(what, |line| line.contains(what))
    }

    /// The next line with its end; an empty string if there are no more lines.
    #[track_caller]
    pub(crate) fn line(&mut self, what: &str) -> String {
        self.next(Instant::now() + LIMIT)
            .unwrap_or_else(|Silence(said)| panic!("{what} did not come within {LIMIT:?}; the output was\n{said}"))
    }

    /// Continues reading in a thread, so that the program can continue writing.
    pub(crate) fn ignore_the_rest(mut self)
    where
        R: Send + 'static,
    {
        std::thread::spawn(move || io::copy(&mut self.source, &mut io::sink()));
    }

    /// Reads everything up to the end.
    #[track_caller]
    pub(crate) fn rest(&mut self, what: &str) -> String {
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.read(deadline) {
                Ok(0) => return text(&std::mem::take(&mut self.ahead)),
                Ok(_) => {}
                Err(Silence(said)) => panic!("{what} has not ended within {LIMIT:?}; the output was\n{said}"),
            }
        }
    }
}

/// A child process that does not outlive its test, and that is never waited for without a time limit.
#[derive(Debug)]
pub(crate) struct Owned {
    child: Child,
    /// The command, for messages.
    what: String,
}

impl Owned {
    /// Waits for the process to end.
    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        // Like the standard library, this closes the input first, because the program may read to the end of its input.
        drop(self.child.stdin.take());
        self.ended(Instant::now() + LIMIT, "")?;
        self.child.wait()
    }

    /// Waits for the process to end. Returns its output to the pipes.
    pub(crate) fn wait_with_output(mut self) -> io::Result<Output> {
        drop(self.child.stdin.take());
        let deadline = Instant::now() + LIMIT;
        let mut pipes = [
            self.child.stdout.take().map(|pipe| File::from(OwnedFd::from(pipe))),
            self.child.stderr.take().map(|pipe| File::from(OwnedFd::from(pipe))),
        ];
        let mut written = [Vec::new(), Vec::new()];
        while pipes.iter().any(Option::is_some) {
            let ready = readable(pipes.each_ref().map(|pipe| pipe.as_ref().map(File::as_fd)), deadline);
            if ready == [false, false] {
                return Err(self.late(&said(&written)));
            }
            let mut buffer = [0; 8192];
            for ((pipe, written), _) in pipes.iter_mut().zip(&mut written).zip(ready).filter(|&(_, is_ready)| is_ready)
            {
                let length = pipe.as_mut().expect("polled").read(&mut buffer)?;
                written.extend(&buffer[..length]);
                if length == 0 {
                    *pipe = None;
                }
            }
        }
        self.ended(deadline, &said(&written))?;
        let status = self.child.wait()?;
        let [stdout, stderr] = written;
        Ok(Output { status, stdout, stderr })
    }

    /// Waits until the process has ended. If it has not ended by `deadline`, the error says so and includes its output.
    fn ended(&mut self, deadline: Instant, said: &str) -> io::Result<()> {
        if self.child.try_wait()?.is_some() {
            return Ok(());
        }
        let process = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty())?;
        let [is_over] = readable([Some(process.as_fd())], deadline);
        if is_over { Ok(()) } else { Err(self.late(said)) }
    }

    fn late(&self, said: &str) -> io::Error {
        io::Error::new(io::ErrorKind::TimedOut, format!("{} has not ended within {LIMIT:?}\n{said}", self.what))
    }
}

/// The output of a program, for a message.
fn said([stdout, stderr]: &[Vec<u8>; 2]) -> String {
    format!("stdout:\n{}\nstderr:\n{}", text(stdout), text(stderr))
}

impl Deref for Owned {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Owned {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            kill_tree(Pid::from_child(&self.child));
            // The process is dead, so this does not wait for long.
            let _ = self.child.wait();
        }
    }
}

/// Kills a process and all its descendants.
fn kill_tree(root: Pid) {
    let mut tree = vec![root];
    let mut next = 0;
    while let Some(&process) = tree.get(next) {
        // A stopped process starts no more children.
        let _ = kill_process(process, Signal::STOP);
        tree.extend(children_of(process));
        next += 1;
    }
    for process in tree {
        // The process may have ended in the meantime.
        let _ = kill_process(process, Signal::KILL);
    }
}

/// The children of the process `parent`.
pub(crate) fn children_of(parent: Pid) -> Vec<Pid> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let id = |entry: fs::DirEntry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?);
    let is_child = |process: &Pid| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name of a process may contain anything, even parentheses.
        let parents_id = stat.rsplit(')').next().and_then(|after| after.split_whitespace().nth(1));
        parents_id.and_then(|id| id.parse().ok()) == Some(parent.as_raw_pid())
    };
    processes.flatten().filter_map(id).filter(is_child).collect()
}

/// Commands whose programs have a time limit.
pub(crate) trait InTime {
    /// Starts the program.
    fn start(&mut self) -> io::Result<Owned>;

    /// Like [`Command::output`], but always with no input and with both outputs captured.
    fn output_in_time(&mut self) -> io::Result<Output>;

    /// Like [`Command::status`].
    fn status_in_time(&mut self) -> io::Result<ExitStatus>;
}

impl InTime for Command {
    fn start(&mut self) -> io::Result<Owned> {
        Ok(Owned { child: self.spawn()?, what: format!("{self:?}") })
    }

    fn output_in_time(&mut self) -> io::Result<Output> {
        self.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).start()?.wait_with_output()
    }

    fn status_in_time(&mut self) -> io::Result<ExitStatus> {
        self.start()?.wait()
    }
}

/// A shell that prints its own process id and its child's. The child would sleep for ten minutes.
fn shell_with_child() -> Owned {
    let mut shell = Command::new("sh");
    shell.args(["-c", "sleep 600 > /dev/null & echo $$ $!; printf half; wait"]).stdin(Stdio::null());
    shell.stdout(Stdio::piped()).start().expect("sh starts")
}

#[test]
fn what_a_test_has_started_ends_with_it_and_so_do_its_children() {
    let mut shell = shell_with_child();
    let mut said = Lines::new(shell.stdout.take().expect("piped"));
    let ids = said.line("the ids");
    let ids: Vec<i32> = ids.split_whitespace().map(|id| id.parse().expect("an id")).collect();
    assert_eq!(ids.len(), 2);
    let failing = std::thread::spawn(move || {
        let _shell = shell;
        panic!("a test fails, as it should here");
    });
    assert!(failing.join().is_err());
    ids.into_iter().for_each(assert_gone);
}

#[test]
fn a_wait_that_is_too_long_tells_what_came_until_then() {
    let mut shell = shell_with_child();
    let mut said = Lines::new(shell.stdout.take().expect("piped"));
    let past = Instant::now();
    let late = shell.ended(past, "so far").expect_err("still running").to_string();
    assert!(late.contains("\"sh\" \"-c\" \"sleep 600") && late.ends_with("\nso far"), "{late}");
    said.line("the ids");
    // The rest of the line never comes. The first half may come later than the line before it.
    until("the first half of a line", || match said.next(past) {
        Ok(line) => panic!("a whole line: {line}"),
        Err(Silence(half)) => (half == "half").then_some(()),
    });
}

/// Everything in tests/it that waits must use this module.
#[test]
fn every_program_and_every_connection_has_a_limit() {
    // In these files, listeners do not block, and connections have limits of another kind.
    let without_blocking = [
        "confinement/builds.rs",
        "confinement/incidents.rs",
        "shortage/many_remote_games.rs",
        "machines/nats/faults.rs",
        "confinement/probes/stage.rs",
        "confinement/tier_c.rs",
    ];
    let of_connections = [".accept()", "TcpStream::connect("];
    let unlimited = [".output()", ".status()", ".spawn()", ".accept()", "TcpStream::connect(", ".recv()"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut folders = vec![root.clone()];
    let (mut found, mut files) = (Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).expect("below it").display().to_string();
            if name == "harness/waiting.rs" || path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            files += 1;
            let source = fs::read_to_string(&path).expect("read");
            for call in unlimited.into_iter().filter(|call| source.contains(call)) {
                if !of_connections.contains(&call) || !without_blocking.contains(&&*name) {
                    found.push(format!("tests/it/{name}: {call}"));
                }
            }
        }
    }
    assert!(files > 100 && found.is_empty(), "{files} files; without a limit: {found:#?}");
}
