//! Measures how many whole games per second the real program plays between two newly started bots that move
//! immediately, with the time for logs included. The floor is the rate at which the machine starts and reaps the same
//! number of idle processes of the same program. Each game must be on the disk before it counts; the bench also
//! measures the rate without this requirement.

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
    played(&format!("ruleset = \"{ruleset}\"\nrounds = {}\n", GAMES / 2), 2, concurrency, durability).0
}

/// Plays a tournament with the keys `keys` between `players` random bots. Returns the games per second, and the plies
/// per second.
fn played(keys: &str, players: u32, concurrency: &str, durability: &str) -> (f64, f64) {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("class.toml");
    let player = |number: u32| format!("[[player]]\nname = \"p{number}\"\nbuiltin = \"random\"\n");
    let text = format!("time = \"60s\"\n{keys}{}", (1..=players).map(player).collect::<String>());
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
    let seconds = start.elapsed().as_secs_f64();
    let table = std::fs::read_to_string(dir.path().join("out/results.csv")).expect("the results");
    let mut rows = table.lines().map(|line| line.split(','));
    let column = rows.next().and_then(|mut names| names.position(|name| name == "plies")).expect("a column");
    let plies = rows.map(|mut row| row.nth(column).and_then(|plies| plies.parse::<u32>().ok()).expect("a number"));
    let (games, plies) = plies.fold((0, 0), |(games, sum), plies| (games + 1, sum + plies));
    (f64::from(games) / seconds, f64::from(plies) / seconds)
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
    println!("the same in Quantum Gothello, whose games have about 300 plies");
    for _ in 0..3 {
        println!("  concurrency 1: {:5.0} (bar 10), bare processes: {:5.0}", run_of("quantum", "1", "safe"), floor());
    }
    println!("plies a second with four seats over plies a second with two, one game at a time (bar 0.6)");
    for _ in 0..3 {
        let (_, two) = played("ruleset = \"quantum\"\nrounds = 20\n", 2, "1", "safe");
        let (games, four) = played("ruleset = \"quantum-4p\"\nformat = \"group\"\nrounds = 10\n", 4, "1", "safe");
        println!("  {four:6.0} over {two:6.0}, ratio {:.2}; {games:.0} games of four a second", four / two);
    }
    println!("games a second if each must be on the disk before it counts, over games a second if not (bar 0.8)");
    for concurrency in ["1", "2"] {
        // Measure the two alternately, so that other work on the machine affects both equally.
        let rounds = [(); 5].map(|()| (run(concurrency, "safe"), run(concurrency, "fast")));
        let (safe, fast) = rounds.iter().fold((0.0, 0.0), |sum, round| (sum.0 + round.0, sum.1 + round.1));
        println!("  concurrency {concurrency}: {:5.0} over {:5.0}, ratio {:.2}", safe / 5.0, fast / 5.0, safe / fast);
    }
}
