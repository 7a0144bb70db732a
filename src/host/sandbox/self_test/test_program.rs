//! The test program of the self-test. It runs in confinement, as a bot does, and prints the outcome of each action.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::net::{Ipv4Addr, TcpStream};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::ptrace;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType, socket};
use serde::{Deserialize, Serialize};

use super::bait::{BaitPlaces, route_to_another_machine};
use super::test_action::{ActionOutcome, ActionReport, TestAction};
use crate::base::console;

/// How long to wait for a connection. On the loopback, a connection succeeds or fails immediately.
const CONNECT: Duration = Duration::from_secs(1);

/// How many threads to start beyond the limit. The kernel allows a few more than the limit.
const BEYOND: u64 = 40;

/// The stack size of each thread. The threads only wait.
const STACK: usize = 64 << 10;

/// The order to the test program, passed as its only argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TestOrder {
    pub(super) places: BaitPlaces,
    /// The port of the program's own seat, on the loopback that it sees.
    pub(super) seat: u16,
    /// The number of files that the program may have open.
    pub(super) open_files: u64,
    /// A number of bytes of memory that the program must not be able to reserve.
    pub(super) too_much_memory: u64,
    /// The number of threads that the program may have.
    pub(super) processes: u64,
    /// How long the program waits for the arena to stop it.
    pub(super) patience: Duration,
}

/// Runs the test program. Returns its exit code.
pub(in crate::host::sandbox) fn run() -> u8 {
    let order = std::env::args().nth(3).and_then(|text| serde_json::from_str::<TestOrder>(&text).ok());
    let Some(order) = order else { return 2 };
    for action in TestAction::ALL {
        let outcome = match order.perform(action) {
            Ok(()) => ActionOutcome::Done,
            Err(error) => ActionOutcome::Refused(error.raw_os_error()),
        };
        let Ok(line) = serde_json::to_string(&ActionReport { action, outcome }) else { return 1 };
        // Each line is written at once, because the program may be killed at any time.
        if console::data(line + "\n").is_err() {
            return 1;
        }
    }
    0
}

/// Waits until the arena closes the other end of stdin. Returns the exit code.
pub(in crate::host::sandbox) fn wait() -> u8 {
    let _ = io::stdin().read(&mut [0]);
    0
}

impl TestOrder {
    /// Performs `action`. Returns the system's error if it is refused.
    fn perform(&self, action: TestAction) -> io::Result<()> {
        let places = &self.places;
        match action {
            TestAction::OwnSeat => connect(self.seat),
            // The file is only created, not written to, because the disk may be full.
            TestAction::OwnScratch => File::create(scratch().join("own")).map(drop),
            TestAction::ReadTournament => read(&places.tournament),
            TestAction::ReadRival => read(&places.rival),
            TestAction::ReadJournal => read(&places.journal),
            TestAction::WriteElsewhere => self.write_elsewhere(),
            TestAction::OtherSeat => connect(places.other_seat),
            TestAction::Outside => route_to_another_machine(),
            TestAction::AbstractSocket => {
                let name = SocketAddr::from_abstract_name(&places.abstract_socket)?;
                UnixStream::connect_addr(&name).map(drop)
            }
            TestAction::NamedSocket => UnixStream::connect(&places.socket).map(drop),
            TestAction::Vsock => Ok(socket(AddressFamily::VSOCK, SocketType::STREAM, None).map(drop)?),
            TestAction::SeeProcess => self.find_process(),
            TestAction::ReadProcess => self.read_process(),
            // No signal is sent, but the kernel checks whether sending one would be allowed.
            TestAction::Signal => self.at_process(|process| Ok(kill(process, None)?)),
            TestAction::Trace => self.at_process(|process| Ok(ptrace::seize(process, ptrace::Options::empty())?)),
            TestAction::OpenFiles => self.open_too_many(),
            TestAction::Memory => reserve(self.too_much_memory),
            TestAction::Processes => self.start_too_many(),
        }
    }

    /// Writes to the tournament file, into the directory of another bot, and to the root.
    fn write_elsewhere(&self) -> io::Result<()> {
        let append = || OpenOptions::new().append(true).open(&self.places.tournament).map(drop);
        let create = |path: PathBuf| {
            File::create(&path)?;
            fs::remove_file(path)
        };
        let beside = || create(self.places.rival.with_file_name("written"));
        let below_root = || create(Path::new("/").join(&self.places.mark));
        // The first refusal is returned only if every attempt is refused.
        append().or_else(|refusal| beside().or_else(|_| below_root()).map_err(|_| refusal))
    }

    /// Looks for the other process by its arguments, because its id may denote a different process in this namespace.
    fn find_process(&self) -> io::Result<()> {
        let is_own = u32::try_from(self.places.process) == Ok(std::process::id());
        if is_own || !self.process_file("cmdline")?.contains(&self.places.mark) {
            return Err(Errno::SRCH.into());
        }
        Ok(())
    }

    fn read_process(&self) -> io::Result<()> {
        let is_own = u32::try_from(self.places.process) == Ok(std::process::id());
        if is_own || !self.process_file("environ")?.contains(&self.places.mark) {
            return Err(Errno::SRCH.into());
        }
        Ok(())
    }

    fn process_file(&self, name: &str) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(format!("/proc/{}/{name}", self.places.process))?).into_owned())
    }

    /// Performs `action` on the other process, unless its id denotes a different process in this namespace.
    fn at_process(&self, action: impl FnOnce(Pid) -> io::Result<()>) -> io::Result<()> {
        let process = self.places.process;
        if Path::new(&format!("/proc/{process}")).exists() {
            self.find_process()?;
        }
        action(Pid::from_raw(process))
    }

    /// Opens one file more than the program may have open, without closing any.
    fn open_too_many(&self) -> io::Result<()> {
        let null = File::open("/dev/null")?;
        let mut copies = Vec::new();
        let copy = |null: BorrowedFd<'_>| null.try_clone_to_owned();
        (0..=self.open_files).try_for_each(|_| copy(null.as_fd()).map(|copy| copies.push(copy)))
    }

    /// Starts threads beyond the limit, and waits for the arena to stop them.
    fn start_too_many(&self) -> io::Result<()> {
        let patience = self.patience;
        let start = || std::thread::Builder::new().stack_size(STACK).spawn(move || std::thread::sleep(patience));
        let mut started = 0;
        let mut start_all = || {
            while started < self.processes.saturating_add(BEYOND) {
                start()?;
                started += 1;
            }
            Ok(())
        };
        let all = start_all();
        // Together with the first thread, the started threads exceed the program's limit, even if the kernel has
        // refused to start more.
        if started >= self.processes {
            std::thread::sleep(patience);
        }
        all
    }
}

/// The program's scratch space.
fn scratch() -> PathBuf {
    std::env::temp_dir()
}

fn connect(port: u16) -> io::Result<()> {
    TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port).into(), CONNECT).map(drop)
}

/// Reads `path`, if necessary through the directory above the root: a root that is still mounted over the program's own
/// root can be reached only from there.
fn read(path: &Path) -> io::Result<()> {
    let above = Path::new("/..").join(path.strip_prefix("/").unwrap_or(path));
    fs::read(path).or_else(|refusal| fs::read(above).map_err(|_| refusal)).map(drop)
}

/// Reserves `bytes` of memory.
fn reserve(bytes: u64) -> io::Result<()> {
    let refused = || io::Error::from(Errno::NOMEM);
    let mut memory: Vec<u8> = Vec::new();
    memory.try_reserve_exact(usize::try_from(bytes).map_err(|_| refused())?).map_err(|_| refused())?;
    // Otherwise, the compiler could remove the unused allocation.
    std::hint::black_box(&memory);
    Ok(())
}
