//! The fit of versions, checked against the fit of standings, and against variances that follow from the prior alone.

use crate::results::rating::tests::{assert_close, results, wdl};
use crate::results::rating::{Anchor, Elo, Fit, Lineage, LineageFit, Model, Prior, Wdl};

const MODELS: [Model; 2] = [Model::Davidson, Model::BtHalf];

/// Games between four players, all of whom have met each other.
fn games() -> Vec<(usize, usize, Wdl)> {
    vec![
        (0, 1, wdl(5, 2, 1)),
        (0, 3, wdl(3, 0, 3)),
        (1, 2, wdl(2, 2, 4)),
        (2, 0, wdl(1, 1, 6)),
        (2, 3, wdl(4, 1, 0)),
        (3, 1, wdl(2, 0, 2)),
    ]
}

fn lineage(predecessors: &[Option<usize>], games: Vec<(usize, usize, Wdl)>) -> Lineage {
    Lineage { predecessors: predecessors.to_vec(), anchors: Vec::new(), games }
}

fn all(fit: &LineageFit) -> Vec<usize> {
    (0..fit.players()).collect()
}

fn elos(values: &[Elo]) -> Vec<f64> {
    values.iter().map(|elo| elo.0).collect()
}

#[test]
fn without_predecessors_it_is_the_fit_of_standings() {
    for model in MODELS {
        let standings = Fit::new(&results(&games()), model, Prior::Weak);
        let fit = LineageFit::new(model, lineage(&[None; 4], games()), None);
        let expected: Vec<f64> = standings.players.iter().map(|player| player.rating.elo().0).collect();
        assert_close(&elos(&fit.ratings(&all(&fit))), &expected, 1e-9);
        let bars: Vec<f64> = standings.players.iter().map(|player| player.error95.unwrap().0).collect();
        assert_close(&elos(&fit.errors(&all(&fit))).iter().map(|error| 1.96 * error).collect::<Vec<_>>(), &bars, 1e-9);
        assert_close(&[fit.advantage().0, fit.nu()], &[standings.advantage.elo().0, standings.draws.nu], 1e-9);
        assert_eq!(fit.forecast(2, 1), standings.forecast(2, 1));
    }
}

#[test]
fn with_anchors_it_is_the_fit_of_standings() {
    for anchors in [
        vec![(1, 1500.0, None)],
        vec![(1, 1500.0, None), (2, 1550.0, None)],
        vec![(0, 100.0, Some(20.0)), (3, 0.0, Some(70.0))],
        vec![(2, -30.0, None), (3, 60.0, Some(10.0))],
    ] {
        let named = |&(player, elo, deviation): &(usize, f64, Option<f64>)| Anchor {
            player: format!("p{player:04}"),
            elo: Elo(elo),
            deviation: deviation.map(Elo),
        };
        let given: Vec<Anchor> = anchors.iter().map(named).collect();
        let standings = Fit::anchored(&results(&games()), Model::Davidson, Prior::Weak, &given).unwrap();
        let numbered = |&(player, elo, deviation): &(usize, f64, Option<f64>)| (player, Elo(elo), deviation.map(Elo));
        // The order of the anchors does not matter.
        let anchors = anchors.iter().rev().map(numbered).collect();
        let fit = LineageFit::new(Model::Davidson, Lineage { anchors, ..lineage(&[None; 4], games()) }, None);
        let expected: Vec<f64> = standings.players.iter().map(|player| player.rating.elo().0).collect();
        assert_close(&elos(&fit.ratings(&all(&fit))), &expected, 1e-9);
        let bars: Vec<f64> = standings.players.iter().map(|player| player.error95.map_or(0.0, |bar| bar.0)).collect();
        let errors: Vec<f64> = elos(&fit.errors(&all(&fit))).iter().map(|error| 1.96 * error).collect();
        // An exact anchor has no bar, and an error of 0 except for rounding.
        assert_close(&errors, &bars, 1e-5);
    }
}

#[test]
fn a_version_without_games_is_like_its_predecessor() {
    let fit = LineageFit::new(Model::Davidson, lineage(&[None, None, None, None, Some(2), Some(4)], games()), None);
    let frame = [0, 1, 2, 3];
    let (ratings, errors) = (elos(&fit.ratings(&frame)), elos(&fit.errors(&frame)));
    assert_close(&[ratings[4], ratings[5]], &[ratings[2]; 2], 1e-6);
    let after = |versions: f64| (errors[2].powi(2) + versions * 120.0_f64.powi(2)).sqrt();
    assert_close(&errors[4..], &[after(1.0), after(2.0)], 1e-6);
    // Without these versions, the games of the others lead to the same ratings.
    let without = LineageFit::new(Model::Davidson, lineage(&[None; 4], games()), None);
    assert_close(&ratings[..4], &elos(&without.ratings(&frame)), 1e-6);
}

#[test]
fn before_the_first_game_errors_are_those_of_the_prior() {
    let lineage = Lineage {
        predecessors: vec![None, None, Some(0), Some(2), None],
        anchors: vec![(0, Elo(0.0), None), (1, Elo(100.0), None)],
        games: Vec::new(),
    };
    let fit = LineageFit::new(Model::Davidson, lineage, None);
    // The anchors share one parameter, which has the priors of both, so it is as uncertain as a mean of two ratings.
    let first = (400.0_f64.powi(2) * 1.5).sqrt();
    let errors = elos(&fit.errors(&[0, 1, 2, 3, 4]));
    assert_close(&errors, &[0.0, 0.0, 120.0, 120.0 * 2.0_f64.sqrt(), first], 1e-4);
    assert_close(&elos(&fit.ratings(&[])), &[0.0, 100.0, 0.0, 0.0, 50.0], 1e-6);
}

#[test]
fn results_pull_a_version_and_its_predecessor_together() {
    let mut games = games();
    let before = LineageFit::new(Model::Davidson, lineage(&[None, None, None, None, Some(2)], games.clone()), None);
    games.push((4, 0, wdl(9, 0, 0)));
    let after = LineageFit::new(Model::Davidson, lineage(&[None, None, None, None, Some(2)], games), None);
    let frame = [0, 1, 3];
    let (before, after) = (elos(&before.ratings(&frame)), elos(&after.ratings(&frame)));
    assert!(after[4] > before[4] + 20.0, "{before:?} {after:?}");
    assert!(after[2] > before[2] + 5.0 && after[2] < after[4] - 10.0, "{before:?} {after:?}");
}

#[test]
fn the_start_of_the_search_does_not_matter() {
    for model in MODELS {
        let first = LineageFit::new(model, lineage(&[None; 4], games()), None);
        let mut games = games();
        games.push((4, 1, wdl(7, 1, 0)));
        let lineage = lineage(&[None, None, None, None, Some(3), None], games);
        let cold = LineageFit::new(model, lineage.clone(), None);
        let warm = LineageFit::new(model, lineage, Some(&first));
        assert_close(&elos(&warm.ratings(&all(&warm))), &elos(&cold.ratings(&all(&cold))), 1e-8);
        assert_close(&elos(&warm.errors(&all(&warm))), &elos(&cold.errors(&all(&cold))), 1e-8);
        // A fit of another model, or of more players, cannot serve as a start.
        let other = LineageFit::new(model, self::lineage(&[None; 4], self::games()), Some(&cold));
        assert_eq!(format!("{other:?}"), format!("{first:?}"));
    }
}

#[test]
fn the_covariance_has_the_errors_on_its_diagonal() {
    for anchors in [vec![], vec![(1, Elo(10.0), None), (3, Elo(0.0), Some(Elo(30.0)))]] {
        let lineage = Lineage { anchors, ..lineage(&[None, None, None, None, Some(1)], games()) };
        let fit = LineageFit::new(Model::Davidson, lineage, None);
        let frame = [0, 2, 4];
        let (within, errors) = (fit.covariance_within(&frame), elos(&fit.errors(&frame)));
        for (i, &player) in frame.iter().enumerate() {
            assert_close(&[Elo::from_logits(within.at(i, i).sqrt()).0], &[errors[player]], 1e-9);
        }
    }
}

/// For Davidson's model, the information is minus the second derivative of the logarithm of the likelihood. The
/// information of `bt-half` is the same without draws, and larger with draws, which make the score vary less.
#[test]
fn the_information_of_a_game_depends_on_the_difference_and_on_draws() {
    let undrawn = |&(black, white, games): &(usize, usize, Wdl)| (black, white, Wdl { draws: 0, ..games });
    for (games, has_draws) in [(games(), true), (games().iter().map(undrawn).collect(), false)] {
        let [davidson, half] = MODELS.map(|model| LineageFit::new(model, lineage(&[None; 4], games.clone()), None));
        let forecast = davidson.forecast(0, 2);
        let (score, squares) = (forecast.score(), forecast.win + forecast.draw / 4.0);
        assert_close(&[davidson.information(0, 2)], &[squares - score * score], 1e-12);
        let forecast = half.forecast(0, 2);
        let plain = forecast.score() * (1.0 - forecast.score());
        let is_larger = half.information(0, 2) > plain * 1.05;
        assert_eq!(is_larger, has_draws, "{} {plain}", half.information(0, 2));
    }
}

#[test]
fn a_part_is_judged_as_in_standings() {
    let mut part = games();
    part.truncate(3);
    part[0].2 = wdl(0, 1, 9);
    let rest = games();
    let mut both = rest.clone();
    for (cell, more) in both.iter_mut().zip(&part) {
        cell.2 += more.2;
    }
    let standings = Fit::new(&results(&both), Model::Davidson, Prior::Weak);
    let expected = standings.parts(&[results(&part), results(&rest)]);
    let fit = LineageFit::new(Model::Davidson, lineage(&[None; 4], both), None);
    let found = fit.part_against_rest(&part, &rest);
    assert_close(&[found.chi_squared], &[expected[0].chi_squared], 1e-6);
    assert_eq!((found.games, found.degrees), (expected[0].games, expected[0].degrees));
    assert!(found.p_value.unwrap() < 0.05, "{found:?}");
    // A part without games agrees with the rest.
    let none = fit.part_against_rest(&[], &rest);
    assert_eq!((none.degrees, none.p_value, none.differs), (0, None, false));
}
