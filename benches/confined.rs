//! What confinement costs: whole games of small native bots with it and without, in turns; and the time from a bot's move to
//! its answer, as the bot itself measures it, in its namespace and outside.

#[path = "common/class.rs"]
mod class;
#[path = "common/figures.rs"]
mod figures;

use class::Class;
use figures::{percentile, sorted};

const GAMES: u32 = 100;
const ROUNDS: usize = 7;

fn main() {
    let class = Class::new(GAMES);
    println!("games of two small native bots, confined and not: {ROUNDS} times {GAMES} of each");
    let said = class.run("auto", "1").said;
    println!("  {}", said.lines().next().unwrap_or_default().trim_start_matches("gothello-arena: "));
    if !said.contains("are confined by tier") {
        return;
    }
    let (mut walls, mut beyond, mut rates, mut free_rates) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (confined, free) = (class.run("auto", "1"), class.run("off", "1"));
        let [wall, free_wall] = [&confined, &free].map(|run| run.time.as_secs_f64() * 1e3 / f64::from(GAMES));
        walls.push(wall);
        beyond.push(wall - free_wall);
        inside.extend(confined.answers.iter().map(|nanos| nanos / 1e3));
        outside.extend(free.answers.iter().map(|nanos| nanos / 1e3));
        rates.push(f64::from(GAMES) / class.run("auto", "2").time.as_secs_f64());
        free_rates.push(f64::from(GAMES) / class.run("off", "2").time.as_secs_f64());
    }
    let [walls, beyond, rates, free_rates, inside, outside] =
        [walls, beyond, rates, free_rates, inside, outside].map(sorted);
    println!(
        "  a game, concurrency 1: {:.1} ms, which is {:.1} ms (bar 25; worst {:.1}) beyond an unconfined one",
        percentile(&walls, 0.5),
        percentile(&beyond, 0.5),
        percentile(&beyond, 1.0)
    );
    println!(
        "  games a second, concurrency 2: {:.0} (bar 75; worst {:.0}), unconfined {:.0}",
        percentile(&rates, 0.5),
        percentile(&rates, 0.0),
        percentile(&free_rates, 0.5)
    );
    for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        let (figure, floor) = (percentile(&inside, share), percentile(&outside, share));
        println!(
            "  from a move to its answer, {name}: {figure:.1} us, unconfined {floor:.1} us, ratio {:.2} (bar 1.1)",
            figure / floor
        );
    }
}
