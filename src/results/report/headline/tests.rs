//! Tests of headlines.

use super::*;
use crate::game::Side;
use crate::results::standings::tests::{game, standings, won};
use crate::results::standings::{GameSummary, MissingGames, RatingOptions, played_pairs};
use crate::tournament::sprt::{Sprt, TestedPairs};

/// The headline of a page about `games`, from a run whose state is `run`.
fn headline(games: &[GameSummary], run: RunState) -> PageHeadline {
    of_pairs(&standings(games, &RatingOptions::default()).of_run(run)).expect("there are players")
}

/// `count` games, all of which `player` wins, with ids from `first`.
fn wins(player: &str, opponent: &str, first: u32, count: u32) -> Vec<GameSummary> {
    let one = |nth: u32| match nth % 2 {
        0 => game(nth, player, opponent, won(Some(Side::Black), 5)),
        _ => game(nth, opponent, player, won(Some(Side::White), 5)),
    };
    (first..first + count).map(one).collect()
}

#[test]
fn the_headline_of_a_page_says_who_won_by_how_much_and_what_is_not_known() {
    let unbeaten = headline(&wins("ada", "bea", 1, 2), RunState::default());
    assert_eq!(unbeaten.sentence, "ada is first, with 2 of 2 points.");
    let level = "The games cannot tell ada and bea apart (95%).";
    assert_eq!(unbeaten.details, ["2 points ahead of bea.", level], "only the prior bounds these ratings");
    let mut games = [wins("ada", "bea", 1, 50), wins("bea", "ada", 101, 10)].concat();
    let clear = headline(&games, RunState::default());
    assert!(clear.details[0].starts_with("40 points and ") && clear.details[0].ends_with(" Elo ahead of bea."));
    assert_eq!(clear.details[1], "The games can tell all players apart (95%).");
    games.extend([wins("bea", "cleo", 201, 3), wins("cleo", "bea", 301, 3)].concat());
    let three = headline(&games, RunState::default());
    assert!(three.details[0].contains(" Elo ahead of ") && !three.details[0].contains("point"), "{three:?}");
    assert!(three.details[1].starts_with("The games cannot tell ") && three.details[1].contains("cleo"), "{three:?}");
}

#[test]
fn only_games_that_have_not_been_played_make_a_run_unfinished() {
    let missing = |void: Option<&str>| {
        let mut missing = MissingGames::default();
        missing.add("r1-ada-bea", void.map(str::to_owned));
        RunState { missing, ..RunState::default() }
    };
    let games = wins("ada", "bea", 1, 2);
    assert_eq!(headline(&games, missing(Some("no address"))).sentence, "ada is first, with 2 of 2 points.");
    let so_far = "So far, 2 of 3 games are finished: ada is first, with 2 of 2 points.";
    assert_eq!(headline(&games, missing(None)).sentence, so_far);
}

#[test]
fn the_headline_of_a_test_is_its_verdict_with_the_likely_lead() {
    let games = wins("ada", "bea", 1, 60);
    let mut tested = TestedPairs::new(Sprt::new(0.0, 50.0, 0.05, 0.05).expect("a test"));
    tested.extend(played_pairs(&games, "ada", "bea"));
    let test = |progress| Test { player: "ada".to_owned(), opponent: "bea".to_owned(), progress };
    let run = RunState { test: Some(test(*tested.progress())), ..RunState::default() };
    let shown = headline(&games, run);
    assert!(shown.sentence.starts_with("Not decided after ") || shown.sentence.contains(" Elo stronger than bea"));
    let lead = |elo, low, high| likely_lead(&test(*tested.progress()), LeadEstimate { elo, low, high });
    let end = " than bea (95%, allowing for the stopping rule).";
    for (given, expected) in [
        (lead(-50.0, Some(-131.4), Some(26.0)), "ada is likely between 131 Elo weaker and 26 Elo stronger"),
        (lead(50.0, Some(17.0), Some(167.0)), "ada is likely between 17 and 167 Elo stronger"),
        (lead(-50.0, Some(-167.0), Some(-17.0)), "ada is likely between 17 and 167 Elo weaker"),
        (lead(50.0, Some(10.0), None), "ada is likely at least 10 Elo stronger"),
        (lead(-50.0, None, Some(-10.0)), "ada is likely at least 10 Elo weaker"),
        (lead(50.0, Some(-10.0), None), "ada is likely at most 10 Elo weaker"),
        (lead(50.0, None, Some(10.0)), "ada is likely at most 10 Elo stronger"),
        (lead(3.0, None, None), "ada is about 3 Elo stronger"),
    ] {
        assert_eq!(given, format!("{expected}{end}"));
    }
}

#[test]
fn of_many_names_only_the_first_are_listed() {
    assert_eq!(listed(&["a"]), "a");
    assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    assert_eq!(listed(&["a", "b", "c", "d", "e", "f"]), "a, b, c and 3 more");
}

#[test]
fn a_name_at_the_beginning_stays_as_it_is() {
    assert_eq!(capital("no player has a rank yet."), "No player has a rank yet.");
    assert_eq!(capital(""), "");
}
