//! Tests of the summary that a terminal shows.

use proptest::prelude::*;

use super::*;
use crate::results::report::Extra;
use crate::results::standings::group_tests::{field, standings as group_standings};
use crate::results::standings::tests::{any_games, forfeit, game, mixed, standings, won};
use crate::results::standings::{Counting, GameSummary, RatingOptions};

fn shown(games: &[GameSummary], width: usize) -> String {
    let standings = FieldStandings::Pairs(Box::new(standings(games, &RatingOptions::default())));
    summary(&standings, Extras::default(), width, Style::PLAIN)
}

#[test]
fn the_summary_begins_with_who_won_and_who_forfeited() {
    let mut games: Vec<GameSummary> = (1..=9).map(|nth| game(nth, "ada", "bea", won(Some(Side::Black), 5))).collect();
    let text = shown(&games, 80);
    assert!(text.starts_with("ada is first, with 9 of 9 points.\n9 games, no forfeits\n\n"), "{text}");
    assert!(text.contains("   1  ada     +") && text.contains("9-0-0") && text.contains("Black's first move is worth"));
    games.push(game(10, "bea", "ada", forfeit(Side::White, Termination::Time)));
    games.push(game(11, "bea", "ada", forfeit(Side::White, Termination::Crash)));
    games.push(game(12, "ada", "bea", forfeit(Side::White, Termination::Crash)));
    let text = shown(&games, 80);
    let facts = "12 games, 3 forfeits: ada 1 time, 1 crash; bea 1 crash\n";
    assert!(text.contains(facts) || text.contains("ada 1 crash, 1 time; bea 1 crash"), "{text}");
}

#[test]
fn players_that_are_level_share_the_first_place_and_cannot_be_told_apart() {
    let games = [game(1, "ada", "bea", won(Some(Side::Black), 5)), game(2, "bea", "ada", won(Some(Side::Black), 5))];
    let text = shown(&games, 80);
    assert!(text.starts_with("ada and bea share first place.\n"), "{text}");
    assert!(text.contains("  The games cannot tell places 1 and 2 apart (95%).\n"), "{text}");
}

#[test]
fn the_table_drops_columns_and_cuts_names_to_fit() {
    let name = "a name of more than thirty letters that goes on";
    let games = [game(1, name, "bea", won(Some(Side::Black), 5)), game(2, "bea", name, won(Some(Side::Black), 5))];
    let wide = shown(&games, 80);
    assert!(wide.contains("W-D-L") && wide.lines().all(|line| columns_of(line) <= 80), "{wide}");
    let narrow = shown(&games, 60);
    assert!(!narrow.contains("as white") && narrow.contains('~'), "{narrow}");
    assert!(narrow.lines().all(|line| columns_of(line) <= 60), "{narrow}");
}

#[test]
fn extras_and_games_of_four_have_their_tables() {
    let mixed = FieldStandings::Pairs(Box::new(standings(&mixed(), &RatingOptions::default())));
    let text = summary(&mixed, [Extra::Ranks].into_iter().collect(), 80, Style::PLAIN);
    assert!(text.contains("Chance in % of being the strongest"), "{text}");
    let groups = FieldStandings::Groups(Box::new(group_standings(&field(), Counting::default())));
    let text = summary(&groups, Extras::default(), 80, Style::PLAIN);
    for part in [" is first, with ", "6 games, 2 forfeits: ada 1 crash; ", "mean place", "first"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn winners_are_bold_and_forfeits_red_where_there_are_colours() {
    let games = [game(1, "ada", "bea", forfeit(Side::White, Termination::Crash))];
    let standings = FieldStandings::Pairs(Box::new(standings(&games, &RatingOptions::default())));
    let style = Style { has_colours: true, has_discs: false };
    let text = summary(&standings, Extras::default(), 80, style);
    assert!(
        text.starts_with("\u{1b}[1mada is first, with 1 of 1 point.\u{1b}[0m\n\u{1b}[1;31m1 game, 1 forfeit"),
        "{text:?}"
    );
}

#[test]
fn the_sets_that_cannot_be_told_apart_are_as_large_as_possible() {
    let elos: [f64; 6] = [300.0, 250.0, 200.0, 100.0, 90.0, -50.0];
    let superiority = |row: usize, other: usize| Some(if elos[row] - elos[other] < 70.0 { 0.9 } else { 0.99 });
    assert_eq!(level_sets(6, superiority), [(0, 1), (1, 2), (3, 4)]);
    let told = |superiority: fn(usize, usize) -> Option<f64>| not_told_apart(6, superiority);
    assert_eq!(not_told_apart(6, superiority).as_deref(), Some("The games cannot tell places 1 and 2 apart (95%)."));
    assert_eq!(told(|_, _| Some(0.6)).as_deref(), Some("The games cannot tell places 1 to 6 apart (95%)."));
    assert_eq!([told(|_, _| Some(0.99)), told(|_, _| None)], [None, None]);
}

proptest! {
    #[test]
    fn whatever_was_played_the_table_fits_and_nothing_controls_the_terminal(games in any_games(), width in 0..120_usize) {
        let text = shown(&games, width);
        let table = text.lines().skip_while(|line| !line.contains("Elo ±95%")).take_while(|line| !line.is_empty());
        let widest = table.map(columns_of).max().unwrap_or_default();
        prop_assert!(widest <= width.max(60), "{text}");
        prop_assert!(!text.contains(['\u{1b}', '\r', '\t']), "{text:?}");
    }
}
