//! Measures how long it takes to judge every move of 60 games with its margin, on two threads: with only the margins in
//! the program, and with the table in the user's cache, if there is one.
//!
//! The games are between built-in bots, and each has 24 plies or more. As in `analyze`, all games share one
//! transposition table. To show how the time is spent, the bench takes samples: every 20 ms, the analyst reports which
//! position is being solved.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::{Duration, Instant};

use gothello_arena::exact::margin_table::table_file::MarginFile;
use gothello_arena::exact::solver::TranspositionTable;
use gothello_arena::game::gothello::Game;
use gothello_arena::game::{BySide, Position, Ruleset, Side};
use gothello_arena::players::bots::Bot;
use gothello_arena::players::bots::Thinker;
use gothello_arena::referee::record::{GameRecord, Ply};
use gothello_arena::referee::result::{GameResult, Termination};
use gothello_arena::results::analysis::by_solver::Analyst;

/// The limits for all games: without the table, and with it.
const BARS: [Duration; 2] = [Duration::from_mins(1), Duration::from_secs(10)];

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench judges one game, within a second, to show that it still
    // works. `-- 3` judges only 3 games.
    let full = std::env::args().any(|arg| arg == "--bench");
    let count = std::env::args().skip(1).find_map(|arg| arg.parse::<usize>().ok());
    let count = count.unwrap_or(if full { 60 } else { 1 });
    let budget = if full { Duration::from_mins(2) } else { Duration::from_secs(1) };
    let games: Vec<GameRecord> = (1..).map(played).filter(|record| record.plies.len() >= 24).take(count).collect();
    judge("the margins in the program", &games, None, budget, BARS[0]);
    match MarginFile::cached().expect("a sound table") {
        Some(file) => judge("the table", &games, Some(file), budget, BARS[1]),
        None => println!("there is no table in the cache"),
    }
}

/// Judges all `games`, and shows how long that took.
fn judge(with: &str, games: &[GameRecord], file: Option<MarginFile>, budget: Duration, bar: Duration) {
    let threads = NonZeroUsize::MIN.saturating_add(1);
    let mut analyst = Analyst::new(threads, TranspositionTable::with_bytes(256 << 20), None).looking_up(file);
    let mut samples: BTreeMap<u32, u32> = BTreeMap::new();
    let (mut moves, mut measured, mut longest) = (0, 0, Duration::ZERO);
    let begun = Instant::now();
    for record in games {
        let game_begun = Instant::now();
        let is_over = || game_begun.elapsed() >= budget;
        let analyzed = analyst.analyze(record, is_over, |empty| *samples.entry(empty).or_default() += 1);
        let analysis = analyzed.expect("Gothello has a solver");
        moves += analysis.moves.len();
        measured += analysis.moves.iter().filter(|judged| judged.lost().is_some()).count();
        longest = longest.max(game_begun.elapsed());
    }
    let (took, longest, bar) = (secs(begun.elapsed()), secs(longest), bar.as_secs());
    println!(
        "with {with}: {} games, {measured} of {moves} moves measured, {took:.1} s (bar {bar} s), a game at most {longest:.2} s",
        games.len()
    );
    let all: u32 = samples.values().sum();
    for (empty, count) in samples.into_iter().rev().filter(|&(_, count)| count * 50 >= all) {
        println!("  {empty} empty points: {:.0}% of the time", 100.0 * f64::from(count) / f64::from(all));
    }
}

const fn secs(time: Duration) -> f64 {
    time.as_secs_f64()
}

/// Plays a game between two built-in bots.
fn played(seed: u64) -> GameRecord {
    let depth = NonZeroU32::new(2);
    let mut bots = BySide {
        black: Bot::new(if seed.is_multiple_of(2) { Thinker::Greedy } else { Thinker::Alphabeta }, depth, 2 * seed),
        white: Bot::new(if seed.is_multiple_of(3) { Thinker::Greedy } else { Thinker::Alphabeta }, depth, 2 * seed + 1),
    };
    let mut game = Game::default();
    let mut plies = Vec::new();
    while !game.is_over() {
        let side = game.side();
        let played = bots[side].choose(&game);
        game = game.after(played);
        plies.push(Ply::untimed(side, played));
    }
    let outcome = game.outcome().expect("it is over");
    let result = GameResult::new(outcome.winner, Termination::Normal, outcome.margin, None).expect("a result");
    GameRecord {
        adjudicate: None,
        event: None,
        site: None,
        date: None,
        round: None,
        players: BySide::from_fn(|side: Side| side.to_string()),
        game: None,
        seed: None,
        ruleset: Ruleset::Gothello,
        time_control: None,
        time_scale: gothello_arena::referee::pace::TimeScale::ONE,
        meter: gothello_arena::referee::clock::Meter::Wall,
        digests: BySide::default(),
        usage: BySide::default(),
        other_tags: Vec::new(),
        opening_plies: 0,
        plies,
        unfinished: None,
        result: Ok(result),
    }
}
