//! Measures how long standings take, compared with floors measured in the same run: reading a million games of a
//! hundred players from results.csv, a fit, with its covariance, of a thousand players with a million games, and a fit
//! of a hundred players with a hundred thousand games of four.
//!
//! The floor for the first scans each byte of the file for the ends of fields, which every reader must do. The floor
//! for the second does the multiplications of three decompositions of a matrix of that size: Newton's method, including
//! the inverse, hardly manages with fewer. The floor for the third computes the weight of each seat in each game five
//! times.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySeat, Seat, Side};
use gothello_arena::results::rating::{Fit, Model, PairResults, PlacedGame, PlacedResults, PlacingFit, Prior, Wdl};
use gothello_arena::results::report::{RESULTS_COLUMNS, each_result, final_report};
use gothello_arena::results::standings::{RatingOptions, Standings, Tally};

/// How many times each figure is measured. The fastest run counts, because it was disturbed least by the rest of the
/// machine.
const RUNS: u32 = 3;

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench uses only a small field, to show that it still works.
    let full = std::env::args().any(|arg| arg == "--bench");
    let (games, players) = if full { (1_000_000, [100, 1000]) } else { (2_000, [10, 20]) };

    let text = results_csv(players[0], games);
    let read = fastest(|| {
        let mut tally = Tally::default();
        each_result(black_box(&text), |game| tally.add(game)).expect("the file is right");
        let standings = Standings::new(&tally, &RatingOptions::default()).expect("no anchor");
        black_box(final_report(&standings));
    });
    let read_floor = fastest(|| {
        black_box(black_box(&text).bytes().filter(|byte| matches!(byte, b',' | b'\n' | b'"')).count());
    });
    show(&format!("standings of {games} games, {} players", players[0]), read, read_floor);

    let results = results(players[1], games);
    for model in [Model::Davidson, Model::BtHalf] {
        let fit = fastest(|| {
            black_box(Fit::new(black_box(&results), model, Prior::Weak));
        });
        let floor = fastest(|| {
            black_box([(); 3].map(|()| triangle(black_box(players[1]))));
        });
        show(&format!("fit of {} players, {}", players[1], model.name()), fit, floor);
    }

    let placed = placed_results(players[0], games / 10);
    let fit = fastest(|| {
        black_box(PlacingFit::anchored(black_box(&placed), Prior::Weak, &[]).expect("no anchor"));
    });
    let floor = fastest(|| {
        let weights = (0..5 * 4 * games / 10).map(|number| f64::from(u32::try_from(number % 100).unwrap_or(0)) / 100.0);
        black_box(weights.map(|value| black_box(value).exp()).sum::<f64>());
    });
    show(&format!("fit of {} players, {} games of four", players[0], games / 10), fit, floor);
}

/// Creates a results.csv of games between players of increasing strength.
fn results_csv(players: usize, games: u64) -> String {
    let columns = RESULTS_COLUMNS;
    let mut text = columns.join(",") + "\n";
    // The columns after the digest are empty, and so are the columns before it for the remaining time on the clocks.
    let rest = ",".repeat(columns.len() - 14);
    let mut random = SplitMix64::new(1);
    for number in 0..games {
        let (black, white, winner) = game(players, &mut random);
        let (winner, margin) = match winner {
            None => ("draw", 0),
            Some(Side::Black) => ("black", 3),
            Some(Side::White) => ("white", -3),
        };
        let digest = [(); 4].map(|()| format!("{:016x}", random.next_u64())).concat();
        let round = number / 1000 + 1;
        writeln!(
            text,
            "r{round}-player_{black:04}-player_{white:04}-{number},{round},player {black:04},player {white:04},{winner},\
             {margin},normal,,24,12.345678,9.000001,,,{digest}{rest}"
        )
        .expect("writing to a string does not fail");
    }
    text
}

/// Creates the results of the same number of games, counted by pairs of players.
fn results(players: usize, games: u64) -> PairResults {
    let mut results = PairResults::default();
    for player in 0..players {
        results.player(&format!("player {player:04}"));
    }
    let mut random = SplitMix64::new(2);
    for _ in 0..games {
        let (black, white, winner) = game(players, &mut random);
        results.add(black, white, Wdl::game(Side::Black, winner));
    }
    results
}

/// Creates the results of games of four, in which players with a higher index are stronger.
fn placed_results(players: usize, games: u64) -> PlacedResults {
    let mut results = PlacedResults::new(4);
    for player in 0..players {
        results.player(&format!("player {player:04}"));
    }
    let mut random = SplitMix64::new(3);
    let mut below = |n: usize| usize::try_from(random.below(n as u64)).expect("less than n");
    for _ in 0..games {
        let mut table: Vec<usize> = Vec::with_capacity(4);
        while table.len() < 4 {
            let player = below(players);
            if !table.contains(&player) {
                table.push(player);
            }
        }
        let luck: Vec<usize> = table.iter().map(|&player| player + below(2 * players)).collect();
        let place = |seat: Seat| {
            let better = |other: usize| {
                luck[other] > luck[seat.index()] || luck[other] == luck[seat.index()] && other < seat.index()
            };
            u8::try_from(1 + (0..4).filter(|&other| better(other)).count()).expect("at most four")
        };
        let seated = BySeat::from_fn(4, |seat| table[seat.index()]);
        results.add(PlacedGame::new(&seated, &BySeat::from_fn(4, place)));
    }
    results
}

/// Plays a random game. A tenth of the games are drawn, and players with a higher index are stronger.
fn game(players: usize, random: &mut SplitMix64) -> (usize, usize, Option<Side>) {
    let mut below = |n: usize| usize::try_from(random.below(n as u64)).expect("less than n");
    let black = below(players);
    let white = (black + 1 + below(players - 1)) % players;
    let winner = match below(10) {
        0 => None,
        _ if below(2 * players) < players + black - white.min(black) => Some(Side::Black),
        _ => Some(Side::White),
    };
    (black, white, winner)
}

/// Computes only the sums of products of a Cholesky decomposition.
fn triangle(size: usize) -> f64 {
    let rows = vec![vec![1.000_001_f64; size]; size];
    let mut sum = 0.0;
    for i in 0..size {
        for j in 0..=i {
            let mut lanes = [0.0; 8];
            for (a, b) in rows[i][..j].chunks_exact(8).zip(rows[j][..j].chunks_exact(8)) {
                for lane in 0..8 {
                    lanes[lane] += a[lane] * b[lane];
                }
            }
            sum += lanes.iter().sum::<f64>();
        }
    }
    sum
}

fn show(what: &str, took: Duration, floor: Duration) {
    println!("{what}: {took:.2?}, floor {floor:.2?}, ratio {:.1}", took.as_secs_f64() / floor.as_secs_f64());
}

/// Returns the shortest time that `work` took.
fn fastest(work: impl Fn()) -> Duration {
    let run = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (1..RUNS).map(|_| run()).fold(run(), Duration::min)
}
