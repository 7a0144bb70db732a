//! Tests of which games count for a player, of forfeits, of repeated games, and that the order of the games does not
//! matter.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::game::{Move, Side};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::GameResult;
use crate::referee::time_control::tests::any_side_control;
use crate::referee::usage::Usage;
use crate::results::report;

pub(in crate::results) fn game(id: u32, black: &str, white: &str, result: Option<GameResult>) -> GameSummary {
    GameSummary {
        game: format!("r1-{black}-{white}-{id}"),
        round: Some(1),
        players: BySide { black: black.to_owned(), white: white.to_owned() },
        result,
        plies: 20,
        used: BySide { black: Duration::from_micros(1_000_001), white: Duration::from_micros(2) },
        left: BySide::default(),
        usage: BySide::default(),
        starved: None,
        has_odds: false,
        thoughts: None,
        moves: MovesDigest::of([Move::PASS]),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the type of a game's result, which is `None` for a void game")]
pub(in crate::results) fn won(winner: Option<Side>, margin: i32) -> Option<GameResult> {
    Some(GameResult::new(winner, Termination::Normal, Some(margin), None).unwrap())
}

#[expect(clippy::unnecessary_wraps, reason = "the type of a game's result, which is `None` for a void game")]
pub(in crate::results) fn forfeit(loser: Side, termination: Termination) -> Option<GameResult> {
    Some(GameResult::new(Some(loser.opponent()), termination, None, None).unwrap())
}

#[expect(clippy::unnecessary_wraps, reason = "the type of a game's result, which is `None` for a void game")]
pub(in crate::results) fn double_forfeit() -> Option<GameResult> {
    Some(GameResult::new(None, Termination::DoubleForfeit, None, None).unwrap())
}

/// Games with every kind of result.
pub(in crate::results) fn mixed() -> Vec<GameSummary> {
    vec![
        game(1, "ada", "bea", won(Some(Side::Black), 5)),
        game(2, "bea", "ada", won(Some(Side::White), -3)),
        game(3, "ada", "cyd", won(None, 0)),
        game(4, "cyd", "ada", forfeit(Side::White, Termination::Time)),
        game(5, "bea", "cyd", double_forfeit()),
        game(6, "cyd", "bea", None),
        game(7, "bea", "cyd", forfeit(Side::Black, Termination::Crash)),
    ]
}

pub(in crate::results) fn standings(games: &[GameSummary], options: &RatingOptions) -> Standings {
    Standings::new(&games.iter().collect(), options).unwrap()
}

pub(in crate::results) fn wdl(wins: u64, draws: u64, losses: u64) -> Wdl {
    Wdl { wins, draws, losses }
}

pub(in crate::results) fn any_result() -> impl Strategy<Value = Option<GameResult>> {
    let side = || prop::sample::select(Side::BOTH.as_slice());
    let one_sided: Vec<Termination> =
        Termination::ALL.into_iter().filter(|kind| kind.is_forfeit() && *kind != Termination::DoubleForfeit).collect();
    prop_oneof![
        6 => (-25..=25).prop_map(|margin: i32| {
            let winner = (margin != 0).then_some(if margin > 0 { Side::Black } else { Side::White });
            won(winner, margin)
        }),
        1 => side().prop_map(|loser| forfeit(loser, Termination::Resignation)),
        2 => (side(), prop::sample::select(one_sided)).prop_map(|(loser, kind)| forfeit(loser, kind)),
        1 => Just(double_forfeit()),
        1 => Just(None),
    ]
}

pub(in crate::results) fn any_games() -> impl Strategy<Value = Vec<GameSummary>> {
    let names = ["ada", "b,ea", "cy\"d", "d\nov", "é 1", "=1", "'-x"];
    let pair = (0..names.len(), 1..names.len());
    let usage = || {
        let figures = (0_u64..30_000_000, 0_u64..9, 0_u64..99_000_000, any::<u32>(), 1_u64..9, any::<u32>());
        prop::option::of(figures.prop_map(|(user, system, wall, memory, processes, written)| {
            let [user, system, wall] = [user, system, wall].map(Duration::from_micros);
            Usage { user, system, wall, peak_memory: memory.into(), processes, written: written.into() }
        }))
    };
    let (round, plies) = (prop::option::of(1_u32..9), prop_oneof![Just(0_usize), 1_usize..50]);
    let starved = prop::option::of(any::<bool>());
    let left = || prop::option::of(any_side_control());
    let left = (left(), left()).prop_map(|(black, white)| BySide { black, white });
    let one = (pair, any_result(), round, plies, 0_u64..100_000_000, left, (usage(), usage(), starved));
    prop::collection::vec(one, 1..25).prop_map(move |games| {
        let numbered = games.into_iter().zip(0..);
        let summary =
            |(((black, offset), result, round, plies, micros, left, (black_usage, white_usage, starved)), id)| {
                GameSummary {
                    usage: BySide { black: black_usage, white: white_usage },
                    starved,
                    left,
                    round,
                    plies,
                    // There are few enough moves that many games are equal.
                    moves: MovesDigest::of(std::iter::repeat_n(Move::PASS, plies % 3)),
                    used: BySide { black: Duration::from_micros(micros), white: Duration::from_micros(micros * 7) },
                    ..game(id, names[black], names[(black + offset) % names.len()], result)
                }
            };
        numbered.map(summary).collect()
    })
}

pub(in crate::results) fn any_counting() -> impl Strategy<Value = Counting> {
    let kinds = prop::collection::vec(prop::sample::select(&Termination::ALL[..]), 0..4);
    let kinds =
        prop_oneof![Just(ForfeitKinds::NONE), Just(ForfeitKinds::all()), kinds.prop_map(ForfeitKinds::from_iter)];
    (kinds, any::<bool>()).prop_map(|(without_forfeits, distinct)| Counting {
        without_forfeits,
        distinct,
        last_round: None,
        with_odds: false,
    })
}

pub(in crate::results) fn tally(games: &[GameSummary], counting: Counting) -> Tally {
    let mut tally = Tally::new(counting);
    tally.extend(games);
    tally
}

pub(in crate::results) fn counted(games: &[GameSummary], counting: Counting) -> Standings {
    Standings::new(&tally(games, counting), &RatingOptions::default()).unwrap()
}

pub(in crate::results) const DISTINCT: Counting =
    Counting { without_forfeits: ForfeitKinds::NONE, distinct: true, last_round: None, with_odds: false };

pub(in crate::results) fn without_forfeits() -> Counting {
    Counting { without_forfeits: ForfeitKinds::all(), distinct: false, last_round: None, with_odds: false }
}

pub(in crate::results) fn moves(text: &str) -> MovesDigest {
    MovesDigest::of(text.split(' ').map(|word| word.parse().unwrap()))
}

/// Ada and Bea play the same game several times: one of these games has a different ending, one has swapped colours,
/// and one is void.
pub(in crate::results) fn repeats() -> Vec<GameSummary> {
    let played = |round, black, white, result, text: &str| GameSummary {
        round: Some(round),
        moves: moves(text),
        ..game(round, black, white, result)
    };
    vec![
        played(1, "ada", "bea", won(Some(Side::Black), 5), "c3 pass pass"),
        played(1, "bea", "ada", won(Some(Side::Black), 5), "c3 pass pass"),
        played(2, "ada", "bea", won(Some(Side::Black), 5), "c3 pass pass"),
        played(3, "ada", "bea", won(Some(Side::Black), 5), "c3 d3"),
        GameSummary { plies: 0, ..played(4, "ada", "bea", forfeit(Side::White, Termination::NoShow), "c3 pass pass") },
        played(5, "ada", "bea", None, "c3 pass pass"),
        played(6, "ada", "bea", won(Some(Side::Black), 5), "c3 pass pass"),
    ]
}

#[test]
fn games_are_counted_by_player_and_side() {
    let standings = standings(&mixed(), &RatingOptions::default());
    let row = |name: &str| standings.rows().iter().find(|row| row.player == name).unwrap();
    let (ada, bea, cyd) = (row("ada"), row("bea"), row("cyd"));
    assert_eq!(ada.by_side, BySide { black: wdl(1, 1, 0), white: wdl(1, 0, 1) });
    assert_eq!(bea.by_side, BySide { black: wdl(0, 0, 3), white: wdl(0, 0, 1) });
    assert_eq!(cyd.by_side, BySide { black: wdl(1, 0, 0), white: wdl(1, 1, 1) });
    assert_eq!((ada.margin, bea.margin, cyd.margin), (8, -8, 0));
    assert_eq!(ada.forfeits.clone().into_iter().collect::<Vec<_>>(), [(Termination::Time, 1)]);
    let kinds: Vec<Termination> = bea.forfeits.keys().copied().collect();
    assert_eq!(kinds, [Termination::Crash, Termination::DoubleForfeit]);
    assert_eq!(cyd.forfeit_count(), 1);
}

#[test]
fn void_games_and_double_forfeits_are_not_rated() {
    let rated: Vec<GameSummary> =
        mixed().into_iter().filter(|game| game.result.as_ref().is_some_and(GameResult::is_rated)).collect();
    let (all, rated) = (standings(&mixed(), &RatingOptions::default()), standings(&rated, &RatingOptions::default()));
    let ratings = |standings: &Standings| -> Vec<(String, Option<Rating>)> {
        standings.rows().iter().map(|row| (row.player.clone(), row.rating)).collect()
    };
    assert_eq!(ratings(&all), ratings(&rated));
    let counts = all.counts();
    assert_eq!((counts.rated, counts.double_forfeits, counts.void), (5, 1, 1));
}

#[test]
fn a_void_game_lists_its_players() {
    let standings = standings(&[game(1, "ada", "bea", None)], &RatingOptions::default());
    let names: Vec<&str> = standings.rows().iter().map(|row| row.player.as_str()).collect();
    assert_eq!(names, ["ada", "bea"]);
    assert_eq!(standings.rows()[0].total(), wdl(0, 0, 0));
}

#[test]
fn players_with_equal_elo_and_points_share_a_rank() {
    let games = [
        game(1, "zoe", "bea", won(Some(Side::Black), 5)),
        game(2, "ada", "bea", won(Some(Side::Black), 5)),
        game(3, "bea", "cyd", won(Some(Side::Black), 5)),
    ];
    let standings = standings(&games, &RatingOptions::default());
    let ranks = standings.rows().iter().map(|row| (row.rank.unwrap(), row.player.as_str()));
    let ranks: Vec<(usize, &str)> = ranks.collect();
    assert_eq!(ranks, [(1, "ada"), (1, "zoe"), (3, "bea"), (4, "cyd")]);
}

#[test]
fn an_anchor_changes_neither_order_nor_bars() {
    let anchor = |player: &str| RatingOptions {
        anchors: vec![Anchor { player: player.to_owned(), elo: Elo(1500.004), deviation: None }],
        ..RatingOptions::default()
    };
    let (free, set) = (standings(&mixed(), &RatingOptions::default()), standings(&mixed(), &anchor("bea")));
    for (free, set) in free.rows().iter().zip(set.rows()) {
        assert_eq!((free.rank, &free.player, free.error95), (set.rank, &set.player, set.error95));
    }
    assert_eq!(set.rows().iter().find(|row| row.player == "bea").unwrap().shown_rating("-").to_string(), "1500.00");
    let unknown = Standings::new(&mixed().iter().collect(), &anchor("bee")).unwrap_err();
    assert_eq!(unknown, AnchorError::Unknown { name: "bee".to_owned() });
    let games = [game(1, "ada", "bea", won(Some(Side::Black), 1))];
    let options = RatingOptions { prior: Prior::None, ..anchor("ada") };
    let unbounded = Standings::new(&games.iter().collect(), &options).unwrap_err();
    assert_eq!(unbounded, AnchorError::Unbounded { name: "ada".to_owned() });
}

#[test]
fn distinct_games_count_once() {
    let (all, distinct) = (counted(&repeats(), Counting::default()), counted(&repeats(), DISTINCT));
    let ada = |standings: &Standings| {
        let row = standings.rows().iter().find(|row| row.player == "ada").unwrap().clone();
        (row.by_side, row.margin, row.duplicates)
    };
    assert_eq!(ada(&all), (BySide { black: wdl(5, 0, 0), white: wdl(0, 0, 1) }, 15, 2));
    assert_eq!(ada(&distinct), (BySide { black: wdl(3, 0, 0), white: wdl(0, 0, 1) }, 5, 2));
    assert_eq!((all.counts().rated, all.counts().duplicates), (6, 2));
    assert_eq!((distinct.counts().rated, distinct.counts().duplicates), (4, 2));
    let note = |standings: &Standings| report::final_report(standings);
    let expected = "2 games repeat an earlier one move for move; they are still counted.";
    assert!(note(&all).contains(expected), "{}", note(&all));
    let expected = "Distinct games only: 2 games that repeat an earlier one move for move are left out.";
    assert!(note(&distinct).contains(expected), "{}", note(&distinct));
}

#[test]
fn the_first_of_equal_games_counts_however_they_ended() {
    let ending = |round, loser| GameSummary {
        round: Some(round),
        ..game(round, "ada", "bea", forfeit(loser, Termination::Crash))
    };
    let by_nobody = |round| GameSummary { result: double_forfeit(), ..ending(round, Side::Black) };
    for mut games in [
        vec![ending(10, Side::Black), ending(2, Side::White), ending(9, Side::Black)],
        vec![by_nobody(10), ending(2, Side::White), by_nobody(9)],
    ] {
        for _ in 0..3 {
            games.rotate_left(1);
            let standings = counted(&games, DISTINCT);
            let total = |name: &str| standings.rows().iter().find(|row| row.player == name).unwrap().total();
            assert_eq!((total("ada"), total("bea")), (wdl(1, 0, 0), wdl(0, 0, 1)));
        }
    }
    // Ids order the games of one round: the tenth comes after the second.
    let of_round = |id: &str, loser| GameSummary { game: id.to_owned(), ..ending(1, loser) };
    let games = [of_round("r1-ada-bea-10", Side::White), of_round("r1-ada-bea-2", Side::Black)];
    assert_eq!(duplicates(games.iter().map(GameSummary::view)), [Some(1), None]);
    assert_eq!(counted(&games, DISTINCT).rows()[0].player, "bea");
}

#[test]
fn forfeits_left_out_of_the_ratings_are_still_shown() {
    let standings = counted(&mixed(), without_forfeits());
    let row = |name: &str| standings.rows().iter().find(|row| row.player == name).unwrap();
    assert_eq!(row("ada").by_side, BySide { black: wdl(1, 1, 0), white: wdl(1, 0, 0) });
    assert_eq!(row("bea").total(), wdl(0, 0, 2));
    assert_eq!((row("ada").forfeit_count(), row("bea").forfeit_count(), row("cyd").forfeit_count()), (1, 2, 1));
    let counts = standings.counts();
    assert_eq!((counts.rated, counts.double_forfeits, counts.void, counts.forfeits_left_out), (3, 0, 1, 3));
    let kept: Vec<GameSummary> = mixed().into_iter().take(3).collect();
    let ratings = |standings: &Standings| -> Vec<(String, Option<Rating>)> {
        standings.rows().iter().map(|row| (row.player.clone(), row.rating)).collect()
    };
    let expected = [counted(&kept, Counting::default())];
    assert_eq!(ratings(&standings)[..2], ratings(&expected[0])[..2]);
    assert!(report::final_report(&standings).contains("Without forfeits: 3 games left out of ratings, points"));
}

#[test]
fn a_tally_built_game_by_game_gives_the_same_standings() {
    let mut tally = Tally::default();
    for game in &mixed() {
        tally.add(game);
    }
    let grown = Standings::new(&tally, &RatingOptions::default()).unwrap();
    let expected = report::final_report(&standings(&mixed(), &RatingOptions::default()));
    assert_eq!(report::final_report(&grown), expected);
}

#[test]
fn games_that_were_under_way_when_a_test_ended_are_listed_and_count_for_nothing() {
    let games: Vec<GameSummary> = repeats();
    for last in 0..4 {
        let counting = Counting { last_round: Some(last), ..Counting::default() };
        let (of_test, later): (Vec<_>, Vec<_>) =
            games.iter().cloned().partition(|game| game.round.is_none_or(|round| round <= last));
        let (all, up_to_last) = (counted(&games, counting), counted(&of_test, Counting::default()));
        let points = |standings: &Standings| -> Vec<_> {
            standings.rows().iter().map(|row| (row.player.clone(), row.total(), row.rating, row.duplicates)).collect()
        };
        if of_test.iter().any(|game| game.result.is_some()) {
            assert_eq!(points(&all), points(&up_to_last), "{last}");
        }
        let after = later.iter().filter(|game| game.result.is_some()).count() as u64;
        assert_eq!((all.counts().after_test, all.counts().all()), (after, games.len() as u64), "{last}");
        assert_eq!(report::final_report(&all).contains("in progress when the test ended"), after > 0, "{last}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn duplicates_are_exactly_the_games_that_distinct_leaves_out(games in any_games()) {
        let first = duplicates(games.iter().map(GameSummary::view));
        let kept: Vec<GameSummary> =
            games.iter().zip(&first).filter(|(_, first)| first.is_none()).map(|(game, _)| game.clone()).collect();
        let (distinct, kept) = (counted(&games, DISTINCT), counted(&kept, Counting::default()));
        prop_assert_eq!(distinct.counts().duplicates, first.iter().flatten().count() as u64);
        for (distinct, kept) in distinct.rows().iter().zip(kept.rows()) {
            prop_assert_eq!((&distinct.player, distinct.rating, distinct.by_side), (&kept.player, kept.rating, kept.by_side));
            prop_assert_eq!(distinct.margin, kept.margin);
        }
        prop_assert!(first.iter().flatten().all(|&first_of_all| first[first_of_all].is_none()));
    }

    #[test]
    fn everything_is_counted_once_for_each_side(games in any_games(), counting in any_counting()) {
        let standings = counted(&games, counting);
        let rows = standings.rows();
        let counts = standings.counts();
        prop_assert_eq!(rows.iter().map(|row| row.margin).sum::<i64>(), 0);
        let seats: u64 = rows.iter().map(|row| row.total().games()).sum();
        prop_assert_eq!(seats, 2 * (counts.rated + counts.double_forfeits));
        let half_points: u64 = rows.iter().map(|row| row.total().half_points()).sum();
        prop_assert_eq!(half_points, 2 * counts.rated);
        for (index, row) in rows.iter().enumerate() {
            let versus = (0..rows.len()).fold(Wdl::default(), |sum, other| sum + standings.versus(index, other));
            prop_assert_eq!(versus, row.total());
        }
        let merit = |row: &PlayerRow| (row.rating.map(|rating| rating.elo().hundredths()), row.total().half_points());
        let order: Vec<_> = rows.iter().map(merit).collect();
        prop_assert!(order.is_sorted_by(|a, b| a >= b), "{:?}", order);
        let left_out = counts.forfeits_left_out + if counting.distinct { counts.duplicates } else { 0 };
        prop_assert_eq!(counts.rated + counts.double_forfeits + counts.void + left_out, games.len() as u64);
    }
}

#[test]
fn missing_games_are_all_counted_and_the_first_of_each_kind_are_listed() {
    let mut missing = MissingGames::default();
    for number in 0..36 {
        missing.add(&format!("r{number}"), (number % 3 == 0).then(|| "no port".to_owned()));
        let void = number / 3 + 1;
        assert_eq!((missing.games(), missing.unplayed()), (number + 1, number + 1 - void));
        assert_eq!(missing.listed().len() as u64, void.min(10) + (number + 1 - void).min(10));
        assert_eq!(missing.has_listed_all(), number + 1 - void >= 10);
    }
    missing.count(1000);
    assert_eq!((missing.games(), missing.unplayed(), missing.listed().len()), (1036, 1024, 20));
}
