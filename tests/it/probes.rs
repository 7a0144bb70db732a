//! Bots that reach for what is not theirs, confined: how their games end, what they got at, and what is left of them.

use std::collections::HashMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

use crate::arena::{Arena, PATIENCE, text};

/// The probe, compiled once.
pub(crate) fn probe() -> &'static Path {
    static PROBE: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &PROBE.get_or_init(|| compiled("probe")).1
}

/// Compiles this program of tests/probes.
pub(crate) fn compiled(name: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join(name);
    let source = format!("{}/tests/probes/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let status = Command::new("cc").args(["-O1", "-o"]).arg(&path).arg(source).status().expect("cc starts");
    assert!(status.success());
    (dir, path)
}

/// Whether this machine can confine by namespaces; where not, that is said.
pub(crate) fn can_confine() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let doctor = Command::new(env!("CARGO_BIN_EXE_gothello-arena")).arg("doctor").output().expect("it starts");
        let said = text(&doctor.stdout);
        let can = ["A", "B"].iter().any(|tier| said.contains(&format!("confined by tier {tier}")));
        if !can {
            println!("skipped, as this machine can't confine: {said}");
        }
        can
    })
}

pub(crate) const HONEST: &str = r#"
    seed = 3
    concurrency = 2
    time = "3s"
    quit_timeout = "300ms"
    hello_timeout = "60s"
    [[player]]
    name = "one"
    builtin = "random"
    [[player]]
    name = "two"
    builtin = "greedy"
    [[player]]
    name = "three"
    builtin = "alphabeta"
    depth = 2
"#;

/// What the processes of a probe can be told by.
pub(crate) const MARK: &str = "GOTHELLO_PROBE_MARK";

/// A tournament of the probe in this mode with three honest bots; and the mark of its processes.
fn tournament(mode: &str, decoy: &str, keys: &str) -> (Arena, String) {
    let arena = Arena::new(&format!(
        "isolation = \"require\"\n{HONEST}[[player]]\nname = \"probe\"\ndir = \"bot\"\n\
         command = [\"./probe\", \"{mode}\", \"{{side}}\", \"{{host}}\", \"{{port}}\", \"{decoy}\"]\n{keys}\n\
         env = {{ {MARK} = \"@mark\" }}\n"
    ));
    let mark = arena.path().display().to_string();
    let file = arena.path().join("class.toml");
    fs::write(&file, fs::read_to_string(&file).expect("read").replace("@mark", &mark)).expect("written");
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::copy(probe(), arena.path().join("bot/probe")).expect("copied");
    (arena, mark)
}

/// The processes with this mark.
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

/// Waits until nothing with this mark runs.
pub(crate) fn assert_none_marked(mark: &str) {
    let deadline = Instant::now() + PATIENCE;
    while !marked(mark).is_empty() {
        assert!(Instant::now() < deadline, "{:?} live on", marked(mark));
        std::thread::yield_now();
    }
}

/// The games among the honest bots, which no probe may change.
pub(crate) fn honest(rows: Vec<HashMap<String, String>>) -> Vec<[String; 3]> {
    let among = rows.into_iter().filter(|row| row["black"] != "probe" && row["white"] != "probe");
    let mut games: Vec<_> =
        among.map(|row| ["game", "winner", "moves_sha256"].map(|column| row[column].clone())).collect();
    games.sort();
    games
}

pub(crate) fn undisturbed() -> &'static [[String; 3]] {
    static GAMES: OnceLock<Vec<[String; 3]>> = OnceLock::new();
    GAMES.get_or_init(|| {
        let arena = Arena::new(HONEST);
        assert!(arena.run(&[]).status.success());
        honest(arena.results())
    })
}

/// Plays the probe. Returns how its games ended, by termination, and what it said.
fn play(mode: &str, decoy: &str, keys: &str) -> (Vec<(String, Option<String>)>, String) {
    let (arena, mark) = tournament(mode, decoy, keys);
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{mode}: {}", text(&output.stderr));
    // At once, and not only after a while: what a game started is gone when it has ended.
    assert_eq!(marked(&mark), [""; 0], "{mode}");
    let rows = arena.results();
    assert_eq!(honest(rows.clone()), undisturbed(), "{mode}");
    let of_probe = rows.iter().filter(|row| row["black"] == "probe" || row["white"] == "probe");
    let (mut endings, mut said) = (Vec::new(), String::new());
    for row in of_probe {
        let record = arena.record(&row["game"]);
        assert!(record.other_tags.iter().any(|(tag, value)| tag == "Isolation" && ["A", "B"].contains(&&**value)));
        if !row["at_fault"].is_empty() {
            assert_eq!(row[&row["at_fault"]], "probe", "{mode}: {row:?}");
        }
        let reason = record.result.ok().and_then(|result| result.reason().map(str::to_owned));
        endings.push((row["termination"].clone(), reason));
        let side = if row["black"] == "probe" { "black" } else { "white" };
        let stderr = arena.out().join(format!("games/{}.{side}.stderr", row["game"]));
        said.push_str(&fs::read_to_string(stderr).unwrap_or_default());
    }
    assert_eq!(endings.len(), 6);
    (endings, said)
}

#[track_caller]
fn assert_ends(mode: &str, keys: &str, termination: &str, reason: &str) {
    if !can_confine() {
        return;
    }
    let (endings, _) = play(mode, "", keys);
    for (ended, why) in endings {
        assert_eq!(ended, termination, "{mode}: {why:?}");
        assert!(why.unwrap_or_default().contains(reason), "{mode}");
    }
}

#[test]
fn memory_is_limited() {
    assert_ends("memory", "memory = \"64 MiB\"", "limit memory", "MiB of memory");
}

#[test]
fn processes_are_limited() {
    assert_ends("processes", "processes = 50", "limit processes", "processes and threads");
}

#[test]
fn scratch_space_is_limited() {
    assert_ends("scratch", "scratch = \"8 MiB\"", "limit scratch", "filled its scratch space with 8 MiB");
}

#[test]
fn cpu_time_is_limited() {
    assert_ends("cpu", "cpu = \"1s\"", "limit cpu", "s of CPU time");
}

#[test]
fn a_bot_that_hangs_with_others_in_the_background_loses_on_time_and_nobody_stays() {
    assert_ends("hang", "", "time", "");
}

#[test]
fn what_costs_only_the_bot_itself_is_a_normal_game() {
    for mode in ["leave", "deaf", "shout", "connections"] {
        assert_ends(mode, "", "normal", "");
    }
}

/// Nothing was got at.
fn assert_refused(mode: &str, decoy: &str, least: usize) {
    let (endings, said) = play(mode, decoy, "");
    assert!(endings.iter().all(|(ended, _)| ended == "normal"), "{mode}: {endings:?}");
    assert!(!said.contains("reached "), "{mode}:\n{said}");
    assert_eq!(said.matches("refused ").count(), 6 * least, "{mode}:\n{said}");
}

#[test]
fn files_of_others_are_out_of_reach() {
    if !can_confine() {
        return;
    }
    let decoys = tempfile::tempdir().expect("a directory");
    let decoy = decoys.path().join("secret");
    fs::write(&decoy, "secret").expect("written");
    assert_refused("read", &decoy.display().to_string(), 3);
    assert_eq!(fs::read_to_string(&decoy).expect("there"), "secret");
}

#[test]
fn other_processes_are_out_of_reach() {
    if !can_confine() {
        return;
    }
    let mut decoy = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().expect("it starts");
    assert_refused("attack", &decoy.id().to_string(), 3);
    assert!(decoy.try_wait().expect("asked").is_none(), "the decoy lives");
    decoy.kill().expect("killed");
    decoy.wait().expect("gone");
}

#[test]
fn the_network_is_out_of_reach() {
    if !can_confine() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let datagrams = UdpSocket::bind(("127.0.0.1", port)).expect("the same port");
    let name = SocketAddr::from_abstract_name(format!("gothello-probe-{port}")).expect("a name");
    let local = UnixListener::bind_addr(&name).expect("bound");
    assert_refused("reach", &port.to_string(), 6);
    listener.set_nonblocking(true).expect("set");
    datagrams.set_nonblocking(true).expect("set");
    local.set_nonblocking(true).expect("set");
    assert!(listener.accept().is_err() && datagrams.recv(&mut [0; 8]).is_err() && local.accept().is_err());
}

#[test]
fn a_confined_bot_can_t_change_itself() {
    if !can_confine() {
        return;
    }
    assert_refused("change", "", 1);
}

#[test]
fn what_was_confined_dies_with_the_arena() {
    if !can_confine() {
        return;
    }
    let (arena, mark) = tournament("hang", "", "");
    let mut running = arena.start(None);
    let deadline = Instant::now() + PATIENCE;
    // The bot and what it has sent into the background.
    while marked(&mark).len() < 2 {
        assert!(Instant::now() < deadline, "the probe never came");
        std::thread::yield_now();
    }
    running.signal(rustix::process::Signal::KILL);
    running.child.wait().expect("gone");
    assert_none_marked(&mark);
}
