//! Measures how long one thread takes to solve random positions with an empty table, for each number of empty points:
//! who wins, and the exact margin. The time to create the table is included.
//!
//! Positions consist of random placements, without passes, from the seed below. Times are CPU times, so that other work
//! on the machine has as little effect as possible.

use std::hint::black_box;
use std::time::Duration;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::exact::margin_table::known::KnownMargins;
use gothello_arena::exact::solver::{Solver, TranspositionTable};
use gothello_arena::game::gothello::{Game, points};
use rustix::time::{ClockId, clock_gettime};

const SEED: u64 = 2001;

/// The number of empty points, and the target medians in milliseconds for the winner and for the margin.
const BARS: [(u32, f64, f64); 6] =
    [(10, 0.07, 0.5), (12, 0.45, 3.0), (14, 4.5, 11.0), (16, 50.0, 400.0), (18, 300.0, 550.0), (20, 5_000.0, 9_000.0)];

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench solves only a few small positions, to show that it still
    // works.
    let full = std::env::args().any(|arg| arg == "--bench");
    // `-- 16` leaves out positions with more empty points, which take most of the time; `-- 20 10` also measures only
    // 10 positions.
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<u32>().ok());
    let most = numbers.next().unwrap_or(if full { 20 } else { 10 });
    let count = numbers.next().unwrap_or(if full { 100 } else { 2 });
    for (empty, winner_bar, margin_bar) in BARS.into_iter().filter(|&(empty, ..)| empty <= most) {
        let mut random = SplitMix64::new(SEED + u64::from(empty));
        let games: Vec<Game> = (0..count).map(|_| any_position(empty, &mut random)).collect();
        show(empty, "who wins", winner_bar, &games, |solver, game| {
            let _ = black_box(solver.winner(game));
        });
        show(empty, "margin", margin_bar, &games, |solver, game| {
            let _ = black_box(solver.margin(game));
        });
    }
}

/// Makes a position of random placements with `empty` empty points.
fn any_position(empty: u32, random: &mut SplitMix64) -> Game {
    loop {
        let mut game = Game::default();
        while game.board().empty().count_ones() > empty && game.placements() != 0 {
            let placements = game.placements();
            let chosen = random.below(u64::from(placements.count_ones()));
            let point = points(placements).nth(usize::try_from(chosen).expect("a few")).expect("there are so many");
            game = game.place(point);
        }
        if game.board().empty().count_ones() == empty {
            return game;
        }
    }
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).expect("since the start"),
        u32::try_from(time.tv_nsec).expect("below 10^9"),
    )
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn show(empty: u32, what: &str, bar: f64, games: &[Game], ask: impl Fn(&mut Solver<'_>, &Game)) {
    let mut times = Vec::new();
    let mut nodes = Vec::new();
    for game in games {
        let before = cpu();
        let table = TranspositionTable::for_game(game);
        // Without this, positions with 20 empty points would be looked up, since their margins are in the program.
        let mut solver = Solver::new(&table).looking_up(KnownMargins::Nothing);
        solver.learn();
        ask(&mut solver, game);
        times.push(cpu().saturating_sub(before).as_secs_f64() * 1e3);
        nodes.push(solver.nodes());
    }
    let (total_nodes, total): (u64, f64) = (nodes.iter().sum(), times.iter().sum());
    times.sort_by(f64::total_cmp);
    nodes.sort_unstable();
    let [median, high] = [times.len() / 2, times.len() * 9 / 10];
    println!(
        "{empty} empty, {what}: median {:.3} ms (bar {bar} ms), p90 {:.3} ms; {} nodes, p90 {}; {:.1} million a second",
        times[median],
        times[high],
        nodes[median],
        nodes[high],
        total_nodes as f64 / total / 1e3,
    );
}
