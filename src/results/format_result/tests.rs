use super::*;
use crate::game::Outcome;
use crate::tournament::schedule::{DrawnPairing, GameSpec, Results, Schedule, Step};
use crate::tournament::{Legs, Tournament};

/// A pairing in a test: two players and the first player's half points in each game, or the player that has the bye.
enum Played<'g> {
    Meeting(PlayerIndex, PlayerIndex, &'g [u8]),
    Bye(PlayerIndex),
}

use Played::{Bye, Meeting};

fn result(first: Side, half_points: u8) -> GameResult {
    let winner = match half_points {
        0 => Some(first.opponent()),
        2 => Some(first),
        _ => None,
    };
    GameResult::played(Outcome { winner, margin: None })
}

/// The result of a tournament of `players` players, named `a`, `b` and so on.
fn swiss(players: usize, legs: Legs, rounds: &[&[Played<'_>]]) -> SwissResult {
    let (mut drawn, mut games) = (Vec::new(), PlayedGames::default());
    for (round, played) in (1..).zip(rounds) {
        let pairing = |played: &Played<'_>| match *played {
            Bye(player) => DrawnPairing::Bye(player),
            Meeting(one, other, half_points) => {
                for (game, &half_points) in half_points.iter().enumerate() {
                    let (first, sides) = match game {
                        0 => (Side::Black, BySide { black: one, white: other }),
                        _ => (Side::White, BySide { black: other, white: one }),
                    };
                    games.add(round, sides, &result(first, half_points));
                }
                DrawnPairing::Meeting { sides: BySide { black: one, white: other }, winner: None }
            }
        };
        let pairings = played.iter().map(pairing).collect();
        drawn.push(DrawnRound { round, pairings });
    }
    let rounds = u32::try_from(rounds.len()).ok().and_then(std::num::NonZeroU32::new).expect("a few rounds");
    let format = Format::Swiss { rounds, legs };
    let names = names(players);
    let tournament =
        PlayedTournament { format: &format, names: &names, drawn: &drawn, games: &games, is_complete: true };
    match FormatResult::of(tournament) {
        Some(FormatResult::Swiss(swiss)) => swiss,
        other => panic!("{other:?}"),
    }
}

fn names(players: usize) -> Vec<String> {
    ('a'..).take(players).map(String::from).collect()
}

/// Place, player, points, byes, Buchholz, Sonneborn-Berger, and the points of the direct encounter.
type Line<'t> = (usize, &'t str, f64, u32, f64, f64, Option<f64>);

fn lines(swiss: &SwissResult) -> Vec<Line<'_>> {
    let halves = |half_points: u32| f64::from(half_points) / 2.0;
    let line = |place: &'_ SwissPlace| {
        let sonneborn_berger = f64::from(u32::try_from(place.sonneborn_berger).expect("small")) / 4.0;
        let direct = place.direct_encounter.map(halves);
        (place.place, place.half_points, place.byes, place.buchholz, sonneborn_berger, direct)
    };
    let lines = swiss.places.iter().map(|place| (place.player.as_str(), line(place)));
    lines
        .map(|(name, (place, points, byes, buchholz, sonneborn_berger, direct))| {
            (place, name, halves(points), byes, halves(buchholz), sonneborn_berger, direct)
        })
        .collect()
}

// An independent program in another language, written from the text of the regulations, computed the figures of the
// next three tests.

#[test]
fn places_agree_with_another_program_where_three_players_are_level_and_all_have_met() {
    let swiss = swiss(
        7,
        Legs::One,
        &[
            &[Meeting(0, 2, &[2]), Meeting(5, 4, &[0]), Meeting(3, 1, &[2]), Bye(6)],
            &[Meeting(2, 1, &[2]), Meeting(5, 3, &[1]), Meeting(6, 4, &[2]), Bye(0)],
            &[Meeting(3, 2, &[0]), Meeting(1, 4, &[2]), Meeting(6, 0, &[2]), Bye(5)],
            &[Meeting(2, 6, &[2]), Meeting(1, 5, &[2]), Meeting(3, 0, &[1]), Bye(4)],
            &[Meeting(0, 5, &[0]), Meeting(6, 1, &[0]), Meeting(2, 4, &[0]), Bye(3)],
        ],
    );
    assert_eq!(
        lines(&swiss),
        [
            (1, "c", 3.0, 0, 14.5, 9.0, None),
            (2, "b", 3.0, 0, 14.5, 8.5, Some(2.0)),
            (3, "g", 3.0, 1, 14.5, 8.5, Some(1.0)),
            (4, "e", 3.0, 1, 14.5, 8.5, Some(0.0)),
            (5, "d", 3.0, 1, 14.0, 8.5, None),
            (6, "a", 2.5, 1, 14.0, 7.0, None),
            (7, "f", 2.5, 1, 14.0, 6.5, None),
        ]
    );
}

#[test]
fn places_agree_with_another_program_where_pairings_are_two_games() {
    let swiss = swiss(
        5,
        Legs::Two,
        &[
            &[Meeting(0, 1, &[2, 1]), Meeting(2, 3, &[2, 0]), Bye(4)],
            &[Meeting(4, 0, &[1, 0]), Meeting(1, 2, &[1, 1]), Bye(3)],
            &[Meeting(0, 3, &[2, 2]), Meeting(4, 2, &[0, 2]), Bye(1)],
        ],
    );
    assert_eq!(
        lines(&swiss),
        [
            (1, "a", 5.0, 0, 10.0, 16.5, None),
            (2, "b", 3.5, 1, 11.5, 12.5, None),
            // This player is level with b, which it has not met.
            (2, "e", 3.5, 1, 11.5, 12.5, None),
            (4, "d", 3.0, 1, 11.0, 9.0, None),
            (5, "c", 3.0, 0, 10.0, 10.0, None),
        ]
    );
}

#[test]
fn places_agree_with_another_program_where_all_have_met() {
    let swiss = swiss(
        4,
        Legs::One,
        &[
            &[Meeting(0, 1, &[2]), Meeting(2, 3, &[2])],
            &[Meeting(0, 2, &[2]), Meeting(1, 3, &[2])],
            &[Meeting(0, 3, &[0]), Meeting(1, 2, &[0])],
        ],
    );
    assert_eq!(
        lines(&swiss),
        [
            (1, "a", 2.0, 0, 4.0, 3.0, None),
            (2, "c", 2.0, 0, 4.0, 2.0, None),
            (3, "d", 1.0, 0, 5.0, 2.0, None),
            (4, "b", 1.0, 0, 5.0, 1.0, None),
        ]
    );
}

#[test]
fn players_that_nothing_separates_share_a_place_in_the_order_of_their_new_names() {
    let swiss = swiss(4, Legs::One, &[&[Meeting(0, 1, &[1]), Meeting(2, 3, &[1])]]);
    assert!(swiss.places.iter().all(|place| place.place == 1));
    let renamed = FormatResult::Swiss(swiss).renamed(|name| if name == "a" { "z".to_owned() } else { name.to_owned() });
    assert_eq!(renamed.players().collect::<Vec<_>>(), ["b", "c", "d", "z"]);
    let FormatResult::Swiss(renamed) = renamed else { panic!("still a Swiss tournament") };
    assert_eq!(renamed.places[0].rounds[0].opponent.as_deref(), Some("z"));
}

#[test]
fn a_pairing_without_a_result_counts_for_nothing_yet() {
    let swiss = swiss(4, Legs::One, &[&[Meeting(0, 1, &[2]), Meeting(2, 3, &[])]]);
    let a = &swiss.places[0];
    assert_eq!((a.player.as_str(), a.half_points, a.buchholz), ("a", 2, 0));
    assert_eq!(FormatResult::Swiss(swiss.clone()).reasons()[0], "1");
    let c = swiss.places.iter().find(|place| place.player == "c").expect("c");
    assert_eq!((c.place, c.half_points, c.rounds[0].half_points), (3, 0, None));
}

/// The bracket of a knockout of `players` players, with one pair of games per pairing, after at most `games` games;
/// `play` decides each game.
fn knockout(players: usize, games: usize, play: impl Fn(&GameSpec) -> GameResult) -> KnockoutResult {
    let table = |name: String| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
    let field: Vec<String> = names(players).into_iter().map(table).collect();
    let tournament = Tournament::parse(&format!("format = \"knockout\"\n{}", field.concat()), "test")
        .unwrap_or_else(|problems| panic!("{problems}"));
    let (mut schedule, mut results, mut played) =
        (Schedule::new(&tournament), Results::default(), PlayedGames::default());
    for _ in 0..games {
        let Step::Game(game) = schedule.next(&results) else { break };
        let result = play(&game);
        results.insert(game.id.clone(), Decided::from(&result));
        played.add(game.round, game.pair(), &result);
    }
    let is_complete = schedule.next(&results) == Step::Done;
    let tournament = PlayedTournament {
        format: &tournament.format,
        names: &names(players),
        drawn: &schedule.drawn(&results),
        games: &played,
        is_complete,
    };
    match FormatResult::of(tournament) {
        Some(FormatResult::Knockout(knockout)) => knockout,
        other => panic!("{other:?}"),
    }
}

/// The result of `game` if the player with the larger index wins.
fn upset(game: &GameSpec) -> GameResult {
    let winner = if game.pair().black > game.pair().white { Side::Black } else { Side::White };
    GameResult::played(Outcome { winner: Some(winner), margin: None })
}

#[test]
fn the_champion_is_first_and_those_that_lost_together_share_a_place() {
    let knockout = knockout(6, 100, upset);
    assert_eq!(knockout.champion.as_deref(), Some("f"));
    let places: Vec<_> =
        knockout.places.iter().map(|place| (place.place, place.player.as_str(), place.round)).collect();
    assert_eq!(
        places,
        [
            (Some(1), "f", 3),
            (Some(2), "e", 3),
            (Some(3), "a", 2),
            (Some(3), "b", 2),
            (Some(5), "c", 1),
            (Some(5), "d", 1)
        ]
    );
    let reasons = FormatResult::Knockout(knockout.clone()).reasons();
    assert_eq!(reasons[..3], ["champion", "out", "out"]);
    let lost_to: Vec<_> = knockout.places.iter().map(|place| place.lost_to.as_deref()).collect();
    assert_eq!(lost_to, [None, Some("f"), Some("e"), Some("f"), Some("f"), Some("e")]);
    let byes = knockout.rounds[0].pairings.iter().filter(|pairing| pairing.won == Some((0, WonBy::Bye)));
    assert_eq!(byes.count(), 2);
}

#[test]
fn a_bracket_under_way_knows_who_goes_on() {
    // The first pairing of the first round is over after two games, the second after four, and the final has not begun.
    let before = knockout(4, 3, upset);
    let names = |knockout: &KnockoutResult, round: usize| -> Vec<Option<String>> {
        knockout.rounds[round].pairings[0].seats.iter().map(|seat| seat.name().map(str::to_owned)).collect()
    };
    assert_eq!((&before.champion, before.current_round()), (&None, 1));
    assert_eq!(names(&before, 1), [Some("d".to_owned()), None]);
    let furthest: Vec<_> = before.places.iter().map(|place| (place.round, place.player.as_str())).collect();
    assert_eq!(furthest, [(2, "d"), (1, "b"), (1, "c"), (1, "a")], "the finalist is ahead of better seeds");
    assert_eq!(FormatResult::Knockout(before).reasons(), ["round 2", "round 1", "round 1", "out"]);
    let knockout = knockout(4, 4, upset);
    assert_eq!(knockout.current_round(), 2);
    assert_eq!(knockout.champion, None);
    assert_eq!(names(&knockout, 1), [Some("d".to_owned()), Some("c".to_owned())]);
    let places: Vec<_> = knockout.places.iter().map(|place| (place.place, place.player.as_str())).collect();
    assert_eq!(places, [(None, "c"), (None, "d"), (Some(3), "a"), (Some(3), "b")]);
}

#[test]
fn neighbours_in_the_bracket_lead_to_the_place_between_them() {
    // A knockout is also under way when the next round has not been drawn.
    for games in (0..24).chain([1000]) {
        let knockout = knockout(13, games, upset);
        for (round, next) in knockout.rounds.iter().zip(&knockout.rounds[1..]) {
            for (place, pairing) in round.pairings.iter().enumerate() {
                assert_eq!(pairing.winner(), next.pairings[place / 2].seats[place % 2].name(), "after {games} games");
            }
        }
        assert_eq!(knockout.rounds[3].pairings[0].winner(), knockout.champion.as_deref());
    }
}

#[test]
fn a_pairing_names_why_a_player_goes_on() {
    let drawn = knockout(2, 100, |_| GameResult::played(Outcome { winner: None, margin: None }));
    assert_eq!(drawn.rounds[0].pairings[0].won, Some((0, WonBy::Seed)));
    let absent = |game: &GameSpec| {
        let loser = if game.pair().black == 0 { Side::Black } else { Side::White };
        GameResult::forfeit(loser, Termination::NoShow, "not there")
    };
    assert_eq!(knockout(2, 100, absent).rounds[0].pairings[0].won, Some((1, WonBy::Walkover)));
    let crashed = |game: &GameSpec| {
        let loser = if game.pair().black == 0 { Side::Black } else { Side::White };
        GameResult::forfeit(loser, Termination::Crash, "a signal")
    };
    assert_eq!(knockout(2, 100, crashed).rounds[0].pairings[0].won, Some((1, WonBy::Points)));
}
