//! Workers that lack something that a player needs play the games of all other players.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Stdio;

use super::*;
use crate::harness::arena::program;
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// A `PATH` with a program `snake`, which is Python under another name. Only some machines get this `PATH`.
pub(super) fn snakes(home: &Arena) -> String {
    let dir = home.path().join("snakes");
    fs::create_dir_all(&dir).expect("made");
    let python =
        Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output_in_time().expect("python3");
    symlink(text(&python.stdout).trim(), dir.join("snake")).expect("linked");
    format!("{}:{}", dir.display(), std::env::var("PATH").unwrap_or_default())
}

/// A tournament with a player that needs `snake`.
fn with_snake(rounds: u32) -> Arena {
    let arena = Arena::new(&format!(
        "{}[[player]]\nname = \"script\"\ncommand = [\"snake\", \"bot.py\", \"{{side}}\", \"{{port}}\"]\n",
        field(&format!("concurrency = 1\nrounds = {rounds}"), 1)
    ));
    fs::write(arena.path().join("bot.py"), include_str!("../../../../examples/line_bot.py")).expect("written");
    arena
}

/// Starts the run of `arena` on a machine that has `snake`.
fn coordinate(broker: &Broker, arena: &Arena, path: &str, args: &[&str]) -> Running {
    let url = broker.url();
    let words = ["run", "class.toml", "--out", "out", "--isolation", "off", "--nats", &url];
    Arena::started(arena.command(&words).args(args).env("PATH", path).stdout(Stdio::piped()))
}

/// The names of the workers in the logs of games with the player `script`, and in all other logs.
fn workers_of(arena: &Arena) -> [std::collections::BTreeSet<String>; 2] {
    let mut names = [std::collections::BTreeSet::new(), std::collections::BTreeSet::new()];
    for log in fs::read_dir(arena.out().join("games")).expect("logs").flatten() {
        if log.path().extension().is_some_and(|it| it == "log") {
            let text = fs::read_to_string(log.path()).expect("read");
            let worker = text.split("[Worker \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("nobody");
            names[usize::from(!log.file_name().to_string_lossy().contains("script"))].insert(worker.to_owned());
        }
    }
    names
}

#[test]
fn a_worker_without_a_program_plays_all_games_that_do_not_need_it() {
    let Some(broker) = Broker::start() else { return };
    let home = Arena::new("");
    let path = snakes(&home);
    let mut poor = broker.worker(&home, "poor");

    // The coordinator plays the games that no worker can play.
    let arena = with_snake(1);
    let (code, stderr) = coordinate(&broker, &arena, &path, &["--slots", "1"]).end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(workers_of(&arena)[0], ["nobody".to_owned()].into());
    poor.hear("player `script` plays only on other machines: program `snake` not found");

    // If the coordinator does not play either, the player counts as failing to start, for the reasons that the workers
    // give.
    let arena = with_snake(1);
    let (code, stderr) = coordinate(&broker, &arena, &path, &["--slots", "0", "--worker-timeout", "1s"]).end();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("worker `poor` plays no games of player `script`: program `snake` not found"), "{stderr}");
    assert!(stderr.contains("their games wait 1 s for one that can"), "{stderr}");
    for row in arena.results() {
        let is_idle = row["black"] == "script" || row["white"] == "script";
        assert_eq!(row["termination"] == "not started", is_idle, "{row:?}");
    }
    let record = fs::read_to_string(arena.out().join("games/r1-script-greedy.log")).expect("a log");
    assert!(record.contains("worker `poor`: program `snake` not found"), "{record}");
    let check = arena.output(&["rebuild", "--check", "out"]);
    assert!(check.status.success(), "{}", text(&check.stderr));

    // Another worker, which arrives later, takes the games that the first one cannot play.
    let arena = with_snake(1);
    let mut run = coordinate(&broker, &arena, &path, &["--slots", "0"]);
    run.hear("for one that can");
    let _rich = Arena::started(broker.worker_command(&home, "rich").env("PATH", &path));
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    let [of_script, others] = workers_of(&arena);
    assert!(of_script == ["rich".to_owned()].into() && others.contains("poor"), "{of_script:?} {others:?}");
    assert!(arena.results().iter().all(|row| row["termination"] != "not started"));
}

#[test]
fn files_are_kept_checked_and_mended_and_nothing_is_left_behind() {
    let Some(broker) = Broker::start() else { return };
    let home = Arena::new("");
    let path = snakes(&home);
    let (cache, tmp) = (home.path().join("cache/gothello-arena/bundles"), home.path().join("tmp"));
    fs::create_dir(&tmp).expect("made");
    let start = || Arena::started(broker.worker_command(&home, "one").env("PATH", &path).env("TMPDIR", &tmp));
    let kept = || {
        let found = fs::read_dir(&cache).expect("a cache").flatten().map(|entry| entry.path());
        found.collect::<Vec<PathBuf>>()
    };
    let worker = start();
    let arena = with_snake(1);
    let slots = ["--slots", "0", "--worker-timeout", "3s"];
    let (code, stderr) = coordinate(&broker, &arena, &path, &slots).end();
    assert_eq!(code, Some(0), "{stderr}");
    let [archive] = &kept()[..] else { panic!("{:?}", kept()) };
    let digest =
        archive.file_name().and_then(|name| name.to_str()?.strip_suffix(".tar.gz")).expect("a name").to_owned();
    let whole = fs::read(archive).expect("read");

    // Alterations in the cache are detected; alterations at the broker are detected and repaired. A killed worker's
    // directory is removed when the next worker creates its own.
    let arena = with_snake(2);
    let mut run = coordinate(&broker, &arena, &path, &slots);
    run.hear("3/24] ");
    let mut worker = worker;
    worker.child.kill().expect("it runs");
    assert_ne!(fs::read_dir(&tmp).expect("there").count(), 0, "a killed worker leaves its directory behind");
    fs::write(archive, "something else").expect("changed");
    let (runtime, client) = broker.client();
    runtime.block_on(async {
        let store = async_nats::jetstream::new(client).get_object_store("gothello_bundles").await.expect("a store");
        store.put(digest.as_str(), &mut &b"something else"[..]).await.expect("put");
    });
    let mut worker = start();
    assert!(worker.hear("have changed").contains(&digest));
    worker.hear("player `script` plays only on other machines: its files are not used: their SHA-256");
    worker.hear("player `script` now plays here as well");
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("worker `one` plays no games of player `script`: its files are not used"), "{stderr}");
    assert_eq!(fs::read(archive).expect("read"), whole);
    worker.signal(Signal::TERM);
    worker.end();
    let left: Vec<_> = fs::read_dir(&tmp).expect("there").flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_worker_on_a_full_disk_says_so_and_others_play() {
    let Some(broker) = Broker::start() else { return };
    let home = Arena::new("");
    let path = snakes(&home);
    let arena = with_snake(1);
    let mut bot = fs::read(arena.path().join("bot.py")).expect("read");
    let mut word = 7_u32;
    bot.extend(b"\n#");
    bot.extend((0..300_000).map(|_| {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'!' + (word >> 25) as u8 % 94
    }));
    fs::write(arena.path().join("bot.py"), bot).expect("written");
    let words = ["worker", "--nats", &broker.url(), "--slots", "1", "--name", "full", "--cache", "kept"];
    let script = format!(
        "mkdir kept tmp && mount -t tmpfs -o size=64k none kept && mount -t tmpfs -o size=64k none tmp || exit 99
        echo ready >&2; export TMPDIR=\"$PWD/tmp\"; exec \"$0\" {}",
        words.join(" ")
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script, program()]).current_dir(home.path());
    let mut trial = Command::new("unshare");
    trial.args(["--mount", "sh", "-c", "mkdir t && mount -t tmpfs none t"]);
    let trial = trial.current_dir(home.path()).output_in_time();
    if !trial.is_ok_and(|output| output.status.success()) {
        skipped(Need::Mounts, "the test is not allowed to mount anything on this machine");
        return;
    }
    let mut full = Arena::started(command.env("PATH", &path));
    let mut run = coordinate(&broker, &arena, &path, &["--slots", "0"]);
    full.hear("cannot store players' files in `kept` (--cache): No space left on device");
    full.hear("player `script` plays only on other machines: its files cannot be unpacked here (TMPDIR): ");
    run.hear("worker `full` plays no games of player `script`");
    let _other = Arena::started(broker.worker_command(&home, "other").env("PATH", &path));
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    let [of_script, others] = workers_of(&arena);
    assert!(of_script == ["other".to_owned()].into() && others.contains("full"), "{of_script:?} {others:?}");
}

#[test]
fn games_of_remote_players_stay_with_the_coordinator_which_needs_a_slot_for_them() {
    let arena = Arena::new(&format!(
        "{}[[player]]\nname = \"dave\"\nremote = true\nlisten = \"127.0.0.1:0\"\n",
        field("rounds = 1\nvoid_retries = 0", 1)
    ));
    let refused = arena.run(&["--nats", "nats://127.0.0.1:1", "--slots", "0"]);
    let stderr = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && stderr.contains("so --slots must be at least 1"), "{stderr}");
    let Some(broker) = Broker::start() else { return };
    let mut worker = broker.worker(&arena, "one");
    worker.hear("waiting for a run");
    let mut run = broker.coordinate_with(&arena, &["--slots", "1"]);
    let address = run.hear_address("waiting for dave");
    for _ in 0..6 {
        assert!(crate::harness::arena::remote_bot(&address, "?", None).wait().expect("it ends").success());
    }
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    let of_dave: Vec<String> =
        arena.results().into_iter().map(|row| row["game"].clone()).filter(|id| id.contains("dave")).collect();
    assert_eq!(of_dave.len(), 6);
    for game in of_dave {
        let record = arena.record(&game);
        assert!(!record.to_string().contains("[Worker "), "{record}");
    }
}
