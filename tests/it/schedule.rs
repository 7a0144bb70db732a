//! The schedule of whole tournaments.

use std::collections::HashSet;
use std::fmt::Write;

use gothello_arena::rules::Side;
use gothello_arena::schedule::{GameId, Schedule};
use gothello_arena::tournament::Tournament;

/// A tournament of this many random bots.
fn tournament(players: usize, rounds: u32, seed: u64) -> Tournament {
    let mut text = format!("rounds = {rounds}\nseed = {seed}\n");
    for i in 0..players {
        write!(text, "[[player]]\nname = \"p{i}\"\nbuiltin = \"random\"\n").unwrap();
    }
    Tournament::parse(&text, "test").unwrap()
}

#[test]
fn every_game_has_an_id_and_a_seed_of_its_own() {
    let schedule = Schedule::new(&tournament(5, 3, 1));
    let games: Vec<_> = schedule.clone().collect();
    assert_eq!(games.len() as u64, schedule.len());
    assert_eq!(schedule.size_hint(), (60, Some(60)));
    assert_eq!(games.iter().map(|game| &game.id).collect::<HashSet<_>>().len(), 60);
    assert_eq!(games.iter().map(|game| game.seed).collect::<HashSet<_>>().len(), 60);
    assert_eq!(games.iter().map(|game| game.round).collect::<HashSet<_>>(), HashSet::from([1, 2, 3]));
    assert!(games.is_sorted_by_key(|game| game.round));
}

#[test]
fn ids_tell_round_and_players() {
    let spec = Schedule::new(&tournament(2, 1, 0)).next().unwrap();
    assert_eq!(spec.id.as_str(), "r1-p1-p0");
    assert_eq!((spec.players.black, spec.players.white), (1, 0));
    assert_eq!(GameId::new(7, "a_b", "c", 2).as_str(), "r7-a_b-c-2");
}

#[test]
fn seeds_depend_on_the_seed_and_the_id_alone() {
    // The same game in a tournament with more players and rounds.
    let small = Schedule::new(&tournament(2, 1, 441)).next().unwrap();
    let large = Schedule::new(&tournament(9, 4, 441)).find(|game| game.id == small.id).unwrap();
    assert_eq!(small.seed, large.seed);
    let other = Schedule::new(&tournament(2, 1, 442)).next().unwrap();
    assert_eq!(small.id, other.id);
    assert_ne!(small.seed, other.seed);
}

#[test]
fn seeds_of_the_seats_differ_and_fit_into_31_bits() {
    for game in Schedule::new(&tournament(6, 2, 7)) {
        let seeds = Side::BOTH.map(|side| game.seat_seed(side));
        assert_ne!(seeds[0], seeds[1]);
        assert!(seeds.iter().all(|&seed| seed < 1 << 31));
    }
}

#[test]
fn ten_million_games_are_there_at_once() {
    let schedule = Schedule::new(&tournament(4, 1_000_000, 0));
    assert_eq!(schedule.len(), 12_000_000);
    assert_eq!(schedule.get(11_999_999).unwrap().round, 1_000_000);
    assert_eq!(schedule.get(12_000_000), None);
}
