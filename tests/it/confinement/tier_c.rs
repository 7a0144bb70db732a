//! Confinement without namespaces, as root and as an ordinary user: access to everything that namespaces would hide or
//! make unavailable. The probes for all tiers are in `probes`.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

use crate::confinement::probes::{MARK, User, compiled, marked, probe};
use crate::harness::arena::{Arena, TIMEOUT, program, text};
use crate::harness::restricted::without_namespaces;
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, pause};

/// The users that the tests can run an arena as. Root can act as any user.
fn users() -> &'static [User] {
    if rustix::process::geteuid().is_root() { &[User::Same, User::Ordinary] } else { &[User::Same] }
}

/// Whether the tests may act as any user. If not, reports that the test is skipped.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skipped(Need::Root, "only root can act as other users");
    }
    is_root
}

/// Whether this machine can confine bots without namespaces. If not, reports that the test is skipped.
fn can_confine() -> bool {
    static OBSTACLE: OnceLock<Option<String>> = OnceLock::new();
    let obstacle = OBSTACLE.get_or_init(|| {
        let asking = || {
            users().iter().find_map(|user| {
                let mut doctor = Command::new(program());
                let output = user.run(doctor.arg("doctor").current_dir("/")).output_in_time().expect("it starts");
                let said = text(&output.stdout);
                assert!(said.contains("tier A") && said.contains("Operation not permitted"), "{said}");
                let can = said.contains("tier C (no namespaces: Landlock and seccomp, a port per seat): works");
                (!can).then_some(said)
            })
        };
        without_namespaces(asking)
    });
    if let Some(said) = obstacle {
        skipped(Need::Landlock, format_args!("this machine cannot confine bots without namespaces: {said}"));
    }
    obstacle.is_none()
}

/// The program that tries to escape through shared resources of the host, compiled once.
fn escape() -> &'static Path {
    static ESCAPE: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &ESCAPE.get_or_init(|| compiled("escape")).1
}

const HONEST: &str = r#"
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

/// The games among the honest bots, which the probe must not change.
fn honest(rows: &[HashMap<String, String>]) -> Vec<[String; 3]> {
    let among = rows.iter().filter(|row| row["black"] != "probe" && row["white"] != "probe");
    let mut games: Vec<_> =
        among.map(|row| ["game", "winner", "moves_sha256"].map(|column| row[column].clone())).collect();
    games.sort();
    games
}

fn undisturbed() -> &'static [[String; 3]] {
    static GAMES: OnceLock<Vec<[String; 3]>> = OnceLock::new();
    GAMES.get_or_init(|| {
        let arena = Arena::new(HONEST);
        assert!(arena.run(&[]).status.success());
        honest(&arena.results())
    })
}

/// The arguments of a probe that only passes.
const PASSING: &str = "\"./probe\", \"none\", \"{side}\", \"{host}\", \"{port}\"";

/// A tournament of three honest bots and a probe that is started by `command`; and the mark of the probe's processes.
fn tournament_of(user: User, command: &str) -> (Arena, String) {
    let arena = Arena::new(&format!(
        "isolation = \"auto\"\n{HONEST}[[player]]\nname = \"probe\"\ndir = \"bot\"\ncommand = [{command}]\n\
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
        // Root's bots run as another user.
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("set");
    }
    (arena, mark)
}

/// The termination and reason of each of the probe's games, and the probe's output to stderr.
type Played = (Vec<(String, Option<String>)>, String);

/// Plays the tournament.
fn play_out(user: User, mode: &str, (arena, mark): (Arena, String)) -> Played {
    let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
    let output = without_namespaces(|| user.run(&mut command).output_in_time().expect("the program starts"));
    assert_eq!(output.status.code(), Some(0), "{mode}: {}", text(&output.stderr));
    // Checks immediately: a game's processes are gone when the game ends.
    assert_eq!(marked(&mark), [""; 0], "{mode}");
    let rows = arena.results();
    assert_eq!(honest(&rows), undisturbed(), "{mode}");
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

/// Asserts that the probe reached nothing, and that exactly `least` of its attempts were refused in each game.
fn assert_got_nothing(user: User, mode: &str, (endings, said): &Played, least: usize) {
    assert!(endings.iter().all(|(ended, _)| ended == "normal"), "{mode} {user:?}: {endings:?}\n{said}");
    assert!(!said.contains("reached "), "{mode} {user:?}:\n{said}");
    assert_eq!(said.matches("refused ").count(), 6 * least, "{mode} {user:?}:\n{said}");
}

#[test]
fn a_run_that_requires_namespaces_is_refused() {
    if !can_confine() {
        return;
    }
    let (arena, _) = tournament_of(User::Same, PASSING);
    let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", "require"]);
    let output = without_namespaces(|| command.output_in_time().expect("the program starts"));
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("tier A: make namespaces") && said.contains("tier C") && said.contains("doctor"), "{said}");
}

#[test]
fn everything_that_namespaces_would_hide_is_refused() {
    if !can_confine() {
        return;
    }
    for &user in users() {
        let decoys = tempfile::tempdir().expect("a directory");
        let (file, socket) = (decoys.path().join("file"), decoys.path().join("socket"));
        fs::write(&file, "").expect("written");
        let local = UnixListener::bind(&socket).expect("bound");
        for (path, mode) in [(decoys.path(), 0o755), (file.as_path(), 0o644), (socket.as_path(), 0o777)] {
            user.give(path);
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
        }
        let decoy = user.run(Command::new("sleep").arg("600").stdin(Stdio::null())).start().expect("it starts");
        let words = format!(
            "./escape reach {} {}; exec ./probe none {{side}} {{host}} {{port}}",
            decoys.path().display(),
            decoy.id()
        );
        let played = play_out(user, "escape", tournament_of(user, &format!("\"/bin/sh\", \"-c\", \"{words}\"")));
        assert_got_nothing(user, "escape", &played, 47);
        local.set_nonblocking(true).expect("set");
        assert!(local.accept().is_err());
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o644);
    }
}

#[test]
fn a_bot_that_keeps_forking_and_leaving_is_killed() {
    if !can_confine() {
        return;
    }
    for &user in users() {
        let command = "\"/bin/sh\", \"-c\", \"./escape hop & exec ./probe none {side} {host} {port}\"";
        let (endings, said) = play_out(user, "hop", tournament_of(user, command));
        assert!(endings.iter().all(|(ended, _)| ended == "normal"), "{user:?}: {endings:?}\n{said}");
    }
}

#[test]
fn a_stranger_at_a_bots_port_is_ignored() {
    if !can_confine() {
        return;
    }
    for &user in users() {
        let command = "\"/bin/sh\", \"-c\", \"echo {side} {port} > $TMPDIR/new; mv $TMPDIR/new $TMPDIR/port; \
                       until [ -e $TMPDIR/go ]; do sleep 0.01; done; exec ./probe none {side} {host} {port}\"";
        let (arena, _) = tournament_of(user, command);
        let scratch = arena.path().join("scratch");
        fs::create_dir(&scratch).expect("made");
        // The bot's own user needs access to its own directories.
        fs::set_permissions(&scratch, Permissions::from_mode(0o755)).expect("set");
        user.give(&scratch);
        let mut run = arena.command(&["run", "class.toml", "--out", "out"]);
        run.env("TMPDIR", &scratch).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = without_namespaces(|| user.run(&mut run).start().expect("the program starts"));
        let (mut met, deadline) = (BTreeSet::new(), Instant::now() + TIMEOUT);
        while running.try_wait().expect("asked").is_none() {
            assert!(Instant::now() < deadline, "{met:?} met");
            // The scratch directories are in one directory, which the arena removes together with the last of them.
            let arenas = fs::read_dir(&scratch).expect("there").flatten();
            for entry in arenas.flat_map(|entry| fs::read_dir(entry.path())).flatten().flatten() {
                let Ok(said) = fs::read_to_string(entry.path().join("port")) else { continue };
                if !met.insert(entry.path()) {
                    continue;
                }
                let (side, port) = said.trim().split_once(' ').expect("a side and a port");
                let mut stranger =
                    TcpStream::connect(("127.0.0.1", port.parse().expect("a port"))).expect("a listener");
                stranger.set_read_timeout(Some(TIMEOUT)).expect("an option");
                // The connection may be closed before the stranger has sent anything.
                let _ = stranger.write_all(format!("0.9.1 player {side}\r\n").as_bytes());
                let mut heard = Vec::new();
                let _ = stranger.read_to_end(&mut heard);
                assert!(heard.is_empty(), "{}", text(&heard));
                fs::write(entry.path().join("go"), "").expect("written");
            }
            pause();
        }
        assert_eq!(met.len(), 6);
        let rows = arena.results();
        assert!(rows.iter().all(|row| row["termination"] == "normal"), "{rows:?}");
    }
}

/// Runs the arena's `doctor` after a `chroot` to a directory that contains only the operating system. The shell
/// commands `before` run first, with the directory as `$1`. Returns the output of `doctor`.
fn doctor_in_chroot(before: &str) -> String {
    const ENTER: &str = "mkdir $1/usr $1/proc $1/dev $1/tmp && mount --rbind /usr $1/usr && mount --rbind /dev $1/dev && \
                         mount -t proc proc $1/proc && touch $1/arena && mount --bind $2 $1/arena || exit 99\n\
                         for dir in bin lib lib64 sbin; do\n\
                             if [ -L /$dir ]; then cp -P /$dir $1/$dir\n\
                             elif [ -d /$dir ]; then mkdir $1/$dir && mount --rbind /$dir $1/$dir; fi\n\
                         done\n";
    let dir = tempfile::tempdir().expect("a directory");
    let script = format!("{ENTER}{before}\nexec chroot $1 /arena doctor");
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script, "sh"]).arg(dir.path()).arg(program());
    text(&command.output_in_time().expect("unshare").stdout)
}

#[test]
fn the_doctor_does_not_blame_permissions_where_the_root_is_not_a_mount_point() {
    if !can_confine() || !is_root() {
        return;
    }
    let said = doctor_in_chroot("");
    let (a, rest) = said.split_once("\ntier B ").unwrap_or_else(|| panic!("{said}"));
    let (b, _) = rest.split_once("\ntier C ").unwrap_or_else(|| panic!("{said}"));
    assert!(a.contains("no: make mounts private: `/` is not a mount point, as in a plain chroot\n"), "{said}");
    for tier in [a, b] {
        assert!(tier.contains("`/` must be a mount point") && !tier.contains("CAP_SYS_ADMIN"), "{said}");
        assert!(!tier.contains("sysctl"), "{said}");
    }
    // Following the advice helps.
    let said = doctor_in_chroot("mount --rbind $1 $1");
    assert!(said.contains("tier A (namespaces, user id per bot): works\n"), "{said}");
}

#[test]
fn a_directory_that_the_bots_user_cannot_enter_is_named() {
    if !can_confine() || !is_root() {
        return;
    }
    let (arena, _) = tournament_of(User::Same, PASSING);
    fs::set_permissions(arena.path(), Permissions::from_mode(0o700)).expect("set");
    let doctor = without_namespaces(|| arena.command(&["doctor"]).output_in_time().expect("the program starts"));
    let reason = format!("enter `{}` as a separate user: Permission denied", arena.path().display());
    assert!(text(&doctor.stdout).contains(&reason), "{}", text(&doctor.stdout));
    assert_eq!(doctor.status.code(), Some(3));
}
