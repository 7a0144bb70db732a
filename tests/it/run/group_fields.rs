//! Whole tournaments with four and six seats and with players of every kind: built-in bots, the example in Python, a
//! bot over stdio, a remote player, and four bots that fail: these crash, lose on time, play illegal moves or never
//! connect.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use gothello_arena::game::Seat;
use gothello_arena::referee::record::{GroupRecord, LoggedGame};
use gothello_arena::referee::result::Termination;

use crate::harness::arena::{Arena, carol, program, remote_bot, text};
use crate::harness::waiting::InTime as _;

/// The keys of all these tournaments. The test waits three seconds for a player that lets its time run out; no other
/// move takes nearly as long, even on a busy machine.
const KEYS: &str = concat!(
    "format = \"group\"\nseed = 3\ntime = \"3s + 2s\"\nconcurrency = 8\nquit_timeout = \"500ms\"\nillegal_tries = 2\n",
    "isolation = \"off\"\n",
    carol!(),
);

/// How, and in which seats, each of the failing players fails.
const FAILING: [(&str, Termination, &str); 4] = [
    ("crash", Termination::Crash, "123456"),
    ("flag", Termination::Time, "1"),
    ("illegal", Termination::Illegal, "123456"),
    ("never", Termination::NoShow, "123456"),
];

/// The tables of all players except carol. `others` contains the tables of the players that do not fail.
fn field(others: &str) -> String {
    let [programs @ .., never] = FAILING;
    let failing = programs.map(|(name, _, seats)| {
        let command = ["python3", "@bots/failing_seat.py", name, seats, "{side}", "{host}", "{port}", "{ruleset}"];
        format!("[[player]]\nname = \"{name}\"\ncommand = {command:?}\n")
    });
    let gone = ["sh", "-c", "echo cannot find my book >&2; exit 1"];
    let never = format!("[[player]]\nname = \"{}\"\ntransport = \"stdio\"\ncommand = {gone:?}\n", never.0);
    let stdio = [program(), "bot", "alphabeta", "--depth", "1", "--side", "{side}", "--stdio"];
    let stdio = format!("[[player]]\nname = \"stdio\"\ntransport = \"stdio\"\ncommand = {stdio:?}\n");
    [others, &stdio, "[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n", &failing.concat(), &never].concat()
}

/// Runs the tournament with `args`, while carol plays one game after another, and returns the printed standings.
fn play(arena: &Arena, args: &[&str]) -> String {
    let mut running = Arena::started(
        arena.command(&["run", "class.toml", "--out", "out"]).args(args).stdout(std::process::Stdio::piped()),
    );
    let address = running.hear_address("waiting for carol");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                remote_bot(&address, "?", Some("carol:a word of hers")).wait().expect("it ends");
            }
        });
        let mut stdout = running.child.stdout.take().expect("piped");
        let (code, stderr) = running.end();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(code, Some(0), "{stderr}");
        let mut printed = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut printed).expect("the standings");
        printed
    })
}

/// The logs below `dir`.
fn logs(dir: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(dir.join("games")).expect("games").map(|entry| entry.expect("a file").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "log")).collect()
}

fn records(dir: &Path) -> Vec<GroupRecord> {
    let record = |path: PathBuf| {
        let game = LoggedGame::from_bytes(&fs::read(&path).expect("a log")).unwrap_or_else(|error| panic!("{error}"));
        *game.into_two().expect_err("more than two seats")
    };
    logs(dir).into_iter().map(record).collect()
}

/// Checks that exactly the players that fail in their seats have dropped out, each with the expected termination, and
/// that each was placed last among the players that were still playing.
fn assert_each_failure_is_placed_last(record: &GroupRecord) {
    let standing = record.result.as_ref().unwrap_or_else(|void| panic!("{void}\n{record}"));
    let seats = record.players.all_seats();
    let how = |seat: Seat| {
        let of_player = FAILING.iter().find(|(name, _, _)| *name == record.players[seat]);
        of_player.filter(|(_, _, seats)| seats.contains(&seat.to_string())).map(|&(_, how, _)| how)
    };
    for (worst, out) in (1..=seats.clone().count()).rev().zip(&record.outs) {
        assert_eq!(Some(out.termination), how(out.seat), "{record}");
        assert_eq!(usize::from(standing.placing[out.seat]), worst, "{record}");
    }
    let failing = seats.clone().filter(|&seat| how(seat).is_some()).count();
    // The last remaining player has no more turns in which it could fail.
    assert_eq!(record.outs.len(), failing.min(seats.count() - 1), "{record}");
}

/// Checks all tables of the run in `dir` against its logs.
fn assert_figures_follow_from_logs(arena: &Arena, dir: &str) {
    let files = ["json", "csv", "markdown"].map(|format| {
        let output = arena.output(&["standings", dir, "--format", format, "--show", "head-to-head"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let file = arena.path().join(format!("standings.{format}"));
        fs::write(&file, &output.stdout).expect("written");
        file
    });
    let mut recompute = Command::new("python3");
    recompute.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/probes/group_figures.py"));
    let output = recompute.arg(arena.path().join(dir)).args(files).output_in_time().expect("python3 starts");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// Checks that `rebuild` writes the logs and tables of the run in `dir` again, byte for byte.
fn assert_can_be_rebuilt(arena: &Arena, dir: &str) {
    let path = arena.path().join(dir);
    let mut files = logs(&path);
    files.extend(["results.csv", "standings.csv"].map(|name| path.join(name)));
    let before: BTreeMap<PathBuf, Vec<u8>> =
        files.into_iter().map(|file| (file.clone(), fs::read(file).expect("there"))).collect();
    for file in before.keys() {
        fs::remove_file(file).expect("removed");
    }
    for args in [&["rebuild", dir][..], &["rebuild", "--check", dir]] {
        let output = arena.output(args);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    for (file, bytes) in before {
        assert_eq!(text(&fs::read(&file).expect("written again")), text(&bytes), "{}", file.display());
    }
}

#[test]
fn four_of_eight_players_at_four_seats_fail_and_all_figures_are_right() {
    let example = "[[player]]\nname = \"example\"\ndir = \"@examples/quantum/bot\"\ntell_clock = false\n\
                   command = [\"python3\", \"bot.py\", \"{side}\", \"{host}\", \"{port}\", \"{ruleset}\"]\n";
    let arena = Arena::new(&format!("ruleset = \"quantum-8-4p\"\ntables = 2\n{KEYS}{}", field(example)));
    let printed = play(&arena, &[]);
    let records = records(&arena.out());
    assert_eq!(records.len(), 16);
    records.iter().for_each(assert_each_failure_is_placed_last);
    let checked = arena.output(&["replay", "--check", "out"]);
    assert!(checked.status.success(), "{}", text(&checked.stdout));
    assert_eq!(text(&arena.output(&["standings", "out"]).stdout), printed);
    assert_figures_follow_from_logs(&arena, "out");
    assert_can_be_rebuilt(&arena, "out");

    let held =
        ["never.points == 0", "never.mean_placing == 4", "crash.forfeits == 8", "flag.forfeits_by_kind.time == 2"];
    let broken = ["never.places.1 > 0", "example.mean_placing > 4"];
    let require = |requirements: &[&str]| {
        let args = requirements.iter().flat_map(|requirement| ["--require", requirement]);
        let words: Vec<&str> = ["standings", "out", "--quiet", "--junit", "held.xml"].into_iter().chain(args).collect();
        let output = arena.output(&words);
        (
            output.status.code(),
            text(&output.stderr),
            fs::read_to_string(arena.path().join("held.xml")).expect("written"),
        )
    };
    let (code, stderr, junit) = require(&held);
    assert!(code == Some(0) && junit.contains("tests=\"4\" failures=\"0\""), "{code:?} {stderr} {junit}");
    let (code, stderr, junit) = require(&[held, [broken[0], broken[1], held[0], held[1]]].concat());
    assert!(code == Some(3) && broken.iter().all(|broken| stderr.contains(broken)), "{code:?} {stderr}");
    assert!(junit.contains("failures=\"2\""), "{junit}");
}

#[test]
fn four_of_seven_players_at_six_seats_fail_and_all_figures_are_right() {
    let arena = Arena::new(&format!("ruleset = \"quantum-6p\"\ntables = 6\n{KEYS}{}", field("")));
    // The whole tournament has 42 games.
    play(&arena, &["--shard", "1/4"]);
    let shard = "out/shard-1-of-4";
    let records = records(&arena.path().join(shard));
    assert!(records.len() >= 10, "{}", records.len());
    records.iter().for_each(assert_each_failure_is_placed_last);
    let all_fail: Vec<&str> = FAILING.map(|(name, _, _)| name).into_iter().collect();
    let outs = records.iter().flat_map(|record| record.outs.iter().map(|out| record.players[out.seat].as_str()));
    let outs: std::collections::BTreeSet<&str> = outs.collect();
    assert!(outs.into_iter().eq(all_fail), "all of these players have failed");
    let checked = arena.output(&["replay", "--check", shard]);
    assert!(checked.status.success(), "{}", text(&checked.stdout));
    assert_figures_follow_from_logs(&arena, shard);
    assert_can_be_rebuilt(&arena, shard);
}
