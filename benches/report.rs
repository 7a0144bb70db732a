//! Measures the page of a run: how long `report` takes without an analysis, and the size of the file.

#[path = "common/random_game.rs"]
mod random_game;
#[path = "common/random_run.rs"]
mod random_run;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use random_run::write_journal;

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");

/// Players, games, and the limits for their page.
const RUNS: [(u32, u64, &str); 4] = [
    (12, 0, "all else at most 160 KiB"),
    (12, 10_000, "at most 2 MiB in 5 s"),
    (12, 100_000, "at most 14 MiB"),
    (300, 89_700, "at most 20 MiB"),
];

fn main() {
    // `cargo bench` passes `--bench`; as a test, small runs show that the bench still works.
    let full = std::env::args().any(|arg| arg == "--bench");
    for (players, games, bars) in RUNS {
        measure(players, if full { games } else { games.min(50) }, bars);
    }
}

fn measure(players: u32, games: u64, bars: &str) {
    let dir = tempfile::tempdir().expect("a directory");
    let plies = write_journal(dir.path(), players, games);
    let begin = Instant::now();
    let status = Command::new(ARENA).arg("report").arg(dir.path()).stderr(Stdio::null()).status().expect("it starts");
    let seconds = begin.elapsed().as_secs_f64();
    assert!(status.success());
    let html = fs::read_to_string(dir.path().join("report.html")).expect("a page");
    let data =
        html.split_once("id=\"d\">").and_then(|(_, rest)| rest.split_once('<')).map_or(0, |(data, _)| data.len());
    #[expect(clippy::cast_precision_loss, reason = "shown to two decimals")]
    let mebibytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    println!(
        "{players} players, {games} games, {plies} plies: {:.2} MiB in {seconds:.2} s ({bars}): data {:.2} MiB, all else {:.0} KiB",
        mebibytes(html.len()),
        mebibytes(data),
        1024.0 * mebibytes(html.len() - data)
    );
}
