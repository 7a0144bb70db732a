//! How long it takes to judge every move of a game: who wins at every ply, and exact margins from 17 empty points on.
//!
//! The games are of built-in bots, each of 24 plies or more, with the seeds below; the table is empty before each. Times are wall
//! time of two threads. Where it goes is sampled: the analyst tells every 20 ms which position is being solved.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gothello_arena::analysis::Analysis;
use gothello_arena::bots::Bot;
use gothello_arena::record::{GameRecord, Ply, Tries};
use gothello_arena::result::{GameResult, Termination};
use gothello_arena::rules::gothello::Game;
use gothello_arena::rules::{BySide, Position, Ruleset, Side};
use gothello_arena::team::Analyst;
use gothello_arena::tournament::Engine;

/// No game of these is given up.
const BUDGET: Duration = Duration::from_hours(1);

/// What a whole game may take.
const BAR: Duration = Duration::from_secs(20);

fn main() {
    // Cargo passes `--bench` when it wants figures; as a test, one game within a second shows that the bench still works. `-- 3`
    // judges 3 games only.
    let full = std::env::args().any(|arg| arg == "--bench");
    let count = std::env::args().skip(1).find_map(|arg| arg.parse::<usize>().ok());
    let count = count.unwrap_or(if full { 20 } else { 1 });
    let budget = if full { BUDGET } else { Duration::from_secs(1) };
    let never = AtomicBool::new(false);
    let mut took = Vec::new();
    let mut samples: BTreeMap<u32, u32> = BTreeMap::new();
    for (number, record) in (1..).map(played).filter(|record| record.plies.len() >= 24).take(count).enumerate() {
        let analyst = Analyst::new(NonZeroUsize::MIN.saturating_add(1), 256 << 20, budget, &never);
        let begun = Instant::now();
        let analysis = analyst.analyze(&record, |empty| *samples.entry(empty).or_default() += 1);
        took.push(begun.elapsed());
        println!(
            "game {}: {} plies, {} judged, {:.2} s",
            number + 1,
            analysis.moves.len(),
            judged(&analysis),
            begun.elapsed().as_secs_f64()
        );
    }
    took.sort();
    let [median, most] = [took.len() / 2, took.len() - 1].map(|index| took[index].as_secs_f64());
    println!("a game: median {median:.2} s (bar {} s), most {most:.2} s", BAR.as_secs());
    let all: u32 = samples.values().sum();
    for (empty, count) in samples.into_iter().rev().filter(|&(_, count)| count * 100 >= all) {
        println!("  {empty} empty points: {:.0} % of the time", 100.0 * f64::from(count) / f64::from(all));
    }
}

fn judged(analysis: &Analysis) -> usize {
    analysis.moves.iter().filter(|judged| judged.mark().is_some()).count()
}

/// A game of two built-in bots.
fn played(seed: u64) -> GameRecord {
    let depth = NonZeroU32::new(2);
    let mut bots = BySide {
        black: Bot::new(if seed % 2 == 0 { Engine::Greedy } else { Engine::Alphabeta }, depth, 2 * seed),
        white: Bot::new(if seed % 3 == 0 { Engine::Greedy } else { Engine::Alphabeta }, depth, 2 * seed + 1),
    };
    let mut game = Game::default();
    let mut plies = Vec::new();
    while !game.is_over() {
        let played = bots[game.side()].choose(&game);
        game = game.after(played);
        let tries = Tries::default();
        plies.push(Ply { played, elapsed: None, left: None, late_credit: false, tries, note: None });
    }
    let outcome = game.outcome().expect("it is over");
    let result = GameResult::new(outcome.winner, Termination::Normal, Some(outcome.margin), None).expect("a result");
    GameRecord {
        event: None,
        site: None,
        date: None,
        round: None,
        players: BySide::from_fn(|side: Side| side.to_string()),
        game: None,
        seed: None,
        ruleset: Ruleset::Gothello,
        time_control: None,
        meter: gothello_arena::clock::Meter::Wall,
        digests: BySide::default(),
        usage: BySide::default(),
        other_tags: Vec::new(),
        opening_plies: 0,
        plies,
        unfinished: None,
        result: Ok(result),
    }
}
