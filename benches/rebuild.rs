//! Measures how long it takes to rebuild a run's logs and tables from a journal of a hundred thousand games, with every
//! ply checked, how long the checks alone take, and how long it takes to resume a complete run with the same number of
//! games. Each figure is shown next to a floor from the same run, with the CPU time and the peak memory of the program.
//!
//! The floor for reading is a digest of all bytes of the journal and of the logs. The floor for writing is the creation
//! of the same number of files.

#[path = "common/random_game.rs"]
mod random_game;
#[path = "common/random_run.rs"]
mod random_run;

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::referee::record::check;
use gothello_arena::run::journal;
use nix::sys::resource::{UsageWho, getrusage};
use random_game::tournament_file;
use random_run::write_journal;
use sha2::{Digest, Sha256};

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");

/// How many players the run has. With five, a round has twenty games.
const PLAYERS: u32 = 5;

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench uses only a short journal, to show that it still works.
    let full = std::env::args().any(|arg| arg == "--bench");
    let games = if full { 100_000 } else { 200 };
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("out");
    fs::create_dir(&out).expect("made");
    let plies = write_journal(&out, PLAYERS, games);
    let file = dir.path().join("tournament.toml");
    fs::write(&file, tournament_file(PLAYERS, games / u64::from(PLAYERS * (PLAYERS - 1)))).expect("written");
    println!("{games} games, {plies} plies");

    let digest = || {
        black_box(Sha256::digest(fs::read(out.join("journal.jsonl")).expect("read")));
    };
    let floor = timed(digest);
    let checking = timed(|| {
        let mut held = 0_u64;
        journal::read_with(
            &out,
            |game| game.two().is_some_and(|record| check(record).is_ok()),
            |holds| held += u64::from(holds),
        )
        .expect("it is whole");
        assert_eq!(held, games);
    });
    println!("  checking alone (bar 2 s): {}", beside(checking, floor, "reading and SHA-256"));

    let files = dir.path().join("files");
    fs::create_dir(&files).expect("made");
    let size = fs::metadata(out.join("journal.jsonl")).expect("it is there").len() / games;
    let bytes = vec![b'.'; usize::try_from(size).expect("small")];
    let floor = timed(|| (0..games).for_each(|number| write_file(&files, number, &bytes)));
    let arena =
        |args: &[&str]| Measured::of(Command::new(ARENA).args(args).stdout(Stdio::null()).stderr(Stdio::null()));
    let (run, file) = (out.to_str().expect("it is text"), file.to_str().expect("it is text"));
    let rebuild = arena(&["rebuild", "--quiet", run]);
    rebuild.show("rebuild, logs and tables written (bar 10 s)", floor, "the same number of files");
    arena(&["rebuild", "--quiet", run]).show("the same over existing files", floor, "the same number of files");

    let read_all = || {
        digest();
        for log in fs::read_dir(out.join("games")).expect("it is there") {
            black_box(Sha256::digest(fs::read(log.expect("an entry").path()).expect("read")));
        }
    };
    for _ in 0..if full { 3 } else { 1 } {
        let floor = timed(read_all);
        arena(&["rebuild", "--check", run]).show("rebuild --check (bar 10 s, 60 MB)", floor, "SHA-256 of all files");
        let resumed = arena(&["run", file, "--out", run]);
        resumed.show("resuming the complete run (bar 10 s, 60 MB)", floor, "SHA-256 of all files");
    }
}

/// The resource usage of a program that succeeded.
struct Measured {
    wall: Duration,
    cpu: Duration,
    /// Its peak memory in kB.
    peak: u64,
}

impl Measured {
    fn of(command: &mut Command) -> Self {
        let before = cpu_of_children();
        let start = Instant::now();
        let mut program = command.spawn().expect("it starts");
        let mut peak = 0;
        let status = loop {
            // The peak memory of a process is no longer available once it has been waited for.
            peak = peak.max(peak_memory(&program));
            if let Some(status) = program.try_wait().expect("it can be waited for") {
                break status;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(status.success(), "{command:?}");
        Self { wall: start.elapsed(), cpu: cpu_of_children().saturating_sub(before), peak }
    }

    fn show(&self, what: &str, floor: Duration, of: &str) {
        let Self { wall, cpu, peak } = self;
        let peak = peak / 1000;
        println!("  {what}: {}; CPU time {:.2} s, at most {peak} MB", beside(*wall, floor, of), cpu.as_secs_f64());
    }
}

/// The CPU time of all programs that have been waited for.
fn cpu_of_children() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("it is known");
    let times = [usage.user_time(), usage.system_time()];
    times
        .iter()
        .map(|time| Duration::from_micros(u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).unwrap_or(0)))
        .sum()
}

/// The peak memory of `program` so far, in kB, or 0 if it has ended.
fn peak_memory(program: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn beside(time: Duration, floor: Duration, of: &str) -> String {
    let (time, floor) = (time.as_secs_f64(), floor.as_secs_f64());
    format!("{time:.2} s, {of}: {floor:.2} s, ratio {:.1}", time / floor)
}

/// Writes a file in such a way that it is always either complete or absent.
fn write_file(dir: &Path, number: u64, bytes: &[u8]) {
    let (temporary, path) = (dir.join(format!("{number}.tmp")), dir.join(format!("{number}.log")));
    File::create(&temporary).and_then(|mut file| file.write_all(bytes)).expect("written");
    fs::rename(temporary, path).expect("renamed");
}
