//! Sequential tests.

use gothello_arena::game::Side;
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::schedule::{Decided, GameSpec, KnownEnding, Results, Schedule, Step};
use gothello_arena::tournament::sprt::SprtVerdict;
use proptest::prelude::*;

use super::{chance, one_by_one, with_keys};

fn test(elo1: u32, max_pairs: u32) -> Tournament {
    with_keys(&format!("format = \"sprt\"\nelo1 = {elo1}\nmax_pairs = {max_pairs}"), 2, &[])
}

/// An outcome in which the first player wins.
fn first_wins(spec: &GameSpec) -> Decided {
    Decided::Won(if spec.pair().black == 0 { Side::Black } else { Side::White })
}

#[test]
fn a_test_stops_when_a_bound_is_crossed() {
    let tournament = test(200, 10_000);
    let (games, results) = one_by_one(&tournament, first_wins);
    let mut schedule = Schedule::new(&tournament);
    let progress = *schedule.progress(&results).unwrap();
    assert_eq!(progress.verdict(), SprtVerdict::H1);
    assert_eq!(progress.pairs().counts, [0, 0, 0, 0, games.len() as u64 / 2]);
    assert!(games.len() < 100);
    assert!(schedule.is_decided(&results));
    // A resumed test needs exactly the same games again.
    let again = std::iter::from_fn(|| match schedule.next(&results) {
        Step::Game(spec) => Some(spec),
        Step::Wait | Step::Done => None,
    });
    assert_eq!(again.collect::<Vec<_>>(), games);
    assert_eq!(games[0].id.as_str(), "r1-p0-p1");
    assert_eq!(games[1].id.as_str(), "r1-p1-p0");
    assert_eq!(games[2].id.as_str(), "r2-p1-p0");
}

#[test]
fn a_test_without_a_verdict_ends_with_its_last_pair() {
    let tournament = test(10, 7);
    let (games, results) = one_by_one(&tournament, |_| Decided::Drawn);
    assert_eq!(games.len(), 14);
    let mut schedule = Schedule::new(&tournament);
    assert_eq!(schedule.progress(&results).unwrap().pairs().counts, [0, 0, 7, 0, 0]);
    assert!(!schedule.is_decided(&results));
}

#[test]
fn a_pair_with_a_double_forfeit_is_skipped() {
    let tournament = test(10, 7);
    let (games, results) = one_by_one(&tournament, |spec| match spec.round {
        3 => Decided::BothForfeited,
        _ => first_wins(spec),
    });
    assert_eq!(games.len(), 14);
    assert_eq!(Schedule::new(&tournament).progress(&results).unwrap().pairs().counts, [0, 0, 0, 0, 6]);
}

#[test]
fn a_pair_that_repeats_an_earlier_one_counts_once() {
    let tournament = test(10, 7);
    let (games, _) = one_by_one(&tournament, first_wins);
    // Rounds 1, 3, 5 and 7 are alike, and so are 2 and 4. In round 6, only one game is the same as in round 2.
    let moves = |spec: &GameSpec| match (spec.round, spec.pair().black) {
        (6, 1) => 6,
        (round, black) => u64::from(round % 2) * 10 + black as u64,
    };
    let played = |spec: &GameSpec| KnownEnding { decided: first_wins(spec), moves: Some(moves(spec)) };
    let results: Results = games.iter().map(|spec| (spec.id.clone(), played(spec))).collect();
    let progress = *Schedule::new(&tournament).progress(&results).unwrap();
    assert_eq!((progress.pairs().counts, progress.repeats()), ([0, 0, 0, 0, 3], 4));
    let unplayed: Results = games.iter().map(|spec| (spec.id.clone(), first_wins(spec))).collect();
    assert_eq!(Schedule::new(&tournament).progress(&unplayed).unwrap().repeats(), 0, "nothing was played");
}

#[test]
fn only_a_test_has_progress() {
    let mut schedule = Schedule::new(&super::tournament(2, 1, 0));
    assert_eq!(schedule.progress(&Results::default()), None);
    assert!(!schedule.is_decided(&Results::default()));
}

proptest! {
    #[test]
    fn only_pairs_before_the_first_incomplete_one_count(missing in 0_usize..40, world in any::<u64>()) {
        let tournament = test(10, 20);
        let (games, _) = one_by_one(&tournament, |spec| chance(world, &spec.id));
        prop_assert_eq!(games.len(), 40);
        let (before, gap): (Results, usize) = (
            games.iter().enumerate().filter(|(index, _)| *index != missing).map(|(_, spec)| (spec.id.clone(), chance(world, &spec.id))).collect(),
            missing / 2,
        );
        let prefix: Results = games[..2 * gap].iter().map(|spec| (spec.id.clone(), chance(world, &spec.id))).collect();
        let progress = |results: &Results| *Schedule::new(&tournament).progress(results).unwrap();
        prop_assert_eq!(progress(&before), progress(&prefix));
    }
}
