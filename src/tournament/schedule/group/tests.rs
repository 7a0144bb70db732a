//! Tests of the tables, of their games, and of how both continue when a tournament is extended or divided into shards.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::num::NonZeroU32;

use proptest::prelude::*;

use super::*;
use crate::game::Seat;
use crate::tournament::Advantages;
use crate::tournament::schedule::{GameId, GamePlace, GameSpec, Ids, Schedule};
use crate::tournament::shard::Shard;

const FOUR: &str = "quantum-4p";
const SIX: &str = "quantum-6p";

fn number(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("not zero")
}

fn frame(ruleset: &str, players: usize, rounds: u32, tables: TablesEach, seed: u64) -> ScheduleFrame {
    ScheduleFrame {
        ruleset: ruleset.parse().expect("a rule set"),
        advantages: Advantages::default(),
        format: Format::Group { rounds: number(rounds), tables },
        seed,
        opening_plies: 0,
        balanced: None,
        slugs: (0..players).map(|player| format!("p{player}")).collect(),
        sides: Vec::new(),
    }
}

fn even(each: u32) -> TablesEach {
    TablesEach::Number(number(each))
}

/// The players of each game, in ascending order.
fn sets_of(games: &[GameSpec]) -> Vec<Vec<PlayerIndex>> {
    let set = |game: &GameSpec| {
        let mut players: Vec<PlayerIndex> = game.players.values().copied().collect();
        players.sort_unstable();
        players
    };
    games.iter().map(set).collect()
}

fn games_of(frame: &ScheduleFrame) -> Vec<GameSpec> {
    Schedule::of(frame, &[]).games().collect()
}

/// Frames of a few players who can be seated.
fn frames() -> impl Strategy<Value = ScheduleFrame> {
    let six = prop_oneof![Just(false), Just(true)];
    (six, 0_usize..7, 1_u32..3, 1_u32..3, any::<u64>(), any::<bool>()).prop_map(
        |(six, more, times, rounds, seed, all)| {
            let (ruleset, seats) = if six { (SIX, 6) } else { (FOUR, 4) };
            let players = usize::from(seats) + more;
            let least = least_tables(players, seats).get();
            let most = sets(players as u64 - 1, u64::from(seats) - 1).expect("few");
            let each = if u64::from(least * times) <= most { least * times } else { least };
            let tables = if all { TablesEach::All } else { even(each) };
            frame(ruleset, players, rounds, tables, seed)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_player_has_every_seat_equally_often(frame in frames()) {
        let seats = frame.ruleset.seats();
        let games = games_of(&frame);
        let mut seated: BTreeMap<(PlayerIndex, Seat), u32> = BTreeMap::new();
        for game in &games {
            for (seat, &player) in game.players.iter() {
                *seated.entry((player, seat)).or_default() += 1;
            }
        }
        prop_assert_eq!(seated.len(), frame.slugs.len() * usize::from(seats));
        prop_assert_eq!(seated.values().collect::<BTreeSet<_>>().len(), 1, "{:?}", seated);
    }

    /// The games of a table are consecutive, have the same players in the same order round the table, and each player
    /// has every seat once.
    #[test]
    fn a_table_has_a_game_for_each_rotation_of_its_players(frame in frames()) {
        let seats = frame.ruleset.seats();
        for table in games_of(&frame).chunks(seats.into()) {
            let first = &table[0].players;
            prop_assert_eq!(sets_of(table).into_iter().collect::<BTreeSet<_>>().len(), 1);
            prop_assert_eq!(first.values().collect::<BTreeSet<_>>().len(), usize::from(seats));
            for (turn, game) in (0_u8..).zip(table) {
                for (seat, &player) in game.players.iter() {
                    let before = (0..turn).fold(seat, |seat, _| seat.previous(seats));
                    prop_assert_eq!(player, first[before]);
                }
            }
        }
    }

    #[test]
    fn games_have_their_ids_numbers_and_seeds(frame in frames()) {
        let (ids, schedule) = (Ids::new(&frame).expect("ids"), Schedule::of(&frame, &[]));
        let games = games_of(&frame);
        prop_assert_eq!(schedule.len(), Some(games.len() as u64));
        for (place, game) in games.iter().enumerate() {
            prop_assert_eq!(game.number, place as u64);
            prop_assert_eq!(schedule.get(place as u64), Some(game.clone()));
            let place = GamePlace { round: game.round, players: game.players.clone() };
            prop_assert_eq!(ids.find(game.id.as_str()), Some(place));
            prop_assert_eq!(game.seed, mix(frame.seed, game.id.as_str()));
            let seeds: HashSet<u64> = game.players.all_seats().map(|seat| game.seat_seed(seat)).collect();
            prop_assert_eq!(seeds.len(), usize::from(frame.ruleset.seats()));
        }
        prop_assert_eq!(games.iter().map(|game| &game.id).collect::<BTreeSet<_>>().len(), games.len());
        prop_assert_eq!(schedule.get(games.len() as u64), None);
    }

    #[test]
    fn a_schedule_depends_only_on_its_frame(frame in frames()) {
        prop_assert_eq!(games_of(&frame), games_of(&frame));
        // The games can be requested in any order.
        let schedule = Schedule::of(&frame, &[]);
        let backwards: Vec<GameSpec> =
            (0..schedule.at_most()).rev().filter_map(|number| schedule.get(number)).collect();
        prop_assert!(backwards.into_iter().rev().eq(games_of(&frame)));
    }

    #[test]
    fn every_table_is_in_one_shard(frame in frames(), of in 1_u32..5) {
        let schedule = Schedule::of(&frame, &[]);
        let shards: Vec<Schedule> = (1..=of)
            .map(|nth| format!("{nth}/{of}").parse::<Shard>().expect("a shard"))
            .filter_map(|shard| schedule.of_shard(shard))
            .collect();
        let mut games: Vec<GameSpec> = shards.iter().flat_map(Schedule::games).collect();
        games.sort_by_key(|game| game.number);
        prop_assert_eq!(games, games_of(&frame));
        for shard in &shards {
            let games: Vec<GameSpec> = shard.games().collect();
            prop_assert_eq!(shard.len(), Some(games.len() as u64));
            let tables: BTreeSet<_> = games.iter().zip(sets_of(&games)).map(|(game, set)| (game.round, table_of(game), set)).collect();
            prop_assert_eq!(tables.len() * usize::from(frame.ruleset.seats()), games.len());
        }
    }

    #[test]
    fn an_extension_keeps_every_game(before in frames(), more_rounds in 0_u32..3, more_players in 0_usize..4) {
        let Format::Group { rounds, tables } = before.format else { unreachable!("a group") };
        let is_all = tables == TablesEach::All;
        let players = before.slugs.len() + if is_all { more_players } else { 0 };
        let after = frame(before.ruleset.name(), players, rounds.get() + more_rounds, tables, before.seed);
        let old = games_of(&before);
        let schedule = Schedule::of(&after, std::slice::from_ref(&before));
        let new: Vec<GameSpec> = schedule.games().collect();
        prop_assert_eq!(&new[..old.len()], &old[..]);
        prop_assert_eq!(schedule.len(), Some(new.len() as u64));
        // The same games as if there had been no extension.
        let ids = |games: Vec<GameSpec>| -> HashSet<(GameId, BySeat<PlayerIndex>)> {
            games.into_iter().map(|game| (game.id, game.players)).collect()
        };
        prop_assert_eq!(ids(new), ids(games_of(&after)));
    }

    #[test]
    fn all_tables_are_all_sets_once_a_round(seed: u64, six: bool, more in 0_usize..4) {
        let (ruleset, seats) = if six { (SIX, 6) } else { (FOUR, 4) };
        let frame = frame(ruleset, seats + more, 2, TablesEach::All, seed);
        let games = games_of(&frame);
        let tables: Vec<_> = sets_of(&games).into_iter().zip(&games).step_by(seats).collect();
        let rounds: BTreeSet<_> = tables.iter().map(|(set, game)| (game.round, set.clone())).collect();
        let all = sets((seats + more) as u64, seats as u64).expect("few");
        prop_assert_eq!((rounds.len() as u64, tables.len() as u64), (2 * all, 2 * all));
        let evenness = Schedule::of(&frame, &[]).evenness(number(9)).expect("tables");
        prop_assert_eq!(counted_meetings(&frame, 2), (evenness.least, evenness.most));
    }

    /// Tests that if the check accepts the numbers, every player sits at that number of tables, and that if it refuses
    /// them, the numbers that it suggests work.
    #[test]
    fn a_check_knows_which_numbers_can_be_seated(players in 2_usize..14, six: bool, each in 1_u32..9) {
        let (ruleset, seats) = if six { (SIX, 6) } else { (FOUR, 4) };
        let works = |players: usize, each: u32| seating(players, seats, number(1), even(each)).is_ok();
        match seating(players, seats, number(1), even(each)) {
            Ok(()) => {
                let frame = frame(ruleset, players, 1, even(each), 7);
                let mut seated = vec![0; players];
                for game in games_of(&frame) {
                    for &player in game.players.values() {
                        seated[player] += 1;
                    }
                }
                prop_assert!(seated.iter().all(|&games| games == each * u32::from(seats)), "{:?}", seated);
            }
            Err(Unseatable::TooFewPlayers { .. }) => prop_assert!(players < usize::from(seats)),
            Err(Unseatable::Remainder { step, .. }) => {
                prop_assert!(!(players * each as usize).is_multiple_of(usize::from(seats)));
                prop_assert!(works(players, u32::try_from(step).expect("small")));
                let seats = usize::from(seats);
                for players in [players / seats * seats, players.next_multiple_of(seats)] {
                    let seated = seating(players, frame_seats(ruleset), number(1), even(each));
                    let is_full = !matches!(seated, Err(Unseatable::Remainder { .. }));
                    prop_assert!(is_full, "{players}");
                }
            }
            Err(Unseatable::TooManyTables { most, .. }) => {
                prop_assert!(u64::from(each) > most && works(players, least_tables(players, seats).get()));
            }
            Err(Unseatable::TooManyGames { .. }) => prop_assert!(false, "few"),
        }
    }
}

fn frame_seats(ruleset: &str) -> u8 {
    frame(ruleset, 6, 1, TablesEach::All, 0).ruleset.seats()
}

/// The number of the table in a game's id.
fn table_of(game: &GameSpec) -> String {
    game.id.as_str().split('-').nth(1).unwrap_or_default().to_owned()
}

/// The least and the greatest number of tables at which any two players meet in the first `rounds` rounds.
fn counted_meetings(frame: &ScheduleFrame, rounds: u32) -> (u64, u64) {
    let players = frame.slugs.len();
    let mut met = vec![vec![0; players]; players];
    let games = games_of(frame);
    let first = games.iter().zip(sets_of(&games)).filter(|(game, _)| game.round <= rounds);
    for (_, set) in first.step_by(frame.ruleset.seats().into()) {
        for &one in &set {
            for &other in &set {
                met[one][other] += 1;
            }
        }
    }
    let pairs =
        || (0..players).flat_map(|one| (0..one).map(move |other| (one, other))).map(|(one, other)| met[one][other]);
    (pairs().min().unwrap_or(0), pairs().max().unwrap_or(0))
}

/// For these numbers, it is known that everyone can meet everyone else equally often, or almost. The last two with
/// four seats are the affine plane of order 4 and the projective plane of order 3.
#[test]
fn meetings_differ_by_at_most_one_where_that_is_possible() {
    for (ruleset, players, each, rounds) in [
        (FOUR, 4, 1, 1),
        (FOUR, 5, 4, 2),
        (FOUR, 6, 2, 1),
        (FOUR, 7, 4, 1),
        (FOUR, 8, 1, 1),
        (FOUR, 8, 6, 1),
        (FOUR, 8, 7, 1),
        (FOUR, 10, 4, 1),
        (FOUR, 12, 3, 3),
        (FOUR, 16, 5, 1),
        (FOUR, 13, 4, 1),
        (SIX, 6, 1, 1),
        (SIX, 7, 6, 1),
        (SIX, 8, 3, 1),
        (SIX, 9, 2, 2),
        (SIX, 12, 1, 1),
    ] {
        let frame = frame(ruleset, players, rounds, even(each), 1);
        for round in 1..=rounds {
            let (least, most) = counted_meetings(&frame, round);
            assert!(most - least <= 1, "{players} players at {each} tables: {least} to {most} after round {round}");
            let evenness = Schedule::of(&frame, &[]).evenness(number(round)).expect("tables");
            assert_eq!(evenness, Evenness { rounds: round, least, most });
        }
    }
}

#[test]
fn other_seeds_draw_other_tables_and_other_seats() {
    let players = |seed| games_of(&frame(FOUR, 8, 1, even(3), seed)).into_iter().map(|game| game.players);
    let drawn: HashSet<Vec<_>> = (0..20).map(|seed| players(seed).collect()).collect();
    assert_eq!(drawn.len(), 20);
    // With just enough players for one table, only the order round the table is drawn.
    let orders: HashSet<Vec<_>> = (0..40)
        .map(|seed| games_of(&frame(FOUR, 4, 1, even(1), seed)).remove(0).players.into_iter().collect())
        .collect();
    assert!(orders.len() > 10, "{}", orders.len());
}

#[test]
fn other_texts_are_not_games_at_tables() {
    let ids = Ids::new(&frame(FOUR, 8, 2, even(3), 1)).expect("ids");
    assert!(ids.find("r2-t6-g4").is_some());
    for id in [
        "",
        "r1-t1",
        "r1-t1-g0",
        "r1-t1-g5",
        "r1-t0-g1",
        "r1-t7-g1",
        "r3-t1-g1",
        "r0-t1-g1",
        "r01-t1-g1",
        "r1-t+1-g1",
        "r1-t1-g1-2",
        "r1-p0-p1",
        "r1-1-1",
        " r1-t1-g1",
    ] {
        assert_eq!(ids.find(id), None, "{id:?}");
    }
}

#[test]
fn a_great_many_tables_are_scheduled_without_drawing_them() {
    let schedule = Schedule::of(&frame(SIX, 60, 1_000, TablesEach::All, 3), &[]);
    assert_eq!(schedule.len(), Some(1_000 * 6 * 50_063_860));
    assert_eq!(schedule.games().take(1_000).count(), 1_000);
    assert!(schedule.get(200_000_000_000).is_some());
}
