//! Players' directories and builds: the files that a build may read and write, and how its products are used.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use rustix::process::Signal;

use crate::confinement::probes::Way;
use crate::harness::arena::{Arena, TIMEOUT, program, text};
use crate::harness::waiting::{InTime as _, pause};

/// A tournament between a built-in player and a player with the directory `bot`, whose table also contains `lines`.
fn field(lines: &str) -> Arena {
    let arena = Arena::new(&format!(
        "[[player]]\nname = \"student\"\ndir = \"bot\"\n{lines}\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n"
    ));
    fs::create_dir(arena.path().join("bot")).expect("made");
    arena
}

#[test]
fn an_oversized_directory_is_named_and_never_read() {
    for lines in ["command = [\"true\"]", "command = [\"true\"]\nbuild = [\"true\"]"] {
        let arena = field(lines);
        let model = File::create(arena.path().join("bot/model")).expect("made");
        model.set_len(4 << 40).expect("a sparse file");
        let checked = arena.output(&["check", "class.toml"]);
        let said = text(&checked.stderr);
        assert_eq!(checked.status.code(), Some(3), "{said}");
        assert!(said.contains("`student`") && said.contains("`model` is 4.0 TiB"), "{said}");
        let run = arena.run(&[]);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(0), "{said}");
        assert!(said.contains("player `student` cannot be started") && said.contains("`model` is 4.0 TiB"), "{said}");
        assert!(arena.results().iter().all(|row| row["termination"] == "not started"));
    }
}

/// A tournament with a player that never says hello and whose build is the shell script `script`.
fn built(keys: &str, script: &str) -> Arena {
    let arena = field(&format!("command = [\"true\"]\nbuild = [\"sh\", \"build.sh\"]\n{keys}"));
    fs::write(arena.path().join("bot/build.sh"), format!("set -e\n{script}\n")).expect("written");
    fs::write(arena.path().join("bot/source"), "1").expect("written");
    arena
}

/// Runs the tournament with the confinement of `way`.
fn run_in(way: Way, arena: &Arena) -> Output {
    for path in ["", "class.toml", "bot", "bot/build.sh", "bot/source"] {
        way.user.give(&arena.path().join(path));
    }
    let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", way.isolation()]);
    way.act(&mut command, |command| command.output_in_time().expect("the program starts"))
}

fn confined_ways() -> impl Iterator<Item = Way> {
    ["A", "B", "C"].into_iter().flat_map(Way::all)
}

/// Whether there is a process with `mark` in its command line.
fn is_running(mark: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("read").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.map(|line| text(&line)).any(|line| line.contains(mark))
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o7777
}

const MAKING: &str = r#"
    test ! -e ../class.toml
    touch "$HOME/cache" "$TMPDIR/scratch"
    mkdir -p sub/empty
    echo product >sub/made
    chmod 4751 sub/made
    ln -s /etc/passwd link
    mkfifo pipe
    echo 2 >overwritten
"#;

#[test]
fn a_build_works_on_a_copy_and_its_products_are_copied_back() {
    for way in confined_ways() {
        let arena = built("", MAKING);
        let bot = arena.path().join("bot");
        let before = fs::metadata(bot.join("source")).expect("there").modified().expect("a time");
        let output = run_in(way, &arena);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{way:?}: {said}");
        assert!(!said.contains("cannot be started"), "{way:?}: {said}");
        assert_eq!(fs::read_to_string(bot.join("sub/made")).expect("there"), "product\n", "{way:?}");
        assert_eq!(mode(&bot.join("sub/made")), 0o751, "{way:?}");
        assert!(bot.join("sub/empty").is_dir() && !bot.join("pipe").exists(), "{way:?}");
        assert_eq!(fs::read_link(bot.join("link")).expect("a link"), Path::new("/etc/passwd"), "{way:?}");
        assert_eq!(fs::metadata(bot.join("source")).expect("there").modified().expect("a time"), before, "{way:?}");
    }
}

#[test]
fn a_failed_build_changes_nothing() {
    for way in confined_ways() {
        let arena = built("", "echo 2 >source; echo made >made; printf 'a\\tb\\n'; exit 7");
        let output = run_in(way, &arena);
        let said = text(&output.stderr);
        assert!(said.contains("its build failed: exited with code 7"), "{way:?}: {said}");
        assert_eq!(fs::read_to_string(arena.path().join("bot/source")).expect("there"), "1", "{way:?}");
        assert!(!arena.path().join("bot/made").exists(), "{way:?}");
    }
}

#[test]
fn a_build_reaches_the_network_only_with_build_network() {
    let host = TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = host.local_addr().expect("bound").port();
    let reach = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null");
    // An abstract socket belongs to the network, too, but connects only programs on the same machine.
    let name = SocketAddr::from_abstract_name(format!("gothello-build-{port}")).expect("a name");
    let service = UnixListener::bind_addr(&name).expect("bound");
    service.set_nonblocking(true).expect("set");
    let refused = format!(
        "python3 -c 'import socket\ntry:\n  socket.socket(socket.AF_UNIX).connect(\"\\0gothello-build-{port}\")\n\
         except PermissionError: exit(0)\nexit(9)'"
    );
    for way in confined_ways() {
        let with_network = format!("{refused}\n{reach}");
        for (keys, script) in [("", format!("if {reach}; then exit 8; fi")), ("build_network = true", with_network)] {
            let said = text(&run_in(way, &built(keys, &script)).stderr);
            assert!(said.contains("building student") && !said.contains("failed"), "{way:?}: {keys}: {said}");
            assert!(service.accept().is_err(), "{way:?}: {keys}");
        }
    }
}

#[test]
fn no_process_of_a_build_survives_it() {
    for (number, way) in confined_ways().enumerate() {
        let mark = format!("{}.{number}", 700_000 + std::process::id());
        let arena = built("", &format!("sleep {mark} & setsid sleep {mark} >/dev/null 2>&1 & exit 0"));
        let said = text(&run_in(way, &arena).stderr);
        assert!(said.contains("building student") && !said.contains("failed"), "{way:?}: {said}");
        assert!(!is_running(&mark), "{way:?}");
    }
    // Without confinement, only processes that stay in the build's group are certain to end with it.
    let mark = format!("{}.9", 700_000 + std::process::id());
    let arena = built("", &format!("sleep {mark} >/dev/null 2>&1 & exit 0"));
    assert!(!text(&arena.run(&[]).stderr).contains("failed"));
    assert!(!is_running(&mark));
}

#[test]
fn a_build_over_a_limit_is_reported_with_the_key_that_sets_it() {
    for way in Way::all("A") {
        for (keys, script, words) in [
            ("output = \"1 MiB\"", "yes", "its player's `output` is 1.0 MiB"),
            (
                "",
                "sh -c 'for i in $(seq 600); do sleep 100 & done' || while :; do :; done",
                "a build may have up to 512, or its player's `processes`",
            ),
            ("", "truncate -s 4T huge", "its build failed"),
        ] {
            let said = text(&run_in(way, &built(keys, script)).stderr);
            assert!(said.contains(words), "{script}: {said}");
        }
    }
}

#[test]
fn a_build_may_use_as_much_as_is_documented() {
    for way in ["A", "B"].into_iter().flat_map(Way::all) {
        for (keys, memory, processes) in [("", 4 << 20, 512), ("memory = \"6 GiB\"\nprocesses = 700", 6 << 20, 700)] {
            let arena = built(keys, "bash -c 'ulimit -d; ulimit -u' >limits");
            let said = text(&run_in(way, &arena).stderr);
            assert!(!said.contains("failed"), "{way:?}: {said}");
            let limits = fs::read_to_string(arena.path().join("bot/limits")).expect("made");
            // Each limit is slightly higher than the watch's own limit, so that the watch notices the excess.
            let expected = format!("{}\n{}\n", memory + memory / 4 + (16 << 10), processes + 16);
            assert_eq!(limits, expected, "{way:?}, {keys}");
        }
    }
}

#[test]
fn a_build_sees_and_changes_nothing_but_its_copy_unless_isolation_is_off() {
    for way in ["A", "B", "C", "D"].into_iter().flat_map(Way::all) {
        let arena = built("", "");
        let at = arena.path().canonicalize().expect("there").display().to_string();
        fs::create_dir(arena.path().join("other")).expect("made");
        fs::write(arena.path().join("other/bot.py"), "").expect("written");
        way.user.give(&arena.path().join("other"));
        let tries = format!(
            "cat {at}/class.toml && echo read the tournament >>reached\n\
             cat {at}/other/bot.py && echo read a bot >>reached\n\
             cat {at}/out/journal.jsonl && echo read the journal >>reached\n\
             touch {at}/other/mine {at}/mine\n\
             [ -n \"$ARENA_SECRET\" ] && echo read a secret >>reached\n\
             exit 0\n"
        );
        fs::write(arena.path().join("bot/build.sh"), tries).expect("written");
        for path in ["", "class.toml", "bot", "bot/build.sh", "bot/source", "other", "other/bot.py"] {
            way.user.give(&arena.path().join(path));
        }
        let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", way.isolation()]);
        command.env("ARENA_SECRET", "secret");
        let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
        assert!(!text(&output.stderr).contains("its build failed"), "{way:?}: {}", text(&output.stderr));
        let reached = fs::read_to_string(arena.path().join("bot/reached")).unwrap_or_default();
        let is_confined = way.tier != "D";
        let expected = if is_confined { "" } else { "read the tournament\nread a bot\nread a secret\n" };
        assert_eq!(reached, expected, "{way:?}");
        for file in ["mine", "other/mine"] {
            assert_eq!(arena.path().join(file).exists(), !is_confined, "{way:?}: {file}");
        }
    }
}

#[test]
fn a_confined_build_that_hangs_is_ended_with_all_its_processes_at_its_deadline() {
    for (number, way) in confined_ways().enumerate() {
        let mark = format!("{}.{number}", 800_000 + std::process::id());
        let arena = built("", &format!("echo half >made; setsid sleep {mark} >/dev/null 2>&1 & sleep {mark}"));
        let file = arena.path().join("class.toml");
        let toml = fs::read_to_string(&file).expect("there");
        fs::write(&file, format!("build_timeout = \"1s\"\n{toml}")).expect("written");
        let said = text(&run_in(way, &arena).stderr);
        assert!(said.contains("its build failed: not finished in time: `build_timeout` allows 1s"), "{way:?}: {said}");
        assert!(!is_running(&mark) && !arena.path().join("bot/made").exists(), "{way:?}");
    }
}

/// A stopped arena cannot notice that its build has ended, and the time for which it was stopped does not count.
#[test]
fn a_build_that_ends_while_the_arena_is_stopped_is_in_time() {
    for (number, way) in ["A", "D"].into_iter().flat_map(Way::all).enumerate() {
        let mark = format!("6.{}{number}", 700_000 + std::process::id());
        let arena = built("", &format!("sleep {mark}"));
        let file = arena.path().join("class.toml");
        let toml = fs::read_to_string(&file).expect("there");
        fs::write(&file, format!("build_timeout = \"5s\"\n{toml}")).expect("written");
        for path in ["", "class.toml", "bot", "bot/build.sh", "bot/source"] {
            way.user.give(&arena.path().join(path));
        }
        let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", way.isolation()]);
        let running = Arena::started(command.stdout(Stdio::null()));
        let until = |is_there: bool| {
            let deadline = Instant::now() + TIMEOUT;
            while is_running(&format!("sleep\0{mark}")) != is_there {
                assert!(Instant::now() < deadline, "{way:?}: {is_there}");
                pause();
            }
        };
        until(true);
        running.signal(Signal::STOP);
        until(false);
        running.signal(Signal::CONT);
        let (code, said) = running.end();
        assert_eq!(code, Some(0), "{way:?}: {said}");
        assert!(!said.contains("its build failed"), "{way:?}: {said}");
    }
}

/// A build whose product differs every time.
const CHANCE: &str = "echo made; od -An -N16 -tx1 /dev/urandom >made";

#[track_caller]
fn assert_complete(output: &Output, is_built: bool) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("is complete: 2 games"), "{said}");
    assert_eq!(said.contains("building student"), is_built, "{said}");
}

#[test]
fn the_products_of_a_build_are_not_part_of_the_players_digest() {
    for isolation in ["off", "auto"] {
        let arena = built("", CHANCE);
        let run = || {
            arena
                .command(&["run", "class.toml", "--out", "out", "--isolation", isolation])
                .output_in_time()
                .expect("run")
        };
        let bot = arena.path().join("bot");
        assert!(text(&run().stderr).contains("building student"));
        let first = fs::read_to_string(bot.join("made")).expect("made");
        assert_complete(&run(), false);
        // A product that is missing or was edited by hand is built again, and the new product is recorded.
        fs::remove_file(bot.join("made")).expect("removed");
        assert_complete(&run(), true);
        assert_ne!(fs::read_to_string(bot.join("made")).expect("made"), first);
        assert_complete(&run(), false);
        fs::write(bot.join("made"), "forged").expect("written");
        assert_complete(&run(), true);
        assert_ne!(fs::read_to_string(bot.join("made")).expect("made"), "forged");
        assert_complete(&run(), false);
        // A player whose source has changed counts as a different player, and nothing is built unless the change is
        // allowed.
        fs::write(bot.join("source"), "2").expect("written");
        let refused = run();
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("student: `source`") && said.contains("`--redo student`"), "{said}");
        assert!(!said.contains("building"), "{said}");
        let redo = ["run", "class.toml", "--out", "out", "--isolation", isolation, "--redo", "student"];
        assert!(text(&arena.output(&redo).stderr).contains("building student"));
        assert_complete(&run(), false);
        assert_eq!(arena.output(&["rebuild", "--check", "out"]).status.code(), Some(0));
    }
}

#[test]
fn a_forged_product_that_the_build_does_not_replace_is_refused() {
    let arena = built("", "test -e made || od -An -N16 -tx1 /dev/urandom >made");
    arena.run(&[]);
    fs::write(arena.path().join("bot/made"), "forged").expect("written");
    let output = arena.run(&[]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("`made`, which an earlier build produced but the latest build did not"), "{said}");
}

#[test]
fn a_build_without_its_own_directory_never_replaces_foreign_files() {
    let arena = Arena::new(
        "[[player]]\nname = \"student\"\ncommand = [\"true\"]\nbuild = [\"sh\", \"build.sh\"]\n[[player]]\nname = \"random\"\n\
         builtin = \"random\"\n",
    );
    let run = || {
        arena
            .command(&["run", "class.toml", "--out", "out", "--isolation", "auto", "--fresh"])
            .output_in_time()
            .expect("run")
    };
    let build = arena.path().join("build.sh");
    fs::write(&build, "test ! -e class.toml && echo 1 >made").expect("written");
    for _ in 0..2 {
        assert!(!text(&run().stderr).contains("failed"));
        assert_eq!(fs::read_to_string(arena.path().join("made")).expect("made"), "1\n");
    }
    let before = fs::read_to_string(arena.path().join("class.toml")).expect("there");
    fs::write(&build, "echo mine >class.toml").expect("written");
    let said = text(&run().stderr);
    assert!(said.contains("it created `class.toml`, which already exists in"), "{said}");
    assert_eq!(fs::read_to_string(arena.path().join("class.toml")).expect("there"), before);
}

/// Plays tournaments/mixed.toml unchanged, with the starter bots next to it, under the best confinement that this
/// machine supports.
#[test]
fn the_mixed_language_tournament_builds_and_plays_unchanged() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = tempfile::tempdir().expect("a directory");
    let copy = |file: PathBuf| {
        let target = dir.path().join(file.strip_prefix(root).expect("a file of ours"));
        fs::create_dir_all(target.parent().expect("a directory")).expect("made");
        fs::copy(&file, &target).expect("copied");
    };
    copy(root.join("tournaments/mixed.toml"));
    copy(root.join("examples/line_bot.py"));
    for language in ["python", "c", "rust"] {
        let bot = fs::read_dir(root.join(format!("examples/{language}/bot"))).expect("there");
        bot.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).for_each(copy);
    }
    let run = || {
        let mut command = Command::new(program());
        command.args(["run", "tournaments/mixed.toml", "--out", "out"]).current_dir(dir.path());
        command.stdin(Stdio::null()).output_in_time().expect("the program starts")
    };
    let output = run();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let results = fs::read_to_string(dir.path().join("out/results.csv")).expect("read");
    assert_eq!(results.matches(",normal,").count(), 20, "{results}{}", text(&output.stderr));
    // The products of the builds do not count as changes to the players.
    let again = run();
    assert_eq!((again.status.code(), text(&again.stdout)), (Some(0), text(&output.stdout)), "{}", text(&again.stderr));
}
