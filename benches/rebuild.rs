//! Measures how long it takes to rebuild a run's logs and tables from a journal of a hundred thousand games, with every
//! ply checked, and how long the checks alone take. Everything runs on one core, beside what the disk and a digest of
//! the bytes cost in the same run.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::rules::{BySide, Move, Side};
use gothello_arena::referee::clock::{Meter, TimeControl};
use gothello_arena::referee::record::{GameRecord, Ply, Tries, check};
use gothello_arena::referee::result::{GameResult, Termination};
use gothello_arena::run::journal::{self, Durability, Entry, FORMAT, GameEntry, Header, Journal};
use gothello_arena::tournament::definition::Definition;
use gothello_arena::tournament::file::Tournament;
use gothello_arena::tournament::schedule::GameSpec;
use sha2::{Digest, Sha256};

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");
const TIME: Duration = Duration::from_mins(1);

fn main() {
    // Cargo passes `--bench` when it wants figures; as a test, a short journal shows that the bench still works.
    let full = std::env::args().any(|arg| arg == "--bench");
    let games = if full { 100_000 } else { 200 };
    let mut core = rustix::thread::CpuSet::new();
    core.set(0);
    // Children inherit the affinity. If it cannot be set, the figures are those of several cores.
    if rustix::thread::sched_setaffinity(None, &core).is_err() {
        println!("not pinned to one core");
    }
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("out");
    fs::create_dir(&out).expect("made");
    let plies = write_journal(&out, games);
    println!("{games} games, {plies} plies");

    let bytes = fs::read(out.join("journal.jsonl")).expect("read");
    let floor = timed(|| {
        let bytes = fs::read(out.join("journal.jsonl")).expect("read");
        std::hint::black_box(Sha256::digest(&bytes));
    });
    let checking = timed(|| {
        let mut held = 0_u64;
        journal::read(&out, |record| held += u64::from(check(record).is_ok())).expect("it is whole");
        assert_eq!(held, games);
    });
    show("checking alone", checking, "2 s", floor, "reading and SHA-256");
    let files = dir.path().join("files");
    fs::create_dir(&files).expect("made");
    let size = bytes.len() / usize::try_from(games).expect("few");
    let floor = timed(|| (0..games).for_each(|number| write_file(&files, number, &bytes[..size])));
    let rebuild = timed(|| run(&["rebuild", "--quiet"], &out));
    show("rebuild, logs and tables written", rebuild, "10 s", floor, "as many files");
    let whole = timed(|| run(&["rebuild", "--check"], &out));
    let again = timed(|| run(&["rebuild", "--quiet"], &out));
    println!(
        "  the same over existing files: {:.2} s; `rebuild --check` with all logs compared: {:.2} s",
        secs(again),
        secs(whole)
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn secs(time: Duration) -> f64 {
    time.as_secs_f64()
}

fn show(what: &str, time: Duration, bar: &str, floor: Duration, of: &str) {
    let ratio = secs(time) / secs(floor);
    println!("  {what}: {:.2} s (bar {bar}), {of}: {:.2} s, ratio {ratio:.1}", secs(time), secs(floor));
}

fn run(args: &[&str], out: &Path) {
    let status = Command::new(ARENA).args(args).arg(out).stdout(Stdio::null()).status().expect("it starts");
    assert!(status.success());
}

/// Writes a file that is either complete or absent.
fn write_file(dir: &Path, number: u64, bytes: &[u8]) {
    let (temporary, path) = (dir.join(format!("{number}.tmp")), dir.join(format!("{number}.log")));
    File::create(&temporary).and_then(|mut file| file.write_all(bytes)).expect("written");
    fs::rename(temporary, path).expect("renamed");
}

/// Writes the journal of a run of `games` random games. Returns how many plies they have.
fn write_journal(out: &Path, games: u64) -> u64 {
    let player = |n: u32| format!("[[player]]\nname = \"player {n}\"\nbuiltin = \"random\"\n");
    let players: Vec<String> = (0..10).map(player).collect();
    let players = players.concat();
    let tournament = Tournament::parse(&format!("rounds = 2000\ntime = \"60s\"\n{players}"), "bench").expect("right");
    let definition = Definition::from(&tournament);
    let digest = definition.digest();
    let header = Header { format: FORMAT, program: String::new(), digest, definition, players: Vec::new() };
    let mut journal = Journal::create(out, &header, Durability::Fast).expect("written");
    let schedule = header.definition.schedule(&[]);
    let mut random = SplitMix64::new(1);
    let (mut plies, mut entries) = (0, Vec::new());
    for (number, spec) in (0..games).zip(schedule.games()) {
        let record = play(&tournament, &spec, &mut random);
        plies += record.plies.len() as u64;
        entries.push(Entry::Game(GameEntry { number, id: spec.id.to_string(), record: record.to_string() }));
        if entries.len() == 1000 {
            journal.append(&entries).expect("written");
            entries.clear();
        }
    }
    journal.append(&entries).expect("written");
    plies
}

/// Plays a game of random moves.
fn play(tournament: &Tournament, spec: &GameSpec, random: &mut SplitMix64) -> GameRecord {
    let mut position = tournament.ruleset.start();
    let mut left = BySide { black: TIME, white: TIME };
    let mut plies = Vec::new();
    while position.outcome().is_none() {
        let side = position.to_move();
        let moves = position.legal_moves();
        let placements: Vec<Move> = moves.iter().copied().filter(|played| !played.is_pass()).collect();
        let choice = if placements.is_empty() { &moves } else { &placements };
        let index = usize::try_from(random.below(choice.len() as u64)).expect("few");
        let played = position.play(choice[index].as_str()).expect("legal");
        let elapsed = Duration::from_micros(10 + random.below(500));
        left[side] -= elapsed;
        plies.push(Ply {
            side,
            played,
            elapsed: Some(elapsed),
            left: Some(left[side]),
            late_credit: false,
            tries: Tries::default(),
            note: None,
        });
    }
    let outcome = position.outcome().expect("it is over");
    let winner = outcome.winner;
    let result = GameResult::new(winner, Termination::Normal, outcome.margin, None).expect("a result");
    GameRecord {
        event: Some("bench".to_owned()),
        site: Some("here".to_owned()),
        date: Some("2026.11.21".to_owned()),
        round: Some(spec.round),
        players: BySide::from_fn(|side: Side| tournament.players[spec.players[side]].name.to_string()),
        game: Some(spec.id.to_string()),
        seed: Some(spec.seed),
        ruleset: tournament.ruleset,
        time_control: Some(TimeControl::SuddenDeath(BySide { black: TIME, white: TIME })),
        meter: Meter::Wall,
        adjudicate: None,
        digests: BySide::from_fn(|_| Some("0123456789abcdef".repeat(4))),
        usage: BySide::default(),
        other_tags: Vec::new(),
        opening_plies: 0,
        plies,
        unfinished: None,
        result: Ok(result),
    }
}
