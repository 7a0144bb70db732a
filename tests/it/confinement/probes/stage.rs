//! A tournament of probes and honest bots, and decoys for the probes to attack.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs::{self, Permissions};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use super::table::{Probe, Terms, UNTIMED};
use super::ways::{User, Way, mounting};
use super::{QUIT_TIMEOUT, probe};
use crate::harness::arena::Arena;
use crate::harness::waiting::{InTime as _, Owned};

/// How many pairs of further honest bots play against the first one in a tournament of probes. Each bot of a pair plays
/// one game with each colour.
const HONEST_ROUNDS: usize = 4;
pub(super) const HONEST_GAMES: usize = 4 * HONEST_ROUNDS;

/// The environment variable that marks the processes of a probe.
pub(crate) const MARK: &str = "GOTHELLO_PROBE_MARK";

/// A tournament of probes.
pub(super) struct Stage {
    pub(super) arena: Arena,
    /// The mark of the probes' processes.
    pub(super) mark: String,
    way: Way,
    /// The directories on which separate file systems are mounted.
    mounted: [PathBuf; 2],
}

impl Stage {
    /// A gauntlet of one honest bot against all probes and against pairs of honest bots, which are spread among the
    /// probes.
    pub(super) fn new(way: Way, probes: &[&Probe], decoys: &Decoys, terms: Terms) -> Self {
        let arena = Arena::new("");
        let mark = arena.path().display().to_string();
        let mut toml = head(way.isolation(), terms);
        let players = probes.iter().map(|probe| {
            let readable = if probe.mode == "mounts" { decoys.elsewhere.path().to_str() } else { None };
            player(probe, &mark, &decoys.of(probe.mode, way, &arena), readable)
        });
        toml.push_str(&among_honest(&players.collect::<Vec<_>>()));
        fs::write(arena.path().join("class.toml"), toml).expect("written");
        let mounted = [arena.path().join("bot/sub"), decoys.elsewhere.path().join("sub")];
        let stage = Self { arena, mark, way, mounted };
        stage.furnish();
        stage
    }

    /// Creates the programs to run, programs that cannot run, a rival's file, and space for the arena's own files.
    fn furnish(&self) {
        let path = |name: &str| self.arena.path().join(name);
        for dir in ["bot", "bot/sub", "rival", "scratch"] {
            fs::create_dir(path(dir)).expect("made");
        }
        fs::copy(probe(), path("bot/probe")).expect("copied");
        let files = [
            ("bot/plain", "no program", 0o644),
            ("bot/nonsense", "\u{1}\u{2}no program", 0o755),
            ("bot/no-interpreter", "#!/nowhere/to/be/found\n", 0o755),
            ("bot/open", "", 0o666),
            ("rival/secret", "secret", 0o644),
        ];
        for (name, content, mode) in files {
            fs::write(path(name), content).expect("written");
            fs::set_permissions(path(name), Permissions::from_mode(mode)).expect("set");
        }
        for name in
            ["", "class.toml", "bot", "rival", "scratch", "bot/probe"].into_iter().chain(files.map(|file| file.0))
        {
            self.way.user.give(&path(name));
        }
        fs::write(path("bot/private"), "secret").expect("written");
        self.way.user.give(&path("bot/private"));
        fs::set_permissions(path("bot/private"), Permissions::from_mode(0o600)).expect("set");
    }

    /// The command that starts the run. The arena inherits a descriptor of the tournament file, as it would from a
    /// careless shell.
    pub(super) fn command(&self) -> Command {
        let plain = self.arena.command(&["run", "class.toml", "--out", "out"]);
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "exec 9<class.toml && exec \"$0\" \"$@\""]).arg(plain.get_program()).args(plain.get_args());
        // The leftovers of a killed run are removed with the test's directory.
        command.env("TMPDIR", self.arena.path().join("scratch"));
        command.current_dir(self.arena.path()).stdin(Stdio::null());
        command
    }

    pub(super) fn run(&self) -> Output {
        let mounted = self.mounted.each_ref().map(PathBuf::as_path);
        let run = |command: &mut Command| command.output_in_time().expect("the program starts");
        mounting(&mounted, || self.way.act(&mut self.command(), run))
    }
}

/// The players `players` with pairs of honest bots spread among them.
pub(super) fn among_honest(players: &[String]) -> String {
    let every = players.len().div_ceil(HONEST_ROUNDS).max(1);
    let mut chunks = players.chunks(every);
    (0..HONEST_ROUNDS).map(|round| honest_pair(round) + &chunks.next().unwrap_or_default().concat()).collect()
}

pub(super) fn head(isolation: &str, terms: Terms) -> String {
    let time = terms.time.map(|time| format!("time = \"{}s\"\n", time.as_secs())).unwrap_or_default();
    format!(
        "isolation = \"{isolation}\"\nformat = \"gauntlet\"\nseed = 3\nconcurrency = 6\n{time}\
         quit_timeout = \"{}ms\"\nhello_timeout = \"{}s\"\n\
         [[player]]\nname = \"one\"\nbuiltin = \"random\"\nchallenger = true\n",
        QUIT_TIMEOUT.as_millis(),
        terms.hello.as_secs()
    )
}

/// Two more honest bots. Every pair consists of the same bots under different names.
fn honest_pair(round: usize) -> String {
    format!(
        "[[player]]\nname = \"two {round}\"\nbuiltin = \"greedy\"\n\
         [[player]]\nname = \"three {round}\"\nbuiltin = \"alphabeta\"\ndepth = 2\n"
    )
}

fn player(probe: &Probe, mark: &str, decoy: &str, readable: Option<&str>) -> String {
    let program = if probe.is_file { probe.mode } else { "probe" };
    let readable = readable.map(|dir| format!("readable = [\"{dir}\"]\n")).unwrap_or_default();
    let mut toml = String::new();
    write!(
        toml,
        "[[player]]\nname = \"{0}\"\ndir = \"bot\"\n\
         command = [\"./{program}\", \"{0}\", \"{{side}}\", \"{{host}}\", \"{{port}}\", \"{decoy}\"]\n\
         {1}\n{readable}env = {{ {MARK} = \"{mark}\" }}\n",
        probe.mode, probe.keys
    )
    .expect("writing to a string does not fail");
    toml
}

/// The ids of the processes with the mark `mark`.
pub(crate) fn marked(mark: &str) -> Vec<String> {
    let needle = format!("{MARK}={mark}");
    let processes = fs::read_dir("/proc").expect("there").filter_map(Result::ok);
    processes
        .filter(|entry| entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|entry| {
            let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|variable| variable == needle.as_bytes())
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// The arena's namespaces, none of which a bot may share, as /proc names them.
fn namespaces_of_the_arena(way: Way) -> String {
    let user = Some("user").filter(|_| way.tier == "B");
    let names = ["net", "pid", "ipc", "uts", "mnt"].into_iter().chain(user);
    let names: Vec<String> = names
        .map(|name| fs::read_link(format!("/proc/self/ns/{name}")).expect("there").display().to_string())
        .collect();
    names.join(",")
}

/// The games among the honest bots, which no probe may change.
fn honest(rows: &[HashMap<String, String>]) -> Vec<[String; 4]> {
    let is_honest = |name: &str| ["one", "two ", "three "].iter().any(|honest| name.starts_with(honest));
    let among = rows.iter().filter(|row| is_honest(&row["black"]) && is_honest(&row["white"]));
    let mut games: Vec<_> =
        among.map(|row| ["game", "termination", "winner", "moves_sha256"].map(|column| row[column].clone())).collect();
    games.sort();
    games
}

/// The honest bots' games that differ from those played without any probe. On a busy machine, any bot may run out of
/// time: with clocks, a loss on time therefore proves nothing, and the tournaments without clocks make up for it.
pub(super) fn disturbed(rows: &[HashMap<String, String>], terms: Terms) -> Vec<[String; 4]> {
    let mut games = honest(rows);
    assert_eq!(games.len(), HONEST_GAMES);
    games.retain(|game| (terms.time.is_none() || game[1] != "time") && !undisturbed().contains(game));
    games
}

/// The longest time that an honest bot was present in games among honest bots. Such a bot needs a few milliseconds of
/// CPU time, so nearly all of this is time that bots and arena currently spend waiting for the CPU.
pub(super) fn usual_delay(arena: &Arena) -> Duration {
    let games = honest(&arena.results()).into_iter().map(|[game, ..]| arena.record(&game));
    let walls = games.flat_map(|record| [record.usage.black, record.usage.white]).flatten().map(|usage| usage.wall);
    walls.max().unwrap_or_default()
}

/// The games among the honest bots without any probe.
fn undisturbed() -> &'static [[String; 4]] {
    static GAMES: OnceLock<Vec<[String; 4]>> = OnceLock::new();
    GAMES.get_or_init(|| {
        let pairs: String = (0..HONEST_ROUNDS).map(honest_pair).collect();
        let arena = Arena::new(&(head("off", UNTIMED) + &pairs));
        assert!(arena.run(&[]).status.success());
        let games = honest(&arena.results());
        assert_eq!(games.len(), HONEST_GAMES);
        assert!(games.iter().all(|game| game[1] == "normal"));
        games
    })
}

/// Things for the probes to attack. Each belongs to the arena's user, so nothing but confinement protects it.
pub(super) struct Decoys {
    dir: tempfile::TempDir,
    /// A directory that a probe may read, outside the bot's scratch space.
    elsewhere: tempfile::TempDir,
    stream: TcpListener,
    datagrams: UdpSocket,
    abstract_socket: UnixListener,
    socket: UnixListener,
    process: Owned,
}

impl Decoys {
    pub(super) fn new(user: User) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let stream = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = stream.local_addr().expect("bound").port();
        let datagrams = UdpSocket::bind(("127.0.0.1", port)).expect("the same port");
        let name = SocketAddr::from_abstract_name(format!("gothello-probe-{port}")).expect("a name");
        let abstract_socket = UnixListener::bind_addr(&name).expect("bound");
        let socket = UnixListener::bind(dir.path().join("socket")).expect("bound");
        fs::write(dir.path().join("secret"), "secret").expect("written");
        let elsewhere = tempfile::tempdir_in("/var/tmp").expect("a directory");
        fs::create_dir(elsewhere.path().join("sub")).expect("made");
        for path in [elsewhere.path(), &elsewhere.path().join("sub")] {
            fs::set_permissions(path, Permissions::from_mode(0o777)).expect("set");
        }
        for (name, mode) in [("", 0o777), ("socket", 0o666), ("secret", 0o666)] {
            let path = dir.path().join(name);
            user.give(&path);
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
        }
        stream.set_nonblocking(true).expect("set");
        datagrams.set_nonblocking(true).expect("set");
        abstract_socket.set_nonblocking(true).expect("set");
        socket.set_nonblocking(true).expect("set");
        let process = user.run(Command::new("sleep").arg("600").stdin(Stdio::null())).start().expect("it starts");
        Self { dir, elsewhere, stream, datagrams, abstract_socket, socket, process }
    }

    /// The argument that names the targets of a probe in the mode `mode`.
    fn of(&self, mode: &str, way: Way, arena: &Arena) -> String {
        let path = |name: &str| self.dir.path().join(name).display().to_string();
        let own = |name: &str| arena.path().join(name).display().to_string();
        match mode {
            "read" => [path("secret"), own("class.toml"), own("out/journal.jsonl"), own("rival/secret")].join(":"),
            "attack" => self.process.id().to_string(),
            "reach" => format!("{}:{}", self.stream.local_addr().expect("bound").port(), path("socket")),
            "owner" => own("bot/private"),
            "mounts" => self.elsewhere.path().display().to_string(),
            "namespaces" => namespaces_of_the_arena(way),
            _ => String::new(),
        }
    }

    /// The decoys that a probe has reached.
    pub(super) fn harmed(mut self) -> Vec<String> {
        let mut harmed = Vec::new();
        let mut tell = |is_harmed: bool, what: &str| {
            if is_harmed {
                harmed.push(format!("the decoy was reached: {what}"));
            }
        };
        tell(self.stream.accept().is_ok(), "TCP");
        tell(self.datagrams.recv(&mut [0; 8]).is_ok(), "UDP");
        tell(self.abstract_socket.accept().is_ok(), "the abstract socket");
        tell(self.socket.accept().is_ok(), "the socket with a path");
        tell(fs::read(self.dir.path().join("secret")).expect("there") != b"secret", "the file");
        tell(!matches!(self.process.try_wait(), Ok(None)), "the process");
        harmed
    }
}
