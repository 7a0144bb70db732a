//! Extended tournaments: more players, more rounds, more pairs.

use std::collections::{HashMap, HashSet};

use gothello_arena::game::Side;
use gothello_arena::tournament::schedule::{Decided, GameSpec, Results, Schedule, ScheduleFrame};
use proptest::prelude::*;

use super::{chance, one_by_one, with_keys};

/// The frame of a tournament of this size. In a gauntlet, players 0, 3, 6 and so on are challengers, so that extensions
/// bring both new challengers and other new players.
fn planned(format: &str, players: usize, rounds: u32, plies: u32) -> ScheduleFrame {
    let openings = if plies == 0 { String::new() } else { format!("openings = {{ plies = {plies} }}\n") };
    let challengers: Vec<usize> = if format == "gauntlet" { (0..players).step_by(3).collect() } else { Vec::new() };
    let keys = format!("format = \"{format}\"\nrounds = {rounds}\n{openings}seed = 5");
    ScheduleFrame::from(&with_keys(&keys, players, &challengers))
}

/// The games without their numbers, sorted by id.
fn sorted(games: &[GameSpec]) -> Vec<GameSpec> {
    let mut games: Vec<GameSpec> = games.iter().map(|game| GameSpec { number: 0, ..game.clone() }).collect();
    games.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    games
}

/// The sizes of a field that grows up to three times: by players, by rounds, by both, or not at all.
fn growth() -> impl Strategy<Value = Vec<(usize, u32)>> {
    (2_usize..6, 1_u32..4, proptest::collection::vec((0_usize..4, 0_u32..4), 1..4)).prop_map(
        |(players, rounds, more)| {
            let mut sizes = vec![(players, rounds)];
            for (more_players, more_rounds) in more {
                let (players, rounds) = sizes[sizes.len() - 1];
                sizes.push((players + more_players, rounds + more_rounds));
            }
            sizes
        },
    )
}

proptest! {
    #[test]
    fn every_colour_pair_is_in_one_shard_and_stays_there_when_the_tournament_is_extended(
        format in prop_oneof![Just("round-robin"), Just("gauntlet")], sizes in growth(), of in 1_u32..6,
    ) {
        let frames: Vec<ScheduleFrame> = sizes.iter().map(|&(players, rounds)| planned(format, players, rounds, 1)).collect();
        let mut homes: HashMap<u64, u32> = HashMap::new();
        for (index, frame) in frames.iter().enumerate() {
            let whole = Schedule::of(frame, &frames[..index]);
            let all: Vec<GameSpec> = whole.games().collect();
            let mut seen = 0;
            for nth in 1..=of {
                let shard = format!("{nth}/{of}").parse().expect("a shard");
                let mut part = whole.of_shard(shard).expect("planned");
                let games: Vec<GameSpec> = part.games().collect();
                prop_assert_eq!(part.len(), Some(games.len() as u64));
                prop_assert!(games.is_sorted_by_key(|game| game.number));
                for game in &games {
                    // The game has the same number, id, colours, seed and opening as in the whole tournament.
                    prop_assert_eq!(Some(game), all.get(usize::try_from(game.number).expect("small")));
                    prop_assert_eq!(*homes.entry(game.number).or_insert(nth), nth, "{} has moved", game.id);
                    let is_other_half = |other: &&GameSpec| other.round == game.round
                        && (other.pair().black, other.pair().white) == (game.pair().white, game.pair().black);
                    prop_assert!(games.iter().any(|other| is_other_half(&other)), "{} is without its pair", game.id);
                }
                prop_assert_eq!(part.missing(&Results::default()).collect::<Vec<_>>(), games.clone(), "one by one");
                seen += games.len();
            }
            prop_assert_eq!(seen, all.len());
        }
    }

    #[test]
    fn an_extension_appends_and_moves_nothing(
        format in prop_oneof![Just("round-robin"), Just("gauntlet")], sizes in growth(), plies in 0_u32..3,
    ) {
        let frames: Vec<ScheduleFrame> = sizes.iter().map(|&(players, rounds)| planned(format, players, rounds, plies)).collect();
        let mut before: Vec<GameSpec> = Vec::new();
        for (index, frame) in frames.iter().enumerate() {
            let extended = Schedule::of(frame, &frames[..index]);
            let games: Vec<GameSpec> = extended.games().collect();
            // A spec includes id, round, colours, seed and opening.
            prop_assert_eq!(&games[..before.len()], &before[..], "part {} of {:?}", index, sizes);
            let ids: HashSet<&str> = games.iter().map(|game| game.id.as_str()).collect();
            prop_assert_eq!(ids.len(), games.len(), "ids must be unique");
            let fresh: Vec<GameSpec> = Schedule::of(frame, &[]).games().collect();
            prop_assert_eq!(sorted(&games), sorted(&fresh), "an extended schedule has the games of a fresh one");
            prop_assert_eq!(extended.len(), Some(games.len() as u64));
            prop_assert!(games.iter().map(|game| game.number).eq(0..games.len() as u64));
            before = games;
        }
    }

    #[test]
    fn an_extended_schedule_finds_each_game_by_its_place(
        format in prop_oneof![Just("round-robin"), Just("gauntlet")], sizes in growth(), taken in 0_usize..40,
    ) {
        let frames: Vec<ScheduleFrame> = sizes.iter().map(|&(players, rounds)| planned(format, players, rounds, 0)).collect();
        let (last, earlier) = frames.split_last().expect("at least two");
        let mut schedule = Schedule::of(last, earlier);
        let games: Vec<GameSpec> = schedule.games().collect();
        let taken = taken.min(games.len());
        let none = Results::default();
        for game in &games[..taken] {
            prop_assert_eq!(schedule.next(&none), gothello_arena::tournament::schedule::Step::Game(game.clone()));
        }
        prop_assert_eq!(schedule.rest().collect::<Vec<_>>(), games[taken..].to_vec());
        for (number, game) in (0..).zip(&games) {
            let found = schedule.get(number);
            prop_assert_eq!(found.as_ref(), Some(game));
        }
        prop_assert_eq!(schedule.get(games.len() as u64), None);
    }

    #[test]
    fn exactly_the_new_games_of_an_extension_are_missing(
        format in prop_oneof![Just("round-robin"), Just("gauntlet")], sizes in growth(),
    ) {
        let frames: Vec<ScheduleFrame> = sizes.iter().map(|&(players, rounds)| planned(format, players, rounds, 0)).collect();
        let (last, earlier) = frames.split_last().expect("at least two");
        let old: Vec<GameSpec> = Schedule::of(&earlier[earlier.len() - 1], &earlier[..earlier.len() - 1]).games().collect();
        let results: Results = old.iter().map(|game| (game.id.clone(), Decided::Drawn)).collect();
        let missing: Vec<GameSpec> = Schedule::of(last, earlier).missing(&results).collect();
        let all: Vec<GameSpec> = Schedule::of(last, earlier).games().collect();
        prop_assert_eq!(missing, all[old.len()..].to_vec());
    }

    #[test]
    fn a_longer_swiss_tournament_begins_like_the_shorter_one(
        players in 3_usize..10, games in 1_u32..3, short in 1_u32..3, world: u64,
    ) {
        let more = short + 1;
        prop_assume!(usize::try_from(more).unwrap() < players);
        let [short, long] = [short, more].map(|rounds| {
            let keys = format!("format = \"swiss\"\nrounds = {rounds}\ngames = {games}");
            one_by_one(&with_keys(&keys, players, &[]), |spec| chance(world, &spec.id)).0
        });
        prop_assert!(short.len() < long.len());
        prop_assert_eq!(&long[..short.len()], &short[..]);
    }

    #[test]
    fn a_sequential_test_with_more_pairs_begins_like_the_shorter_one(short in 1_u32..20, more in 1_u32..20, world: u64) {
        let [short, long] = [short, short + more].map(|pairs| {
            let keys = format!("format = \"sprt\"\nelo1 = 30\nmax_pairs = {pairs}\nopenings = {{ plies = 2 }}");
            one_by_one(&with_keys(&keys, 2, &[]), |spec| chance(world, &spec.id)).0
        });
        prop_assert_eq!(&long[..short.len()], &short[..]);
    }
}

#[test]
fn a_decided_test_gets_no_games_from_more_pairs() {
    let first_wins = |spec: &GameSpec| Decided::Won(if spec.pair().black == 0 { Side::Black } else { Side::White });
    let [short, long] = [100, 1000].map(|pairs| {
        let keys = format!("format = \"sprt\"\nelo1 = 200\nmax_pairs = {pairs}");
        one_by_one(&with_keys(&keys, 2, &[]), first_wins).0
    });
    assert!(short.len() < 200, "the test must be decided before its last pair");
    assert_eq!(long, short);
}

#[test]
fn games_of_new_players_and_rounds_follow_the_old_games() {
    let frames = [planned("round-robin", 2, 1, 0), planned("round-robin", 3, 1, 0), planned("round-robin", 3, 2, 0)];
    let ids = |upto: usize| -> Vec<String> {
        Schedule::of(&frames[upto], &frames[..upto]).games().map(|game| game.id.to_string()).collect()
    };
    let (first, second, third) = (ids(0), ids(1), ids(2));
    assert_eq!((first.len(), second.len(), third.len()), (2, 6, 12));
    assert!(first.iter().all(|id| id.starts_with("r1-") && !id.contains("p2")), "{first:?}");
    assert!(second[2..].iter().all(|id| id.starts_with("r1-") && id.contains("p2")), "{second:?}");
    assert!(third[6..].iter().all(|id| id.starts_with("r2-")), "{third:?}");
}
