//! The openings of a schedule.

use std::collections::{BTreeMap, HashSet};

use gothello_arena::game::{Move, Ruleset};
use gothello_arena::tournament::schedule::Schedule;
use proptest::prelude::*;

use super::{any_tournament, chance, one_by_one, with_keys};

proptest! {
    #[test]
    fn an_opening_is_legal_and_played_twice_with_colours_swapped(
        tournament in any_tournament(), plies in 1_u32..11, world in any::<u64>(),
    ) {
        let mut tournament = tournament;
        tournament.opening_plies = plies;
        let (games, _) = one_by_one(&tournament, |spec| chance(world, &spec.id));
        let mut used: BTreeMap<_, Vec<Move>> = BTreeMap::new();
        for game in &games {
            let mut position = Ruleset::Gothello.start();
            for given in &game.opening {
                prop_assert!(!given.is_pass());
                prop_assert_eq!(position.play(given.as_str()), Ok(*given));
            }
            prop_assert_eq!(position.outcome(), None);
            prop_assert_eq!(game.opening.len(), plies as usize);
            let (one, other) = (game.pair().black, game.pair().white);
            let nth = game.id.as_str().split('-').nth(3).unwrap_or("1").to_owned();
            let first = used.entry((game.round, one.min(other), one.max(other), nth)).or_insert_with(|| game.opening.clone());
            prop_assert_eq!(&*first, &game.opening, "{}", game.id);
        }
    }
}

/// The openings of a tournament with two players, round by round.
fn openings(rounds: u32, plies: u32, seed: u64) -> Vec<Vec<Move>> {
    let keys = format!("rounds = {rounds}\nseed = {seed}\nopenings = {{ plies = {plies} }}");
    Schedule::new(&with_keys(&keys, 2, &[])).games().step_by(2).map(|game| game.opening).collect()
}

#[test]
fn every_opening_is_used_before_any_is_repeated() {
    for (plies, number) in [(1, 25), (2, 600), (3, 13_800)] {
        let drawn = openings(number + 1, plies, 5);
        let first: HashSet<&Vec<Move>> = drawn[..number as usize].iter().collect();
        // With three plies, a few numbers do not stand for a sequence of their own, because earlier moves have made a
        // point unavailable. These numbers repeat other sequences.
        let least = if plies < 3 { number as usize } else { 13_000 };
        assert!(first.len() >= least && first.contains(&drawn[number as usize]), "{plies}: {}", first.len());
    }
}

#[test]
fn openings_depend_on_the_seed_and_the_players() {
    assert_eq!(openings(3, 2, 1), openings(3, 2, 1));
    assert_ne!(openings(3, 2, 1), openings(3, 2, 2));
    let keys = "openings = { plies = 4 }";
    let of_pairs: HashSet<Vec<Move>> =
        Schedule::new(&with_keys(keys, 8, &[])).games().map(|game| game.opening).collect();
    assert!(of_pairs.len() > 26, "28 pairs have {} openings", of_pairs.len());
    assert!(openings(3, 2, 1).iter().all(|opening| opening.len() == 2));
}

#[test]
fn without_openings_games_start_from_the_empty_board() {
    assert!(Schedule::new(&super::tournament(3, 2, 9)).games().all(|game| game.opening.is_empty()));
}
