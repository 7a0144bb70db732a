//! Knockout tournaments.

use std::collections::BTreeMap;

use gothello_arena::base::random::mix;
use gothello_arena::game::Side;
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::schedule::{Decided, GameSpec, Results};
use proptest::prelude::*;

use super::{chance, one_by_one, with_keys};

fn knockout(players: usize, pairs: u32) -> Tournament {
    with_keys(&format!("format = \"knockout\"\npairs = {pairs}"), players, &[])
}

/// An outcome in which the better seed wins.
fn by_seed(spec: &GameSpec) -> Decided {
    Decided::Won(if spec.pair().black < spec.pair().white { Side::Black } else { Side::White })
}

/// The games of each pairing in their order, by (round, better seed, worse seed).
fn pairings(games: &[GameSpec]) -> BTreeMap<(u32, usize, usize), Vec<&GameSpec>> {
    let mut pairings: BTreeMap<_, Vec<&GameSpec>> = BTreeMap::new();
    for game in games {
        let (one, other) = (game.pair().black, game.pair().white);
        pairings.entry((game.round, one.min(other), one.max(other))).or_default().push(game);
    }
    pairings
}

/// The better seed's wins minus its losses.
fn lead(games: &[&GameSpec], better: usize, results: &Results) -> i32 {
    let gain = |game: &&GameSpec| match results.get(game.id.as_str()) {
        Some(Decided::Won(side)) if game.players[side] == better => 1,
        Some(Decided::Won(_)) => -1,
        _ => 0,
    };
    games.iter().map(gain).sum()
}

fn ids(games: &[GameSpec]) -> Vec<String> {
    games.iter().map(|game| game.id.to_string()).collect()
}

proptest! {
    #[test]
    fn winners_of_pairings_go_on_and_losers_are_eliminated(players in 2_usize..40, pairs in 1_u32..6, world in any::<u64>()) {
        let outcome = |spec: &GameSpec| match mix(world, "few draws") % 3 {
            // In some worlds, most games are drawn.
            0 if !chance(!world, &spec.id).half_points(Side::Black).is_multiple_of(2) => chance(world, &spec.id),
            0 => Decided::Drawn,
            _ => chance(world, &spec.id),
        };
        let (games, results) = one_by_one(&knockout(players, pairs), outcome);
        let pairings = pairings(&games);
        prop_assert_eq!(pairings.len(), players - 1);
        let mut left: Vec<usize> = (0..players).collect();
        let rounds = games.last().unwrap().round;
        for round in 1..=rounds {
            let of_round: Vec<_> = pairings.iter().filter(|((in_round, ..), _)| *in_round == round).collect();
            // The first round reduces the players to a power of two; in later rounds every remaining player plays.
            let next_power = left.len().next_power_of_two();
            prop_assert_eq!(of_round.len(), left.len() - next_power / 2);
            for ((_, better, worse), games) in of_round {
                prop_assert!(left.contains(better) && left.contains(worse));
                let lead = lead(games, *better, &results);
                left.retain(|player| player != if lead < 0 { better } else { worse });
            }
        }
        prop_assert_eq!(left.len(), 1);
    }

    #[test]
    fn a_pairing_ends_with_the_deciding_pair(players in 2_usize..12, pairs in 1_u32..6, world in any::<u64>()) {
        let (games, results) = one_by_one(&knockout(players, pairs), |spec| chance(world, &spec.id));
        for ((_, better, _), games) in pairings(&games) {
            prop_assert!(games.len().is_multiple_of(2));
            let played = u32::try_from(games.len() / 2).unwrap();
            for pair in games.chunks(2) {
                prop_assert_eq!((pair[0].pair().black, pair[0].pair().white), (pair[1].pair().white, pair[1].pair().black));
            }
            for done in 1..=played {
                let lead = lead(&games[..2 * done as usize], better, &results).unsigned_abs();
                let decided = if done < pairs { lead > 2 * (pairs - done) } else { lead > 0 || done == pairs + 3 };
                prop_assert_eq!(decided, done == played, "after {} of {} pairs", done, played);
            }
        }
    }
}

#[test]
fn the_best_seeds_meet_as_late_as_possible() {
    let (games, _) = one_by_one(&knockout(6, 1), by_seed);
    assert_eq!(
        ids(&games),
        [
            "r1-p3-p4", "r1-p4-p3", "r1-p2-p5", "r1-p5-p2", //
            "r2-p0-p3", "r2-p3-p0", "r2-p1-p2", "r2-p2-p1", //
            "r3-p0-p1", "r3-p1-p0",
        ]
    );
}

#[test]
fn after_three_extra_pairs_the_better_seed_goes_on() {
    let (games, _) = one_by_one(&knockout(3, 2), |_| Decided::Drawn);
    let first: Vec<String> = ids(&games).into_iter().filter(|id| id.starts_with("r1")).collect();
    assert_eq!(first.len(), 2 * (2 + 3));
    assert_eq!(first[..4], ["r1-p1-p2", "r1-p2-p1", "r1-p2-p1-2", "r1-p1-p2-2"]);
    assert_eq!(games.last().map(|game| game.id.to_string()).as_deref(), Some("r2-p1-p0-5"));
}

#[test]
fn a_double_forfeit_is_not_an_advantage() {
    let (games, _) = one_by_one(&knockout(2, 1), |spec| match spec.id.as_str() {
        "r1-p0-p1" => Decided::BothForfeited,
        _ => Decided::Won(if spec.pair().black == 1 { Side::Black } else { Side::White }),
    });
    assert_eq!(games.len(), 2);
}
