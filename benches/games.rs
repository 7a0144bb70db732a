//! Measures how many whole games per second the real program plays between two newly started bots that move
//! immediately, including logs. The floor is the rate at which the machine starts and reaps the same number of idle
//! processes of the same program. Each game must be on the disk before it counts; the bench also measures the rate
//! without this requirement.

use std::process::{Command, Stdio};
use std::time::Instant;

const ARENA: &str = env!("CARGO_BIN_EXE_gothello-arena");
const GAMES: u32 = 300;

/// Returns the games per second of a run of Gothello.
fn run(concurrency: &str, durability: &str) -> f64 {
    run_of("gothello", concurrency, durability)
}

/// Returns the games per second of a run with the rules `ruleset`.
fn run_of(ruleset: &str, concurrency: &str, durability: &str) -> f64 {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("class.toml");
    let player = |name: &str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
    let head = format!("ruleset = \"{ruleset}\"\ntime = \"60s\"\nrounds = {}\n", GAMES / 2);
    let text = format!("{head}{}{}", player("one"), player("two"));
    std::fs::write(&file, text).expect("written");
    let start = Instant::now();
    let status = Command::new(ARENA)
        .arg("run")
        .arg(&file)
        .args(["--quiet", "--concurrency", concurrency, "--durability", durability, "--out"])
        .arg(dir.path().join("out"))
        .stdout(Stdio::null())
        .status()
        .expect("it starts");
    assert!(status.success());
    f64::from(GAMES) / start.elapsed().as_secs_f64()
}

/// Returns how many pairs of processes the machine can start and reap in a second.
fn floor() -> f64 {
    let start = Instant::now();
    for _ in 0..GAMES {
        let spawn = || Command::new(ARENA).args(["perft", "0"]).stdout(Stdio::null()).spawn().expect("it starts");
        for mut child in [spawn(), spawn()] {
            child.wait().expect("it ends");
        }
    }
    f64::from(GAMES) / start.elapsed().as_secs_f64()
}

fn main() {
    println!("whole games a second, two fresh processes each ({GAMES} games)");
    for _ in 0..3 {
        let (floor, one, two) = (floor(), run("1", "safe"), run("2", "safe"));
        println!(
            "  concurrency 1: {one:5.0} (bar 100), concurrency 2: {two:5.0} ({:.2} times), bare processes: {floor:5.0}, \
             ratio {:.2}",
            two / one,
            one / floor
        );
    }
    println!("the same in Seegover");
    for _ in 0..3 {
        println!("  concurrency 1: {:5.0} (bar 100), bare processes: {:5.0}", run_of("seegover", "1", "safe"), floor());
    }
    println!("the same in Quantum Gothello, whose games have some 300 plies");
    for _ in 0..3 {
        println!("  concurrency 1: {:5.0} (bar 10), bare processes: {:5.0}", run_of("quantum", "1", "safe"), floor());
    }
    println!("games a second if each is on the disk before it counts, over games a second if not (bar 0.8)");
    for concurrency in ["1", "2"] {
        // Measure the two alternately, so that other work on the machine affects both equally.
        let rounds = [(); 5].map(|()| (run(concurrency, "safe"), run(concurrency, "fast")));
        let (safe, fast) = rounds.iter().fold((0.0, 0.0), |sum, round| (sum.0 + round.0, sum.1 + round.1));
        println!("  concurrency {concurrency}: {:5.0} over {:5.0}, ratio {:.2}", safe / 5.0, fast / 5.0, safe / fast);
    }
}
