//! Measures how long it takes to solve positions with any number of stones: random colourings in which every group has
//! a liberty, 1,000 for each number of stones from 3 to 24, on two threads, with only the margins in the program and
//! with the table in the user's cache, if there is one. Then it measures how long `perfect` takes to answer, and how
//! long it takes to build the table for 4x4 points.
//!
//! Times are wall times. The transposition table is made once, as in a process that solves many positions.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::exact::margin_table::build::{Build, BuildError, MarginPlan};
use gothello_arena::exact::margin_table::grid::BoardGrid;
use gothello_arena::exact::margin_table::known::KnownMargins;
use gothello_arena::exact::margin_table::table_file::MarginFile;
use gothello_arena::exact::solver::{Solver, TranspositionTable, Unsolved};
use gothello_arena::exact::team::Team;
use gothello_arena::exact::threads::Sharers;
use gothello_arena::game::Side;
use gothello_arena::game::gothello::{ALL, Board, Game, Point, flood, neighbours, points};
use gothello_arena::players::bots::ErrorRate;
use gothello_arena::players::perfect::{BestPlay as _, Perfect};

const SEED: u64 = 2001;

/// The limits in milliseconds on the median and on the 99th percentile, without and with the table: for the winner, and
/// for the margin.
const BARS: [[[f64; 2]; 2]; 2] = [[[30.0, 400.0], [60.0, 1_000.0]], [[30.0, 50.0], [60.0, 150.0]]];

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench solves only a few small positions, to show that it still
    // works. `-- 100` draws 100 positions for each number of stones.
    let full = std::env::args().any(|arg| arg == "--bench");
    let count = std::env::args().skip(1).find_map(|arg| arg.parse::<usize>().ok());
    let count = count.unwrap_or(if full { 1_000 } else { 2 });
    let first = if full { 3 } else { 14 };
    let positions: Vec<(u32, Vec<Game>)> = (first..=24).map(|stones| (stones, any_positions(stones, count))).collect();
    show("the margins in the program", KnownMargins::Embedded, &positions, BARS[0]);
    match MarginFile::cached().expect("a sound table") {
        Some(file) => show("the table", KnownMargins::Table(&file), &positions, BARS[1]),
        None => println!("there is no table in the cache"),
    }
    show_perfect(if full { 100 } else { 1 });
    show_build();
}

/// Draws positions with `stones` stones, all equally likely.
fn any_positions(stones: u32, count: usize) -> Vec<Game> {
    let mut random = SplitMix64::new(SEED + u64::from(stones));
    let mut drawn = Vec::new();
    while drawn.len() < count {
        let (mut black, mut white, mut free) = (0, 0, ALL);
        for _ in 0..stones {
            let nth = usize::try_from(random.below(u64::from(free.count_ones()))).expect("few");
            let point = points(free).nth(nth).map_or(0, Point::bit);
            free &= !point;
            *if random.below(2) == 0 { &mut black } else { &mut white } |= point;
        }
        let lives = |own: u32| flood(neighbours(free) & own, own) == own;
        if lives(black) && lives(white) {
            drawn.extend(Board::new(black, white).map(|board| Game::from_board(board, Side::Black)));
        }
    }
    drawn
}

fn show(with: &str, known: KnownMargins<'_>, positions: &[(u32, Vec<Game>)], bars: [[f64; 2]; 2]) {
    let winner = |solver: &mut Solver<'_>, game: &Game| solver.winner(game).map(|_| ());
    let margin = |solver: &mut Solver<'_>, game: &Game| solver.margin(game).map(|_| ());
    ask(with, "who wins", known, positions, bars[0], winner);
    ask(with, "the margin", known, positions, bars[1], margin);
}

fn ask(
    with: &str,
    what: &str,
    known: KnownMargins<'_>,
    positions: &[(u32, Vec<Game>)],
    [median_bar, high_bar]: [f64; 2],
    ask: impl Fn(&mut Solver<'_>, &Game) -> Result<(), Unsolved> + Sync,
) {
    let table = TranspositionTable::with_bytes(256 << 20);
    let (threads, never) = (NonZeroUsize::MIN.saturating_add(1), AtomicBool::new(false));
    let team = Team { threads, table: &table, known, stop: &never };
    let mut all = Vec::new();
    let mut medians = Vec::new();
    // The hardest positions come first, so that positions with more stones find no entries of their own in the table.
    for (stones, games) in positions {
        let mut times: Vec<f64> = Vec::new();
        for game in games {
            let begun = Instant::now();
            let answer = team.solve_together(
                Duration::from_mins(1),
                |_| (),
                |solver| {
                    solver.learn();
                    ask(solver, game)
                },
            );
            black_box(answer.found.is_ok());
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        medians.push(format!("{stones}: {:.2}", times[times.len() / 2]));
        all.extend(times);
    }
    all.sort_by(f64::total_cmp);
    let [median, high] = [all.len() / 2, all.len() * 99 / 100].map(|place| all[place]);
    println!("with {with}, {what}: median {median:.2} ms (bar {median_bar}), p99 {high:.1} ms (bar {high_bar})");
    println!("  medians by stones, in ms: {}", medians.join(", "));
}

/// Measures how long `perfect` takes to answer in games against random moves, with ten minutes on its clock.
fn show_perfect(games: u64) {
    let mut times = Vec::new();
    for seed in 0..games {
        let mut perfect = Perfect::new(ErrorRate::NEVER, seed);
        let mut random = SplitMix64::new(seed);
        let mut game = Game::default();
        while !game.is_over() {
            let placements: Vec<Point> = points(game.placements()).collect();
            let nth = usize::try_from(random.below(placements.len().max(1) as u64)).expect("few");
            let played = if game.side() == if seed % 2 == 0 { Side::Black } else { Side::White } {
                let begun = Instant::now();
                let (played, _) = perfect.choose(&game, Some(Duration::from_mins(10)));
                times.push(begun.elapsed().as_secs_f64() * 1e3);
                played
            } else {
                placements.get(nth).map_or(gothello_arena::game::Move::PASS, |point| point.to_move())
            };
            game = game.after(played);
        }
    }
    times.sort_by(f64::total_cmp);
    let most = times.last().copied().unwrap_or_default();
    println!("`perfect`, {} moves: median {:.2} ms (bar 100), most {most:.0} ms", times.len(), times[times.len() / 2]);
}

fn show_build() {
    let dir = std::env::temp_dir().join(format!("gothello-margins-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("made");
    let begun = Instant::now();
    let sharers = Sharers { threads: NonZeroUsize::MIN.saturating_add(1), stop: &AtomicBool::new(false) };
    let build = Build::new(BoardGrid::new(4), &dir, MarginPlan::default());
    assert!(build.run(&sharers, |_| (), |_, _| Ok::<_, BuildError>(())).expect("a build"));
    println!("a build of 4x4 points: {:.2} s (bar 2 s)", begun.elapsed().as_secs_f64());
    std::fs::remove_dir_all(&dir).expect("removed");
}
