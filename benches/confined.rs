//! Measures the cost of confinement. Small native bots alternately play whole games with and without it, and each bot
//! measures the time from its move to the answer, both inside a namespace and outside.

#[path = "common/class.rs"]
mod class;
#[path = "common/figures.rs"]
mod figures;

use std::process::Command;
use std::time::Instant;

use class::{Class, Run};
use figures::{percentile, sorted};

const GAMES: u32 = 100;
const ROUNDS: usize = 7;

/// How long a process that does nothing takes from its start to its end, in milliseconds: the median of 200.
fn trivial_process() -> f64 {
    let time = || {
        let begun = Instant::now();
        assert!(Command::new("true").status().expect("it starts").success());
        begun.elapsed().as_secs_f64() * 1e3
    };
    percentile(&sorted((0..200).map(|_| time()).collect()), 0.5)
}

fn main() {
    let (class, in_sessions) = (Class::new(GAMES, "given"), Class::new(GAMES, "own"));
    println!("games of two small native bots, confined and not: {ROUNDS} times {GAMES} of each");
    let said = class.run("auto", "1").said;
    println!("  {}", said.lines().next().unwrap_or_default().trim_start_matches("gothello-arena: "));
    if !said.contains("are confined by tier") {
        return;
    }
    let (mut walls, mut beyond, mut rates, mut free_rates) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let [mut inside, mut outside, mut outside_alike] = [const { Vec::new() }; 3];
    let [mut cpus, mut free_cpus] = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        let (confined, free) = (class.run("auto", "1"), class.run("off", "1"));
        let by_tier_d = |run: &Run| run.logs.iter().filter(|log| log.contains("[Isolation \"D\"]")).count();
        assert_eq!((by_tier_d(&confined), by_tier_d(&free)), (0, free.logs.len()), "games confined otherwise");
        let [wall, free_wall] = [&confined, &free].map(|run| run.time.as_secs_f64() * 1e3 / f64::from(GAMES));
        walls.push(wall);
        beyond.push(wall - free_wall);
        for (all, run) in [(&mut cpus, &confined), (&mut free_cpus, &free)] {
            all.push(run.cpu.as_secs_f64() * 1e3 / f64::from(GAMES));
        }
        let alike = in_sessions.run("off", "1");
        for (all, run) in [(&mut inside, &confined), (&mut outside, &free), (&mut outside_alike, &alike)] {
            let answers = sorted(run.answers.iter().map(|nanos| nanos / 1e3).collect());
            all.push([0.5, 0.99].map(|share| percentile(&answers, share)));
        }
        rates.push(f64::from(GAMES) / class.run("auto", "2").time.as_secs_f64());
        free_rates.push(f64::from(GAMES) / class.run("off", "2").time.as_secs_f64());
    }
    let trivial = trivial_process();
    let [walls, beyond, rates, free_rates] = [walls, beyond, rates, free_rates].map(sorted);
    println!(
        "  a game, concurrency 1: {:.1} ms, which is {:.1} ms (bar 4; worst {:.1}) beyond an unconfined one; a trivial \
         process takes {trivial:.2} ms",
        percentile(&walls, 0.5),
        percentile(&beyond, 0.5),
        percentile(&beyond, 1.0)
    );
    let [rate, free_rate] = [&rates, &free_rates].map(|rates| percentile(rates, 0.5));
    println!(
        "  games a second, concurrency 2: {rate:.0} (worst {:.0}), unconfined {free_rate:.0}, ratio {:.2} (bar 0.65)",
        percentile(&rates, 0.0),
        rate / free_rate
    );
    let [cpu, free_cpu] = [cpus, free_cpus].map(|all| percentile(&sorted(all), 0.5));
    println!("  CPU time a game, of all processes: {cpu:.1} ms, unconfined {free_cpu:.1} ms");
    for (name, nth, bar) in [("p50", 0, 1.1), ("p99", 1, 1.3)] {
        let median =
            |rounds: &[[f64; 2]]| percentile(&sorted(rounds.iter().map(|figures| figures[nth]).collect()), 0.5);
        let [inside, outside, alike] = [&inside, &outside, &outside_alike].map(|rounds| median(rounds));
        println!(
            "  from a move to its answer, {name}: {inside:.1} us; unconfined in sessions of their own {alike:.1} us, ratio \
             {:.2} (bar {bar}), and in the arena's {outside:.1} us, ratio {:.2}",
            inside / alike,
            inside / outside
        );
    }
}
