//! The schedule of whole tournaments: the guarantees of every format, no matter which players win and when results
//! arrive.

mod extended;
mod knockout;
mod openings;
mod sprt;
mod swiss;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use gothello_arena::base::random::mix;
use gothello_arena::game::Side;
use gothello_arena::tournament::schedule::{Decided, GameId, GameSpec, Results, Schedule, ScheduleFrame, Step};
use gothello_arena::tournament::{Format, Tournament};
use proptest::prelude::*;

/// A tournament of `players` random bots with the keys `keys` at the top level. The bots in `challengers` are
/// challengers.
fn with_keys(keys: &str, players: usize, challengers: &[usize]) -> Tournament {
    let mut text = format!("{keys}\n");
    for i in 0..players {
        write!(text, "[[player]]\nname = \"p{i}\"\nbuiltin = \"random\"\n").unwrap();
        if challengers.contains(&i) {
            text += "challenger = true\n";
        }
    }
    Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"))
}

/// A round robin.
fn tournament(players: usize, rounds: u32, seed: u64) -> Tournament {
    with_keys(&format!("rounds = {rounds}\nseed = {seed}"), players, &[])
}

/// The result of the game `id` in the world numbered `world`. Every result is possible.
fn chance(world: u64, id: &GameId) -> Decided {
    match mix(world, id.as_str()) % 16 {
        0..=5 => Decided::Won(Side::Black),
        6..=11 => Decided::Won(Side::White),
        12..=14 => Decided::Drawn,
        _ => Decided::BothForfeited,
    }
}

/// All games of a tournament in which every result is known before the next game begins.
fn one_by_one(tournament: &Tournament, outcome: impl Fn(&GameSpec) -> Decided) -> (Vec<GameSpec>, Results) {
    let (mut schedule, mut results, mut games) = (Schedule::new(tournament), Results::default(), Vec::new());
    loop {
        match schedule.next(&results) {
            Step::Game(spec) => {
                results.insert(spec.id.clone(), outcome(&spec));
                games.push(spec);
            }
            Step::Wait => panic!("no result is missing"),
            Step::Done => return (games, results),
        }
    }
}

/// All games of a tournament in which up to `concurrency` games run at a time and end in an order drawn from `shuffle`.
fn side_by_side(tournament: &Tournament, world: u64, concurrency: usize, shuffle: u64) -> Vec<GameSpec> {
    let (mut schedule, mut results, mut games) = (Schedule::new(tournament), Results::default(), Vec::new());
    let mut running: Vec<GameSpec> = Vec::new();
    for turn in 0_u64.. {
        let step = if running.len() < concurrency { schedule.next(&results) } else { Step::Wait };
        match step {
            Step::Game(spec) => {
                running.push(spec.clone());
                games.push(spec);
                continue;
            }
            Step::Done if running.is_empty() => break,
            Step::Wait | Step::Done => assert!(!running.is_empty(), "the schedule waits although no game is running"),
        }
        let ended = usize::try_from(mix(shuffle, &turn.to_string()) % running.len() as u64).unwrap();
        let ended = running.swap_remove(ended);
        results.insert(ended.id.clone(), chance(world, &ended.id));
    }
    games
}

/// Tournaments of every format.
fn any_tournament() -> impl Strategy<Value = Tournament> {
    let seed = any::<u32>();
    prop_oneof![
        (2_usize..9, 1_u32..4, seed).prop_map(|(players, rounds, seed)| tournament(players, rounds, u64::from(seed))),
        (2_usize..9, 1_u32..4, seed).prop_map(|(players, rounds, seed)| {
            with_keys(&format!("format = \"gauntlet\"\nrounds = {rounds}\nseed = {seed}"), players, &[players / 2])
        }),
        (2_usize..20, 1_usize..8, 1_u32..3, seed).prop_map(|(players, rounds, games, seed)| {
            let rounds = rounds.min(players - 1);
            let keys = format!("format = \"swiss\"\nrounds = {rounds}\ngames = {games}\nseed = {seed}");
            with_keys(&keys, players, &[])
        }),
        (2_usize..20, 1_u32..5).prop_map(|(players, pairs)| {
            with_keys(&format!("format = \"knockout\"\npairs = {pairs}"), players, &[])
        }),
        (1_u32..200, 1_u32..300).prop_map(|(max_pairs, elo1)| {
            with_keys(&format!("format = \"sprt\"\nelo1 = {elo1}\nmax_pairs = {max_pairs}"), 2, &[])
        }),
    ]
}

proptest! {
    #[test]
    fn the_order_does_not_depend_on_when_results_arrive(
        tournament in any_tournament(), world in any::<u64>(), concurrency in 1_usize..12, shuffle in any::<u64>(),
    ) {
        let (alone, _) = one_by_one(&tournament, |spec| chance(world, &spec.id));
        let together = side_by_side(&tournament, world, concurrency, shuffle);
        // A sequential test may begin games beyond its end.
        prop_assert!(together.len() >= alone.len() && together[..alone.len()] == alone[..]);
        let is_test = matches!(tournament.format, Format::Sprt { .. });
        prop_assert!(is_test || together.len() == alone.len());
    }

    #[test]
    fn a_resumed_run_has_the_same_games_in_the_same_order(
        tournament in any_tournament(), world in any::<u64>(), kept in any::<u64>(),
    ) {
        let (games, results) = one_by_one(&tournament, |spec| chance(world, &spec.id));
        prop_assert_eq!(Schedule::new(&tournament).missing(&results).count(), 0);
        // Any subset of the results may already be known, regardless of the order in which they arrived.
        let there: Results = games
            .iter()
            .filter(|spec| mix(kept, spec.id.as_str()).is_multiple_of(2))
            .map(|spec| (spec.id.clone(), chance(world, &spec.id)))
            .collect();
        prop_assert_eq!(Schedule::new(&tournament).missing(&there).count() > 0, there.len() < results.len());
        let (mut schedule, mut results, mut again) = (Schedule::new(&tournament), there, Vec::new());
        while let Step::Game(spec) = schedule.next(&results) {
            results.insert(spec.id.clone(), chance(world, &spec.id));
            again.push(spec);
        }
        prop_assert_eq!(again, games);
    }

    #[test]
    fn ids_are_unique_and_the_number_of_games_is_within_bounds(tournament in any_tournament(), world in any::<u64>()) {
        let schedule = Schedule::new(&tournament);
        let (games, _) = one_by_one(&tournament, |spec| chance(world, &spec.id));
        prop_assert_eq!(games.iter().map(|spec| &spec.id).collect::<HashSet<_>>().len(), games.len());
        prop_assert!(games.len() as u64 <= schedule.at_most());
        prop_assert!(schedule.len().is_none_or(|len| len == games.len() as u64));
        prop_assert!(games.is_sorted_by_key(|spec| spec.round));
        if !schedule.needs_results() {
            prop_assert_eq!(schedule.games().collect::<Vec<_>>(), games);
        }
    }
}

#[test]
fn ids_consist_of_round_and_players() {
    let spec = Schedule::new(&tournament(2, 1, 0)).get(0).unwrap();
    assert_eq!(spec.id.as_str(), "r1-p1-p0");
    assert_eq!((spec.pair().black, spec.pair().white), (1, 0));
    assert_eq!(GameId::new(7, "a_b", "c", 2).as_str(), "r7-a_b-c-2");
}

#[test]
fn game_seeds_depend_only_on_the_tournaments_seed_and_the_id() {
    // This is the same game in a tournament with more players and rounds.
    let small = Schedule::new(&tournament(2, 1, 441)).get(0).unwrap();
    let large = Schedule::new(&tournament(9, 4, 441)).games().find(|game| game.id == small.id).unwrap();
    assert_eq!(small.seed, large.seed);
    let other = Schedule::new(&tournament(2, 1, 442)).get(0).unwrap();
    assert_eq!(small.id, other.id);
    assert_ne!(small.seed, other.seed);
    assert_eq!(Schedule::new(&tournament(5, 3, 1)).games().map(|game| game.seed).collect::<HashSet<_>>().len(), 60);
}

#[test]
fn the_seeds_of_the_two_seats_differ_and_fit_into_31_bits() {
    for game in Schedule::new(&tournament(6, 2, 7)).games() {
        let seeds = Side::BOTH.map(|side| game.seat_seed(side.into()));
        assert_ne!(seeds[0], seeds[1]);
        assert!(seeds.iter().all(|&seed| seed < 1 << 31));
    }
}

#[test]
fn ten_million_games_are_scheduled_instantly() {
    let schedule = Schedule::new(&tournament(1_000, 10, 0));
    assert_eq!(schedule.len(), Some(9_990_000));
    assert_eq!(schedule.get(9_989_999).unwrap().round, 10);
    assert_eq!(schedule.get(9_990_000), None);
}

#[test]
fn in_a_gauntlet_challengers_meet_only_the_others() {
    let games: Vec<GameSpec> =
        Schedule::new(&with_keys("format = \"gauntlet\"\nrounds = 2", 5, &[1, 3])).games().collect();
    assert_eq!(games.len(), 24);
    let mut met = BTreeMap::new();
    for game in &games {
        let challengers = Side::BOTH.map(|side| [1, 3].contains(&game.players[side]));
        assert_ne!(challengers[0], challengers[1]);
        *met.entry((game.pair().black, game.pair().white)).or_insert(0) += 1;
    }
    assert!(met.len() == 12 && met.values().all(|&times| times == 2), "{met:?}");
}

/// The frame of a tournament with the keys `keys`. In a gauntlet, the second player is the challenger.
fn frame(keys: &str, players: usize) -> ScheduleFrame {
    ScheduleFrame::from(&with_keys(keys, players, if keys.contains("gauntlet") { &[1] } else { &[] }))
}

proptest! {
    #[test]
    fn an_extended_tournament_keeps_its_games_in_their_places(
        format in prop_oneof![Just("round-robin"), Just("gauntlet")],
        sizes in proptest::collection::vec((0_usize..3, 0_u32..3), 1..4),
    ) {
        let (mut players, mut rounds) = (2, 1);
        let mut frames = Vec::new();
        for (more_players, more_rounds) in sizes {
            (players, rounds) = (players + more_players, rounds + more_rounds);
            frames.push(frame(&format!("format = \"{format}\"\nrounds = {rounds}\nopenings = {{ plies = 1 }}"), players));
        }
        let mut before: Vec<GameSpec> = Vec::new();
        for (index, frame) in frames.iter().enumerate() {
            let schedule = Schedule::of(frame, &frames[..index]);
            let games: Vec<GameSpec> = schedule.games().collect();
            prop_assert!(games.starts_with(&before), "no game may change its place");
            let ids = |games: &mut dyn Iterator<Item = GameSpec>| games.map(|game| game.id).collect::<HashSet<_>>();
            prop_assert_eq!(ids(&mut games.iter().cloned()), ids(&mut Schedule::of(frame, &[]).games()));
            prop_assert_eq!(games.len() as u64, schedule.at_most());
            for (number, game) in (0..).zip(&games) {
                let found = schedule.get(number);
                prop_assert_eq!(found.as_ref(), Some(game));
            }
            before = games;
        }
    }

    #[test]
    fn more_rounds_of_a_swiss_tournament_keep_the_first_ones(players in 6_usize..12, world: u64) {
        let [(short, _), (long, _)] = ["2", "4"].map(|rounds| {
            let tournament = with_keys(&format!("format = \"swiss\"\nrounds = {rounds}"), players, &[]);
            one_by_one(&tournament, |spec| chance(world, &spec.id))
        });
        prop_assert!(long.len() > short.len() && long.starts_with(&short));
    }
}
