//! Several anchors, checked against an independent fit, and which ratings are determined by the games.
//!
//! The independent fit is a program in another language. It maximises the likelihood over the ratings themselves and
//! the prior's centre, with numerical derivatives: it neither eliminates parameters nor uses formulas for derivatives.

use crate::results::rating::{Anchor, AnchorError, Basis, Bootstrap, Elo, Fit, Model, PairResults, Prior, Rating, Wdl};

use crate::results::rating::tests::{assert_close, fixed, loose, results, sample, wdl};

/// The anchor that `text` describes, such as `Ada=1500` or `Ada=1500~40`.
fn anchor(text: &str) -> Anchor {
    let (player, elo) = text.split_once('=').unwrap();
    match elo.split_once('~') {
        Some((elo, deviation)) => loose(player, elo.parse().unwrap(), deviation.parse().unwrap()),
        None => fixed(player, elo.parse().unwrap()),
    }
}

#[test]
fn fixed_and_loose_anchors_agree_with_an_independent_fit() {
    let mut reader = csv::Reader::from_reader(&include_bytes!("../../../../tests/data/ratings/anchored.csv")[..]);
    let fits: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(fits.len(), 5);
    for expected in &fits {
        let anchors: Vec<Anchor> = expected[2].split(' ').map(anchor).collect();
        let model = Model::ALL.into_iter().find(|model| model.name() == &expected[0]).unwrap();
        let prior = Prior::ALL.into_iter().find(|prior| prior.name() == &expected[1]).unwrap();
        let fit = Fit::anchored(&sample(), model, prior, &anchors).unwrap();
        let [ratings, bars, advantage] = [3, 4, 5]
            .map(|column| expected[column].split(' ').map(|number| number.parse().unwrap()).collect::<Vec<f64>>());
        let found: Vec<f64> = fit.players.iter().map(|player| player.rating.finite().unwrap().0).collect();
        assert_close(&found, &ratings, 0.01);
        let found: Vec<f64> = fit.players.iter().map(|player| player.error95.map_or(0.0, |bar| bar.0)).collect();
        assert_close(&found, &bars, 0.01);
        assert_close(&[fit.advantage.elo().0, fit.advantage_error95.unwrap().0], &advantage, 0.01);
        assert!(fit.players.iter().all(|player| player.basis == Basis::Games));
    }
}

#[test]
fn a_loose_anchor_becomes_a_fixed_one_as_its_deviation_shrinks() {
    let fit = |anchors: &[Anchor]| {
        let fit = Fit::anchored(&sample(), Model::Davidson, Prior::Weak, anchors).unwrap();
        fit.players.iter().map(|player| player.rating.elo().0).collect::<Vec<f64>>()
    };
    let exact = fit(&[fixed("Ada", 1500.0), fixed("Eli", 1200.0)]);
    assert_close(&fit(&[loose("Ada", 1500.0, 0.1), loose("Eli", 1200.0, 0.1)]), &exact, 0.01);
    assert_close(&fit(&[fixed("Ada", 1500.0), loose("Eli", 1200.0, 0.1)]), &exact, 0.01);
}

#[test]
fn the_order_of_anchors_makes_no_difference() {
    let anchors = [fixed("Fay", 1100.0), loose("Cyd", 1400.0, 50.0), fixed("Ada", 1500.0)];
    let fit =
        |anchors: &[Anchor]| format!("{:?}", Fit::anchored(&sample(), Model::Davidson, Prior::Weak, anchors).unwrap());
    let reversed: Vec<Anchor> = anchors.iter().rev().cloned().collect();
    assert_eq!(fit(&anchors), fit(&reversed));
}

#[test]
fn a_loose_anchor_alone_sets_the_zero_and_widens_every_bar() {
    let exact = Fit::anchored(&sample(), Model::Davidson, Prior::Weak, &[fixed("Cyd", 1500.0)]).unwrap();
    let vague = Fit::anchored(&sample(), Model::Davidson, Prior::Weak, &[loose("Cyd", 1500.0, 100.0)]).unwrap();
    for (exact, vague) in exact.players.iter().zip(&vague.players) {
        assert_close(&[vague.rating.elo().0], &[exact.rating.elo().0], 1e-6);
        assert!(vague.error95.unwrap().0 > 195.9, "{vague:?}");
    }
    assert_close(&[vague.players[2].error95.unwrap().0], &[196.0], 1e-6);
    // The probability that a rating exceeds a number matches the error bars of a fit with several anchors or a loose
    // one.
    assert_close(&[vague.superiority_over(2, Elo(1400.0)).unwrap()], &[0.841_345], 1e-5);
    assert_close(&[exact.superiority_over(0, Elo(1500.0)).unwrap()], &[exact.superiority(0, 2).unwrap()], 1e-9);
}

#[test]
fn two_fixed_anchors_are_compared_with_certainty() {
    let anchors = [fixed("Ada", 1500.0), fixed("Fay", 1100.0)];
    let fit = Fit::anchored(&sample(), Model::Davidson, Prior::Weak, &anchors).unwrap();
    assert_eq!((fit.superiority(0, 5), fit.superiority(5, 0)), (Some(1.0), Some(0.0)));
    assert_eq!(fit.superiority_by(0, 5, Elo(401.0)), Some(0.0));
}

#[test]
fn anchors_connect_what_no_game_connects() {
    let split = [(0, 1, wdl(3, 0, 1)), (1, 0, wdl(2, 0, 2)), (2, 3, wdl(3, 0, 2)), (3, 2, wdl(1, 0, 4))];
    let anchors = [fixed("p0000", 1500.0), fixed("p0002", 1600.0)];
    let fit = Fit::anchored(&results(&split), Model::Davidson, Prior::None, &anchors).unwrap();
    assert_eq!((fit.pools, fit.connection.count), (1, 1));
    let alone = Fit::anchored(&results(&split), Model::Davidson, Prior::None, &anchors[..1]).unwrap();
    let elo = |fit: &Fit, player: usize| fit.players[player].rating.finite().unwrap().0;
    // A single anchor only shifts the zero point of the players that games connect to the anchor.
    assert_close(&[elo(&alone, 0), elo(&alone, 2) + elo(&alone, 3)], &[1500.0, 0.0], 1e-3);
    assert_close(&[elo(&fit, 0), elo(&fit, 2)], &[1500.0, 1600.0], 1e-6);
    // A fit of this pool alone would have a different first-move advantage, but almost the same gap.
    assert_close(&[elo(&fit, 2) - elo(&fit, 3)], &[elo(&alone, 2) - elo(&alone, 3)], 1.0);
}

#[test]
fn what_cannot_be_an_anchor_is_refused() {
    let mut results = sample();
    results.player("Gus");
    let refused =
        |anchors: &[Anchor]| Fit::anchored(&results, Model::Davidson, Prior::None, anchors).map(|_| ()).unwrap_err();
    let name = |name: &str| name.to_owned();
    assert_eq!(refused(&[fixed("Hal", 0.0)]), AnchorError::Unknown { name: name("Hal") });
    assert_eq!(refused(&[fixed("Gus", 0.0)]), AnchorError::NoGames { name: name("Gus") });
    assert_eq!(refused(&[fixed("Ada", 0.0), loose("Ada", 9.0, 9.0)]), AnchorError::Twice { name: name("Ada") });
}

#[test]
fn the_bootstrap_knows_anchors() {
    let anchors = [fixed("Ada", 1500.0), loose("Cyd", 1400.0, 50.0), fixed("Fay", 1100.0)];
    for model in [Model::Davidson, Model::BtHalf] {
        let plain = Fit::anchored(&sample(), model, Prior::Weak, &anchors).unwrap();
        let mut drawn = plain.clone();
        drawn.bootstrap(Bootstrap { samples: 1500.try_into().unwrap(), seed: 0 });
        for (plain, drawn) in plain.players.iter().zip(&drawn.players) {
            let bars = plain.error95.zip(drawn.error95);
            assert_eq!(plain.error95.is_some(), drawn.error95.is_some());
            assert!(bars.is_none_or(|(plain, drawn)| (0.9..1.2).contains(&(drawn.0 / plain.0))), "{plain:?} {drawn:?}");
        }
    }
}

/// The weak prior is drawn like the games: if it were the same in all samples, the bars of players that won or lost
/// everything would be about half as long.
#[test]
fn the_bootstrap_draws_the_prior_too() {
    let field = [(0, 1, wdl(4, 0, 0)), (1, 2, wdl(4, 0, 0)), (2, 0, wdl(0, 0, 4)), (1, 0, wdl(0, 0, 4))];
    for model in [Model::Davidson, Model::BtHalf] {
        let plain = Fit::new(&results(&field), model, Prior::Weak);
        let mut drawn = plain.clone();
        drawn.bootstrap(Bootstrap { samples: 2000.try_into().unwrap(), seed: 0 });
        for (plain, drawn) in plain.players.iter().zip(&drawn.players) {
            let ratio = drawn.error95.unwrap().0 / plain.error95.unwrap().0;
            assert!((0.95..2.0).contains(&ratio), "{ratio} {plain:?} {drawn:?}");
        }
    }
}

#[test]
fn without_a_prior_drawn_games_leave_bt_half_with_bars() {
    let field = [(0, 1, wdl(0, 5, 0)), (1, 0, wdl(0, 5, 0))];
    let fit = Fit::new(&results(&field), Model::BtHalf, Prior::None);
    assert!(fit.draws.nu.is_infinite());
    for player in &fit.players {
        assert_close(&[player.rating.finite().unwrap().0], &[0.0], 1e-3);
        // A calculation by hand: with the prior, ten draws lead to nu = 17.637, and a draw then has the probability
        // 0.8982, so the difference of the two ratings has the variance 10 (1 - 0.8982) / 4 / 2.5^2. Each rating is
        // half of this difference away from the mean.
        assert_close(&[player.error95.unwrap().0], &[34.362], 0.01);
    }
}

#[test]
fn without_a_prior_as_many_draws_as_the_scores_allow_leave_nu_unbounded() {
    for games in [1, 3, 50, 20_000] {
        // A player that never wins has twice as many draws as points, which is the maximum.
        let most = [(0, 1, wdl(0, games, games)), (1, 0, wdl(games, games, 0))];
        let fewer = [(0, 1, wdl(1, 2 * games - 1, games)), (1, 0, wdl(games, 2 * games - 1, 1))];
        let nu = |field: &[(usize, usize, Wdl)]| Fit::new(&results(field), Model::BtHalf, Prior::None).draws.nu;
        assert!(nu(&most).is_infinite(), "{games}: {}", nu(&most));
        assert!(nu(&fewer).is_finite(), "{games}: {}", nu(&fewer));
    }
}

fn bases(fit: &Fit) -> Vec<Basis> {
    fit.players.iter().map(|player| player.basis).collect()
}

fn anchored_bases(field: &[(usize, usize, Wdl)], prior: Prior, anchors: &[Anchor]) -> Vec<Basis> {
    bases(&Fit::anchored(&results(field), Model::Davidson, prior, anchors).unwrap())
}

#[test]
fn ratings_that_the_games_do_not_determine_are_told_apart() {
    use Basis::{Games, Prior as OnPrior};

    // The players 0 and 1 beat each other equally often, and 2 beats both; 3 and 4 beat each other equally often and do
    // not meet the others.
    let field = [(0, 1, wdl(3, 0, 3)), (1, 0, wdl(3, 0, 3)), (2, 0, wdl(2, 0, 0)), (2, 1, wdl(2, 0, 0))];
    let split = [field.as_slice(), &[(3, 4, wdl(1, 0, 1))]].concat();
    assert_eq!(anchored_bases(&field, Prior::Weak, &[]), [Games, Games, OnPrior]);
    assert_eq!(anchored_bases(&field, Prior::None, &[]), [Games, Games, OnPrior]);
    // If two pools have the same size, neither determines the zero point.
    assert_eq!(anchored_bases(&split, Prior::Weak, &[]), [OnPrior; 5]);
    assert_eq!(anchored_bases(&split, Prior::None, &[]), [Games, Games, OnPrior, Games, Games]);
    // An anchor determines the zero point.
    assert_eq!(anchored_bases(&split, Prior::Weak, &[fixed("p0003", 0.0)]), [OnPrior, OnPrior, OnPrior, Games, Games]);
    assert_eq!(anchored_bases(&field, Prior::Weak, &[fixed("p0002", 0.0)]), [OnPrior, OnPrior, Games]);
    // Without a prior, players that are not connected to the anchor have their own zero point, which is meaningless on
    // the anchor's scale.
    assert_eq!(anchored_bases(&split, Prior::None, &[fixed("p0003", 0.0)]), [OnPrior, OnPrior, OnPrior, Games, Games]);
    assert_eq!(anchored_bases(&split, Prior::None, &[fixed("p0000", 0.0)]), [Games, Games, OnPrior, OnPrior, OnPrior]);
    // No rating is determined if each player beats all weaker ones.
    let ladder = [(0, 1, wdl(2, 0, 0)), (1, 2, wdl(2, 0, 0)), (0, 2, wdl(2, 0, 0))];
    for prior in [Prior::Weak, Prior::None] {
        assert_eq!(anchored_bases(&ladder, prior, &[]), [OnPrior; 3]);
    }
}

/// In some small fields, a player in the largest pool has an unbounded rating, because the first move always wins.
#[test]
fn a_rating_without_a_bound_never_rests_on_the_games() {
    let pairs = [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)];
    let mut within_pools = 0;
    for number in 0..3_u32.pow(6) {
        let field: Vec<(usize, usize, Wdl)> = (0..6)
            .zip(pairs)
            .filter_map(|(digit, (black, white))| match number / 3_u32.pow(digit) % 3 {
                0 => None,
                1 => Some((black, white, wdl(1, 0, 0))),
                _ => Some((black, white, wdl(0, 0, 1))),
            })
            .collect();
        let fit = Fit::new(&results(&field), Model::BtHalf, Prior::None);
        for player in fit.players.iter().filter(|player| player.rating.finite().is_none()) {
            assert_eq!(player.basis, Basis::Prior, "{field:?}: {player:?}");
            let mates = fit.players.iter().filter(|other| other.pool == player.pool).count();
            within_pools += usize::from(mates > 1);
        }
    }
    assert!(within_pools > 0);
}

#[test]
fn players_without_games_are_not_part_of_the_fit() {
    let mut with: PairResults = sample();
    with.player("Gus");
    for prior in [Prior::Weak, Prior::None] {
        let (with, without) = (Fit::new(&with, Model::BtHalf, prior), Fit::new(&sample(), Model::BtHalf, prior));
        assert_eq!(format!("{with:?}"), format!("{without:?}"));
    }
}

// How often the error bars contain the true value.

/// A stream of evenly distributed numbers from 0 to 1.
pub(in crate::results) struct Chance(pub(in crate::results) u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        #[expect(clippy::cast_precision_loss)]
        let number = (self.0 >> 11) as f64;
        number / 9_007_199_254_740_992.0
    }
}

/// One tournament of players with these `strengths` in Elo, with `games` games for each ordered pair, according to
/// Davidson's model with an advantage of 50 Elo and `nu` 0.5.
pub(in crate::results) fn played(strengths: &[f64], games: u64, chance: &mut Chance) -> Vec<(usize, usize, Wdl)> {
    let mut field = Vec::new();
    for black in 0..strengths.len() {
        for white in (0..strengths.len()).filter(|&white| white != black) {
            let d = (strengths[black] + 50.0 - strengths[white]) * std::f64::consts::LN_10 / 400.0;
            let (win, loss) = ((d / 2.0).exp(), (-d / 2.0).exp());
            let sum = win + loss + 0.5;
            let mut all = wdl(0, 0, 0);
            for _ in 0..games {
                let drawn = chance.next() * sum;
                all += if drawn < win {
                    wdl(1, 0, 0)
                } else if drawn < win + loss {
                    wdl(0, 0, 1)
                } else {
                    wdl(0, 1, 0)
                };
            }
            field.push((black, white, all));
        }
    }
    field
}

/// Measures the coverage that docs/measure/standings.md states: run it with `--ignored --nocapture`. It takes minutes.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "a measurement")]
fn bars_hold_the_truth_as_often_as_the_docs_say() {
    const TOURNAMENTS: u32 = 400;

    for (spread, games) in [(100.0, 1), (100.0, 2), (100.0, 5), (200.0, 1), (200.0, 2), (200.0, 5)] {
        let strengths: Vec<f64> = (0..6).map(|player| spread * (f64::from(player) - 2.5) * 0.8).collect();
        let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
        let (mut plain, mut drawn, mut all) = (0, 0, 0);
        for seed in 0..TOURNAMENTS {
            let field = played(&strengths, games, &mut chance);
            let mut fit = Fit::new(&results(&field), Model::Davidson, Prior::Weak);
            let hits = |fit: &Fit| {
                let holds = |(player, truth): (usize, &f64)| match fit.players[player].rating {
                    Rating::Finite(elo) => {
                        (elo.0 - truth).abs() <= fit.players[player].error95.map_or(0.0, |bar| bar.0)
                    }
                    _ => false,
                };
                strengths.iter().enumerate().filter(|&player| holds(player)).count()
            };
            plain += hits(&fit);
            fit.bootstrap(Bootstrap { samples: 200.try_into().unwrap(), seed: u64::from(seed) });
            drawn += hits(&fit);
            all += strengths.len();
        }
        #[expect(clippy::cast_precision_loss)]
        let share = |hits: usize| 100.0 * hits as f64 / all as f64;
        println!(
            "spread {spread}, {games} games per ordered pair: {:.1}% plain, {:.1}% drawn",
            share(plain),
            share(drawn)
        );
        assert!(share(drawn) >= share(plain) - 1.0 && share(drawn) >= 92.0);
    }
}
