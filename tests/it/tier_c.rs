//! Confinement without namespaces: the probes where the arena may make none, as root and as an ordinary user.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use crate::arena::{Arena, PATIENCE, text};
use crate::probes::{HONEST, MARK, assert_none_marked, compiled, honest, marked, probe, undisturbed};

/// Who runs the arena.
#[derive(Clone, Copy, Debug)]
enum User {
    /// Who runs the tests.
    Same,
    /// An ordinary user.
    Ordinary,
}

/// A user id that nobody has.
const ORDINARY: u32 = 0x6773_0000;

impl User {
    /// Those as whom the tests can run an arena: root can be anybody.
    fn all() -> &'static [Self] {
        if rustix::process::geteuid().is_root() { &[Self::Same, Self::Ordinary] } else { &[Self::Same] }
    }

    fn run(self, command: &mut Command) -> &mut Command {
        match self {
            Self::Same => command,
            Self::Ordinary => command.uid(ORDINARY).gid(ORDINARY),
        }
    }

    fn give(self, path: &Path) {
        if let Self::Ordinary = self {
            chown(path, Some(ORDINARY), Some(ORDINARY)).expect("given");
        }
    }
}

/// Does something in a thread whose children can't make namespaces, as in many containers.
fn without_namespaces<T: Send>(action: impl FnOnce() -> T + Send) -> T {
    let confined = || {
        let rules = [(nix::libc::SYS_unshare, Vec::new())].into();
        let refuse = SeccompAction::Errno(nix::libc::EPERM.cast_unsigned());
        let arch = std::env::consts::ARCH.try_into().expect("known");
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).expect("a filter");
        let program: BpfProgram = filter.try_into().expect("a program");
        apply_filter(&program).expect("applied");
        action()
    };
    std::thread::scope(|scope| scope.spawn(confined).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Whether this machine can do without namespaces; where not, that is said.
fn can_confine() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let asking = || {
            User::all().iter().all(|user| {
                let mut doctor = Command::new(env!("CARGO_BIN_EXE_gothello-arena"));
                let output = user.run(doctor.arg("doctor").current_dir("/")).output().expect("it starts");
                let said = text(&output.stdout);
                assert!(said.contains("tier A") && said.contains("Operation not permitted"), "{said}");
                let can = said.contains("tier C (no namespaces: Landlock and seccomp, a port per seat): works");
                if !can {
                    println!("skipped, as this machine can't confine without namespaces: {said}");
                }
                can
            })
        };
        without_namespaces(asking)
    })
}

/// The program that tries what is not to be had where the host is shared, compiled once.
fn escape() -> &'static Path {
    static ESCAPE: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &ESCAPE.get_or_init(|| compiled("escape")).1
}

/// A tournament of the probe in this mode with three honest bots; and the mark of its processes.
fn tournament(user: User, mode: &str, decoy: &str, keys: &str) -> (Arena, String) {
    let command = format!("\"./probe\", \"{mode}\", \"{{side}}\", \"{{host}}\", \"{{port}}\", \"{decoy}\"");
    tournament_of(user, &command, keys)
}

/// A tournament of a probe that is started by this command.
fn tournament_of(user: User, command: &str, keys: &str) -> (Arena, String) {
    let arena = Arena::new(&format!(
        "isolation = \"auto\"\n{HONEST}[[player]]\nname = \"probe\"\ndir = \"bot\"\ncommand = [{command}]\n{keys}\n\
         env = {{ {MARK} = \"@mark\" }}\n"
    ));
    let mark = arena.path().display().to_string();
    let file = arena.path().join("class.toml");
    fs::write(&file, fs::read_to_string(&file).expect("read").replace("@mark", &mark)).expect("written");
    let bot = arena.path().join("bot");
    fs::create_dir(&bot).expect("made");
    fs::copy(probe(), bot.join("probe")).expect("copied");
    fs::copy(escape(), bot.join("escape")).expect("copied");
    for path in [arena.path(), &bot, &bot.join("probe"), &bot.join("escape")] {
        user.give(path);
        // As root, a bot is another user.
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("set");
    }
    (arena, mark)
}

/// How the probe's games ended, by termination and reason, and what it said.
type Played = (Vec<(String, Option<String>)>, String);

/// Plays the probe.
fn play(user: User, mode: &str, decoy: &str, keys: &str) -> Played {
    play_out(user, mode, tournament(user, mode, decoy, keys))
}

fn play_out(user: User, mode: &str, (arena, mark): (Arena, String)) -> Played {
    let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
    let output = without_namespaces(|| user.run(&mut command).output().expect("the program starts"));
    assert_eq!(output.status.code(), Some(0), "{mode}: {}", text(&output.stderr));
    // At once, and not only after a while: what a game started is gone when it has ended.
    assert_eq!(marked(&mark), [""; 0], "{mode}");
    let rows = arena.results();
    assert_eq!(honest(rows.clone()), undisturbed(), "{mode}");
    let (mut endings, mut said) = (Vec::new(), String::new());
    for row in rows.iter().filter(|row| row["black"] == "probe" || row["white"] == "probe") {
        let record = arena.record(&row["game"]);
        assert!(record.other_tags.iter().any(|(tag, value)| tag == "Isolation" && value == "C"), "{mode}");
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
    for &user in User::all() {
        let (endings, said) = play(user, mode, "", keys);
        for (ended, why) in endings {
            assert_eq!(ended, termination, "{mode} {user:?}: {why:?}\n{said}");
            assert!(why.unwrap_or_default().contains(reason), "{mode} {user:?}");
        }
    }
}

/// Nothing was got at.
fn assert_refused(mode: &str, decoy: &str, least: usize) {
    for &user in User::all() {
        assert_got_nothing(user, mode, &play(user, mode, decoy, ""), least);
    }
}

fn assert_got_nothing(user: User, mode: &str, (endings, said): &Played, least: usize) {
    assert!(endings.iter().all(|(ended, _)| ended == "normal"), "{mode} {user:?}: {endings:?}\n{said}");
    assert!(!said.contains("reached "), "{mode} {user:?}:\n{said}");
    assert_eq!(said.matches("refused ").count(), 6 * least, "{mode} {user:?}:\n{said}");
}

#[test]
fn a_bot_that_behaves_plays_as_ever() {
    assert_ends("none", "", "normal", "");
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
    assert_ends("scratch", "scratch = \"8 MiB\"", "limit scratch", "filled its scratch space with ");
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

#[test]
fn files_of_others_are_out_of_reach() {
    if !can_confine() {
        return;
    }
    let decoys = tempfile::tempdir().expect("a directory");
    let decoy = decoys.path().join("secret");
    fs::write(&decoy, "secret").expect("written");
    // Nothing but confinement keeps anybody off.
    for (path, mode) in [(decoys.path(), 0o777), (&decoy, 0o666)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
    }
    assert_refused("read", &decoy.display().to_string(), 3);
    assert_eq!(fs::read_to_string(&decoy).expect("there"), "secret");
}

#[test]
fn other_processes_are_out_of_reach() {
    if !can_confine() {
        return;
    }
    for &user in User::all() {
        // The same user's, whom nothing else would keep off.
        let mut decoy = user.run(Command::new("sleep").arg("600").stdin(Stdio::null())).spawn().expect("it starts");
        assert_refused("attack", &decoy.id().to_string(), 3);
        assert!(decoy.try_wait().expect("asked").is_none(), "the decoy lives");
        decoy.kill().expect("killed");
        decoy.wait().expect("gone");
    }
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
    if can_confine() {
        assert_refused("change", "", 1);
    }
}

#[test]
fn what_was_confined_dies_with_the_arena() {
    if !can_confine() {
        return;
    }
    for &user in User::all() {
        let (arena, mark) = tournament(user, "hang", "", "");
        let scratch = arena.path().join("scratch");
        fs::create_dir(&scratch).expect("made");
        fs::set_permissions(&scratch, Permissions::from_mode(0o755)).expect("set");
        user.give(&scratch);
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        command.env("TMPDIR", &scratch).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = without_namespaces(|| user.run(&mut command).spawn().expect("the program starts"));
        let deadline = Instant::now() + PATIENCE;
        // The bot and what it has sent into the background.
        while marked(&mark).len() < 2 {
            assert!(Instant::now() < deadline, "the probe never came");
            std::thread::yield_now();
        }
        running.kill().expect("killed");
        running.wait().expect("gone");
        assert_none_marked(&mark);
    }
}

#[test]
fn a_run_that_requires_namespaces_is_refused() {
    if !can_confine() {
        return;
    }
    let (arena, _) = tournament(User::Same, "none", "", "");
    let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", "require"]);
    let output = without_namespaces(|| command.output().expect("the program starts"));
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("tier A: make namespaces") && said.contains("tier C") && said.contains("doctor"), "{said}");
}

#[test]
fn what_namespaces_would_hide_is_refused() {
    if !can_confine() {
        return;
    }
    for &user in User::all() {
        let decoys = tempfile::tempdir().expect("a directory");
        let (file, socket) = (decoys.path().join("file"), decoys.path().join("socket"));
        fs::write(&file, "").expect("written");
        let local = UnixListener::bind(&socket).expect("bound");
        for path in [decoys.path(), &file, &socket] {
            user.give(path);
            fs::set_permissions(path, Permissions::from_mode(0o777)).expect("set");
        }
        let mut decoy = user.run(Command::new("sleep").arg("600").stdin(Stdio::null())).spawn().expect("it starts");
        let words = format!(
            "./escape reach {} {}; exec ./probe none {{side}} {{host}} {{port}}",
            decoys.path().display(),
            decoy.id()
        );
        let played = play_out(user, "escape", tournament_of(user, &format!("\"/bin/sh\", \"-c\", \"{words}\""), ""));
        assert_got_nothing(user, "escape", &played, 16);
        local.set_nonblocking(true).expect("set");
        assert!(local.accept().is_err());
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o777);
        decoy.kill().expect("killed");
        decoy.wait().expect("gone");
    }
}

#[test]
fn who_forks_and_leaves_again_and_again_is_killed_too() {
    if !can_confine() {
        return;
    }
    for &user in User::all() {
        let command = "\"/bin/sh\", \"-c\", \"./escape hop & exec ./probe none {side} {host} {port}\"";
        let (endings, said) = play_out(user, "hop", tournament_of(user, command, ""));
        assert!(endings.iter().all(|(ended, _)| ended == "normal"), "{user:?}: {endings:?}\n{said}");
    }
}

#[test]
fn a_stranger_at_a_bot_s_port_is_not_heard() {
    if !can_confine() {
        return;
    }
    for &user in User::all() {
        let command = "\"/bin/sh\", \"-c\", \"echo {side} {port} > $TMPDIR/new; mv $TMPDIR/new $TMPDIR/port; \
                       until [ -e $TMPDIR/go ]; do sleep 0.01; done; exec ./probe none {side} {host} {port}\"";
        let (arena, _) = tournament_of(user, command, "");
        let scratch = arena.path().join("scratch");
        fs::create_dir(&scratch).expect("made");
        // A bot's own user must come to what is its own.
        fs::set_permissions(&scratch, Permissions::from_mode(0o755)).expect("set");
        user.give(&scratch);
        let mut run = arena.command(&["run", "class.toml", "--out", "out"]);
        run.env("TMPDIR", &scratch).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = without_namespaces(|| user.run(&mut run).spawn().expect("the program starts"));
        let (mut met, deadline) = (BTreeSet::new(), Instant::now() + PATIENCE);
        while running.try_wait().expect("asked").is_none() {
            assert!(Instant::now() < deadline, "{met:?} met");
            for entry in fs::read_dir(&scratch).expect("there").flatten() {
                let Ok(said) = fs::read_to_string(entry.path().join("port")) else { continue };
                if !met.insert(entry.path()) {
                    continue;
                }
                let (side, port) = said.trim().split_once(' ').expect("a side and a port");
                let mut stranger =
                    TcpStream::connect(("127.0.0.1", port.parse().expect("a port"))).expect("it listens");
                stranger.set_read_timeout(Some(PATIENCE)).expect("an option");
                // It may be sent away before it has said anything.
                let _ = stranger.write_all(format!("0.9.1 player {side}\r\n").as_bytes());
                let mut heard = Vec::new();
                let _ = stranger.read_to_end(&mut heard);
                assert!(heard.is_empty(), "{}", text(&heard));
                fs::write(entry.path().join("go"), "").expect("written");
            }
            std::thread::yield_now();
        }
        assert_eq!(met.len(), 6);
        let rows = arena.results();
        assert!(rows.iter().all(|row| row["termination"] == "normal"), "{rows:?}");
    }
}

#[test]
fn a_directory_that_a_bot_s_user_can_t_enter_is_named() {
    if !can_confine() || !rustix::process::geteuid().is_root() {
        return;
    }
    let (arena, _) = tournament(User::Same, "none", "", "");
    fs::set_permissions(arena.path(), Permissions::from_mode(0o700)).expect("set");
    let doctor = without_namespaces(|| arena.command(&["doctor"]).output().expect("the program starts"));
    let reason = format!("enter `{}` as a user of its own: Permission denied", arena.path().display());
    assert!(text(&doctor.stdout).contains(&reason), "{}", text(&doctor.stdout));
    assert_eq!(doctor.status.code(), Some(3));
}
