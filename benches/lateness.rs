//! Measures how late the arena's clock is while busy loops hog all cores, and which player is charged for it. Small
//! native bots that answer immediately play games, first on the otherwise idle machine, and then with the loops
//! running.

#[path = "common/class.rs"]
mod class;
#[path = "common/figures.rs"]
mod figures;

use std::process::{Child, Command, Stdio};
use std::thread::available_parallelism;

use class::{Class, Run};
use figures::{percentile, sorted};

const GAMES: u32 = 200;

/// A busy loop, which ends after 120 seconds.
struct Hog(Child);

impl Hog {
    fn start() -> Self {
        let spin = "end=$(($(date +%s) + 120)); while [ $(date +%s) -lt $end ]; do i=0; \
                    while [ $i -lt 1000000 ]; do i=$((i + 1)); done; done";
        Self(Command::new("sh").args(["-c", spin]).stdin(Stdio::null()).spawn().expect("a shell"))
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the times of all `[%emt h:mm:ss.ffffff]` in a log, in milliseconds.
fn charged(log: &str) -> impl Iterator<Item = f64> {
    log.split("[%emt ").skip(1).map(|rest| {
        let mut parts = rest.split([':', ']']).map(|part| part.parse::<f64>().expect("a time"));
        let mut next = || parts.next().expect("a time");
        (next() * 3600.0 + next() * 60.0 + next()) * 1e3
    })
}

/// Returns the figure called `name` in the log's `Lateness` tag, in milliseconds.
fn late(log: &str, name: &str) -> f64 {
    let tag = log.split_once("[Lateness \"").and_then(|(_, rest)| rest.split_once('"')).expect("a tag").0;
    let mut words = tag.split(' ').skip_while(|word| *word != name);
    words.nth(1).and_then(|figure| figure.parse::<f64>().ok()).expect("a figure") * 1e3
}

fn tell(name: &str, run: &Run) {
    let charges = sorted(run.logs.iter().flat_map(|log| charged(log)).collect());
    let (charge, late): (f64, f64) = (charges.iter().sum(), run.logs.iter().map(|log| late(log, "sum")).sum());
    let answers = sorted(run.answers.iter().map(|nanos| nanos / 1e6).collect());
    let moves = charges.len() / run.logs.len();
    println!("{name}: {GAMES} games of {moves} moves in {:.2?}, {:.2?} of CPU time", run.time, run.cpu);
    let note = run.said.lines().find(|line| line.contains("the arena's own delay")).expect("a note");
    println!("  {}", note.trim_start_matches("gothello-arena: "));
    println!("  charged for a move: p50 {:.3} ms, p99 {:.3} ms", percentile(&charges, 0.5), percentile(&charges, 0.99));
    println!("  until its answer:   p50 {:.3} ms, p99 {:.3} ms", percentile(&answers, 0.5), percentile(&answers, 0.99));
    println!(
        "  charged in total {charge:.0} ms, and none of the arena's lateness of {late:.0} ms; with clocks read after \
         the lines, it would have been {:.2} times as much",
        (charge + late) / charge
    );
}

fn main() {
    let class = Class::new(GAMES, "given");
    for isolation in ["auto", "off"] {
        tell(&format!("--isolation {isolation}"), &class.run(isolation, "1"));
        let cores = available_parallelism().map_or(1, usize::from);
        let hogs: Vec<Hog> = (0..cores).map(|_| Hog::start()).collect();
        tell(&format!("--isolation {isolation}, with {cores} busy loops"), &class.run(isolation, "1"));
        drop(hogs);
    }
}
