//! Measures the page of a run: how long `report` takes, and the size of the file. `-- page FILE.html` also writes the
//! page of the run that has an analysis to that file, for a browser.

#[path = "common/random_analysis.rs"]
mod random_analysis;
#[path = "common/random_game.rs"]
mod random_game;
#[path = "common/random_run.rs"]
mod random_run;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::referee::record::GameRecord;
use gothello_arena::results::analysis::kept::KeptAnalysis;
use random_analysis::invented_analysis;
use random_run::write_journal;

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");

/// Players, games, whether the games are judged, and the limits for their page.
const RUNS: [(u32, u64, bool, &str); 5] = [
    (12, 0, false, "all else at most 160 KiB"),
    (12, 10_000, false, "at most 2 MiB in 5 s"),
    (12, 10_000, true, "at most 2 MiB"),
    (12, 100_000, false, "at most 14 MiB"),
    (300, 89_700, false, "at most 20 MiB"),
];

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench uses only small runs, to show that it still works.
    let full = std::env::args().any(|arg| arg == "--bench");
    let page = std::env::args().skip_while(|arg| arg != "page").nth(1);
    for (players, games, judged, bars) in RUNS.into_iter().filter(|run| page.is_none() || run.2) {
        measure(players, if full { games } else { games.min(50) }, judged, bars, page.as_deref().map(Path::new));
    }
}

/// Writes an analysis of each game of the run in `dir`.
fn judge(dir: &Path) {
    let mut random = SplitMix64::new(7);
    let mut text = String::new();
    for log in fs::read_dir(dir.join("games")).expect("logs").flatten() {
        let record: GameRecord = fs::read_to_string(log.path()).expect("read").parse().expect("a log");
        let analysis = invented_analysis(&record, &mut random);
        let _ = write!(text, "{}", KeptAnalysis::of(&record, &analysis, Duration::from_secs(2)).to_line());
    }
    fs::write(dir.join("analysis.jsonl"), text).expect("written");
}

fn measure(players: u32, games: u64, judged: bool, bars: &str, page: Option<&Path>) {
    let dir = tempfile::tempdir().expect("a directory");
    let plies = write_journal(dir.path(), players, games);
    if judged {
        // `rebuild` derives the logs from the journal.
        let rebuilt =
            Command::new(ARENA).arg("rebuild").arg(dir.path()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(rebuilt.expect("it starts").success());
        judge(dir.path());
    }
    let begin = Instant::now();
    let status = Command::new(ARENA).arg("report").arg(dir.path()).stderr(Stdio::null()).status().expect("it starts");
    let seconds = begin.elapsed().as_secs_f64();
    assert!(status.success());
    let html = fs::read_to_string(dir.path().join("report.html")).expect("a page");
    let data =
        html.split_once("id=\"d\">").and_then(|(_, rest)| rest.split_once('<')).map_or(0, |(data, _)| data.len());
    #[expect(clippy::cast_precision_loss, reason = "shown to two decimals")]
    let mebibytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    if let Some(page) = page {
        fs::write(page, &html).expect("written");
    }
    let judged = if judged { " judged" } else { "" };
    println!(
        "{players} players, {games}{judged} games, {plies} plies: {:.2} MiB in {seconds:.2} s ({bars}): data {:.2} MiB, all else {:.0} KiB",
        mebibytes(html.len()),
        mebibytes(data),
        1024.0 * mebibytes(html.len() - data)
    );
}
