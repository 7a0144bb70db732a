//! Ladders whose games are played by workers, while versions arrive and machines die.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use super::fitness::snakes;
use super::*;
use crate::harness::waiting::{LIMIT, until_within};
use crate::ladder::{entered, hand_in, journal, ladder, status};

/// The TOML tables of a baseline that has a file, and of a player whose versions need `snake`, which only some machines
/// have.
const PLAYERS: &str = "[[player]]\nname = \"script\"\ntransport = \"stdio\"\ncommand = [\"python3\", \"base.py\"]\n\
    [[player]]\nname = \"ada\"\nfolder = \"in/ada\"\ntransport = \"stdio\"\ncommand = [\"snake\", \"bot.py\"]\n";

/// A baseline that is added later.
const LATER: &str = "[[player]]\nname = \"later\"\nbuiltin = \"random\"\n";

/// A ladder of `greedy` and [`PLAYERS`]. The first version has arrived.
fn begun() -> Arena {
    let arena =
        ladder("seed = 3\naffinity = false\n[ladder]\npoll = \"1s\"\ntarget_error = 150\nfirst_games = 4", PLAYERS);
    let bot = include_str!("../../../../examples/line_bot.py");
    fs::write(arena.path().join("base.py"), bot).expect("written");
    hand_in(&arena, "ada", "the first version");
    fs::write(arena.path().join("in/ada/bot.py"), bot).expect("written");
    arena
}

/// Starts or continues the run of `arena`, which plays no games itself.
fn coordinate(broker: &Broker, arena: &Arena, path: &str) -> Running {
    let url = broker.url();
    let words = ["run", "class.toml", "--out", "out", "--nats", &url, "--slots", "0", "--worker-timeout", "60s"];
    Arena::started(arena.command(&words).env("PATH", path).stdout(Stdio::piped()))
}

/// The games in the journal: the id of each game, and the worker that played it.
fn games(arena: &Arena) -> Vec<(String, String)> {
    let lines = journal(&arena.out());
    let game = |line: &Value| {
        let game = line.get("game")?;
        let worker = game["record"].as_str()?.split("[Worker \"").nth(1)?.split('"').next()?;
        Some((game["id"].as_str()?.to_owned(), worker.to_owned()))
    };
    let games: Vec<_> = lines.iter().filter_map(game).collect();
    assert_eq!(games.len(), lines.iter().filter(|line| line.get("game").is_some()).count(), "workers play all games");
    games
}

/// Waits until at least `count` games with `player` have been played.
#[track_caller]
fn played(arena: &Arena, player: &str, count: usize) -> Vec<(String, String)> {
    until_within(LIMIT, &format!("{count} games of {player}"), || {
        let games: Vec<_> = games(arena).into_iter().filter(|(id, _)| id.contains(player)).collect();
        (games.len() >= count).then_some(games)
    })
}

/// The workers' copies of the baseline's file, below `tmp`.
fn unpacked(tmp: &Path) -> Vec<PathBuf> {
    let entries = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let made = entries(tmp).flat_map(|own| entries(&own).collect::<Vec<_>>());
    made.map(|made| made.join("0/base.py")).filter(|file| file.exists()).collect()
}

#[test]
fn workers_play_the_versions_of_a_ladder_and_no_death_of_a_machine_loses_a_game() {
    let Some(mut broker) = Broker::start() else { return };
    let home = Arena::new("");
    let path = snakes(&home);
    let tmp = home.path().join("tmp");
    fs::create_dir(&tmp).expect("made");
    let rich = |name: &str| Arena::started(broker.worker_command(&home, name).env("PATH", &path));
    let mut poor = Arena::started(broker.worker_command(&home, "poor").env("TMPDIR", &tmp));
    let mut first = rich("first");
    let arena = begun();
    let out = arena.out();
    let mut run = coordinate(&broker, &arena, &path);

    // A baseline is added while the version is being checked and workers are playing.
    played(&arena, "script", 2);
    let files = unpacked(&tmp);
    assert_eq!(files.len(), 1, "{files:?}");
    fs::write(arena.path().join("class.toml"), arena.toml() + LATER).expect("written");
    played(&arena, "later", 2);
    assert_eq!(unpacked(&tmp), files, "the prepared files stay");
    first.child.kill().expect("it runs");

    // One worker lacks the version's program, and another worker comes late.
    entered(&out, "version", |entry| entry["player"]["name"] == "ada.1");
    poor.hear("player `ada.1` plays only on other machines: program `snake` not found");
    run.hear("worker `poor` plays no games of player `ada.1`: program `snake` not found");
    let late = rich("late");
    let of_version = played(&arena, "ada_1", 2);
    assert!(of_version.iter().all(|(_, worker)| worker == "late"), "{of_version:?}");

    // The coordinator dies during the last round robin.
    assert!(arena.output(&["ladder", "freeze", "out"]).status.success());
    entered(&out, "frozen", |_| true);
    let before = games(&arena).len();
    until_within(LIMIT, "more games", || (games(&arena).len() > before).then_some(()));
    run.child.kill().expect("it runs");
    drop(run);
    let (code, told) = coordinate(&broker, &arena, &path).end();
    assert_eq!(code, Some(0), "{told}");

    let lines = journal(&out);
    let of = |kind: &str| lines.iter().filter(|line| line.get(kind).is_some()).count();
    let found = games(&arena);
    let ids: BTreeSet<&String> = found.iter().map(|(id, _)| id).collect();
    assert_eq!((ids.len(), of("void")), (found.len(), 0), "no game is played twice, and none is void: {told}");
    assert_eq!(of("pairing"), found.len(), "no game is lost");
    let workers: BTreeSet<&str> = found.iter().map(|(_, worker)| worker.as_str()).collect();
    assert_eq!(workers, ["first", "late", "poor"].into());
    assert!(found.iter().all(|(id, worker)| worker == "late" || !id.contains("ada_1")), "{found:?}");
    let rebuilt = arena.output(&["rebuild", "--check", "out"]);
    assert!(rebuilt.status.success(), "{}", text(&rebuilt.stdout));
    let table = text(&arena.output(&["standings", "out", "--workers"]).stdout);
    assert!(["first", "late", "poor"].iter().all(|name| table.contains(name)), "{table}");
    let rows = status(&arena)["versions"].as_array().expect("rows").clone();
    let played: Option<u64> = rows.iter().map(|row| row["games"].as_u64()).sum();
    assert_eq!(played, Some(2 * found.len() as u64));

    // The workers have noticed that the coordinator was restarted, but a new player never made them start over.
    for worker in [poor, late] {
        worker.signal(Signal::TERM);
        let (code, told) = worker.end();
        assert_eq!(code, Some(143), "{told}");
        assert!(told.matches("playing for run").count() <= 2, "{told}");
    }
    assert!(unpacked(&tmp).is_empty());
    broker.kill();
}
