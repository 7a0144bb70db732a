use proptest::prelude::*;

use super::*;
use crate::base::random::SplitMix64;

fn sprt(elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05).expect("a test")
}

/// A pair that does not repeat another one.
const fn scored(half_points: u8) -> PlayedPair {
    PlayedPair { half_points, moves: None }
}

#[test]
fn ratios_agree_with_an_independent_computation() {
    // Computed with Newton's method from the other form of the same constrained maximum, with 60 decimal digits.
    for (counts, elo0, elo1, expected) in [
        ([10, 30, 60, 40, 20], 0.0, 10.0, 1.241_089_966_908),
        ([0, 0, 0, 0, 5], 0.0, 10.0, 0.141_896_656_919_85),
        ([7, 0, 3, 0, 0], -5.0, 5.0, -0.287_827_210_750_437),
        ([100, 200, 450, 260, 90], 0.0, 2.0, 0.348_503_169_407_372),
        ([1, 0, 0, 0, 0], 0.0, 50.0, -0.154_559_309_952_093),
        ([3, 9, 27, 19, 4], -20.0, 15.5, 2.705_922_371_038_22),
        ([1000, 2000, 4000, 2000, 1000], 0.0, 5.0, -3.450_685_095_168_62),
    ] {
        let llr = sprt(elo0, elo1).llr(&Pentanomial { counts });
        assert!((llr - expected).abs() < 1e-9, "{counts:?}: {llr}, not {expected}");
    }
    assert_eq!(sprt(0.0, 10.0).llr(&Pentanomial::default()).to_bits(), 0);
}

#[test]
fn bounds_are_walds() {
    let test = Sprt::new(0.0, 10.0, 0.01, 0.1).expect("a test");
    assert!((test.lower() + 2.292_534_757_140_544).abs() < 1e-12, "{}", test.lower());
    assert!((test.upper() - 4.499_809_670_330_265).abs() < 1e-12, "{}", test.upper());
}

#[test]
fn invalid_numbers_make_no_test() {
    for (elo0, elo1, alpha, beta) in [
        (1.0, 1.0, 0.05, 0.05),
        (2.0, 1.0, 0.05, 0.05),
        (f64::NAN, 1.0, 0.05, 0.05),
        (0.0, f64::INFINITY, 0.05, 0.05),
        (0.0, 1.0, 0.0, 0.05),
        (0.0, 1.0, 0.05, 0.5),
    ] {
        assert_eq!(Sprt::new(elo0, elo1, alpha, beta), None);
    }
}

#[test]
fn a_decided_test_ignores_further_pairs() {
    let mut tested = TestedPairs::new(sprt(0.0, 50.0));
    while tested.progress().verdict() == SprtVerdict::Undecided {
        tested.add(scored(4));
    }
    let decided = *tested.progress();
    assert_eq!(decided.verdict(), SprtVerdict::H1);
    assert!(decided.llr() >= decided.sprt().upper());
    tested.add(scored(0));
    assert_eq!(*tested.progress(), decided);
    let (llr, pairs) = (decided.llr(), decided.pairs().pairs());
    let shown = format!("LLR {llr:.2} (-2.94, 2.94), {pairs} pairs, all distinct, by score 0-0-0-0-{pairs}, H1");
    assert_eq!(decided.to_string(), shown);
}

#[test]
fn near_the_observed_score_the_ratio_agrees_with_normal_distributions() {
    let counts = [500, 2400, 4000, 2500, 600];
    let shares = [0.05, 0.24, 0.4, 0.25, 0.06];
    let mean: f64 = shares.iter().zip(SCORES).map(|(share, score)| share * score).sum();
    let variance: f64 = shares.iter().zip(SCORES).map(|(share, score)| share * (score - mean).powi(2)).sum();
    let (score0, score1) = (expected_score(2.0), expected_score(8.0));
    let expected = 10_000.0 * (score1 - score0) * (2.0 * mean - score0 - score1) / (2.0 * variance);
    let llr = sprt(2.0, 8.0).llr(&Pentanomial { counts });
    assert!((llr - expected).abs() < 0.01 * expected.abs(), "{llr} {expected}");
}

/// If H0 is true, about 5% of the tests accept H1; if H1 is true, about 5% accept H0.
#[test]
fn verdicts_are_wrong_no_more_often_than_alpha_and_beta() {
    const TESTS: u32 = 200;
    let (elo0, elo1) = (0.0, 60.0);
    let mut random = SplitMix64::new(5);
    let mut share_of_h1 = |elo: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a billion")]
        let wins = (expected_score(elo) * 1e9) as u64;
        let mut accepted = 0_u32;
        for _ in 0..TESTS {
            let mut tested = TestedPairs::new(sprt(elo0, elo1));
            let mut game = || if random.below(1_000_000_000) < wins { 2 } else { 0 };
            (0..2000).for_each(|_| tested.add(scored(game() + game())));
            assert_ne!(tested.progress().verdict(), SprtVerdict::Undecided);
            accepted += u32::from(tested.progress().verdict() == SprtVerdict::H1);
        }
        f64::from(accepted) / f64::from(TESTS)
    };
    let (wrong, right) = (share_of_h1(elo0), share_of_h1(elo1));
    assert!(wrong < 0.09 && right > 0.91, "{wrong} {right}");
}

#[test]
fn a_pair_that_repeats_an_earlier_one_counts_once() {
    let mut tested = TestedPairs::new(sprt(0.0, 10.0));
    for moves in [Some([1, 2]), Some([2, 1]), Some([1, 2]), None, None, Some([1, 3]), Some([1, 2])] {
        tested.add(PlayedPair { half_points: 3, moves });
    }
    let progress = tested.progress();
    assert_eq!((progress.pairs().counts, progress.repeats()), ([0, 0, 0, 5, 0], 2));
    let shown = progress.to_string();
    assert!(shown.contains("7 pairs, 5 of them distinct, by score 0-0-0-5-0, undecided"), "{shown}");
}

#[test]
fn normalized_elo_agrees_with_an_independent_computation() {
    for (counts, elo, error95) in [
        ([10, 30, 60, 40, 20], 42.911_090_08, 38.067_589_76),
        ([1000, 2000, 4000, 2000, 1000], 0.0, 4.815_211_55),
        ([1, 0, 0, 0, 2], 86.858_896_38, 278.006_368_32),
    ] {
        let found = Pentanomial { counts }.normalized_elo().expect("a variance");
        assert!((found.elo - elo).abs() < 1e-6 && (found.error95 - error95).abs() < 1e-6, "{counts:?}: {found:?}");
    }
    assert_eq!(Pentanomial { counts: [0, 0, 7, 0, 0] }.normalized_elo(), None, "no variance");
    assert_eq!(Pentanomial::default().normalized_elo(), None);
}

/// The plain estimate after a test is too extreme. This estimate is too high as often as too low, and its interval
/// contains the truth in at least 95% of all tests.
#[test]
fn the_lead_after_a_test_is_neither_exaggerated_nor_too_sure() {
    const TESTS: u32 = 250;
    let mut random = SplitMix64::new(11);
    for truth in [-20.0, 0.0, 30.0, 60.0, 100.0] {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a billion")]
        let wins = (expected_score(truth) * 1e9) as u64;
        let (mut above, mut covered) = (0_u32, 0_u32);
        for _ in 0..TESTS {
            let mut tested = TestedPairs::new(sprt(0.0, 60.0));
            let mut game = || if random.below(1_000_000_000) < wins { 2 } else { 0 };
            while tested.progress().verdict() == SprtVerdict::Undecided {
                tested.add(scored(game() + game()));
            }
            let lead = tested.progress().lead().expect("pairs of different scores");
            let (low, high) = (lead.low.unwrap_or(f64::MIN), lead.high.unwrap_or(f64::MAX));
            assert!(low < lead.elo && lead.elo < high, "{lead:?}");
            above += u32::from(lead.elo > truth);
            covered += u32::from(low <= truth && truth <= high);
        }
        let share = |count: u32| f64::from(count) / f64::from(TESTS);
        assert!((0.42..0.58).contains(&share(above)), "{truth}: above in {}", share(above));
        assert!((0.93..=1.0).contains(&share(covered)), "{truth}: covered in {}", share(covered));
    }
}

/// The expected ends were obtained by simulating the test itself, with pairs of games from one opening, in which some
/// scores never occur. A lead of about 5 Elo leads to H1 within these 16 pairs in 2.5% of all tests.
#[test]
fn scores_that_never_occurred_do_not_widen_the_interval() {
    let mut tested = TestedPairs::new(sprt(0.0, 100.0));
    for score in [2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2] {
        tested.add(scored(score));
    }
    let lead = tested.progress().lead().expect("pairs of different scores");
    assert!((-40.0..40.0).contains(&lead.low.expect("a lower end")), "{lead:?}");
    assert!((150.0..300.0).contains(&lead.high.expect("an upper end")), "{lead:?}");
}

/// If no pair reaches the score of the hypotheses, the ratio moves more slowly than the pairs' own variance suggests.
/// The estimate must not mistake this for a weaker effect: these pairs score 6.5 of 24 points, which is -172 Elo.
#[test]
fn scores_far_from_the_hypotheses_are_within_the_interval() {
    let mut tested = TestedPairs::new(sprt(0.0, 80.0));
    for score in [0, 2, 1, 2, 0, 2, 1, 2, 0, 2, 1, 0] {
        tested.add(scored(score));
    }
    let progress = tested.progress();
    let v = progress.pairs().variance_about(expected_score(40.0));
    let (score0, score1) = (expected_score(0.0), expected_score(80.0));
    let modelled = 12.0 * (score1 - score0) * (6.5 / 24.0 - expected_score(40.0)) / v;
    assert!((modelled / progress.llr() - 1.0).abs() < 0.02, "{modelled} {}", progress.llr());
    let lead = progress.lead().expect("pairs of different scores");
    assert!(lead.low.is_none_or(|low| low < -172.0) && lead.high.is_none_or(|high| high > -172.0), "{lead:?}");
}

#[test]
fn pairs_of_one_score_tell_no_lead() {
    let mut tested = TestedPairs::new(sprt(0.0, 10.0));
    for score in [4; 5] {
        assert_eq!(tested.progress().lead(), None);
        tested.add(scored(score));
    }
    tested.add(scored(0));
    let lead = tested.progress().lead().expect("pairs of different scores");
    assert!(lead.low.is_none_or(|low| low < lead.elo) && lead.high.is_none_or(|high| lead.elo < high), "{lead:?}");
}

#[test]
fn a_test_ends_once_its_pairs_only_repeat_each_other() {
    let mut tested = TestedPairs::new(sprt(0.0, 10.0));
    let pair = |number| PlayedPair { half_points: 3, moves: Some([number, 0]) };
    (0..SprtProgress::MOST_REPEATS_IN_A_ROW).for_each(|_| tested.add(pair(1)));
    assert!(!tested.progress().is_over(), "the first one is new");
    tested.add(pair(2));
    (0..SprtProgress::MOST_REPEATS_IN_A_ROW - 1).for_each(|_| tested.add(pair(1)));
    assert!(!tested.progress().is_over());
    tested.add(pair(2));
    assert!(tested.progress().is_over() && tested.progress().verdict() == SprtVerdict::Undecided);
    let shown = tested.progress().to_string();
    assert!(shown.ends_with("undecided: the last 100 pairs repeat earlier ones"), "{shown}");
}

proptest! {
    #[test]
    fn swapping_the_sides_negates_the_ratio(
        counts in proptest::array::uniform5(0_u64..500), low in -100.0..100.0, width in 0.5..100.0,
    ) {
        let pairs = Pentanomial { counts };
        let mut reversed = pairs;
        reversed.counts.reverse();
        let there = sprt(low, low + width).llr(&pairs);
        let back = sprt(-low - width, -low).llr(&reversed);
        prop_assert!((there + back).abs() <= 1e-9 * (1.0 + there.abs()), "{there} {back}");
    }

    #[test]
    fn a_better_pair_is_never_worse_for_h1(
        counts in proptest::array::uniform5(1_u64..50), score in 0_usize..4, low in -100.0..100.0, width in 0.5..100.0,
    ) {
        let test = sprt(low, low + width);
        let (mut worse, mut better) = (Pentanomial { counts }, Pentanomial { counts });
        worse.counts[score] += 1;
        better.counts[score + 1] += 1;
        prop_assert!(test.llr(&better) > test.llr(&worse));
    }
}
