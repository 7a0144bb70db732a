//! Measures how many leaves per second `perft 6` counts on one core, compared with a floor measured in the same run.
//!
//! The floor is the same walk without any rules: it takes every empty point in turn, never captures, and counts the
//! last ply with one population count. It has 0.1% more nodes than the real tree, and a program that plays the game
//! node by node cannot be faster; the ratio is the cost of legality and captures.
//!
//! Seegover's move phase is measured without a rule against cycles: every turn is generated with the resulting board,
//! even at the last ply, and the stones on these boards are summed, so that turns cannot be counted without being made.
//!
//! The last line is for Othello from the start, with every legal pass as a move. As in Gothello, the last ply is
//! counted rather than played, and the ratio is relative to the same floor.

use std::hint::black_box;
use std::time::{Duration, Instant};

use gothello_arena::game::gothello::{ALL, Game, Points, points};
use gothello_arena::game::quantum::{self, CountedPasses};
use gothello_arena::game::seegover::{Board, Options, View};
use gothello_arena::game::{Ruleset, Side};

/// How many times each rate is measured. The fastest run counts, because it was disturbed least by the rest of the
/// machine.
const RUNS: u32 = 5;

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench makes only a shallow walk, to show that it still works.
    let plies = if std::env::args().any(|arg| arg == "--bench") { 6 } else { 3 };
    let (leaves, took) = fastest(|| Game::default().perft(black_box(plies)));
    let (floor_leaves, floor_took) = fastest(|| walk(black_box(ALL), black_box(plies)));
    let (rate, floor_rate) = (per_second(leaves, took), per_second(floor_leaves, floor_took));
    println!("perft {plies}: {leaves} leaves in {took:.1?}, {:.0} million a second", rate / 1e6);
    println!("floor:   {floor_leaves} leaves in {floor_took:.1?}, {:.0} million a second", floor_rate / 1e6);
    println!("ratio:   {:.2} of the floor's rate", rate / floor_rate);
    seegover(plies + 3);
    othello(plies + 3, floor_rate);
}

/// A position in the middle of the move phase.
const SEEGOVER: &str = "bbwww/bbwww/bb.ww/bbbww/bbbww";

/// Returns the number of sequences of `plies` turns, and adds to `stones` the number of stones that the side that made
/// the last turn has on each of their last boards.
fn turns(view: View, plies: u32, stones: &mut u64) -> u64 {
    let mut leaves = 0;
    if view.is_lost() {
        return leaves;
    }
    view.each_turn(Options::DEFAULT, |_, after| {
        if plies == 1 {
            *stones += u64::from(after.own().count_ones());
            leaves += 1;
        } else {
            leaves += turns(after.swapped(), plies - 1, stones);
        }
    });
    leaves
}

/// Measures the move phase of Seegover.
fn seegover(plies: u32) {
    let board: Board = SEEGOVER.parse().expect("a board");
    let view = board.view(Side::White);
    let (leaves, took) = fastest(|| {
        let mut stones = 0;
        let leaves = turns(black_box(view), black_box(plies), &mut stones);
        black_box(stones);
        leaves
    });
    println!("seegover {plies}: {leaves} turns in {took:.1?}, {:.0} million a second", per_second(leaves, took) / 1e6);
}

/// The number of sequences of nine moves in Othello, counting passes. For fewer moves, it makes no difference
/// whether passes count as plies.
const OTHELLO: u64 = 3_005_288;

/// Measures Othello from its start. `floor_rate` is the number of leaves per second of a walk without rules.
fn othello(plies: u32, floor_rate: f64) {
    let Ok(Ruleset::Quantum(rules)) = "othello".parse() else { unreachable!("a rule set") };
    let start = quantum::Game::new(rules);
    let (leaves, took) = fastest(|| black_box(&start).perft(black_box(plies), CountedPasses::All));
    assert!(plies != 9 || leaves == OTHELLO, "{leaves}");
    let rate = per_second(leaves, took);
    println!("othello {plies}: {leaves} leaves in {took:.1?}, {:.1} million a second", rate / 1e6);
    println!("ratio:   {:.3} of the floor's rate", rate / floor_rate);
}

/// Returns the number of ways to fill `plies` points of `empty`, one after another.
fn walk(empty: Points, plies: u32) -> u64 {
    match plies {
        0 => 1,
        1 => u64::from(empty.count_ones()),
        _ => points(empty).map(|point| walk(empty & !point.bit(), plies - 1)).sum(),
    }
}

/// Returns the value of `count`, and the shortest time that it took.
fn fastest(count: impl Fn() -> u64) -> (u64, Duration) {
    let run = || {
        let start = Instant::now();
        let leaves = count();
        (leaves, start.elapsed())
    };
    (1..RUNS).map(|_| run()).fold(run(), |best, next| if next.1 < best.1 { next } else { best })
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn per_second(leaves: u64, took: Duration) -> f64 {
    leaves as f64 / took.as_secs_f64()
}
