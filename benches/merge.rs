//! Measures how long it takes to merge sixteen shards of a hundred thousand games into one run: into a new directory,
//! and then again when nothing is new. Each figure is shown next to a floor from the same run.
//!
//! The floor reads all bytes of the shards, writes them to one file, and writes the same number of logs.

#[path = "common/random_game.rs"]
mod random_game;
#[path = "common/random_run.rs"]
mod random_run;

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::run::journal::{self, Durability, FORMAT, Header, Journal, JournalEntry, JournalError};
use gothello_arena::tournament::shard::Shard;
use random_run::write_journal;
use sha2::{Digest as _, Sha256};

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");

/// How many players the run has. With five, a round has twenty games.
const PLAYERS: u32 = 5;

const SHARDS: u32 = 16;

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench uses only a short journal, to show that it still works.
    let full = std::env::args().any(|arg| arg == "--bench");
    let games = if full { 100_000 } else { 200 };
    let dir = tempfile::tempdir().expect("a directory");
    let one = dir.path().join("one");
    fs::create_dir(&one).expect("made");
    write_journal(&one, PLAYERS, games);
    let shards = split(&one, dir.path());
    println!("{games} games in {SHARDS} shards");

    let files = dir.path().join("files");
    fs::create_dir(&files).expect("made");
    let floor = timed(|| floor(&shards, games, &files));
    let out = dir.path().join("out");
    let merge = || {
        let mut command = Command::new(ARENA);
        command.args(["merge", "--quiet"]).arg(&out).args(&shards).stderr(Stdio::null());
        assert!(command.status().expect("it starts").success(), "{command:?}");
    };
    show("merge into a new directory (bar 10 s)", timed(merge), floor);
    show("the same again, with nothing new", timed(merge), floor);
    let same = |name: &str| fs::read(one.join(name)).expect("read") == fs::read(out.join(name)).expect("read");
    assert!(same("journal.jsonl"), "the merged journal is identical to that of the whole run");
}

/// Writes the games of the run in `one` as the runs of its shards in `dir`.
fn split(one: &Path, dir: &Path) -> Vec<PathBuf> {
    let (ledger, _) = journal::read(one, |_| {}).expect("it is whole");
    let (definition, players) = (ledger.definition.clone(), ledger.players.clone());
    let mut dirs = Vec::new();
    let mut journals: Vec<Journal> = Vec::new();
    let mut homes = vec![0; usize::try_from(ledger.schedule().len().expect("it is planned")).expect("they fit")];
    for nth in 1..=SHARDS {
        let shard: Shard = format!("{nth}/{SHARDS}").parse().expect("a shard");
        for spec in ledger.schedule().of_shard(shard).expect("it is planned").games() {
            homes[usize::try_from(spec.number).expect("they fit")] = journals.len();
        }
        let dir = dir.join(shard.dir_name());
        fs::create_dir(&dir).expect("made");
        let header = Header {
            format: FORMAT,
            program: ledger.program.clone(),
            digest: definition.digest(),
            definition: definition.clone(),
            players: players.clone(),
            shard: Some(shard),
        };
        journals.push(Journal::create(&dir, &header, Durability::Fast).expect("written"));
        dirs.push(dir);
    }
    let taken = journal::each_game(one, |game| {
        let home = homes[usize::try_from(game.number).expect("they fit")];
        journals[home].append(&[JournalEntry::Game(game)])?;
        Ok::<(), JournalError>(())
    });
    taken.expect("written");
    dirs
}

/// The minimum work that any merge must do.
fn floor(shards: &[PathBuf], games: u64, files: &Path) {
    let mut all = File::create(files.join("journal")).expect("made");
    let mut bytes = 0;
    for dir in shards {
        let journal = fs::read(dir.join("journal.jsonl")).expect("read");
        black_box(Sha256::digest(&journal));
        all.write_all(&journal).expect("written");
        bytes += journal.len() as u64;
    }
    let log = vec![b'.'; usize::try_from(bytes / games).expect("small")];
    for number in 0..games {
        let (temporary, path) = (files.join(format!("{number}.tmp")), files.join(format!("{number}.log")));
        File::create(&temporary).and_then(|mut file| file.write_all(&log)).expect("written");
        fs::rename(temporary, path).expect("renamed");
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn show(what: &str, took: Duration, floor: Duration) {
    let (took, floor) = (took.as_secs_f64(), floor.as_secs_f64());
    println!("  {what}: {took:.2} s, reading and writing the same amount: {floor:.2} s, ratio {:.1}", took / floor);
}
