//! Measures how long it takes to judge every move of a game: who wins at every ply, and exact margins from 17 empty
//! points on.
//!
//! The games are between built-in bots, and each has 24 plies or more; the table is empty before each game. Times are
//! the wall time of two threads. To show how the time is spent, the bench takes samples: every 20 ms, the analyst
//! reports which position is being solved.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::{Duration, Instant};

use gothello_arena::exact::solver::Table;
use gothello_arena::game::gothello::Game;
use gothello_arena::game::{BySide, Position, Ruleset, Side};
use gothello_arena::players::bots::Bot;
use gothello_arena::players::bots::Thinker;
use gothello_arena::referee::record::{GameRecord, Ply};
use gothello_arena::referee::result::{GameResult, Termination};
use gothello_arena::results::analysis::by_solver::Analyst;

/// The budget of a game in which the book does not help.
const BUDGET: Duration = Duration::from_mins(2);

/// The maximum number of empty points of a position that is not in the book, which contains the first three plies.
const AFTER_BOOK: u32 = 21;

/// The time limit for a whole game.
const BAR: Duration = Duration::from_secs(20);

fn main() {
    // `cargo bench` passes `--bench`; as a test, one game within a second shows that the bench still works. `-- 3`
    // judges only 3 games.
    let full = std::env::args().any(|arg| arg == "--bench");
    let count = std::env::args().skip(1).find_map(|arg| arg.parse::<usize>().ok());
    let count = count.unwrap_or(if full { 20 } else { 1 });
    let budget = if full { BUDGET } else { Duration::from_secs(1) };
    let (mut took, mut after_book) = (Vec::new(), Vec::new());
    let mut samples: BTreeMap<u32, u32> = BTreeMap::new();
    for (number, record) in (1..).map(played).filter(|record| record.plies.len() >= 24).take(count).enumerate() {
        let mut analyst = Analyst::new(NonZeroUsize::MIN.saturating_add(1), Table::with_bytes(256 << 20), None);
        let begun = Instant::now();
        let (mut looks, mut looks_after_book) = (0_u32, 0_u32);
        let analyzed = analyst.analyze(
            &record,
            || begun.elapsed() >= budget,
            |empty| {
                *samples.entry(empty).or_default() += 1;
                looks += 1;
                looks_after_book += u32::from(empty <= AFTER_BOOK);
            },
        );
        let analysis = analyzed.expect("Gothello has a solver");
        took.push(begun.elapsed());
        after_book.push(took[number] * looks_after_book / looks.max(1));
        let judged = analysis.moves.iter().filter(|judged| judged.quality().is_some()).count();
        println!("game {}: {judged} of {} plies judged, {:.2} s", number + 1, analysis.moves.len(), secs(took[number]));
    }
    show("a whole game", took);
    show("its positions of up to 21 empty points", after_book);
    let all: u32 = samples.values().sum();
    for (empty, count) in samples.into_iter().rev().filter(|&(_, count)| count * 100 >= all) {
        println!("  {empty} empty points: {:.0} % of the time", 100.0 * f64::from(count) / f64::from(all));
    }
}

fn show(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let [median, most] = [times.len() / 2, times.len() - 1].map(|index| secs(times[index]));
    println!("{what}: median {median:.2} s (bar {} s), most {most:.2} s", BAR.as_secs());
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
