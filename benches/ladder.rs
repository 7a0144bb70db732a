//! Measures the ladder: how long a fit and a decision take with a thousand versions and a million games, how many games
//! a ladder needs for a given error, compared with a round robin, and how often the error bars of a simulated term
//! contain the true strengths. Times are CPU times of one thread.
//!
//! `cargo bench --bench ladder` measures everything, and `-- speed`, `-- static` or `-- term` only one part.

use std::time::Duration;

use gothello_arena::base::normal;
use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::Side;
use gothello_arena::results::ladder::{
    LadderCounts, LadderFit, LadderPairer, LadderVersion, PairingRules, Selection, VersionState, active_versions,
    fit_interval,
};
use gothello_arena::results::rating::{Elo, Model};
use rustix::time::{ClockId, clock_gettime};

#[path = "common/simulated_ladder.rs"]
mod simulated_ladder;
use simulated_ladder::{SimulatedLadder, mean, term, usual_rules};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo bench` passes `--bench`. Run as a test, the bench uses only a small field, to show that it still works.
    let full = arguments.iter().any(|argument| argument == "--bench");
    let parts: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let is_chosen = |part: &str| parts.is_empty() || parts.iter().any(|chosen| *chosen == part);
    if is_chosen("speed") {
        let (versions, games) = if full { (1_000, 1_000_000) } else { (20, 2_000) };
        speed(versions, games);
    }
    if is_chosen("static") {
        let (fields, seeds) = if full { ([20, 40], 40) } else { ([4, 5], 1) };
        for players in fields {
            static_field(players, seeds);
        }
    }
    if is_chosen("term") {
        let (players, versions, seeds) = if full { (40, 15, 12_u32) } else { (3, 2, 1) };
        for progress in [0.0, 20.0] {
            let within = (0..seeds).map(|seed| whole_term(players, versions, u64::from(seed), Elo(progress)));
            println!("mean of {seeds} terms: {:.1}% (bar 93%)", mean(within));
        }
    }
}

/// Measures the time of everything that a ladder computes.
fn speed(versions: usize, games: u32) {
    let mut ladder = SimulatedLadder::of_static_players(versions, usual_rules(1));
    // No version is settled.
    ladder.rules = PairingRules { target_error: Elo(0.1), most_games: u64::MAX, ..ladder.rules };
    let ((), adding) = timed(|| play_at_random(&mut ladder, games));
    let fit = |start: Option<&LadderFit>| {
        timed(|| LadderFit::new(Model::Davidson, &ladder.versions, &[], &ladder.counts, start))
    };
    let (first, cold) = fit(None);
    let (fitted, warm) = fit(Some(&first));
    let (_, testing) = timed(|| fitted.selection_test(&ladder.counts));
    println!("{versions} versions, {games} games: fit {cold:.2?}, from the last one {warm:.2?} (bar 1 s)");
    println!("counting {adding:.2?}, test of the randomly drawn games {testing:.2?}");

    let active: Vec<usize> = (0..versions).collect();
    let start = || LadderPairer::new(ladder.rules, &ladder.versions, &active, &fitted, (&ladder.counts, &[]));
    let (mut pairer, starting) = timed(start);
    let decisions = 100;
    let (made, deciding) = timed(|| (0..decisions).filter_map(|decision| pairer.next(decision)).count());
    let each = deciding / u32::try_from(made.max(1)).expect("few");
    println!("{made} decisions, {each:.2?} each (bar 50 ms), after {starting:.2?} for each fit");

    let (text, storing) = timed(|| serde_json::to_string(&ladder.counts).expect("numbers"));
    let (read, reading) = timed(|| serde_json::from_str::<LadderCounts>(&text).expect("as written"));
    assert!(read == ladder.counts, "the counts differ");
    println!("counts: {} bytes of JSON, written in {storing:.2?}, read in {reading:.2?}", text.len());
}

/// Plays games between versions that are selected at random. A tenth of the games are draws.
fn play_at_random(ladder: &mut SimulatedLadder, games: u32) {
    let versions = ladder.versions.len();
    for game in 0..games {
        let black = ladder.below(versions);
        let white = (black + 1 + ladder.below(versions - 1)) % versions;
        let selection = if game % 10 == 0 { Selection::Drawn } else { Selection::Chosen };
        ladder.play_game(black, white, selection);
    }
}

/// Compares the number of games that a ladder of players with one version each needs with that of a round robin.
fn static_field(players: usize, seeds: u64) {
    let fields = || (0..seeds).map(|seed| SimulatedLadder::of_static_players(players, usual_rules(seed)));
    let ladder: u64 = fields().map(|mut field| field.play(u64::MAX)).sum();
    let round_robin: u64 = fields().map(|mut field| field.play_round_robin()).sum();
    println!(
        "{players} players, target 40: {} games, round robin {}, {}% (bar 40%)",
        ladder / seeds,
        round_robin / seeds,
        100 * ladder / round_robin.max(1)
    );
}

/// Plays a term, and compares the true strengths with the error bars. Returns the percentage of strengths within the
/// bars.
fn whole_term(players: u32, versions: usize, seed: u64, progress: Elo) -> f64 {
    let mut ladder = SimulatedLadder::new(usual_rules(seed));
    let ((), took) = timed(|| term(&mut ladder, players, versions, progress));
    let fit = ladder.fit();
    let within = percent(ladder.within_bars(&fit), ladder.versions.len());
    let active = ladder.active(&fit);
    let errors = SimulatedLadder::errors(&fit, &active);
    println!(
        "{players} players, {versions} versions each, better by {progress:.0} Elo each: {} games, {within:.1}% of the true strengths within the bars, \
         mean error of the active versions {:.1}, p of the randomly drawn games {:.2}, {took:.0?}",
        ladder.counts.total(),
        mean(active.iter().map(|&version| errors[version])),
        fit.selection_test(&ladder.counts).p_value.unwrap_or(1.0),
    );
    within
}

fn percent(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).expect("few"));
    100.0 * number(part) / number(whole)
}

/// Returns the result of `work`, and the CPU time that it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.try_into().expect("positive"), time.tv_nsec.try_into().expect("positive"))
    };
    let start = now();
    let result = work();
    (result, now().saturating_sub(start))
}
