//! Head to head, performance, goodness of fit and rank chances, checked against an independent computation.
//!
//! The independent computation is a program in another language. It takes the probabilities of each game from the known
//! fit, integrates the tail of the chi-squared distribution by Simpson's rule, and estimates ranks from its own 400,000
//! draws.

use std::collections::HashMap;

use crate::game::Side;
use crate::results::rating::{Fit, Goodness, HeadToHead, Model, PairResults, Prior};
use crate::results::standings::{GameSummary, RatingOptions, Standings, Tally, worst_fitted};

use crate::results::rating::anchors::tests::{Chance, played};
use crate::results::rating::tests::{assert_close, fixed, results, sample, wdl};
use crate::results::standings::tests::{double_forfeit, game, won};

fn davidson() -> Fit {
    Fit::new(&sample(), Model::Davidson, Prior::None)
}

#[test]
fn head_to_head_agrees_with_an_independent_computation() {
    let fit = davidson();
    let met = fit.head_to_head();
    assert_eq!(met.len(), 15);
    let (ada, bea, dov, eli, fay) = (0, 1, 3, 4, 5);
    for (player, other, score, expected, deviation) in [
        (ada, bea, 3.5, 4.0, -0.4246),
        (ada, dov, 3.0, 4.4511, -1.2401),
        (bea, eli, 4.5, 5.7611, -1.1956),
        (eli, fay, 4.0, 4.7818, -0.6770),
    ] {
        let pairing = met.iter().find(|met| (met.player, met.other) == (player, other)).unwrap();
        assert_eq!((pairing.games.games(), pairing.begun), (8, 4));
        assert_close(&[pairing.score(), pairing.expected, pairing.deviation()], &[score, expected, deviation], 1e-3);
        let turned = pairing.reversed();
        assert_close(&[turned.score() + score, turned.expected + expected], &[8.0, 8.0], 1e-3);
        assert_close(&[turned.deviation()], &[-deviation], 1e-3);
        assert_eq!((turned.games, turned.begun), (pairing.games.reversed(), 4));
    }
}

#[test]
fn the_goodness_of_the_fit_agrees_with_an_independent_computation() {
    let fit = davidson();
    let met = fit.head_to_head();
    let Goodness { chi_squared, pairings, degrees, p_value } = fit.goodness(&met);
    assert_eq!((pairings, degrees), (15, 10));
    assert_close(&[chi_squared, p_value.unwrap()], &[7.4069, 0.6866], 0.001);
    let worst: Vec<(usize, usize)> = worst_fitted(&met, 2).iter().map(|met| (met.player, met.other)).collect();
    assert_eq!(worst, [(0, 3), (1, 4)]);
}

#[test]
fn what_is_fitted_takes_degrees_of_freedom() {
    let degrees = |fit: &Fit| fit.goodness(&fit.head_to_head()).degrees;
    let anchors = [fixed("Ada", 1500.0), fixed("Bea", 1500.0), fixed("Fay", 1100.0)];
    let anchored = Fit::anchored(&sample(), Model::BtHalf, Prior::Weak, &anchors).unwrap();
    // Two differences are fixed.
    assert_eq!(degrees(&anchored), 12);
    let circle = [(0, 1, wdl(3, 1, 2)), (1, 2, wdl(3, 1, 2)), (2, 0, wdl(3, 1, 2))];
    let uneven = Fit::new(&results(&circle), Model::Davidson, Prior::Weak);
    // Three pairings determine two ratings and an advantage: no player plays both colours.
    assert_eq!(uneven.goodness(&uneven.head_to_head()).p_value, None);
    let both: Vec<_> = circle.iter().flat_map(|&(b, w, games)| [(b, w, games), (w, b, games)]).collect();
    assert_eq!(degrees(&Fit::new(&results(&both), Model::Davidson, Prior::Weak)), 1);
    // With two groups that never meet, there is one fewer rating to fit.
    let apart: Vec<_> = both.iter().flat_map(|&(b, w, games)| [(b, w, games), (b + 3, w + 3, games)]).collect();
    assert_eq!(degrees(&Fit::new(&results(&apart), Model::Davidson, Prior::Weak)), 2);
}

/// The statistic of tournaments that follow the model has the distribution that its p-value assumes.
#[test]
fn p_values_of_tournaments_by_the_model_are_evenly_spread() {
    let strengths = [150.0, 90.0, 30.0, -30.0, -90.0, -150.0];
    let mut chance = Chance(0x2545_F491_4F6C_DD1D);
    let p_values: Vec<f64> = (0..200)
        .map(|_| {
            let fit = Fit::new(&results(&played(&strengths, 10, &mut chance)), Model::Davidson, Prior::None);
            fit.goodness(&fit.head_to_head()).p_value.unwrap()
        })
        .collect();
    let mean = p_values.iter().sum::<f64>() / 200.0;
    let small = p_values.iter().filter(|&&p| p < 0.1).count();
    // The standard deviation of the mean is 0.02, and that of the count is 4.2.
    assert!((0.42..0.58).contains(&mean) && (5..38).contains(&small), "{mean} {small}");
}

#[test]
fn a_circle_that_no_ratings_explain_is_found() {
    let circle = [(0, 1), (1, 2), (2, 0)].map(|(b, w)| [(b, w, wdl(9, 0, 1)), (w, b, wdl(1, 0, 9))]).concat();
    let fit = Fit::new(&results(&circle), Model::Davidson, Prior::Weak);
    let goodness = fit.goodness(&fit.head_to_head());
    assert!(goodness.degrees == 1 && goodness.p_value.unwrap() < 1e-6, "{goodness:?}");
}

#[test]
fn results_that_are_certain_agree_with_the_fit() {
    for (field, model) in [
        (vec![(0, 1, wdl(9, 0, 0)), (1, 0, wdl(0, 0, 9))], Model::Davidson),
        (vec![(0, 1, wdl(0, 5, 0)), (1, 0, wdl(0, 5, 0))], Model::BtHalf),
        (vec![(0, 1, wdl(0, 5, 0)), (1, 0, wdl(0, 5, 0))], Model::Davidson),
    ] {
        let fit = Fit::new(&results(&field), model, Prior::None);
        let chi_squared = fit.goodness(&fit.head_to_head()).chi_squared;
        assert!(chi_squared < 1e-3, "{chi_squared}");
    }
}

#[test]
fn chances_of_ranks_agree_with_an_independent_computation() {
    let fit = davidson();
    let chances = fit.rank_chances(&[0, 1, 2, 3, 4, 5]).unwrap();
    let first: Vec<f64> = chances.iter().map(|chances| chances.first).collect();
    assert_close(&first, &[0.391, 0.391, 0.109, 0.109, 0.0, 0.0], 0.01);
    let ranges: Vec<(usize, usize)> = chances.iter().map(|chances| (chances.best, chances.worst)).collect();
    assert_eq!(ranges, [(1, 4), (1, 4), (1, 4), (1, 4), (4, 6), (5, 6)]);
    assert_eq!(fit.rank_chances(&[0, 1, 2, 3, 4, 5]), Some(chances));
}

#[test]
fn of_two_players_the_chance_of_being_first_is_the_likelihood_of_superiority() {
    let fit = davidson();
    for (player, other) in [(0, 2), (4, 5), (3, 2)] {
        let chances = fit.rank_chances(&[player, other]).unwrap();
        assert_close(&[chances[0].first], &[fit.superiority(player, other).unwrap()], 0.01);
        assert_close(&[chances[0].first + chances[1].first], &[1.0], 1e-9);
    }
}

#[test]
fn without_a_prior_unbounded_players_have_no_chances() {
    let field = [(0, 1, wdl(2, 1, 1)), (1, 0, wdl(2, 1, 1)), (2, 0, wdl(9, 0, 0)), (0, 2, wdl(0, 0, 9))];
    let fit = Fit::new(&results(&field), Model::Davidson, Prior::None);
    assert_eq!(fit.rank_chances(&[0, 1, 2]), None);
    assert!(fit.rank_chances(&[0, 1]).is_some());
    assert_eq!(fit.rank_chances(&[]), Some(Vec::new()));
}

fn standings_of(results: &PairResults, options: &RatingOptions) -> Standings {
    let names: HashMap<usize, &str> = results.players().map(|(name, index)| (index, name)).collect();
    let mut tally = Tally::default();
    for ((black, white), games) in results.pairs() {
        let add = |tally: &mut Tally, times: u64, winner: Option<Side>| {
            let margin = winner.map_or(0, |side| if side == Side::Black { 5 } else { -5 });
            (0..times).for_each(|_| tally.add(&game(1, names[&black], names[&white], won(winner, margin))));
        };
        add(&mut tally, games.wins, Some(Side::Black));
        add(&mut tally, games.draws, None);
        add(&mut tally, games.losses, Some(Side::White));
    }
    Standings::new(&tally, options).unwrap()
}

#[test]
fn performance_agrees_with_an_independent_computation() {
    let options = RatingOptions { prior: Prior::None, ..RatingOptions::default() };
    let standings = standings_of(&sample(), &options);
    let met = standings.head_to_head();
    let opposition = standings.opposition(&met);
    let opponents: Vec<f64> = opposition.iter().map(|own| own.opponents.unwrap().0).collect();
    assert_close(&opponents, &[-22.8928, -22.8928, -11.5439, -11.5439, 24.5159, 44.3581], 0.01);
    // The shares are 0.625, 0.5625, 0.3625 and 0.2625, so the differences are those for 0.63, 0.56, 0.36 and 0.26.
    let performance: Vec<f64> = opposition.iter().map(|own| own.performance.unwrap().0).collect();
    assert_close(&performance, &[72.1072, 72.1072, 31.4561, 31.4561, -77.4841, -139.6419], 0.01);
    assert_close(&[opposition[0].score, opposition[0].expected], &[25.0, 25.0], 1e-4);
    let upper = |pairing: &HeadToHead| pairing.player < pairing.other;
    assert!(met.len() == 15 && met.iter().all(upper));
}

#[test]
fn only_rated_games_count_head_to_head() {
    let games: [GameSummary; 3] = [
        game(1, "ada", "bea", won(Some(Side::Black), 5)),
        game(2, "bea", "ada", double_forfeit()),
        game(3, "ada", "cyd", None),
    ];
    let standings = Standings::new(&games.iter().collect(), &RatingOptions::default()).unwrap();
    let met = standings.head_to_head();
    assert_eq!((met.len(), met[0].games), (1, wdl(1, 0, 0)));
    let opposition = standings.opposition(&met);
    assert_eq!((opposition[2].games, opposition[2].performance), (0, None));
    assert_close(
        &[opposition[0].performance.unwrap().0],
        &[standings.rows()[1].finite_rating().unwrap().0 + 800.0],
        1e-9,
    );
}
