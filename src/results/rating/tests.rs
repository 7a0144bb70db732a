//! Ratings, checked against independent fits and against laws that hold for every field.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use crate::results::rating::{Anchor, Bootstrap, Elo, Fit, Model, PairResults, PlayerRating, Prior, Rating, Wdl};
use proptest::prelude::*;

const MODELS: [Model; 2] = [Model::Davidson, Model::BtHalf];

/// Pairings and their results. Players are numbered; the games are those of (black, white), from black's point of view.
type Field = Vec<(usize, usize, Wdl)>;

pub(in crate::results) fn wdl(wins: u64, draws: u64, losses: u64) -> Wdl {
    Wdl { wins, draws, losses }
}

fn results_named(field: &[(usize, usize, Wdl)], name: impl Fn(usize) -> String) -> PairResults {
    let mut results = PairResults::default();
    for &(black, white, games) in field {
        let (black, white) = (results.player(&name(black)), results.player(&name(white)));
        results.add(black, white, games);
    }
    results
}

pub(in crate::results) fn results(field: &[(usize, usize, Wdl)]) -> PairResults {
    results_named(field, |player| format!("p{player:04}"))
}

fn fit(field: &[(usize, usize, Wdl)], model: Model, prior: Prior) -> Fit {
    Fit::new(&results(field), model, prior)
}

/// All numbers of a fit as text, to the last bit.
fn bits(fit: &Fit) -> String {
    format!("{fit:?}")
}

fn ratings(fit: &Fit) -> Vec<Rating> {
    fit.players.iter().map(|player| player.rating).collect()
}

fn finite(fit: &Fit) -> Vec<f64> {
    fit.players.iter().map(|player| player.rating.finite().expect("finite").0).collect()
}

pub(in crate::results) fn assert_close(actual: &[f64], expected: &[f64], tolerance: f64) {
    let close = actual.len() == expected.len() && actual.iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance);
    assert!(close, "{actual:?} is not {expected:?}");
}

pub(in crate::results) fn sample() -> PairResults {
    let mut results = PairResults::default();
    for line in include_str!("../../../tests/data/ratings/a.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (black, white) = (results.player(fields[0]), results.player(fields[1]));
        let game = match fields[2] {
            "1" => wdl(1, 0, 0),
            "0.5" => wdl(0, 1, 0),
            "0" => wdl(0, 0, 1),
            other => panic!("{other}"),
        };
        results.add(black, white, game);
    }
    results
}

#[test]
fn davidson_agrees_with_an_independent_fit() {
    let fit = Fit::new(&sample(), Model::Davidson, Prior::None);
    assert_close(&finite(&fit), &[114.4646, 114.4646, 57.7203, 57.7203, -122.5793, -221.7905], 0.01);
    assert_close(&[fit.advantage.elo().0], &[116.7474], 0.01);
    assert_close(&[fit.draws.nu, fit.draws.between_equals()], &[0.693_729, 0.257_535], 1e-5);
    let bars: Vec<f64> = fit.players.iter().map(|player| player.error95.unwrap().0).collect();
    assert_close(&bars, &[115.97, 115.97, 112.87, 112.87, 117.25, 128.77], 0.01);
}

#[test]
fn bt_half_agrees_with_an_independent_fit() {
    let fit = Fit::new(&sample(), Model::BtHalf, Prior::None);
    assert_close(&finite(&fit), &[83.6214, 83.6214, 42.1214, 42.1214, -89.7298, -161.7559], 0.01);
    assert_close(&[fit.advantage.elo().0], &[85.1423], 0.01);
    assert_close(&[fit.draws.between_equals()], &[0.257_548], 1e-5);
}

/// The expected bars come from a second, independent computation of the sandwich estimator at the known fit. With the
/// plain information matrix, the bars would be 17 to 18% wider.
#[test]
fn the_sandwich_narrows_the_bars_of_bt_half() {
    let fit = Fit::new(&sample(), Model::BtHalf, Prior::None);
    let bars: Vec<f64> = fit.players.iter().map(|player| player.error95.unwrap().0).collect();
    assert_close(&bars, &[83.862, 83.862, 82.352, 82.352, 84.507, 90.229], 0.01);
}

#[test]
fn the_bars_of_two_equal_players_match_a_calculation_by_hand() {
    // Each player wins half of the 100 games with either colour. The information about the difference between the two
    // ratings is 100 k^2 / 4, and each rating is half of that difference away from the mean.
    let fit = fit(&[(0, 1, wdl(25, 0, 25)), (1, 0, wdl(25, 0, 25))], Model::Davidson, Prior::None);
    let expected = 1.96 / 2.0 / (25.0_f64.sqrt() * std::f64::consts::LN_10 / 400.0);
    for player in &fit.players {
        assert_close(&[player.rating.elo().0, player.error95.unwrap().0], &[0.0, expected], 1e-3);
    }
    assert_close(&[fit.superiority(0, 1).unwrap()], &[0.5], 1e-6);
    assert_eq!(fit.draws.nu.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn superiority_grows_with_the_difference_and_sums_to_one() {
    let fit = Fit::new(&sample(), Model::Davidson, Prior::Weak);
    let (ada, cyd, fay) = (0, 2, 5);
    let close = fit.superiority(ada, cyd).unwrap();
    let far = fit.superiority(ada, fay).unwrap();
    assert!(0.5 < close && close < far && far < 1.0, "{close} {far}");
    assert_close(&[fit.superiority(fay, ada).unwrap() + far], &[1.0], 1e-12);
    assert_eq!(fit.superiority(ada, ada), None);
    let lead = fit.players[ada].rating.elo().0 - fit.players[fay].rating.elo().0;
    assert_close(&[fit.superiority_by(ada, fay, Elo(lead)).unwrap()], &[0.5], 1e-6);
    assert_eq!(fit.superiority_by(ada, fay, Elo(0.0)), Some(far));
}

pub(in crate::results) fn fixed(player: &str, elo: f64) -> Anchor {
    Anchor { player: player.to_owned(), elo: Elo(elo), deviation: None }
}

pub(in crate::results) fn loose(player: &str, elo: f64, deviation: f64) -> Anchor {
    Anchor { deviation: Some(Elo(deviation)), ..fixed(player, elo) }
}

#[test]
fn an_anchor_moves_the_zero_and_nothing_else() {
    let free = Fit::new(&sample(), Model::Davidson, Prior::Weak);
    let anchored = Fit::anchored(&sample(), Model::Davidson, Prior::Weak, &[fixed("Dov", 1500.0)]).unwrap();
    let shift = 1500.0 - free.players[3].rating.elo().0;
    for (anchored, free) in anchored.players.iter().zip(&free.players) {
        assert_close(&[anchored.rating.elo().0], &[free.rating.elo().0 + shift], 1e-9);
        assert_eq!(anchored.error95, free.error95);
    }
    assert_close(&[anchored.superiority(0, 4).unwrap()], &[free.superiority(0, 4).unwrap()], 1e-12);
}

// The bootstrap.

fn resampled(results: &PairResults, model: Model, prior: Prior, samples: u32, seed: u64) -> Fit {
    let mut fit = Fit::new(results, model, prior);
    fit.bootstrap(Bootstrap { samples: NonZeroU32::new(samples).unwrap(), seed });
    fit
}

/// With many games, the bars are those of the normal approximation.
#[test]
fn with_many_games_the_bootstrap_agrees_with_the_normal_approximation() {
    let field = [(0, 1, wdl(500, 300, 200)), (1, 2, wdl(400, 250, 350)), (2, 0, wdl(300, 300, 400))];
    for model in MODELS {
        for prior in [Prior::Weak, Prior::None] {
            let plain = fit(&field, model, prior);
            let resampled = resampled(&results(&field), model, prior, 1500, 0);
            assert_eq!(ratings(&plain), ratings(&resampled));
            let bars = |fit: &Fit| -> Vec<f64> {
                let bars = fit.players.iter().map(|player| player.error95).chain([fit.advantage_error95]);
                bars.map(|bar| bar.unwrap().0).collect()
            };
            for (plain, resampled) in bars(&plain).into_iter().zip(bars(&resampled)) {
                assert!((resampled / plain - 1.0).abs() < 0.08, "{model:?} {prior:?}: {resampled} for {plain}");
            }
        }
    }
}

/// With 40 games per player, the bars of the normal approximation are a few percent too narrow.
#[test]
fn with_few_games_the_bootstrap_is_wider_than_the_normal_approximation() {
    let plain = Fit::new(&sample(), Model::Davidson, Prior::None);
    let resampled = resampled(&sample(), Model::Davidson, Prior::None, 4000, 0);
    let ratio =
        |(resampled, plain): (&PlayerRating, &PlayerRating)| resampled.error95.unwrap().0 / plain.error95.unwrap().0;
    let ratios: Vec<f64> = resampled.players.iter().zip(&plain.players).map(ratio).collect();
    let mean = ratios.iter().sum::<f64>() / 6.0;
    assert!((1.03..1.12).contains(&mean), "{ratios:?}");
}

#[test]
fn bars_are_reproducible_from_the_seed() {
    let bars = |seed| bits(&resampled(&sample(), Model::BtHalf, Prior::Weak, 50, seed));
    assert_eq!(bars(1), bars(1));
    assert_ne!(bars(1), bars(2));
}

#[test]
fn unbounded_ratings_get_no_bars_from_the_bootstrap() {
    let field = [(0, 1, wdl(3, 1, 3)), (1, 0, wdl(3, 1, 3)), (2, 0, wdl(9, 0, 0)), (1, 2, wdl(0, 0, 9))];
    let fit = resampled(&results(&field), Model::Davidson, Prior::None, 40, 0);
    assert!(matches!(fit.players[2].rating, Rating::Above(_)), "{fit:?}");
    let has_bar: Vec<bool> = fit.players.iter().map(|player| player.error95.is_some()).collect();
    assert_eq!(has_bar, [true, true, false]);
    // A player that wins 8 of 9 games wins all of them in many samples.
    let field = [(0, 1, wdl(8, 0, 1))];
    let fit = resampled(&results(&field), Model::Davidson, Prior::None, 200, 0);
    assert_eq!(fit.players[0].error95, None, "{fit:?}");
}

// Fields without a finite fit.

#[test]
fn with_the_prior_every_fit_is_finite() {
    let fields: [&[(usize, usize, Wdl)]; 6] = [
        &[(0, 1, wdl(1, 0, 0))],
        &[(0, 1, wdl(0, 1, 0))],
        &[(0, 1, wdl(1000, 0, 0)), (1, 0, wdl(1000, 0, 0))],
        &[(0, 1, wdl(1_000_000, 0, 0)), (1, 0, wdl(0, 0, 1_000_000))],
        &[(0, 1, wdl(1, 0, 0)), (2, 3, wdl(1, 0, 0))],
        &[(0, 0, wdl(1, 2, 3))],
    ];
    for field in fields {
        for model in MODELS {
            let fit = fit(field, model, Prior::Weak);
            for player in &fit.players {
                assert!(player.rating.finite().is_some_and(|elo| elo.0.abs() < 3000.0), "{fit:?}");
            }
            assert_close(&[finite(&fit).iter().sum::<f64>()], &[0.0], 1e-6);
            assert!(fit.advantage.finite().is_some_and(|elo| elo.0.abs() < 3000.0), "{fit:?}");
            assert!(fit.draws.nu > 0.0 && fit.draws.nu < 1000.0, "{fit:?}");
        }
    }
}

#[test]
fn without_a_prior_winning_or_losing_every_game_gives_a_bound() {
    for model in MODELS {
        // Players 0 and 1 have beaten each other the same number of times, 2 beats both, and 3 loses every game.
        let even = wdl(3, 1, 3);
        let field = [
            (0, 1, even),
            (1, 0, even),
            (2, 0, wdl(2, 0, 0)),
            (0, 2, wdl(0, 0, 2)),
            (1, 2, wdl(0, 0, 2)),
            (3, 0, wdl(0, 0, 2)),
            (1, 3, wdl(2, 0, 0)),
            (2, 3, wdl(2, 0, 0)),
        ];
        let with = fit(&field, model, Prior::Weak);
        let without = fit(&field, model, Prior::None);
        assert_eq!(without.players.len(), 4);
        assert_eq!(without.pools, 3);
        assert!(matches!(without.players[2].rating, Rating::Above(_)), "{without:?}");
        assert!(matches!(without.players[3].rating, Rating::Below(_)), "{without:?}");
        assert_eq!((without.players[2].error95, without.players[3].error95), (None, None));
        assert_close(&finite_pool_of(&without), &[0.0, 0.0], 1e-4);
        // The bound is the rating with the prior, relative to the mean of players 0 and 1.
        let zero = f64::midpoint(with.players[0].rating.elo().0, with.players[1].rating.elo().0);
        assert_close(&[without.players[2].rating.elo().0], &[with.players[2].rating.elo().0 - zero], 1e-9);
    }
}

fn finite_pool_of(fit: &Fit) -> Vec<f64> {
    fit.players.iter().filter_map(|player| player.rating.finite()).map(|elo| elo.0).collect()
}

#[test]
fn without_a_prior_unbounded_players_do_not_affect_the_others() {
    let core = [(0, 1, wdl(5, 2, 3)), (1, 2, wdl(4, 1, 5)), (2, 0, wdl(2, 2, 6)), (1, 0, wdl(3, 0, 4))];
    let mut field = core.to_vec();
    field.extend([(3, 0, wdl(9, 0, 0)), (1, 3, wdl(0, 0, 9)), (2, 4, wdl(7, 0, 0))]);
    for model in MODELS {
        let alone = fit(&core, model, Prior::None);
        let among = fit(&field, model, Prior::None);
        assert_close(&finite_pool_of(&among), &finite(&alone), 1e-3);
        for (alone, among) in alone.players.iter().zip(&among.players) {
            assert_close(&[among.error95.unwrap().0], &[alone.error95.unwrap().0], 0.05);
        }
    }
}

#[test]
fn without_a_prior_an_advantage_that_decides_every_game_is_unbounded() {
    for model in MODELS {
        let fit = fit(&[(0, 1, wdl(7, 0, 0)), (1, 0, wdl(7, 0, 0))], model, Prior::None);
        assert!(matches!(fit.advantage, Rating::Above(_)), "{fit:?}");
        assert_eq!(fit.advantage_error95, None);
        assert_close(&finite(&fit), &[0.0, 0.0], 1e-3);
        assert_eq!(fit.draws.nu.to_bits(), 0.0_f64.to_bits());
    }
}

#[test]
fn without_a_prior_a_single_game_gives_one_bound_each_way() {
    for model in MODELS {
        let fit = fit(&[(0, 1, wdl(1, 0, 0))], model, Prior::None);
        assert!(matches!(ratings(&fit)[..], [Rating::Above(_), Rating::Below(_)]), "{fit:?}");
    }
}

#[test]
fn without_a_prior_draws_alone_predict_draws() {
    for model in MODELS {
        let fit = fit(&[(0, 1, wdl(0, 5, 0)), (1, 0, wdl(0, 5, 0))], model, Prior::None);
        assert_close(&finite(&fit), &[0.0, 0.0], 1e-3);
        assert_close(&[fit.draws.between_equals()], &[1.0], 1e-6);
    }
}

#[test]
fn without_a_prior_unconnected_pools_have_separate_zeros() {
    let field = [(0, 1, wdl(3, 0, 1)), (1, 0, wdl(2, 0, 2)), (2, 3, wdl(3, 0, 2)), (3, 2, wdl(1, 0, 4))];
    let fit = fit(&field, Model::Davidson, Prior::None);
    let elo = finite(&fit);
    assert_eq!(fit.pools, 2);
    assert_close(&[elo[0] + elo[1], elo[2] + elo[3]], &[0.0, 0.0], 1e-3);
    assert!(elo[0] > 40.0 && elo[2] > 40.0, "{elo:?}");
    assert_eq!(fit.superiority(0, 2), None);
    assert!(fit.superiority(0, 1).is_some());
}

#[test]
fn a_strict_ladder_of_20_players_is_fitted_in_order() {
    // Every player always beats all weaker ones, which is the hardest case for a fit.
    let mut field = Field::new();
    for strong in 0..20 {
        for weak in strong + 1..20 {
            field.push((strong, weak, wdl(50, 0, 0)));
            field.push((weak, strong, wdl(0, 0, 50)));
        }
    }
    for model in MODELS {
        for prior in [Prior::Weak, Prior::None] {
            let ratings: Vec<f64> = ratings(&fit(&field, model, prior)).iter().map(|rating| rating.elo().0).collect();
            assert!(ratings.is_sorted_by(|a, b| a > b), "{ratings:?}");
        }
    }
}

// Laws.

/// A field in which every pair of players meets and every result occurs.
fn connected_field() -> impl Strategy<Value = Field> {
    (2_usize..7).prop_flat_map(|players| {
        prop::collection::vec((1_u64..9, 0_u64..5, 1_u64..9), players * (players - 1)).prop_map(move |counts| {
            let pairs = (0..players).flat_map(|b| (0..players).filter(move |&w| w != b).map(move |w| (b, w)));
            pairs.zip(counts).map(|((b, w), (wins, draws, losses))| (b, w, wdl(wins, draws, losses))).collect()
        })
    })
}

/// Any field, including degenerate ones.
fn any_field() -> impl Strategy<Value = Field> {
    prop::collection::vec((0_usize..6, 0_usize..6, (0_u64..3, 0_u64..2, 0_u64..3)), 1..20).prop_map(|pairs| {
        pairs.into_iter().filter(|(b, w, _)| b != w).map(|(b, w, (x, y, z))| (b, w, wdl(x, y, z))).collect()
    })
}

fn any_model() -> impl Strategy<Value = Model> {
    prop::sample::select(MODELS.as_slice())
}

fn any_prior() -> impl Strategy<Value = Prior> {
    prop::sample::select([Prior::Weak, Prior::None].as_slice())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_games_does_not_change_a_single_bit(
        (field, shuffled) in any_field().prop_flat_map(|field| (Just(field.clone()), Just(field).prop_shuffle())),
        model in any_model(),
        prior in any_prior(),
    ) {
        prop_assert_eq!(bits(&fit(&field, model, prior)), bits(&fit(&shuffled, model, prior)));
    }

    #[test]
    fn games_count_the_same_one_by_one_or_in_bulk(field in any_field(), model in any_model()) {
        let single = |games: Wdl| {
            let each = [(games.wins, wdl(1, 0, 0)), (games.draws, wdl(0, 1, 0)), (games.losses, wdl(0, 0, 1))];
            each.into_iter().flat_map(|(count, game)| (0..count).map(move |_| game))
        };
        let mut one_by_one: Field =
            field.iter().flat_map(|&(b, w, games)| single(games).map(move |game| (b, w, game))).collect();
        one_by_one.extend(field.iter().map(|&(b, w, _)| (b, w, wdl(0, 0, 0))));
        prop_assert_eq!(bits(&fit(&field, model, Prior::Weak)), bits(&fit(&one_by_one, model, Prior::Weak)));
    }

    #[test]
    fn names_do_not_affect_the_fit(field in connected_field(), model in any_model(), prior in any_prior()) {
        let renamed = Fit::new(&results_named(&field, |player| format!("q{:02}", 50 - player)), model, prior);
        let mut elo = finite(&renamed);
        elo.reverse();
        let original = fit(&field, model, prior);
        assert_close(&elo, &finite(&original), 1e-4);
        assert_close(&[renamed.advantage.elo().0], &[original.advantage.elo().0], 1e-4);
    }

    #[test]
    fn swapping_colours_negates_the_advantage(
        field in connected_field(),
        model in any_model(),
        prior in any_prior(),
    ) {
        let swapped: Field = field.iter().map(|&(b, w, games)| (w, b, games.reversed())).collect();
        let (swapped, original) = (fit(&swapped, model, prior), fit(&field, model, prior));
        assert_close(&finite(&swapped), &finite(&original), 1e-4);
        assert_close(&[-swapped.advantage.elo().0], &[original.advantage.elo().0], 1e-4);
        for (swapped, original) in swapped.players.iter().zip(&original.players) {
            assert_close(&[swapped.error95.unwrap().0], &[original.error95.unwrap().0], 1e-3);
        }
    }

    #[test]
    fn without_a_prior_expected_scores_equal_observed_ones(
        field in connected_field(),
        model in any_model(),
    ) {
        let fit = fit(&field, model, Prior::None);
        let mut surplus = vec![0.0; fit.players.len()];
        let (mut black_surplus, mut draw_surplus) = (0.0, 0.0);
        #[expect(clippy::cast_precision_loss)]
        for &(b, w, games) in &field {
            let forecast = fit.forecast(b, w);
            assert_close(&[forecast.win + forecast.draw + forecast.loss], &[1.0], 1e-9);
            let more = games.half_points() as f64 / 2.0 - games.games() as f64 * forecast.score();
            surplus[b] += more;
            surplus[w] -= more;
            black_surplus += more;
            draw_surplus += games.draws as f64 - games.games() as f64 * forecast.draw;
        }
        assert_close(&surplus, &vec![0.0; surplus.len()], 1e-5);
        assert_close(&[black_surplus, draw_surplus], &[0.0, 0.0], 1e-5);
    }

    #[test]
    fn every_field_gets_a_fit(field in any_field(), model in any_model(), prior in any_prior()) {
        let fit = fit(&field, model, prior);
        let mut shown = String::new();
        for player in &fit.players {
            write!(shown, "{} {:?} ", player.rating, player.error95).unwrap();
            prop_assert!(player.rating.elo().0.is_finite());
            prop_assert!(player.error95.is_none_or(|bar| bar.0.is_finite()));
            prop_assert!(prior == Prior::None || player.rating.finite().is_some());
        }
        prop_assert!(!fit.draws.nu.is_nan() && fit.advantage.elo().0.is_finite(), "{}", shown);
    }
}
