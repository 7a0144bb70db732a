use super::super::{Chances, Model, Prior, Wdl};
use super::*;
use crate::base::random::SplitMix64;

/// The adjusted chi-squared of each worker, as in fishtest: in the chi-squared test of a table with one row for each
/// worker's wins and losses, the contribution of the worker's row, divided by one minus the row's share of all games.
fn fishtest_chi_squared(table: &[[f64; 2]]) -> Vec<f64> {
    let column = |index: usize| table.iter().map(|row| row[index]).sum::<f64>();
    let (columns, total) = ([column(0), column(1)], column(0) + column(1));
    let of_row = |row: &[f64; 2]| {
        let games = row[0] + row[1];
        let cells = row.iter().zip(&columns).map(|(observed, column)| {
            let expected = games * column / total;
            (observed - expected).powi(2) / expected
        });
        cells.sum::<f64>() / (1.0 - games / total)
    };
    table.iter().map(of_row).collect()
}

#[test]
fn with_two_players_the_statistic_is_that_of_fishtest() {
    let (mut all, mut parts) = (PairResults::default(), Vec::new());
    for [wins, losses] in [[15, 10], [26, 24], [4, 11]] {
        let mut part = PairResults::default();
        for results in [&mut part, &mut all] {
            let (a, b) = (results.player("a"), results.player("b"));
            // Both colours win the same number of games, so the first move has no advantage.
            results.add(a, b, Wdl { wins, draws: 0, losses });
            results.add(b, a, Wdl { wins: losses, draws: 0, losses: wins });
        }
        parts.push(part);
    }
    let measured = Fit::new(&all, Model::BtHalf, Prior::None).parts(&parts);
    let expected = fishtest_chi_squared(&[[30.0, 20.0], [52.0, 48.0], [8.0, 22.0]]);
    for (part, expected) in measured.iter().zip(&expected) {
        assert!((part.chi_squared - expected).abs() < 1e-6, "{part:?} {expected}");
        assert_eq!(part.degrees, 1);
    }
    assert_eq!(measured.iter().map(|part| part.games).collect::<Vec<_>>(), [50, 100, 30]);
    assert!(measured.iter().all(|part| !part.differs), "{measured:?}");
}

/// Simulates `rounds` games between each ordered pair of players, each on a random machine; on machine 0, the strongest
/// player is weaker by `handicap` Elo. Returns the results of all machines together, and those of each machine.
fn played(random: &mut SplitMix64, machines: usize, rounds: usize, handicap: f64) -> (PairResults, Vec<PairResults>) {
    const PLAYERS: usize = 6;
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    let mut chance = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut parts = vec![PairResults::default(); machines];
    let mut all = PairResults::default();
    for (black, white) in (0..PLAYERS).flat_map(|black| (0..PLAYERS).map(move |white| (black, white))) {
        if black == white {
            continue;
        }
        for _ in 0..rounds {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a machine")]
            let machine = (chance() * count(machines)) as usize;
            let elo = |player: usize| {
                80.0 * count(player) - if (player, machine) == (PLAYERS - 1, 0) { handicap } else { 0.0 }
            };
            let d = (elo(black) + 30.0 - elo(white)) * std::f64::consts::LN_10 / 400.0;
            let chances = Chances::davidson(d, 0.4);
            let dice = chance();
            let game = if dice < chances.win {
                Wdl { wins: 1, ..Wdl::default() }
            } else if dice < chances.win + chances.draw {
                Wdl { draws: 1, ..Wdl::default() }
            } else {
                Wdl { losses: 1, ..Wdl::default() }
            };
            for results in [&mut parts[machine], &mut all] {
                let (black, white) = (results.player(&format!("p{black}")), results.player(&format!("p{white}")));
                results.add(black, white, game);
            }
        }
    }
    (all, parts)
}

#[test]
fn honest_machines_are_as_far_apart_as_chance_makes_them() {
    let mut random = SplitMix64::new(5);
    let (mut sum, mut degrees, mut differ) = (0.0, 0.0, 0);
    for _ in 0..60 {
        let (all, parts) = played(&mut random, 5, 6, 0.0);
        for part in Fit::new(&all, Model::Davidson, Prior::Weak).parts(&parts) {
            assert_eq!((part.degrees, part.games > 10), (5, true), "{part:?}");
            sum += part.chi_squared;
            degrees += f64::from(part.degrees);
            differ += u32::from(part.differs);
        }
    }
    // The mean of the statistic is its degrees of freedom. With 1,500 degrees of freedom, its standard deviation is
    // 0.037 times this mean.
    assert!((sum / degrees - 1.0).abs() < 0.1, "{}", sum / degrees);
    // By chance, one in a hundred tournaments would contain a machine that differs.
    assert!(differ <= 2, "{differ} of 300 machines");
}

#[test]
fn one_bad_machine_stands_out_and_the_others_do_not_because_of_it() {
    let mut random = SplitMix64::new(11);
    let (mut found, mut wronged, mut without) = (0, 0, 0);
    for _ in 0..20 {
        let (all, parts) = played(&mut random, 5, 60, 500.0);
        let fit = Fit::new(&all, Model::Davidson, Prior::Weak);
        let measured = fit.parts(&parts);
        found += u32::from(measured[0].differs);
        let strangest = measured[0].strangest.expect("degrees of freedom");
        assert!(fit.players[strangest.player].name == "p5" && strangest.excess < -10.0, "{strangest:?}");
        wronged += measured[1..].iter().filter(|part| part.differs).count();
        // If the bad machine were not set aside, its effect on the fit would cause other machines to be marked, too.
        let built: Vec<GamesPart> = parts.iter().map(|results| GamesPart::new(&fit, results)).collect();
        let whole = Whole::new(&built.iter().collect::<Vec<_>>(), fit.players.len()).expect("games");
        let odd = |part: &GamesPart| whole.fit(part).p_value.is_some_and(|p| p * 5.0 < SIGNIFICANT);
        without += built[1..].iter().filter(|part| odd(part)).count();
    }
    assert_eq!((found, wronged), (20, 0));
    assert!(without > 5, "{without}");
}

#[test]
fn two_machines_that_differ_both_stand_out_and_one_alone_has_nothing_to_differ_from() {
    let mut random = SplitMix64::new(3);
    let (all, parts) = played(&mut random, 2, 60, 400.0);
    let fit = Fit::new(&all, Model::Davidson, Prior::Weak);
    let measured = fit.parts(&parts);
    assert!(measured.iter().all(|part| part.differs), "{measured:?}");
    assert!((measured[0].chi_squared - measured[1].chi_squared).abs() < 1e-6, "{measured:?}");
    let alone = fit.parts(&[all]);
    assert_eq!(
        alone.iter().map(|part| (part.degrees, part.p_value, part.differs)).collect::<Vec<_>>(),
        [(0, None, false)]
    );
    assert_eq!(fit.parts(&[]), []);
}

#[test]
fn players_that_only_one_machine_compares_take_no_degree_of_freedom() {
    let (mut one, mut other, mut all) = (PairResults::default(), PairResults::default(), PairResults::default());
    let even = Wdl { wins: 5, draws: 2, losses: 5 };
    for (results, pairs) in
        [(&mut one, &["ab", "cd"][..]), (&mut other, &["ab", "ef"]), (&mut all, &["ab", "ab", "cd", "ef"])]
    {
        for pair in pairs {
            let (black, white) = (results.player(&pair[..1]), results.player(&pair[1..]));
            results.add(black, white, even);
        }
    }
    let measured = Fit::new(&all, Model::Davidson, Prior::Weak).parts(&[one, other]);
    assert_eq!(measured.iter().map(|part| part.degrees).collect::<Vec<_>>(), [1, 1], "{measured:?}");
}

type Square = [[f64; 2]; 2];

fn inverse([[a, b], [c, d]]: Square) -> Square {
    let det = a * d - b * c;
    [[d / det, -b / det], [-c / det, a / det]]
}

fn times(m: Square, [x, y]: [f64; 2]) -> [f64; 2] {
    [m[0][0] * x + m[0][1] * y, m[1][0] * x + m[1][1] * y]
}

fn plus(one: Square, other: Square) -> Square {
    [0, 1].map(|row| [0, 1].map(|column| one[row][column] + other[row][column]))
}

/// The residuals of `b` and `c` in a machine's games, according to the fit, and their covariance. The residual of `a`
/// follows from these.
fn residuals(fit: &Fit, results: &PairResults) -> ([f64; 2], Square) {
    let names: std::collections::HashMap<usize, &str> = results.players().map(|(name, index)| (index, name)).collect();
    let (mut residuals, mut covariance) = ([0.0; 2], [[0.0; 2]; 2]);
    for ((black, white), games) in results.pairs() {
        let place = |index: usize| ["a", "b", "c"].iter().position(|name| *name == names[&index]).expect("a player");
        let (black, white) = (place(black), place(white));
        let forecast = fit.forecast(black, white);
        for (count, points, chance) in
            [(games.wins, 1.0, forecast.win), (games.draws, 0.5, forecast.draw), (games.losses, 0.0, forecast.loss)]
        {
            let by = |count: u64, value: f64| f64::from(u32::try_from(count).expect("few")) * value;
            let score = forecast.score();
            let variance = by(games.games(), chance * (points - score).powi(2));
            for (one, sign) in [(black, 1.0), (white, -1.0)].into_iter().filter(|(player, _)| *player > 0) {
                residuals[one - 1] += sign * by(count, points - score);
                for (other, sign_of_other) in
                    [(black, 1.0), (white, -1.0)].into_iter().filter(|(player, _)| *player > 0)
                {
                    covariance[one - 1][other - 1] += sign * sign_of_other * variance;
                }
            }
        }
    }
    (residuals, covariance)
}

/// The same statistic computed differently: each machine's games change the ratings by its residuals divided by their
/// covariance, and the difference between the two changes is compared with the sum of their covariances (Wald's test).
#[test]
fn the_statistic_is_that_of_the_difference_between_two_sets_of_ratings() {
    let machine = |games: [(&str, [u64; 3]); 6]| {
        let mut results = PairResults::default();
        for (pair, [wins, draws, losses]) in games {
            let (black, white) = (results.player(&pair[..1]), results.player(&pair[1..]));
            results.add(black, white, Wdl { wins, draws, losses });
        }
        results
    };
    let one = [
        ("ab", [5, 2, 9]),
        ("ba", [7, 1, 6]),
        ("ac", [4, 0, 8]),
        ("ca", [9, 3, 2]),
        ("bc", [6, 2, 5]),
        ("cb", [4, 4, 4]),
    ];
    let other = [
        ("ab", [8, 1, 3]),
        ("ba", [3, 2, 7]),
        ("ac", [2, 1, 9]),
        ("ca", [7, 0, 6]),
        ("bc", [1, 3, 8]),
        ("cb", [9, 1, 4]),
    ];
    let (one, other) = (machine(one), machine(other));
    let mut all = PairResults::default();
    for results in [&one, &other] {
        let names: std::collections::HashMap<usize, &str> =
            results.players().map(|(name, index)| (index, name)).collect();
        for ((black, white), games) in results.pairs() {
            let (black, white) = (all.player(names[&black]), all.player(names[&white]));
            all.add(black, white, games);
        }
    }
    let fit = Fit::new(&all, Model::Davidson, Prior::Weak);
    let ((r, c), (s, d)) = (residuals(&fit, &one), residuals(&fit, &other));
    let (moved, others) = (times(inverse(c), r), times(inverse(d), s));
    let apart = [moved[0] - others[0], moved[1] - others[1]];
    let weighted = times(inverse(plus(inverse(c), inverse(d))), apart);
    let expected = apart[0] * weighted[0] + apart[1] * weighted[1];
    for part in fit.parts(&[one, other]) {
        assert!((part.chi_squared - expected).abs() < 1e-6 && part.degrees == 2, "{part:?} {expected}");
    }
    assert!(expected > 1.0, "{expected}");
}
