//! Measures how many games of Go per second are played to the end on one core, compared with a floor measured in the
//! same run.
//!
//! On every turn, points are drawn and tested until one is legal and not the side's own eye; a side passes only if
//! there is no such point. The rules are those of `go-9` and `go-19`, in which no arrangement may ever be repeated.
//!
//! The floor draws the same number of points from the same number of empty points, one per turn, without any rules. The
//! ratio shows the cost of checking for eyes, legality, captures and repetitions.

use std::hint::black_box;
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::quantum::Seat;
use gothello_arena::game::quantum::points::{Arrangement, GoBoard, GoPoints, GoRules};

/// How many times each rate is measured. The fastest run counts, because it was disturbed least by the rest of the
/// machine.
const RUNS: u32 = 5;

/// The seats of each game.
const SEATS: u8 = 2;

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench plays only a few games, to show that it still works.
    let is_measured = std::env::args().any(|arg| arg == "--bench");
    for (size, games) in [(9, 2000), (19, 250)] {
        measure(size, if is_measured { games } else { 1 });
    }
}

/// Measures games on a board of `size` points per side, and prints the result.
fn measure(size: u8, games: u32) {
    let (plies, took) = fastest(|| (0..games).map(|seed| game(size, seed)).sum());
    let draws = plies / u64::from(games);
    let (points, floor_took) = fastest(|| (0..games).map(|seed| floor(size, draws, seed)).sum());
    black_box(points);
    let (rate, floor_rate) = (f64::from(games) / took.as_secs_f64(), f64::from(games) / floor_took.as_secs_f64());
    println!("go {size}x{size}: {games} games of {draws} plies in {took:.1?}, {rate:.0} games a second");
    println!("floor:   the same number of draws in {floor_took:.1?}, {floor_rate:.0} games a second");
    println!("ratio:   {:.2} of the floor's rate", rate / floor_rate);
}

/// Plays a game to the end, and returns the number of its turns.
fn game(size: u8, seed: u32) -> u64 {
    let mut random = SplitMix64::new(seed.into());
    let mut seat = Seat::FIRST;
    let before = seat.previous(SEATS);
    let start = GoBoard::new(size, SEATS, GoRules::default(), &Arrangement::default(), before);
    let mut board = start.expect("no stones");
    let (mut turns, mut passes) = (0, 0);
    while passes < SEATS {
        if board.play_tidy(seat, &mut random).is_some() {
            passes = 0;
        } else {
            board.pass(seat);
            passes += 1;
        }
        (turns, seat) = (turns + 1, seat.next(SEATS));
    }
    black_box(board.area());
    turns
}

/// Draws `draws` points, starting again with all points whenever none is left. Returns a number that depends on all of
/// them.
fn floor(size: u8, draws: u64, seed: u32) -> u64 {
    let mut random = SplitMix64::new(seed.into());
    let all = GoPoints::of_board(size);
    let (mut left, mut count, mut sum) = (all, all.len(), 0);
    for _ in 0..draws {
        if count == 0 {
            (left, count) = (all, all.len());
        }
        let nth = u32::try_from(random.below(count.into())).expect("below `count`");
        if let Some(point) = left.nth(nth) {
            left.remove(point);
            count -= 1;
            sum += u64::from(point.rank());
        }
    }
    sum
}

/// Returns the value of `count`, and the shortest time that it took.
fn fastest(count: impl Fn() -> u64) -> (u64, Duration) {
    let run = || {
        let start = Instant::now();
        let value = black_box(count());
        (value, start.elapsed())
    };
    (1..RUNS).map(|_| run()).fold(run(), |best, next| if next.1 < best.1 { next } else { best })
}
