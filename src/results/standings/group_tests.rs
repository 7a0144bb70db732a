//! The standings of games of four and six players, checked by hand and against laws that hold for all games.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::game::{BySeat, Fraction, Seat};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::usage::Usage;
use crate::results::rating::PlacingFit;

pub(in crate::results) fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

/// A game of `players`, seat 1 first, with these places. The seats in `outs` dropped out.
pub(in crate::results) fn placed(
    round: u32,
    players: &[&str],
    places: &[u8],
    outs: &[(u8, Termination)],
) -> GroupSummary {
    let seats = u8::try_from(players.len()).expect("few seats");
    let outs = outs.iter().map(|&(number, termination)| SeatOut { seat: seat(number), termination }).collect();
    let placing = BySeat::new(places.to_vec()).expect("seats");
    let totals = BySeat::from_fn(seats, |seat| Fraction::new(i32::from(20 - places[seat.index()]), 4));
    let points = BySeat::from_fn(seats, |seat| u8::from(places[seat.index()] == 1));
    GroupSummary {
        game: format!("r{round}-{}", players.join("-")),
        round: Some(round),
        players: BySeat::new(players.iter().map(|&name| name.to_owned()).collect()).expect("seats"),
        result: Some(GroupResult::new(placing, totals, points, outs).expect("a result")),
        plies: 40,
        used: BySeat::from_fn(seats, |seat| Duration::from_secs(seat.number().into())),
        left: BySeat::from_fn(seats, |_| None),
        usage: BySeat::from_fn(seats, |_| None),
        has_odds: false,
        moves: MovesDigest::of(format!("c3 d{round}").split(' ').map(|text| text.parse().expect("a move"))),
    }
}

/// Six games with four players: in the first four games, each player has each seat once; in the last two, players drop
/// out.
pub(in crate::results) fn field() -> Vec<GroupSummary> {
    vec![
        placed(1, &["ada", "bea", "cyd", "dov"], &[1, 2, 3, 4], &[]),
        placed(2, &["dov", "ada", "bea", "cyd"], &[2, 1, 4, 2], &[]),
        placed(3, &["cyd", "dov", "ada", "bea"], &[1, 2, 3, 4], &[]),
        placed(4, &["bea", "cyd", "dov", "ada"], &[1, 2, 3, 4], &[]),
        placed(
            5,
            &["ada", "bea", "cyd", "dov"],
            &[1, 2, 3, 4],
            &[(4, Termination::Time), (3, Termination::Resignation)],
        ),
        placed(6, &["ada", "bea", "cyd", "eli"], &[4, 1, 2, 3], &[(1, Termination::Crash)]),
    ]
}

pub(in crate::results) fn tally(games: &[GroupSummary], counting: Counting) -> GroupTally {
    let mut tally = GroupTally::new(counting, games[0].players.seats());
    for game in games {
        tally.add(game);
    }
    tally
}

pub(in crate::results) fn standings(games: &[GroupSummary], counting: Counting) -> GroupStandings {
    GroupStandings::of(&tally(games, counting), &RatingOptions::default()).expect("no anchors")
}

fn row<'s>(standings: &'s GroupStandings, player: &str) -> &'s GroupRow {
    standings.rows().iter().find(|row| row.player == player).unwrap_or_else(|| panic!("{player}"))
}

#[test]
fn points_are_the_players_placed_behind_and_half_of_those_in_the_same_place() {
    let standings = standings(&field(), Counting::default());
    let figures = |player: &str| {
        let total = &row(&standings, player).total;
        (total.games, total.points(), total.places.clone(), total.mean_placing())
    };
    assert_eq!(figures("ada"), (6, 10.0, vec![3, 0, 1, 2], Some(14.0 / 6.0)));
    assert_eq!(figures("dov"), (5, 4.5, vec![0, 2, 1, 2], Some(3.0)));
    assert_eq!(figures("cyd"), (6, 10.5, vec![1, 3, 2, 0], Some(13.0 / 6.0)));
    assert_eq!(figures("eli"), (1, 1.0, vec![0, 0, 1, 0], Some(3.0)));
    assert_eq!(row(&standings, "ada").total.score(), Some(10.0 / 18.0));
    assert_eq!(row(&standings, "ada").by_seat[seat(1)].half_points, 12);
    let first = &standings.seat_rows()[0];
    assert_eq!((first.total.games, first.total.places.clone()), (6, vec![4, 1, 0, 1]));
}

#[test]
fn a_player_that_drops_out_forfeits_unless_it_resigned() {
    let standings = standings(&field(), Counting::default());
    let out = |player: &str| (row(&standings, player).forfeits.clone(), row(&standings, player).resignations);
    assert_eq!(out("dov"), ([(Termination::Time, 1)].into(), 0));
    assert_eq!(out("ada"), ([(Termination::Crash, 1)].into(), 0));
    assert_eq!(out("cyd"), (BTreeMap::new(), 1));
}

#[test]
fn placed_before_counts_the_games_of_both() {
    let standings = standings(&field(), Counting::default());
    let place = |player: &str| standings.rows().iter().position(|row| row.player == player).expect("a player");
    let versus = |one: &str, other: &str| standings.placed_before(place(one), place(other));
    assert_eq!(versus("ada", "bea"), Wdl { wins: 4, draws: 0, losses: 2 });
    assert_eq!(versus("cyd", "dov"), Wdl { wins: 4, draws: 1, losses: 0 });
    assert_eq!(versus("dov", "eli"), Wdl::default());
}

#[test]
fn games_with_odds_count_for_points_and_not_for_ratings_unless_asked() {
    let mut games = field();
    games[4].has_odds = true;
    let without = standings(&games, Counting::default());
    let with = standings(&games, Counting { with_odds: true, ..Counting::default() });
    assert_eq!((without.counts().rated, without.counts().odds), (5, 1));
    assert_eq!((with.counts().rated, with.counts().odds), (6, 0));
    let mut rest = field();
    rest.remove(4);
    let rest = standings(&rest, Counting::default());
    for player in ["ada", "bea", "cyd", "dov"] {
        assert_eq!(row(&without, player).rating, row(&rest, player).rating, "{player}");
        assert_ne!(row(&without, player).rating, row(&with, player).rating, "{player}");
        assert_eq!(row(&without, player).total, row(&with, player).total, "{player}");
        assert_eq!(row(&without, player).odds, 1);
    }
}

#[test]
fn games_of_two_with_odds_count_for_points_and_not_for_ratings_unless_asked() {
    use super::tests::{game, won};
    use crate::game::Side;

    let mut games: Vec<GameSummary> =
        (1..=4).map(|round| game(round, "ada", "bea", won(Some(Side::Black), 5))).collect();
    games[3].has_odds = true;
    let standings = |games: &[GameSummary], with_odds| {
        let mut tally = Tally::new(Counting { with_odds, ..Counting::default() });
        tally.extend(games);
        Standings::new(&tally, &RatingOptions::default()).expect("no anchors")
    };
    let (without, with, rest) = (standings(&games, false), standings(&games, true), standings(&games[..3], false));
    assert_eq!((without.counts().rated, without.counts().odds), (3, 1));
    assert_eq!((with.counts().rated, with.counts().odds), (4, 0));
    assert_eq!(without.rows()[0].rating, rest.rows()[0].rating);
    assert_eq!(without.rows()[0].total(), with.rows()[0].total());
    assert_eq!(without.versus(0, 1).wins, 4);
}

#[test]
fn forfeits_can_be_left_out_and_identical_games_counted_once() {
    let crash = Counting { without_forfeits: [Termination::Crash].into_iter().collect(), ..Counting::default() };
    let standings = standings(&field(), crash);
    assert_eq!((standings.counts().rated, standings.counts().forfeits_left_out), (5, 1));
    assert_eq!(row(&standings, "eli").total.games, 0);
    assert_eq!(row(&standings, "ada").forfeits.len(), 1, "shown, although it does not count");

    let mut games = field();
    let again = GroupSummary { round: Some(7), game: "r7".to_owned(), ..games[0].clone() };
    // The same moves by players in other seats form a different game.
    let turned = GroupSummary { round: Some(8), players: games[1].players.clone(), ..games[0].clone() };
    games.insert(0, again);
    games.push(turned);
    let counted = |distinct| {
        let counts = self::standings(&games, Counting { distinct, ..Counting::default() }).counts();
        (counts.rated, counts.duplicates)
    };
    assert_eq!((counted(false), counted(true)), ((8, 1), (7, 1)));
}

#[test]
fn a_game_that_every_player_forfeited_gives_nobody_points() {
    let failed: Vec<(u8, Termination)> = (1..=4).map(|number| (number, Termination::NoShow)).collect();
    let games = [field().remove(0), placed(2, &["dov", "ada", "bea", "cyd"], &[4, 3, 2, 1], &failed)];
    let standings = standings(&games, Counting::default());
    assert_eq!((standings.counts().rated, standings.counts().forfeited_by_all), (1, 1));
    let ada = row(&standings, "ada");
    assert_eq!((ada.total.games, ada.total.points(), ada.total.places.clone()), (2, 3.0, vec![1, 0, 0, 1]));
}

#[test]
fn void_games_only_make_their_players_known() {
    let games = [field().remove(0), GroupSummary { result: None, ..field().remove(5) }];
    let standings = standings(&games, Counting::default());
    assert_eq!((standings.counts().rated, standings.counts().void), (1, 1));
    let eli = row(&standings, "eli");
    assert_eq!((eli.rank, eli.rating, eli.total.games), (None, None, 0));
    assert_eq!(standings.rows().last().map(|row| row.player.as_str()), Some("eli"));
}

#[test]
fn games_of_different_numbers_of_seats_are_never_mixed() {
    use super::tests::{game, won};

    let pair = PlayedSummary::Pair(game(1, "ada", "bea", won(None, 0)));
    let four = PlayedSummary::Group(field().remove(0));
    let six = PlayedSummary::Group(placed(1, &["a", "b", "c", "d", "e", "f"], &[1, 2, 3, 4, 5, 6], &[]));
    let all = [(pair, 2), (four, 4), (six, 6)];
    for (one, first) in &all {
        for (another, other) in &all {
            let mut tally = FieldTally::new(Counting::default());
            tally.add(one).expect("the first game");
            let expected = if first == other { Ok(()) } else { Err(MixedSeats { first: *first, other: *other }) };
            assert_eq!(tally.add(another), expected);
            assert_eq!((tally.seats(), tally.games()), (*first, 1 + u64::from(first == other)));
        }
    }
}

#[test]
fn a_result_must_be_possible() {
    use InconsistentGroup as Wrong;
    use Termination::{Crash, DoubleForfeit, Normal, Resignation, Time};

    let result = |places: &[u8], outs: &[(u8, Termination)]| {
        let outs = outs.iter().map(|&(number, termination)| SeatOut { seat: seat(number), termination }).collect();
        let each = |value| BySeat::from_fn(4, |_| value);
        let placing = BySeat::new(places.to_vec()).expect("seats");
        GroupResult::new(placing, each(0).map(|_: u8| Fraction::new(1, 1)), each(0), outs).err()
    };
    assert_eq!(result(&[2, 1, 2, 4], &[(4, Time)]), None);
    assert_eq!(result(&[1, 1, 1, 1], &[]), None);
    assert_eq!(result(&[1, 2, 3], &[]), Some(Wrong::Seats));
    for places in [[1, 2, 2, 3], [2, 3, 4, 5], [0, 1, 2, 3], [1, 1, 2, 4]] {
        assert_eq!(result(&places, &[]), Some(Wrong::Placing), "{places:?}");
    }
    assert_eq!(result(&[1, 2, 3, 4], &[(5, Time)]), Some(Wrong::Out(seat(5))));
    assert_eq!(result(&[1, 2, 3, 4], &[(4, Time), (4, Crash)]), Some(Wrong::Out(seat(4))));
    assert_eq!(result(&[1, 2, 3, 4], &[(4, Normal)]), Some(Wrong::Termination(Normal)));
    assert_eq!(result(&[1, 2, 3, 4], &[(4, DoubleForfeit)]), Some(Wrong::Termination(DoubleForfeit)));
    assert_eq!(result(&[1, 2, 3, 4], &[(3, Resignation)]), Some(Wrong::PlaceOfOut { seat: seat(3), place: 4 }));
    // Seat 3 dropped out first, so it is behind seat 4; and a seat that drops out does not share its place.
    let both = [(3, Time), (4, Crash)];
    assert_eq!(result(&[1, 2, 4, 3], &both), None);
    assert_eq!(result(&[1, 2, 3, 4], &both), Some(Wrong::PlaceOfOut { seat: seat(3), place: 4 }));
    assert_eq!(result(&[1, 2, 3, 3], &both), Some(Wrong::PlaceOfOut { seat: seat(3), place: 4 }));
    let won = |points| {
        let each = |value| BySeat::from_fn(4, |_| value);
        let totals = each(0_u8).map(|_| Fraction::new(1, 1));
        GroupResult::new(BySeat::new(vec![1, 2, 3, 4]).expect("seats"), totals, each(points), Vec::new()).err()
    };
    assert_eq!([won(3), won(4)], [None, Some(Wrong::Points(seat(1), 4))]);
}

/// Games with `seats` seats among up to seven players.
pub(in crate::results) fn any_games(seats: usize) -> impl Strategy<Value = Vec<GroupSummary>> {
    const NAMES: [&str; 7] = ["=ada", "bea, b", "cyd", "dov", "eli", "fay", "gus"];
    let usage = || {
        prop::option::of((0_u64..9_000_000).prop_map(|micros| Usage {
            user: Duration::from_micros(micros),
            system: Duration::from_micros(micros / 7),
            wall: Duration::from_micros(2 * micros),
            peak_memory: micros * 3,
            processes: micros % 5,
            written: micros / 3,
        }))
    };
    let players = Just(NAMES.to_vec()).prop_shuffle();
    let order = prop::collection::vec(0..seats, seats);
    let outs = prop::collection::vec(prop::sample::select(&Termination::ALL[..]), 0..seats);
    let left = prop::sample::select(&["", "41.5", "41.5+1", "0:3x30", "1/move+9.5bank"][..]);
    let facts = (any::<bool>(), any::<bool>(), 0_u64..5_000_000, usage(), left, 0_usize..3);
    let game = (players, order, outs, facts).prop_map(move |(players, mut order, outs, facts)| {
        let (is_void, has_odds, micros, usage, left, moves) = facts;
        let outs: Vec<Termination> =
            outs.into_iter().filter(|end| end.is_forfeit() && *end != Termination::DoubleForfeit).collect();
        // The first seats drop out one after the other; those that drop out later are placed better.
        for (index, place) in order.iter_mut().enumerate().take(outs.len()) {
            *place = seats + outs.len() - index;
        }
        let place = |own: &usize| u8::try_from(1 + order.iter().filter(|other| *other < own).count()).unwrap();
        let places: Vec<u8> = order.iter().map(place).collect();
        let outs: Vec<(u8, Termination)> = (1..).zip(outs).collect();
        let game = placed(1, &players[..seats], &places, &outs);
        GroupSummary {
            result: game.result.clone().filter(|_| !is_void),
            has_odds,
            plies: moves * 7,
            used: game.used.clone().map(|used| used + Duration::from_micros(micros)),
            left: game.left.clone().map(|_| left.parse().ok()),
            usage: game.usage.clone().map(|_| usage),
            moves: MovesDigest::of(["c3", "d4", "e5"].iter().take(moves).map(|text| text.parse().unwrap())),
            ..game
        }
    });
    prop::collection::vec(game, 1..16).prop_map(|games| {
        let numbered = (1..).zip(games);
        numbered.map(|(round, game)| GroupSummary { game: format!("r{round}"), round: Some(round), ..game }).collect()
    })
}

fn any_counting() -> impl Strategy<Value = Counting> {
    (super::tests::any_counting(), any::<bool>()).prop_map(|(counting, with_odds)| Counting { with_odds, ..counting })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_game_gives_the_same_number_of_points(games in any_games(6), counting in any_counting()) {
        let tally = tally(&games, counting);
        let counts = tally.counts();
        let standings = GroupStandings::of(&tally, &RatingOptions::default()).unwrap();
        let sum = |figure: &dyn Fn(&GroupRow) -> u64| standings.rows().iter().map(figure).sum::<u64>();
        prop_assert_eq!(sum(&|row| row.total.half_points), 30 * (counts.rated + counts.odds));
        prop_assert_eq!(sum(&|row| row.total.games), 6 * counts.counted());
        for row in standings.rows() {
            prop_assert_eq!(row.total.places.iter().sum::<u64>(), row.total.games);
        }
        let seats: u64 = standings.seat_rows().iter().map(|row| row.total.half_points).sum();
        prop_assert_eq!(seats, sum(&|row| row.total.half_points));
        let left_out = if counting.distinct { counts.duplicates } else { 0 };
        prop_assert_eq!(counts.all() + left_out, games.len() as u64);
        // The points against the opponents add up to the player's total.
        for (index, row) in standings.rows().iter().enumerate() {
            let against: u64 =
                (0..standings.rows().len()).map(|other| standings.placed_before(index, other).half_points()).sum();
            prop_assert_eq!(against, row.total.half_points);
            for other in 0..standings.rows().len() {
                prop_assert_eq!(standings.placed_before(index, other), standings.placed_before(other, index).reversed());
            }
        }
    }

    #[test]
    fn the_order_of_group_games_does_not_matter(games in any_games(4), counting in any_counting(), by in 0_usize..16) {
        let text = |games: &[GroupSummary]| {
            let standings = standings(games, counting);
            let before = |row| (0..standings.rows().len()).map(move |other| (row, other));
            let pairs = (0..standings.rows().len()).flat_map(before);
            let pairs: Vec<Wdl> = pairs.map(|(row, other)| standings.placed_before(row, other)).collect();
            format!("{:?} {:?} {pairs:?}", standings.rows(), standings.seat_rows())
        };
        let mut other = games.clone();
        other.rotate_left(by % games.len());
        other.reverse();
        prop_assert_eq!(text(&games), text(&other));
    }

    #[test]
    fn the_ratings_are_those_of_the_rated_games(games in any_games(4)) {
        let tally = tally(&games, Counting::default());
        let rated: Vec<GroupSummary> = games
            .into_iter()
            .filter(|game| !game.has_odds && game.result.as_ref().is_some_and(|result| !result.is_forfeited_by_all()))
            .collect();
        let mut placed = crate::results::rating::PlacedResults::new(4);
        for game in &rated {
            let players = game.players.as_ref().map(|name| placed.player(name));
            placed.add(crate::results::rating::PlacedGame::new(&players, game.result.as_ref().unwrap().placing()));
        }
        let fit = PlacingFit::anchored(&placed, Prior::Weak, &[]).unwrap();
        let standings = GroupStandings::of(&tally, &RatingOptions::default()).unwrap();
        for row in standings.rows() {
            let fitted = fit.players.iter().find(|player| player.name == row.player).map(|player| player.rating);
            prop_assert_eq!(row.rating, fitted);
        }
    }
}
