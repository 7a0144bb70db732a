//! Ladders with known strengths, and the rules of pairing.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::base::normal;
use crate::base::random::SplitMix64;
use crate::game::Side;
use crate::results::ladder::{
    LadderAnchor, LadderCounts, LadderFit, LadderPairer, LadderPairing, LadderVersion, PairingReason, PairingRules,
    Selection, VersionState, active_versions, fit_interval,
};
use crate::results::rating::{Elo, Model};

#[path = "../../../benches/common/simulated_ladder.rs"]
mod simulated_ladder;
use simulated_ladder::{SimulatedLadder, mean, term, usual_rules};

fn version(player: usize) -> LadderVersion {
    LadderVersion { player, number: 1, predecessor: None, state: VersionState::Accepted, is_baseline: false }
}

fn field(players: usize) -> Vec<LadderVersion> {
    (0..players).map(version).collect()
}

/// A pairer for the `active` versions among `versions`, before their first games.
fn pairer_of(rules: PairingRules, versions: &[LadderVersion], active: &[usize]) -> LadderPairer {
    let counts = LadderCounts::default();
    let fit = LadderFit::new(Model::Davidson, versions, &[], &counts, None);
    LadderPairer::new(rules, versions, active, &fit, (&counts, &[]))
}

fn pairer(rules: PairingRules, versions: &[LadderVersion]) -> LadderPairer {
    pairer_of(rules, versions, &(0..versions.len()).collect::<Vec<_>>())
}

/// Decides this many pairings, or fewer if the ladder becomes idle.
fn decide(pairer: &mut LadderPairer, pairings: u64) -> Vec<LadderPairing> {
    (0..pairings).map_while(|decision| pairer.next(decision)).collect()
}

fn unordered(pairing: &LadderPairing) -> (usize, usize) {
    (pairing.black.min(pairing.white), pairing.black.max(pairing.white))
}

#[test]
fn the_same_seed_and_decisions_give_the_same_pairings() {
    let versions = field(6);
    let rules = PairingRules { random_share: 0.5, ..usual_rules(3) };
    let whole = decide(&mut pairer(rules, &versions), 60);
    assert_eq!(decide(&mut pairer(rules, &versions), 60), whole);
    assert_ne!(decide(&mut pairer(PairingRules { seed: 4, ..rules }, &versions), 60), whole);
    // Another process that continues after the first half decides the second half in the same way.
    let (before, after) = whole.split_at(30);
    let mut resumed = pairer(rules, &versions);
    for pairing in before {
        resumed.decided(pairing.black, pairing.white);
    }
    let rest: Vec<LadderPairing> = (30..60).map_while(|decision| resumed.next(decision)).collect();
    assert_eq!(rest, after);
}

#[test]
fn pairings_in_flight_are_known_from_the_start() {
    let versions = field(6);
    let active: Vec<usize> = (0..6).collect();
    let rules = usual_rules(5);
    let whole = decide(&mut pairer(rules, &versions), 40);
    let in_flight: Vec<(usize, usize)> = whole[..20].iter().map(|pairing| (pairing.black, pairing.white)).collect();
    let counts = LadderCounts::default();
    let fit = LadderFit::new(Model::Davidson, &versions, &[], &counts, None);
    let mut resumed = LadderPairer::new(rules, &versions, &active, &fit, (&counts, &in_flight));
    let rest: Vec<LadderPairing> = (20..40).map_while(|decision| resumed.next(decision)).collect();
    assert_eq!(rest, whole[20..]);
}

#[test]
fn a_batch_does_not_repeat_a_pair_before_the_others() {
    let mut pairer = pairer(PairingRules { random_share: 0.0, ..usual_rules(1) }, &field(8));
    let pairs: BTreeSet<(usize, usize)> = decide(&mut pairer, 28).iter().map(unordered).collect();
    assert_eq!(pairs.len(), 28, "equal players all meet once");
}

#[test]
fn colours_alternate_within_a_pair_and_earlier_games_are_counted() {
    let rules = PairingRules { random_share: 0.3, ..usual_rules(2) };
    let pairings = decide(&mut pairer(rules, &field(5)), 200);
    let mut met: BTreeMap<(usize, usize), Vec<LadderPairing>> = BTreeMap::new();
    for pairing in &pairings {
        met.entry(unordered(pairing)).or_default().push(*pairing);
    }
    for (pair, games) in met {
        for (number, two) in games.chunks(2).enumerate() {
            assert_eq!(two[0].earlier, 2 * number as u64, "{pair:?}");
            if let [first, second] = two {
                assert_eq!((first.black, second.earlier), (second.white, first.earlier + 1), "{pair:?}");
            }
        }
    }
    for version in 0..5 {
        let blacks = pairings.iter().filter(|pairing| pairing.black == version).count();
        let whites = pairings.iter().filter(|pairing| pairing.white == version).count();
        assert!(blacks.abs_diff(whites) <= 4, "version {version}: {blacks} {whites}");
    }
}

#[test]
fn a_newcomer_gets_its_first_games_at_once() {
    let mut ladder = SimulatedLadder::of_static_players(6, PairingRules { random_share: 0.0, ..usual_rules(7) });
    ladder.play(u64::MAX);
    let new = ladder.hand_in(6, 0.0);
    let fit = ladder.fit();
    let active = ladder.active(&fit);
    let mut pairer = LadderPairer::new(ladder.rules, &ladder.versions, &active, &fit, (&ladder.counts, &[]));
    let pairings = decide(&mut pairer, 25);
    let firsts = pairings.iter().take_while(|pairing| pairing.reason == PairingReason::Newcomer).count();
    assert_eq!(firsts, 20);
    assert!(pairings[..20].iter().all(|pairing| pairing.black == new || pairing.white == new));
    let opponents: BTreeSet<(usize, usize)> = pairings[..20].iter().map(unordered).collect();
    assert!(opponents.len() > 2, "they are against several: {opponents:?}");
}

#[test]
fn the_share_of_random_pairings_is_kept_and_all_pairs_are_drawn() {
    let rules = PairingRules { random_share: 0.25, target_error: Elo(0.001), ..usual_rules(9) };
    let pairings = decide(&mut pairer(rules, &field(5)), 2000);
    let drawn: Vec<&LadderPairing> =
        pairings.iter().filter(|pairing| pairing.reason == PairingReason::Random).collect();
    assert!(drawn.len().abs_diff(500) < 100, "{}", drawn.len());
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for pairing in drawn {
        *counts.entry(unordered(pairing)).or_default() += 1;
    }
    // The standard deviation of each count is 7.
    assert!(counts.len() == 10 && counts.values().all(|count| count.abs_diff(50) < 35), "{counts:?}");
    for (share, reason) in [(1.0, true), (0.0, false)] {
        let rules = PairingRules { random_share: share, ..rules };
        let pairings = decide(&mut pairer(rules, &field(5)), 100);
        assert!(pairings.iter().all(|pairing| (pairing.reason == PairingReason::Random) == reason));
    }
}

#[test]
fn two_versions_of_a_player_never_meet() {
    let versions: Vec<LadderVersion> = [0, 0, 1, 1, 1, 2].map(version).to_vec();
    let rules = PairingRules { random_share: 0.5, target_error: Elo(0.001), ..usual_rules(9) };
    let pairings = decide(&mut pairer(rules, &versions), 300);
    assert_eq!(pairings.len(), 300);
    assert!(pairings.iter().all(|pairing| versions[pairing.black].player != versions[pairing.white].player));
    assert!(decide(&mut pairer(rules, &versions[..2]), 1).is_empty(), "one player has no opponent");
    assert!(decide(&mut pairer(rules, &[]), 1).is_empty());
}

#[test]
fn only_active_versions_play() {
    let versions = field(6);
    let pairings = decide(&mut pairer_of(usual_rules(1), &versions, &[1, 2, 4]), 50);
    let players: BTreeSet<usize> = pairings.iter().flat_map(|pairing| [pairing.black, pairing.white]).collect();
    assert_eq!(players, [1, 2, 4].into());
}

#[test]
fn the_ladder_is_idle_when_every_error_is_below_the_target() {
    let mut ladder = SimulatedLadder::of_static_players(5, usual_rules(11));
    ladder.play(u64::MAX);
    let fit = ladder.fit();
    let active = ladder.active(&fit);
    assert!(SimulatedLadder::errors(&fit, &active).iter().all(|&error| error < 40.0));
    // A stricter target makes the ladder play again.
    ladder.rules.target_error = Elo(30.0);
    assert!(ladder.play(u64::MAX) > 50);
}

#[test]
fn a_version_that_never_wins_does_not_keep_the_ladder_from_resting() {
    let mut ladder = SimulatedLadder::new(PairingRules { most_games: 100, ..usual_rules(13) });
    for (player, strength) in [0.0, 50.0, 20.0, -5000.0].into_iter().enumerate() {
        ladder.hand_in(player, strength);
    }
    ladder.play(u64::MAX);
    let fit = ladder.fit();
    let errors = SimulatedLadder::errors(&fit, &[0, 1, 2, 3]);
    // Ratings are relative to the mean of the active versions, so the error of this mean is part of every version's
    // error. Therefore, version 3 still serves as an opponent after it has had `most_games` games, until the others are
    // settled.
    let games = ladder.counts.games_of(3);
    assert!(errors[3] > 40.0 && (100..=200).contains(&games), "{games} games, {errors:?}");
    assert!(ladder.counts.total() < 500, "{}", ladder.counts.total());
}

#[test]
fn exact_anchors_do_not_play_each_other() {
    let versions = field(5);
    let anchors = [(0, 0.0), (1, 300.0)].map(|(version, elo)| LadderAnchor { version, elo: Elo(elo), deviation: None });
    let counts = LadderCounts::default();
    let fit = LadderFit::new(Model::Davidson, &versions, &anchors, &counts, None);
    let rules = PairingRules { random_share: 0.0, target_error: Elo(10.0), ..usual_rules(1) };
    let active: Vec<usize> = (0..5).collect();
    let mut pairer = LadderPairer::new(rules, &versions, &active, &fit, (&counts, &[]));
    let pairings = decide(&mut pairer, 100);
    assert!(pairings.iter().all(|pairing| unordered(pairing) != (0, 1)), "their ratings are known");
    assert!(pairings.iter().any(|pairing| pairing.black < 2 || pairing.white < 2), "but they are opponents");
}

#[test]
fn refused_versions_have_no_rating_and_their_successors_follow_the_last_good_one() {
    let mut versions = field(3);
    for (predecessor, state) in [(2, VersionState::Refused), (3, VersionState::Accepted)] {
        versions.push(LadderVersion {
            player: 2,
            number: 2,
            predecessor: Some(predecessor),
            state,
            is_baseline: false,
        });
    }
    let mut counts = LadderCounts::default();
    for _ in 0..20 {
        counts.add(0, 2, Some(Side::White), Selection::Chosen);
        counts.add(2, 1, Some(Side::Black), Selection::Chosen);
    }
    let fit = LadderFit::new(Model::Davidson, &versions, &[], &counts, None);
    let ratings = fit.ratings(&[0, 1, 2]);
    assert!(ratings[3].is_none() && fit.forecast(3, 0).is_none());
    let (last, next) = (ratings[2].unwrap(), ratings[4].unwrap());
    assert!((next.elo.0 - last.elo.0).abs() < 1e-6);
    assert!((next.error.0.powi(2) - last.error.0.powi(2) - 120.0_f64.powi(2)).abs() < 1e-3);
    // An earlier fit cannot serve as a start once its versions have different numbers.
    versions[1].state = VersionState::Refused;
    let cold = LadderFit::new(Model::Davidson, &versions, &[], &counts, None);
    let warm = LadderFit::new(Model::Davidson, &versions, &[], &counts, Some(&fit));
    assert_eq!(format!("{cold:?}"), format!("{warm:?}"));
}

proptest! {
    #[test]
    fn the_order_of_games_does_not_matter(
        games in prop::collection::vec((0..5_usize, 1..5_usize, 0..3_usize, any::<bool>()), 1..60),
        rotation in 0..60_usize,
    ) {
        let mut versions = field(4);
        versions.push(LadderVersion { number: 2, predecessor: Some(1), ..version(1) });
        let fits = |games: &[(usize, usize, usize, bool)]| {
            let mut counts = LadderCounts::default();
            for &(black, distance, result, is_drawn) in games {
                let winner = [Some(Side::Black), None, Some(Side::White)][result];
                let selection = if is_drawn { Selection::Drawn } else { Selection::Chosen };
                counts.add(black, (black + distance) % 5, winner, selection);
            }
            let all = LadderFit::new(Model::Davidson, &versions, &[], &counts, None);
            let drawn = LadderFit::of_drawn(Model::Davidson, &versions, &[], &counts, None);
            format!("{all:?} {drawn:?} {:?}", all.selection_test(&counts))
        };
        let mut other = games.clone();
        other.reverse();
        let rotation = rotation % games.len();
        other.rotate_left(rotation);
        prop_assert_eq!(fits(&games), fits(&other));
    }
}

/// Compares the number of games that the ladder needs with the number that a round robin needs for the same error. The
/// bench `ladder` measures fields of 20 and 40 players.
#[test]
fn a_ladder_needs_far_fewer_games_than_a_round_robin() {
    let mut games = [0, 0];
    for seed in 0..3 {
        games[0] += SimulatedLadder::of_static_players(14, usual_rules(seed)).play(u64::MAX);
        games[1] += SimulatedLadder::of_static_players(14, usual_rules(seed)).play_round_robin();
    }
    assert!(games[0] * 2 < games[1], "{games:?}");
}

#[test]
fn bars_contain_the_true_strengths_during_a_term() {
    let (mut within, mut all) = (0, 0);
    let mut p_values = Vec::new();
    for seed in 0..4 {
        let mut ladder = SimulatedLadder::new(usual_rules(seed));
        term(&mut ladder, 5, 3, Elo(0.0));
        let fit = ladder.fit();
        within += ladder.within_bars(&fit);
        all += ladder.versions.len();
        p_values.push(fit.selection_test(&ladder.counts).p_value.unwrap());
    }
    assert!(within * 100 >= all * 90, "{within} of {all}");
    assert!(mean(p_values.iter().copied()) > 0.2, "{p_values:?}");
}

#[test]
fn a_model_that_is_wrong_for_some_pairs_is_noticed() {
    // Version 0 wins every game whose pairing was chosen, and loses every game whose pairing was drawn at random.
    let versions = field(4);
    let mut counts = LadderCounts::default();
    for game in 0..120 {
        let (black, white) = (game % 4, (game % 4 + 1 + game / 4 % 3) % 4);
        let is_drawn = game % 3 == 0;
        let others = if game % 2 == 0 { Side::Black } else { Side::White };
        let winner = match (black, white) {
            (0, _) => {
                if is_drawn {
                    Side::White
                } else {
                    Side::Black
                }
            }
            (_, 0) => {
                if is_drawn {
                    Side::Black
                } else {
                    Side::White
                }
            }
            _ => others,
        };
        counts.add(black, white, Some(winner), if is_drawn { Selection::Drawn } else { Selection::Chosen });
    }
    let fit = LadderFit::new(Model::Davidson, &versions, &[], &counts, None);
    let test = fit.selection_test(&counts);
    assert!(test.disagrees && test.drawn == 40, "{test:?}");
    let [all, drawn] = [fit, LadderFit::of_drawn(Model::Davidson, &versions, &[], &counts, None)]
        .map(|fit| fit.ratings(&[0, 1, 2, 3])[0].unwrap().elo.0);
    assert!(drawn < all - 200.0, "{all} {drawn}");
}
