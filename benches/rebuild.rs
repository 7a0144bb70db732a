//! Measures how long it takes to rebuild a run's logs and tables from a journal of a hundred thousand games, with every
//! ply checked, and how long the checks alone take. Everything runs on one core, beside what the disk and a digest of
//! the bytes cost in the same run.

#[path = "common/random_run.rs"]
mod random_run;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::referee::record::check;
use gothello_arena::run::journal;
use random_run::write_journal;
use sha2::{Digest, Sha256};

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");

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
    let plies = write_journal(&out, 10, games);
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
