//! Tests of proof numbers.

use super::*;
use crate::base::random::SplitMix64;
use crate::exact::solver::{Crew, stones};
use crate::game::gothello::{Game, points};

/// Makes a position with `empty` empty points by random placements.
fn any_position(empty: u32, random: &mut SplitMix64) -> Stones {
    loop {
        let mut game = Game::default();
        while game.board().empty().count_ones() > empty && game.placements() != 0 {
            let chosen = random.below(u64::from(game.placements().count_ones()));
            let point = points(game.placements()).nth(usize::try_from(chosen).unwrap());
            game = point.map_or(game, |point| game.place(point));
        }
        if game.board().empty().count_ones() == empty {
            return stones(&game);
        }
    }
}

/// Makes a prover that uses proof numbers almost to the end of the game.
fn by_numbers(table: &TranspositionTable) -> ProofSearch<'_> {
    ProofSearch { search: Search::new(table), efforts: Efforts::with_places(16), whole_to: 3 }
}

/// Returns the results of two threads that work on the same question.
fn found_together(position: &SearchPosition, task: Task) -> Vec<Option<bool>> {
    let (crew, table) = (Crew::default(), TranspositionTable::with_bytes(1 << 20));
    let prove = || {
        let mut prover = by_numbers(&table);
        prover.search.crew = Some(&crew);
        let found = prover.prove(position, task);
        crew.dismiss();
        found
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(prove);
        vec![prove(), other.join().unwrap()]
    })
}

#[test]
fn proofs_by_numbers_agree_with_the_search_by_depth() {
    let mut random = SplitMix64::new(35);
    for number in 0..400 {
        let stones = any_position(5 + number % 5, &mut random);
        let position = SearchPosition::of(stones);
        let task = |least| Task { empty: stones.empty().count_ones(), lead: stones.lead(), least };
        let table = TranspositionTable::with_bytes(1 << 20);
        let reaches = |table: &TranspositionTable, least| {
            Search::new(table).search(&position, task(least), None).unwrap() >= least
        };
        let value = (-MOST..=MOST).rev().find(|&least| reaches(&table, least)).unwrap();
        // The table shows that this value can be reached, but not that a higher one cannot.
        let half = TranspositionTable::with_bytes(1 << 20);
        assert!(reaches(&half, value));
        for least in [value - 3, value, value + 1, value + 4] {
            for table in [&TranspositionTable::with_bytes(1 << 20), &half, &table] {
                let found = by_numbers(table).prove(&position, task(least));
                assert_eq!(found, Some(least <= value), "{stones:?} {least}");
            }
        }
        let found = found_together(&position, task(value));
        assert!(found.contains(&Some(true)) && !found.contains(&Some(false)), "{stones:?} {found:?}");
    }
}

#[test]
fn guesses_are_exact_numbers_that_grow_with_the_score() {
    for (points, number) in [(0, 1.0), (60, 2.0), (30, 1.5), (-60, 0.5), (-30, 0.75), (150, 6.0)] {
        assert_eq!(doubled(points).to_bits(), f32::to_bits(number), "{points}");
    }
    assert!((-2_400..2_400).all(|points| doubled(points) < doubled(points + 1)));
    for sign in [-1, 1] {
        assert_eq!(doubled(sign * 2_400).to_bits(), doubled(sign * 1_000_000).to_bits());
    }
}

#[test]
fn a_limit_of_nodes_ends_a_proof_without_an_answer() {
    let mut random = SplitMix64::new(36);
    let stones = any_position(WHOLE_TO + 4, &mut random);
    let task = Task { empty: stones.empty().count_ones(), lead: stones.lead(), least: 1 };
    let table = TranspositionTable::with_bytes(1 << 20);
    let mut prover = ProofSearch::new(&table);
    prover.search.most_nodes = 100;
    assert_eq!(prover.prove(&SearchPosition::of(stones), task), None);
    assert!(prover.search.nodes <= 101, "{}", prover.search.nodes);
}
