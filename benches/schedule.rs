//! Measures the time and memory needed to go through all games of a round robin with a thousand players and ten rounds,
//! compared with the time needed to create only their ids. It also measures the time needed to draw the rounds of a
//! Swiss tournament, and the tables of a tournament of groups.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use gothello_arena::game::Side;
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::schedule::{Decided, GameId, Results, Schedule, Step};

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench uses only a small field, to show that it still works.
    let full = std::env::args().any(|arg| arg == "--bench");
    let (players, rounds) = if full { (1_000, 10) } else { (20, 2) };
    let player = |n: u32| format!("[[player]]\nname = \"player {n}\"\nbuiltin = \"random\"\n");
    let field: Vec<String> = (0..players).map(player).collect();
    let file = format!("rounds = {rounds}\nopenings = {{ plies = 2 }}\n{}", field.concat());
    let tournament = Tournament::parse(&file, "bench").expect("right");

    let mut schedule = Schedule::new(&tournament);
    let results = Results::default();
    let start = Instant::now();
    let mut games = 0_u32;
    while let Step::Game(spec) = schedule.next(&results) {
        black_box(spec);
        games += 1;
    }
    let time = start.elapsed();
    let start = Instant::now();
    for number in 0..games {
        black_box(GameId::new(number / 999_000, "player_1", "player_999", 1));
    }
    let floor = start.elapsed();
    let each = |time: Duration| time.as_secs_f64() * 1e9 / f64::from(games);
    println!("{games} games with openings: {:.0} ns a game, their ids alone {:.0} ns", each(time), each(floor));
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown");
    println!("memory at most {} (bar 100 MB)", peak.trim());
    swiss(if full { (300, 20) } else { (10, 3) });
    groups(if full { (60, 12) } else { (8, 2) });
}

/// Draws the tables of a tournament of `players` players, each of whom sits at `tables` tables of four seats.
fn groups((players, tables): (u32, u32)) {
    let player = |n: u32| format!("[[player]]\nname = \"player {n}\"\nbuiltin = \"random\"\n");
    let field: Vec<String> = (0..players).map(player).collect();
    let file = format!("ruleset = \"quantum-4p\"\nformat = \"group\"\ntables = {tables}\n{}", field.concat());
    let tournament = Tournament::parse(&file, "bench").expect("right");
    let start = Instant::now();
    let (mut schedule, results) = (Schedule::new(&tournament), Results::default());
    let mut games = 0_u32;
    while let Step::Game(spec) = schedule.next(&results) {
        black_box(spec);
        games += 1;
    }
    let time = start.elapsed();
    println!(
        "{games} games of four of {players} players, {tables} tables each: {:.0} ms (bar 1,000)",
        time.as_secs_f64() * 1e3
    );
}

/// Draws `rounds` rounds of a Swiss tournament of `players` players, in which black wins two out of three games.
fn swiss((players, rounds): (u32, u32)) {
    let player = |n: u32| format!("[[player]]\nname = \"player {n}\"\nbuiltin = \"random\"\n");
    let field: Vec<String> = (0..players).map(player).collect();
    let file = format!("format = \"swiss\"\ngames = 1\nrounds = {rounds}\n{}", field.concat());
    let tournament = Tournament::parse(&file, "bench").expect("right");
    let (mut schedule, mut results) = (Schedule::new(&tournament), Results::default());
    let start = Instant::now();
    let mut games = 0_u32;
    while let Step::Game(spec) = schedule.next(&results) {
        let winner = if games.is_multiple_of(3) { Side::White } else { Side::Black };
        results.insert(spec.id, Decided::Won(winner));
        games += 1;
    }
    let time = start.elapsed() / rounds;
    println!("a round of a Swiss tournament of {players} players: {:.1} ms", time.as_secs_f64() * 1e3);
}
