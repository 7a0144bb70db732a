//! Public incidents of sandboxes, judges and containers, repeated by a bot in every tier that this machine supports.
//! Each action of an incident must be refused. docs/reference/confinement-incidents.md lists the incidents.

mod table;

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::confinement::probes::{MARK, User, Way, compiled, marked, probe};
use crate::harness::arena::{Arena, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, Lines, Owned};
pub(crate) use table::INCIDENTS;

/// A public incident, and how the tests show that an attempt to repeat it could succeed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incident {
    /// The incident's CVE number, or the project's name and a word.
    id: &'static str,
    /// What happened.
    what: &'static str,
    /// A page about the incident; empty if the incident has a CVE number.
    source: &'static str,
    control: Control,
}

/// The outcome of an attempt without confinement, as root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    /// The attempt succeeds.
    Open,
    /// The attempt fails, because the bug is fixed in every maintained kernel.
    Fixed,
    /// The attempt succeeds if the kernel has the feature, and if there is a terminal.
    Rare,
    /// The test sees the outcome only after the game.
    After,
    /// The program tries nothing, but its directory contains the files that the incident needs.
    Planted,
    /// The probe `processes` repeats the incident.
    Elsewhere,
}

impl Incident {
    /// The incident's row in docs/reference/confinement-incidents.md.
    pub(crate) fn row(&self) -> String {
        let Self { id, what, source, .. } = self;
        let cve = format!("https://nvd.nist.gov/vuln/detail/{id}");
        let page = if source.is_empty() { &cve } else { *source };
        format!("| [{id}]({page}) | {what} |")
    }

    /// Whether the program tries the incident itself, and reports the result.
    fn is_tried(&self) -> bool {
        !matches!(self.control, Control::Planted | Control::Elsewhere)
    }
}

/// A variable in the arena's environment that no bot may see.
const SECRET: &str = "GOTHELLO_INCIDENT_SECRET";

/// The names of tools that a careless supervisor runs.
const TOOLS: [&str; 8] = ["ip", "nsenter", "nft", "dmesg", "mount", "sh", "true", "ps"];

/// The program, compiled once.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &PROGRAM.get_or_init(|| compiled("incidents")).1
}

/// The targets of the incidents. All of them belong to the arena's user, and every user may access them.
struct Decoys {
    dir: tempfile::TempDir,
    name: String,
    key: String,
    service: TcpListener,
    abstract_socket: UnixListener,
    socket: UnixListener,
    process: Owned,
    /// Holds System V shared memory.
    _memory: Owned,
    shared: PathBuf,
}

impl Decoys {
    fn new(user: User) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let service = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = service.local_addr().expect("bound").port();
        let name = format!("gothello-incident-{port}");
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let abstract_socket = UnixListener::bind_addr(&address).expect("bound");
        let socket = UnixListener::bind(dir.path().join("socket")).expect("bound");
        fs::create_dir(dir.path().join("dir")).expect("made");
        for file in ["secret", "results.json", "dir/inside"] {
            fs::write(dir.path().join(file), file).expect("written");
        }
        let shared = Path::new("/dev/shm").join(&name);
        fs::write(&shared, "shared").expect("written");
        for (path, mode) in [
            (dir.path().to_owned(), 0o777),
            (dir.path().join("dir"), 0o777),
            (dir.path().join("dir/inside"), 0o666),
            (dir.path().join("secret"), 0o666),
            (dir.path().join("results.json"), 0o666),
            (dir.path().join("socket"), 0o777),
            (shared.clone(), 0o666),
        ] {
            user.give(&path);
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
        }
        for listener in [&abstract_socket, &socket] {
            listener.set_nonblocking(true).expect("set");
        }
        service.set_nonblocking(true).expect("set");
        let key = (0x6774_0000 + u32::from(port)).to_string();
        let mut memory = Command::new(program());
        memory.args(["decoy", &key]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut memory = memory.start().expect("it starts");
        Lines::new(memory.stdout.take().expect("a pipe")).line("the decoy to be ready");
        let process = user.run(Command::new("sleep").arg("600").stdin(Stdio::null())).start().expect("it starts");
        Self { dir, name, key, service, abstract_socket, socket, process, _memory: memory, shared }
    }

    /// The arguments with which the program tries everything and then executes `then`.
    fn args(&self, then: &[&str]) -> Vec<String> {
        let port = self.service.local_addr().expect("bound").port();
        let words = [
            "try".to_owned(),
            self.dir.path().display().to_string(),
            port.to_string(),
            self.process.id().to_string(),
            self.name.clone(),
            self.key.clone(),
        ];
        words.into_iter().chain(then.iter().map(|&word| word.to_owned())).collect()
    }

    /// All harm done to the decoys. `owner` is the arena's user.
    fn harm(&mut self, owner: u32) -> Vec<String> {
        let mut harm = Vec::new();
        for file in ["secret", "results.json", "dir/inside"] {
            let path = self.dir.path().join(file);
            let is_intact = fs::read_to_string(&path).is_ok_and(|content| content == file)
                && fs::metadata(&path).is_ok_and(|of| of.uid() == owner && of.mode() & 0o777 == 0o666);
            harm.extend((!is_intact).then(|| format!("`{file}` is not as it was")));
        }
        let entries = |dir: &str| fs::read_dir(self.dir.path().join(dir)).expect("there").count();
        harm.extend((entries("") != 4 || entries("dir") != 1).then(|| "something was written".to_owned()));
        harm.extend(self.service.accept().is_ok().then(|| "the service was reached".to_owned()));
        harm.extend(self.abstract_socket.accept().is_ok().then(|| "the abstract socket was reached".to_owned()));
        harm.extend(self.socket.accept().is_ok().then(|| "the socket was reached".to_owned()));
        harm.extend((!matches!(self.process.try_wait(), Ok(None))).then(|| "the process is gone".to_owned()));
        harm.extend(Path::new("/var/tmp/gothello-incident").exists().then(|| "a file is in /var/tmp".to_owned()));
        harm
    }
}

impl Drop for Decoys {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.shared);
    }
}

/// Creates the program's directory, with files to replace and change, and tools that leave a trace when they are run.
fn furnish(dir: &Path, decoys: &Decoys, user: User) {
    fs::create_dir(dir).expect("made");
    fs::copy(program(), dir.join("incidents")).expect("copied");
    fs::copy(probe(), dir.join("probe")).expect("copied");
    for file in ["one", "two", "book", "run.sh"] {
        fs::write(dir.join(file), file).expect("written");
    }
    for tool in TOOLS {
        let script = format!("#!/bin/sh\n: > {}/dir/ran\n", decoys.dir.path().display());
        fs::write(dir.join(tool), script).expect("written");
        fs::set_permissions(dir.join(tool), Permissions::from_mode(0o755)).expect("set");
    }
    let names = ["", "incidents", "probe", "one", "two", "book", "run.sh"].into_iter().chain(TOOLS);
    for name in names {
        user.give(&dir.join(name));
    }
}

/// The incidents on the lines of `stderr` that begin with `word`.
fn told(stderr: &str, word: &str) -> Vec<String> {
    let lines = stderr.lines().filter_map(|line| line.strip_prefix(word)?.split_whitespace().next());
    lines.map(str::to_owned).collect()
}

/// Plays two games of the program with the confinement of `way`, and returns everything that is wrong.
fn wrong_in(way: Way) -> Vec<String> {
    let mut decoys = Decoys::new(way.user);
    let arena = Arena::new("");
    let mark = arena.path().display().to_string();
    furnish(&arena.path().join("bot"), &decoys, way.user);
    let args = decoys.args(&["./probe", "none", "{side}", "{host}", "{port}"]);
    let args: Vec<String> = args.iter().map(|word| format!("\"{word}\"")).collect();
    let toml = format!(
        "isolation = \"{}\"\nseed = 3\nquit_timeout = \"300ms\"\nhello_timeout = \"60s\"\n\
         [[player]]\nname = \"one\"\nbuiltin = \"random\"\n\
         [[player]]\nname = \"incidents\"\ndir = \"bot\"\ncommand = [\"./incidents\", {}]\n\
         env = {{ {MARK} = \"{mark}\" }}\n",
        way.isolation(),
        args.join(", ")
    );
    let path = |name: &str| arena.path().join(name);
    fs::write(path("class.toml"), toml).expect("written");
    for dir in ["rival", "scratch"] {
        fs::create_dir(path(dir)).expect("made");
    }
    fs::write(path("rival/secret"), "secret").expect("written");
    for name in ["", "class.toml", "rival", "rival/secret", "scratch"] {
        way.user.give(&path(name));
    }
    let owner = fs::metadata(path("class.toml")).expect("there").uid();
    // The arena inherits a descriptor, as it would from a careless shell.
    let plain = arena.command(&["run", "class.toml", "--out", "out"]);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "exec 9<class.toml && exec \"$0\" \"$@\""]).arg(plain.get_program()).args(plain.get_args());
    command.env("TMPDIR", path("scratch")).env(SECRET, "1").current_dir(arena.path()).stdin(Stdio::null());
    let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
    assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
    let left = marked(&mark);
    let mut wrong = decoys.harm(owner);
    wrong.extend((!left.is_empty()).then(|| format!("{left:?} are still running")));
    for file in ["one", "two", "book", "run.sh"] {
        let is_same = fs::read_to_string(path("bot").join(file)).is_ok_and(|content| content == file);
        wrong.extend((!is_same).then(|| format!("the bot has changed `{file}`")));
    }
    let expected: Vec<&str> = INCIDENTS.iter().filter(|incident| incident.is_tried()).map(|one| one.id).collect();
    // Without namespaces, a bot learns whether a path exists.
    let possible: &[&str] = if way.tier == "C" { &["isolate-2.5"] } else { &[] };
    let rows = arena.results();
    assert_eq!(rows.len(), 2, "{way:?}");
    for row in rows {
        let side = if row["black"] == "incidents" { "black" } else { "white" };
        let stderr = arena.out().join(format!("games/{}.{side}.stderr", row["game"]));
        let said = fs::read_to_string(stderr).unwrap_or_default();
        wrong.extend((row["termination"] != "normal").then(|| format!("the game ended with {}", row["termination"])));
        let (reached, refused) = (told(&said, "reached "), told(&said, "refused "));
        if reached != possible {
            wrong.push(format!("{side} reached {reached:?}"));
        }
        let all: BTreeSet<&str> = reached.iter().chain(&refused).map(String::as_str).collect();
        if all != expected.iter().copied().collect() || reached.len() + refused.len() != expected.len() {
            wrong.push(format!("{side} reported other incidents:\n{said}"));
        }
    }
    wrong
}

/// Repeats the incidents in each of the ways to run the arena in `tier`.
fn refused_in(tier: &'static str) {
    for way in Way::all(tier) {
        assert_eq!(wrong_in(way), [""; 0], "{way:?}");
    }
}

#[test]
fn every_incident_is_refused_in_namespaces_as_root() {
    refused_in("A");
}

#[test]
fn every_incident_is_refused_in_namespaces_as_an_ordinary_user() {
    refused_in("B");
}

#[test]
fn every_incident_is_refused_without_namespaces() {
    refused_in("C");
}

/// A probe that cannot succeed anywhere would prove nothing.
#[test]
fn without_confinement_root_repeats_the_incidents() {
    if !rustix::process::geteuid().is_root() {
        skipped(Need::Root, "an ordinary user cannot repeat most incidents");
        return;
    }
    let decoys = Decoys::new(User::Same);
    let dir = tempfile::tempdir().expect("a directory");
    let bot = dir.path().join("bot");
    furnish(&bot, &decoys, User::Same);
    for (path, content) in [("class.toml", ""), ("rival/secret", "secret"), ("out/journal.jsonl", "")] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, content).expect("written");
    }
    let scratch = dir.path().join("scratch");
    fs::create_dir(&scratch).expect("made");
    let mark = dir.path().display().to_string();
    // `setsid` takes away the terminal, so that no incident can type into it.
    let mut command = Command::new("setsid");
    command
        .args(["--wait", "sh", "-c", "exec 9<../class.toml && ./incidents \"$@\"", "sh"])
        .args(decoys.args(&["/bin/true"]));
    command.current_dir(&bot).env("TMPDIR", &scratch).env(SECRET, "1").env(MARK, &mark).stdin(Stdio::null());
    let output = command.output_in_time().expect("setsid starts");
    for pid in marked(&mark) {
        let _ = kill(Pid::from_raw(pid.parse().expect("a number")), Signal::SIGKILL);
    }
    let reached: BTreeSet<String> = told(&text(&output.stderr), "reached ").into_iter().collect();
    for incident in INCIDENTS {
        let is_reached = reached.contains(incident.id);
        match incident.control {
            Control::Open => assert!(is_reached, "{}", incident.id),
            Control::Fixed | Control::After | Control::Planted | Control::Elsewhere => {
                assert!(!is_reached, "{}", incident.id);
            }
            Control::Rare => {}
        }
    }
}

#[test]
fn there_are_many_incidents_and_each_is_named_once() {
    let ids: BTreeSet<&str> = INCIDENTS.iter().map(|incident| incident.id).collect();
    assert_eq!(ids.len(), INCIDENTS.len());
    assert!(ids.len() >= 40, "{}", ids.len());
    for incident in INCIDENTS {
        let is_cve = incident.id.starts_with("CVE-");
        assert!(is_cve || !incident.source.is_empty(), "{}", incident.id);
    }
}
