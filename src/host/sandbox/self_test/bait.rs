//! The bait of the self-test: files, sockets and a process that the test program tries to reach. They belong to the
//! arena, and the arena's user and everybody else may access them, so only the confinement protects them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::net::{AddressFamily, SocketType, socket};
use serde::{Deserialize, Serialize};

use super::test_action::TestAction;
use crate::base::files::Scratch;
use crate::host::start::bytes_in_json;

/// An address that is reserved for documentation, so no machine has it (RFC 5737).
pub(super) const ANOTHER_MACHINE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);

/// How many times new addresses are tried if one of them has been taken by another program.
const ATTEMPTS: usize = 3;

/// The name of the variable that contains the mark, in the other process's environment.
const MARK: &str = "GOTHELLO_ARENA_MARK";

/// The locations of the bait, as passed to the test program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BaitPlaces {
    #[serde(with = "bytes_in_json")]
    pub(super) tournament: PathBuf,
    #[serde(with = "bytes_in_json")]
    pub(super) rival: PathBuf,
    #[serde(with = "bytes_in_json")]
    pub(super) journal: PathBuf,
    /// The port of another seat, on the host's loopback.
    pub(super) other_seat: u16,
    /// The name of the abstract socket.
    pub(super) abstract_socket: String,
    #[serde(with = "bytes_in_json")]
    pub(super) socket: PathBuf,
    /// The id of the other process.
    pub(super) process: i32,
    /// A string that only the other process has: one of its arguments and the value of one of its variables.
    pub(super) mark: String,
}

/// The bait of one self-test. Everything disappears on drop.
#[derive(Debug)]
pub(crate) struct Bait {
    pub(super) places: BaitPlaces,
    /// The actions that show nothing on this machine, because even the arena cannot do them; each with the reason.
    pub(super) untried: BTreeMap<TestAction, String>,
    dir: Scratch,
    _other_seat: TcpListener,
    _abstract_socket: UnixListener,
    _socket: UnixListener,
    _process: Neighbour,
}

impl Bait {
    /// Lays out the bait. If another program takes one of its addresses first, the next attempt gets other addresses.
    ///
    /// # Errors
    /// Fails if the machine is short of something.
    pub(crate) fn lay() -> io::Result<Self> {
        let is_taken = |laid: &io::Result<Self>| matches!(laid, Err(error) if error.kind() == io::ErrorKind::AddrInUse);
        let mut attempts = (0..ATTEMPTS).map(|_| Self::at_new_addresses()).skip_while(is_taken);
        attempts.next().unwrap_or_else(|| Err(io::ErrorKind::AddrInUse.into()))
    }

    fn at_new_addresses() -> io::Result<Self> {
        let dir = Scratch::new()?;
        let place = |name: &str| dir.path().join("class").join(name);
        for (name, mode) in [("", 0o777), ("rival", 0o777), ("results", 0o777)] {
            fs::create_dir(place(name))?;
            fs::set_permissions(place(name), Permissions::from_mode(mode))?;
        }
        let [tournament, rival, journal] =
            ["tournament.toml", "rival/bot.py", "results/journal.jsonl"].map(place).map(|path| {
                // An empty file can be created even on a full disk.
                fs::File::create(&path)?;
                fs::set_permissions(&path, Permissions::from_mode(0o666))?;
                Ok::<_, io::Error>(path)
            });
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755))?;
        let other_seat = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        // The name of the directory is unique on this machine, and consists of letters and digits.
        let mark = format!("gothello-{}", dir.path().file_name().unwrap_or_default().to_string_lossy());
        let abstract_socket = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&mark)?)?;
        // The path of a socket can have at most 107 bytes.
        let socket = bound_in(dir.path(), "socket")?;
        fs::set_permissions(dir.path().join("socket"), Permissions::from_mode(0o777))?;
        let process = Neighbour::start(&mark)?;
        let places = BaitPlaces {
            tournament: tournament?,
            rival: rival?,
            journal: journal?,
            other_seat: other_seat.local_addr()?.port(),
            abstract_socket: mark.clone(),
            socket: dir.path().join("socket"),
            process: i32::try_from(process.0.id()).unwrap_or_default(),
            mark,
        };
        Ok(Self {
            places,
            untried: impossible_actions(),
            dir,
            _other_seat: other_seat,
            _abstract_socket: abstract_socket,
            _socket: socket,
            _process: process,
        })
    }

    /// A copy of this program that every user may run. It is made when it is first needed.
    ///
    /// # Errors
    /// Fails if the copy cannot be made.
    pub(super) fn copied_program(&self) -> io::Result<PathBuf> {
        let copy = self.dir.path().join("gothello-arena");
        if !copy.exists() {
            fs::copy("/proc/self/exe", &copy)?;
            fs::set_permissions(&copy, Permissions::from_mode(0o755))?;
        }
        Ok(copy)
    }
}

/// Binds a unix socket at `name` in `dir`, whose path may be longer than a socket's path can be.
fn bound_in(dir: &Path, name: &str) -> io::Result<UnixListener> {
    use std::os::fd::AsRawFd as _;
    let held = fs::File::open(dir)?;
    UnixListener::bind(format!("/proc/self/fd/{}/{name}", held.as_raw_fd()))
}

/// The actions that even the arena cannot do here, each with the reason.
fn impossible_actions() -> BTreeMap<TestAction, String> {
    let mut impossible = BTreeMap::new();
    if let Err(error) = socket(AddressFamily::VSOCK, SocketType::STREAM, None) {
        impossible.insert(TestAction::Vsock, format!("the arena itself cannot do this: {}", io::Error::from(error)));
    }
    if let Err(error) = route_to_another_machine() {
        impossible.insert(TestAction::Outside, format!("the arena itself cannot do this: {error}"));
    }
    impossible
}

/// Asks the kernel for a route to another machine. Nothing is sent.
pub(super) fn route_to_another_machine() -> io::Result<()> {
    UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?.connect(ANOTHER_MACHINE)
}

/// A process of the arena's user that does nothing. It looks like the process of another bot.
#[derive(Debug)]
struct Neighbour(Child);

impl Neighbour {
    fn start(mark: &str) -> io::Result<Self> {
        let mut command = Command::new("/proc/self/exe");
        command.args(["confine", "neighbour", mark]).env_clear().env(MARK, mark);
        // The process ends when the arena closes the other end of its stdin, which happens even if the arena is killed.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(Self)
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        // An error means that the process has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether everybody may run the program at `path`, an absolute path without links, judging by its mode and the modes
/// of the directories above it.
pub(super) fn is_open_to_all(path: &Path) -> bool {
    let has = |path: &Path, bits: u32| fs::metadata(path).is_ok_and(|of| of.permissions().mode() & bits == bits);
    has(path, 0o005)
        && path.ancestors().skip(1).filter(|dir| dir.as_os_str() != OsStr::new("")).all(|dir| has(dir, 0o001))
}
