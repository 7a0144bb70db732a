//! Ratings from placings, checked against independent fits, against the model of pairs, and against laws that hold for
//! every field.

use proptest::prelude::*;

use super::*;
use crate::game::{BySeat, Seat};
use crate::results::rating::tests::{assert_close, results, wdl};
use crate::results::rating::{Fit, Model, Wdl};

/// Games, each as the list of players by seat and the list of their places.
type Games = Vec<(Vec<usize>, Vec<u8>)>;

fn name(player: usize) -> String {
    format!("p{player:04}")
}

fn placed(seats: u8, games: &[(Vec<usize>, Vec<u8>)], name: impl Fn(usize) -> String) -> PlacedResults {
    let mut results = PlacedResults::new(seats);
    for (players, placing) in games {
        let players = BySeat::from_fn(seats, |seat| results.player(&name(players[seat.index()])));
        results.add(PlacedGame::new(&players, &BySeat::from_fn(seats, |seat| placing[seat.index()])));
    }
    results
}

fn fit(seats: u8, games: &[(Vec<usize>, Vec<u8>)], prior: Prior) -> PlacingFit {
    PlacingFit::anchored(&placed(seats, games, name), prior, &[]).expect("no anchors")
}

fn elos(fit: &PlacingFit) -> Vec<f64> {
    fit.players.iter().map(|player| player.rating.elo().0).collect()
}

fn bars(fit: &PlacingFit) -> Vec<f64> {
    fit.players.iter().map(|player| player.error95.expect("a bar").0).collect()
}

fn seat_elos(fit: &PlacingFit) -> Vec<f64> {
    fit.seats.iter().map(|seat| seat.advantage.elo().0).collect()
}

fn seat_bars(fit: &PlacingFit) -> Vec<f64> {
    fit.seats.iter().map(|seat| seat.error95.expect("a bar").0).collect()
}

fn sample() -> Games {
    let names = ["Ada", "Bea", "Cyd", "Dov", "Eli", "Fay", "Gus"];
    let number = |name: &str| names.iter().position(|known| *known == name).expect("a player");
    let lines = include_str!("../../../../tests/data/ratings/placings.csv").lines().skip(1);
    lines
        .map(|line| {
            let (players, placing) = line.rsplit_once(',').expect("a comma");
            let placing = placing.split(' ').map(|place| place.parse().expect("a place")).collect();
            (players.split(',').map(number).collect(), placing)
        })
        .collect()
}

/// The lists of numbers in the independent fit `model`.
fn independent(model: &str) -> Vec<Vec<f64>> {
    let fits = include_str!("../../../../tests/data/ratings/placing_fits.csv");
    let line = fits.lines().find_map(|line| line.strip_prefix(model)?.strip_prefix(',')).expect("a fit");
    let list = |text: &str| text.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    line.split(',').map(list).collect()
}

#[test]
fn the_fit_agrees_with_an_independent_one() {
    for (prior, model) in [(Prior::Weak, "weak"), (Prior::None, "none")] {
        let (fit, expected) = (fit(4, &sample(), prior), independent(model));
        for (found, expected) in [elos(&fit), bars(&fit), seat_elos(&fit), seat_bars(&fit)].iter().zip(&expected) {
            assert_close(found, expected, 0.01);
        }
    }
}

/// `choix` does not model seats. If each ranking occurs with the players in each seat in turn, no seat has an
/// advantage.
#[test]
fn without_seats_the_fit_agrees_with_choix() {
    let untied = sample().into_iter().filter(|(_, placing)| (1..=4).all(|place| placing.contains(&place)));
    let rotated = untied.flat_map(|(players, placing)| {
        (0..4).map(move |by| {
            let turned = |list: &[usize]| (0..4).map(|seat| list[(seat + by) % 4]).collect::<Vec<usize>>();
            let places: Vec<usize> = placing.iter().map(|&place| place.into()).collect();
            let places = turned(&places).into_iter().map(|place| u8::try_from(place).expect("small"));
            (turned(&players), places.collect())
        })
    });
    let fit = fit(4, &rotated.collect::<Games>(), Prior::None);
    assert_close(&elos(&fit), &independent("choix")[0], 1e-3);
    assert_close(&seat_elos(&fit), &[0.0; 4], 1e-6);
}

/// The games of pairs without draws, as placings and as pairs.
fn pairs() -> (Games, Vec<(usize, usize, Wdl)>) {
    let field = [(0, 1, 7, 3), (1, 0, 6, 4), (1, 2, 5, 5), (2, 1, 8, 1), (2, 3, 3, 2), (3, 0, 2, 6), (0, 2, 4, 1)];
    let mut games = Games::new();
    for (black, white, wins, losses) in field {
        games.extend(vec![(vec![black, white], vec![1, 2]); wins]);
        games.extend(vec![(vec![black, white], vec![2, 1]); losses]);
    }
    let wdl = |(black, white, wins, losses)| (black, white, wdl(wins as u64, 0, losses as u64));
    (games, field.into_iter().map(wdl).collect())
}

#[test]
fn two_seats_without_equal_places_are_the_model_of_bradley_and_terry() {
    let (games, field) = pairs();
    for prior in [Prior::Weak, Prior::None] {
        let by_places = fit(2, &games, prior);
        let by_pairs = Fit::new(&results(&field), Model::BtHalf, prior);
        let expected: Vec<f64> = by_pairs.players.iter().map(|player| player.rating.elo().0).collect();
        assert_close(&elos(&by_places), &expected, 1e-6);
        let [black, white] = seat_elos(&by_places)[..] else { panic!("two seats") };
        assert_close(&[black - white], &[by_pairs.advantage.elo().0], 1e-6);
        // With a prior, the bars of `bt-half` take account of draws that might have happened.
        if prior == Prior::None {
            let expected: Vec<f64> = by_pairs.players.iter().map(|player| player.error95.expect("a bar").0).collect();
            assert_close(&bars(&by_places), &expected, 1e-3);
            assert_close(&[2.0 * seat_bars(&by_places)[0]], &[by_pairs.advantage_error95.expect("a bar").0], 1e-3);
        }
        assert_eq!(by_places.pools, by_pairs.pools);
        assert_close(
            &[by_places.superiority_by(0, 3, Elo(10.0)).expect("comparable")],
            &[by_pairs.superiority_by(0, 3, Elo(10.0)).expect("comparable")],
            if prior == Prior::None { 1e-6 } else { 1e-2 },
        );
    }
}

#[test]
fn four_hundred_elo_are_ten_times_as_likely_to_be_placed_before() {
    // Each of the eleven games is played with both seatings.
    let of = |placing: &[u8; 2]| vec![(vec![0, 1], placing.to_vec()), (vec![1, 0], vec![placing[1], placing[0]])];
    let games: Games = std::iter::repeat_n([1, 2], 10).chain([[2, 1]]).flat_map(|placing| of(&placing)).collect();
    let fit = fit(2, &games, Prior::None);
    assert_close(&elos(&fit), &[200.0, -200.0], 1e-3);
}

#[test]
fn a_player_that_is_always_placed_first_has_no_upper_bound_without_a_prior() {
    // Every order of the other players occurs with its reverse at the same seats, so that everything else is bounded.
    let games = vec![
        (vec![0, 1, 2, 3], vec![1, 2, 3, 4]),
        (vec![0, 1, 2, 3], vec![1, 4, 3, 2]),
        (vec![1, 2, 3, 0], vec![3, 2, 4, 1]),
        (vec![1, 2, 3, 0], vec![3, 4, 2, 1]),
        (vec![3, 0, 1, 2], vec![2, 1, 4, 3]),
        (vec![3, 0, 1, 2], vec![4, 1, 2, 3]),
        (vec![2, 3, 0, 1], vec![4, 3, 1, 2]),
        (vec![2, 3, 0, 1], vec![2, 3, 1, 4]),
    ];
    let none = fit(4, &games, Prior::None);
    assert!(matches!(none.players[0].rating, Rating::Above(_)), "{:?}", none.players[0]);
    assert!(none.players[1..].iter().all(|player| player.rating.finite().is_some()));
    assert_eq!((none.pools, none.superiority_by(0, 1, Elo(0.0))), (2, None));
    let weak = fit(4, &games, Prior::Weak);
    assert!(weak.players.iter().all(|player| player.rating.finite().is_some()));
    assert_eq!(weak.pools, 2);
}

#[test]
fn players_that_no_game_connects_have_zeros_of_their_own_without_a_prior() {
    let table = |players: [usize; 4], placing: [u8; 4]| (players.to_vec(), placing.to_vec());
    let mut games = Vec::new();
    for at in [0, 4] {
        for by in 0..4 {
            let players = [0, 1, 2, 3].map(|seat| at + (seat + by) % 4);
            games.extend([table(players, [1, 2, 3, 4]), table(players, [4, 1, 3, 2])]);
        }
    }
    let fit = fit(4, &games, Prior::None);
    assert_eq!((fit.pools, fit.connection.count), (2, 2));
    for pool in [0..4, 4..8] {
        assert_close(&[elos(&fit)[pool].iter().sum::<f64>()], &[0.0], 1e-6);
    }
    assert_eq!(fit.superiority_by(0, 4, Elo(0.0)), None);
    assert!(fit.superiority_by(0, 1, Elo(0.0)).is_some());
    assert!(fit.rank_chances(&[0, 4]).is_none() && fit.rank_chances(&[0, 1, 2, 3]).is_some());
}

#[test]
fn seats_that_share_a_place_are_equal_and_their_order_does_not_matter() {
    let shared: Games = (0..4)
        .map(|by| {
            (
                (0..4).map(|seat| (seat + by) % 4).collect(),
                (0..4).map(|seat| if (seat + by) % 4 == 0 { 1 } else { 2 }).collect(),
            )
        })
        .collect();
    let fit = fit(4, &shared, Prior::Weak);
    let [first, rest @ ..] = &elos(&fit)[..] else { panic!("four players") };
    assert!(*first > 50.0 && rest.iter().all(|elo| (elo - rest[0]).abs() < 1e-9), "{fit:?}");
}

#[test]
fn an_anchor_moves_the_zero_and_two_fix_a_difference() {
    let results = placed(4, &sample(), name);
    let anchor = |player: usize, elo: f64| Anchor { player: name(player), elo: Elo(elo), deviation: None };
    let free = fit(4, &sample(), Prior::Weak);
    let moved = PlacingFit::anchored(&results, Prior::Weak, &[anchor(3, 1500.0)]).expect("a player");
    let by = 1500.0 - elos(&free)[3];
    assert_close(&elos(&moved), &elos(&free).iter().map(|elo| elo + by).collect::<Vec<f64>>(), 1e-9);
    let tied = PlacingFit::anchored(&results, Prior::Weak, &[anchor(3, 1500.0), anchor(0, 1550.0)]).expect("players");
    assert_close(&[elos(&tied)[3], elos(&tied)[0]], &[1500.0, 1550.0], 1e-9);
    let unknown = PlacingFit::anchored(&results, Prior::Weak, &[anchor(99, 0.0)]);
    assert!(matches!(unknown, Err(AnchorError::Unknown { .. })));
}

#[test]
fn a_game_that_is_taken_back_leaves_no_trace() {
    let mut results = placed(4, &sample(), name);
    let before = PlacingFit::anchored(&results, Prior::Weak, &[]).expect("no anchors");
    let players = BySeat::from_fn(4, Seat::index);
    let game = PlacedGame::new(&players, &BySeat::from_fn(4, Seat::number));
    results.add(game);
    assert_eq!(results.versus(0, 1).games(), placed(4, &sample(), name).versus(0, 1).games() + 1);
    results.take_back(game);
    let after = PlacingFit::anchored(&results, Prior::Weak, &[]).expect("no anchors");
    assert_eq!(format!("{before:?}"), format!("{after:?}"));
}

/// Games with `seats` seats among up to seven players.
fn games(seats: usize) -> impl Strategy<Value = Games> {
    let players = Just((0..7).collect::<Vec<usize>>()).prop_shuffle();
    let places = proptest::collection::vec(1..=u8::try_from(seats).unwrap(), seats);
    let game = (players, places).prop_map(move |(players, places)| {
        // Each player's place is one more than the number of players ahead of it.
        let place = |own: &u8| u8::try_from(1 + places.iter().filter(|other| *other < own).count()).unwrap();
        (players[..seats].to_vec(), places.iter().map(place).collect())
    });
    proptest::collection::vec(game, 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_order_of_games_and_names_does_not_matter(games in games(4), seed in any::<u64>()) {
        let bits = |results: &PlacedResults| {
            [Prior::Weak, Prior::None].map(|prior| format!("{:?}", PlacingFit::anchored(results, prior, &[]).unwrap()))
        };
        let mut other = games.clone();
        let by = usize::try_from(seed % other.len() as u64).unwrap();
        other.rotate_left(by);
        other.reverse();
        prop_assert_eq!(bits(&placed(4, &games, name)), bits(&placed(4, &other, name)));
        let fit = |name: &dyn Fn(usize) -> String| PlacingFit::anchored(&placed(4, &games, name), Prior::Weak, &[]).unwrap();
        let (plain, renamed) = (fit(&name), fit(&|player| format!("q{}", 9 - player)));
        let mut backwards = elos(&renamed);
        backwards.reverse();
        assert_close(&elos(&plain), &backwards, 1e-6);
    }

    #[test]
    fn seats_that_are_renumbered_keep_their_advantages(games in games(6), by in 1_usize..6) {
        let turned: Games = games
            .iter()
            .map(|(players, places)| {
                let (mut players, mut places) = (players.clone(), places.clone());
                players.rotate_left(by);
                places.rotate_left(by);
                (players, places)
            })
            .collect();
        let (plain, turned) = (fit(6, &games, Prior::Weak), fit(6, &turned, Prior::Weak));
        assert_close(&elos(&plain), &elos(&turned), 1e-6);
        let mut seats = seat_elos(&plain);
        seats.rotate_left(by);
        assert_close(&seats, &seat_elos(&turned), 1e-6);
        // The prior decides the mean of the seats and of the players, about which the games say nothing.
        assert_close(&[seats.iter().sum(), elos(&plain).iter().sum()], &[0.0, 0.0], 1e-6);
    }

    #[test]
    fn nobody_vanishes_without_a_prior(games in games(4)) {
        let (weak, none) = (fit(4, &games, Prior::Weak), fit(4, &games, Prior::None));
        let names = |fit: &PlacingFit| fit.players.iter().map(|player| player.name.clone()).collect::<Vec<_>>();
        prop_assert_eq!(names(&weak), names(&none));
        prop_assert!(elos(&none).iter().chain(&seat_elos(&none)).all(|elo| elo.is_finite()));
    }
}
