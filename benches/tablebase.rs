//! Measures how long a lookup in the Seegover table takes, at places that caches cannot predict, and how long it takes
//! to find the value of every turn.
//!
//! The table is the one in the cache directory; `gothello-arena tablebase build seegover` builds it, and reports how
//! long that took.

use std::hint::black_box;
use std::time::Duration;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::exact::seegover::Tablebase;
use gothello_arena::exact::tablebase::{default_place, read};
use gothello_arena::game::seegover::{ALL, MoveRules, Square, View};
use rustix::time::{ClockId, clock_gettime};

/// The time limit for a lookup, in nanoseconds.
const BAR: f64 = 1000.0;

fn main() {
    // `cargo bench` passes `--bench`. Run as a test, the bench makes only a few lookups, to show that it still works.
    let full = std::env::args().any(|arg| arg == "--bench");
    let count = if full { 20_000_000 } else { 1000 };
    let rules = MoveRules::DEFAULT;
    let Some(Ok((_, table))) = default_place(rules).map(|place| read(&place, Some(rules))) else {
        println!("skipped: there is no table (gothello-arena tablebase build seegover)");
        return;
    };
    let mut random = SplitMix64::new(1977);
    let views: Vec<View> = (0..count).map(|_| any_position(&mut random)).collect();
    let floor = nanoseconds(&views, |view| u64::from(view.own()));
    let lookup = nanoseconds(&views, |view| u64::from(table.worth(view).is_some()));
    let turns = nanoseconds(&views[..count / 20], |view| all_turns(&table, view));
    println!("a lookup: {lookup:.0} ns (at most {BAR:.0}); reading the positions alone: {floor:.0} ns");
    println!("every turn of a position with its value: {turns:.0} ns");
}

fn all_turns(table: &Tablebase, view: View) -> u64 {
    table.turns(view).len() as u64
}

/// A random position of the move phase.
fn any_position(random: &mut SplitMix64) -> View {
    let hole = u8::try_from(random.below(25)).ok().and_then(Square::from_index).map_or(1, Square::bit);
    let own = u32::try_from(random.below(1 << 25)).unwrap_or_default() & !hole;
    View::new(own, ALL & !own & !hole).expect("one square is empty")
}

/// The CPU time of `work` for one position, in nanoseconds.
fn nanoseconds(views: &[View], work: impl Fn(View) -> u64) -> f64 {
    let begun = cpu_time();
    let sum: u64 = views.iter().map(|&view| work(view)).sum();
    black_box(sum);
    let each = cpu_time().saturating_sub(begun) * 1000 / u32::try_from(views.len().max(1)).unwrap_or(u32::MAX);
    each.as_secs_f64() * 1e6
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
